//! Tests `tersely completions` and `tersely man`, whose output is packaged.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::stage::tersely;

fn said(args: &[&str]) -> String {
    let ran = tersely(args, &[]).output().expect("it ends");
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("UTF-8")
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = said(&["--help"]);
    let lines =
        help.lines().skip_while(|line| *line != "Use Tersely:").take_while(|line| *line != "Options:");
    let listed = lines.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let names: BTreeSet<_> = listed.collect();
    let names: Vec<_> = names.into_iter().filter(|name| *name != "help").map(str::to_owned).collect();
    assert!(names.len() > 15, "{help}");
    names
}

#[test]
fn every_shell_gets_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = said(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
    let ran = tersely(&["completions", "tcsh"], &[]).output().expect("it ends");
    assert_eq!(ran.status.code(), Some(2));
}

#[test]
fn bash_takes_them() {
    let question =
        "COMP_WORDS=(tersely decod) COMP_CWORD=1; _tersely tersely decod tersely; echo \"${COMPREPLY[@]}\"";
    let script = format!("{}\n{question}\n", said(&["completions", "bash"]));
    let mut bash = Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("bash");
    bash.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("it reads");
    let ran = bash.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "decode");
}

#[test]
fn the_page_of_all_commands_is_what_the_program_prints() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/command-line.md");
    let written = std::fs::read_to_string(&page).expect("the page");
    assert!(written == said(&["man", "--markdown"]), "stale: tersely man --markdown > docs/command-line.md");
    for command in commands() {
        assert!(written.contains(&format!("\n## tersely {command}\n")), "{command}");
    }
}

#[test]
fn a_word_of_another_tool_gets_the_command_that_does_it_here() {
    for (word, hint) in
        [("gain", "`tersely stats`"), ("off", "`tersely uninstall`"), ("proxy", "`tersely serve`")]
    {
        let ran = tersely(&[word], &[]).output().expect("it ends");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.code() == Some(2) && said.contains(hint), "{word}: {said}");
    }
}

#[test]
fn every_command_has_a_page() {
    let folder = std::env::temp_dir().join(format!("tersely-man-{}", std::process::id()));
    said(&["man", folder.to_str().expect("a path")]);
    for command in commands() {
        let page = std::fs::read_to_string(folder.join(format!("tersely-{command}.1"))).expect("a page");
        assert!(page.contains(".SH SYNOPSIS"), "{command}");
    }
    std::fs::remove_dir_all(&folder).expect("it goes");
    assert!(said(&["man"]).contains(".TH tersely 1"), "the first page");
    let ran = tersely(&["man", "/dev/null/pages"], &[]).output().expect("it ends");
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("cannot write the pages to /dev/null/pages"));
}
