//! Recognises lines of apt, go modules and Maven.

use crate::cut::family::sift::LineFate;

/// The fate of a line. Lines that are not recognised are kept.
pub(super) fn fate(line: &str) -> LineFate {
    match line.as_bytes().first() {
        Some(b'G' | b'H' | b'I') if is_fetch(line) => LineFate::Noise("downloads"),
        Some(b'g') if line.starts_with("go: downloading ") || line.starts_with("go: extracting ") => {
            LineFate::Noise("downloads")
        }
        Some(b'D') if is_transfer(line) => LineFate::Noise("downloads"),
        Some(b'S' | b'P' | b'U' | b'(') if is_unpacking(line) => LineFate::Noise("unpacking"),
        _ => LineFate::Keep,
    }
}

/// True for `Get:12 http://...`.
fn is_fetch(line: &str) -> bool {
    let rest = ["Get:", "Hit:", "Ign:"].iter().find_map(|verb| line.strip_prefix(verb));
    let rest = rest.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.is_some_and(|rest| rest.starts_with(" http"))
}

/// True for `Downloaded from central: https://…/x.pom (2.1 kB at 12 kB/s)`.
fn is_transfer(line: &str) -> bool {
    let rest = ["Downloading from ", "Downloaded from "].iter().find_map(|verb| line.strip_prefix(verb));
    rest.is_some_and(|rest| rest.contains(": http"))
}

fn is_unpacking(line: &str) -> bool {
    line.starts_with("Selecting previously unselected package ")
        || line.starts_with("(Reading database ...")
        || (line.ends_with(" ...")
            && ["Preparing to unpack ", "Unpacking ", "Processing triggers for "]
                .iter()
                .any(|verb| line.starts_with(verb)))
}
