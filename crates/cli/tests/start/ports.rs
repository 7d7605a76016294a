//! Tests which ports servers listen on, and what the first screen of help shows.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::stage::{start, tersely};

/// The commands that serve, each with its default port.
const SERVERS: [(&[&str], u16); 4] = [
    (&["serve"], 8787),
    (&["mcp", "serve", "--server", "docs=http://127.0.0.1:9/mcp"], 8788),
    (&["http", "--upstream", "http://127.0.0.1:9"], 8789),
    (&["extproc"], 8790),
];

/// The first line that a server prints: that it is ready, or that somebody else has its port.
fn first_line(args: &[&str]) -> String {
    let mut child = tersely(args, &[]).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    stderr.read_line(&mut line).expect("a line");
    let _ = child.kill();
    child.wait().expect("it ends");
    line
}

#[test]
fn each_kind_of_server_has_a_port_of_its_own() {
    for (args, port) in SERVERS {
        let line = first_line(args);
        assert!(line.contains(&format!("127.0.0.1:{port}")), "{args:?}: {line}");
    }
}

/// By a flag, by a variable, or by the file.
#[test]
fn a_port_that_somebody_names_is_used_by_every_kind_of_server() {
    let file = std::env::temp_dir().join(format!("tersely-ports-{}.toml", std::process::id()));
    std::fs::write(&file, "listen = \"127.0.0.1:0\"\n").expect("a file");
    let path = file.to_str().expect("a path");
    for (args, port) in SERVERS {
        let flagged: Vec<_> = args.iter().copied().chain(["--listen", "127.0.0.1:0"]).collect();
        for running in [
            start(&flagged, &[]),
            start(args, &[("TERSELY_LISTEN", "127.0.0.1:0")]),
            start(args, &[("TERSELY_CONFIG", path)]),
        ] {
            let line = running.line();
            assert!(line.contains("ready on http://127.0.0.1:"), "{args:?}: {line}");
            assert!(!line.contains(&format!(":{port}")), "{args:?}: {line}");
        }
    }
    std::fs::remove_file(&file).expect("it goes");
}

#[test]
fn a_port_that_is_taken_is_named_and_so_is_what_to_do() {
    let first = start(&["serve", "--listen", "127.0.0.1:0"], &[]);
    let address = first.address();
    for (args, _) in SERVERS {
        let args: Vec<_> = args.iter().copied().chain(["--listen", &address]).collect();
        let done = tersely(&args, &[]).output().expect("it ends");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(&format!("Tersely is already running on {address}")), "{args:?}: {said}");
        assert!(said.contains("--listen 127.0.0.1:0"), "{args:?}: {said}");
    }
}

#[test]
fn the_first_screen_fits_a_terminal_and_begins_with_what_people_do_first() {
    let done = tersely(&["--help"], &[("COLUMNS", "80")]).output().expect("it ends");
    let help = String::from_utf8_lossy(&done.stdout);
    let wide: Vec<_> = help.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:?}");
    let titles: Vec<_> = help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
    assert_eq!(
        titles,
        [
            "Use Tersely:",
            "See savings and check the setup:",
            "Measure the effect:",
            "Run and configure servers:",
            "Work with text:",
            "Set up your shell:",
            "Options:",
            "Examples:"
        ]
    );
    let first = help.lines().skip_while(|line| *line != "Use Tersely:").nth(1);
    assert!(first.is_some_and(|line| line.starts_with("  run ")), "{first:?}");
}

#[test]
fn help_of_a_command_names_its_exit_codes_where_they_differ() {
    for (args, said) in [
        (&["stats", "--help"], "Exit code 1: nothing has been recorded yet"),
        (&["why", "--help"], "Exit code 1: nothing has been recorded for the session"),
        (&["audit", "--help"], "Exit code 2: no conversation was found"),
        (&["show", "--help"], "Exit code 1: no text is stored under this id"),
    ] {
        let done = tersely(args, &[]).output().expect("it ends");
        let help = String::from_utf8_lossy(&done.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(said), "{args:?}: {help}");
    }
}
