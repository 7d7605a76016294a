//! The state that all requests to a gateway share.

use std::sync::Arc;

use http::Request;
use hyper::body::Incoming;

use crate::admission::{Admission, Listener, Reach};
use crate::error::Error;
use crate::http::client::Pools;
use crate::http::idle_timeout::{TimedBody, client_body};
use crate::http::memory_budget::{BodySpace, MemoryBudget};
use crate::llm::rewrite::{Head, Rewrite};
use crate::settings::GatewaySettings;
use crate::shutdown::Shutdown;
use crate::worker_pool::WorkerPool;

/// The state of a running gateway.
pub(crate) struct GatewayState {
    pub(crate) settings: GatewaySettings,
    pub(crate) admission: Admission,
    pub(crate) pools: Pools,
    pub(crate) rewrite: Arc<dyn Rewrite>,
    pub(crate) workers: Arc<WorkerPool>,
    pub(crate) space: BodySpace,
    pub(crate) shutdown: Shutdown,
}

impl GatewayState {
    /// Creates the state of a gateway that has had no requests.
    pub(crate) fn new(
        settings: GatewaySettings,
        rewrite: Arc<dyn Rewrite>,
        (listener, reach): (Listener, Reach),
    ) -> Result<Self, Error> {
        let shutdown = Shutdown::default();
        Ok(Self {
            admission: Admission::new(listener, reach, &settings, shutdown.notice.clone()),
            pools: Pools::new(&settings)?,
            workers: Arc::new(WorkerPool::new(&settings)),
            space: BodySpace::new(settings.limits.memory),
            settings,
            rewrite,
            shutdown,
        })
    }

    /// Identifies the sender of a request by its credentials.
    pub(crate) fn sender<B>(&self, request: &Request<B>) -> Option<Vec<u8>> {
        let (method, uri, headers) = (request.method(), request.uri(), request.headers());
        self.rewrite.tenant(&Head { method, uri, headers, upstream: None, tenant: None })
    }

    /// The body of a client's request, with its timeouts.
    pub(crate) fn client_body(&self, body: Incoming) -> TimedBody {
        client_body(&self.settings.timeouts, body)
    }

    /// An empty memory budget for a body.
    pub(crate) fn room(&self) -> MemoryBudget {
        self.space.room()
    }
}
