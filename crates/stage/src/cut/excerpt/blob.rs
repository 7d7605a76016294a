//! Shortens values that nobody reads: digests, signatures, keys.

/// The number of random characters that are kept.
const HEAD_BYTES: usize = 10;

/// Shorter values are kept whole, because commit hashes serve as names.
const MIN_BYTES: usize = 44;

/// The beginning of an armoured signature or certificate.
const ARMOUR: &str = "-----BEGIN ";

/// Shortens a text that is armoured data or a single long run of random letters and digits.
pub(super) fn shorten(text: &str) -> Option<String> {
    if let Some(words) = text.strip_prefix(ARMOUR).filter(|words| words.trim_end().ends_with("-----")) {
        let (kind, rest) = words.split_once("-----")?;
        return Some(format!("{ARMOUR}{kind}-----[{} left out]", rest.len()));
    }
    if text.len() < MIN_BYTES {
        return None;
    }
    // `sha512-…`, `sha256:…`
    let start = text.find(['-', ':']).filter(|&at| at < 8).map_or(0, |at| at + 1);
    let run = &text[start..];
    (run.len() > 2 * HEAD_BYTES && is_random(run)).then(|| {
        let head = start + HEAD_BYTES;
        format!("{}[{} left out]", &text[..head], text.len() - head)
    })
}

/// True for hexadecimal digits, and for base64 that mixes upper case, lower case and digits.
fn is_random(run: &str) -> bool {
    let count = |is: fn(&u8) -> bool| run.bytes().filter(is).count();
    let (digits, small, capital) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
    let signs = count(|byte| matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-'));
    let hex = count(u8::is_ascii_hexdigit) == run.len() && digits * 8 > run.len() && digits < run.len();
    let mixed = digits + small + capital + signs == run.len()
        && signs * 8 < run.len()
        && digits * 16 > run.len()
        && capital * 5 > run.len()
        && small * 5 > run.len();
    hex || mixed
}
