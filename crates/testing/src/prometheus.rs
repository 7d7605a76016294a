//! Starts a real Prometheus on loopback, and runs its tool.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use serde_json::Value;

/// How long to wait for anything.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A server that scrapes several times a second; dropping this value stops it.
pub struct PrometheusServer {
    port: u16,
    child: Child,
    folder: PathBuf,
}

impl PrometheusServer {
    /// Starts a server that scrapes this address, with additional flags.
    pub fn start(target: &str, flags: &[&str]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("tersely-prometheus-{}-{number}", process::id()));
        fs::create_dir_all(&folder).expect("a folder for a server");
        let jobs = format!("[{{job_name: tersely, static_configs: [{{targets: ['{target}']}}]}}]");
        let settings = format!("global: {{scrape_interval: 250ms}}\nscrape_configs: {jobs}\n");
        fs::write(folder.join("prometheus.yml"), settings).expect("its settings");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        drop(listener);
        let child = Command::new(programs().join("prometheus"))
            .arg(format!("--config.file={}", folder.join("prometheus.yml").display()))
            .arg(format!("--storage.tsdb.path={}", folder.join("data").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .args(flags)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("prometheus starts");
        Self { port, child, folder }
    }

    /// Waits until a query returns `expected`.
    pub fn comes_to(&self, query: &str, expected: f64) {
        let start = Instant::now();
        loop {
            let found = self.query(query);
            if found.is_some_and(|found| (found - expected).abs() < 1e-9) {
                return;
            }
            assert!(start.elapsed() < TIMEOUT, "{query} is {found:?}, not {expected}");
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// The first number that a query returns, if any.
    pub fn query(&self, query: &str) -> Option<f64> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let path = format!("/api/v1/query?query={}", percent_encode(query));
        write!(stream, "GET {path} HTTP/1.0\r\nhost: localhost\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let answer: Value = serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()?;
        answer["data"]["result"][0]["value"][1].as_str()?.parse().ok()
    }
}

impl Drop for PrometheusServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The output of `promtool` for these arguments and this input.
pub fn promtool(words: &[&str], input: &str) -> Output {
    let mut tool = Command::new(programs().join("promtool"))
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool starts");
    tool.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    tool.wait_with_output().expect("it ends")
}

fn percent_encode(query: &str) -> String {
    query.bytes().fold(String::new(), |text, byte| format!("{text}%{byte:02X}"))
}

/// The folder of the programs: `$TERSELY_PROMETHEUS`, else one that our script finds or fills.
fn programs() -> &'static Path {
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        if let Some(named) = env::var_os("TERSELY_PROMETHEUS") {
            return named.into();
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("prometheus/install.py");
        let done = Command::new("python3").arg(script).output().expect("python3 runs");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.success(),
            "set TERSELY_PROMETHEUS to a folder with prometheus and promtool, or let them be installed: {said}"
        );
        String::from_utf8(done.stdout).expect("a path").trim().into()
    })
}
