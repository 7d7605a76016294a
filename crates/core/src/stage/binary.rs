//! Bytes that are no text, left out of sight.

use super::{Edit, Scene, Stage};
use crate::{Loss, Mode};

/// A text that is none.
pub(super) struct Binary;

impl Stage for Binary {
    fn keeps_text(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "binary"
    }

    fn mode(&self) -> Mode {
        Mode::Safe
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let text = is_binary(text).then(|| format!("[Binary output suppressed: {} bytes]", text.len()))?;
        Some(Edit { text, loss: Loss::Detail, note: String::new() })
    }
}

/// Shorter texts with control characters may be anything.
const MIN_CHARS: usize = 32;

/// Of a text, at most one character in so many controls something.
const RARITY: usize = 20;

fn is_binary(text: &str) -> bool {
    let controls = text.chars().filter(|char| controls(*char)).count();
    let chars = text.chars().count();
    text.contains('\0') || (chars > MIN_CHARS && controls * RARITY > chars)
}

/// True of what neither breaks lines, nor fills them, nor paints them.
fn controls(char: char) -> bool {
    char.is_control() && !matches!(char, '\n' | '\r' | '\t' | '\x1b')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, Plan};

    fn check(text: &str, expected: Option<&str>) {
        let scene = Scene { plan: &Plan::default(), call: Call::default() };
        let edit = Binary.apply(scene, text);
        assert_eq!(edit.as_ref().map(|edit| &*edit.text), expected, "{text:?}");
        assert!(edit.is_none_or(|edit| edit.loss == Loss::Detail));
    }

    /// Contract 3.4.
    #[test]
    fn binary_is_suppressed() {
        check("a\0b", Some("[Binary output suppressed: 3 bytes]"));
        check(&("\u{1}\u{2}".to_owned() + &"é".repeat(31)), Some("[Binary output suppressed: 64 bytes]"));
        check(
            &("\u{1}\u{2}\u{3}".to_owned() + &"x".repeat(56)),
            Some("[Binary output suppressed: 59 bytes]"),
        );
    }

    #[test]
    fn text_is_not() {
        check("", None);
        check(&"\u{1}".repeat(32), None);
        check(&("\u{1}\u{2}\u{3}".to_owned() + &"x".repeat(57)), None);
        check(&"\x1b\t\r\n".repeat(50), None);
        check(&"日本語\n".repeat(50), None);
    }
}
