//! Locates the history file, and decides which commands record one.

use std::env;
use std::path::PathBuf;

use tersely_history::HistorySettings;
use tersely_settings::{self as settings, AllSettings, HistoryChoice, SettingSources};
use tersely_terminal::output::visible;

/// The maximum length of a project name.
const MAX_NAME_CHARS: usize = 80;

/// The path of the history file, if there is a folder for it.
pub(crate) fn file(sources: &SettingSources, choice: &HistoryChoice) -> Option<PathBuf> {
    if choice.file.is_empty() {
        return Some(settings::state_folder(sources)?.join("history.db"));
    }
    Some(PathBuf::from(&choice.file))
}

/// The history settings of `run`. It serves one person on their own machine, where nothing else records the savings.
pub(crate) fn of_run(sources: &SettingSources, choice: &HistoryChoice) -> Option<HistorySettings> {
    if choice.record == "off" {
        return None;
    }
    let project = choice.project.then(project).flatten();
    Some(HistorySettings { file: Some(file(sources, choice)?), days: choice.days, project })
}

/// The history settings of `hook`, which serves one person as well.
pub(crate) fn of_hook(sources: &SettingSources, choice: &HistoryChoice) -> Option<HistorySettings> {
    let project = sources.here.file_name().map(|name| project_name(&name.to_string_lossy()));
    let usual = of_run(sources, choice)?;
    Some(HistorySettings { project: project.filter(|_| choice.project), ..usual })
}

/// The history settings of `serve`. On a loopback address, `serve` is used by one person, like `run`. Elsewhere it may
/// serve many people, on a machine where nobody watches the disk, and its operators have metrics. So it writes no file
/// unless configured to, and keeps the dashboard's data only in memory.
pub(crate) fn of_server(sources: &SettingSources, meant: &AllSettings) -> Option<HistorySettings> {
    let choice = &meant.seen.history;
    let records = match choice.record {
        "on" => true,
        "off" => false,
        _ => !choice.file.is_empty() || meant.gateway.listen.ip().is_loopback(),
    };
    let file = if records { file(sources, choice) } else { None };
    let is_seen = file.is_some() || meant.gateway.admin.listen.is_some();
    is_seen.then_some(HistorySettings { file, days: choice.days, project: None })
}

/// The name of the current folder.
fn project() -> Option<String> {
    let folder = env::current_dir().ok()?;
    Some(project_name(&folder.file_name()?.to_string_lossy()))
}

fn project_name(folder: &str) -> String {
    visible(folder).chars().take(MAX_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};

    use super::*;

    fn sources() -> SettingSources {
        let environment = [("HOME".to_owned(), "/x".to_owned())].into();
        SettingSources { environment, ..SettingSources::default() }
    }

    fn choice(record: &'static str, file: &str) -> HistoryChoice {
        HistoryChoice { record, file: file.to_owned(), ..HistoryChoice::default() }
    }

    #[test]
    fn a_run_is_recorded_unless_someone_says_no() {
        let usual = of_run(&sources(), &choice("auto", "")).unwrap();
        assert_eq!(usual.file, Some(PathBuf::from("/x/.local/state/tersely/history.db")));
        assert!(usual.project.is_some_and(|name| !name.contains('/')));
        assert_eq!(of_run(&sources(), &choice("off", "/there")), None);
        let nameless = HistoryChoice { project: false, ..choice("on", "/there") };
        let nameless = of_run(&sources(), &nameless).unwrap();
        assert_eq!((nameless.file, nameless.project), (Some(PathBuf::from("/there")), None));
        assert_eq!(of_run(&SettingSources::default(), &choice("auto", "")), None, "there is no place for it");
    }

    #[test]
    fn a_server_that_others_reach_writes_a_file_only_if_told_to() {
        let file = |record, file, listen| {
            let mut meant = AllSettings::default();
            meant.gateway.listen = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 1));
            meant.seen.history = choice(record, file);
            meant.gateway.admin.listen = listen;
            of_server(&sources(), &meant).map(|settings| settings.file)
        };
        let here = Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 1)));
        let usual = Some(PathBuf::from("/x/.local/state/tersely/history.db"));
        assert_eq!(file("auto", "", None), None);
        assert_eq!(file("auto", "", here), Some(None), "the dashboard remembers while it runs");
        assert_eq!(file("off", "/there", here), Some(None));
        assert_eq!(file("on", "", None), Some(usual));
        assert_eq!(file("auto", "/there", None), Some(Some(PathBuf::from("/there"))));
    }

    #[test]
    fn a_server_on_a_loopback_address_is_recorded_unless_someone_says_no() {
        let file = |record| {
            let mut meant = AllSettings::default();
            meant.seen.history = choice(record, "");
            of_server(&sources(), &meant).map(|settings| settings.file)
        };
        assert_eq!(file("auto"), Some(Some(PathBuf::from("/x/.local/state/tersely/history.db"))));
        assert_eq!(file("off"), None);
    }
}
