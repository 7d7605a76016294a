//! The door for those who look after a gateway: its numbers, and whether it lives and takes requests.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use tersely_telemetry::Telemetry;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::caller::{self, Reach};
use crate::error::Error;
use crate::front::Front;
use crate::life::GateLife;
use crate::llm::{local, shape};
use crate::reply::Reply;
use crate::settings::GatewaySettings;
use crate::visit::know;

/// How Prometheus is told what it reads.
const NUMBERS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The door for those who look after a gateway.
pub(crate) struct AdminDoor {
    settings: GatewaySettings,
    /// Whose numbers it shows; its own requests are not among them.
    telemetry: Telemetry,
    reach: Reach,
    life: GateLife,
    /// Cancelled when the gateway takes no more requests soon.
    leave: CancellationToken,
}

impl AdminDoor {
    /// The door of a gateway that says by `leave` when it is about to go, and where to listen for it, if anywhere.
    pub(crate) async fn open(
        settings: &GatewaySettings,
        leave: CancellationToken,
    ) -> Result<Option<(Arc<Self>, TcpListener)>, Error> {
        let Some(listen) = settings.admin.listen else { return Ok(None) };
        let fault =
            |error| Error::setting(format!("cannot listen on {listen}, as admin.listen says")).because(error);
        let listener = TcpListener::bind(listen).await.map_err(fault)?;
        let reach = Reach::of(listener.local_addr().unwrap_or(listen));
        if reach == Reach::Open && settings.admin.token.is_empty() {
            let message =
                format!("admin.listen is {listen}, which other machines can reach; set admin.token too");
            return Err(Error::setting(message));
        }
        let telemetry = settings.telemetry.clone();
        let settings = GatewaySettings { telemetry: Telemetry::default(), ..settings.clone() };
        let door = Self { settings, telemetry, reach, life: GateLife::default(), leave };
        Ok(Some((Arc::new(door), listener)))
    }

    fn answer<B>(&self, request: &Request<B>) -> Result<Response<Reply>, Error> {
        caller::check(&self.settings, self.reach, request)?;
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Err(Error::client(StatusCode::METHOD_NOT_ALLOWED, "use GET"));
        }
        if let Some(response) = local::probed(&self.leave, request) {
            return Ok(response);
        }
        self.admit(request.headers())?;
        match request.uri().path() {
            "/metrics" => Ok(numbers(self.telemetry.metrics())),
            _ => Err(Error::client(StatusCode::NOT_FOUND, "nothing here; try /metrics, /healthz or /readyz")),
        }
    }

    /// An error for whoever does not know the token.
    fn admit(&self, headers: &HeaderMap) -> Result<(), Error> {
        let token = self.settings.admin.token.as_bytes();
        let said = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
        let known = said.and_then(|said| said.strip_prefix(b"Bearer ")).is_some_and(|it| is_same(it, token));
        if token.is_empty() || known {
            return Ok(());
        }
        Err(Error::client(StatusCode::UNAUTHORIZED, "send admin.token as a bearer token"))
    }
}

/// Takes as long whatever the two have in common.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && differences == 0
}

impl Front for AdminDoor {
    fn settings(&self) -> &GatewaySettings {
        &self.settings
    }

    fn life(&self) -> &GateLife {
        &self.life
    }

    async fn enter(self: Arc<Self>, request: Request<Incoming>) -> Response<Reply> {
        let mut response = self.answer(&request).unwrap_or_else(|error| shape::answer(None, &error));
        if response.status() == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        know(response.extensions_mut(), |known| known.is_probe = true);
        response
    }
}

fn numbers(text: String) -> Response<Reply> {
    let mut response = Response::new(Reply::Ours(Some(Bytes::from(text))));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(NUMBERS));
    response
}
