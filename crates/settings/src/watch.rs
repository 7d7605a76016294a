//! Reloads settings when the file changes, or on SIGHUP.

use std::future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch::{Receiver, Sender, channel};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::{AllSettings, LoadedSettings, SettingSources, file, load};

/// How often the file is read. Its content is compared, so that every way of replacing the file is noticed.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The result of a reload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News<'a> {
    /// The settings have changed.
    Changed,
    /// The new settings are invalid, for the given reason; the old ones stay in effect.
    Refused(&'a str),
}

/// Sends new settings on SIGHUP and whenever the `loaded` file changes, and reports each reload.
///
/// The task ends once the receiver is dropped.
pub fn watch(
    sources: SettingSources,
    loaded: &LoadedSettings,
    tell: impl Fn(News<'_>) + Send + Sync + 'static,
) -> Receiver<Arc<AllSettings>> {
    let (sender, receiver) = channel(Arc::new(loaded.settings.clone()));
    let path = loaded.file.clone();
    // From here on, SIGHUP no longer ends the process.
    let signal = Signal::new();
    tokio::spawn(async move {
        tokio::select! {
            () = follow(sources, path, signal, &sender, tell) => {}
            () = sender.closed() => {}
        }
    });
    receiver
}

async fn follow(
    sources: SettingSources,
    path: Option<PathBuf>,
    mut signal: Signal,
    sender: &Sender<Arc<AllSettings>>,
    tell: impl Fn(News<'_>),
) {
    let mut seen = content(path.clone()).await;
    loop {
        let told = tokio::select! {
            () = signal.next() => true,
            () = sleep(POLL_INTERVAL) => false,
        };
        let now = content(path.clone()).await;
        if told || now != seen {
            seen = now;
            renew(sources.clone(), sender, &tell).await;
        }
    }
}

async fn renew(sources: SettingSources, sender: &Sender<Arc<AllSettings>>, tell: &impl Fn(News<'_>)) {
    let read = spawn_blocking(move || {
        let problems =
            |all: Vec<super::Problem>| all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        load(&sources).map(|loaded| loaded.settings).map_err(problems)
    });
    match read.await {
        Ok(Ok(settings)) => {
            sender.send_replace(Arc::new(settings));
            tell(News::Changed);
        }
        Ok(Err(why)) => tell(News::Refused(&why)),
        Err(_) => tell(News::Refused("the file could not be read")),
    }
}

/// The content of the file; `None` if there is no file, or it cannot be read.
async fn content(path: Option<PathBuf>) -> Option<Vec<u8>> {
    spawn_blocking(move || file::load(&path?).ok()).await.ok().flatten()
}

/// Receives SIGHUP, on systems that have it.
struct Signal {
    #[cfg(unix)]
    hangup: Option<tokio::signal::unix::Signal>,
}

impl Signal {
    #[cfg(unix)]
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self { hangup: signal(SignalKind::hangup()).ok() }
    }

    #[cfg(not(unix))]
    fn new() -> Self {
        Self {}
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        match &mut self.hangup {
            Some(hangup) => drop(hangup.recv().await),
            None => future::pending().await,
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Mutex;

    use tersely_core::Mode;
    use tokio::time::timeout;

    use super::*;
    use crate::Flags;

    /// Watches a file of its own, and records the reports.
    struct Scene {
        path: PathBuf,
        told: Arc<Mutex<Vec<String>>>,
        receiver: Receiver<Arc<AllSettings>>,
    }

    fn scene(name: &str, text: &str) -> Scene {
        let path = std::env::temp_dir().join(format!("tersely-{}-{name}.toml", std::process::id()));
        fs::write(&path, text).unwrap();
        let flags = Flags { config: Some(path.clone()), ..Flags::default() };
        let sources = SettingSources { flags, ..SettingSources::default() };
        let told = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&told);
        let tell = move |news: News<'_>| kept.lock().unwrap().push(format!("{news:?}"));
        let receiver = watch(sources.clone(), &load(&sources).unwrap(), tell);
        Scene { path, told, receiver }
    }

    impl Scene {
        fn mode(&self) -> Mode {
            self.receiver.borrow().engine.plan.mode
        }

        /// Waits until the mode is `mode`. Signals of other tests may send the same settings again.
        async fn becomes(&mut self, mode: Mode) {
            let changed = self.receiver.wait_for(|settings| settings.engine.plan.mode == mode);
            timeout(Duration::from_secs(10), changed).await.unwrap().unwrap();
        }

        async fn wait_for(&self, part: &str) {
            for _ in 0..200 {
                if self.told.lock().unwrap().iter().any(|news| news.contains(part)) {
                    return;
                }
                sleep(Duration::from_millis(50)).await;
            }
            panic!("{part:?} was not told: {:?}", self.told.lock().unwrap());
        }
    }

    #[tokio::test]
    async fn a_changed_file_is_heard_and_a_bad_one_refused() {
        let mut scene = scene("change", "mode = \"safe\"\n");
        assert_eq!(scene.mode(), Mode::Safe);
        sleep(Duration::from_millis(100)).await;
        fs::write(&scene.path, "mode = \"aggressive\"\n").unwrap();
        scene.becomes(Mode::Aggressive).await;
        fs::write(&scene.path, "\nmoed = \"safe\"\n").unwrap();
        scene.wait_for(":2: moed: unknown key; did you mean mode?").await;
        assert_eq!(scene.mode(), Mode::Aggressive);
        fs::remove_file(&scene.path).unwrap();
        scene.wait_for("no such file").await;
        assert_eq!(scene.mode(), Mode::Aggressive);
        fs::write(&scene.path, "mode = \"off\"\n").unwrap();
        scene.becomes(Mode::Disabled).await;
        fs::remove_file(&scene.path).unwrap();
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_hangup_reads_everything_again() {
        let scene = scene("hangup", "mode = \"safe\"\n");
        let own = std::process::id().to_string();
        assert!(std::process::Command::new("kill").args(["-HUP", &own]).status().unwrap().success());
        scene.wait_for("Changed").await;
        assert_eq!(scene.mode(), Mode::Safe);
        fs::remove_file(&scene.path).unwrap();
    }
}
