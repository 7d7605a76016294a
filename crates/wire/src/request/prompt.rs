//! Finds the texts of user messages.

use std::borrow::Cow;
use std::ops::Range;

use tersely_json::{JsonError, JsonScan, scan_all, string};

use crate::request::content::TEXT;

/// A text in a user message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPrompt<'a> {
    /// The range of the string in the body, including the quotes.
    pub span: Range<usize>,
    /// The string exactly as written in the JSON.
    pub token: &'a [u8],
}

impl<'a> UserPrompt<'a> {
    /// The decoded text of the string; `None` if the text could not be encoded again.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'a, str>> {
        string::decode(self.token)
    }
}

/// The prompts found so far.
pub(crate) type FoundPrompts<'a> = Vec<UserPrompt<'a>>;

/// Finds the prompts of a whole body with `walk`.
pub(crate) fn find<'a>(
    body: &'a [u8],
    walk: impl FnOnce(&mut JsonScan<'a>, &mut FoundPrompts<'a>) -> Result<(), JsonError>,
) -> Result<FoundPrompts<'a>, JsonError> {
    scan_all(body, walk)
}

/// Reads the message at the current position, if it is a user's. Its content is a text or an array of blocks.
pub(crate) fn message<'a>(scan: &mut JsonScan<'a>, found: &mut FoundPrompts<'a>) -> Result<(), JsonError> {
    let (mut kind, mut role, mut content) = (None, None, None);
    let mark = found.len();
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"role" => scan.word(&mut role),
        b"content" => {
            scan.once(&mut content, ())?;
            match scan.peek() {
                Some(b'[' | b'{') => scan.items(|scan| block(scan, found)),
                _ => string(scan, found),
            }
        }
        _ => scan.skip().map(drop),
    })?;
    let is_message = matches!(kind.as_deref(), None | Some("message"));
    if !is_message || role.as_deref() != Some("user") {
        found.truncate(mark);
    }
    Ok(())
}

/// Adds the string at the current position; skips any other value.
pub(crate) fn string<'a>(scan: &mut JsonScan<'a>, found: &mut FoundPrompts<'a>) -> Result<(), JsonError> {
    let place = scan.skip()?;
    hold(scan.body(), place, found);
    Ok(())
}

fn block<'a>(scan: &mut JsonScan<'a>, found: &mut FoundPrompts<'a>) -> Result<(), JsonError> {
    let (mut kind, mut text) = (None, None);
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"text" => scan.place(&mut text),
        _ => scan.skip().map(drop),
    })?;
    if let (Some(kind), Some(span)) = (kind.as_deref(), text)
        && TEXT.contains(&kind)
    {
        hold(scan.body(), span, found);
    }
    Ok(())
}

/// Adds a range if it is a string that is not empty.
pub(crate) fn hold<'a>(body: &'a [u8], span: Range<usize>, found: &mut FoundPrompts<'a>) {
    let token = &body[span.clone()];
    if token.first() == Some(&b'"') && token.len() > 2 {
        found.push(UserPrompt { span, token });
    }
}
