//! Decides whether a form of JSON is worth counting its tokens.

/// True when a form is more than one percent shorter than the text. For other forms, counting tokens would cost more
/// time than everything else.
pub(super) fn is_shorter(text: &str, written: &str) -> bool {
    written.len() + text.len() / 100 < text.len()
}
