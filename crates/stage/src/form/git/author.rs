//! An author's mail address where the name is first said, and not again.

use std::collections::BTreeMap;

use crate::room::Room;

const AUTHOR: &str = "Author: ";

/// Longer ones are no authors.
const MAX_AUTHOR: usize = 256;

/// The text with such lines; `None` when no author comes twice.
pub(super) fn fold(text: &str) -> Option<String> {
    if !text.contains(AUTHOR) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut known = BTreeMap::new();
    let mut folded = false;
    for line in text.split_inclusive('\n') {
        let Some((name, mail)) = parts(line) else {
            out.push_str(line);
            continue;
        };
        if known.get(name) == Some(&mail) {
            folded = true;
            out.extend([AUTHOR, name, "\n"]);
        } else {
            known.insert(name, mail);
            out.push_str(line);
        }
    }
    folded.then_some(out)
}

/// The text that `fold` made this of.
pub(super) fn unfold(room: Room, text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut known = BTreeMap::new();
    for line in text.split_inclusive('\n') {
        if let Some((name, mail)) = parts(line) {
            known.insert(name, mail);
        }
        let name = line.strip_prefix(AUTHOR).and_then(|rest| rest.strip_suffix('\n'));
        match name.and_then(|name| Some((name, known.get(name)?))) {
            Some((name, mail)) => out.extend([AUTHOR, name, mail, "\n"]),
            None => out.push_str(line),
        }
        room.fits(out.len())?;
    }
    Some(out)
}

/// Name and mail, with the space between them, of a line that says both.
fn parts(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix(AUTHOR)?.strip_suffix('\n')?;
    let at = rest.find(" <")?;
    (rest.ends_with('>') && rest.len() <= MAX_AUTHOR).then(|| rest.split_at(at))
}
