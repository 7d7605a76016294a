//! Strips the comments and trailing commas that people write in JSON settings files.

/// Converts a text to plain JSON; strings stay unchanged.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(first) = rest.chars().next() {
        let (kept, length) = match first {
            '"' => (true, string(rest)),
            '/' if rest.starts_with("//") => (false, rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*") => (false, rest.find("*/").map_or(rest.len(), |at| at + 2)),
            ']' | '}' => {
                let end = out.trim_end().trim_end_matches(',').len();
                out.truncate(end);
                (true, 1)
            }
            _ => (true, first.len_utf8()),
        };
        let (piece, after) = rest.split_at(length);
        if kept {
            out.push_str(piece);
        }
        rest = after;
    }
    out
}

/// The length of the string at the start of a text.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn comments_and_last_commas_go_and_strings_stay() {
        for (text, expected) in [
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            ("{ // why\n\"a\": [1, 2,], /* so */ }", "{ \n\"a\": [1, 2]}"),
            (r#"{"url": "http://h/*x*/", "q": "\"//,}"}"#, r#"{"url": "http://h/*x*/", "q": "\"//,}"}"#),
            ("\u{feff}{}", "{}"),
            ("{\"a\": \"\\", "{\"a\": \"\\"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}
