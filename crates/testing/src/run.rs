//! Runs a built binary and checks its output.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, thread};

/// A binary, and a directory for its tests' files.
#[derive(Debug, Clone, Copy)]
pub struct BuiltBinary {
    /// `env!("CARGO_BIN_EXE_…")`.
    pub path: &'static str,
    /// `env!("CARGO_TARGET_TMPDIR")`.
    pub place: &'static str,
}

/// The result of a run.
#[derive(Debug)]
pub struct BinaryRun {
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// All of stdout.
    pub stdout: String,
    /// All of stderr.
    pub stderr: String,
}

impl BuiltBinary {
    /// Runs it with `args`, one word each, and `input` on its stdin.
    pub fn run(self, args: &str, input: impl AsRef<[u8]>) -> BinaryRun {
        let mut child = Command::new(self.path)
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
        BinaryRun { code: done.status.code(), stdout: text(done.stdout), stderr: text(done.stderr) }
    }

    /// Runs it and checks the exit code, all of stdout, and that stderr contains each of `messages`.
    pub fn check(self, args: &str, input: impl AsRef<[u8]>, (stdout, code): (&str, i32), messages: &[&str]) {
        let run = self.run(args, input);
        assert_eq!(run.stdout, stdout, "stdout of {args}; stderr: {}", run.stderr);
        assert_eq!(run.code, Some(code), "exit code of {args}; stderr: {}", run.stderr);
        for words in messages {
            assert!(run.stderr.contains(words), "{args} should say {words:?}, said: {}", run.stderr);
        }
    }

    /// Writes a file with `content` to the tests' directory, and returns its path.
    pub fn file(self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = Path::new(self.place).join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a place to write");
        fs::write(&path, content).expect("a file");
        path.display().to_string()
    }
}
