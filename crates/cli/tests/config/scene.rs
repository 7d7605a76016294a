//! Runs `tersely config` with its own folder, environment and flags.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails loudly, its helpers too")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, str};

use serde_json::Value;

/// The folder, the environment and the flags of a run.
pub(crate) struct Scene {
    folder: PathBuf,
    environment: Vec<(String, String)>,
    args: Vec<String>,
}

/// The result of a run.
pub(crate) struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Scene {
    /// Starts with an empty folder and an empty environment.
    pub(crate) fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("config").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a place to write");
        Self { folder, environment: Vec::new(), args: Vec::new() }
    }

    /// Adds a file to the folder.
    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a place to write");
        fs::write(path, content).expect("a file");
        self
    }

    /// Uses a fixture as the configuration file.
    pub(crate) fn fixture(self, name: &str) -> Self {
        let path = root("crates/cli/tests/fixtures").join(name);
        let text = fs::read(path).expect("a fixture");
        self.file("tersely.yaml", text)
    }

    /// Sets a variable.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds flags, separated by spaces.
    pub(crate) fn args(mut self, args: &str) -> Self {
        self.args.extend(args.split_whitespace().map(str::to_owned));
        self
    }

    /// Runs a `config` subcommand.
    pub(crate) fn run(&self, question: &str, args: &[String]) -> Ran {
        let done = Command::new(env!("CARGO_BIN_EXE_tersely"))
            .args(["config", question])
            .args(args)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .output()
            .expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Ran { code: done.status.code(), stdout: text(done.stdout), stderr: text(done.stderr) }
    }

    /// The output of `config show`.
    pub(crate) fn shows(&self) -> Value {
        let mut args = self.args.clone();
        args.push("--json".to_owned());
        let ran = self.run("show", &args);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        serde_json::from_str(&ran.stdout).expect("JSON")
    }

    /// Asserts a setting's value and its origin.
    pub(crate) fn holds(&self, setting: &str, value: impl Into<Value>, from: &str) {
        let shown = self.shows();
        let entry = shown["settings"].as_array().unwrap().iter().find(|entry| entry["setting"] == setting);
        let entry = entry.expect("the setting is shown");
        assert_eq!((&entry["value"], entry["from"].as_str()), (&value.into(), Some(from)), "{setting}");
    }

    /// Asserts that a note is printed.
    pub(crate) fn notes(&self, part: &str) {
        let shown = self.shows();
        let notices = shown["notices"].as_array().unwrap();
        assert!(
            notices.iter().any(|notice| notice.as_str().unwrap().contains(part)),
            "{part:?}: {notices:?}"
        );
    }

    /// Asserts that a check exits with code 2 and this message; returns the whole message.
    pub(crate) fn refuses(&self, part: &str) -> String {
        self.refuses_to("check", part)
    }

    /// The same for any subcommand.
    pub(crate) fn refuses_to(&self, question: &str, part: &str) -> String {
        let ran = self.run(question, &self.args);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{part:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(part) && ran.stderr.contains("hint: "), "{part:?} in: {}", ran.stderr);
        ran.stderr
    }
}

/// A file of the repository.
pub(crate) fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
