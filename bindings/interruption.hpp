// Ctrl-C inside the core. Signals are looked at with the GIL held; what a handler raises is kept
// until the core has unwound.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

namespace nb = nanobind;

class Interruption {
 public:
  std::function<bool()> check() {
    return [this] {
      nb::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() == 0) return false;
      PyErr_Fetch(&type_, &value_, &traceback_);
      return true;
    };
  }

  ~Interruption() {
    Py_XDECREF(type_);
    Py_XDECREF(value_);
    Py_XDECREF(traceback_);
  }

  // A KeyboardInterrupt is answered with the best labelling so far; anything else a handler raised
  // goes on.
  bool is_keyboard_interrupt() const {
    return type_ && PyErr_GivenExceptionMatches(type_, PyExc_KeyboardInterrupt);
  }

  // Raises what the handler raised.
  [[noreturn]] void raise() {
    PyErr_Restore(type_, value_, traceback_);
    type_ = value_ = traceback_ = nullptr;
    throw nb::python_error();
  }

 private:
  PyObject *type_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};
