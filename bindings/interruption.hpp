// Ctrl-C inside the core. Signals are checked with the GIL held; an exception from a handler is
// kept until the core has unwound.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <utility>

#include "rangemoves/run/control.hpp"

namespace nb = nanobind;

class Interruption {
 public:
  // asked: a Python function that says whether to stop, for handlers that raise nothing.
  explicit Interruption(nb::object asked = nb::none()) : asked_(std::move(asked)) {}

  std::function<bool()> check() {
    return [this] {
      nb::gil_scoped_acquire acquire;
      try {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        return !asked_.is_none() && nb::cast<bool>(asked_());
      } catch (nb::python_error& error) {
        raised_.emplace(std::move(error));
        return true;
      }
    };
  }

  // Calls Python. A KeyboardInterrupt that comes out of it ends the run as Ctrl-C does.
  template <class Call>
  auto call(Call&& call) {
    nb::gil_scoped_acquire acquire;
    try {
      return call();
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      throw rangemoves::Stopped{rangemoves::StopReason::interrupted};
    }
  }

  // A KeyboardInterrupt ends the run with the best labelling so far; any other exception from a
  // handler is raised to the caller.
  bool must_raise() const { return raised_ && !raised_->matches(PyExc_KeyboardInterrupt); }

  // Raises the exception that was kept.
  [[noreturn]] void raise() { throw std::move(*raised_); }

 private:
  nb::object asked_;
  std::optional<nb::python_error> raised_;
};
