# CI runs `make test`. Use `make quick` while you work on a change: it takes two minutes if the build of its last run exists.
.PHONY: test quick fmt words clippy unit portable stores docs site report python package spark spark-all pip

test: environments fmt words clippy unit portable stores docs site report python spark pip

# Installs everything that the steps below need, all at the same time. If an installation fails here, the step that needs it
# repeats it, and shows the error.
.PHONY: environments
environments:
	-@$(MAKE) --no-print-directory --keep-going --silent -j4 $(STORES)/installed $(SITE)/installed $(SPARK)/installed $(PUBLISHED) 2>/dev/null

# An environment of Python. Its requirements are named where it is used.
%/installed:
	python3 -m venv $*
	$*/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

fmt:
	cargo fmt --all --check

# Checks that comments, help and docs use plain words.
words:
	python3 tests/words.py

# One profile for all checks and tests, so that each dependency is checked and built only once. It is optimised, because the
# property tests run thousands of cases.
TESTING = --workspace --locked --profile testing

# The features of this project's packages when their tests are built. cargo chooses them for all packages together, and a build
# without the tests, or of one package, would build the readers, the engine, the index and the command again.
AS_TESTED = $(TESTING) --features lookalike-engine/faults,lookalike-index/faults
COMMAND = $(abspath $(or $(CARGO_TARGET_DIR),target))/testing/lookalike

clippy:
	cargo clippy $(TESTING) --all-targets -- -D warnings

# Runs all tests. Then tests the core without the `engine` feature, as other programs use it, and the property tests of its law,
# on all cores.
unit:
	python3 tests/run.py -- $(TESTING)
	cargo test $(TESTING) --doc --quiet
	cargo test --locked --profile testing --quiet -p lookalike --features rayon
	cargo test --locked --profile testing --quiet -p lookalike --features engine,rayon --test law

# Runs the unit tests of packages that differ from the branch SINCE, of packages that depend on these, and of the command.
# The property and fault tests, which take minutes, do not run. The build is kept for the next time.
SINCE ?= main
quick: export CARGO_INCREMENTAL = 1
quick: fmt clippy
	python3 tests/run.py --changed-since $(SINCE) -- $(TESTING) --lib --test cli --test imports

# Tests the recorded answers and numbers with portable code, with overflow checks and assertions, and without the optional formats
# and stores.
FROZEN = golden fingerprint:: scan:: read:: every_kernel
portable:
	cargo --config tests/portable.toml test --locked --profile testing -p lookalike -p lookalike-cli --no-default-features \
		--features portable,chinese,jieba,stop-words --lib --test cli -- $(FROZEN)

# Tests of the command with an S3 server, with requests that fail. If the server is not installed and there is no network, they
# are skipped, except in CI.
STORES = target/venv-stores
$(STORES)/installed: tests/stores/requirements.txt
stores:
	@if $(MAKE) --no-print-directory $(STORES)/installed; then \
		cargo build $(AS_TESTED) --bin lookalike && $(STORES)/bin/python tests/stores/stories.py $(COMMAND); \
	elif [ -n "$$CI" ]; then echo "stores: moto_server cannot be installed" >&2; exit 1; \
	else echo "skipped: no network to install moto_server from (tests/stores/requirements.txt)"; fi

# The Rust documentation, and the site in target/site: guides, plots and references. They are made with the package built from
# this code. If mkdocs is not installed and there is no network, the site is skipped, except in CI.
SITE = target/venv-docs
$(SITE)/installed: docs/requirements.txt
docs:
	RUSTDOCFLAGS="-D warnings" cargo doc $(AS_TESTED) --no-deps
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --profile testing -p lookalike --no-deps
	@if $(MAKE) --no-print-directory $(SITE)/installed $(VENV)/installed; then \
		$(MAKE) --no-print-directory package && \
		PYTHONDONTWRITEBYTECODE=1 $(VENV)/bin/python docs/make_site.py target/pages target/package && \
		$(SITE)/bin/python docs/pictures.py $(VENV)/bin/lookalike --check && \
		NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict; \
	elif [ -n "$$CI" ]; then echo "docs: mkdocs cannot be installed" >&2; exit 1; \
	else echo "skipped: no network to install mkdocs from (docs/requirements.txt)"; fi

# Tests the site in a real browser: desktop and phone pages, light and dark mode, and the search. Needs Chromium, node and npm.
CHROMIUM ?= /usr/bin/chromium
site: docs
	@if [ -n "$$CI" ] && [ ! -x $(CHROMIUM) ]; then apt-get install -y -qq chromium >/dev/null || \
		{ apt-get update -qq && apt-get install -y -qq chromium >/dev/null; }; fi
	@if [ -f target/site/index.html ] && [ -x $(CHROMIUM) ] && npm ci --prefix tests/site --silent --no-audit --no-fund; then \
		CHROMIUM=$(CHROMIUM) node tests/site/site.mjs target/site target/site-shots; \
	elif [ -n "$$CI" ]; then echo "site: Chromium or its driver cannot be installed" >&2; exit 1; \
	else echo "skipped: the browser tests need the site, $(CHROMIUM), and npm with a network"; fi

# The page of reports: checks that the committed page is what web/ builds, and tests reports in a real browser. Needs Chromium, node
# and npm, like the tests of the site.
report:
	cargo build $(AS_TESTED) --bin lookalike
	@if [ -x $(CHROMIUM) ] && npm ci --prefix web --silent --no-audit --no-fund; then \
		npm run --prefix web --silent check && \
		CHROMIUM=$(CHROMIUM) LOOKALIKE=$(COMMAND) \
			node --test --test-concurrency=1 --test-reporter=dot web/tests/*.test.mjs; \
	elif [ -n "$$CI" ]; then echo "report: Chromium or its driver cannot be installed" >&2; exit 1; \
	else echo "skipped: the tests of reports need $(CHROMIUM), and npm with a network"; fi

# Builds the page of reports. Commit the result, crates/lookalike-report/page.html.
.PHONY: web
web:
	npm ci --prefix web --silent --no-audit --no-fund
	npm run --prefix web --silent build

# Draws the pictures of the README again.
.PHONY: pictures
pictures: package $(SITE)/installed
	$(SITE)/bin/python docs/pictures.py $(VENV)/bin/lookalike

# The Python package: built into an environment in the repository, and tested there; its types and stubs are checked. The tests of
# datasketch are downloaded next to it.
VENV = target/python
$(VENV)/installed: python/requirements.txt
PUBLISHED = $(VENV)/published/datasketch-1.7.0
python: package $(PUBLISHED)
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/ruff check
	$(VENV)/bin/mypy
	$(VENV)/bin/python -m mypy.stubtest lookalike --mypy-config-file pyproject.toml --allowlist python/stubtest-allowed.txt
	$(VENV)/bin/python -m pytest -n auto

package: $(VENV)/installed
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --profile testing --locked --features faults

# Tests the package on Spark: all tests on Sail, and on classic Spark those that need executors and plans. Java comes from PyPI. If
# the packages cannot be installed because there is no network, the tests are skipped, except in CI.
SPARK = target/venv-spark
SPARKLING = VIRTUAL_ENV=$(SPARK) $(VENV)/bin/maturin develop --profile testing --locked --features faults --quiet
$(SPARK)/installed: tests/spark/requirements.txt
spark: package
	@if $(MAKE) --no-print-directory $(SPARK)/installed; then \
		$(SPARKLING) && $(SPARK)/bin/python tests/spark/stories.py sail && \
		$(SPARK)/bin/python tests/spark/stories.py classic -k plans -k killed; \
	elif [ -n "$$CI" ]; then echo "spark: PySpark cannot be installed" >&2; exit 1; \
	else echo "skipped: no network to install PySpark from (tests/spark/requirements.txt)"; fi

spark-all: package $(SPARK)/installed
	$(SPARKLING)
	for engine in sail classic connect; do $(SPARK)/bin/python tests/spark/stories.py $$engine || exit 1; done

# The package as a user gets it, except for the profile: pip builds and installs it into a fresh environment. There the README's
# examples run with only the packages that they import.
FRESH = target/fresh
pip:
	rm -rf $(FRESH)
	python3 -m venv $(FRESH)
	MATURIN_PEP517_ARGS="--profile testing --features faults" $(FRESH)/bin/pip install --quiet --disable-pip-version-check .
	$(FRESH)/bin/python python/tests/readme.py
	rm -rf $(FRESH)

$(PUBLISHED): python/tests/published/requirements.txt $(VENV)/installed
	mkdir -p $(@D)
	$(VENV)/bin/pip download --quiet --disable-pip-version-check --no-deps --no-binary datasketch --no-build-isolation --require-hashes -r $< -d $(@D)
	tar xzf $@.tar.gz -C $(@D)
	touch $@

# The benches: `make bench`, `make bench-rivals` and others. They use the package and the environments of this file.
include bench/Makefile

# The core and the engine under AddressSanitizer: every kernel that this machine's processor can run, and its portable twin. Needs
# a nightly compiler. Leaks are not checked, because threads of a pool may still be running when a test has ended.
.PHONY: sanitize
SANITIZED = --release --locked --target x86_64-unknown-linux-gnu --target-dir target/sanitize
SANITIZED += -p lookalike -p lookalike-applications -p lookalike-io -p lookalike-engine --features lookalike/chinese,lookalike/jieba,lookalike/stop-words --lib --tests
sanitize:
	ASAN_OPTIONS=detect_leaks=0 RUSTFLAGS=-Zsanitizer=address CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true \
	CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true cargo +nightly test $(SANITIZED)

# Tests all interleavings of the threads that fill a set without a lock.
.PHONY: loom
loom:
	RUSTFLAGS="--cfg loom" cargo test --release --locked --target-dir target/loom -p lookalike-io --lib interleaved

# Runs each fuzz target for SECONDS seconds; FUZZ='a target' runs one target.
.PHONY: fuzz
SECONDS ?= 600
FUZZ ?= canonicalise dictionaries rabin sketch law lines packed html run state tables truths
fuzz:
	cargo +nightly fuzz build
	for target in $(FUZZ); do mkdir -p fuzz/found/$$target; \
	cargo +nightly fuzz run $$target fuzz/found/$$target fuzz/corpus/$$target -- -max_total_time=$(SECONDS) -max_len=4096 \
	-timeout=20 -detect_leaks=0 -print_final_stats=1 || exit 1; done

# A release for users without a compiler, in target/dist: a static command for Linux with man pages, completions and the licences
# of everything in it. Needs rustup's target and musl's C compiler (Debian: musl-tools); with TARGET=x86_64-unknown-linux-gnu it
# needs neither.
.PHONY: dist
TARGET ?= x86_64-unknown-linux-musl
COMMIT ?= $(or $(shell git rev-parse HEAD 2>/dev/null),unknown)
dist:
	LOOKALIKE_COMMIT=$(COMMIT) cargo build --release --locked -p lookalike-cli --target $(TARGET)
	SOURCE_DATE_EPOCH=$(or $(shell git log -1 --format=%ct 2>/dev/null),0) PYTHONDONTWRITEBYTECODE=1 python3 packaging/dist.py $(TARGET)
