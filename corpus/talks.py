"""Table: the conversations, turn by turn."""

from __future__ import annotations

from dataclasses import dataclass

from verbs import Edit, Find, Names, Read, Run, Verb


@dataclass(frozen=True)
class Talk:
    """What is asked, what the model says and does in each turn, and how it ends."""

    path: str
    client: str
    where: str
    ask: str
    turns: list[tuple[str, list[Verb]]]
    end: str

    @property
    def api(self) -> str:
        """The API by the name of the file."""
        return self.path.split(".")[1]


PYTEST = "(cd python && python -m pytest -p no:cacheprovider --color=no{})"
MONEY, INVOICE = "python/ledger/money.py", "python/ledger/invoice.py"
LEDGER = [
    ("I'll start with the layout and the state of the tests.", [Run("git status --short && git log --oneline && ls -la . python python/ledger python/tests", "List files"), Run(PYTEST.format(""), "Run the tests")]),
    ("Four tests fail. I'll read the two modules they exercise.", [Read(MONEY), Read(INVOICE)]),
    ("Now the tests themselves.", [Read("python/tests/test_money.py"), Read("python/tests/test_invoice.py")]),
    ("`12.5` is read as 12.05: the fraction is not padded. Where else is `parse` used?", [Find(r"parse\(|from \.money|RATES", "python")]),
    ("Pad the fraction.", [Edit(MONEY, "int(whole) * 100 + int(fraction or 0)", "int(whole) * 100 + int(fraction.ljust(2, \"0\") or 0)")]),
    ("Check that alone.", [Run(PYTEST.format(" -k read -v"), "Run the tests of parse")]),
    ("Next, the sign of negative amounts and the missing rate.", [Read(MONEY, 10, 40)]),
    ("Write the sign first.", [Edit(MONEY, "        return f\"{self.cents // 100}.{self.cents % 100:02} {self.currency}\"", "        sign, cents = \"-\" if self.cents < 0 else \"\", abs(self.cents)\n        return f\"{sign}{cents // 100}.{cents % 100:02} {self.currency}\"")]),
    ("And add the rate from euro to pound.", [Edit(MONEY, "(\"GBP\", \"EUR\"): 1.17}", "(\"GBP\", \"EUR\"): 1.17, (\"EUR\", \"GBP\"): 0.855}")]),
    ("Read the file again as it stands now, and run everything.", [Read(MONEY), Run(PYTEST.format(""), "Run the tests")]),
    ("What is left is in the invoice: a day is late only after it has passed.", [Edit(INVOICE, "return today >= self.due()", "return today > self.due()")]),
    ("Run everything again.", [Run(PYTEST.format(""), "Run the tests")]),
    ("Everything passes. I'll check the total by hand all the same.", [Run("cd /srv/sample/python && python -c 'from ledger.money import Money; from ledger.invoice import Line\nfor line in [Line(\"Hosting\", 1, Money(4900)), Line(\"Support\", 6, Money(8500)), Line(\"Handbook\", 2, Money(1500), vat=\"reduced\")]: print(line, line.net(), line.gross())'; cd /srv/sample", "Compute the total"), Read(INVOICE, 14, 30)]),
    ("The lines are right. Look at the whole change, and lint it.", [Run("git diff", "Show the change"), Run("ruff check --no-cache --select E,F,B,ANN --output-format json python/ledger | head -c 6000", "Lint"), Run("mypy --strict --cache-dir /dev/null python/ledger", "Check types")]),
    ("A last look at both files, and at the tests one by one.", [Read(MONEY), Read(INVOICE), Run(PYTEST.format(" -v"), "Run the tests one by one")]),
]
SIGNAL = "crates/core/src/signal.rs"
REVIEW = [
    ("First the commits, then the newest one.", [Run("git log --oneline -25", "List commits"), Run("git show --stat HEAD", "Show the newest commit")]),
    ("The change itself.", [Run("git show HEAD -- crates", "Show the change")]),
    ("I'll read the file it touches and who calls it.", [Find(r"pub fn|pub\(crate\) fn", "crates/wire/src", "*.rs"), Names("crates/wire/src/**/*.rs")]),
    ("The scanner is the heart of it.", [Read("crates/wire/src/scan.rs")]),
    ("And the signals that keep error lines in sight.", [Read(SIGNAL), Run("cat -n crates/wire/src/splice.rs | head -120", "Read splice.rs")]),
    ("Which crates depend on it?", [Run("cargo metadata --no-deps --offline --format-version 1 | jq '[.packages[] | {name, version, dependencies: [.dependencies[] | {name, req, kind}]}]'", "List dependencies")]),
    ("How has the file grown?", [Run("git log --format='%h %as %s' --follow -- crates/wire/src/scan.rs", "History of the scanner"), Run("git blame -s -L 1,80 crates/wire/src/scan.rs", "Blame")]),
    ("Look at the scanner once more, around the loop.", [Read("crates/wire/src/scan.rs", 60, 120)]),
    ("Is there a file of that name for tests?", [Run("ls -la crates/wire/tests && wc -l crates/wire/tests/*.rs && cat crates/wire/tests/missing.rs", "List tests")]),
]
CART = [
    ("Run the tests first.", [Run("(cd node && node --test --test-reporter=spec)", "Run the tests")]),
    ("Read the code and its tests.", [Read("node/cart.js"), Read("node/cart.test.js")]),
    ("`=` instead of `===` in a condition.", [Edit("node/cart.js", "answer.status = 201", "answer.status === 201")]),
    ("The best discount is the last that applies.", [Edit("node/cart.js", "sum >= one.from)[0]", "sum >= one.from).at(-1)")]),
    ("Again.", [Run("(cd node && node --test --test-reporter=spec)", "Run the tests")]),
    ("An unknown thing should be named. Where are prices looked up?", [Find(r"prices\[", "node", "*.js"), Read("node/cart.js", 1, 20)]),
    ("Look up a price in one place.", [Edit("node/cart.js", "export function receipt(items) {\n", "export function receipt(items) {\n  const missing = items.find((item) => !(item.name in prices));\n  if (missing) throw new Error(`no price for ${missing.name}`);\n")]),
    ("Run the tests and the linter.", [Run("(cd node && node --test --test-reporter=tap)", "Run the tests"), Run("(cd node && eslint --format json . | jq '.[0] | {errorCount, warningCount, messages}')", "Lint")]),
    ("The types of the shop, while I am here.", [Run("(cd node && tsc --noEmit --strict --target es2022 --module esnext shop.ts)", "Check types"), Read("node/shop.ts")]),
    ("The change as a whole.", [Run("git diff", "Show the change")]),
]
SURVEY = [
    ("I'll look at the files and the manifest.", [Names("crates/store/**/*.rs"), Read("Cargo.toml"), Run("ls -la crates/store crates/store/src crates/store/tests", "List")]),
    ("What does the store offer?", [Find(r"pub (fn|struct|enum|trait)", "crates/store/src", "*.rs"), Read("crates/store/src/lib.rs")]),
    ("The two largest files.", [Read("crates/store/src/shelf.rs"), Read("crates/store/src/link.rs", 1, 120)]),
    ("Numbers: commits and lines by file.", [Run("git log --numstat --format='%h %s' -8 -- crates/store", "History"), Run("sqlite3 -json /srv/history.sqlite \"select path, sum(added) as added, sum(removed) as removed, count(*) as commits from changes where path like 'crates/store/%' group by path order by added desc\"", "Lines by file"), Run("wc -l crates/store/src/*.rs crates/store/tests/*.rs", "Count lines")]),
    ("What it pulls in.", [Run("cargo tree --offline -p tersely-store -e normal --depth 2", "Dependencies")]),
    ("Who uses it?", [Find(r"tersely_store::", "crates", "*.rs"), Run("git grep -c 'Shelf' -- '*.rs'", "Count uses")]),
]
QUEUE = [
    ("Run the tests, then read the code.", [Run("(cd go && go test ./...)"), Read("go/queue.go"), Read("go/queue_test.go")]),
    ("The map is never made. Make it on first use.", [Edit("go/queue.go", "\tq.done[id] = true", "\tif q.done == nil {\n\t\tq.done = map[int]bool{}\n\t}\n\tq.done[id] = true")]),
    ("Again, one by one.", [Run("(cd go && go test -v ./...)")]),
    ("Jobs of equal weight come in the wrong order: `>=` takes the last.", [Edit("go/queue.go", "\t\tif job.Weight >= q.jobs[best].Weight {", "\t\tif job.Weight > q.jobs[best].Weight {")]),
    ("Once more, as JSON, and look at the file.", [Run("(cd go && go test -json . | head -60)"), Read("go/queue.go", 36, 40)]),
    ("The worker hangs. What does it say?", [Run("(cd go && GOTRACEBACK=all go run ./cmd/worker)"), Read("go/cmd/worker/main.go")]),
    ("Vet, and the change.", [Run("(cd go && go vet ./... && gofmt -l .)"), Run("git diff"), Run("(cd go && go test -v ./...)")]),
]
HISTORY = [
    ("I'll look at what the database holds.", [Run("sqlite3 /srv/history.sqlite .schema && sqlite3 -box /srv/history.sqlite 'select count(*) as commits, sum(files) as files, sum(added) as added, sum(removed) as removed from commits'")]),
    ("The largest commits.", [Run("sqlite3 -json /srv/history.sqlite 'select hash, clock, files, added, removed, subject from commits order by added desc limit 20'")]),
    ("And the folders.", [Run("sqlite3 -csv -header /srv/history.sqlite 'select folder, count(*) as changes, sum(added) as added, sum(removed) as removed from changes group by folder order by added desc limit 40'")]),
    ("One of them in detail.", [Run("git log --stat -4 -- crates/gateway"), Find("fn (serve|forward|accept)", "crates/gateway/src")]),
    ("The file behind most of it.", [Run("cat -n crates/gateway/src/serve.rs | sed -n '1,110p'"), Run("git diff --stat HEAD~12 HEAD -- crates/gateway")]),
    ("A query that fails, to see the columns.", [Run("sqlite3 /srv/history.sqlite 'select author from commits'"), Run("sqlite3 -json /srv/history.sqlite 'select hash, clock, files, added, removed, subject from commits order by added desc limit 20'")]),
]
PRICES = [
    ("Compile it first.", [Run("(cd java && javac -d /srv/user/out Prices.java)", "Compile"), Read("java/Prices.java")]),
    ("Run what does compile.", [Run("(cd java && javac -d /srv/user/out Timetable.java && java -cp /srv/user/out Timetable)", "Run Timetable"), Read("java/Timetable.java")]),
    ("A semicolon is missing.", [Edit("java/Prices.java", "Long found = cents.get(name)", "Long found = cents.get(name);")]),
    ("Compile again.", [Run("(cd java && javac -Xlint:all -d /srv/user/out Prices.java)", "Compile"), Read("java/Prices.java")]),
    ("Where is the total meant to be?", [Find("total|size", "java"), Run("git diff && git status", "Show the change")]),
]

TALKS = [
    Talk("claude-ledger.anthropic.json", "Claude Code", "sample", "The tests of the ledger fail. Find out why and repair the code, not the tests.", LEDGER, "All tests of the ledger pass: fractions are padded, signs are written first, and a day is late only after it has passed."),
    Talk("claude-review.anthropic.json", "Claude Code 1.0", "project", "Review the newest commit and tell me what the scanner does.", REVIEW, "The scanner finds the parts of a body in one pass; the newest commit makes that pass quicker."),
    Talk("opencode-prices.anthropic.json", "OpenCode, messages", "sample", "Why does the Java price list not compile?", PRICES, "A semicolon was missing; eight errors remain, the first about a double that is put where a long belongs."),
    Talk("opencode-cart.openai.json", "OpenCode, chat", "sample", "Make the tests of the cart pass.", CART, "The tests of the cart pass."),
    Talk("opencode-survey.openai.json", "OpenCode, chat", "project", "How is the store built, and who uses it?", SURVEY, "The store keeps originals by tenant; the engine and the gateway use it."),
    Talk("codex-queue.responses.json", "Codex", "sample", "The queue's tests fail. Repair it.", QUEUE, "The queue's tests pass; the worker still waits for itself."),
    Talk("codex-history.responses.json", "Codex", "project", "Which parts of the repository changed most? The history is in /srv/history.sqlite.", HISTORY, "The stages of the core and the gateway changed most."),
    Talk("gemini-ledger.gemini.json", "Gemini CLI", "sample", "The tests of the ledger fail. What is wrong with amounts?", LEDGER[:11], "Amounts were padded wrongly; that is repaired."),
]

# Results that are kept as outputs too: path under outputs/, conversation, and a pattern for how the result begins.
EXCERPTS = [
    ("file-read/claude-arrows.txt", "claude-review.anthropic.json", r"     1→//! Walks"),
    ("file-read/claude-tabs.txt", "claude-ledger.anthropic.json", r'1\t"""Invoices'),
    ("file-read/opencode-colons.txt", "opencode-survey.openai.json", r"<path>/srv/project/crates/store/src/shelf\.rs"),
    ("search/opencode-grep.txt", "opencode-survey.openai.json", r"Found \d+ matches(?s:.*)tersely_store::"),
    ("search/claude-grep.txt", "claude-review.anthropic.json", r"/srv/project/crates/wire/src/\S+\.rs:\d+:"),
]
