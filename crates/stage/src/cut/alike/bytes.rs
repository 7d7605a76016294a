//! Classifies and hashes bytes.

/// The hash of no bytes, with which every hash starts.
pub(super) const START: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds `bytes` to a hash.
pub(super) fn mix(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// True for a byte that can be part of a word.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// True when any of the bytes is a digit.
pub(super) fn has_digit(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_digit)
}
