# `make test` is for everybody and for a fresh clone. `make test-all` (tests/Makefile) has everything else, and CI runs both. While
# you work on a change, use `make quick` and `make lint`. A step whose tools cannot be installed is skipped with a message, except
# in CI.
.PHONY: test quick lint fmt clippy words rust package python types

test: fmt rust python

# Runs unit tests, and the command's stories that show most mistakes. `cargo test --workspace` runs those of everything.
quick: fmt
	cargo test $(WORKSPACE) --quiet --lib
	cargo test $(WORKSPACE) --quiet --test it -- imports:: golden:: dedup:: errors:: readme::

lint: fmt clippy words types

fmt:
	cargo fmt --all --check

clippy:
	cargo clippy --workspace --locked --all-targets -- -D warnings

# Checks that comments, help and docs use plain words.
words:
	python3 tests/words.py

# All builds and tests of the first ring have the same packages, profile and features, so nothing is built twice.
WORKSPACE = --workspace --exclude lookalike-bench --locked
BUILT = $(abspath $(or $(CARGO_TARGET_DIR),target))/debug

rust:
	cargo test $(WORKSPACE) --quiet

# $(call try,CONDITION,WHAT IS MISSING,COMMANDS) runs commands if their tools can be had.
define try
@if $(1); then $(3); elif [ -n "$$CI" ]; then echo "$@: $(2)" >&2; exit 1; else echo "skipped: $@: $(2)"; fi
endef
# $(call have,ENVIRONMENTS) installs environments of Python. Each has a file of requirements, and pip caches the packages.
have = $(MAKE) --no-print-directory --silent $(addsuffix /installed,$(1)) $(if $(CI),,2>/dev/null)

VENV = target/python
SITE = target/venv-docs
SPARK = target/venv-spark
STORES = target/venv-stores
$(VENV)/installed: python/requirements.txt
$(SITE)/installed: docs/requirements.txt
$(SPARK)/installed: tests/spark/requirements.txt
$(STORES)/installed: tests/stores/requirements.txt
%/installed:
	python3 -m venv $*
	$*/bin/pip install --quiet --disable-pip-version-check --no-compile -r $<
	touch $@

# The Python package, which is used where it is: the module that cargo built, in an environment. Its quick tests.
package: $(VENV)/installed
	cargo build $(WORKSPACE) --lib --bins --tests --examples
	$(VENV)/bin/python python/tests/editable.py $(BUILT)
python:
	$(call try,$(call have,$(VENV)),no network to install python/requirements.txt from,\
		$(MAKE) --no-print-directory package && PROPTEST_CASES=32 $(VENV)/bin/python -m pytest -n auto -m "not slow")

types: package
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/ruff check
	$(VENV)/bin/mypy
	$(VENV)/bin/python -m mypy.stubtest lookalike --mypy-config-file pyproject.toml --allowlist python/stubtest-allowed.txt

include tests/Makefile bench/Makefile fuzz/Makefile packaging/Makefile
