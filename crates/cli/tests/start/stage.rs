//! Test support for commands that start a gateway: a scripted upstream, and processes that end with the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// A request received by an upstream: its first line and its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub line: String,
    pub body: String,
}

/// An upstream that answers every request with `{}`, and reports what it received.
pub(crate) fn upstream(delay: Duration) -> (SocketAddr, Receiver<Seen>) {
    scripted(move |_| {
        thread::sleep(delay);
        (200, "{}".to_owned())
    })
}

/// An upstream that answers by a script, and first reports what it received.
pub(crate) fn scripted(
    script: impl Fn(&Seen) -> (u16, String) + Clone + Send + 'static,
) -> (SocketAddr, Receiver<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (tell, seen) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (tell, script) = (tell.clone(), script.clone());
            thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                while let Some(request) = request(&mut reader) {
                    let _ = tell.send(request.clone());
                    let (status, body) = script(&request);
                    let kind = if body.starts_with('{') { "application/json" } else { "text/event-stream" };
                    let head = format!(
                        "HTTP/1.1 {status} OK\r\ncontent-type: {kind}\r\ncontent-length: {}",
                        body.len()
                    );
                    let _ = reader.get_mut().write_all(format!("{head}\r\n\r\n{body}").as_bytes());
                }
            });
        }
    });
    (address, seen)
}

/// The next request of a connection.
pub(crate) fn request(reader: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim().to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if header.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Seen { line: line.trim().to_owned(), body: String::from_utf8(body).ok()? })
}

/// Posts a body; returns the whole answer.
pub(crate) fn post(address: &str, path: &str, body: &str) -> String {
    ask(address, &format!("POST {path} HTTP/1.1\r\ncontent-length: {}", body.len()), body)
}

/// Sends a GET request; returns the whole answer.
pub(crate) fn get(address: &str, path: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1"), "")
}

/// Sends a head and a body; returns the whole answer.
pub(crate) fn ask(address: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a gateway");
    let request = format!("{head}\r\nhost: localhost\r\nconnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).expect("a request is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// A running `tersely` process whose stderr is read; it ends with the test.
pub(crate) struct Running {
    pub child: Child,
    pub said: Receiver<String>,
}

/// Starts `tersely`, without the environment of the test run.
pub(crate) fn start(args: &[&str], env: &[(&str, &str)]) -> Running {
    listen_to(tersely(args, env))
}

/// Starts a prepared command.
pub(crate) fn listen_to(mut command: Command) -> Running {
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
    let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let (tell, said) = channel();
    thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
    Running { child, said }
}

/// Prepares the command.
pub(crate) fn tersely(args: &[&str], env: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tersely"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.args(args).env_clear().env("PATH", path).env("HOME", "/nowhere").stdin(Stdio::null());
    // Never writes to the developer's own history.
    command.env("TERSELY_HISTORY_RECORD", "off");
    command.envs(env.iter().copied());
    command
}

impl Running {
    /// The next line, with a time limit.
    pub(crate) fn line(&self) -> String {
        self.said.recv_timeout(Duration::from_mins(1)).expect("a line")
    }

    /// The address in the startup message.
    pub(crate) fn address(&self) -> String {
        let line = self.line();
        let (_, rest) = line.split_once("http://").expect("an address");
        rest.split(',').next().expect("an address").to_owned()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status().expect("kill");
        assert!(sent.success());
    }

    /// The exit code.
    pub(crate) fn code(&mut self) -> Option<i32> {
        self.child.wait().expect("an end").code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request in Anthropic's format with one long result, and the text of the result.
pub(crate) fn turn() -> (String, String) {
    let row = |id: usize| format!(r#"{{"id":{id},"name":"item-{id}","state":"open","owner":"team-a"}}"#);
    let rows: Vec<_> = (1..60).map(row).collect();
    let text = format!("[{}]", rows.join(","));
    let call = r#"{"type":"tool_use","id":"t","name":"Bash","input":{"command":"gh issue list"}}"#;
    let quoted = serde_json::Value::from(text.as_str());
    let result = format!(r#"{{"type":"tool_result","tool_use_id":"t","content":{quoted}}}"#);
    let body = format!(
        r#"{{"model" : "m", "messages":[{{"role":"assistant","content":[{call}]}},{{"role":"user","content":[{result}]}}]}}"#
    );
    (body, text)
}
