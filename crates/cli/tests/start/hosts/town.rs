//! Test servers, one for each address that a user may choose, and a stand-in program that prints its environment.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::stage::tersely;

/// The servers by name, and a monitored proxy for all other hosts.
pub(crate) struct Town {
    servers: BTreeMap<String, SocketAddr>,
    exit: SocketAddr,
    seen: Receiver<String>,
    tell: Sender<String>,
    folder: PathBuf,
}

/// The variables and arguments that a program gets.
pub(crate) struct Told {
    pub vars: BTreeMap<String, String>,
    pub args: Vec<String>,
}

/// The stand-in program: prints its arguments and environment, then waits.
const STAND_IN: &str = "#!/bin/sh\nfor arg; do printf '%s\\n' \"$arg\"; done\necho --\nenv\necho --\ncat\n";

impl Town {
    /// Starts without servers, in its own folder.
    pub(crate) fn new(test: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hosts").join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("bin")).expect("a folder");
        for name in ["claude", "codex", "opencode", "gemini", "agent"] {
            let path = folder.join("bin").join(name);
            fs::write(&path, STAND_IN).expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
        let (tell, seen) = channel();
        let exit = server(None, tell.clone());
        Self { servers: BTreeMap::new(), exit, seen, tell, folder }
    }

    /// The URL of a server, which starts at the first use.
    pub(crate) fn url(&mut self, name: &str) -> String {
        let tell = &self.tell;
        let open = || server(Some(name.to_owned()), tell.clone());
        format!("http://{}", self.servers.entry(name.to_owned()).or_insert_with(open))
    }

    /// An empty home with a project.
    pub(crate) fn home(&self) -> Home {
        let home = self.folder.join("home");
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(home.join("project")).expect("a folder");
        Home(home)
    }

    /// Runs a stand-in, passes what it got to the closure, and stops it.
    pub(crate) fn run(&self, home: &Home, args: &[&str], vars: &[(String, String)], then: impl FnOnce(Told)) {
        let path =
            format!("{}:{}", self.folder.join("bin").display(), std::env::var("PATH").unwrap_or_default());
        let exit = format!("http://{}", self.exit);
        let mut command =
            tersely(&[&["run", "--trust-folder"], args].concat(), &[("PATH", &path), ("HTTPS_PROXY", &exit)]);
        command.env("HOME", &home.0).envs(vars.iter().cloned()).current_dir(home.0.join("project"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let args: Vec<_> = lines.by_ref().take_while(|line| line != "--").collect();
        let env = lines.by_ref().take_while(|line| line != "--");
        let vars = env
            .filter_map(|line| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())));
        let told = Told { vars: vars.collect(), args };
        if told.vars.is_empty() {
            let mut said = String::new();
            let _ = child.stderr.take().expect("a pipe").read_to_string(&mut said);
            panic!("{args:?} did not start: {said}", args = told.args);
        }
        then(told);
        drop(child.stdin.take());
        child.wait().expect("an end");
    }

    /// The recipient of requests to `url`: a test server by name, or another host.
    pub(crate) fn lands(&self, url: &str) -> String {
        let Some(place) = url.strip_prefix("http://") else {
            return url.trim_start_matches("https://").split('/').next().unwrap_or_default().to_owned();
        };
        let (address, path) = place.split_once('/').unwrap_or((place, ""));
        if address == "127.0.0.1:11434" {
            return "ollama".to_owned();
        }
        let mut stream = TcpStream::connect(address).expect("somebody listens");
        let head = format!("POST /{path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer fake\r\n");
        let rest = "connection: close\r\ncontent-length: 0\r\n\r\n";
        stream.write_all(format!("{head}{rest}").as_bytes()).expect("a request is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let seen: Vec<_> = self.seen.try_iter().collect();
        match seen.as_slice() {
            [one] => one.clone(),
            [] if answer.contains("127.0.0.1:11434") => "ollama".to_owned(),
            other => panic!("{url}: {other:?} {answer}"),
        }
    }
}

/// A folder for settings.
pub(crate) struct Home(PathBuf);

impl Home {
    pub(crate) fn write(&self, path: &str, content: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("a folder");
        fs::write(path, content).expect("a file");
    }
}

/// A server that reports each request with a key: by its own name, or by the requested host.
fn server(name: Option<String>, tell: Sender<String>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let Some(head) = head(&mut stream) else { continue };
            let host = head.strip_prefix("CONNECT ").and_then(|rest| rest.split(':').next());
            let who = name.as_deref().or(host).unwrap_or("nobody").to_owned();
            let _ = tell.send(who);
            let _ = stream.write_all(b"HTTP/1.1 502 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    address
}

fn head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}
