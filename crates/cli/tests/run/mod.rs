//! Runs the built binary on data.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{fs, thread};

/// What a run gave back.
pub(crate) struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs `tersely` with `args`, one word each, and `input` on its stdin.
pub(crate) fn run(args: &str, input: impl AsRef<[u8]>) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tersely"))
        .args(args.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.as_ref().to_vec();
    // A command that fails on its flags never reads its input: that write may fail.
    let feeder = thread::spawn(move || stdin.write_all(&input).ok());
    let done = child.wait_with_output().expect("the binary ends");
    feeder.join().expect("the input is fed");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran { code: done.status.code(), stdout: text(done.stdout), stderr: text(done.stderr) }
}

/// Runs, and holds the exit code, all of stdout, and each of `said` somewhere on stderr.
pub(crate) fn check(args: &str, input: impl AsRef<[u8]>, stdout: &str, code: i32, said: &[&str]) {
    let ran = run(args, input);
    assert_eq!(ran.stdout, stdout, "stdout of {args}; stderr: {}", ran.stderr);
    assert_eq!(ran.code, Some(code), "exit code of {args}; stderr: {}", ran.stderr);
    for words in said {
        assert!(ran.stderr.contains(words), "{args} should say {words:?}, said: {}", ran.stderr);
    }
}

/// A file with `content`, in a place that only these tests use.
pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a place to write");
    fs::write(&path, content).expect("a file");
    path.display().to_string()
}
