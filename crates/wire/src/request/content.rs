//! Finds the texts of a result's content: a string, or the text blocks of an array. Images stay unchanged.

use std::ops::Range;

use tersely_json::{JsonError, JsonScan};

use crate::request::findings::RequestFindings;

/// The types of text blocks.
pub(crate) const TEXT: [&str; 3] = ["text", "input_text", "output_text"];

/// Collects the texts of the content at the current position.
pub(crate) fn texts<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    within(MAX_DEPTH, scan, found)
}

/// Collects the texts of a member whose parent must remain an object. If the member has no texts, the whole array or
/// object is held as one place.
pub(crate) fn member<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let mark = found.mark();
    let _ = scan.peek();
    let start = scan.at();
    texts(scan, found)?;
    if found.mark() == mark {
        found.hold_nested(scan.body(), start..scan.at());
    }
    Ok(())
}

/// Collects the texts of a message whose role is not known yet: they are a result's texts or a user's prompts.
pub(crate) fn message<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    if let Some(b'[' | b'{') = scan.peek() {
        return scan.items(|scan| {
            if let Some(text) = block(MAX_DEPTH - 1, scan, found)? {
                found.prompt(scan.body(), text);
            }
            Ok(())
        });
    }
    let place = scan.skip()?;
    found.hold_string(scan.body(), place.clone());
    found.prompt(scan.body(), place);
    Ok(())
}

/// The maximum nesting depth of blocks: a result, a document in it, the document's source, and the texts of the
/// source.
const MAX_DEPTH: usize = 4;

fn within<'a>(
    depth: usize,
    scan: &mut JsonScan<'a>,
    found: &mut RequestFindings<'a>,
) -> Result<(), JsonError> {
    match scan.peek() {
        Some(b'[' | b'{') if depth > 0 => scan.items(|scan| block(depth - 1, scan, found).map(drop)),
        _ => {
            let place = scan.skip()?;
            found.hold_string(scan.body(), place);
            Ok(())
        }
    }
}

/// Collects the texts of a block, and returns the place of its own text if it is a text block.
fn block<'a>(
    depth: usize,
    scan: &mut JsonScan<'a>,
    found: &mut RequestFindings<'a>,
) -> Result<Option<Range<usize>>, JsonError> {
    let (mut kind, mut text, mut cited, mut content, mut source) = (None, None, None, None, None);
    let mark = found.mark();
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"text" => scan.place(&mut text),
        b"citations" => scan.place(&mut cited),
        b"content" => {
            scan.once(&mut content, ())?;
            within(depth, scan, found)
        }
        b"source" => {
            scan.once(&mut source, ())?;
            origin(depth, scan, found)
        }
        _ => scan.skip().map(drop),
    })?;
    match kind.as_deref() {
        Some(kind) if TEXT.contains(&kind) => {
            found.forget(mark);
            if let Some(span) = &text {
                found.hold_string(scan.body(), span.clone());
            }
            return Ok(text);
        }
        Some("search_result" | "document") if !is_cited(scan, cited.as_ref()) => {}
        _ => found.forget(mark),
    }
    Ok(None)
}

/// Collects the text of a document: the `data` of a plain text, or the texts of its blocks.
fn origin<'a>(
    depth: usize,
    scan: &mut JsonScan<'a>,
    found: &mut RequestFindings<'a>,
) -> Result<(), JsonError> {
    let (mut kind, mut data, mut content) = (None, None, None);
    let mark = found.mark();
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"data" => scan.place(&mut data),
        b"content" => {
            scan.once(&mut content, ())?;
            within(depth, scan, found)
        }
        _ => scan.skip().map(drop),
    })?;
    match kind.as_deref() {
        Some("content") => {}
        Some("text") => {
            found.forget(mark);
            if let Some(span) = data {
                found.hold_string(scan.body(), span);
            }
        }
        _ => found.forget(mark),
    }
    Ok(())
}

/// True when citations are enabled. The model then quotes the text by character positions, and a person reads the
/// quotes, so the text must not change.
fn is_cited(scan: &JsonScan<'_>, citations: Option<&Range<usize>>) -> bool {
    citations.is_some_and(|span| scan.body()[span.clone()].windows(4).any(|word| word == b"true"))
}
