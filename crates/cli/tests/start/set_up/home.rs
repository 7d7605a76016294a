//! A temporary home: files, stand-ins for clients on PATH, and a snapshot of all files to compare.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::stage::tersely;

/// A user's home, which also holds the PATH folder.
pub(crate) struct Home {
    pub(crate) folder: PathBuf,
    pub(crate) vars: Vec<(String, String)>,
}

/// The result of a command: its exit code and output.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) said: String,
}

/// The receipt of what was written.
pub(crate) const RECORD: &str = ".local/state/tersely/setup.json";

impl Home {
    /// Creates a home with these clients.
    pub(crate) fn new(test: &str, clients: &[&str]) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("set-up").join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("bin")).expect("a folder");
        let home = Self { folder, vars: Vec::new() };
        for client in clients {
            home.program(client, "exit 0");
        }
        home
    }

    /// Adds a program to PATH.
    pub(crate) fn program(&self, name: &str, script: &str) {
        self.put(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"), 0o755);
    }

    pub(crate) fn var(&mut self, name: &str, value: &str) {
        self.vars.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file with this mode.
    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>, mode: u32) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let _ = fs::remove_file(&path);
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    /// Runs `tersely` here, without a terminal.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let (home, bin) = (self.folder.display().to_string(), self.path("bin").display().to_string());
        let vars = self.vars.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let vars: Vec<_> =
            [("HOME", home.as_str()), ("PATH", bin.as_str())].into_iter().chain(vars).collect();
        let mut command = tersely(args, &vars);
        Ran::of(&command.current_dir(&self.folder).output().expect("it ends"))
    }

    /// Runs it and asserts success.
    pub(crate) fn well(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {ran:?}");
        ran
    }

    /// Runs `tersely doctor` without contacting a provider.
    pub(crate) fn doctor(&self) -> Ran {
        self.run(&["doctor", "--upstream", "http://127.0.0.1:9"])
    }

    /// Every file with its content and mode; a link with its target.
    pub(crate) fn all(&self) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
        let mut found = BTreeMap::new();
        walk(&self.folder, &mut found);
        found
    }
}

fn walk(folder: &Path, found: &mut BTreeMap<PathBuf, (Vec<u8>, u32)>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let about = path.symlink_metadata().expect("a file");
        if about.is_dir() {
            walk(&path, found);
        } else if about.is_symlink() {
            let target = fs::read_link(&path).expect("a link").into_os_string().into_encoded_bytes();
            found.insert(path, (target, 0));
        } else {
            found.insert(path.clone(), (fs::read(&path).expect("bytes"), about.permissions().mode() & 0o777));
        }
    }
}

impl Ran {
    fn of(ran: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: ran.status.code(), out: text(&ran.stdout), said: text(&ran.stderr) }
    }

    /// The JSON output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }
}
