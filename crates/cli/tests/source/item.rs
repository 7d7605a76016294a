//! Finds functions and types in code without comments and strings.

use super::words;

/// A function's measurements.
pub(crate) struct Function {
    pub name: String,
    pub offset: usize,
    pub lines: usize,
    pub arguments: usize,
}

/// A type's measurements.
pub(crate) struct Type {
    pub name: String,
    pub offset: usize,
    pub bools: usize,
    /// True if other files can name it.
    pub is_shared: bool,
}

/// The functions in `code`, including those without a body.
pub(crate) fn functions(code: &str) -> Vec<Function> {
    words(code, "fn").filter_map(|offset| function(code, offset)).collect()
}

fn function(code: &str, offset: usize) -> Option<Function> {
    let (name, after) = name(code, offset + "fn".len())?;
    let open = after + arguments(&code[after..])?;
    let shut = close(code, open);
    let end = match body(&code[shut..]).map(|at| shut + at) {
        Some(at) if code.as_bytes()[at] == b'{' => close(code, at),
        _ => shut,
    };
    let lines = line(code, end) - line(code, offset) + 1;
    Some(Function { name, offset, lines, arguments: parts(&code[open + 1..shut]) })
}

/// The types in `code`: structs, enums, traits, unions and aliases.
pub(crate) fn types(code: &str) -> Vec<Type> {
    let starts = ["struct", "enum", "trait", "type", "union"];
    starts.iter().flat_map(|start| words(code, start).filter_map(|at| kind(code, at, start.len()))).collect()
}

fn kind(code: &str, offset: usize, skip: usize) -> Option<Type> {
    let (name, after) = name(code, offset + skip)?;
    let open = code[after..].find(['{', ';', '(', '=']).map(|at| after + at)?;
    let inside = if code.as_bytes()[open] == b'{' { &code[open..close(code, open)] } else { "" };
    let bools = words(inside, "bool").filter(|&at| inside[..at].trim_end().ends_with(':')).count();
    let offset = offset.min(code.len());
    let is_shared = shared(&code[..offset]);
    Some(Type {
        name,
        offset,
        bools: if code[offset..].starts_with("struct") { bools } else { 0 },
        is_shared,
    })
}

/// True if the item is `pub` or `pub(...)`.
fn shared(before: &str) -> bool {
    let line = before.rsplit(['\n', ';', '}']).next().unwrap_or_default();
    words(line, "pub").next().is_some()
}

/// The name after `offset`, and its end.
fn name(code: &str, offset: usize) -> Option<(String, usize)> {
    let rest = code.get(offset..)?.strip_prefix(' ')?;
    let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (length > 0).then(|| (rest[..length].to_owned(), offset + 1 + length))
}

/// The offset of the argument list, after any generics.
fn arguments(code: &str) -> Option<usize> {
    depths(code).find(|&(_, byte, depth)| byte == b'(' && depth == 1).map(|(at, _, _)| at)
}

/// The offset of the body, or of the `;` in its place.
fn body(code: &str) -> Option<usize> {
    let mut depth = 0_i32;
    code.bytes().enumerate().skip(1).find_map(|(at, byte)| match byte {
        b'(' | b'[' => {
            depth += 1;
            None
        }
        b')' | b']' => {
            depth -= 1;
            None
        }
        b'{' | b';' if depth == 0 => Some(at),
        _ => None,
    })
}

/// The number of top-level, comma-separated parts.
fn parts(code: &str) -> usize {
    let mut ends: Vec<usize> =
        depths(code).filter(|&(_, byte, depth)| byte == b',' && depth == 0).map(|it| it.0).collect();
    ends.push(code.len());
    let starts = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
    starts.zip(&ends).filter(|&(start, &end)| !code[start..end].trim().is_empty()).count()
}

/// Every byte with its bracket depth; the `>` of an arrow is not a bracket.
fn depths(code: &str) -> impl Iterator<Item = (usize, u8, usize)> {
    let mut depth = 0_usize;
    let mut before = 0;
    code.bytes().enumerate().map(move |(at, byte)| {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b'>' if matches!(before, b'-' | b'=') => {}
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = byte;
        (at, byte, depth)
    })
}

/// The offset of the bracket that closes the one at `open`; the end if there is none.
pub(crate) fn close(code: &str, open: usize) -> usize {
    let (opening, closing) = if code.as_bytes()[open] == b'(' { (b'(', b')') } else { (b'{', b'}') };
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        if byte == opening {
            depth += 1;
        } else if byte == closing {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
    }
    code.len() - 1
}

/// The line number of a byte offset, from 1.
pub(crate) fn line(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}
