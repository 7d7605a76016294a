//! Forwards a request to its upstream, and returns the response.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use http::header::{CONTENT_LENGTH, HeaderMap, HeaderValue, UPGRADE};
use http::request::Parts;
use http::{Request, Response, StatusCode, Uri, Version, response};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use tersely_wire::hidden::ResponseFraming;
use tersely_wire::{Provider, claimed_provider};
use tokio::select;

use crate::access::KeyLocation;
use crate::admission::{Admission, Handler};
use crate::error::{Error, Side};
use crate::http::client::{HttpVersions, StreamPermit};
use crate::http::content_encoding::Coding;
use crate::http::hop_by_hop;
use crate::http::idle_timeout::TimedBody;
use crate::http::limit_headers;
use crate::http::request_body::OutgoingBody;
use crate::http::request_slots::RequestSlot;
use crate::http::response::Reply;
use crate::http::response_body::{UpstreamBody, declared_framing, remove_coding};
use crate::http::signature;
use crate::http::upgrade::{self, Ends};
use crate::http::usage_tap::TapConfig;
use crate::llm::check::check;
use crate::llm::compress::{self, CompressRoute};
use crate::llm::entry::RequestEntry;
use crate::llm::offer::{OfferOutcome, offer};
use crate::llm::rounds::{GatherOutcome, NextRound, Rounds};
use crate::llm::send::send;
use crate::llm::state::GatewayState;
use crate::llm::{error_body, expand, rounds};
use crate::request_log::{Known, know};
use crate::settings::{GatewaySettings, Websockets};
use crate::shutdown::Shutdown;
use crate::upstream::Upstream;
use crate::vendor::Vendor;

/// Answers requests to models.
pub(crate) struct LlmHandler {
    gate: Arc<GatewayState>,
}

impl LlmHandler {
    /// Creates a handler with this state.
    pub(crate) fn new(gate: GatewayState) -> Self {
        Self { gate: Arc::new(gate) }
    }
}

impl Handler for LlmHandler {
    fn settings(&self) -> &GatewaySettings {
        &self.gate.settings
    }

    fn shutdown(&self) -> &Shutdown {
        &self.gate.shutdown
    }

    fn admission(&self) -> &Admission {
        &self.gate.admission
    }

    /// On paths that are not forwarded, a bearer token may contain our key.
    fn key_location<B>(&self, request: &Request<B>) -> KeyLocation {
        match CompressRoute::of(&self.gate, request.method(), request.uri().path()) {
            Some(_) => KeyLocation::Bearer,
            None => KeyLocation::Own,
        }
    }

    fn sender<B>(&self, request: &Request<B>) -> Option<Vec<u8>> {
        self.gate.sender(request)
    }

    fn refuse(&self, parts: &Parts, error: &Error) -> Response<Reply> {
        let vendor = Vendor::of(&parts.uri, &parts.headers);
        let ask = CompressRoute::of(&self.gate, &parts.method, parts.uri.path());
        let provider = ask.map(|_| compress::NAME).or(vendor.map(Vendor::name));
        let mut response = error_body::answer(vendor, error);
        know(response.extensions_mut(), |known| known.join(Known { provider, ..Known::default() }));
        response
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>, slot: RequestSlot) -> Response<Reply> {
        let provider = Vendor::of(request.uri(), request.headers());
        let mut seen = Known { provider: provider.map(Vendor::name), ..Known::default() };
        let answered = dispatch(&self.gate, (provider, &mut seen), request, slot).await;
        let mut response = answered.unwrap_or_else(|error| error_body::answer(provider, &error));
        know(response.extensions_mut(), |known| known.join(seen));
        response
    }
}

/// Answers requests to our own paths, and forwards all others.
async fn dispatch(
    gate: &Arc<GatewayState>,
    (provider, seen): (Option<Vendor>, &mut Known),
    request: Request<Incoming>,
    slot: RequestSlot,
) -> Result<Response<Reply>, Error> {
    let ask = CompressRoute::of(gate, request.method(), request.uri().path());
    if let Some(ask) = ask {
        let _slot = slot;
        compress::answer(gate, seen, ask, request).await
    } else if expand::is_asked(&request) {
        let _slot = slot;
        expand::expand(gate, request).await
    } else {
        forward(gate, (provider, seen), request, slot).await
    }
}

/// Forwards a request and returns the upstream's response. `known` records what was found out, even if the request
/// fails.
pub(crate) async fn forward(
    gate: &Arc<GatewayState>,
    (provider, known): (Option<Vendor>, &mut Known),
    mut request: Request<Incoming>,
    slot: RequestSlot,
) -> Result<Response<Reply>, Error> {
    let (upstream, address) = match route(gate, provider, &request) {
        Ok(route) => route,
        Err(error) => {
            gate.client_body(request.into_body()).linger();
            return Err(error);
        }
    };
    let upgrade_protocol = upgrade::requested_upgrade(request.headers());
    let client = upgrade_protocol.as_ref().map(|_| hyper::upgrade::on(&mut request));
    let (mut parts, body) = request.into_parts();
    let counts = provider.and_then(|_| claimed_provider(parts.uri.path())).map(Provider::counts);
    let tap_config = counts.map(|words| TapConfig { words, bill: known.bill.clone() });
    let OfferOutcome { outgoing, added, entry, follow } =
        offer(gate, known, &mut parts, gate.client_body(body)).await?;
    known.session = entry.as_ref().and_then(RequestEntry::session);
    let sender = entry.as_ref().map(RequestEntry::sender);
    (known.named, known.sender) = (sender.and_then(|it| it.session), sender.map(|it| it.whose));
    // Only AWS receives the client's Host header, because a signature covers it.
    let is_aws = provider == Some(Vendor::Bedrock);
    let covered = if is_aws { signature::covered_headers(&parts) } else { HeaderMap::new() };
    // With HTTP/2, the host would be taken from the URI.
    let is_plain = upgrade_protocol.is_none() && covered.is_empty();
    let versions = if upstream.is_secure() && is_plain { HttpVersions::Any } else { HttpVersions::One };
    let (head, outgoing) = outbound(address, upgrade_protocol, (parts, covered), outgoing).into_parts();
    let again = follow.map(|(follow, held)| NextRound {
        gate: Arc::clone(gate),
        upstream: upstream.clone(),
        versions,
        head: head.clone(),
        follow,
        tap_config: tap_config.clone(),
        held,
        room: None,
    });
    let since = Instant::now();
    let (response, permit) = send(gate, upstream, versions, Request::from_parts(head, outgoing)).await?;
    known.upstream = Some(since.elapsed());
    known.limits = limit_headers::read(SystemTime::now(), response.headers());
    let mut answer = match (response.status(), client) {
        (StatusCode::SWITCHING_PROTOCOLS, Some(client)) => switch(gate, client, response, slot),
        (StatusCode::SWITCHING_PROTOCOLS, None) => return Err(Error::unexpected_upgrade(upstream)),
        _ => respond(gate, (added, again, tap_config), response, (slot, permit)).await?,
    };
    if let Some(entry) = entry {
        entry.answer(known, &mut answer);
    }
    Ok(answer)
}

/// The upstream of a request, and the request's URL there.
fn route<'a>(
    gate: &'a GatewayState,
    provider: Option<Vendor>,
    request: &Request<Incoming>,
) -> Result<(&'a Upstream, Uri), Error> {
    check(&gate.settings.limits, request)?;
    decline(gate, request.uri().path(), request.headers())?;
    let upstream = gate.settings.upstreams.choose(provider)?;
    Ok((upstream, upstream.address(request.uri())?))
}

/// Returns an error if a websocket request should be sent as a plain request.
fn decline(gate: &GatewayState, path: &str, headers: &HeaderMap) -> Result<(), Error> {
    let declined = match gate.settings.websockets {
        // Messages on a websocket cannot be searched for secrets.
        _ if gate.rewrite.seals() => true,
        Websockets::Fitting => claimed_provider(path).is_some(),
        Websockets::Relay => false,
        Websockets::Decline => true,
    };
    if declined && upgrade::requested_upgrade(headers).is_some() {
        return Err(Error::client(
            StatusCode::UPGRADE_REQUIRED,
            "websockets are not supported here; use plain requests",
        ));
    }
    Ok(())
}

/// The request to send to the upstream; headers that a signature covers are kept.
fn outbound(
    address: Uri,
    upgrade_protocol: Option<HeaderValue>,
    (mut parts, covered): (Parts, HeaderMap),
    outgoing: OutgoingBody,
) -> Request<OutgoingBody> {
    hop_by_hop::from_request(&mut parts.headers);
    parts.headers.extend(covered);
    if parts.version == Version::HTTP_2 {
        hop_by_hop::join_cookies(&mut parts.headers);
    }
    if let Some(protocol) = upgrade_protocol {
        upgrade::request_upgrade(&mut parts.headers, protocol);
    }
    parts.uri = address;
    parts.version = Version::HTTP_11;
    parts.extensions.clear();
    Request::from_parts(parts, outgoing)
}

/// The response to send to the client.
async fn respond(
    gate: &GatewayState,
    (added, again, tap_config): (HeaderMap, Option<NextRound>, Option<TapConfig>),
    response: Response<Incoming>,
    (slot, permit): (RequestSlot, Option<StreamPermit>),
) -> Result<Response<Reply>, Error> {
    let (mut parts, body) = response.into_parts();
    hop_by_hop::from_response(&mut parts.headers);
    parts.headers.extend(added.clone());
    parts.version = Version::HTTP_11;
    parts.extensions.clear();
    let body = TimedBody::new(gate.settings.timeouts.idle, Side::Upstream, body);
    let tap_config = tap_config.filter(|_| parts.status.is_success());
    let Some(again) = again.filter(|_| parts.status.is_success()) else {
        let tap = tap_config.map(|tap_config| tap_config.on(Coding::of(&parts.headers)));
        let mut body = UpstreamBody::new(Coding::Identity, body, permit).with_tap(tap);
        body.begin().await?;
        return Ok(Response::from_parts(parts, Reply::Theirs { body, _slot: slot }));
    };
    let coding = rounds::coding(&again.upstream, &parts.headers)?;
    remove_coding(coding, &mut parts.headers);
    let tap = tap_config.map(|tap_config| tap_config.on(Coding::Identity));
    watch(again, (parts, added), UpstreamBody::new(coding, body, permit).with_tap(tap), slot).await
}

/// The response to a request with a hidden tool. Its first bytes determine the framing, because the content type may be
/// wrong; but the head of an event stream is sent without waiting for them.
async fn watch(
    again: NextRound,
    (mut parts, added): (response::Parts, HeaderMap),
    mut arrival: UpstreamBody,
    slot: RequestSlot,
) -> Result<Response<Reply>, Error> {
    let framing = match declared_framing(&parts.headers) {
        Some(streamed @ (ResponseFraming::Events | ResponseFraming::Messages)) => {
            arrival.begin().await?;
            Some(streamed)
        }
        _ => arrival.framing().await?,
    };
    let Some(framing) = framing else {
        return Ok(Response::from_parts(parts, Reply::Theirs { body: arrival, _slot: slot }));
    };
    parts.headers.remove(CONTENT_LENGTH);
    let rounds = Rounds::new(again, framing, arrival, slot);
    if framing != ResponseFraming::Whole {
        return Ok(Response::from_parts(parts, Reply::Watched(Box::pin(rounds))));
    }
    match rounds.gather().await? {
        GatherOutcome::Begun(rounds) => {
            Ok(Response::from_parts(parts, Reply::Watched(Box::into_pin(rounds))))
        }
        GatherOutcome::Refused(mut response, told) => {
            response.headers_mut().extend(added.into_iter().chain(told));
            Ok(*response)
        }
        GatherOutcome::Whole(whole, told) => {
            parts.headers.extend(told);
            Ok(Response::from_parts(parts, Reply::Ours(Some(whole))))
        }
    }
}

/// Switches both sides to the new protocol, and spawns a task that relays between them.
fn switch(
    gate: &Arc<GatewayState>,
    client: OnUpgrade,
    mut response: Response<Incoming>,
    slot: RequestSlot,
) -> Response<Reply> {
    let ends = Ends { client, upstream: hyper::upgrade::on(&mut response) };
    let end = gate.shutdown.abort.clone();
    gate.shutdown.tasks.spawn(async move {
        let _slot = slot;
        select! {
            () = upgrade::relay(ends) => {}
            () = end.cancelled() => {}
        }
    });
    let (mut parts, _) = response.into_parts();
    let protocol = parts.headers.remove(UPGRADE);
    hop_by_hop::from_response(&mut parts.headers);
    if let Some(protocol) = protocol {
        upgrade::request_upgrade(&mut parts.headers, protocol);
    }
    parts.extensions.clear();
    Response::from_parts(parts, Reply::Ours(None))
}
