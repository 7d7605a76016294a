//! Runs the guards for a request, and passes it to its handler unless a guard answers or refuses it.

use std::sync::Arc;

use http::header::HeaderValue;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;

use super::attribute::attribute;
use super::guard_table::{Guard, ROW};
use super::handler::Handler;
use super::rate_limit::Peer;
use super::{cors, health, host_check};
use crate::access::{KnownTenant, identify};
use crate::error::Error;
use crate::http::idle_timeout::client_body;
use crate::http::request_slots::RequestSlot;
use crate::http::response::Reply;

/// What the guards have found out about a request.
#[derive(Default)]
struct Passage {
    /// The origin of the web page that may read the response.
    page: Option<HeaderValue>,
    slot: RequestSlot,
}

/// The reason why a request does not reach its handler.
enum Turnaway {
    /// A guard has answered the request.
    Answered(Box<Response<Reply>>),
    /// A guard has refused the request.
    Refused(Error),
}

/// Responds to a request: the handler answers it, unless a guard answers or refuses it.
pub(crate) async fn answer<H: Handler>(handler: Arc<H>, mut request: Request<Incoming>) -> Response<Reply> {
    let mut passage = Passage::default();
    let passed = pass(&*handler, &mut request, &mut passage);
    let Passage { page, slot } = passage;
    attribute(handler.settings(), handler.admission().reach, &request);
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

/// Runs every guard that applies at the listener, in order.
fn pass<B>(handler: &impl Handler, request: &mut Request<B>, passage: &mut Passage) -> Result<(), Turnaway> {
    let listener = handler.admission().listener;
    let mut guards = ROW.into_iter().filter(|guard| listener.has(*guard));
    guards.try_for_each(|guard| check(guard, handler, request, passage))
}

fn check<B>(
    guard: Guard,
    handler: &impl Handler,
    request: &mut Request<B>,
    passage: &mut Passage,
) -> Result<(), Turnaway> {
    let (settings, admission) = (handler.settings(), handler.admission());
    match guard {
        Guard::Host => host_check::host(settings, admission.reach, request)?,
        Guard::Authority => host_check::authority(settings, admission.reach, request)?,
        Guard::Origin => host_check::origin(&settings.origins, request)?,
        Guard::Health => end_with(health::answer(&admission.notice, request))?,
        Guard::Cors => {
            end_with(cors::preflight(&settings.origins, request))?;
            passage.page = cors::page(&settings.origins, request.headers());
        }
        Guard::Authentication => identify(&settings.tenants, handler.key_location(request), request)?,
        Guard::Rate => meter(handler, request)?,
        Guard::Slot => passage.slot = admission.slot()?,
    }
    Ok(())
}

/// Returns an error if the client or the tenant has sent too many requests.
fn meter<B>(handler: &impl Handler, request: &Request<B>) -> Result<(), Error> {
    let (limits, admission) = (&handler.settings().limits, handler.admission());
    let over = |rate: usize, who: &str| {
        let message = format!("more than {rate} requests in a second from this {who}; try again later");
        Err(Error::client(StatusCode::TOO_MANY_REQUESTS, message))
    };
    let peer = request.extensions().get::<Peer>();
    if peer.is_some_and(|peer| !admission.clients.admit(limits.client_rate, &peer.key())) {
        return over(limits.client_rate, "client");
    }
    let tenant = request.extensions().get::<Arc<KnownTenant>>();
    let rate = tenant.map(|tenant| tenant.rate).filter(|rate| *rate > 0).unwrap_or(limits.tenant_rate);
    if rate == 0 {
        return Ok(());
    }
    let sender =
        tenant.map_or_else(|| handler.sender(request), |tenant| Some(tenant.name.as_bytes().to_vec()));
    if sender.is_some_and(|sender| !admission.tenants.admit(rate, &sender)) {
        return over(rate, "tenant");
    }
    Ok(())
}

fn end_with(response: Option<Response<Reply>>) -> Result<(), Turnaway> {
    response.map_or(Ok(()), |response| Err(Turnaway::Answered(Box::new(response))))
}

impl From<Error> for Turnaway {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}
