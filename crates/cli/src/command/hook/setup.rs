//! The settings of a hook, and who answers it: the resident process, or this one.

use std::env;
use std::path::PathBuf;
use std::time::Instant;

use tersely_core::Loss;
use tersely_engine::Engine;
use tersely_history::HistorySink;
use tersely_hook::{HookAnswerer, KeptTexts};
#[cfg(unix)]
use tersely_hook::{ResidentPlace, ask, serve};
use tersely_settings::{self as settings, AllSettings, Flags, SettingSources};
use tersely_terminal::output;

use crate::history;

/// The folder that the client works in.
const PROJECT: &str = "CLAUDE_PROJECT_DIR";

/// What is left of the time of a call once the resident process has not answered.
#[cfg(unix)]
const RESERVE: std::time::Duration = std::time::Duration::from_millis(250);

/// The settings that apply in the client's folder.
pub(crate) struct HookSetup {
    sources: SettingSources,
    settings: AllSettings,
    loss: Loss,
}

impl HookSetup {
    /// Loads the settings; `None` if they are invalid, which is told on stderr.
    pub(super) fn load(loss: Loss) -> Option<Self> {
        let mut sources = SettingSources::new(&Flags::default());
        let project = env::var_os(PROJECT).map(PathBuf::from).filter(|folder| folder.is_dir());
        sources.here = project.or_else(|| env::current_dir().ok())?;
        match settings::load(&sources) {
            Ok(loaded) => Some(Self { settings: loaded.settings, sources, loss }),
            Err(problems) => {
                for problem in problems {
                    let _ = output::note(&format!("tersely hook: {problem}"));
                }
                None
            }
        }
    }

    /// Gives `print` the answer of the resident process, or else one of this process. The history is written after that.
    pub(super) fn answer(&self, told: &[u8], until: Instant, print: impl FnOnce(&[u8])) {
        #[cfg(unix)]
        if let Some(place) = self.place() {
            match until.checked_sub(RESERVE).map(|until| ask(&place, told, until)) {
                Some(Ok(answer)) => return print(&answer),
                // One that does not answer in time is there all the same.
                Some(Err(error)) if is_timeout(&error) => {}
                _ => self.start_resident(),
            }
        }
        let answerer = self.answerer();
        let result = answerer.answer(told);
        print(&result.bytes);
        answerer.record(&result);
        if let Some(history) = answerer.history() {
            let _ = history.finish(until.saturating_duration_since(Instant::now()));
        }
    }

    /// Answers hooks until there are no more.
    pub(super) fn stay(&self) {
        #[cfg(unix)]
        if let Some(place) = self.place() {
            // Without a resident process, every hook answers by itself.
            let _ = serve(&place, self.answerer());
        }
    }

    fn answerer(&self) -> HookAnswerer {
        let engine = Engine::new(self.settings.engine.clone());
        let choice = history::of_hook(&self.sources, &self.settings.seen.history);
        let history = choice.and_then(|choice| HistorySink::start(choice).ok());
        HookAnswerer::new(engine, self.loss, kept(&self.sources), history)
    }

    /// Where the resident process for these settings, this folder and this program is.
    #[cfg(unix)]
    fn place(&self) -> Option<ResidentPlace> {
        let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|it| it.is_absolute());
        let folder =
            runtime.map(|folder| folder.join("tersely")).or_else(|| settings::state_folder(&self.sources))?;
        let program = env::current_exe().ok()?;
        let version = program.metadata().ok()?.modified().ok()?;
        let Self { settings, loss, sources } = self;
        let all = (&settings.engine, &settings.seen.history, loss, &sources.here, program, version);
        ResidentPlace::new(&folder, tersely_account::stable_hash(&format!("{all:?}")))
    }

    #[cfg(unix)]
    fn start_resident(&self) {
        use std::os::unix::process::CommandExt as _;
        use std::process::{Command, Stdio};
        let Ok(program) = env::current_exe() else { return };
        let mut resident = Command::new(program);
        resident.args(["hook", "--resident", "--loss", self.loss.name()]);
        resident.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Keys that stop the client do not stop it.
        let _ = resident.process_group(0).spawn();
    }
}

/// The texts that were cut, if there is a place for them.
pub(crate) fn kept(sources: &SettingSources) -> Option<KeptTexts> {
    Some(KeptTexts::at(settings::state_folder(sources)?.join("kept")))
}

#[cfg(unix)]
fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock)
}
