#!/usr/bin/env bash
# Builds both packages, installs each into a clean place, runs its tests against what was installed, without a native part,
# with it, and with the program in its place, and holds it to every document and conversation of the corpus. Then assembles
# a release from programs that are scripts.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Everything below works on this copy, laid out like the tree: the tests find the vectors, the tree stays clean.
mkdir -p "$tmp/build" "$tmp/out" "$tmp/clean/packages/python" "$tmp/clean/packages/typescript"
cp -R "$root/spec" "$tmp/clean/spec"
for package in python typescript; do
    mkdir "$tmp/build/$package"
    tar -C "$root/packages/$package" --exclude=node_modules --exclude=dist --exclude=cjs --exclude='*.node' --exclude='_native.*.so' --exclude=build \
        --exclude='*.egg-info' --exclude=__pycache__ -cf - . | tar -C "$tmp/build/$package" -xf -
done

say() { printf '\n== %s\n' "$*"; }

say "building the program and the native parts"
(cd "$root" && cargo build --quiet --workspace --locked --lib && cargo build --quiet --workspace --locked --bin tersely)
built=$(cd "$root" && cargo metadata --quiet --no-deps --format-version 1 | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')/debug
library() { find "$built" -maxdepth 1 -name "libtersely_$1.so" -o -maxdepth 1 -name "libtersely_$1.dylib"; }

say "python: building the wheel"
python3 -m venv "$tmp/venv"
pip=("$tmp/venv/bin/python" -m pip --quiet --disable-pip-version-check)
"${pip[@]}" wheel --no-deps --wheel-dir "$tmp/out" "$tmp/build/python"
say "python: installing $(basename "$tmp"/out/*.whl)"
"${pip[@]}" install --no-index --no-deps "$tmp"/out/*.whl
say "python: testing the installed package"
cp -R "$tmp/build/python/tests" "$tmp/clean/packages/python/tests"
(cd "$tmp/clean/packages/python" && "$tmp/venv/bin/python" -m unittest discover -s tests)

say "python: the same with the program and the native part"
mkdir "$tmp/native"
python3 "$root/packages/python/build_wheel.py" "$tmp/native" "$built/tersely" "$(library python)"
"${pip[@]}" install --no-index --no-deps --force-reinstall "$tmp"/native/*.whl
"${pip[@]}" install httpx==0.28.1
for core in native program; do
    (cd "$tmp/clean/packages/python" && TERSELY_PACKAGE_CORE=$core "$tmp/venv/bin/python" -m unittest tests/test_compress.py tests/test_httpx.py)
done

say "python: checking the types of the installed package"
python3 -m venv "$tmp/mypy"
"$tmp/mypy/bin/python" -m pip --quiet --disable-pip-version-check install mypy==2.4.1
(cd "$tmp/clean" && "$tmp/mypy/bin/mypy" --config-file "$root/packages/python/pyproject.toml" --cache-dir "$tmp/types" \
    --python-executable "$tmp/venv/bin/python" --package tersely)

say "typescript: building the tarball"
export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false npm_config_loglevel=error
(cd "$tmp/build/typescript" && npm ci && npm pack --pack-destination "$tmp/out")
say "typescript: installing $(basename "$tmp"/out/*.tgz)"
cd "$tmp/clean/packages/typescript"
printf '{"name":"clean","private":true,"type":"module"}\n' > package.json
npm install --offline "$tmp"/out/*.tgz
say "typescript: testing the installed package"
cp -R "$tmp/build/typescript/test" test
node --test --test-reporter=dot
say "typescript: the same with the native part, and with the program"
cp "$(library node)" "$tmp/tersely.node"
export TERSELY_NATIVE="$tmp/tersely.node" TERSELY_PROGRAM="$built/tersely"
for core in native program; do
    TERSELY_PACKAGE_CORE=$core node --test --test-reporter=dot test/compress.test.js
done

say "writing the corpus in every form"
(cd "$root" && TERSELY_PAIRS="$tmp/pairs.jsonl" TERSELY_SENT="$tmp/sent.jsonl" \
    cargo test --quiet --workspace --locked --test packages -- --ignored --nocapture)
say "python: reading the corpus"
for core in none native; do
    TERSELY_PACKAGE_CORE=$core "$tmp/venv/bin/python" "$root/packages/corpus.py" "$tmp/pairs.jsonl" "$tmp/sent.jsonl"
done
say "typescript: reading the corpus"
cp "$root/packages/corpus.mjs" .
for core in none native; do
    TERSELY_PACKAGE_CORE=$core node corpus.mjs "$tmp/pairs.jsonl" "$tmp/sent.jsonl"
done

say "python and typescript: the bytes of tersely compress --body"
cp "$root/packages/equal.mjs" .
"$tmp/venv/bin/python" "$root/packages/equal.py" "$built/tersely" "$tmp/equal.jsonl"
node equal.mjs "$tmp/equal.jsonl"
unset TERSELY_NATIVE TERSELY_PROGRAM

say "assembling a release, and installing from it"
for tests in release/test_assemble.py install/test_install.py; do
    python3 -W ignore::ResourceWarning "$root/packages/$tests" >"$tmp/said" 2>&1 || { cat "$tmp/said"; exit 1; }
    grep '^Ran' "$tmp/said"
done

say "both packages build, install and pass, and so does a release"
