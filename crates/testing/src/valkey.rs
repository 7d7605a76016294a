//! Starts real Valkey servers on loopback: one, or a cluster of six.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

/// How long to wait for anything.
const TIMEOUT: Duration = Duration::from_secs(30);

/// One server; dropping this value stops it.
pub struct ValkeyNode {
    /// Its port on loopback.
    pub port: u16,
    child: Child,
    folder: PathBuf,
    more: Vec<String>,
}

/// Three masters with a replica each; node `n + 3` replicates node `n`.
pub struct Cluster {
    /// The six nodes.
    pub nodes: Vec<ValkeyNode>,
}

impl ValkeyNode {
    /// Starts a single server.
    pub fn start() -> Self {
        let [port] = free_ports();
        Self::with(port, &[])
    }

    fn with(port: u16, more: &[String]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("tersely-valkey-{}-{number}", process::id()));
        fs::create_dir_all(&folder).expect("a folder for a server");
        let child = spawn(port, &folder, more);
        let node = Self { port, child, folder, more: more.to_vec() };
        node.wait();
        node
    }

    /// Restarts a killed server at the same port, empty.
    pub fn restart(&mut self) {
        self.child = spawn(self.port, &self.folder, &self.more);
        self.wait();
    }

    fn wait(&self) {
        until("a server that answers", || self.try_say("PING").is_some_and(|answer| answer == "+PONG"));
    }

    /// Its address for a client.
    pub fn address(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Sends one command and returns the first line of the answer.
    pub fn say(&self, command: &str) -> String {
        self.try_say(command).unwrap_or_else(|| panic!("no answer to {command}"))
    }

    /// The whole text of an answer that has several lines.
    pub fn ask(&self, command: &str) -> String {
        String::from_utf8(self.bytes(command)).expect("text")
    }

    /// The bytes of an answer.
    pub fn bytes(&self, command: &str) -> Vec<u8> {
        let (mut reader, head) = self.talk(command).unwrap_or_else(|| panic!("no answer to {command}"));
        bulk(&mut reader, &head)
    }

    /// The texts of an answer that is a list.
    pub fn list(&self, command: &str) -> Vec<String> {
        let (mut reader, head) = self.talk(command).unwrap_or_else(|| panic!("no answer to {command}"));
        let length: usize = head.trim_start_matches('*').parse().expect("a list");
        let item = |_| {
            let head = line(&mut reader).expect("an item");
            String::from_utf8(bulk(&mut reader, &head)).expect("text")
        };
        (0..length).map(item).collect()
    }

    /// Suspends the process; the kernel still accepts connections for it.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// Resumes the process.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    /// Kills the process.
    pub fn kill(&mut self) {
        self.child.kill().expect("a server to kill");
        self.child.wait().expect("its end");
    }

    fn signal(&self, name: &str) {
        let line = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &line]).status().expect("a shell").success(), "{line}");
    }

    fn try_say(&self, command: &str) -> Option<String> {
        self.talk(command).map(|(_, line)| line)
    }

    fn talk(&self, command: &str) -> Option<(BufReader<TcpStream>, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(TIMEOUT)).ok()?;
        stream.write_all(format!("{command}\r\n").as_bytes()).ok()?;
        let mut reader = BufReader::new(stream);
        let line = line(&mut reader)?;
        Some((reader, line))
    }
}

impl Drop for ValkeyNode {
    fn drop(&mut self) {
        // Works for a frozen process too.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Cluster {
    /// Starts six servers and waits until they agree that they are a cluster.
    pub fn start() -> Self {
        let ports = free_ports::<12>();
        let nodes: Vec<_> = ports[..6]
            .iter()
            .zip(&ports[6..])
            .map(|(&port, bus)| {
                let bus = bus.to_string();
                let more =
                    ["--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-port", &bus];
                ValkeyNode::with(port, &more.map(str::to_owned))
            })
            .collect();
        let cluster = Self { nodes };
        cluster.introduce(&ports[6..]);
        for (at, slots) in ["0 5460", "5461 10922", "10923 16383"].iter().enumerate() {
            assert_eq!(cluster.nodes[at].say(&format!("CLUSTER ADDSLOTSRANGE {slots}")), "+OK");
        }
        for at in 0..3 {
            let master = cluster.nodes[at].ask("CLUSTER MYID");
            let replica = &cluster.nodes[at + 3];
            until("a replica", || replica.say(&format!("CLUSTER REPLICATE {master}")) == "+OK");
        }
        cluster.settle();
        cluster
    }

    /// The addresses of all nodes.
    pub fn addresses(&self) -> Vec<String> {
        self.nodes.iter().map(ValkeyNode::address).collect()
    }

    fn introduce(&self, buses: &[u16]) {
        for (node, bus) in self.nodes.iter().zip(buses).skip(1) {
            assert_eq!(self.nodes[0].say(&format!("CLUSTER MEET 127.0.0.1 {} {bus}", node.port)), "+OK");
        }
        until("six nodes that know each other", || {
            self.nodes.iter().all(|node| node.ask("CLUSTER INFO").contains("cluster_known_nodes:6"))
        });
    }

    fn settle(&self) {
        until("a cluster that is ready", || {
            let ready = |node: &ValkeyNode| node.ask("CLUSTER INFO").contains("cluster_state:ok");
            let synced = |node: &ValkeyNode| node.ask("INFO replication").contains("master_link_status:up");
            self.nodes.iter().all(ready) && self.nodes[3..].iter().all(synced)
        });
    }
}

fn spawn(port: u16, folder: &Path, more: &[String]) -> Child {
    Command::new(server())
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--dir"])
        .arg(folder)
        .args(["--save", "", "--appendonly", "no", "--daemonize", "no", "--loglevel", "warning"])
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("valkey-server starts")
}

fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    Some(line.trim_end().to_owned())
}

fn bulk(reader: &mut impl BufRead, head: &str) -> Vec<u8> {
    let length: usize = head.trim_start_matches('$').parse().expect("a text");
    let mut bytes = vec![0; length + 2];
    reader.read_exact(&mut bytes).expect("the whole text");
    bytes.truncate(length);
    bytes
}

/// The valkey-server to run: `$TERSELY_VALKEY`, else one that our script installs into the cache.
fn server() -> &'static Path {
    static SERVER: OnceLock<PathBuf> = OnceLock::new();
    SERVER.get_or_init(|| {
        if let Some(named) = env::var_os("TERSELY_VALKEY") {
            return named.into();
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/valkey/install.py");
        let done = Command::new("python3").arg(script).output().expect("python3 runs");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.success(),
            "set TERSELY_VALKEY to a valkey-server, or let one be installed: {said}"
        );
        String::from_utf8(done.stdout).expect("a path").trim().into()
    })
}

/// Free ports.
fn free_ports<const N: usize>() -> [u16; N] {
    let listeners = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    listeners.map(|listener| listener.local_addr().expect("its address").port())
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < TIMEOUT, "waited too long for {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
