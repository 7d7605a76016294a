//! Whether a form of JSON is worth being counted.

/// True unless a form is as long as the text: counting its tokens costs more than all the rest.
pub(super) fn is_shorter(text: &str, written: &str) -> bool {
    written.len() + text.len() / 100 < text.len()
}
