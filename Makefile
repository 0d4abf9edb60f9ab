# The front door; CMakeLists.txt has the rules. `make help` lists what there is.
BUILD  := build
ASAN   := build-asan
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)

# Without the variables of this make, the one below does not announce every folder.
CMAKE_BUILD := env -u MAKEFLAGS -u MAKELEVEL cmake --build

.DEFAULT_GOAL := build
.PHONY: build demo test bench install format format-check clean help packages

packages:
	@tools/install_packages.sh

build: packages ## build build/halfwarp
	@cmake -S . -B $(BUILD) > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@$(CMAKE_BUILD) $(BUILD) --parallel $(JOBS) --target product

demo: build ## profile three ways to transpose a matrix
	@$(BUILD)/halfwarp profile examples/transpose.cu

test: build ## build and run all tests, the unit tests also under sanitizers
	@cmake -S . -B $(ASAN) -DHW_SANITIZE=ON > $(ASAN).log 2>&1 || { cat $(ASAN).log; exit 1; }
	@rm -f $(ASAN).log
	@$(CMAKE_BUILD) $(BUILD) --parallel $(JOBS)
	@$(CMAKE_BUILD) $(ASAN) --parallel $(JOBS)
	@status=0; \
	ctest --test-dir $(ASAN) --output-on-failure --parallel $(JOBS) || status=1; \
	ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS) || status=1; \
	exit $$status

bench: build ## measure speed against plain C loops; writes JSON to build/bench.json
	@$(CMAKE_BUILD) $(BUILD) --parallel $(JOBS) --target bench_speed
	@bench/run.sh $(BUILD)

install: build ## install under PREFIX, /usr/local unless given
	@cmake --install $(BUILD) --prefix $(PREFIX)

format: ## rewrite C files in house style
	@git ls-files '*.c' '*.h' | xargs clang-format -i

format-check: ## list C files that are not in house style
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run --Werror

clean: ## remove everything built
	@rm -rf $(BUILD) $(ASAN)

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' Makefile
