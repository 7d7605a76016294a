//! Runs the guards for a request, then hands it to its handler or answers it.

use std::sync::Arc;

use http::header::HeaderValue;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use tokio_util::sync::CancellationToken;

use super::guard::{Guard, Listener, ROW};
use super::handler::Handler;
use super::host_check::Reach;
use super::rate_limit::{Peer, RateLimiter};
use super::{cors, health, host_check};
use crate::access::{KnownTenant, identify};
use crate::error::Error;
use crate::http::idle_timeout::client_body;
use crate::http::request_slots::{RequestSlot, RequestSlots};
use crate::http::response::Reply;
use crate::settings::GatewaySettings;

/// The guards of one listener, and what they count.
pub(crate) struct Admission {
    listener: Listener,
    reach: Reach,
    /// Cancelled when the gateway is about to take no more requests, which readiness checks report.
    notice: CancellationToken,
    clients: RateLimiter,
    tenants: RateLimiter,
    slots: RequestSlots,
}

/// What the guards found out about a request.
#[derive(Default)]
struct Passage {
    /// The origin of the page that may read the answer.
    page: Option<HeaderValue>,
    slot: RequestSlot,
}

/// Why a request does not reach its handler.
enum Turnaway {
    /// A guard answers it.
    Answered(Box<Response<Reply>>),
    /// A guard refuses it.
    Refused(Error),
}

/// The response to a request, which its handler gives unless a guard does.
pub(crate) async fn answer<H: Handler>(handler: Arc<H>, mut request: Request<Incoming>) -> Response<Reply> {
    let mut passage = Passage::default();
    let passed = handler.admission().pass(&*handler, &mut request, &mut passage);
    let Passage { page, slot } = passage;
    let mut response = match passed {
        Ok(()) => Arc::clone(&handler).answer(request, slot).await,
        Err(Turnaway::Answered(response)) => return *response,
        Err(Turnaway::Refused(error)) => {
            let (parts, body) = request.into_parts();
            client_body(&handler.settings().timeouts, body).linger();
            handler.refuse(&parts, &error)
        }
    };
    if let Some(origin) = page {
        cors::open(origin, response.headers_mut());
    }
    response
}

impl Admission {
    /// The guards of a listener, before any request.
    pub(crate) fn new(
        listener: Listener,
        reach: Reach,
        settings: &GatewaySettings,
        notice: CancellationToken,
    ) -> Self {
        let (clients, tenants) = (RateLimiter::default(), RateLimiter::default());
        Self { listener, reach, notice, clients, tenants, slots: RequestSlots::new(settings.limits.requests) }
    }

    /// Who can reach the listener.
    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    /// A slot for one more request in progress.
    pub(crate) fn slot(&self) -> Result<RequestSlot, Error> {
        let full = || Error::us(StatusCode::SERVICE_UNAVAILABLE, "too many requests in progress; try again");
        self.slots.take().ok_or_else(full)
    }

    fn pass<B>(
        &self,
        handler: &impl Handler,
        request: &mut Request<B>,
        passage: &mut Passage,
    ) -> Result<(), Turnaway> {
        let mut guards = ROW.into_iter().filter(|guard| self.listener.has(*guard));
        guards.try_for_each(|guard| self.check(guard, handler, request, passage))
    }

    fn check<B>(
        &self,
        guard: Guard,
        handler: &impl Handler,
        request: &mut Request<B>,
        passage: &mut Passage,
    ) -> Result<(), Turnaway> {
        let settings = handler.settings();
        match guard {
            Guard::Host => host_check::host(settings, self.reach, request)?,
            Guard::Authority => host_check::authority(settings, self.reach, request)?,
            Guard::Origin => host_check::origin(&settings.origins, request)?,
            Guard::Health => end_with(health::answer(&self.notice, request))?,
            Guard::Cors => {
                end_with(cors::preflight(&settings.origins, request))?;
                passage.page = cors::page(&settings.origins, request.headers());
            }
            Guard::Authentication => identify(&settings.tenants, handler.key_place(request), request)?,
            Guard::Rate => self.meter(handler, request)?,
            Guard::Slot => passage.slot = self.slot()?,
        }
        Ok(())
    }

    /// An error for a request whose client, or whose tenant, has sent too many.
    fn meter<B>(&self, handler: &impl Handler, request: &Request<B>) -> Result<(), Error> {
        let (limits, peer) = (&handler.settings().limits, request.extensions().get::<Peer>());
        let over = |rate: usize, who: &str| {
            let message = format!("more than {rate} requests in a second from this {who}; try again later");
            Err(Error::client(StatusCode::TOO_MANY_REQUESTS, message))
        };
        if peer.is_some_and(|peer| !self.clients.admit(limits.client_rate, &peer.key())) {
            return over(limits.client_rate, "client");
        }
        let tenant = request.extensions().get::<Arc<KnownTenant>>();
        let rate = tenant.map(|tenant| tenant.rate).filter(|rate| *rate > 0).unwrap_or(limits.tenant_rate);
        if rate == 0 {
            return Ok(());
        }
        let sender =
            tenant.map_or_else(|| handler.sender(request), |tenant| Some(tenant.name.as_bytes().to_vec()));
        if sender.is_some_and(|sender| !self.tenants.admit(rate, &sender)) {
            return over(rate, "tenant");
        }
        Ok(())
    }
}

fn end_with(response: Option<Response<Reply>>) -> Result<(), Turnaway> {
    response.map_or(Ok(()), |response| Err(Turnaway::Answered(Box::new(response))))
}

impl From<Error> for Turnaway {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}
