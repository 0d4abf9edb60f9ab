# The front door; CMakeLists.txt has the rules. `make help` lists what there is.
BUILD   := build
ASAN    := build-asan
FUZZ    := build-fuzz
CLANG   := build-clang
PREFIX  ?= /usr/local
JOBS    ?= $(shell nproc)
SECONDS ?= 60

# Without the variables of this make, the one below does not announce every folder.
CMAKE_BUILD := env -u MAKEFLAGS -u MAKELEVEL cmake --build

.DEFAULT_GOAL := build
.PHONY: build demo test levels lint bench install docs deb tarball fuzz clean help packages

packages:
	@tools/install_packages.sh build $(if $(filter test levels lint,$(MAKECMDGOALS)),test) \
	    $(filter lint fuzz docs deb,$(MAKECMDGOALS))

# $(call configure,FOLDER,OPTIONS): what CMake says is shown where it fails. A new folder gets Ninja where there is one:
# with it `make test` takes 40 s of processor time less, which make needs to find out what there is to do.
generator = $(if $(wildcard $(1)/CMakeCache.txt),,$(if $(shell ninja --version 2> /dev/null),-G Ninja))
configure = cmake -S . -B $(1) $(generator) $(2) > $(1).log 2>&1 || { cat $(1).log; exit 1; }; rm -f $(1).log

build: packages ## build build/halfwarp
	@$(call configure,$(BUILD),-DHW_LEVELS=all)
	@$(CMAKE_BUILD) $(BUILD) --parallel $(JOBS) --target product

# A third of the build is enough for this machine alone; `make` adds the rest to it.
for_this_machine = $(if $(wildcard $(BUILD)/CMakeCache.txt),,-DHW_LEVELS=native)
demo: packages ## profile three ways to transpose a matrix
	@$(call configure,$(BUILD),$(for_this_machine))
	@$(CMAKE_BUILD) $(BUILD) --parallel $(JOBS) --target demo
	@$(BUILD)/halfwarp profile examples/transpose.cu

test: packages ## build for this machine and run all tests, the unit tests also under sanitizers
	@$(call configure,$(BUILD),$(for_this_machine))
	@$(call configure,$(ASAN),-DHW_SANITIZE=ON -DHW_LEVELS=native -DHW_TEST_CACHE=$(abspath $(BUILD))/test-cache)
	@$(CMAKE_BUILD) $(BUILD) --parallel $(JOBS)
# Some tests mostly wait, for time limits and clocks: the sanitized tree is built meanwhile. Its tests come second: they
# find the kernels compiled, which takes twice as long under sanitizers.
	@status=0; \
	nice $(CMAKE_BUILD) $(ASAN) --parallel $(JOBS) --target tests > $(ASAN).log 2>&1 & sanitized=$$!; \
	ctest --test-dir $(BUILD) --output-on-failure --parallel $$(($(JOBS) + 1)) || status=1; \
	wait $$sanitized || { cat $(ASAN).log; exit 1; }; rm -f $(ASAN).log; \
	ctest --test-dir $(ASAN) --output-on-failure --parallel $$(($(JOBS) + 1)) || status=1; \
	exit $$status

levels: build ## build for all instruction sets and run the tests of those that this machine has
	@$(CMAKE_BUILD) $(BUILD) --parallel $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS) -R '^(level|opcodes)\.'

lint: packages ## check lines, sizes and includes, analyse, and build everything by clang, where a warning is an error
	@tools/check_lines.sh
	@python3 tools/check_includes.py
	@python3 tools/check_sizes.py
	@tools/analyse.sh
	@$(call configure,$(CLANG),-DHW_LEVELS=all -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS=-Werror)
	@$(CMAKE_BUILD) $(CLANG) --parallel $(JOBS) > $(CLANG).log 2>&1 || { cat $(CLANG).log; exit 1; }; rm -f $(CLANG).log

bench: build ## measure speed against plain C loops; writes JSON to build/bench.json
	@$(CMAKE_BUILD) $(BUILD) --parallel $(JOBS) --target bench_speed
	@bench/run.sh $(BUILD)

install: build ## install under PREFIX, /usr/local unless given
	@cmake --install $(BUILD) --prefix $(PREFIX)

docs: build ## make the documents a site, with a gallery of pictures: build/site/html/index.html
	@tools/site/site.py $(BUILD) $(BUILD)/site

deb: packages ## build Debian packages of what is committed, and look at them with lintian: build/deb/*.deb
	@tools/deb.sh $(BUILD)/deb

tarball: build ## make an archive that runs wherever it is unpacked: build/halfwarp-*.tar.gz
	@tools/tarball.sh $(BUILD)

fuzz: packages ## search for crashes with libFuzzer, SECONDS for each target, 60 unless given
	@$(call configure,$(FUZZ),-DHW_SANITIZE=ON -DHW_FUZZ=ON -DHW_LEVELS=native -DBUILD_TESTING=OFF -DCMAKE_C_COMPILER=clang)
	@$(CMAKE_BUILD) $(FUZZ) --parallel $(JOBS) --target fuzz
	@for name in $$(ls tests/fuzz/corpus); do \
	    mkdir -p $(FUZZ)/found/$$name && \
	    $(FUZZ)/fuzz_$$name -max_total_time=$(SECONDS) -artifact_prefix=$(FUZZ)/ -verbosity=0 \
	        $(FUZZ)/found/$$name tests/fuzz/corpus/$$name || exit 1; \
	done

clean: ## remove everything built
	@rm -rf $(BUILD) $(ASAN) $(FUZZ) $(CLANG)

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' Makefile
