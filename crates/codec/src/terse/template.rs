//! Parses templates for values: `https://x/{owner.login}/{name}`.

use super::path;
use crate::Text;
use crate::scan::TextScan;

/// The maximum number of parts in a template, because each part is resolved for each record.
pub(super) const MAX_PARTS: usize = 64;

/// A piece of a template.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TemplatePart<'a> {
    /// Literal text.
    Text(&'a str),
    /// The value of the field at this path.
    Field(Vec<Text<'a>>),
}

/// Splits a template into its parts. Braces that do not contain a path are literal text.
pub(super) fn parse(text: &str) -> Vec<TemplatePart<'_>> {
    let mut parts = Vec::new();
    let mut from = 0;
    let mut look = 0;
    while let Some(found) = text[look..].find('{') {
        let open = look + found;
        let mut scan = TextScan::new(&text[open + 1..]);
        match path::read(&mut scan) {
            Ok(steps) if scan.eat(b'}') => {
                if open > from {
                    parts.push(TemplatePart::Text(&text[from..open]));
                }
                parts.push(TemplatePart::Field(steps));
                from = open + 1 + scan.at();
                look = from;
            }
            _ => look = open + 1,
        }
    }
    if from < text.len() {
        parts.push(TemplatePart::Text(&text[from..]));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_without_a_path_are_text() {
        assert_eq!(parse("a{/sha}").len(), 1);
        assert_eq!(parse("{a.b}/x{/sha}{c}").len(), 3);
        assert_eq!(parse("{").len(), 1);
        assert_eq!(parse("{{a}}").len(), 3);
    }
}
