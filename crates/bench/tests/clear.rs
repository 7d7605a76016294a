//! `tersely-bench conversations --clear` on a made-up transcript.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// A folder that is removed at the end.
struct Corpus(PathBuf);

impl Corpus {
    /// A corpus with one transcript: so many files are read, and a person speaks after each tenth.
    fn new(name: &str, files: usize) -> Self {
        let root = std::env::temp_dir().join(format!("tersely-bench-clear-{name}-{}", std::process::id()));
        fs::create_dir_all(root.join("conversations")).expect("a folder");
        let tools = json!([{"name": "Bash", "input_schema": {"type": "object"}}]);
        let body = json!({"model": "claude-sonnet-4-5", "tools": tools, "messages": messages(files)});
        fs::write(root.join("conversations/made-up.anthropic.json"), body.to_string()).expect("a file");
        Self(root)
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tersely-bench"));
        command.arg("conversations").args(args).arg(&self.0).output().expect("it runs")
    }
}

impl Drop for Corpus {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn messages(files: usize) -> Vec<Value> {
    let mut messages = vec![json!({"role": "user", "content": "Go."})];
    for n in 0..files {
        let path = format!("src/part_{n}.rs");
        let line = |at: usize| format!("    let value_{n}_{at} = compute_{n}({});\n", at * 31 % 97);
        let text: String = (0..120).map(line).collect();
        let id = format!("t{n}");
        let call = json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": path}});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
        if n % 10 == 9 {
            messages.push(json!({"role": "assistant", "content": [{"type": "text", "text": "Done."}]}));
            messages.push(json!({"role": "user", "content": "Go on."}));
        }
    }
    messages.push(json!({"role": "assistant", "content": [{"type": "text", "text": "Done."}]}));
    messages
}

/// The numbers in the row of a table that begins with this word.
fn row<'p>(page: &'p str, word: &str) -> Vec<&'p str> {
    let line = page.lines().find(|line| line.starts_with(word)).unwrap_or_default();
    line.split_whitespace().filter(|cell| cell.parse::<f64>().is_ok()).collect()
}

#[test]
fn what_is_cleared_after_a_pause_is_saved() {
    let corpus = Corpus::new("saved", 40);
    let done = corpus.run(&["--clear"]);
    let page = String::from_utf8(done.stdout).expect("text");
    assert_eq!(done.status.code(), Some(0), "{page}");
    let cells = row(&page, "all");
    assert_eq!(cells[..3], ["1", "2", "2"], "transcripts, cold pauses and clearings: {page}");
    let number = |at: usize| cells[at].parse::<f64>().expect("a number");
    assert!(number(3) >= 20.0 && number(6) > number(5) + 10.0, "{page}");
    assert!(page.contains("names in calls after a clearing") && page.contains("(law: 0)"), "{page}");
    assert!(page.lines().all(|line| line.chars().count() <= 110), "{page}");
}

#[test]
fn a_transcript_without_pauses_is_not_cleared() {
    let corpus = Corpus::new("short", 9);
    let page = String::from_utf8(corpus.run(&["--clear"]).stdout).expect("text");
    let cells = row(&page, "all");
    assert_eq!(cells[1..4], ["0", "0", "0"], "{page}");
    assert_eq!(cells[5], cells[6], "{page}");
}

#[test]
fn the_page_is_for_people() {
    let done = Corpus::new("json", 9).run(&["--clear", "--json"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("cannot be used with"));
}
