# `just` lists the recipes; `just ci` is what CI runs.

corpus := "../shared/corpus"

_default:
    @just --list --unsorted

# Everything CI checks.
[group('check')]
ci: format lint deny test packages

# The code is formatted.
[group('check')]
format:
    cargo fmt --all --check

# The lints are silent.
[group('check')]
lint:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# Licenses, bans and sources of what we depend on.
[group('check')]
deny:
    command -v cargo-deny >/dev/null || cargo install --locked --debug cargo-deny
    cargo deny check bans licenses sources

# All tests.
[group('check')]
test:
    cargo test --workspace --locked

# The Python and TypeScript packages, built, installed and tested.
[group('check')]
packages:
    packages/check.sh

# A million made-up documents through every form (minutes).
[group('slow')]
million:
    TERSELY_CASES=1000000 cargo test --release --locked -p tersely-codec --test round_trip -- --nocapture

# A hundred thousand broken request bodies through every provider.
[group('slow')]
broken:
    cargo test --release --locked -p tersely-wire --test laws -- --ignored --nocapture

# Real agents and SDKs through `tersely serve`: does nothing change but the tool results? (minutes)
[group('slow')]
clients: release
    python3 benchmarks/clients/setup.py
    cd benchmarks/clients && python3 clients.py

# Fuzzes one target (decode_json, decode_stc, decode_toon, decode_terse, round_trip).
[group('slow')]
fuzz target seconds='600':
    command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
    RUSTC_BOOTSTRAP=1 cargo fuzz run {{target}} -- -max_total_time={{seconds}} -max_len=4096

# Fuzzes every target for ten minutes each.
[group('slow')]
fuzz-all: (fuzz 'decode_json') (fuzz 'decode_stc') (fuzz 'decode_toon') (fuzz 'decode_terse') (fuzz 'round_trip')

# Tokens and speed of every form over a corpus.
[group('measure')]
bench:
    cargo run --release --locked --quiet --package tersely-cli -- bench forms {{corpus}}

# Milliseconds to find slots in a request body and splice it, beside serde_json.
[group('measure')]
wire:
    cargo test --release --locked -p tersely-wire --test speed -- --ignored --nocapture

# How well a real model reads every form (about an hour the first time).
[group('measure')]
reading: release
    python3 benchmarks/reading/setup.py
    cd benchmarks/reading && python3 reading.py --corpus "{{absolute_path(corpus)}}" \
        --formats json,yaml,csv \
        --command toon="{{justfile_directory()}}/target/release/tersely encode --form toon" \
        --command stc="{{justfile_directory()}}/target/release/tersely encode --form stc" \
        --command auto="{{justfile_directory()}}/target/release/tersely encode"

# The binary.
[group('build')]
release:
    cargo build --release --locked --package tersely-cli
