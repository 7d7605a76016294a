"""Table: questions about the outputs. The first group of a pattern is the answer, the whole match is the evidence."""

from __future__ import annotations

import json
import re
from pathlib import Path

# Output, question, pattern, kind. All groups are needles: a faithful rendering of the evidence shows them.
RULES = [
    ("build/rustc-errors.txt", "How many errors does the compiler count?", r"aborting due to (\d+) previous errors", "count"),
    ("build/rustc-errors.txt", "Which item of the trait is missing?", r"not all trait items implemented, missing: `(\w+)`", "lookup"),
    ("build/rustc-errors.txt", "Which value is used after it was moved?", r"error\[E0382\]: borrow of moved value: `(things)`", "lookup"),
    ("build/rustc-errors.txt", "What is said of `-1` where a u64 belongs?", r"error\[E0600\]: (cannot apply unary operator `-` to type `u64`)", "line"),
    ("build/clippy-warnings.txt", "How many warnings were there?", r"(\d+) warnings emitted", "count"),
    ("build/clippy-warnings.txt", "Which implementation should be added for `Cart`?", r"consider adding a `(Default)` implementation for `Cart`", "lookup"),
    ("build/rust-tests-fail.txt", "What does the summary of the test run say?", r"test result: (FAILED\. \d+ passed; \d+ failed; \d+ ignored)", "line"),
    ("build/rust-tests-fail.txt", "Did tests::the_last_can_be_taken pass?", r"test tests::the_last_can_be_taken \.\.\. (FAILED)", "lookup"),
    ("build/rust-tests-fail.txt", "Which letter does the byte index stand in?", r"it is inside '(é)'", "lookup"),
    ("build/codec-tests.txt", "How many tests passed?", r"test result: ok\. (\d+) passed", "count"),
    ("build/gcc-warnings.txt", "How did the program that was built end?", r"\[Makefile:9: check\] (Segmentation fault)", "lookup"),
    ("build/gcc-warnings.txt", "Which pointer is used after it was freed?", r"pointer ‘(\w+)’ used after ‘free’", "lookup"),
    ("build/javac-errors.txt", "How many errors does the second run report?", r"(8 errors)", "count"),
    ("build/javac-errors.txt", "What is wrong with line 20 of Prices.java?", r"Prices\.java:20: error: (incompatible types: int cannot be converted to String)", "line"),
    ("build/tsc-errors.txt", "How many errors were found?", r"Found (\d+) errors in the same file", "count"),
    ("build/tsc-errors.txt", "Which property does the compiler think was meant instead of `lenght`?", r"Property 'lenght' does not exist on type 'string'\. Did you mean '(\w+)'", "lookup"),
    ("build/pytest-fail.txt", "How many tests failed and how many passed?", r"(\d+ failed, \d+ passed) in", "line"),
    ("build/pytest-fail.txt", "Which exchange of currencies fails?", r"FAILED tests/test_money\.py::test_currencies_are_exchanged\[([A-Z-]+)\]", "lookup"),
    ("build/pytest-long-trace.txt", "What is the customer of the invoice in the failing test?", r"customer='(Nordwind GmbH)'", "lookup"),
    ("build/go-test-fail.txt", "Which job was expected first, and which came?", r"queue_test\.go:\d+: queue_test: (want job 0, got job 2)", "line"),
    ("build/go-test-fail.txt", "What made the run panic?", r"panic: (assignment to entry in nil map)", "line"),
    ("build/node-test-fail.txt", "Which total came instead of 10503?", r"(\d+) !== 10503", "lookup"),
    ("build/node-test-fail.txt", "How many tests were skipped?", r"ℹ skipped (\d+)", "count"),
    ("build/npm-install.txt", "How many packages were added?", r"added (\d+) packages", "count"),
    ("build/pip-install.txt", "Which version of rich was downloaded?", r"Downloading rich-([\d.]+)-py3-none-any\.whl", "lookup"),
    ("ci/nox-sessions.log", "How did the session `style` end?", r"nox > \* style: (\w+)", "lookup"),
    ("ci/nox-sessions.log", "How did the tests with pick='exchanged' end?", r"\* tests\(pick='exchanged'\): (\w+)", "lookup"),
    ("ci/pre-commit.log", "Did the check by mypy pass?", r"mypy\.+(Passed|Failed)", "lookup"),
    ("ci/pre-commit.log", "With which exit code did the hook go-test end?", r"- hook id: go-test\n- duration: [\d.]+s\n- exit code: (\d+)", "lookup"),
    ("ci/zizmor-workflow.txt", "How many findings are there?", r"(\d+ findings)", "count"),
    ("ci/zizmor-workflow.txt", "Which action is not pinned?", r"uses: (actions/checkout@v4)", "lookup"),
    ("ci/ruff-github.txt", "Which advice is given on the exception in line 23 of ledger/money.py?", r"ledger/money\.py:23:\d+: (TRY003 Avoid specifying long messages)", "line"),
    ("csv/folders.csv", "How many lines were added under docs?", r"^docs,\d+,\d+,(\d+),\d+", "lookup"),
    ("csv/changes.csv", "How many lines did 005162c add to crates/wire/src/schema.rs?", r"005162c,(crates/wire/src/schema\.rs),(\d+),0", "lookup"),
    ("csv/lines-by-file.csv", "How many lines of code has crates/wire/src/mask.rs?", r"Rust,(crates/wire/src/mask\.rs),\d+,\d+,(\d+)", "lookup"),
    ("csv/commits.tsv", "What is the subject of 457183c?", r"457183c\t2026-11-15\t06:29\t\d+\t\d+\t\d+\t(Leave detail out where it pays)", "lookup"),
    ("file-read/cat-n-rust.txt", "What does serve.rs say of itself in its first line?", r"//! (Listens, serves each connection)", "line"),
    ("file-read/cat-n-python.txt", "What does the file say of itself?", r'"""(Experimental notations, to be tried)', "line"),
    ("file-read/cat-n-markdown.txt", "What is the title of the document?", r"     1\t# (Architecture)", "lookup"),
    ("file-read/head-lock.txt", "Which version of the lock file's format is it?", r"^version = (\d+)", "lookup"),
    ("file-read/claude-arrows.txt", "What does the file say that it does?", r"//! (Walks the bytes of a JSON text once)", "line"),
    ("file-read/claude-tabs.txt", "What is the standard rate of tax?", r'VAT = \{"standard": ([\d.]+)', "lookup"),
    ("file-read/opencode-colons.txt", "How many lines has the file?", r"\(End of file - total (\d+) lines\)", "count"),
    ("git/log-stat.txt", "How many files did the newest commit change?", r" (5 files changed), (\d+) insertions", "line"),
    ("git/log-oneline.txt", "What is the subject of the first commit?", r"26cd93b (Lay the foundation)", "lookup"),
    ("git/log-oneline.txt", "Which commit says what README really sends?", r"(\w{7}) Show in README what is really sent", "lookup"),
    ("git/diff.txt", "Which limit on bytes is new?", r"\+    pub (skip_above): Option<usize>", "lookup"),
    ("git/show-stat.txt", "How many lines did the first commit add?", r"234 files changed, (\d+) insertions", "count"),
    ("git/show-patch.txt", "When was the commit made?", r"Date:   (Sun Nov 15 21:41:56 2026)", "lookup"),
    ("git/blame.txt", "What does the first line of the file say?", r"  1\) //! (A JSON string as the text between its quotes)", "line"),
    ("git/status-diff.txt", "Which file was renamed, and to what?", r"renamed:    (deny\.toml -> denied\.toml)", "lookup"),
    ("git/diff-numstat.txt", "How many lines were added to docs/secrets.md?", r"(\d+)\t0\t(docs/secrets\.md)", "lookup"),
    ("html/coverage-report.html", "How much of ledger/invoice.py is covered?", r"<title>Coverage for ledger/invoice\.py: (\d+%)</title>", "lookup"),
    ("html/pydoc-invoice.html", "What is the reduced rate of tax?", r"'reduced': ([\d.]+)", "lookup"),
    ("html/directory-listing.html", "Which folder is listed?", r"<h1>Directory listing for (/crates/core/src/stage/)</h1>", "lookup"),
    ("html/rustdoc-struct.html", "What made the page?", r'<meta name="generator" content="(rustdoc)">', "lookup"),
    ("json-api/cargo-metadata.json", "How is tersely-codec described?", r'"description": "(JSON values as dense text, and back, exactly\.)"', "lookup"),
    ("json-api/npm-view-typescript.json", "What is the checksum of the package?", r'"shasum": "(\w{40})"', "lookup"),
    ("json-api/npm-ls.json", "From where was zod taken?", r'"resolved": "(\S+/zod-[\d.]+\.tgz)"', "lookup"),
    ("json-api/eslint.json", "How is `var` to be replaced?", r'"message": "(Unexpected var, use let or const instead\.)"', "lookup"),
    ("json-api/ruff.json", "Which rule is the first finding of?", r'"code": "(\w+)"', "lookup"),
    ("json-api/pip-inspect.json", "Which version of pip made the report?", r'"pip_version": "([\d.]+)"', "lookup"),
    ("json-api/openapi.json", "Which version has the API?", r'"version": "(0\.4\.1)"', "lookup"),
    ("json-api/openapi.json", "What is the summary of POST /payments?", r'"summary": "(Book a payment)"', "lookup"),
    ("json-api/commits-page.json", "What is the subject of 3435bc7?", r'"subject": "(Measure how a model reads the forms of texts that are not JSON)"', "lookup"),
    ("json-api/changes-found.json", "How many lines did a388cc7 remove from totals.rs?", r'"path": "(crates/gateway/src/llm/totals\.rs)",\n    "folder": "crates/gateway/src/llm",\n    "added": \d+,\n    "removed": (\d+)', "lookup"),
    ("json-rows/pip-list.json", "Which version of zizmor is installed?", r'"name": "zizmor", "version": "([\d.]+)"', "lookup"),
    ("json-rows/commits.json", "How many files did b5f98f6 touch?", r'"hash":"(b5f98f6)","day":"2026-11-15","clock":"10:37","files":(\d+)', "lookup"),
    ("json-rows/changes.json", "How many lines did 005162c add to crates/core/src/prompt/mod.rs?", r'"path":"(crates/core/src/prompt/mod\.rs)","added":(\d+)', "lookup"),
    ("json-rows/go-test.ndjson", "Which test was skipped?", r'"Action":"skip","Package":"example\.org/queue","Test":"(TestSlowJobs)"', "lookup"),
    ("json-rows/folders-box.txt", "How many commits touched benchmarks/reading?", r"│ (benchmarks/reading) +│ (\d+) ", "lookup"),
    ("logs/http-server.log", "What was answered to the request for /robots.txt?", r'"GET (/robots\.txt) HTTP/1\.1" (404)', "lookup"),
    ("logs/uvicorn.log", "Which error did a request run into?", r"(ZeroDivisionError: division by zero)", "line"),
    ("logs/uvicorn.log", "Which is the first customer that was not known?", r"WARNING  ledger\.service: customer (\d+) is unknown", "lookup"),
    ("logs/json-server.log", "What was answered for a commit that is missing?", r"GET (/commits/missing) (404)", "lookup"),
    ("logs/valkey-primary.log", "Which version of Valkey is it?", r"Valkey version=([\d.]+)", "lookup"),
    ("logs/valkey-primary.log", "Who asked for a full synchronization?", r"Full resync requested by replica (127\.0\.0\.1:\d+)", "lookup"),
    ("logs/valkey-replica.log", "What does the replica connect to?", r"Connecting to PRIMARY (127\.0\.0\.1:6379)", "lookup"),
    ("mcp/filesystem-read.json", "What is the file about?", r"//! (A text that a tool wrapped in JSON)", "line"),
    ("mcp/filesystem-read-multiple.json", "Which file could not be read?", r"(/srv/sample/node/missing\.js): Error", "lookup"),
    ("mcp/filesystem-sizes.json", "How large is paths.rs?", r"\[FILE\] (paths\.rs) +([\d.]+ KB)", "lookup"),
    ("mcp/git-log.json", "Which commit is the newest?", r"Commit: (78d2dc891ca0464f673b4eb72101b502088f8f36)", "lookup"),
    ("mcp/sqlite-query.json", "How many changes were made under crates/core/src/stage?", r"'folder': '(crates/core/src/stage)', 'changes': (\d+)", "lookup"),
    ("mcp/memory-graph.json", "What does the graph say of the store?", r"(store keeps originals by tenant)", "line"),
    ("search/grep-rn.txt", "On which line of object.rs is `take` defined?", r"crates/engine/src/object\.rs:(\d+):pub\(crate\) fn take", "lookup"),
    ("search/grep-count.txt", "How many asserts has crates/engine/tests/contract.rs?", r"(crates/engine/tests/contract\.rs):(\d+)", "lookup"),
    ("search/rg.ndjson", "How many lines matched in all?", r'"matched_lines":(\d+),"matches":\d+,"searches"', "count"),
    ("search/opencode-grep.txt", "How many matches were found?", r"Found (\d+) matches", "count"),
    ("search/git-grep.txt", "What is the type of `rests` in the breaker?", r"crates/store/src/breaker\.rs:\d+:    rests: (Option<Instant>)", "lookup"),
    ("shell/ls-la.txt", "How large is ARCHITECTURE.md?", r"(\d+) Nov 15 12:00 (ARCHITECTURE\.md)", "lookup"),
    ("shell/du.txt", "How many bytes does ./benchmarks/reading take?", r"(\d+)\t\./(benchmarks/reading)(?=\n)", "lookup"),
    ("shell/wc.txt", "How many lines has crates/cli/src/args.rs?", r" (\d+) +\d+ +\d+ (crates/cli/src/args\.rs)", "lookup"),
    ("shell/cargo-tree.txt", "Which version of redis does the store use?", r"redis (v[\d.]+)", "lookup"),
    ("shell/valkey-info.txt", "How often did memory run out?", r"errorstat_OOM:count=(\d+)", "lookup"),
    ("traces/python-chain.txt", "Which table does not exist?", r"sqlite3\.OperationalError: no such table: (\w+)", "lookup"),
    ("traces/python-group.txt", "Which bank did not answer?", r"TimeoutError: (bank 3 did not answer within 5 s)", "line"),
    ("traces/node-cause.txt", "What ended the program?", r"TypeError: (pool\.connect is not a function)", "line"),
    ("traces/java-threads.txt", "Which platform is not there, and in which town?", r"IllegalArgumentException: (there is no platform 14 in Kiel)", "line"),
    ("traces/go-deadlock.txt", "Why did the program end?", r"fatal error: (all goroutines are asleep - deadlock!)", "line"),
    ("traces/rust-panic.txt", "Where did the thread panic?", r"panicked at (stock\.rs:\d+:\d+)", "lookup"),
    ("xml/junit.xml", "How many tests failed?", r'failures="(\d+)" skipped="0" tests="23"', "count"),
    ("xml/coverage.xml", "How many lines are covered?", r'lines-covered="(\d+)"', "lookup"),
    ("xml/lines-by-file.xml", "How many lines of code are there in total?", r'<total blank="\d+" comment="\d+" code="(\d+)"', "lookup"),
    ("yaml/kubectl-deployment.yaml", "Which image does the gateway run?", r"image: (example\.org/gateway:1\.4\.2)", "lookup"),
    ("yaml/helm-template.yaml", "At which use of the CPU does the autoscaler act?", r"averageUtilization: (\d+)", "lookup"),
    ("yaml/pnpm-lock.yaml", "Which version of express is locked?", r"express:\n        specifier: [\d.]+\n        version: ([\d.]+)", "lookup"),
    ("yaml/lines-by-file.yaml", "How many lines were counted?", r"n_lines +: (\d+)", "lookup"),
]


def write(folder: Path) -> None:
    """Writes QUESTIONS.jsonl: each rule, held against its output."""
    lines = []
    for path, question, pattern, kind in RULES:
        text = (folder / "outputs" / path).read_text()
        found = re.search(pattern, text, re.MULTILINE)
        if not found:
            raise SystemExit(f"outputs/{path} does not answer {question!r}: no match for {pattern}")
        groups = list(found.groups())
        # A group that the question names already is not its answer.
        answer = next((one for one in groups if one not in question), groups[0])
        entry = {"file": f"outputs/{path}", "question": question, "answer": answer, "evidence": found[0], "needles": groups, "kind": kind}
        lines.append(json.dumps(entry, ensure_ascii=False))
    (folder / "QUESTIONS.jsonl").write_text("\n".join(lines) + "\n")
