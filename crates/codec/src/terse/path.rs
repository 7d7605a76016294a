//! Reads and writes the path of a nested field: `user.login`.

use super::bare::is_key_byte;
use crate::Text;
use crate::error::ReadFault;
use crate::json::push_string;
use crate::scan::TextScan;

/// Writes the steps of a path with dots between them.
pub(super) fn push(out: &mut String, steps: &[&Text<'_>]) {
    for (index, step) in steps.iter().enumerate() {
        out.push_str(if index > 0 { "." } else { "" });
        if is_step(step.as_str()) {
            out.push_str(step.as_str());
        } else {
            push_string(out, step);
        }
    }
}

/// The path as text.
pub(super) fn print(steps: &[&Text<'_>]) -> String {
    let mut out = String::new();
    push(&mut out, steps);
    out
}

/// Reads a path.
pub(super) fn read<'a>(scan: &mut TextScan<'a>) -> Result<Vec<Text<'a>>, ReadFault> {
    let mut steps = Vec::new();
    loop {
        steps.push(step(scan)?);
        if !scan.eat(b'.') {
            return Ok(steps);
        }
    }
}

fn step<'a>(scan: &mut TextScan<'a>) -> Result<Text<'a>, ReadFault> {
    if scan.peek() == Some(b'"') {
        return scan.string();
    }
    let rest = scan.rest();
    let length = rest.bytes().take_while(|&byte| is_step_byte(byte)).count();
    if length == 0 {
        return scan.fail("a field's name");
    }
    scan.go(scan.at() + length);
    Ok(Text::plain(&rest[..length]))
}

fn is_step(step: &str) -> bool {
    !step.is_empty() && step.bytes().all(is_step_byte)
}

/// True for a byte that may occur in a step. A step is a bare key without dots, because dots separate steps, and
/// without slashes, because URL templates contain them in braces.
fn is_step_byte(byte: u8) -> bool {
    is_key_byte(byte) && byte != b'.' && byte != b'/'
}
