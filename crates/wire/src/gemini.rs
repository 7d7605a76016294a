//! Finds results in Gemini's contents, where `functionResponse` parts answer `functionCall` parts.
//!
//! A response is an object, and the model reads all of it. Each of its members that is a text, a list or an object is
//! a slot of its own, and its text goes back as a string under the same name: the response stays an object, as the API
//! wants it, and what is short beside what is long stays as it is. A member that holds blocks of text, as a
//! tool server's `content` does, has the texts of those blocks as slots instead.

use std::borrow::Cow;

use crate::call::Call;
use crate::command::command;
use crate::content::texts;
use crate::scan::Scan;
use crate::slot::{Answer, Found, find};
use crate::{Provider, Slot, WireError};

pub(crate) struct Gemini;

impl Provider for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn claims(&self, path: &str) -> bool {
        let method = path.rsplit('/').next().and_then(|end| end.split_once(':'));
        method.is_some_and(|(_, method)| METHODS.contains(&method))
    }

    fn slots<'a>(&self, body: &'a [u8]) -> Result<Vec<Slot<'a>>, WireError> {
        find(body, envelope)
    }
}

const METHODS: [&str; 3] = ["generateContent", "streamGenerateContent", "countTokens"];

/// The request itself, or what wraps it: a count's `generateContentRequest`, the `request` of a signed-in client.
fn envelope<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    let (mut bare, mut wrapped) = (None, None);
    scan.members(|scan, key| match key {
        b"contents" => {
            scan.once(&mut bare, ())?;
            scan.items(|scan| content(scan, found))
        }
        b"generateContentRequest" | b"generate_content_request" | b"request" => {
            scan.once(&mut wrapped, ())?;
            request(scan, found)
        }
        _ => scan.skip().map(drop),
    })
}

fn request<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    scan.items_of("contents", |scan| content(scan, found))
}

fn content<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    found.calls.begin();
    scan.items_of("parts", |scan| part(scan, found))
}

/// Google reads names in either case.
fn part<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    let mut data = None;
    scan.members(|scan, key| match key {
        b"functionCall" | b"function_call" => {
            scan.once(&mut data, ())?;
            call(scan, found)
        }
        b"functionResponse" | b"function_response" => {
            scan.once(&mut data, ())?;
            response(scan, found)
        }
        _ => scan.skip().map(drop),
    })
}

fn call<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    let (mut id, mut name, mut args) = (None, None, None);
    scan.members(|scan, key| match key {
        b"id" => scan.word(&mut id),
        b"name" => scan.word(&mut name),
        b"args" => {
            let command = command(scan)?;
            scan.once(&mut args, command)
        }
        _ => scan.skip().map(drop),
    })?;
    let (id, tool) = (id.unwrap_or_default(), name.unwrap_or_default());
    found.calls.make(Call { id, tool, command: args.flatten() });
    Ok(())
}

fn response<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    let (mut id, mut name, mut given) = (None, None, None);
    let (mark, mut is_error) = (found.mark(), false);
    scan.members(|scan, key| match key {
        b"id" => scan.word(&mut id),
        b"name" => scan.word(&mut name),
        b"response" => {
            scan.once(&mut given, ())?;
            scan.members(|scan, key| {
                is_error |= key == b"error" && scan.peek() != Some(b'n');
                member(scan, found)
            })
        }
        _ => scan.skip().map(drop),
    })?;
    let (id, tool): (Cow<'_, str>, _) = (id.unwrap_or_default(), name.unwrap_or_default());
    found.settle(mark, scan.body(), Answer { id, tool, is_error });
    Ok(())
}

fn member<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    let mark = found.mark();
    let _ = scan.peek();
    let start = scan.at();
    texts(scan, found)?;
    if found.mark() == mark {
        found.hold_nested(scan.body(), start..scan.at());
    }
    Ok(())
}
