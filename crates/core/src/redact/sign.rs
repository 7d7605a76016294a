//! What stands between a name and its value: `=`, `:` or `>`, as it comes or as it is spelled where it may not.

use std::ops::Range;

/// A sign's place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sign {
    pub(super) span: Range<usize>,
    pub(super) byte: u8,
    pub(super) spelling: Spelling,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    Plain,
    /// `\u003d`, `&#61;`.
    Escaped,
    /// `%3D`: what follows is spelled so too.
    Percent,
}

const SPELLED: &[(&str, u8, Spelling)] = &[
    ("\\u003d", b'=', Spelling::Escaped),
    ("\\u003a", b':', Spelling::Escaped),
    ("\\u003e", b'>', Spelling::Escaped),
    ("&#61;", b'=', Spelling::Escaped),
    ("&#x3d;", b'=', Spelling::Escaped),
    ("&#58;", b':', Spelling::Escaped),
    ("&gt;", b'>', Spelling::Escaped),
    ("%3d", b'=', Spelling::Percent),
    ("%3a", b':', Spelling::Percent),
];

impl Sign {
    /// The sign that the byte at `at` is or begins.
    pub(super) fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let byte = *bytes.get(at)?;
        if matches!(byte, b'=' | b':' | b'>') {
            return Some(Self { span: at..at + 1, byte, spelling: Spelling::Plain });
        }
        SPELLED.iter().find_map(|&(word, byte, spelling)| {
            let here = bytes.get(at..at + word.len())?;
            here.eq_ignore_ascii_case(word.as_bytes()).then_some(Self {
                span: at..at + word.len(),
                byte,
                spelling,
            })
        })
    }
}
