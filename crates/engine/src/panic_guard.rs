//! Keeps a panic where it happens: a fault in one text is no reason to send the others at full price.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `work` gives, unless it panics.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_one_text_is_kept_there() {
        assert_eq!(guarded(|| 1), Some(1));
        assert_eq!(guarded(|| -> u8 { panic!("a fault, as a test wants it") }), None);
    }
}
