# For scripts that check: says what is checked, and brings the tools. Sourced, with `root` and `tools` set; `wanted` lists packages of PyPI.

say() { printf '== %s\n' "$*"; }
skip() { printf 'SKIPPED: %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null || { skip "no ${1##*/}"; return 1; }; }

# Puts `wanted` into `tools`, once, and on the path.
bring_tools() {
    if [[ ! -f $tools/wanted || $(cat "$tools/wanted") != "${wanted[*]}" ]]; then
        say "installing tools"
        python3 -m venv "$tools"
        # One by one: what cannot be had must not keep the others away.
        for one in "${wanted[@]}"; do
            "$tools/bin/python" -m pip --quiet --disable-pip-version-check install "$one" || skip "$one cannot be installed"
        done
        printf '%s' "${wanted[*]}" > "$tools/wanted"
    fi
    PATH="$root/$tools/bin:$PATH"
}
