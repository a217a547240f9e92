# Only the command: a static binary, certificates for TLS, and a folder for temporary files. The image has no shell, so
# --input-command does not work.
#
#   docker build -t lookalike .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" lookalike dedup crawl.jsonl.zst -o kept.jsonl.zst

FROM rust:1.95.0-slim-bookworm AS build
# Use the image's compiler, which is named by its version: rust-toolchain.toml would download another one.
ENV RUSTUP_TOOLCHAIN=1.95.0
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates make musl-tools python3 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
RUN rustup target add x86_64-unknown-linux-musl
COPY . .
ARG COMMIT=unknown
RUN make dist-command COMMIT="$COMMIT" \
    && mkdir -p /image/etc/ssl/certs /image/data /image/licenses \
    && install -d -m 1777 /image/tmp \
    && tar --extract --gzip --strip-components=1 --directory /image/licenses --file target/dist/lookalike-*.tar.gz \
    && mv /image/licenses/lookalike /image/lookalike \
    && rm -r /image/licenses/man /image/licenses/completions \
    && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/

FROM scratch
COPY --from=build /image /
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
WORKDIR /data
USER 65532:65532
ENTRYPOINT ["/lookalike"]
