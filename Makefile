# All the set-up there is: `make demo` and `make test` work from a fresh clone.
#
# The virtual environment lives in the tree. It is filled once per change of pyproject.toml, the
# package is built once per change of its sources; with nothing changed both take no time.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

BIN := $(VENV)/bin
comma := ,
space := $(subst ,, )
# The package and the tests of the core share a build: the core is compiled once for both.
BUILD := build/package
CXX_FILES = $(shell find core bindings -name '*.hpp' -o -name '*.cpp' 2>/dev/null)
SOURCES = Makefile CMakeLists.txt README.md LICENSE $(shell find core bindings src -type f -not -name '*.pyc' 2>/dev/null)

export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: build demo pictures test test-core test-neon test-python fuzz fuzz-optimum mutations sanitize sanitize-core sanitize-address sanitize-thread lint format bench clean help

help:
	@echo "make demo         build, match a synthetic stereo pair, write demo-output/report.html"
	@echo "make test         C++ tests, lint, Python tests and documentation examples"
	@echo "make test-neon    C++ tests of messages and engines for aarch64, under emulation"
	@echo "make fuzz         random small problems against enumeration; COUNT=50000 SEED=0, LANES=16, ONLY=17 for one"
	@echo "make mutations    faults put into the code that proves optima: its tests must notice each; ONLY=3 for one"
	@echo "make fuzz-optimum a part of it: proofs of hard problems against their optima; PROOFS=10000 SEED=0, ONLY=17"
	@echo "make sanitize     core, solver tests and fuzzer under address, undefined and thread sanitizers"
	@echo "make build        the virtual environment with the package in it"
	@echo "make lint         ruff, mypy, clang-format (checks only)"
	@echo "make format       rewrite the sources in the house style"
	@echo "make bench        add the packages that the benchmarks compare with"
	@echo "make pictures     run the demo and put its pictures into the README"
	@echo "make clean        remove the environment and everything built"
	@echo "PYTHON=python3.12 picks the interpreter of a new environment"

build: $(VENV)/.built

$(VENV)/.environment: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

# Without build isolation CMake keeps its build folder, and a change of one file compiles one file.
$(VENV)/.built: $(VENV)/.environment $(SOURCES)
	$(BIN)/python -m pip install --quiet --quiet --no-build-isolation \
	    -C build-dir=$(BUILD) -C build.targets=_core -C cmake.define.RANGEMOVES_BUILD_TESTS=ON \
	    -C cmake.define.RANGEMOVES_WERROR=ON ".[app]"
	touch $@

demo: build
	$(BIN)/rangemoves demo --force

# The pictures of the README are what the demo writes, nothing else.
pictures: demo
	mkdir -p docs/images
	cp $(addprefix demo-output/,left.png disparity.png cloud.png error.png energy.png) docs/images

test: test-core lint test-python

test-core: build
	$(BIN)/cmake --build $(BUILD) --parallel $(JOBS)
	$(BIN)/ctest --test-dir $(BUILD) --parallel $(JOBS) --output-on-failure --no-tests=error

# Compiled for aarch64 (Graviton, Macs) and run under emulation: what the kernels and all that rests
# on them compute there. The rest of the core is the same integers everywhere.
NEON_TESTS = $(basename $(notdir $(wildcard core/tests/messages/test_*.cpp core/tests/engine/test_*.cpp))) \
    test_limits
NEON_BUILD := build/neon

test-neon: $(VENV)/.environment
	@command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64 >/dev/null || { \
	    echo "make test-neon needs a compiler for aarch64 and an emulator;" \
	        "on Debian: apt install g++-aarch64-linux-gnu qemu-user"; exit 1; }
	$(BIN)/cmake -S . -B $(NEON_BUILD) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DCMAKE_BUILD_TYPE=Release -DRANGEMOVES_BUILD_TESTS=ON -DRANGEMOVES_WERROR=ON \
	    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
	    -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
	    "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64;-L;/usr/aarch64-linux-gnu"
	$(BIN)/cmake --build $(NEON_BUILD) --parallel $(JOBS) --target $(NEON_TESTS)
	$(BIN)/ctest --test-dir $(NEON_BUILD) --parallel $(JOBS) --output-on-failure --no-tests=error \
	    -R '^($(subst $(space),|,$(strip $(NEON_TESTS))))$$'

# All cores at once, a test going to whoever is free; then alone what measures memory and clocks.
MEASURING := tests/test_memory.py tests/test_deadlines.py

test-python: build
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist worksteal $(addprefix --ignore=,$(MEASURING))
	$(BIN)/python -m pytest $(MEASURING)

COUNT ?= 50000
PROOFS ?= 10000
SEED ?= 0

# A number names a problem of one of the fuzzers.
fuzz: build $(if $(ONLY),,fuzz-optimum)
	$(if $(LANES),RANGEMOVES_LANES=$(LANES)) PYTHONPATH=tests $(BIN)/python -m fuzz.solver --seed $(SEED) --count $(COUNT) --jobs $(JOBS) \
	    $(if $(ONLY),--only $(ONLY))
	$(if $(ONLY),,PYTHONPATH=tests $(BIN)/python -c \
	    "from fuzz import readers; print('readers:', readers.run($(COUNT), $(SEED)), 'files, 0 failures')")

fuzz-optimum: build
	$(if $(LANES),RANGEMOVES_LANES=$(LANES)) PYTHONPATH=tests $(BIN)/python -m fuzz.optimum --seed $(SEED) --count $(PROOFS) --jobs $(JOBS) \
	    $(if $(ONLY),--only $(ONLY))

# A copy of the core is built with one fault at a time; what is built stays for the next run.
mutations: $(VENV)/.environment
	PYTHONPATH=tests $(BIN)/python -m mutations.run --folder build/mutations --jobs $(JOBS) \
	    $(if $(ONLY),--only $(ONLY))

# Instrumented builds live beside the ordinary one: the core with its tests, and a copy of the
# package that Python finds before the installed one. Warnings are no errors here, since instrumented
# code makes the compiler warn of what is fine.
define build_sanitized
	$(BIN)/cmake -S . -B build/sanitize-$(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DCMAKE_BUILD_TYPE=Release -DRANGEMOVES_SANITIZE=$(2) \
	    -DRANGEMOVES_BUILD_TESTS=ON -DRANGEMOVES_BUILD_PYTHON=ON -DRANGEMOVES_WERROR=OFF \
	    -DPython_EXECUTABLE=$(abspath $(BIN))/python \
	    -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	$(BIN)/cmake --build build/sanitize-$(1) --parallel $(JOBS)
	rm -rf build/sanitize-$(1)/package
	$(BIN)/cmake --install build/sanitize-$(1) --prefix build/sanitize-$(1)/package
	cp -R src/rangemoves build/sanitize-$(1)/package
endef

# Python itself is not instrumented: the sanitizer must be there first, and with it the C++ library
# whose exceptions it looks after.
library = $$($${CXX:-c++} -print-file-name=lib$(1).so)
sanitized_python = env LD_PRELOAD="$(call library,$(1)) $(call library,stdc++)" \
    PYTHONMALLOC=malloc PYTHONPATH=build/sanitize-$(2)/package:tests $(BIN)/python

ADDRESS_TESTS := $(addprefix tests/test_,active_set.py best.py convexify.py dual_engine.py energy.py \
    exactness.py fixed_point.py maxflow.py minimize.py moves.py neighbourhood.py properties.py trws.py)
# Those of the core that start threads; and a solver run with several is enough for each kind.
THREADED_CORE := kernels|decode_and_sweep|lazy_messages|node_rows|proof|stencils|pipeline|tree_reweighted|coarse_start|matching_costs|control|binary_move
THREAD_TESTS := $(addprefix tests/test_,dual_engine.py moves.py trws.py)

sanitize: sanitize-address sanitize-thread

# Leaks are looked for in the tests of the core: Python's own are not ours.
sanitize-core: build
	$(call build_sanitized,address,address$(comma)undefined)
	$(BIN)/ctest --test-dir build/sanitize-address --parallel $(JOBS) \
	    --output-on-failure --no-tests=error

# A run limited to 0.3 s: instrumented code takes longer to notice.
LIMITED_TEST := tests/test_minimize.py::test_the_time_limit_is_kept_inside_a_move
sanitize-address: export ASAN_OPTIONS := detect_leaks=0
sanitize-address:
	ASAN_OPTIONS= $(MAKE) sanitize-core
	$(call sanitized_python,asan,address) -m pytest --capture=sys -m "not slow" \
	    -k "not any_number_of_threads" --deselect $(LIMITED_TEST) $(ADDRESS_TESTS)
	$(call sanitized_python,asan,address) -m fuzz.solver --count 1500 --jobs $(JOBS)

sanitize-thread: export TSAN_OPTIONS := halt_on_error=1
sanitize-thread: build
	$(call build_sanitized,thread,thread)
	$(BIN)/ctest --test-dir build/sanitize-thread --parallel $(JOBS) -R '$(THREADED_CORE)' \
	    --output-on-failure --no-tests=error
	$(call sanitized_python,tsan,thread) -m pytest --capture=sys \
	    -k "threads_give or in_parts" $(THREAD_TESTS)

lint: build
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)

format: $(VENV)/.environment
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CXX_FILES)

bench: build
	$(BIN)/python -m pip install --quiet --quiet --no-build-isolation ".[bench]"

clean:
	rm -rf $(VENV) build demo-output
