//! Rewriters with scripted verdicts.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tersely_gateway::{BypassReason, Head, Replacement, Rewrite, Verdict};

/// Wants every request, and gives its verdict.
pub(crate) struct Hook<F> {
    verdict: F,
    pub(crate) missed: Mutex<Vec<BypassReason>>,
}

/// Wants no request.
pub(crate) struct Uninterested;

impl<F: Fn(&[u8]) -> Verdict + Send + Sync> Hook<F> {
    pub(crate) fn new(verdict: F) -> Arc<Self> {
        Arc::new(Self { verdict, missed: Mutex::default() })
    }

    pub(crate) fn missed(&self) -> Vec<BypassReason> {
        self.missed.lock().expect("no panic").clone()
    }
}

/// Reads everything and changes nothing.
pub(crate) fn keep() -> Arc<dyn Rewrite> {
    Hook::new(|_: &[u8]| Verdict::Keep)
}

/// Replaces every body by `body`, and adds a header.
pub(crate) fn replace(body: &'static str) -> Arc<dyn Rewrite> {
    Hook::new(move |_: &[u8]| {
        let headers = [("x-tersely-test".parse().unwrap(), "done".parse().unwrap())].into_iter().collect();
        Verdict::Replace(Replacement { body: body.into(), headers, ..Replacement::default() })
    })
}

impl<F: Fn(&[u8]) -> Verdict + Send + Sync> Rewrite for Hook<F> {
    fn wants(&self, _: &Head<'_>) -> bool {
        true
    }

    fn rewrite(&self, _: &Head<'_>, body: &Bytes) -> Verdict {
        (self.verdict)(body)
    }

    fn on_bypass(&self, _: &Head<'_>, why: BypassReason) {
        self.missed.lock().expect("no panic").push(why);
    }
}

impl Rewrite for Uninterested {
    fn wants(&self, _: &Head<'_>) -> bool {
        false
    }

    fn rewrite(&self, _: &Head<'_>, _: &Bytes) -> Verdict {
        panic!("not asked for")
    }
}
