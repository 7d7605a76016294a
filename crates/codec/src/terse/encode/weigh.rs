//! Estimates how many tokens a model needs to read a text, by counting classes of characters.
//!
//! This estimate must never change: the encoder's choices depend on it, so a different estimate would give a
//! different form.

/// The weight of one token.
pub(super) const TOKEN: usize = 100;

/// The weight of `text`, in hundredths of a token.
pub(super) fn weigh(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut sum = 0;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let class = class(bytes[at]);
        let mut last = class;
        at += 1;
        while at < bytes.len() && JOINS[last as usize] & 1 << self::class(bytes[at]) as u8 != 0 {
            last = self::class(bytes[at]);
            at += 1;
        }
        sum += run(class, at - start, bytes.get(at));
    }
    sum
}

#[derive(PartialEq, Clone, Copy)]
enum Class {
    Small,
    Capital,
    Digit,
    Newline,
    Space,
    Mark,
    Wide,
}

fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Wide; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' => Class::Small,
            b'A'..=b'Z' => Class::Capital,
            b'0'..=b'9' => Class::Digit,
            b'\n' | b'\r' => Class::Newline,
            b' ' | b'\t' => Class::Space,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
};

/// For each class, the classes that may follow within a run, one bit for each: the same class, and small letters behind
/// capital ones. Compound words are split where a capital letter follows a small one.
const JOINS: [u8; 7] = [1, 0b11, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6];

/// The weight of `length` characters of one class; `next` is the byte after them.
fn run(class: Class, length: usize, next: Option<&u8>) -> usize {
    match class {
        Class::Small | Class::Capital => 90 + 21 * length.saturating_sub(6),
        Class::Digit => 54 + 82 * length.div_ceil(3),
        Class::Newline => 100,
        Class::Space if length > 1 || next.is_some_and(u8::is_ascii_digit) => 50,
        Class::Space => 0,
        Class::Mark => 85 + 42 * length.saturating_sub(3),
        Class::Wide => 69 * length,
    }
}
