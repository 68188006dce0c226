# All the set-up there is: `make demo` and `make test` work from a fresh clone.
#
# The virtual environment lives in the tree. It is filled once per change of pyproject.toml, the
# package is built once per change of its sources; with nothing changed both take no time.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

BIN := $(VENV)/bin
CORE_BUILD := build/core
CXX_FILES = $(shell find core bindings -name '*.hpp' -o -name '*.cpp' 2>/dev/null)
SOURCES = CMakeLists.txt README.md LICENSE $(shell find core bindings src -type f -not -name '*.pyc' 2>/dev/null)

export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: build demo pictures test test-core test-python fuzz lint format bench clean help

help:
	@echo "make demo         build, solve a synthetic stereo pair, write demo-output/report.html"
	@echo "make test         C++ tests, lint, Python tests and documentation examples"
	@echo "make fuzz         random small problems against enumeration; COUNT=50000 SEED=0, ONLY=17 for one"
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
	    -C cmake.define.RANGEMOVES_WERROR=ON ".[app]"
	touch $@

demo: build
	$(BIN)/rangemoves demo --force

# The pictures of the README are what the demo writes, nothing else.
pictures: demo
	mkdir -p docs/images
	cp demo-output/left.png demo-output/disparity.png demo-output/error.png demo-output/energy.png docs/images

test: test-core lint test-python

test-core: $(VENV)/.environment
	$(BIN)/cmake -S . -B $(CORE_BUILD) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DCMAKE_BUILD_TYPE=Release -DRANGEMOVES_BUILD_TESTS=ON -DRANGEMOVES_WERROR=ON
	$(BIN)/cmake --build $(CORE_BUILD) --parallel $(JOBS)
	$(BIN)/ctest --test-dir $(CORE_BUILD) --output-on-failure --no-tests=error

test-python: build
	$(BIN)/python -m pytest

COUNT ?= 50000
SEED ?= 0

fuzz: build
	PYTHONPATH=tests $(BIN)/python -m fuzz.solver --seed $(SEED) --count $(COUNT) --jobs $(JOBS) \
	    $(if $(ONLY),--only $(ONLY))

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
