//! Recognises the sign between a name and its value: `=`, `:` or `>`, plain or escaped.

use std::ops::Range;

/// The range of a sign in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sign {
    pub(super) span: Range<usize>,
    pub(super) byte: u8,
    pub(super) spelling: SignSpelling,
}

/// How a sign is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignSpelling {
    Plain,
    /// Escaped, such as `\u003d` or `&#61;`.
    Escaped,
    /// `%3D`: the value after it is percent-encoded too.
    Percent,
}

const ESCAPES: &[(&str, u8, SignSpelling)] = &[
    ("\\u003d", b'=', SignSpelling::Escaped),
    ("\\u003a", b':', SignSpelling::Escaped),
    ("\\u003e", b'>', SignSpelling::Escaped),
    ("&#61;", b'=', SignSpelling::Escaped),
    ("&#x3d;", b'=', SignSpelling::Escaped),
    ("&#58;", b':', SignSpelling::Escaped),
    ("&gt;", b'>', SignSpelling::Escaped),
    ("%3d", b'=', SignSpelling::Percent),
    ("%3a", b':', SignSpelling::Percent),
];

impl Sign {
    /// The sign that begins at `at`.
    pub(super) fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let byte = *bytes.get(at)?;
        if matches!(byte, b'=' | b':' | b'>') {
            return Some(Self { span: at..at + 1, byte, spelling: SignSpelling::Plain });
        }
        if !matches!(byte, b'\\' | b'&' | b'%') {
            return None;
        }
        ESCAPES.iter().find_map(|&(word, byte, spelling)| {
            let here = bytes.get(at..at + word.len())?;
            here.eq_ignore_ascii_case(word.as_bytes()).then_some(Self {
                span: at..at + word.len(),
                byte,
                spelling,
            })
        })
    }
}
