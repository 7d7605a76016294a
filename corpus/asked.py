"""Writes crates/eval/questions.json: the texts and questions of `tersely eval`, cut from the outputs. Run it by hand: python3 corpus/asked.py"""

from __future__ import annotations

import json
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Output, command, lines that stay at the top, first line after them, lines, pattern, question. `key` names a line, `value` is the answer.
WINDOWS = [
    ("csv/folders.csv", "sqlite3 -csv -header history.sqlite 'select * from folders '", 1, 0, 14, r"^(?P<key>[\w/]+),\d+,\d+,(?P<value>\d+),\d+$", "How many lines were added in the folder {key}?"),
    ("csv/folders.csv", "sqlite3 -csv -header history.sqlite 'select * from folders'", 1, 14, 14, r"^(?P<key>[\w/]+),(?P<value>\d+),", "How many commits touched the folder {key}?"),
    ("csv/folders.csv", "sqlite3 -csv -header history.sqlite 'select * from folders'", 1, 28, 18, r"^(?P<key>[\w/]+),\d+,(?P<value>\d+),", "How many files has the folder {key}?"),
    ("csv/commits.tsv", "sqlite3 -tabs -header history.sqlite 'select * from commits'", 1, 2, 8, r"^(?P<key>\w{7})\t[\d-]+\t[\d:]+\t(?P<value>\d+)\t", "How many files did the commit {key} change?"),
    ("csv/commits.tsv", "sqlite3 -tabs -header history.sqlite 'select * from commits'", 1, 20, 8, r"^(?P<key>\w{7})\t[\d-]+\t(?P<value>[\d:]+)\t", "At which time (clock) was the commit {key} made?"),
    ("csv/changes.csv", "sqlite3 -csv -header history.sqlite 'select * from changes'", 1, 0, 14, r"^\w{7},(?P<key>[\w./-]+),(?P<value>\d+),", "How many lines were added to {key}?"),
    ("csv/lines-by-file.csv", "cloc --by-file --csv crates | head", 2, 0, 16, r"^\w+,(?P<key>[\w./-]+),\d+,\d+,(?P<value>\d+)$", "How many lines of code has {key}?"),
    ("json-rows/folders-box.txt", "sqlite3 -box history.sqlite 'select * from folders'", 3, 0, 10, r"│ (?P<key>[\w/]+) +│ \d+ +│ \d+ +│ \d+ +│ (?P<value>\d+)", "How many lines were removed in the folder {key}?"),
    ("search/find-names.txt", "find crates -name '*.rs'", 0, 0, 24, r"^(?P<value>.*/(?P<key>\w+\.rs))$", "What is the full path of the file {key}?"),
    ("search/git-grep.txt", "git grep -n 'Option<' crates/store", 0, 0, 14, r"^(?P<key>[^:]+:\d+):\s*pub fn (?P<value>\w+)", "Which function is defined at {key}?"),
    ("search/grep-rn.txt", "grep -rn 'pub(crate)' crates/engine", 0, 0, 14, r"^(?P<file>[^:]+):(?P<value>\d+):\s*pub\(crate\) fn (?P<key>\w+)", "On which line is the function {key} defined?"),
    ("search/grep-count.txt", "grep -rc assert crates --include=*.rs | sort -t: -k2 -nr", 0, 0, 20, r"^(?P<key>[^:]+):(?P<value>\d+)$", "How many lines of {key} match?"),
    ("logs/json-server.log", "tail json-server.log", 0, 20, 30, r"(?P<key>(GET|POST|PUT|PATCH|DELETE) /\S+) (?P<value>\d{3})", "Which status was answered to {key}?"),
    ("logs/http-server.log", "cat http-server.log", 0, 0, 14, r'\] "GET (?P<key>/\S+) HTTP/1\.1" (?P<value>\d{3})', "Which status was answered to GET {key}?"),
    ("logs/uvicorn.log", "cat uvicorn.log", 0, 4, 12, r'"GET (?P<key>/\S+) HTTP/1\.1" (?P<value>\d{3})', "Which status was answered to GET {key}?"),
    ("logs/valkey-replica.log", "cat valkey-replica.log", 0, 1, 15, r"(?P<value>\d\d:\d\d:\d\d\.\d{3}) [*#] (?P<key>[A-Z][^:=]{12,40}$)", "At which time was `{key}` logged? Give hours to milliseconds."),
    ("shell/ls-la.txt", "ls -la", 2, 2, 16, r"^\S+ +\d+ \w+ \w+ +(?P<value>\d+) \w+ \d+ [\d:]+ (?P<key>\S+)$", "How many bytes has {key}?"),
    ("shell/du.txt", "du -b --max-depth=4 | sort -nr", 0, 0, 20, r"^(?P<value>\d+)\t\./(?P<key>\S+)$", "How many bytes does {key} take?"),
    ("shell/wc.txt", "wc crates/cli/src/*.rs", 0, 0, 16, r"^ +(?P<value>\d+) +\d+ +\d+ (?P<key>\S+)$", "How many lines has {key}?"),
    ("shell/pip-list.txt", "pip list -v", 2, 0, 12, r"^(?P<key>[\w.-]+) +(?P<value>[\d.]+) ", "Which version of {key} is installed?"),
    ("shell/find-ls.txt", "find crates/engine -ls", 0, 0, 16, r"^\S+ \d+ \w+ \w+ +(?P<value>\d+) \S+ \S+ (?P<key>\S+)$", "How many bytes has {key}?"),
    ("shell/valkey-info.txt", "valkey-cli info", 0, 0, 36, r"^(?P<key>[a-z_]+):(?P<value>[\w.]+)$", "What is the value of {key}?"),
    ("shell/npm-ls.txt", "npm ls --all", 0, 0, 22, r"[├└]─[─┬]+ (?P<key>@?[\w/.-]+)@(?P<value>[\d.]+)$", "Which version of {key} is installed?"),
    ("shell/cargo-tree.txt", "cargo tree -p tersely-store", 0, 0, 20, r"── (?P<key>[\w-]+) v(?P<value>[\d.]+)", "Which version of {key} is used?"),
    ("git/log-oneline.txt", "git log --oneline", 0, 1, 14, r"^(?P<value>\w{7}) (?P<key>.+)$", "Which commit has the subject `{key}`?"),
    ("git/diff-numstat.txt", "git diff --numstat HEAD~9", 0, 0, 20, r"^(?P<value>\d+)\t\d+\t(?P<key>\S+)$", "How many lines were added to {key}?"),
    ("git/log-stat.txt", "git log --stat -1", 0, 0, 14, r"^ (?P<key>\S+) +\| +(?P<value>\d+) ", "How many lines of {key} changed?"),
    ("git/blame.txt", "git blame crates/codec/src/text.rs", 0, 19, 13, r"^\^?(?P<value>\w{7,8}) .* (?P<key>\d+)\) ", "In which commit did line {key} come? Give its name without ^."),
    ("build/javac-errors.txt", "javac Prices.java", 0, 4, 30, r"Prices\.java:(?P<key>\d+): error: (?P<value>cannot find symbol|incompatible types)", "Which kind of error is on line {key}: `cannot find symbol` or `incompatible types`?"),
    ("build/codec-tests.txt", "cargo test -p tersely-codec", 0, 0, 24, r"^test (?P<value>\w+(::\w+)*)::tests::(?P<key>\w+) \.\.\. ok", "In which module, up to `::tests`, is the test {key}?"),
    ("build/pip-install.txt", "pip install flask requests rich", 0, 0, 24, r"Downloading (?P<key>\w+)-[\d.]+-\S+ \((?P<value>[\d.]+ [kM]B)\)", "How large was the download of {key}?"),
    ("ci/ruff-github.txt", "ruff check --output-format=github", 0, 0, 8, r"::crash\.py:(?P<key>\d+):\d+: (?P<value>[A-Z]+\d+) ", "Which rule is broken on line {key} of crash.py?"),
    ("file-read/claude-tabs.txt", "cat -n ledger/invoice.py", 0, 0, 34, r"^(?P<value>\d+)\t +def (?P<key>\w+)", "On which line is {key} defined?"),
    ("file-read/cat-n-python.txt", "cat -n variants.py", 0, 0, 40, r"^ +(?P<value>\d+)\tdef (?P<key>\w+)", "On which line is {key} defined?"),
    ("yaml/lines-by-file.yaml", "cloc --yaml crates/codec", 0, 10, 25, r"^'(?P<key>[\w/.]+)' :\n  blank: \d+\n  comment: \d+\n  code: (?P<value>\d+)", "How many lines of code has {key}?"),
]

# Output, command, records, members of a record, question.
RECORDS = [
    ("json-rows/pip-list.json", "pip list --format json", slice(0, 18), ("name", "version"), "Which version of {key} is installed?"),
    ("json-rows/commits.json", "sqlite3 -json history.sqlite 'select * from commits'", slice(0, 6), ("hash", "added"), "How many lines did the commit {key} add?"),
    ("json-rows/changes.json", "sqlite3 -json history.sqlite 'select * from changes'", slice(8, 15), ("path", "added"), "How many lines were added to {key}?"),
    ("json-api/changes-found.json", "curl -s localhost:3000/changes?added_gt=60", slice(0, 6), ("path", "removed"), "How many lines were removed from {key}?"),
    ("json-api/commits-page.json", "curl -s localhost:3000/commits?_page=2", slice(0, 7), ("hash", "clock"), "At which time (clock) was the commit {key} made?"),
]

# Output, command, lines as above, question, kind, and what is computed from the lines.
REDUCED = [
    ("csv/folders.csv", "sqlite3 -csv -header history.sqlite 'select * from folders '", 1, 0, 14, "Which folder has the most commits? Give its name as it is written.", "exact", lambda rows: max(rows, key=lambda row: int(row.split(",")[1]) if row[0] != '"' else 0).split(",")[0]),
    ("csv/folders.csv", "sqlite3 -csv -header history.sqlite 'select * from folders'", 1, 14, 14, "Which folder has the most files? Give its name as it is written.", "exact", lambda rows: max(rows, key=lambda row: int(row.split(",")[2])).split(",")[0]),
    ("csv/changes.csv", "sqlite3 -csv -header history.sqlite 'select * from changes'", 1, 0, 14, "How many rows have a number other than 0 under `removed`?", "number", lambda rows: str(sum(not row.endswith(",0") for row in rows))),
    ("search/grep-count.txt", "grep -rc assert crates --include=*.rs | sort -t: -k2 -nr", 0, 0, 20, "How many of the files listed are under crates/gateway?", "number", lambda rows: str(sum(row.startswith("crates/gateway/") for row in rows))),
    ("search/git-grep.txt", "git grep -n 'Option<' crates/store", 0, 0, 14, "On which lines of crates/store/src/key.rs are there hits? Give all line numbers.", "set", lambda rows: [row.split(":")[1] for row in rows if row.startswith("crates/store/src/key.rs:")]),
    ("search/find-names.txt", "find crates -name '*.rs'", 0, 0, 24, "How many of the files listed are in the folder crates/cli/tests itself?", "number", lambda rows: str(sum(bool(re.fullmatch(r"crates/cli/tests/[^/]+", row)) for row in rows))),
    ("shell/wc.txt", "wc crates/cli/src/*.rs", 0, 0, 16, "Which of the files listed has the most lines? Give its path.", "exact", lambda rows: max(rows, key=lambda row: int(row.split()[0])).split()[3]),
    ("git/diff-numstat.txt", "git diff --numstat HEAD~9", 0, 0, 20, "To which file was the most added? Give its path.", "exact", lambda rows: max(rows, key=lambda row: int(row.split()[0])).split()[2]),
    ("logs/http-server.log", "cat http-server.log", 0, 0, 14, "How many requests were answered with 404?", "number", lambda rows: str(sum('" 404 ' in row for row in rows))),
    ("build/codec-tests.txt", "cargo test -p tersely-codec", 0, 0, 24, "How many tests of the module toon::decode are listed?", "number", lambda rows: str(sum("toon::decode::" in row for row in rows))),
]

# What the outputs are of, where a whole one is asked about.
TOOLS = {"file-read": "Read", "mcp": "mcp__server__call", "html": "fetch"}

# Lines and questions of the shorter texts, and questions of the longer ones.
SHORT, PER_SHORT, PER_LONG = 7, 6, 2
LONGEST = 7_000


def window(path: str, head: int, first: int, count: int) -> tuple[str, list[str]]:
    """Some lines of an output, and those of them that are not its head."""
    lines = (HERE / "outputs" / path).read_text().splitlines()
    rows = lines[head + first : head + first + count]
    return "\n".join(lines[:head] + rows) + "\n", rows


def spread(count: int, found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """A few, from the first to the last; names that come twice are not asked for."""
    keys = [key for key, _ in found]
    alone = [one for one in found if keys.count(one[0]) == 1]
    step = max(1, len(alone) / count)
    return [alone[int(at * step)] for at in range(min(count, len(alone)))]


def kind(answer: str) -> str:
    """How an answer is compared."""
    return "number" if re.fullmatch(r"\d+", answer) else "exact"


class Sheet:
    """Texts and questions, as `tersely eval --questions` reads them."""

    def __init__(self) -> None:
        self.texts: list[dict[str, str]] = []
        self.questions: list[dict[str, object]] = []

    def text(self, path: str, tool: str, command: str, text: str) -> str:
        """The name of a text; the same text has one name."""
        for one in self.texts:
            if one["text"] == text:
                return one["name"]
        name = path if all(one["name"] != path for one in self.texts) else f"{path}#{len(self.texts)}"
        self.texts.append({"name": name, "tool": tool, "command": command, "text": text})
        return name

    def ask(self, name: str, question: str, kind: str, answer: object) -> None:
        """One more question."""
        assert answer, (name, question)
        self.questions.append({"text": name, "question": question, "kind": kind, "answer": answer})


def short(sheet: Sheet) -> None:
    """Questions about parts of outputs."""
    for path, command, head, first, count, pattern, question in WINDOWS:
        for lines, asks in ((SHORT, PER_SHORT), (count * 2, PER_LONG)):
            text, _ = window(path, head, first, lines)
            found = [(one["key"], one["value"]) for one in re.finditer(pattern, text, re.MULTILINE)]
            name = sheet.text(path, "bash", command, text)
            for key, value in spread(asks, found):
                sheet.ask(name, question.format(key=key), kind(value), value)
    for path, command, part, (key, value), question in RECORDS:
        source = (HERE / "outputs" / path).read_text()
        records = json.loads(source)[part]
        indent = 2 if source.startswith("[\n") else None
        text = json.dumps(records, indent=indent, ensure_ascii=False) + "\n"
        name = sheet.text(path, "bash", command, text)
        for one_key, one_value in spread(PER_SHORT, [(str(one[key]), str(one[value])) for one in records]):
            sheet.ask(name, question.format(key=one_key), kind(one_value), one_value)
    for path, command, head, first, count, question, how, reduce in REDUCED:
        text, rows = window(path, head, first, count)
        sheet.ask(sheet.text(path, "bash", command, text), question, how, reduce(rows))


def whole(sheet: Sheet) -> None:
    """Those of QUESTIONS.jsonl whose outputs are not too long, and whose answer is short."""
    sources = {one["path"]: one["source"] for one in map(json.loads, (HERE / "MANIFEST.jsonl").read_text().splitlines())}
    for entry in map(json.loads, (HERE / "QUESTIONS.jsonl").read_text().splitlines()):
        path = entry["file"].removeprefix("outputs/")
        text = (HERE / "outputs" / path).read_text()
        # A needle that is not a value is the name of what is asked for.
        is_short = entry["kind"] != "line" and entry["answer"] == entry["needles"][-1]
        if len(text) > LONGEST or not is_short:
            continue
        name = sheet.text(path, TOOLS.get(path.split("/")[0], "bash"), sources[entry["file"]].split(", ")[0], text)
        sheet.ask(name, entry["question"], kind(entry["answer"]), entry["answer"])


def main() -> None:
    """Writes the file, and says what is in it."""
    sheet = Sheet()
    short(sheet)
    whole(sheet)
    lines = [json.dumps(one, ensure_ascii=False) for one in sheet.texts]
    asks = [json.dumps(one, ensure_ascii=False) for one in sheet.questions]
    body = '{"texts":[\n' + ",\n".join(lines) + '\n],"questions":[\n' + ",\n".join(asks) + "\n]}\n"
    (HERE.parent / "crates/eval/questions.json").write_text(body)
    print(len(sheet.texts), "texts,", len(sheet.questions), "questions,", len(body), "bytes")


if __name__ == "__main__":
    main()
