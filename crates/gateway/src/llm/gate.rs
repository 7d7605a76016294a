//! What all requests of a gateway share.

use std::sync::Arc;

use http::{Request, StatusCode};
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::access::{AskedKey, KnownTenant, identify};
use crate::error::{Error, Side};
use crate::http::client::Pools;
use crate::http::host_check::Reach;
use crate::http::idle_timeout::Idle;
use crate::http::memory_budget::{BodySpace, MemoryBudget};
use crate::llm::rate::{Peer, Rates};
use crate::llm::rewrite::{Head, Rewrite};
use crate::settings::GatewaySettings;
use crate::shutdown::GateLife;
use crate::worker_pool::WorkBench;

/// A gateway at work.
pub(crate) struct GatewayState {
    pub(crate) settings: GatewaySettings,
    pub(crate) reach: Reach,
    pub(crate) pools: Pools,
    pub(crate) rewrite: Arc<dyn Rewrite>,
    pub(crate) bench: Arc<WorkBench>,
    pub(crate) space: BodySpace,
    pub(crate) life: GateLife,
    clients: Rates,
    tenants: Rates,
    running: Arc<Semaphore>,
}

impl GatewayState {
    /// A gateway with nothing to do yet.
    pub(crate) fn new(
        settings: GatewaySettings,
        rewrite: Arc<dyn Rewrite>,
        reach: Reach,
    ) -> Result<Self, Error> {
        Ok(Self {
            reach,
            pools: Pools::new(&settings)?,
            bench: Arc::new(WorkBench::new(&settings)),
            space: BodySpace::new(settings.limits.memory),
            running: Arc::new(Semaphore::new(settings.limits.requests.min(Semaphore::MAX_PERMITS))),
            clients: Rates::default(),
            tenants: Rates::default(),
            settings,
            rewrite,
            life: GateLife::default(),
        })
    }

    /// A place for one more request, to be kept until its answer has been sent.
    pub(crate) fn admit(&self) -> Result<OwnedSemaphorePermit, Error> {
        let full = |_| Error::us(StatusCode::SERVICE_UNAVAILABLE, "too many requests in progress; try again");
        Arc::clone(&self.running).try_acquire_owned().map_err(full)
    }

    /// The same for a request whose sender has not sent too many.
    pub(crate) fn enroll<B>(&self, request: &Request<B>) -> Result<OwnedSemaphorePermit, Error> {
        self.meter(request)?;
        self.admit()
    }

    /// Notes who sent a request, and takes their key out of it; an error for one that may not come in.
    pub(crate) fn identify<B>(&self, place: AskedKey, request: &mut Request<B>) -> Result<(), Error> {
        identify(&self.settings.tenants, place, request)
    }

    /// An error for a request whose client, or whose tenant, has sent too many.
    pub(crate) fn meter<B>(&self, request: &Request<B>) -> Result<(), Error> {
        let (limits, peer) = (&self.settings.limits, request.extensions().get::<Peer>());
        let over = |rate: usize, who: &str| {
            let message = format!("more than {rate} requests in a second from this {who}; try again later");
            Err(Error::client(StatusCode::TOO_MANY_REQUESTS, message))
        };
        if peer.is_some_and(|peer| !self.clients.admit(limits.client_rate, &peer.key())) {
            return over(limits.client_rate, "client");
        }
        let known = request.extensions().get::<Arc<KnownTenant>>();
        let rate = known.map(|known| known.rate).filter(|rate| *rate > 0).unwrap_or(limits.tenant_rate);
        if rate > 0 && self.sender(request).is_some_and(|who| !self.tenants.admit(rate, &who)) {
            return over(rate, "tenant");
        }
        Ok(())
    }

    /// By what requests are counted: the tenant that was checked, else whoever a request says that it is.
    fn sender<B>(&self, request: &Request<B>) -> Option<Vec<u8>> {
        let (method, uri, headers) = (request.method(), request.uri(), request.headers());
        match request.extensions().get::<Arc<KnownTenant>>() {
            Some(known) => Some(known.name.as_bytes().to_vec()),
            None => self.rewrite.tenant(&Head { method, uri, headers, upstream: None, tenant: None }),
        }
    }

    /// Room for a body, none of it taken yet.
    pub(crate) fn room(&self) -> MemoryBudget {
        self.space.room()
    }
}

/// A client's body, which is not waited for without end.
pub(crate) fn arriving(gate: &GatewayState, body: Incoming) -> Idle {
    let timeouts = &gate.settings.timeouts;
    Idle::new(Some(timeouts.body), Side::Client, body).within(timeouts.upload)
}
