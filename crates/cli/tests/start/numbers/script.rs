//! A scripted upstream that records its requests.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The next answers, and the recorded bodies with their answers.
#[derive(Clone, Default)]
pub(crate) struct Script(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    next: VecDeque<Answer>,
    bodies: Vec<(Answer, String)>,
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Answer {
    Status(u16),
    /// Closes the connection.
    Hangup,
    /// Takes longer than the client waits.
    Never,
}

impl Script {
    /// Starts an upstream that answers with success by default.
    pub(crate) fn start() -> (SocketAddr, Self) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let script = Self::default();
        let own = script.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let script = own.clone();
                thread::spawn(move || script.serve(stream));
            }
        });
        (address, script)
    }

    /// Queues an answer for the next request.
    pub(crate) fn then(&self, answer: Answer) {
        self.0.lock().expect("no panic").next.push_back(answer);
    }

    /// The latest body.
    pub(crate) fn last(&self) -> String {
        self.0.lock().expect("no panic").bodies.last().expect("a body").1.clone()
    }

    /// True once the last scripted answer has started.
    pub(crate) fn is_over(&self) -> bool {
        self.0.lock().expect("no panic").next.is_empty()
    }

    /// All bodies that were answered with success.
    pub(crate) fn bodies(&self) -> Vec<String> {
        let state = self.0.lock().expect("no panic");
        let good = state.bodies.iter().filter(|(answer, _)| *answer == Answer::Status(200));
        good.map(|(_, body)| body.clone()).collect()
    }

    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(body) = body(&mut reader) {
            let answer = {
                let mut state = self.0.lock().expect("no panic");
                let answer = state.next.pop_front().unwrap_or(Answer::Status(200));
                state.bodies.push((answer, body));
                answer
            };
            match answer {
                Answer::Status(status) => {
                    let head = format!("HTTP/1.1 {status} So\r\ncontent-type: application/json\r\n");
                    let answer = format!("{head}content-length: 2\r\n\r\n{{}}");
                    let _ = reader.get_mut().write_all(answer.as_bytes());
                }
                Answer::Hangup => return,
                Answer::Never => thread::sleep(Duration::from_mins(1)),
            }
        }
    }
}

fn body(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    String::from_utf8(body).ok()
}
