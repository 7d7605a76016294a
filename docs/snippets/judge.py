"""Decides what becomes of each block: it is run, checked, or listed with a reason; anything else is wrong."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import compare
import real
from flags import Program, usages, words
from listed import Listed, Reason
from page import Block, Page
from sandbox import AGENTS, Done, Sandbox, serves
from statements import HARMLESS, calls, programs, statements

LIST = "docs/snippets.toml"
SECONDS, REAL_SECONDS = 30, 900
ASKS = re.compile(r"(tersely (?:init|uninstall|purge|eval|mcp install|mcp uninstall))")
IMPORT = re.compile(r"""^\s*import .*?from ["']([^"'./][^"']*)["']|^\s*import ["']([^"'./][^"']*)["']""", re.M)


@dataclass
class Verdict:
    """What became of a block."""

    place: str
    what: str
    state: str
    said: str = ""
    hint: str = ""
    kind: str = "block"
    not_run: list[str] = field(default_factory=list)


class Wrong(Exception):
    """Something is wrong: what, and what to do about it."""

    def __init__(self, said: str, hint: str) -> None:
        super().__init__(said)
        self.said, self.hint = said, hint


@dataclass
class Course:
    """How a page went so far."""

    box: Sandbox
    real: bool
    printed: dict[int, str | Reason] = field(default_factory=dict)
    missing: dict[str, Reason] = field(default_factory=dict)
    skipped: Reason | None = None
    settings: str = ""
    started: list[str] = field(default_factory=list)
    sections: dict[str, dict] = field(default_factory=dict)


class Judge:
    """Judges pages."""

    def __init__(self, root: Path, program: Program, listed: Listed, upstream: str, *, real: bool) -> None:
        self.root, self.program, self.listed, self.upstream, self.real = root, program, listed, upstream, real
        self.recipes = set(re.findall(r"^([a-z][\w-]*)[^:\n]*:(?!=)", (root / "justfile").read_text(), re.M))

    def page(self, page: Page) -> list[Verdict]:
        """All verdicts on a page."""
        versions = self.listed.versions.get(page.path, {})
        really = self.real and bool(versions)
        more = real.prepare(versions) if really else {}
        with Sandbox(self.program.path, self.upstream, self.listed.addresses, more) as box:
            if really:
                real.furnish(versions, box)
            else:
                box.stand_in()
            box.env |= self.listed.variables.get(page.path, {})
            for name, script in self.listed.scripts.get(page.path, {}).items():
                box.program(name, script)
            for name, source in self.listed.fixtures.get(page.path, {}).items():
                box.write(name, (self.root / source).read_text())
            if script := self.listed.before.get(page.path):
                prepared = box.run(script, SECONDS)
                if prepared.code != 0:
                    raise SystemExit(f"{LIST}: what [before] says for {page.path} ended with {prepared.code}:\n{prepared.output}")
            course = Course(box, really, sections=dict(versions.get("sections", {})))
            verdicts = [self.block(course, block) for block in page.blocks]
            for block, verdict in zip(page.blocks, verdicts):
                if block.name and verdict.state == "checked" and any(block.name.split("/")[-1] in one for one in course.started):
                    verdict.state = "run"
        return verdicts + self.inline(page) + named_versions(self.root, page, versions)

    def unused(self) -> list[Verdict]:
        """Entries of the list that nothing needed, and tests in it that are not there."""
        hint = "remove it, or mend how it names its block"
        wrong = [Verdict(LIST, one, "wrong", "nothing on any page needs this entry", hint, "list") for one in self.listed.unused()]
        for test in sorted(self.listed.tests):
            there = test[5:] in self.recipes if test.startswith("just ") else (self.root / test).exists()
            if not there:
                wrong.append(Verdict(LIST, test, "wrong", "there is no such test", "name a file of the repository, or a recipe as `just NAME`", "list"))
        return wrong

    def inline(self, page: Page) -> list[Verdict]:
        """Commands in sentences and tables."""
        verdicts = []
        for line, code in page.inline:
            said, hint = [], "mend the sentence, or the program"
            if code.startswith("tersely "):
                said = [one for call in usages(code) for one in self.program.complaints(call)]
            elif code.startswith("just "):
                name = code.split()[1]
                said = [] if name in self.recipes or not name.islower() else [f"the justfile has no recipe `{name}`"]
            else:
                continue
            verdicts.append(Verdict(f"{page.path}:{line}", f"`{code}`", "wrong" if said else "checked", "\n".join(said), hint, "inline"))
        return verdicts

    def block(self, course: Course, block: Block) -> Verdict:
        """The verdict on one block."""
        if course.real and (versions := course.sections.pop(block.heading, None)):
            real.furnish(versions, course.box)
        try:
            state, said, *not_run = self.judge(course, block)
            return Verdict(block.place, block.language, state, said, not_run=not_run)
        except Wrong as wrong:
            return Verdict(block.place, block.language or "no language", "wrong", wrong.said, wrong.hint)

    def judge(self, course: Course, block: Block) -> tuple[str, ...]:
        """Runs a block, checks it, or finds its reason."""
        # A shell block has entries for its statements, one by one.
        entry = None if block.language in ("sh", "bash", "console") else self.listed.block(block.page, block.text)
        how = entry[0].get("as", "listed") if entry else ""
        if how == "listed":
            self.named(course, block)
            return left(entry[1])
        if how == "quoted":
            return self.quoted(block, entry[0]["from"])
        kinds = {"sh": self.shell, "bash": self.shell, "console": self.console, "text": self.text, "json": self.json, "toml": self.settings,
                 "yaml": self.settings, "python": self.python, "js": self.script, "ts": self.script}
        if block.language in kinds:
            return kinds[block.language](course, block, how)
        if reason := self.listed.languages.get(block.language):
            reason.used = True
            return left(reason)
        raise Wrong("this block has no language" if not block.language else f"nobody knows how to run or check `{block.language}`",
                    f"name one of {', '.join(kinds)}; or list the language with a reason in {LIST}")

    def quoted(self, block: Block, source: str) -> tuple[str, str]:
        """Finds every number of a block in the record that it is from."""
        numbers = re.findall(r"\d[\d,.]*\d|\d", block.text)
        known = (self.root / source).read_text()
        if missing := [one for one in numbers if not re.search(rf"(?<![\d,.]){re.escape(one)}(?![\d]|[,.]\d)", known)]:
            raise Wrong(f"{source} does not say {', '.join(missing)}", "copy what the record says, or measure again")
        return "checked", f"its numbers are in {source}"

    def shell(self, course: Course, block: Block, how: str) -> tuple[str, ...]:
        """Runs a block's statements, one after the other."""
        printed, reasons, ran = "", [], 0
        for number, statement in self.split(block):
            done, excuse = self.statement(course, block, statement)
            if isinstance(excuse, Reason):
                reasons.append(excuse)
                continue
            ran += 1
            # A server has a terminal of its own.
            printed += "" if serves(statement) else done.output
            if done.code != 0 and not excuse:
                raise Wrong(f"line {block.line + number}: `{statement.strip()}` ended with {done.code}:\n{done.output[-3000:]}", "mend the command or what it needs; what prints an error on purpose is a `console` block")
        course.printed[id(block)] = reasons[0] if reasons else printed
        return outcome(ran, reasons)

    def split(self, block: Block) -> list[tuple[int, str]]:
        """A block's statements with their lines; a block that bash cannot read is wrong."""
        try:
            return statements(block.text)
        except ValueError as error:
            raise Wrong(f"bash cannot read this: {error}", "mend the syntax, or name another language than sh") from error

    def statement(self, course: Course, block: Block, statement: str) -> tuple[Done, str | Reason]:
        """Runs one statement, or gives the reason why not."""
        for call in calls(statement):
            for complaint in self.program.complaints(call):
                raise Wrong(complaint, "mend the page, or the program")
        if reason := self.reason(course, block, statement):
            course.skipped = reason
            return Done(0, ""), reason
        for name in programs(statement):
            known = name in HARMLESS or (course.box.bin / name).exists() or course.real and (name in AGENTS or name in self.listed.programs)
            if not known:
                raise Wrong(f"`{statement.strip()}` starts `{name}`, which may change the machine or not be installed",
                            f"list it with a reason in {LIST} ([program.{name}]); or, if it can do no harm anywhere, add it to HARMLESS in docs/snippets/statements.py")
        course.started.append(statement)
        how = self.how(block, statement)
        if how == "yes":
            statement = ASKS.sub(r"\1 --yes", statement)
        done = course.box.run(statement, REAL_SECONDS if course.real else SECONDS)
        # What was not run has recorded nothing; that is no fault of the page.
        if course.skipped and done.code == 1 and "tersely stats" in statement:
            return done, course.skipped
        return done, "it is meant to fail" if how == "fails" else ""

    def how(self, block: Block, text: str) -> str:
        """What the list says of a text; empty if nothing."""
        entry = self.listed.block(block.page, text)
        return entry[0].get("as", "listed") if entry else ""

    def reason(self, course: Course, block: Block, statement: str) -> Reason | None:
        """Why a statement is not run; nothing if it is."""
        entry = self.listed.block(block.page, statement)
        how = entry[0].get("as", "listed") if entry else ""
        if how == "listed" and not (course.real and entry[1].real) or how == "interactive" and course.real:
            return entry[1]
        for name in programs(statement):
            found = self.listed.programs.get(name)
            if found and not (course.real and found.real):
                found.used = True
                return found
        for name, why in course.missing.items():
            if name in words(statement):
                return why
        return None

    def console(self, course: Course, block: Block, how: str) -> tuple[str, ...]:
        """Runs what follows each `$`, and compares what is shown below it."""
        parts = re.split(r"^\$ ", block.text, flags=re.M)
        if parts[0].strip():
            raise Wrong("the first line of a `console` block is no command", "begin it with `$ `, or make it a `text` block")
        reasons, ran = [], 0
        for part in parts[1:]:
            statement, _, shown = part.partition("\n")
            done, reason = self.statement(course, block, statement)
            if isinstance(reason, Reason):
                reasons.append(reason)
                continue
            ran += 1
            if difference := compare.text(shown, done.output, like=self.how(block, statement) == "like"):
                raise Wrong(f"`{statement}` prints something else:\n{difference}", "copy what it prints; if it may differ from run to run, list the block as \"like\"")
        return outcome(ran, reasons)

    def text(self, course: Course, block: Block, how: str) -> tuple[str, ...]:
        """Compares a text with what the block before it printed; or checks lines of usage."""
        if reason := self.listed.pages.get(block.page):
            reason.used = True
            return left(reason)
        before = block.after
        if before and id(before) in course.printed:
            printed = course.printed[id(before)]
            if isinstance(printed, Reason):
                return left(printed, "it shows what the block above prints: ")
            if difference := compare.text(block.text, printed, like=how == "like"):
                raise Wrong(f"the block above prints something else:\n{difference}", "copy what it prints; if it may differ from run to run, list the block as \"like\"")
            return "run", "it is what the block above prints"
        lines = re.sub(r"\n\s+", " ", block.text.strip()).split("\n")
        if all(line.startswith("tersely ") for line in lines):
            for line in lines:
                for complaint in [one for call in usages(line) for one in self.program.complaints(call)]:
                    raise Wrong(complaint, "mend the page, or the program")
            return "checked", f"{len(lines)} lines of usage"
        raise Wrong("no command above prints this text", f"show the command in a `sh` block right above it, or list the block with a reason in {LIST}")

    def json(self, course: Course, block: Block, how: str) -> tuple[str, ...]:
        """Reads a document; compares it with what the block before it printed."""
        try:
            json.loads(block.text)
        except ValueError as error:
            raise Wrong(f"this is no JSON: {error}", "mend it; what stands for any text is \"…\"") from error
        before = block.after
        if block.name or not before or before.language != "sh" or id(before) not in course.printed:
            self.named(course, block)
            return "checked", "it is JSON"
        printed = course.printed[id(before)]
        if isinstance(printed, Reason):
            return left(printed, "it shows what the block above prints: ")
        if difference := compare.document(block.text, printed):
            raise Wrong(f"the block above prints something else:\n{difference}", "copy what it prints; \"…\" stands for any value")
        return "run", "it is what the block above prints"

    def settings(self, course: Course, block: Block, how: str) -> tuple[str, str]:
        """Lets `tersely config check` read settings; another program's are only parsed."""
        if block.language == "toml":
            try:
                tomllib.loads(block.text)
            except ValueError as error:
                raise Wrong(f"this is no TOML: {error}", "mend it") from error
        elif complaint := yaml_complaint(self.root, block.text):
            raise Wrong(f"this is no YAML: {complaint}", "mend it")
        name = self.named(course, block)
        ours = not name or Path(name).stem == "tersely"
        if how == "foreign" or not ours:
            return "checked", f"it is {block.language.upper()}"
        file = course.box.root / f"settings.{block.language}"
        # Some settings make sense only beside those that the page showed before.
        file.write_text(course.box.place((course.settings if how == "added" else "") + block.text))
        course.settings = block.text
        done = subprocess.run([self.program.path, "config", "check", file], capture_output=True, text=True, check=False, env=course.box.env | variables(block.text))
        if done.returncode != 0:
            raise Wrong(f"`tersely config check` says:\n{done.stderr}", f"mend the settings; another program's are listed as \"foreign\" in {LIST}")
        return "checked", "`tersely config check` takes it"

    def python(self, course: Course, block: Block, how: str) -> tuple[str, ...]:
        """Runs a program, or checks its syntax where it is to become a file or needs a package."""
        try:
            tree = ast.parse(block.text)
        except SyntaxError as error:
            raise Wrong(f"this is no Python: {error}", "mend it") from error
        imported = [one.module for one in ast.walk(tree) if isinstance(one, ast.ImportFrom) and one.module]
        imported += [name.name for one in ast.walk(tree) if isinstance(one, ast.Import) for name in one.names]
        own = {file.stem for file in course.box.work.glob("*.py")}
        unknown = [name.split(".")[0] for name in imported if name.split(".")[0] not in sys.stdlib_module_names | {"tersely"} | own]
        return self.code(course, block, unknown, ("python", "snippet.py"))

    def script(self, course: Course, block: Block, how: str) -> tuple[str, ...]:
        """Runs a module for Node, or checks its syntax where it is to become a file or needs a package."""
        unknown = [one or other for one, other in IMPORT.findall(block.text) if not (one or other).startswith("node:")]
        file = course.box.root / "syntax.mjs"
        file.write_text(block.text)
        done = subprocess.run(["node", "--check", file], capture_output=True, text=True, check=False)
        if done.returncode != 0 and block.language == "js":
            raise Wrong(f"node cannot read this:\n{done.stderr}", "mend it")
        return self.code(course, block, unknown, ("node", "snippet.mjs"))

    def code(self, course: Course, block: Block, unknown: list[str], start: tuple[str, str]) -> tuple[str, ...]:
        """Puts a program into its file, or runs it at once."""
        why = None
        for module in unknown:
            reason = self.listed.modules.get(module)
            if reason is None:
                raise Wrong(f"this needs the package `{module}`, which may not be installed", f"list it with a reason in {LIST} ([module.{module!r}])")
            reason.used = True
            if reason.real and block.page not in self.listed.versions:
                raise Wrong(f"`run.py --real` does not run this page, so nothing runs `{module}`", f"give the page versions in {LIST}")
            if not (course.real and reason.real):
                why = reason
        if name := self.named(course, block):
            if why:
                course.missing[name] = why
            return left(why) if why else ("checked", "its syntax")
        if why:
            return left(why)
        course.box.write(start[1], block.text)
        done = course.box.run(f"{start[0]} {start[1]}", REAL_SECONDS if course.real else SECONDS)
        if done.code != 0:
            raise Wrong(f"it ended with {done.code}:\n{done.output[-3000:]}", "mend the snippet: it must run by itself")
        course.printed[id(block)] = done.output
        return "run", ""

    def named(self, course: Course, block: Block) -> str | None:
        """Writes the file that the block is the content of."""
        if block.name:
            course.box.write(block.name, block.text)
        return block.name


def left(reason: Reason, because: str = "") -> tuple[str, str, str]:
    """What a block that is not run here counts as."""
    return reason.state, f"{because}{reason}", str(reason)


def outcome(ran: int, reasons: list[Reason]) -> tuple[str, ...]:
    """What a block of statements counts as: a part that nothing runs counts for the whole."""
    why = list(dict.fromkeys(str(one) for one in reasons))
    if not reasons:
        return "run", f"{ran} statements"
    state = "not run" if any(one.state == "not run" for one in reasons) else "elsewhere"
    if ran:
        return "run" if state == "elsewhere" else "in part", f"{ran} statements, {len(reasons)} not: {'; '.join(why)}", *why
    return state, "; ".join(why), *why


def variables(text: str) -> dict[str, str]:
    """A value for every variable that settings refer to."""
    return {name: "0123456789abcdef0123456789abcdef" for name in re.findall(r"\$\{(\w+)\}", text)}


def yaml_complaint(root: Path, text: str) -> str | None:
    """What a YAML parser says; nothing where none is installed (deploy/check.sh installs one)."""
    python = root / "target" / "tools" / "deploy" / "bin" / "python"
    script = "import sys\ntry: import yaml\nexcept ImportError: sys.exit(0)\nyaml.safe_load(sys.stdin.read())"
    program = python if python.exists() else sys.executable
    done = subprocess.run([program, "-c", script], input=text, capture_output=True, text=True, check=False)
    return done.stderr.strip().split("\n", 1)[-1] if done.returncode else None


def named_versions(root: Path, page: Page, versions: dict) -> list[Verdict]:
    """A page that was run with some versions must name them."""
    text = (root / page.path).read_text()
    sections = versions.get("sections", {})
    pins = [pin for one in (versions, *sections.values()) for pin in {**one.get("python", {}), **one.get("node", {}), **real.agents(one)}.items()]
    missing = [f"a section {name}" for name in sections if name not in {block.heading for block in page.blocks}]
    missing += [f"{name} {version}" for name, version in pins if f"{name} {version}" not in text]
    return [Verdict(page.path, "versions", "wrong", f"the page does not name what it was run with: {', '.join(missing)}",
                    f"name them, as in \"Run with …\"; {LIST} and trials/clients/setup.py have the versions", "list")] if missing else []
