//! Parses one terminal control sequence at a time.
//!
//! Only a complete, known sequence counts, because a source file may contain an escape character as text.

/// A control sequence, with its parameters unparsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code<'a> {
    Colour(&'a str),
    Erase(&'a str),
    Column(&'a str),
    Forward(&'a str),
    Jump,
    Up(&'a str),
    Down(&'a str),
    /// Erases everything below the cursor.
    Below,
    /// Has no effect on the text.
    Other,
}

/// How to read sequences in caret notation, such as `^[[36m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carets {
    Codes,
    /// Carets are plain text: a pattern in source code, or the output of `cat -v`.
    Letters,
}

/// The control sequence at the start of `text`, and its length.
pub(super) fn read(text: &str, carets: Carets) -> Option<(Code<'_>, usize)> {
    match *text.as_bytes() {
        [b'\x1b', b'[', ..] => control(text, 2),
        [b'\x1b', b']' | b'P' | b'X' | b'^' | b'_', ..] => string(text.as_bytes()),
        [b'\x1b', b' ' | b'#' | b'%' | b'('..=b'/', last, ..] if last.is_ascii_alphanumeric() => {
            Some((Code::Other, 3))
        }
        [b'\x1b', last, ..] if b"78=>DEHMNOZc\\".contains(&last) => Some((Code::Other, 2)),
        // Without a number, this may be a regular expression, as in `^[[A-Z]`.
        [b'^', b'[', b'[', b'0'..=b'9', ..] if carets == Carets::Codes => control(text, 3),
        _ => None,
    }
}

/// Parses a CSI sequence: parameters, and a final letter that determines its effect.
fn control(text: &str, open: usize) -> Option<(Code<'_>, usize)> {
    let body = text.get(open..)?;
    let numbers = body.bytes().take_while(|byte| (b'0'..=b'?').contains(byte)).count();
    let (numbers, rest) = body.split_at(numbers);
    let gap = usize::from(rest.starts_with([' ', '!']));
    let letter = *rest.as_bytes().get(gap)?;
    let code = match letter {
        _ if gap > 0 => Code::Other,
        b'm' => Code::Colour(numbers),
        b'K' => Code::Erase(numbers),
        b'G' => Code::Column(numbers),
        b'C' => Code::Forward(numbers),
        b'H' | b'f' => Code::Jump,
        b'A' | b'F' => Code::Up(numbers),
        b'B' | b'E' => Code::Down(numbers),
        b'J' if matches!(numbers, "" | "0") => Code::Below,
        _ => Code::Other,
    };
    let known = letter.is_ascii_alphabetic() || matches!(letter, b'@' | b'`');
    known.then_some((code, open + numbers.len() + gap + 1))
}

/// Parses a sequence that contains a string, such as a window title or the address of a link.
fn string(bytes: &[u8]) -> Option<(Code<'_>, usize)> {
    let ends = |byte: &u8| byte.is_ascii_control();
    let end = 2 + bytes.get(2..)?.iter().position(ends)?;
    match bytes[end..] {
        [b'\x07', ..] => Some((Code::Other, end + 1)),
        [b'\x1b', b'\\', ..] => Some((Code::Other, end + 2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, code: Code<'_>, length: usize) {
        assert_eq!(read(text, Carets::Codes), Some((code, length)), "{text:?}");
    }

    #[test]
    fn codes_are_read() {
        check("\x1b[31mx", Code::Colour("31"), 5);
        check("\x1b[m", Code::Colour(""), 3);
        check("\x1b[38;2;1;2;3mx", Code::Colour("38;2;1;2;3"), 13);
        check("\x1b[2K", Code::Erase("2"), 4);
        check("\x1b[1G", Code::Column("1"), 4);
        check("\x1b[?25l", Code::Other, 6);
        check("\x1b[5 q", Code::Other, 5);
        check("\x1b(B", Code::Other, 3);
        check("\x1b7", Code::Other, 2);
        check("\x1b]0;title\x07x", Code::Other, 10);
        check("\x1b]8;;http://é\x1b\\x", Code::Other, 16);
        check("^[[36mx", Code::Colour("36"), 6);
    }

    #[test]
    fn letters_are_not() {
        for text in [
            "",
            "x",
            "\x1b",
            "\x1b[",
            "\x1b[3",
            "\x1b[${e}m",
            "\x1b[é",
            "\x1b]8;;x",
            "\x1b]8;;x\n\x07",
            "\x1b]8\x1b[m",
            "\x1bé",
            "\x1b(",
            "^[",
            "^[[",
            "^[[A-Z]",
            "^[[:space:]]",
            "^[[m",
            "^[[0-9]",
            "^[[0;",
        ] {
            assert_eq!(read(text, Carets::Codes), None, "{text:?}");
        }
        assert_eq!(read("^[[36m", Carets::Letters), None);
    }
}
