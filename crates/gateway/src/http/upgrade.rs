//! Relays what follows an upgrade: bytes, both ways, until one side ends.

use http::header::{CONNECTION, HeaderMap, HeaderValue, UPGRADE};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;

use crate::http::hop_by_hop;

/// The two ends of an upgraded exchange, once both have switched.
pub(crate) struct Ends {
    pub(crate) client: OnUpgrade,
    pub(crate) upstream: OnUpgrade,
}

/// The protocol that a request asks to switch to. Only websockets are relayed; a wish for another, such as cleartext
/// HTTP/2, is one that a server may leave unanswered.
pub(crate) fn requested_upgrade(headers: &HeaderMap) -> Option<HeaderValue> {
    let protocol =
        headers.get(UPGRADE).filter(|value| value.as_bytes().eq_ignore_ascii_case(b"websocket"))?;
    hop_by_hop::names(headers, "upgrade").then(|| protocol.clone())
}

/// Says, to the next hop, what `wish` found.
pub(crate) fn request_upgrade(headers: &mut HeaderMap, protocol: HeaderValue) {
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, protocol);
}

/// Relays until both directions have ended, or one broke.
pub(crate) async fn relay(ends: Ends) {
    let (Ok(client), Ok(upstream)) = tokio::join!(ends.client, ends.upstream) else { return };
    let (mut client, mut upstream) = (TokioIo::new(client), TokioIo::new(upstream));
    // A broken connection ends the relay, and dropping both ends tells the other side.
    let _ = copy_bidirectional(&mut client, &mut upstream).await;
}
