//! Recognises lines of pip, uv and poetry.

use crate::cut::family::sift::LineFate;
use crate::prefix::PrefixSet;

/// Steps for which pip prints one line at the start and one at the end.
const STEPS: [&str; 8] = [
    "Installing build dependencies",
    "Installing backend dependencies",
    "Getting requirements to build ",
    "Checking if build backend supports ",
    "Preparing metadata",
    "Preparing editable metadata",
    "Building wheel for ",
    "Building editable for ",
];

/// Beginnings of all lines that are recognised, behind their indentation.
static BEGINNINGS: PrefixSet = PrefixSet::new(&[
    "Downloading ",
    "Using cached ",
    "Downloaded ",
    "Obtaining dependency information for ",
    "━━━",
    "----",
    "|███",
    "╸━",
    "Installing ",
    "Getting ",
    "Checking ",
    "Preparing ",
    "Building ",
    "Created wheel for ",
    "Stored in directory: ",
]);

/// The fate of a line. Lines that are not recognised are kept.
pub(super) fn fate(line: &str) -> LineFate {
    if line.starts_with("Requirement already satisfied: ") {
        return LineFate::Noise("requirements that were there already");
    }
    let words = line.trim_start();
    if !BEGINNINGS.begin(words) {
        LineFate::Keep
    } else if is_download(line, words) || is_bar(words) {
        LineFate::Noise("downloads")
    } else if is_step(line, words) {
        LineFate::Noise("build steps")
    } else {
        LineFate::Keep
    }
}

/// True for `Downloading x-1.0-py3-none-any.whl (4 kB)` and `Downloaded x`.
fn is_download(line: &str, words: &str) -> bool {
    let Some(name) =
        ["Downloading ", "Using cached ", "Downloaded ", "Obtaining dependency information for "]
            .iter()
            .find_map(|verb| words.strip_prefix(verb))
    else {
        return false;
    };
    let sized = name.ends_with("B)") && name.contains(" (");
    sized
        || name.ends_with(".metadata")
        || (words.starts_with("Downloaded ") && line.starts_with(' ') && !name.contains(' '))
}

/// True for a progress bar, `━━━━━━ 4.0/4.0 kB 1.0 MB/s eta 0:00:00`, also in ASCII.
fn is_bar(words: &str) -> bool {
    let bar = words.starts_with("━━━")
        || words.starts_with("----")
        || words.starts_with("|███")
        || words.starts_with("╸━");
    bar && (words.contains("B/s") || words.ends_with('B') || words.contains(" eta "))
}

/// True for `Preparing metadata (pyproject.toml): finished with status 'done'`. Lines with any other status are kept.
fn is_step(line: &str, words: &str) -> bool {
    if !line.starts_with("  ") {
        return false;
    }
    let state = words.ends_with(": started") || words.ends_with(": finished with status 'done'");
    let waits = words.ends_with(": still running...");
    let wheel = words.starts_with("Created wheel for ") || words.starts_with("Stored in directory: ");
    wheel || ((state || waits) && STEPS.iter().any(|step| words.starts_with(step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fate of a line without a look at its beginning.
    fn slow_fate(line: &str) -> LineFate {
        let words = line.trim_start();
        match () {
            () if line.starts_with("Requirement already satisfied: ") => {
                LineFate::Noise("requirements that were there already")
            }
            () if is_download(line, words) || is_bar(words) => LineFate::Noise("downloads"),
            () if is_step(line, words) => LineFate::Noise("build steps"),
            () => LineFate::Keep,
        }
    }

    #[test]
    fn no_line_is_kept_for_its_beginning_that_its_end_would_omit() {
        let mut noise = 0;
        let starts = STEPS.into_iter().chain(BEGINNING_WORDS).chain([
            "",
            "Requirement already satisfied: ",
            "ERROR: ",
            "-",
        ]);
        for start in starts {
            for indent in ["", " ", "  ", "\t", "    "] {
                for end in [
                    "x",
                    "x (4 kB)",
                    "x.metadata",
                    "x: started",
                    "x: finished with status 'done'",
                    "x: finished with status 'error'",
                    "x: still running...",
                    " 4.0/4.0 kB 1.0 MB/s eta 0:00:00",
                    "B",
                    "",
                ] {
                    let line = format!("{indent}{start}{end}");
                    assert_eq!(fate(&line), slow_fate(&line), "{line:?}");
                    noise += usize::from(fate(&line) != LineFate::Keep);
                }
            }
        }
        assert!(noise > 100, "{noise}");
        assert_eq!(
            fate("  Building wheel for x: finished with status 'error'"),
            LineFate::Keep,
            "a failure is kept"
        );
    }

    const BEGINNING_WORDS: [&str; 10] = [
        "Downloading ",
        "Using cached ",
        "Downloaded ",
        "Obtaining dependency information for ",
        "━━━",
        "----",
        "|███",
        "╸━",
        "Created wheel for ",
        "Stored in directory: ",
    ];
}
