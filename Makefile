# `make test` is all that CI runs.
.PHONY: test fmt clippy unit docs

test: fmt clippy unit docs

fmt:
	cargo fmt --all --check

clippy:
	cargo clippy --workspace --all-targets --locked --release -- -D warnings

# Release mode: the properties run thousands of cases.
unit:
	cargo test --workspace --locked --release

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
