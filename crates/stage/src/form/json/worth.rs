//! Decides whether a form of JSON is worth a token count.

/// False if a form is not shorter than the text: counting its tokens would cost more than everything else.
pub(super) fn is_shorter(text: &str, written: &str) -> bool {
    written.len() + text.len() / 100 < text.len()
}
