# A thin front for CMake: each target calls a preset of CMakePresets.json.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
DECANT = build/release/bin/decant
DIGITS = examples/digits
SECONDS ?= 60
SOURCES = $(shell find include src experiments cli mpi tests bench examples -path tests/data -prune -o -name '*.[ch]' -print | sort)
SCRIPTS = $(shell grep -rlE '^\#!(/bin/sh|/bin/bash|/usr/bin/env bash)' tools tests bench .ci 2>/dev/null)

# $(call build,preset): Ninja where there is one, unless the folder already has another generator.
build = cmake --preset $(1) $$(test -f build/$(1)/CMakeCache.txt || \
	! command -v ninja >/dev/null || echo -G Ninja) >build-$(1).log 2>&1 || \
	{ cat build-$(1).log; rm -f build-$(1).log; exit 1; }; rm -f build-$(1).log; \
	cmake --build --preset $(1) -j $(JOBS)
# Debug information of what defines public functions is what the ABI is read from.
ABI = build/release/src/abi/libdecant.so

.PHONY: all help deps demo picture test test-python wheel docs asan tsan clang portable fuzz mutants check abi tidy format bench growth install clean

all: ## build the library and the program (build/release)
	@$(call build,release)

help: ## show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | awk -F'\t' '{ printf "make %-11s %s\n", $$1, $$2 }'

deps: ## install what is missing (Debian, Ubuntu), otherwise do nothing
	@tools/install_deps

demo: deps all ## cluster the 1797 digits in examples/digits and print how it went
	@rm -rf decant-run-demo
	$(DECANT) fit $(DIGITS)/digits.npy -k 10 --labels $(DIGITS)/digits-labels.npy \
		-o decant-run-demo

picture: demo ## README's picture of the demo's report (needs a browser)
	@tools/install_deps browser
	/usr/bin/python3 tests/browser/picture.py decant-run-demo docs/report.png

test: deps all ## build and run all tests
	@tools/install_deps browser || echo "without a browser its tests are skipped"
	@tools/run_tests release

test-python: deps ## build the Python package and run its tests, in a virtual environment (needs PyPI)
	@tools/install_deps python
	@tools/test_python $(PYTHON)

wheel: deps ## a wheel for every Python 3 on this platform, in build/wheel (needs PyPI)
	@tools/install_deps python
	@tools/make_wheel

docs: deps ## the reference of the Python package as HTML, in build/docs (needs PyPI)
	@tools/install_deps python
	@tools/test_python --docs $(PYTHON)

asan: deps ## the same tests built by clang, under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/install_deps fuzz
	@$(call build,asan)
	@tools/run_tests asan

# The tests whose code runs in threads.
TEAM_TESTS = ^test_(team|product|source|neighbours|graph|csr|eigen|tall|principal|dropout|net|sampled_output|tsne|kmeans|kmeans_swap|gmm|spectral|communities|silhouette|assign|fit|sampled_fit|method|select|guard|read_images|worker_pool)$$|^cli_(fit_npy|predict|select_k|tsne)$$

tsan: deps ## the tests of what runs in threads, under ThreadSanitizer
	@$(call build,tsan)
	@tools/run_tests tsan -R '$(TEAM_TESTS)'

mutants: deps ## apply a list of one-line faults and see whether the tests notice (minutes)
	@tests/mutants/run --keep build/mutants

# Whole fits over and over: their code is in other tests too, and the digests compare all of it.
LONG_TESTS = ^test_(fit|sampled_fit|cancel|hostile|method|select|accuracy)$$

clang: deps ## build with clang, optimised and without a warning; the unit tests, and the same bytes as GCC's
	@tools/install_deps fuzz
	@$(call build,clang)
	@tools/run_tests clang -R '^(test|fuzz|portable)_' -E '$(LONG_TESTS)'

portable: deps ## the same bytes from gcc -O2 and -O3, clang, and for ARM under qemu (minutes; Debian)
	@tools/install_deps fuzz portable
	@tools/make_sysroot arm64 aarch64-linux-gnu build/sysroot-arm64
	@tests/portable/builds $(JOBS) $(BUILDS)

fuzz: deps ## libFuzzer on every reader and file, SECONDS=60 or RUNS=2000 each (TARGETS="csv model" for some)
	@tools/install_deps fuzz
	@$(call build,asan) --target decant_fuzz fuzz_replay
	@tests/fuzz/run $(if $(RUNS),--runs $(RUNS),$(SECONDS)) $(TARGETS)

check: ## formatting, layers, style, shell scripts, ABI and static analysis
	@tools/install_deps check
	clang-format --dry-run -Werror $(SOURCES)
	tools/check_layers
	tools/check_style
	shellcheck -x -P SCRIPTDIR $(SCRIPTS)
	tests/mutants/run --check
	@$(call build,release) --target decant_abi
	tools/check_abi $(ABI)
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability,performance \
		--suppressions-list=tools/cppcheck.txt -j $(JOBS) \
		--include=tools/cppcheck.h \
		-Iinclude -Isrc -I. src experiments cli mpi bench examples

abi: ## renew tests/abi, what programs are linked against; only on purpose
	@tools/install_deps check
	@$(call build,release) --target decant_abi
	tools/check_abi --renew $(ABI)

tidy: ## clang-tidy with the list in .clang-tidy (slow)
	@$(call build,release)
	find src experiments cli -name '*.c' | xargs -P $(JOBS) -n 1 clang-tidy --quiet -p build/release \
		--extra-arg=-idirafter$$(cc -print-file-name=include)

format: ## rewrite the C files as .clang-format says
	clang-format -i $(SOURCES)

bench: all ## decant beside bare sgemm and its rivals (bench/install_rivals)
	@bench/run.py $(BENCH)

growth: all ## time and memory a row of fits on 70 000 to 560 000 rows
	@bench/growth.py $(GROWTH)

install: all ## install under PREFIX (default /usr/local); DESTDIR is honoured
	DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig || true; fi

clean: ## remove build folders and the demo's run folder
	rm -rf build decant-run-demo
