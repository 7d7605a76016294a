//! The admin listener: metrics, health checks and the dashboard.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, VARY, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use tersely_telemetry::{NumbersForm, Telemetry};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::admission::{Admission, Handler, Listener, Reach};
use crate::dashboard::{Dashboard, DashboardPath, DashboardVisitor, WRONG_TOKEN_DELAY, is_same};
use crate::error::Error;
use crate::http::request_slots::RequestSlot;
use crate::http::response::Reply;
use crate::llm::error_body;
use crate::request_log::know;
use crate::settings::GatewaySettings;
use crate::shutdown::Shutdown;

/// Timeout for reading the head of a request, and for an idle connection. A health check is one small packet.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// Answers requests to the admin listener.
pub(crate) struct AdminHandler {
    settings: GatewaySettings,
    /// The gateway's metrics; requests to this listener are not counted.
    telemetry: Telemetry,
    /// The dashboard.
    dashboard: Dashboard,
    admission: Admission,
    shutdown: Shutdown,
    /// Allows one request at a time to render the metrics, which takes a while, so that health checks are answered in
    /// between.
    turns: Semaphore,
}

impl AdminHandler {
    /// Opens the admin listener; returns `None` if the settings configure none. The gateway cancels `notice` shortly
    /// before it stops accepting requests.
    pub(crate) async fn open(
        settings: &GatewaySettings,
        notice: CancellationToken,
    ) -> Result<Option<(Arc<Self>, TcpListener)>, Error> {
        let Some(listen) = settings.admin.listen else { return Ok(None) };
        let fault = |error| {
            Error::setting(format!("cannot listen on {listen}, the address in admin.listen")).because(error)
        };
        let listener = TcpListener::bind(listen).await.map_err(fault)?;
        let reach = Reach::at(listener.local_addr().unwrap_or(listen));
        if reach == Reach::Open && settings.admin.token.is_empty() {
            let message =
                format!("admin.listen is {listen}, which other machines can reach; set admin.token too");
            return Err(Error::setting(message));
        }
        let telemetry = settings.telemetry.clone();
        let mut settings = GatewaySettings { telemetry: Telemetry::default(), tls: None, ..settings.clone() };
        settings.timeouts.head = settings.timeouts.head.min(HEAD_TIMEOUT);
        let dashboard = Dashboard::new(settings.display.clone());
        let (shutdown, turns) = (Shutdown::default(), Semaphore::new(1));
        let admission = Admission::new(Listener::Admin, reach, &settings, notice);
        let handler = Self { settings, telemetry, dashboard, admission, shutdown, turns };
        Ok(Some((Arc::new(handler), listener)))
    }

    async fn show(&self, request: Request<Incoming>) -> Result<Response<Reply>, Error> {
        let is_admitted = self.admit(request.headers());
        if !is_admitted && request.headers().contains_key(AUTHORIZATION) {
            sleep(WRONG_TOKEN_DELAY).await;
        }
        if let Some(page) = DashboardPath::of(request.uri().path()) {
            let visitor = DashboardVisitor { page, is_admitted, token: &self.settings.admin.token };
            return self.dashboard.answer(&self.shutdown, visitor, request).await;
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Err(Error::client(StatusCode::METHOD_NOT_ALLOWED, "use GET"));
        }
        if !is_admitted {
            return Err(Error::client(StatusCode::UNAUTHORIZED, "send admin.token as a bearer token"));
        }
        match request.uri().path() {
            "/metrics" => {
                let _turn = self.turns.acquire().await;
                Ok(numbers(&self.telemetry, request.headers()))
            }
            _ => Err(Error::client(
                StatusCode::NOT_FOUND,
                "not found; try /_tersely/, /stats, /metrics, /healthz or /readyz",
            )),
        }
    }

    /// True if no token is configured, or if the caller sent the token or has a dashboard session.
    fn admit(&self, headers: &HeaderMap) -> bool {
        let token = self.settings.admin.token.as_bytes();
        let said = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
        let known = said.and_then(|said| said.strip_prefix(b"Bearer ")).is_some_and(|it| is_same(it, token));
        token.is_empty() || known || self.dashboard.knows(headers)
    }
}

impl Handler for AdminHandler {
    fn settings(&self) -> &GatewaySettings {
        &self.settings
    }

    fn shutdown(&self) -> &Shutdown {
        &self.shutdown
    }

    fn admission(&self) -> &Admission {
        &self.admission
    }

    fn refuse(&self, _: &Parts, error: &Error) -> Response<Reply> {
        let mut response = error_body::answer(None, error);
        know(response.extensions_mut(), |known| known.is_probe = true);
        response
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>, _: RequestSlot) -> Response<Reply> {
        let mut response = self.show(request).await.unwrap_or_else(|error| error_body::answer(None, &error));
        if response.status() == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        know(response.extensions_mut(), |known| known.is_probe = true);
        response
    }
}

/// Renders the metrics in the format that the client accepts; by default in the classic text format.
fn numbers(telemetry: &Telemetry, headers: &HeaderMap) -> Response<Reply> {
    let asked = headers.get(ACCEPT).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let (form, kind) = match asked.trim_start() {
        asked if asked.starts_with("application/vnd.google.protobuf") => (
            NumbersForm::Framed,
            "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited",
        ),
        asked if asked.contains("application/openmetrics-text") => {
            (NumbersForm::Open, "application/openmetrics-text; version=1.0.0; charset=utf-8")
        }
        _ => (NumbersForm::Classic, "text/plain; version=0.0.4; charset=utf-8"),
    };
    let mut response = Response::new(Reply::Ours(Some(Bytes::from(telemetry.metrics(form)))));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept"));
    response
}
