//! Relays the bytes after a protocol upgrade in both directions, until one side ends.

use http::header::{CONNECTION, HeaderMap, HeaderValue, UPGRADE};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;

use crate::http::hop_by_hop;

/// The two ends of an upgraded connection, once both have switched protocols.
pub(crate) struct Ends {
    pub(crate) client: OnUpgrade,
    pub(crate) upstream: OnUpgrade,
}

/// The protocol that a request asks to switch to, if it is a websocket. Any other upgrade, such as cleartext HTTP/2, is
/// ignored, as HTTP allows.
pub(crate) fn requested_upgrade(headers: &HeaderMap) -> Option<HeaderValue> {
    let protocol =
        headers.get(UPGRADE).filter(|value| value.as_bytes().eq_ignore_ascii_case(b"websocket"))?;
    hop_by_hop::names(headers, "upgrade").then(|| protocol.clone())
}

/// Adds the headers that ask the upstream for the upgrade.
pub(crate) fn request_upgrade(headers: &mut HeaderMap, protocol: HeaderValue) {
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, protocol);
}

/// Relays bytes until both directions have ended, or one fails.
pub(crate) async fn relay(ends: Ends) {
    let (Ok(client), Ok(upstream)) = tokio::join!(ends.client, ends.upstream) else { return };
    let (mut client, mut upstream) = (TokioIo::new(client), TokioIo::new(upstream));
    // A broken connection ends the relay; dropping both ends then closes the other side.
    let _ = copy_bidirectional(&mut client, &mut upstream).await;
}
