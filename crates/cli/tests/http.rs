//! Tests `tersely http` between a client and a JSON API.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;

use tersely_codec::{Form, decode, json};

const ROWS: &str = r#"[{"id": 1, "name": "a", "ok": true}, {"id": 2, "name": "b", "ok": true}, {"id": 3, "name": "c", "ok": false}]"#;

/// An API that answers by path, and echoes request headers in `x-asked`.
fn api() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(&stream));
        }
    });
    address
}

fn answer(stream: &TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().expect("a socket")).lines().map_while(Result::ok);
    while let Some(first) = lines.next() {
        let path = first.split(' ').nth(1).unwrap_or("").to_owned();
        let mut asked = Vec::new();
        while let Some(line) = lines.next().filter(|line| !line.is_empty()) {
            let name = line.split(':').next().unwrap_or("").to_ascii_lowercase();
            if ["accept", "accept-encoding", "x-prefer-format", "if-none-match", "range"].contains(&&*name) {
                asked.push(line.replace(": ", "="));
            }
        }
        asked.sort();
        let (status, head, body) = match path.as_str() {
            "/rows" => {
                ("200 OK", "content-type: application/json\r\netag: \"v1\"\r\ncontent-md5: x\r\n", ROWS)
            }
            "/error" => ("404 Not Found", "content-type: application/problem+json; charset=utf-8\r\n", ROWS),
            "/broken" => ("500 Oh", "content-type: application/json\r\n", "[{\"id\": 1, "),
            "/text" => ("200 OK", "content-type: text/plain\r\n", ROWS),
            "/coded" => ("200 OK", "content-type: application/json\r\ncontent-encoding: gzip\r\n", ROWS),
            "/short" => ("200 OK", "content-type: application/json\r\n", "{}"),
            "/events" => ("200 OK", "content-type: text/event-stream\r\n", "data: {\"a\": 1}\n\n"),
            "/same" => ("304 Not Modified", "etag: \"v1\"\r\n", ""),
            _ => ("204 No Content", "", ""),
        };
        let length =
            if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
        let body = if first.starts_with("HEAD") { "" } else { body };
        let response =
            format!("HTTP/1.1 {status}\r\n{head}{length}x-asked: {}\r\n\r\n{body}", asked.join("; "));
        (&mut &*stream).write_all(response.as_bytes()).expect("answered");
    }
}

struct Door {
    process: Child,
    address: String,
}

impl Drop for Door {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn door() -> Door {
    door_with(&[])
}

fn door_with(settings: &[(&str, &str)]) -> Door {
    let mut process = Command::new(env!("CARGO_BIN_EXE_tersely"))
        .args(["http", "--listen", "127.0.0.1:0", "--upstream", &format!("http://{}", api())])
        .envs(settings.iter().copied())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    let mut hello = String::new();
    BufReader::new(process.stderr.take().expect("errors")).read_line(&mut hello).expect("a line");
    let address = hello.split("http://").nth(1).and_then(|rest| rest.split(',').next()).expect("an address");
    Door { address: address.to_owned(), process }
}

struct Answer {
    head: String,
    body: String,
}

impl Answer {
    fn get(&self, name: &str) -> Option<&str> {
        let line = |line: &'_ str| line.to_ascii_lowercase().starts_with(&format!("{name}: "));
        self.head.lines().find(|it| line(it)).and_then(|line| line.split_once(": ")).map(|(_, value)| value)
    }
}

impl Door {
    fn ask(&self, method: &str, path: &str, headers: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).expect("the door");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{headers}\r\n",
            self.address
        );
        stream.write_all(request.as_bytes()).expect("asked");
        let mut said = String::new();
        stream.read_to_string(&mut said).expect("answered");
        let (head, body) = said.split_once("\r\n\r\n").expect("a head");
        Answer { head: head.to_owned(), body: body.to_owned() }
    }
}

/// Behaviour 10.1.
#[test]
fn a_coding_is_answered_with_its_headers() {
    let door = door();
    let answer = door.ask("GET", "/rows", "Accept-Encoding: gzip, stc\r\n");
    assert_eq!(decode(Form::Stc, &answer.body).expect("STC"), json::decode(ROWS).expect("JSON"));
    let percent = (100 * answer.body.len() + ROWS.len() / 2) / ROWS.len();
    let ratio = format!("0.{percent}");
    for (name, value) in [
        ("content-encoding", Some("stc")),
        ("content-type", Some("application/stc+json")),
        ("x-stc-version", Some("1")),
        ("x-stc-ratio", Some(&*ratio)),
        ("etag", Some("\"v1-tersely-stc-coding\"")),
        ("content-md5", None),
        ("x-asked", Some("accept-encoding=identity")),
        ("content-length", Some(&*answer.body.len().to_string())),
    ] {
        assert_eq!(answer.get(name), value, "{}", answer.head);
    }
}

/// Behaviour 10.10.
#[test]
fn an_answer_that_has_no_room_passes_as_it_came() {
    let plain = door().ask("GET", "/rows", "");
    for (limit, has_room) in [("100", false), ("1MiB", true)] {
        let answer =
            door_with(&[("TERSELY_LIMITS_MEMORY", limit)]).ask("GET", "/rows", "x-prefer-format: terse\r\n");
        assert_eq!(answer.body == plain.body, !has_room, "{}", answer.body);
    }
}

/// Behaviour 10.5.
#[test]
fn a_format_is_preferred_by_name_or_by_media_type() {
    let door = door();
    for (headers, form, media) in [
        ("X-Prefer-Format: TOON\r\n", Form::Toon, "text/toon; charset=utf-8"),
        ("Accept: text/toon\r\n", Form::Toon, "text/toon; charset=utf-8"),
        ("X-Prefer-Format: terse\r\n", Form::Terse, "text/terse; charset=utf-8"),
        ("X-Prefer-Format: stc\r\nAccept: text/toon\r\n", Form::Stc, "application/stc+json"),
    ] {
        for path in ["/rows", "/error"] {
            let answer = door.ask("GET", path, headers);
            assert_eq!(answer.get("content-type"), Some(media), "{headers}{}", answer.head);
            assert_eq!(answer.get("content-encoding"), None);
            assert_eq!(decode(form, &answer.body).expect("the form"), json::decode(ROWS).expect("JSON"));
        }
    }
}

/// Behaviour 10.2 and 10.3.
#[test]
fn whatever_is_not_asked_for_passes_as_it_came() {
    let door = door();
    for (method, path, headers, body) in [
        ("GET", "/rows", "", ROWS),
        ("GET", "/rows", "Accept-Encoding: *\r\n", ROWS),
        ("GET", "/rows", "Accept-Encoding: stc;q=0\r\n", ROWS),
        ("GET", "/rows", "X-Prefer-Format: json\r\nAccept-Encoding: stc\r\n", ROWS),
        ("GET", "/rows", "Accept-Encoding: stc\r\nRange: bytes=0-9\r\n", ROWS),
        ("GET", "/text", "Accept-Encoding: stc\r\n", ROWS),
        ("GET", "/coded", "Accept-Encoding: stc\r\n", ROWS),
        ("GET", "/broken", "Accept-Encoding: stc\r\n", "[{\"id\": 1, "),
        ("GET", "/short", "Accept-Encoding: stc\r\n", "{}"),
        ("GET", "/events", "Accept: text/toon\r\n", "data: {\"a\": 1}\n\n"),
        ("GET", "/none", "Accept-Encoding: stc\r\n", ""),
        ("HEAD", "/rows", "Accept-Encoding: stc\r\n", ""),
    ] {
        let answer = door.ask(method, path, headers);
        assert_eq!(answer.body, body, "{method} {path} {headers}");
        assert_eq!(
            (answer.get("x-stc-ratio"), answer.get("x-tersely-ratio")),
            (None, None),
            "{path} {headers}"
        );
        assert!(!answer.head.contains("-tersely-"), "{}", answer.head);
    }
    let vary: Vec<_> = door
        .ask("GET", "/rows", "")
        .head
        .lines()
        .filter(|line| line.starts_with("vary"))
        .map(str::to_owned)
        .collect();
    assert_eq!(vary, ["vary: accept", "vary: accept-encoding", "vary: x-prefer-format"]);
}

/// Behaviour 10.3: the `ETag` of an encoded answer is translated back for the upstream.
#[test]
fn an_answer_can_be_asked_for_only_if_it_changed() {
    let door = door();
    let answer = door.ask("GET", "/same", "X-Prefer-Format: toon\r\nIf-None-Match: \"v1-tersely-toon\"\r\n");
    assert!(answer.head.starts_with("HTTP/1.1 304"), "{}", answer.head);
    assert_eq!(answer.get("etag"), Some("\"v1-tersely-toon\""));
    assert_eq!(answer.get("x-asked"), Some("accept-encoding=identity; if-none-match=\"v1\""));
}
