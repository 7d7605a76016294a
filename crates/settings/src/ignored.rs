//! Reports what was ignored in a configuration file that the user did not choose.

use std::path::Path;

use super::layer::Layer;
use super::problem::Problem;

/// The maximum number of characters shown of one line. The limit exists because the file may come from a stranger.
const MAX_LINE_CHARS: usize = 300;

/// The maximum number of keys and problems that are listed.
const MAX_LINES: usize = 5;

/// Removes forbidden keys and problems from a layer, and returns one line about each of the two.
pub(crate) fn tell(path: &Path, layer: &mut Layer) -> Vec<String> {
    let file = path.display();
    let barred: Vec<_> = std::mem::take(&mut layer.barred);
    let problems = std::mem::take(&mut layer.problems);
    let names: Vec<_> = barred.iter().map(|(name, _)| format!("`{name}`")).collect();
    let barred = (!names.is_empty()).then(|| {
        let listed = few(&names);
        format!("ignored {listed} in {file}, because you did not name that file; to use all of it, pass --config {file}")
    });
    let faults: Vec<_> = problems.iter().map(ToString::to_string).collect();
    let faults = (!faults.is_empty()).then(|| format!("ignored: {}", few(&faults)));
    barred.into_iter().chain(faults).map(|line| printable(&line)).collect()
}

/// The message that a whole file was ignored, because it conflicts with the other settings.
pub(crate) fn whole(path: &Path, problems: &[Problem]) -> String {
    let first = problems.first().map_or(String::new(), ToString::to_string);
    printable(&format!("ignored {}, because you did not name that file: {first}", path.display()))
}

fn few(all: &[String]) -> String {
    let more = match all.len().saturating_sub(MAX_LINES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    all[..all.len().min(MAX_LINES)].join(", ") + &more
}

/// The line, shortened, with control characters replaced.
fn printable(line: &str) -> String {
    line.chars().map(|it| if it.is_control() { '?' } else { it }).take(MAX_LINE_CHARS).collect()
}
