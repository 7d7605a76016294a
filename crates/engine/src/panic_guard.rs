//! Catches panics, so that a bug triggered by one text does not prevent compression of the others.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of `work`; `None` if `work` panics.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_one_text_is_kept_there() {
        assert_eq!(catch_panic(|| 1), Some(1));
        assert_eq!(catch_panic(|| -> u8 { panic!("a fault, as a test wants it") }), None);
    }
}
