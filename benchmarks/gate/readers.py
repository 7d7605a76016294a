"""Reads a figure and a verdict from what a recipe printed, one small function for each kind of output.

A reader gets the whole output and gives a `Figure`. It raises `Unread` where the output lacks what it should say: a recipe that exits with 0 and has measured
nothing must not pass. Whether a row passes is the exit status and the reader's `holds` together.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


class Unread(Exception):
    """The output does not say what it should."""


@dataclass(frozen=True)
class Figure:
    """What was measured, and whether it is within the bar."""

    text: str
    holds: bool = True


Reader = Callable[[str], Figure]

# Colours and other escapes of a terminal.
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def plain(text: str) -> str:
    """The output without colours."""
    return ESCAPE.sub("", text).replace("\r\n", "\n")


def match(pattern: str, text: str) -> re.Match[str]:
    """The last place that fits; a recipe may repeat itself, and its end counts."""
    found = list(re.finditer(pattern, text, re.MULTILINE))
    if not found:
        raise Unread(f"nothing in the output is like {pattern}")
    return found[-1]


def matches(pattern: str, text: str) -> list[re.Match[str]]:
    """All places that fit; one at least."""
    match(pattern, text)
    return list(re.finditer(pattern, text, re.MULTILINE))


def number(text: str) -> float:
    """A number that may have commas."""
    return float(text.replace(",", ""))


def cells(text: str, columns: int) -> list[list[str]]:
    """The rows of Markdown tables with so many columns, without heads and rules."""
    lines = [line.strip().strip("|").split("|") for line in text.splitlines() if line.strip().startswith("|")]
    rows = [[cell.strip() for cell in line] for line in lines if len(line) == columns]
    rules = [at for at, row in enumerate(rows) if all(re.fullmatch(":?-+:?", cell) for cell in row)]
    rows = [row for at, row in enumerate(rows) if at not in rules and at + 1 not in rules]
    if not rows:
        raise Unread(f"the output has no table of {columns} columns")
    return rows


def last_line(text: str) -> Figure:
    """For recipes that say all with their exit status."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise Unread("the output is empty")
    return Figure(lines[-1][:160])


def says(pattern: str) -> Reader:
    """A line that has to be there, whole."""
    return lambda text: Figure(match(pattern, text)[0].strip())


def cargo_tests(text: str) -> Figure:
    """Tests of cargo. None at all is no pass: a filter that fits nothing exits with 0."""
    ran = matches(r"^test result: \w+\. (\d+) passed; (\d+) failed", text)
    passed, failed = (sum(int(one[at]) for one in ran) for at in (1, 2))
    return Figure(f"{passed} tests passed, {failed} failed", failed == 0 and passed > 0)


def tested(reader: Reader) -> Reader:
    """What the tests print beside their verdict."""

    def read(text: str) -> Figure:
        tests, figure = cargo_tests(text), reader(text)
        return Figure(figure.text, tests.holds and figure.holds)

    return read


def fuzz(text: str) -> Figure:
    """libFuzzer: runs, what they cover, findings."""
    if found := re.search(r"^SUMMARY: (.*)$", text, re.MULTILINE):
        return Figure(f"finding: {found[1][:120]}", False)
    done = match(r"^Done (\d+) runs in (\d+) second", text)
    covered = re.findall(r"\bcov: (\d+)", text)
    return Figure(f"{int(done[1]):,} runs in {done[2]} s, {covered[-1] if covered else '?'} edges, 0 findings")


def soak(text: str) -> Figure:
    """Wrong answers, memory, files and threads; the script has judged them."""
    wrong = match(r"^wrong answers (\d+); stopped with (-?\d+)", text)
    memory = match(r"^resident: .*?([\d.]+) MB in the second third, ([\d.]+) MB in the last, ([\d.]+) MB idle", text)
    files = match(r"^open files: (\d+) at the start, (\d+) at most, (\d+) idle after", text)
    threads = match(r"^threads: (\d+) at the start, \d+ at most, (\d+) idle after", text)
    said = f"{wrong[1]} wrong answers; {memory[1]} → {memory[2]} MB; files {files[1]} → {files[3]}; threads {threads[1]} → {threads[2]}"
    return Figure(said, wrong[1] == "0" and wrong[2] == "0")


def soak_doors(text: str) -> Figure:
    """Memory, files and threads of each door, and what was wrong; the script has judged them."""
    rows = cells(text, 7)
    done = match(r"^(\d+) doors, (\d+) as they should be$", text)
    wrong = sum(int(row[6]) for row in rows)
    calls = sum(int(row[1]) for row in rows)
    return Figure(f"{calls:,} calls, {wrong} wrong; MB {'; '.join(f'{row[0]} {row[3]}' for row in rows)}", wrong == 0 and done[1] == done[2] == str(len(rows)))


def doors(text: str) -> Figure:
    """Shapes through every door: the slowest, and how many faults."""
    rows = cells(text, 7)
    done = match(r"^(\d+) doors, (\d+) faults$", text)
    slowest = max(rows, key=lambda row: int(row[5].split()[0].replace(",", "")))
    return Figure(f"{len(rows)} times {rows[0][2]} shapes through {done[1]} doors, {done[2]} faults; slowest {slowest[0]}, {slowest[1]} MB: {slowest[5].replace(' (', ' ms (', 1)}", done[2] == "0")


def faults_doors(text: str) -> Figure:
    """Faults of ours against every door: calls, the slowest of them, and what was wrong."""
    rows = cells(text, 6)
    done = match(r"^(\d+) faults, (\d+) doors, (\d+) wrong$", text)
    slowest = max(rows, key=lambda row: int(row[4].replace(",", "")))
    wrong = sum(int(row[5]) for row in rows)
    said = f"{done[1]} faults, {done[2]} doors, {sum(int(row[2]) for row in rows):,} calls, {wrong} wrong; slowest {slowest[4]} ms ({slowest[1]}, {slowest[0]})"
    return Figure(said, done[3] == "0" and wrong == 0)


def hostile(text: str) -> Figure:
    """The worst shape: how much longer a byte takes at 10 MB than at 1 MB."""
    worst = match(r"^the worst:\n\s*([\d.]+)\s+[\d.]+\s+[\d.]+\s+([\d.]+)\s+(\S+)\s+(.+)$", text)
    shapes = len(set(re.findall(r"^ *[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +\S+ +(.+)$", text, re.MULTILINE)))
    return Figure(f"{shapes} shapes, at worst {worst[1]} times ({worst[4].strip()}, {worst[3]}; 10 MB in {float(worst[2]):,.0f} ms)", float(worst[1]) <= 1.5)


def health(text: str) -> Figure:
    """The slowest probe beside large bodies and hostile ones."""
    large, odd = (match(rf"^{kind} of.*all within ([\d.]+)ms; (\d+) not rewritten", text) for kind in ("forty", "ten hostile"))
    holds = all(float(kind[1]) <= 100 and kind[2] == "0" for kind in (large, odd))
    return Figure(f"all within {large[1]}ms beside large bodies, {odd[1]}ms beside hostile ones; {int(large[2]) + int(odd[2])} not rewritten", holds)


def memory(text: str) -> Figure:
    """The most memory as a multiple of a body."""
    rows = cells(text, 6)
    worst = max(rows, key=lambda row: float(row[4]))
    return Figure(f"{len(rows)} bodies, at most {worst[4]} times ({worst[0]}, {worst[1]} results, {worst[3]} MB)", float(worst[4]) <= 12)


def bombs(text: str) -> Figure:
    """Answers and memory. What decodes to more than a body may be is refused, or goes on unread where there is no room to read it."""
    rows = cells(text, 5)
    said = "; ".join(f"{row[0]}: {row[2]}, {row[3]}" for row in rows)
    answers = [{status: int(count) for count, status in re.findall(r"(\d+) × (\w+)", row[2])} for row in rows]
    holds = len(rows) == 3 and all(sum(seen.values()) == 100 and seen.keys() <= {"413", "200"} for seen in answers) and set(answers[-1]) == {"200"}
    return Figure(said, holds and all(number(row[3].split()[0]) <= 256 for row in rows if number(row[0].split()[0]) > 50))


def peers(text: str) -> Figure:
    """Probes and the slowest of them."""
    done = match(r"^(\d+) probes, (\d+) listeners, (\d+) peers, (\d+) faults", text)
    slowest = max((float(one[2]), one[1].strip()) for one in matches(r"^(.+?) +slowest probe +([\d.]+) ms", text))
    return Figure(f"{int(done[1]):,} probes, {done[3]} peers, {done[4]} faults; slowest {slowest[0]} ms ({slowest[1]})", done[4] == "0")


def prefix(text: str) -> Figure:
    """Requests that begin with the one before them."""
    return Figure(match(r"^(\d+ requests, \d+ modes, \d+ scenes): each begins", text)[1])


def million(text: str) -> Figure:
    """Made-up documents that came back in every form."""
    count, size = max((int(one[1]), int(one[2])) for one in matches(r"^(\d+) documents, (\d+) bytes", text))
    return Figure(f"{count:,} documents ({size / 1e9:.2f} GB), 0 came back different", count > 0)


def general(text: str) -> Figure:
    """Made-up texts that came back."""
    done = match(r"^(\d+) texts came back; (\d+) of them", text)
    return Figure(f"{int(done[1]):,} texts came back, {int(done[2]):,} of them written shorter", int(done[1]) > 0)


def broken(text: str) -> Figure:
    """Broken request bodies."""
    done = match(r"^(\d+) broken bodies, (\d+) of them with slots", text)
    return Figure(f"{int(done[1]):,} broken bodies, {int(done[2]):,} with slots, 0 changed elsewhere", int(done[1]) >= 100_000)


def mutated(text: str) -> Figure:
    """Broken responses through the gateway; those through the watch only pass or fail."""
    done = match(r"^(\d+) broken responses in (\S+); (\d+) times", text)
    return Figure(f"{int(done[1]):,} broken responses in {done[2]}, 0 lost, 0 show the tool; {int(done[3]):,} fetched back", int(done[1]) >= 100_000)


def turns(column: int) -> Reader:
    """Tables in which a client is `done`, or its fault stands in bold in its place."""

    def read(text: str) -> Figure:
        lines = [line for line in text.splitlines() if line.startswith("| ") and line.count("|") > column + 1]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        states = [row[column] for row in rows if len(row) > column]
        done = sum(state.split(";")[0] == "done" for state in states)
        faults = [f"{row[0]}: {row[column].strip('*')[:60]}" for row in rows if row[column].startswith("**")]
        if not done and not faults:
            raise Unread("the output has no table of clients")
        return Figure(f"{done} of {done + len(faults)} done" + "".join(f"; {fault}" for fault in faults[:2]), not faults)

    return read


def edits(text: str) -> Figure:
    """Ways to write a file back."""
    ways = matches(r"^(.+), (?:write|edit), (?:streamed|whole): (.+)$", text)
    done = sum(way[2] == "done" for way in ways)
    return Figure(f"{done} of {len(ways)} ways: file as it should be, no secret upstream", done == len(ways))


def reads(text: str) -> Figure:
    """Ways to read a file, each followed by an edit."""
    rows = cells(text, 5)
    good = sum(row[2] == "0" and row[3] == "yes" for row in rows)
    return Figure(f"{good} of {len(rows)} ways: every line arrives and the edit fits", good == len(rows))


def hooks(text: str) -> Figure:
    """The trial ends with what is bad, or with two words."""
    if re.search(r"^as expected$", text, re.MULTILINE):
        requests = sum(int(one[1]) for one in matches(r"^\w+ with hooks: (\d+) requests", text))
        return Figure(f"as expected; {requests} requests with hooks")
    bad = [line for line in text.splitlines() if re.match(r"(claude|opencode|faults|cap|calm)\b.*: ", line) and " requests, " not in line]
    return Figure("; ".join(bad[-2:])[:200] or last_line(text).text, False)


def statusline(text: str) -> Figure:
    """What the line said, and that files are as they were."""
    line = match(r"^line: +(.+)$", text)[1].strip()
    files = matches(r"^\S+ (not as it was|as it was)$", text)
    return Figure(f"“{line[:80]}” as the history says; {len(files)} files undone")


def why(text: str) -> Figure:
    """Requests, and breaks that were not explained."""
    done = match(r"^(\d+) requests upstream, (\d+) in the history", text)
    faults = len(re.findall(r"^FAULT ", text, re.MULTILINE))
    return Figure(f"{done[1]} requests, {done[2]} in the history, {faults} breaks not explained", faults == 0)


def clear(text: str) -> Figure:
    """Results cleared, request by request."""
    stubs = [int(one) for one in match(r"^results cleared in each request: ([\d ]+)$", text)[1].split()]
    faults = re.findall(r"^FAULT (.*)$", text, re.MULTILINE)
    return Figure(f"{len(stubs)} requests, up to {max(stubs)} results cleared, {len(faults)} faults", max(stubs) > 0 and not faults)


def histories(text: str) -> Figure:
    """The gateway's counts against the audit's."""
    rows = matches(r"^(\S.*?) +gateway \((\d+), (\d+)\) +audit \((\d+), (\d+)\) +requests \((\d+), (\d+)\)(.*)$", text)
    equal = sum(row[2] == row[4] and row[3] == row[5] and not row[8].strip() for row in rows)
    return Figure(f"{equal} of {len(rows)} agents: the audit counts what the gateway counted", equal == len(rows))


def cloud(text: str) -> Figure:
    """Turns of SDKs, and signatures that hold."""
    sdks, signed = cells(text, 4), cells(text, 3)
    holds = all("**" not in " ".join(row) for row in [*sdks, *signed]) and all(row[1] == "yes" for row in signed)
    return Figure(f"{len(sdks)} SDKs done, {len(signed)} with keys of AWS: signatures {', '.join(row[2] for row in signed)}", holds)


def marked(good: str, bad: str, what: str) -> Reader:
    """Lines that begin with a mark for what holds or for what does not."""

    def read(text: str) -> Figure:
        holds = len(re.findall(rf"^{good}\b", text, re.MULTILINE))
        faults = [line.strip() for line in text.splitlines() if re.match(rf"{bad}\b", line)]
        if not holds + len(faults):
            raise Unread(f"no line begins with {good} or {bad}")
        return Figure(f"{holds} of {holds + len(faults)} {what}" + "".join(f"; {fault[:80]}" for fault in faults[:2]), not faults)

    return read


def tasks(text: str) -> Figure:
    """Attempts of both arms. A run that ends early exits with 0, and says what its attempts so far are worth."""
    attempts = matches(r"^(\d+)/(\d+) \S+ (?:direct|tersely): ", text)
    done, planned = len(attempts), int(attempts[-1][2])
    return Figure(f"{done} of {planned} attempts done", done == planned)


def in_process(text: str) -> Figure:
    """Differences from the command, and times against the engine alone."""
    differ = sum(int(one[1]) for one in matches(r"^\d+ (?:requests|outputs): (\d+) differ", text))
    first = float(match(r"^first call: ([\d.]+) ms", text)[1])
    ratios = [(one[1].rsplit("/", 1)[-1], float(one[2])) for one in matches(r"^(\S+): \d+ conversations: ([\d.]+) times the engine", text)]
    two, eight = (float(one) for one in match(r"^two threads: ([\d.]+) times one; eight: ([\d.]+)", text).groups())
    start, end = (float(one) for one in match(r"^memory: ([\d.]+) MB after .*, ([\d.]+) MB after", text).groups())
    said = f"{differ} differ; first call {first} ms; {', '.join(f'{name} {ratio} times the engine' for name, ratio in ratios)}; threads {two} and {eight} times one; {start} → {end} MB"
    holds = differ == 0 and first <= 30 and all(ratio <= 1.2 for _, ratio in ratios) and two >= 1.8 and eight >= two * 0.95 and end <= start * 1.02
    return Figure(said, holds)


def litellm(text: str) -> Figure:
    """Set-ups with a scripted model and with a real one."""
    scripted, real = cells(text, 11), cells(text, 8)
    finished = sum(row[3] == "finished" for row in scripted)
    return Figure(f"{finished} of {len(scripted)} set-ups finished, {len(real)} with a real model", finished == len(scripted))


def replicas(text: str) -> Figure:
    """Conversations whose bytes are the same through two gateways as through one."""
    ran = matches(r"^\S+: (\d+) requests, \d+ logins, .*: identical$", text)
    return Figure(f"{len(ran)} conversations, {sum(int(one[1]) for one in ran):,} requests: identical")


def drain(text: str) -> Figure:
    """Requests and streams during restarts."""
    done = match(r"^(\d+) requests in \d+ s \((\d+) a second\), (\d+) whole streams", text)
    bad = {one[1]: int(one[2]) for one in re.finditer(r"^  (\w+: (?!good).*): (\d+)$", text, re.MULTILINE)}
    return Figure(f"{int(done[1]):,} requests at {done[2]} a second, {done[3]} whole streams, {sum(bad.values())} lost", not bad)


def spray(text: str) -> Figure:
    """Faults of each run, and how many bodies the upstream saw."""
    faults = [int(one[1]) for one in matches(r"^  (\d+) faults$", text)]
    bodies = sum(int(one[1]) for one in matches(r"^  \d+ histories, (\d+) bodies", text))
    return Figure(f"{len(faults)} runs, {bodies:,} bodies upstream, {sum(faults)} faults", sum(faults) == 0)


def examples(text: str) -> Figure:
    """Requests that were answered; what was skipped is no pass."""
    answered = len(matches(r"^\w+: .*: answered;", text))
    skipped = re.findall(r"^SKIPPED: (.*)$", text, re.MULTILINE)
    return Figure(f"{answered} requests answered" + "".join(f"; skipped: {one}" for one in skipped), not skipped)


def snippets(text: str) -> Figure:
    """Blocks of the pages."""
    done = match(r"^\d+ pages, (\d+) blocks: (\d+) run, .* (\d+) wrong; (\d+) commands in sentences: (\d+) wrong", text)
    return Figure(f"{done[1]} blocks, {done[2]} of them run, {int(done[3]) + int(done[5])} wrong", done[3] == done[5] == "0")


def envoy(text: str) -> Figure:
    """Checks that hold, and the cost beside a processor that does nothing."""
    checks = marked("ok", "FAILED", "checks hold")(text)
    try:
        rows = [row for row in cells(text, 6) if row[0] != "shrinks" and row[1] != "8 MB"]
    except Unread:
        return checks
    worst = max(rows, key=lambda row: float(row[5]))
    return Figure(f"{checks.text}; nothing changes: at most {worst[5]} times a processor that does nothing ({worst[0]}, {worst[1]})", checks.holds and float(worst[5]) <= 1.4)


def mcp(text: str) -> Figure:
    """Servers and calls, and messages that should not differ."""
    rows = matches(r"^(\S+) +(\d{4}-\d\d-\d\d|\S+) +(\d+) +(\d+) +(\d+) +(\d+) +\d+ +\d+ +(?:yes|no) +\d+ +\d+$", text)
    faults = len(re.findall(r"^DIFFERENT ", text, re.MULTILINE))
    return Figure(f"{len(rows)} sessions, {sum(int(row[3]) for row in rows):,} calls, {faults} messages different", faults == 0)


def mcp_scale(text: str) -> Figure:
    """Calls that were lost directly and through two replicas; memory over the last half."""
    calls = [int(number(one[1])) for one in matches(r"^calls: ([\d,]+)$", text)]
    lost = sum(int(number(one[1])) for one in re.finditer(r"^lost: ([\d,]+)$", text, re.MULTILINE))
    sizes = [int(one[2]) for one in matches(r"^replica (\d), .*: median (\d+) MB", text)]
    return Figure(f"{' and '.join(f'{one:,}' for one in calls)} calls, {lost} lost; replicas' medians {', '.join(map(str, sizes))} MB", lost == 0 and len(calls) == 2)


def mcp_cost(text: str) -> Figure:
    """What is saved of recorded results, and how much later they arrive."""
    saved = match(r"^saved: exact ([\d.]+%), standard ([\d.]+%)", text)
    added = {one[1]: float(one[2]) for one in matches(r"^(\S+): direct .* added (-?[\d.]+) ms", text)}
    later = ", ".join(f"{name} {ms} ms" for name, ms in added.items())
    return Figure(f"saved {saved[1]} exact, {saved[2]} standard; later: {later}", added["1MB"] <= 80)


def discovery(text: str) -> Figure:
    """Tools that were found."""
    done = match(r"^(\d+) of (\d+) tools shown or found", text)
    heads = match(r"^(\d+) requests upstream through two gateways, (\d+) heads", text)
    return Figure(f"{done[1]} of {done[2]} tools found, {heads[1]} requests, {heads[2]} heads of the prompt")


def http(text: str) -> Figure:
    """Answers of JSON APIs."""
    done = matches(r"^(.+): (\d+) requests, (\d+) different", text)
    faults = sum(int(one[3]) for one in done)
    return Figure(f"{sum(int(one[2]) for one in done):,} requests to {len(done)} APIs, {faults} different", faults == 0)


# CPU time of a request, as a multiple of bare hyper's with the same bodies; of the last row, in milliseconds.
LOAD_BARS = {"mode disabled": 1.4, "nothing to change": 3.0, "the same again": 5.0, "4 KB new in 1 MB": 5.0}
ALL_NEW_MS = 4.5


def load(text: str) -> Figure:
    """CPU time of a request beside a proxy of bare hyper in the same round."""
    rows = {row[0]: (float(row[2]), float(row[3])) for row in cells(text, 4) if row[0] in LOAD_ROWS}
    if rows.keys() != LOAD_ROWS:
        raise Unread(f"the table lacks {', '.join(sorted(LOAD_ROWS - rows.keys()))}")
    all_new = rows["all new"][0]
    holds = all(rows[name][1] <= most for name, most in LOAD_BARS.items()) and all_new <= ALL_NEW_MS
    return Figure("; ".join(f"{name} {rows[name][1]:.1f}×" for name in LOAD_BARS) + f"; all new {all_new:.1f} ms", holds)


LOAD_ROWS = {*LOAD_BARS, "all new"}


def sizing(text: str) -> Figure:
    """Memory and time to start; the table of costs is for people."""
    idle = match(r"^idle: ([\d.]+) MB; each of \d+ open streams: ([\d.]+) kB", text)
    ready = match(r"^ready (\d+) ms after its start", text)
    return Figure(f"idle {idle[1]} MB, {idle[2]} kB a stream, ready in {ready[1]} ms")


def looks(text: str) -> Figure:
    """Views in a browser."""
    done = match(r"^(\d+) (pages|views)\b.*?(\d+) faults", text)
    return Figure(f"{done[1]} {done[2]}, {done[3]} faults", done[3] == "0")


def bench(text: str) -> Figure:
    """What tool results save; a law that is broken is an exit status too."""
    total = match(r"^total +(\d+) +\d+ +\d+ +([\d.]+) +\d+ +([\d.]+) +\d+ +([\d.]+) ", text)
    lost = match(r"^error lines out of sight +(\d+)", text)[1]
    return Figure(f"{total[1]} results: {total[2]} % saved exact, {total[3]} % standard, {total[4]} % aggressive; {lost} error lines out of sight", lost == "0")


def conversations(text: str) -> Figure:
    """The laws of conversations."""
    done = match(r"^transcripts (\d+), requests (\d+)", text)
    dearer, changed = (match(rf"^transcripts that {what} \(law: 0\) +(\d+)", text)[1] for what in ("cost more than direct", "change what was sent"))
    return Figure(f"{done[1]} transcripts, {done[2]} requests: {dearer} cost more than direct, {changed} change what was sent", dearer == changed == "0")


def bill(text: str) -> Figure:
    """What conversations cost."""
    rows = {one[1]: one[2] for one in matches(r"^(.*?): (.+)$", text)}
    bill = next((f"{words}: {figure}" for words, figure in rows.items() if words.startswith("share of the bill saved, standard mode; median")), None)
    if bill is None:
        raise Unread("no row of the bill")
    return Figure(bill[:160])


def closing(text: str) -> Figure:
    """The median of what conversations end with."""
    shares = sorted(float(one[1]) for one in matches(r"^ *(-?[\d.]+) %  \S+$", text))
    dearer = sum(share < 0 for share in shares)
    return Figure(f"{len(shares)} conversations: median {shares[len(shares) // 2]} %, {shares[0]} to {shares[-1]} %, {dearer} with more tokens")


def delay(text: str) -> Figure:
    """How much later events of a stream arrive."""
    rows = matches(r"^(.+), beside (.+): p50 ([+-][\d.]+) ms$", text)
    return Figure("; ".join(f"{row[1]} {row[3]} ms" for row in rows))


def failing_store(text: str) -> Figure:
    """Calls of a store whose servers fail: the longest one keeps its deadline."""
    rows = cells(text, 8)
    return Figure(f"{len(rows)} stages, {sum(int(row[1]) for row in rows):,} calls, longest {max(float(row[5]) for row in rows)} ms")


def remote(text: str) -> Figure:
    """Turns of two gateways while a compressor and its store fail."""
    turns, used, different = (sum(int(row[at]) for row in cells(text, 5)) for at in (1, 2, 4))
    return Figure(f"{turns} turns, {used} answers used, {different} sent differently", different == 0)


def year(text: str) -> Figure:
    """The size of a history."""
    done = match(r"^(\d+) requests, (\d+) bytes", text)
    reading = matches(r"^summary (\S+), activity (\S+)$", text)[-1]
    return Figure(f"{int(done[1]):,} requests in {int(done[2]) / 1e6:.1f} MB; summary {reading[1]}, activity {reading[2]}")


def faults(text: str) -> Figure:
    """Tests of faults, and requests that failed while the store did."""
    tests = cargo_tests(text)
    rows = cells(text, 10)
    failed = sum(int(row[2]) for row in rows)
    return Figure(f"{tests.text}; {sum(int(row[1]) for row in rows):,} requests while a store fails in {len(rows)} ways, {failed} failed", tests.holds and failed == 0)


def size(text: str) -> Figure:
    """Bytes of the program, as `wc` says them."""
    count = int(match(r"^\s*(\d+) target/release/tersely$", text)[1])
    return Figure(f"{count:,} bytes", count <= 15_950_000)
