//! An engine that can be replaced while requests are in progress.

use std::sync::{Arc, PoisonError, RwLock};

use tersely_engine::Engine;

/// The engine that processes the next request. Clones share it.
#[derive(Clone, Default)]
pub struct SharedEngine(Arc<RwLock<Arc<Engine>>>);

impl SharedEngine {
    /// Wraps the first engine.
    pub(crate) fn new(engine: Engine) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(engine))))
    }

    /// The engine that processes the next request.
    pub(crate) fn get(&self) -> Arc<Engine> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the engine; a request in progress finishes with the engine that it started with.
    pub(crate) fn set(&self, engine: Engine) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(engine);
    }
}
