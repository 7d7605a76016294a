//! Text that an agent may edit stays unchanged, and other text is compressed, whichever command shows it.

use tersely_core::{Call, Loss, Mode, O200k, Plan, compress};

/// Ways to run a command line that stands for `@`.
const WRAPPERS: [&str; 34] = [
    "@",
    "cd repo && @",
    "sudo -E @",
    "sudo -u me -- @",
    "env -S '@'",
    "env A=1 B=2 @",
    "eval '@'",
    "timeout 60 @",
    "nice -n 5 @",
    "time @",
    "bash -lc '@'",
    "sh -c \"@\"",
    "bash -c 'cd repo && @ 2>/dev/null'",
    "zsh -lic '@'",
    "ssh host '@'",
    "ssh -p 22 me@host @",
    "docker exec web @",
    "docker exec -it web sh -c '@'",
    "docker compose exec app @",
    "kubectl exec pod -c app -- @",
    "podman run --rm -v .:/src image @",
    "nix develop -c @",
    "nix-shell --run '@'",
    "direnv exec . @",
    "mise exec -- @",
    "su - me -c '@'",
    "powershell -NoProfile -Command \"@\"",
    "pwsh -c '@'",
    "echo --- ; @ ; echo ---",
    "python3 -c \"import subprocess; print(subprocess.run('@', shell=True, capture_output=True, text=True).stdout)\"",
    "node -e \"console.log(require('child_process').execSync('@').toString())\"",
    "const r = await tools.exec_command({cmd: \"@\", workdir: \"/x\"}); text(r.output)",
    "const [a, b] = await Promise.all([tools.exec_command({cmd: `git status`}), tools.exec_command({cmd: `@`})]); text(a.output + b.output)",
    "const cmds = ['git status', '@']; for (const cmd of cmds) text((await tools.exec_command({cmd})).output)",
];

/// What shows a file, by its path.
const SHOWS: [&str; 5] = ["cat @", "sed -n 1,400p @", "head -n 400 @", "nl -ba @", "awk NR<=400 @"];

/// A function for each line of five languages.
const LANGUAGES: [(&str, &str, &str); 5] = [
    (
        "a.py",
        "import os\nimport sys\n\n",
        "def load_@(path):\n    with open(path) as file:\n        return parse(file.read(), @)\n\n\n",
    ),
    (
        "a.go",
        "package store\n\nimport \"fmt\"\n\n",
        "func load@(path string) error {\n\tif err := open(path, @); err != nil {\n\t\treturn err\n\t}\n\tlog.Printf(\"loaded %d\", @)\n}\n\n",
    ),
    (
        "a.rs",
        "use std::fs;\n\n",
        "pub fn load_@(path: &str) -> Result<u8, Fault> {\n    let text = fs::read(path)?;\n    parse(&text, @)\n}\n\n",
    ),
    (
        "a.ts",
        "import { parse } from './parse';\n\n",
        "export function load@(path: string): number {\n  const text = read(path);\n  return parse(text, @);\n}\n\n",
    ),
    (
        "A.java",
        "package store;\n\nimport java.util.List;\n\n",
        "  public static int load@(String path) {\n    String text = read(path);\n    return parse(text, @);\n  }\n\n",
    ),
];

fn source(head: &str, body: &str, count: usize) -> String {
    let functions = (0..count).map(|at| body.replace('@', &at.to_string()));
    head.to_owned() + &functions.collect::<String>()
}

fn shown(call: Call<'_>, text: &str) -> String {
    compress(&Plan { mode: Mode::Standard, loss: Loss::Detail, ..Plan::default() }, call, text)
        .text
        .into_owned()
}

fn bash(command: &str) -> Call<'_> {
    Call { tool: "exec", command: Some(command), ..Call::default() }
}

/// Behaviour 0.20: thirty and more wrappers, five languages, three lengths, and no line is cut.
#[test]
fn source_stays_as_it_is_in_every_wrapper() {
    for (at, wrapper) in WRAPPERS.iter().enumerate() {
        for (path, head, body) in LANGUAGES {
            let command = wrapper.replace('@', &SHOWS[at % SHOWS.len()].replace('@', path));
            for count in [10, 100, 600] {
                let text = source(head, body, count);
                assert!(shown(bash(&command), &text) == text, "{command}, {count}");
            }
        }
    }
}

/// Behaviour 0.20: where no command tells, what looks like source is a read.
#[test]
fn source_stays_as_it_is_where_no_command_tells() {
    for command in
        [None, Some("./show a"), Some("just peek 1 400"), Some("const r = await run(cmd); text(r)")]
    {
        for (_, head, body) in LANGUAGES {
            for (tool, count) in [("exec", 10), ("exec", 100), ("peek_code", 600)] {
                let text = source(head, body, count);
                let call = Call { tool, command, ..Call::default() };
                assert!(shown(call, &text) == text, "{tool} {command:?}, {count}");
            }
        }
    }
}

/// Behaviour 0.20: what a client's own tool reads stays, whatever the file and whatever the tool is called.
#[test]
fn what_a_client_reads_stays_whatever_it_is() {
    let log: String = (0..400)
        .map(|at| format!("2026-01-02 10:00:{:02} INFO took {at} ms\n", at % 60))
        .collect::<Vec<_>>()
        .concat();
    for tool in
        ["Read", "ReadManyFiles", "Read Files", "cat", "view", "open_file", "read_many_files", "Get-Content"]
    {
        let call = Call { tool, command: Some("logs/app.log"), ..Call::default() };
        assert!(shown(call, &log) == log, "{tool}");
    }
}

/// Twenty files that are read and not edited: a name and a text.
fn data() -> Vec<(&'static str, String)> {
    let lines = |line: &dyn Fn(usize) -> String| (0..500).map(line).collect::<String>();
    let log = lines(&|at| {
        format!("2026-01-02 10:{:02}:{:02} INFO worker {} took {at} ms\n", at / 60, at % 60, at % 7)
    });
    let objects = lines(&|at| format!("{{\"id\":{at},\"kind\":\"event\",\"level\":\"info\",\"ok\":true}}\n"));
    let rows = lines(&|at| format!("{at},Berlin,DE,active,2026-01-02,{}\n", at * 7));
    let cases = lines(&|at| {
        format!("  <testcase classname=\"tests.test_a\" name=\"test_{at}\" time=\"0.00{}\"/>\n", at % 9)
    });
    let records = lines(&|at| {
        format!("  {{ \"id\": {at}, \"name\": \"item {at}\", \"kind\": \"thing\", \"ok\": true }},\n")
    });
    let lock = lines(&|at| {
        format!(
            "[[package]]\nname = \"crate{at}\"\nversion = \"1.0.{at}\"\nsource = \"registry+https://example.org/index\"\n\n"
        )
    });
    let json = format!("[\n{}\n]", records.trim_end().trim_end_matches(','));
    let xml = |root: &str| format!("<?xml version=\"1.0\"?>\n<{root} name=\"all\">\n{cases}</{root}>\n");
    let tabs = rows.replace(',', "\t");
    vec![
        ("app.log", log.clone()),
        ("logs/server.log.1", log.clone()),
        ("/var/log/syslog", log.clone()),
        ("nohup.out", log.clone()),
        ("run.err", log),
        ("events.jsonl", objects.clone()),
        ("events.ndjson", objects.clone()),
        ("events", objects),
        ("airports.csv", rows.clone()),
        ("data/airports.tsv", tabs),
        ("dist/rows.txt", rows),
        ("junit.xml", xml("testsuites")),
        ("reports/TEST-a.xml", xml("testsuite")),
        ("coverage.xml", xml("coverage")),
        ("data.json", json.clone()),
        ("node_modules/a/data.json", json.clone()),
        ("build/data.txt", json),
        ("Cargo.lock", lock.clone()),
        ("poetry.lock", lock.clone()),
        ("uv.lock", lock),
    ]
}

/// Behaviour 0.20: data is saved as its text is without the command, whatever shows it.
#[test]
fn data_is_saved_whatever_shows_it() {
    let data = data();
    assert_eq!(data.len(), 20);
    let mut saved = 0;
    for (path, text) in data {
        for loss in [Loss::Form, Loss::Detail] {
            let plan = Plan { loss, ..Plan::default() };
            let cost = |call: Call<'_>| compress(&plan, call, &text).ledger.after;
            let (alone, sent) = (cost(Call::default()), O200k.count(&text));
            saved += usize::from(loss == Loss::Detail && alone * 10 <= sent * 9);
            for show in [
                "cat @",
                "tail -n 500 @",
                "sed -n '1,500p' @",
                "awk 1 @",
                "bash -lc 'cat @'",
                "Get-Content @",
            ] {
                let command = show.replace('@', path);
                let cost = cost(bash(&command));
                assert!(cost <= alone, "{command}: {cost}, and {alone} without the command, of {sent}");
            }
        }
    }
    assert!(saved >= 16, "only {saved} are worth it at all");
}
