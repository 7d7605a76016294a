"""Table: outputs that one command prints, by family."""

from __future__ import annotations

from pathlib import Path

from place import COMMIT, PROJECT, SAMPLE

PYTHON, NODE, GO, JAVA, RUST, C = (SAMPLE / name for name in ["python", "node", "go", "java", "rust", "c"])
PYTEST = "python -m pytest -p no:cacheprovider --color=no"
# A database of the repository's history: commits, and the lines that each changed in each file.
HISTORY = """\
python3 - <<'END'
import sqlite3, subprocess
base = sqlite3.connect("/srv/history.sqlite")
base.executescript("drop table if exists commits; drop table if exists changes;"
    "create table commits(hash text primary key, day text, clock text, subject text, files int, added int, removed int);"
    "create table changes(hash text, path text, folder text, added int, removed int);")
log = subprocess.run(["git", "log", "--numstat", "--format=%x01%h%x02%as%x02%ad%x02%s", "--date=format:%H:%M"], capture_output=True, text=True).stdout
for entry in log.split("\\1")[1:]:
    head, _, rest = entry.partition("\\n")
    mark, day, clock, subject = head.split("\\2")
    rows = [line.split("\\t") for line in rest.splitlines() if line.count("\\t") == 2 and not line.startswith("-")]
    rows = [(mark, path, path.rpartition("/")[0], int(added), int(removed)) for added, removed, path in rows]
    base.executemany("insert into changes values(?,?,?,?,?)", rows)
    base.execute("insert into commits values(?,?,?,?,?,?,?)", (mark, day, clock, subject, len(rows), sum(r[3] for r in rows), sum(r[4] for r in rows)))
base.commit()
END
"""
SQL = "sqlite3 {} /srv/history.sqlite \"{}\""
FOLDERS = "select folder, count(distinct hash) as commits, count(distinct path) as files, sum(added) as added, sum(removed) as removed from changes group by folder having commits > 2 order by added desc"
BIG = "select hash, path, added, removed from changes where added + removed > 60 and path like 'crates/%' order by hash, added desc limit 220"
CHURN = "select c.hash, c.day, c.clock, c.files, c.added, c.removed, c.subject from commits c order by c.added desc"
EDIT = "sed -i 's/ a tool / one tool /; s/ 60/ 50/; s/ 400/ 300/' STYLE.md && sed -i 's/unwrap_or_default/unwrap_or(0)/' crates/core/src/*.rs && sed -i '12,20d' crates/core/src/signal.rs && mkdir -p notes && echo draft > notes/draft.md && git mv deny.toml denied.toml && git add crates/core/src/signal.rs"
UNDO = "git reset -q --hard && git clean -qfd"

# Path under outputs/, where it runs, and what runs.
COMMANDS = [
    ("build/rustc-errors.txt", RUST, "rustc --edition 2024 --emit=metadata --out-dir /srv/user/out broken.rs"),
    ("build/clippy-warnings.txt", RUST, "clippy-driver --edition 2024 --emit=metadata --out-dir /srv/user/out -W clippy::pedantic untidy.rs"),
    ("build/rust-tests-fail.txt", RUST, "rustc --edition 2024 -g --test -o /srv/user/stock-tests stock.rs && RUST_BACKTRACE=1 /srv/user/stock-tests --test-threads 1"),
    ("build/gcc-warnings.txt", C, "make"),
    ("build/javac-errors.txt", JAVA, "javac -Xlint:all -d /srv/user/out Prices.java; sed 's/get(name)$/get(name);/' Prices.java > /srv/user/Prices.java; javac -Xlint:all -d /srv/user/out /srv/user/Prices.java"),
    ("build/tsc-errors.txt", NODE, "tsc --noEmit --strict --pretty true --target es2022 --module esnext shop.ts"),
    ("build/pytest-fail.txt", PYTHON, f"{PYTEST} -v --durations=5"),
    ("build/pytest-long-trace.txt", PYTHON, f"{PYTEST} --tb=long -l -rA"),
    ("build/go-test-fail.txt", GO, "go test -v ./..."),
    ("build/node-test-fail.txt", NODE, "node --test --test-reporter=spec"),
    ("build/npm-install.txt", NODE, "npm install --no-package-lock --loglevel=http --no-audit --no-fund 2>&1 | sed 's/npm http cache/npm http/' | tail -150"),
    ("build/pip-install.txt", PYTHON, "python3 -m venv /srv/user/fresh && /srv/user/fresh/bin/pip install --progress-bar off 'flask==3.0.3' 'requests==2.32.3' 'rich==13.9.4'"),
    ("ci/nox-sessions.log", SAMPLE, "nox -f ci/noxfile.py --no-color"),
    ("ci/pre-commit.log", SAMPLE, "pre-commit run --config ci/pre-commit.yaml --all-files --color never --verbose"),
    ("ci/zizmor-workflow.txt", PROJECT, "zizmor --offline --color never --persona auditor .github/workflows/ci.yml"),
    ("ci/ruff-github.txt", PYTHON, "ruff check --no-cache --select ALL --ignore D203,D212 --output-format github . | head -120"),
    ("csv/changes.csv", PROJECT, SQL.format("-csv -header", BIG)),
    ("csv/folders.csv", PROJECT, SQL.format("-csv -header", FOLDERS)),
    ("csv/lines-by-file.csv", PROJECT, "cloc --quiet --csv --by-file crates/core crates/wire packages | tail -n +2"),
    ("csv/commits.tsv", PROJECT, SQL.format("-tabs -header", CHURN)),
    ("file-read/cat-n-rust.txt", PROJECT, "cat -n crates/gateway/src/serve.rs"),
    ("file-read/cat-n-python.txt", PROJECT, "cat -n benchmarks/reading/variants.py"),
    ("file-read/cat-n-markdown.txt", PROJECT, "cat -n ARCHITECTURE.md"),
    ("file-read/sed-range.txt", PROJECT, "sed -n '40,180p' crates/wire/src/schema.rs"),
    ("file-read/head-lock.txt", PROJECT, "head -n 400 Cargo.lock"),
    ("git/log-stat.txt", PROJECT, "git log --stat -12"),
    ("git/log-oneline.txt", PROJECT, "git log --oneline --decorate"),
    ("git/diff.txt", PROJECT, "git diff HEAD~10 HEAD -- crates/engine/src"),
    ("git/show-stat.txt", PROJECT, "git show --stat=120 26cd93b"),
    ("git/show-patch.txt", PROJECT, "git show HEAD -- crates"),
    ("git/blame.txt", PROJECT, "git blame crates/codec/src/text.rs"),
    ("git/status-diff.txt", PROJECT, f"{EDIT}; git status; git diff HEAD; {UNDO}"),
    ("git/diff-numstat.txt", PROJECT, "git diff HEAD~20 HEAD --numstat"),
    ("html/rustdoc-struct.html", RUST, "rustdoc --edition 2024 --crate-name stock --document-private-items -o /srv/user/doc stock.rs && cat /srv/user/doc/stock/struct.Stock.html"),
    ("html/pydoc-invoice.html", PYTHON, "cd /srv/user && PYTHONPATH=/srv/sample/python python -m pydoc -w ledger.invoice > /dev/null && cat ledger.invoice.html"),
    ("html/coverage-report.html", PYTHON, f"{PYTEST} -q --cov=ledger --cov-report=html:/srv/user/cover > /dev/null; cat /srv/user/cover/*invoice_py.html"),
    ("json-api/cargo-metadata.json", PROJECT, "cargo metadata --no-deps --offline --format-version 1 | jq '.packages |= map(del(.targets[].test, .targets[].doc, .targets[].doctest))'"),
    ("json-api/npm-view-typescript.json", NODE, "npm view typescript@5.9.2 --json | jq '.versions |= .[-60:] | .time |= (to_entries | .[-80:] | from_entries)'"),
    ("json-api/npm-ls.json", NODE, "npm install --silent --no-package-lock && npm ls --all --json"),
    ("json-api/eslint.json", NODE, "eslint --format json . | jq ."),
    ("json-api/ruff.json", PYTHON, "ruff check --no-cache --select E,F,B,D,ANN,PT,INP,S,PLR --ignore D203,D212 --output-format json . | jq '.[:40]'"),
    ("json-api/pip-inspect.json", PYTHON, "/srv/tools/sqlite/bin/pip inspect --local | jq '.installed |= map(del(.metadata.description, .metadata.author, .metadata.author_email, .metadata.maintainer, .metadata.maintainer_email)) | .installed |= .[:14]'"),
    ("json-api/openapi.json", PYTHON, "python -c 'import json, service; print(json.dumps(service.app.openapi(), indent=2))'"),
    ("json-rows/pip-list.json", PYTHON, "/srv/tools/python/bin/pip list --format json"),
    ("json-rows/commits.json", PROJECT, SQL.format("-json", CHURN)),
    ("json-rows/changes.json", PROJECT, SQL.format("-json", BIG.replace("220", "120"))),
    ("json-rows/go-test.ndjson", GO, "go test -json ./..."),
    ("json-rows/folders-box.txt", PROJECT, SQL.format("-box", FOLDERS)),
    ("search/grep-rn.txt", PROJECT, "grep -rn 'pub(crate) fn' crates/engine/src crates/gateway/src"),
    ("search/grep-count.txt", PROJECT, "grep -rc 'assert' crates --include=*.rs | sort -t: -k2 -nr"),
    ("search/rg-context.txt", PROJECT, "rg -n -C 3 --sort path 'unwrap_or_default' crates/core/src crates/wire/src"),
    ("search/rg-heading.txt", PROJECT, "rg --heading -n --sort path 'impl .* for' crates"),
    ("search/rg.ndjson", PROJECT, "rg --json --sort path 'fn encode' crates/codec/src"),
    ("search/find-names.txt", PROJECT, "find crates packages -name '*.rs' -path '*tests*' -o -name '*.json' -path '*vectors*' | sort"),
    ("search/git-grep.txt", PROJECT, "git grep -n -E 'Option<|Result<' -- 'crates/store/*.rs' 'crates/telemetry/*.rs'"),
    ("shell/ls-la.txt", PROJECT, "ls -la . crates/*/src"),
    ("shell/find-ls.txt", PROJECT, "find crates/gateway crates/engine -type f -printf '%M %n %u %g %8s %TY-%Tm-%Td %TH:%TM %p\\n' | sort -k8"),
    ("shell/du.txt", PROJECT, "du -ab --exclude=.git . | sort -nr | head -250"),
    ("shell/wc.txt", PROJECT, "wc -l -w -c $(git ls-files 'crates/*.rs')"),
    ("shell/pip-list.txt", PYTHON, "/srv/tools/python/bin/pip list -v | sed 's/ *$//'"),
    ("shell/npm-ls.txt", NODE, "npm install --silent --no-package-lock > /dev/null && npm ls --all"),
    ("shell/cargo-tree.txt", PROJECT, "cargo tree --offline -p tersely-store -e normal,build"),
    ("traces/python-chain.txt", PYTHON, "python crash.py chain"),
    ("traces/python-group.txt", PYTHON, "python crash.py group"),
    ("traces/node-cause.txt", NODE, "node crash.mjs"),
    ("traces/java-threads.txt", JAVA, "javac -d /srv/user/out Timetable.java && java -cp /srv/user/out Timetable"),
    ("traces/go-deadlock.txt", GO, "GOTRACEBACK=all go run ./cmd/worker"),
    ("traces/rust-panic.txt", RUST, "rustc --edition 2024 -g -o /srv/user/stock stock.rs && RUST_BACKTRACE=full /srv/user/stock"),
    ("xml/junit.xml", PYTHON, f"{PYTEST} -q --junitxml=/srv/user/junit.xml > /dev/null; cat /srv/user/junit.xml"),
    ("xml/coverage.xml", PYTHON, f"{PYTEST} -q --cov=ledger --cov-branch --cov-report=xml:/srv/user/coverage.xml > /dev/null; cat /srv/user/coverage.xml"),
    ("xml/lines-by-file.xml", PROJECT, "cloc --quiet --xml --by-file crates/engine crates/gateway packages"),
    ("xml/ruff-junit.xml", PYTHON, "ruff check --no-cache --select D,ANN,S --ignore D203,D212 --output-format junit ledger service.py crash.py tests/test_money.py"),
    ("yaml/kubectl-deployment.yaml", PROJECT, "for name in gateway valkey console; do kubectl create deployment $name --image=example.org/$name:1.4.2 --replicas=3 --port=8787 --dry-run=client -o yaml; echo ---; kubectl create service clusterip $name --tcp=80:8787 --dry-run=client -o yaml; echo ---; kubectl create configmap $name --from-file=examples --dry-run=client -o yaml; echo ---; done"),
    ("yaml/helm-template.yaml", PROJECT, "rm -rf /srv/user/gateway && helm create /srv/user/gateway > /dev/null && helm template edge /srv/user/gateway --set autoscaling.enabled=true,ingress.enabled=true,replicaCount=4"),
    ("yaml/pnpm-lock.yaml", NODE, "cp package.json /srv/user/ && cd /srv/user && pnpm install --lockfile-only --silent && cat pnpm-lock.yaml"),
    ("yaml/lines-by-file.yaml", PROJECT, "cloc --quiet --yaml --by-file crates/codec crates/store"),
]


def source(where: Path, command: str) -> str:
    """How an output came about, in words."""
    place = f"corpus/sample{str(where).removeprefix(str(SAMPLE))}" if where.is_relative_to(SAMPLE) else f"this repository at {COMMIT[:7]}"
    return f"`{command}` in {place}"
