//! Splits a source into code and comments, each blanked out where the other is.

use super::item::close;

/// The code and the comments of `text`; strings are in neither. Offsets and line numbers are preserved.
pub(crate) fn split(text: &str) -> (String, String) {
    let bytes = text.as_bytes();
    let (mut code, mut comments) = (blank(bytes), blank(bytes));
    let mut at = 0;
    while at < bytes.len() {
        let (kind, length) = next(&text[at..], at.checked_sub(1).map(|before| bytes[before]));
        let target = match kind {
            Kind::Code => Some(&mut code),
            Kind::Comment => Some(&mut comments),
            Kind::Quoted => None,
        };
        if let Some(target) = target {
            target[at..at + length].copy_from_slice(&bytes[at..at + length]);
        }
        at += length;
    }
    let text = |bytes| String::from_utf8_lossy(&Vec::from_iter(bytes)).into_owned();
    (text(code), text(comments))
}

enum Kind {
    Code,
    Comment,
    Quoted,
}

fn blank(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|&byte| if byte == b'\n' { b'\n' } else { b' ' }).collect()
}

/// The kind and length of the token at the start of `rest`.
fn next(rest: &str, before: Option<u8>) -> (Kind, usize) {
    let inside_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if rest.starts_with("//") {
        (Kind::Comment, rest.find('\n').unwrap_or(rest.len()))
    } else if rest.starts_with("/*") {
        (Kind::Comment, block(rest))
    } else if rest.starts_with('"') {
        (Kind::Quoted, string(rest))
    } else if let Some(length) = raw(rest).filter(|_| !inside_word) {
        (Kind::Quoted, length)
    } else if let Some(length) = character(rest) {
        (Kind::Quoted, length)
    } else {
        (Kind::Code, rest.chars().next().map_or(1, char::len_utf8))
    }
}

/// The length of a block comment, which may be nested.
fn block(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let step = match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => {
                depth += 1;
                2
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        at += step;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of `r"..."`, with any number of `#`.
fn raw(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = body.len() - body.trim_start_matches('#').len();
    let content = body[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = content.find(&end).map_or(content.len(), |at| at + end.len());
    Some(rest.len() - content.len() + length)
}

/// The length of a character literal; None for a lifetime.
fn character(rest: &str) -> Option<usize> {
    let content = rest.strip_prefix('\'')?;
    if content.starts_with('\\') {
        return content[2..].find('\'').map(|at| at + 4);
    }
    let first = content.chars().next()?.len_utf8();
    content[first..].starts_with('\'').then_some(first + 2)
}

/// `code` with its `#[cfg(test)]` modules blanked out.
pub(crate) fn without_tests(code: String) -> String {
    let Some(start) = code.find("#[cfg(test)]\nmod ") else { return code };
    let Some(open) = code[start..].find('{').map(|at| start + at) else { return code };
    let end = close(&code, open) + 1;
    let blanked: String = code[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
    without_tests([&code[..start], &blanked, &code[end..]].concat())
}
