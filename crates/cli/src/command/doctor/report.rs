//! Renders a page for a bug report. It reveals nothing private: no address, path, name, key or text.

use std::env::consts::{ARCH, OS};
use std::fmt::Write as _;
use std::thread::available_parallelism;

use tersely_account::RequestSums;
use tersely_history::{HistoryPeriod, HistoryReader, HistoryView};
use tersely_settings::{LoadedSettings, SettingOrigin, SettingSources};

use crate::command::doctor::finding::{Finding, State};
use crate::history;

const HEAD: &str = "\
<!-- Made by `tersely doctor --report`. It contains none of your addresses, paths, keys or texts. Read it before you post it. -->
What happened, and what you expected:

";

/// The part of the page about the program, its settings and its statistics.
pub(crate) fn about(sources: &SettingSources, loaded: &LoadedSettings) -> String {
    let mut page = program(loaded);
    settings(&mut page, loaded);
    let file = history::file(sources, &loaded.settings.seen.history);
    let sums = file.and_then(|file| HistoryReader::open(&file).ok()?.look(everything).ok());
    if let Some(sums) = sums {
        write_recorded(&mut page, &sums);
    }
    page
}

/// The whole page.
pub(crate) fn page(findings: &[Finding], about: &str) -> String {
    let mut page = format!("{HEAD}{about}\n### Checks\n\n");
    for finding in findings {
        if let Some(words) = &finding.public {
            let _ = writeln!(page, "- {}{words}", mark(finding.state));
        }
    }
    page.truncate(page.trim_end().len());
    page
}

/// The mark in front of a finding; empty for neutral findings.
fn mark(state: State) -> &'static str {
    match state {
        State::Good => "ok: ",
        State::Open => "",
        State::Bad => "**bad**: ",
    }
}

fn program(loaded: &LoadedSettings) -> String {
    let (version, libc) = (env!("CARGO_PKG_VERSION"), if cfg!(target_env = "musl") { " (musl)" } else { "" });
    let processors = available_parallelism().map_or(0, usize::from);
    let file = if loaded.file.is_some() { "a configuration file" } else { "no configuration file" };
    format!("- Tersely {version}, {OS} {ARCH}{libc}, {processors} processors, {file}\n")
}

fn settings(page: &mut String, loaded: &LoadedSettings) {
    let said = loaded.entries.iter().filter(|entry| entry.origin != SettingOrigin::Default);
    let said: Vec<_> = said.map(|entry| format!("- `{}`\n", entry.public)).collect();
    if !said.is_empty() {
        let _ = write!(page, "\n### Settings that differ from the default\n\n{}", said.concat());
    }
}

fn write_recorded(page: &mut String, sums: &RequestSums) {
    let RequestSums { requests, failed, before, after, fetched, results, changed, .. } = sums;
    let _ = write!(
        page,
        "\n### Recorded so far\n\n- {requests} requests, and {failed} that failed\n- {before} tokens compressed to {after}; fetching \
         text back took {fetched} tokens\n- {changed} of {results} tool results changed\n"
    );
}

fn everything(view: &HistoryView) -> Result<RequestSums, tersely_history::HistoryError> {
    view.sums(HistoryPeriod::All)
}
