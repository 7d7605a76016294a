//! A process that stays, and answers hooks over a socket that only the user can reach.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::answerer::{HookAnswerer, MAX_INPUT_BYTES};
use crate::kept_texts::private_folder;

/// The longest path that a socket can have on every system.
const MAX_PATH_BYTES: usize = 100;

/// How long the process stays without a call.
const MAX_IDLE: Duration = Duration::from_mins(15);

/// How often it looks whether it is idle.
const LOOK: Duration = Duration::from_secs(20);

/// The maximum number of calls at the same time; further ones get no answer.
const MAX_CALLS: usize = 16;

/// How long it waits for a client that is slow.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where a resident process can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResidentPlace {
    folder: PathBuf,
    socket: PathBuf,
}

impl ResidentPlace {
    /// The place in this folder for processes with these settings; `None` if the path is too long for a socket.
    #[must_use]
    pub fn new(folder: &Path, settings: u64) -> Option<Self> {
        let socket = folder.join(format!("hook-{settings:016x}.sock"));
        let is_short = socket.as_os_str().len() <= MAX_PATH_BYTES;
        is_short.then(|| Self { folder: folder.to_owned(), socket })
    }

    /// Creates the folder. An error if others could put a socket there.
    fn prepare(&self) -> io::Result<()> {
        private_folder(&self.folder)?;
        let about = fs::symlink_metadata(&self.folder)?;
        let is_private = about.is_dir() && about.mode() & 0o022 == 0;
        if is_private { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }
}

/// Asks the resident process, which has until `deadline`.
///
/// # Errors
/// If there is none, or if it does not answer in time.
pub fn ask(place: &ResidentPlace, told: &[u8], deadline: Instant) -> io::Result<Vec<u8>> {
    let left = || {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::Error::from(io::ErrorKind::TimedOut)) } else { Ok(Some(left)) }
    };
    place.prepare()?;
    let mut stream = UnixStream::connect(&place.socket)?;
    stream.set_write_timeout(left()?)?;
    stream.write_all(told)?;
    stream.shutdown(Shutdown::Write)?;
    let (mut answer, mut piece) = (Vec::new(), [0; 16 << 10]);
    loop {
        stream.set_read_timeout(left()?)?;
        match stream.read(&mut piece)? {
            // An answer ends with a newline, unless its process was killed.
            0 if answer.last().is_none_or(|last| *last == b'\n') => return Ok(answer),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => answer.extend_from_slice(&piece[..read]),
        }
    }
}

/// Answers calls until there were none for a while. Returns at once if another process answers here.
///
/// # Errors
/// If the socket cannot be created.
pub fn serve(place: &ResidentPlace, answerer: HookAnswerer) -> io::Result<()> {
    place.prepare()?;
    let lock = place.socket.with_extension("lock");
    let lock = OpenOptions::new().create(true).write(true).truncate(false).mode(0o600).open(lock)?;
    if lock.try_lock().is_err() {
        return Ok(());
    }
    // The process that left this socket is gone, because we have its lock.
    let _ = fs::remove_file(&place.socket);
    let listener = UnixListener::bind(&place.socket)?;
    fs::set_permissions(&place.socket, Permissions::from_mode(0o600))?;
    answerer.prune();
    let resident = Arc::new(Resident {
        answerer,
        begun: Instant::now(),
        last: AtomicU64::new(0),
        calls: AtomicUsize::new(0),
    });
    let calls = Arc::clone(&resident);
    thread::Builder::new().spawn(move || calls.accept(&listener))?;
    // Nobody can reach it without the socket.
    while !resident.is_idle() && place.socket.exists() {
        thread::sleep(LOOK);
    }
    let _ = fs::remove_file(&place.socket);
    if let Some(history) = resident.answerer.history() {
        let _ = history.finish(PATIENCE);
    }
    Ok(())
}

struct Resident {
    answerer: HookAnswerer,
    begun: Instant,
    /// The second of the latest call since the beginning.
    last: AtomicU64,
    calls: AtomicUsize,
}

impl Resident {
    fn accept(self: Arc<Self>, listener: &UnixListener) {
        for stream in listener.incoming().flatten() {
            self.last.store(self.begun.elapsed().as_secs(), Ordering::Relaxed);
            if self.calls.fetch_add(1, Ordering::AcqRel) < MAX_CALLS {
                let here = Arc::clone(&self);
                // Without a thread, the call gets no answer.
                let begun = thread::Builder::new().spawn(move || {
                    let _ = here.answer(stream);
                    here.calls.fetch_sub(1, Ordering::AcqRel);
                });
                if begun.is_ok() {
                    continue;
                }
            }
            self.calls.fetch_sub(1, Ordering::AcqRel);
        }
    }

    fn answer(&self, mut stream: UnixStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut told = Vec::new();
        (&stream).take(MAX_INPUT_BYTES).read_to_end(&mut told)?;
        let answered = self.answerer.answer(&told);
        let written = stream.write_all(&answered.bytes);
        drop(stream);
        // A client that has gone did not use the answer.
        if written.is_ok() {
            self.answerer.record(&answered);
        }
        written
    }

    fn is_idle(&self) -> bool {
        let last = Duration::from_secs(self.last.load(Ordering::Relaxed));
        self.calls.load(Ordering::Acquire) == 0 && self.begun.elapsed().saturating_sub(last) > MAX_IDLE
    }
}
