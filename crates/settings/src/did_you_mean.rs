//! Finds the known name that a mistyped name was probably meant to be.

/// The name most similar to `typed`, if any is similar enough.
pub(crate) fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_ascii_lowercase().replace('-', "_");
    let scored = names.into_iter().map(|name| (score(&typed, name), name));
    let near = scored.filter(|(score, _)| *score >= 0.75);
    let best = near.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, name)| name)
}

/// The similarity of two names, from 0 to 1. A key typed in the wrong group is very similar to the key in the right
/// group.
fn score(typed: &str, name: &str) -> f64 {
    let leaf = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let whole = strsim::normalized_damerau_levenshtein(typed, &name.to_ascii_lowercase());
    let last = strsim::normalized_damerau_levenshtein(&leaf(typed), &leaf(&name.to_ascii_lowercase()));
    whole.max(last * 0.95)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_of_the_hand_is_understood() {
        let names = ["mode", "min_bytes", "limits.body", "timeouts.connect"];
        for (typed, meant) in [
            ("min_byte", Some("min_bytes")),
            ("Min-Bytes", Some("min_bytes")),
            ("moed", Some("mode")),
            ("body", Some("limits.body")),
            ("limits.connect", Some("timeouts.connect")),
            ("colour", None),
        ] {
            assert_eq!(nearest(typed, names), meant, "{typed}");
        }
    }
}
