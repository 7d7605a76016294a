//! Accepts connections, serves each of them, and drains them on shutdown.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Request;
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::CertificateNames;
use crate::admin::AdminHandler;
use crate::admission::{self, Handler, Listener, Peer, Reach};
use crate::error::Error;
use crate::http::connection_activity::ConnectionActivity;
use crate::http::connection_slots::ConnectionSlots;
use crate::http::file_limit;
use crate::http::handshake::{self, AcceptedStream, Protocol};
use crate::llm::{GatewayState, LlmHandler, Rewrite};
use crate::request_log::Visit;
use crate::settings::GatewaySettings;

/// Delay after a connection could not be accepted, for example because there was no free file handle.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Interval of HTTP/2 keep-alive pings, and the time that a client has to answer a ping.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(30);

/// The time that an idle HTTP/2 client has to close the connection after GOAWAY.
const GOAWAY_TIMEOUT: Duration = Duration::from_secs(5);

/// The largest buffer for bytes of a connection that were received and not yet read: hyper would take 400 KiB for each
/// connection that sends a long body.
const MAX_READ_BUFFER_BYTES: usize = 128 << 10;

/// The maximum number of connections to the admin listener. If there are more, the oldest is closed, so that a health
/// check always gets a connection.
const MAX_ADMIN_CONNECTIONS: usize = 128;

/// Binds the address to listen on from the settings.
///
/// # Errors
/// Fails if the address cannot be bound.
pub async fn bind(settings: &GatewaySettings) -> Result<TcpListener, Error> {
    let listen = settings.listen;
    let fault = |error| Error::setting(format!("cannot listen on {listen}")).because(error);
    TcpListener::bind(listen).await.map_err(fault)
}

/// Serves requests until `stop` resolves to a notice period. During that period, requests are still accepted while
/// `/readyz` reports draining, so that a load balancer can route requests elsewhere. After it, no connection is
/// accepted, and this function returns once the requests in progress have finished or the drain timeout has passed.
///
/// # Errors
/// Fails if a setting is invalid, for example a certificate file or an unsupported proxy.
pub async fn serve(
    settings: GatewaySettings,
    rewrite: Arc<dyn Rewrite>,
    listener: TcpListener,
    stop: impl Future<Output = Duration>,
) -> Result<(), Error> {
    let reach = Reach::of(&listener);
    let handler = LlmHandler::new(GatewayState::new(settings, rewrite, (Listener::Llm, reach))?);
    listen(Arc::new(handler), listener, stop).await
}

/// Serves `handler` as [`serve`] does, together with the admin listener.
pub(crate) async fn listen<H: Handler>(
    handler: Arc<H>,
    listener: TcpListener,
    stop: impl Future<Output = Duration>,
) -> Result<(), Error> {
    let admin = AdminHandler::open(handler.settings(), handler.shutdown().notice.clone()).await?;
    let serving = serve_until_stopped(handler, listener, stop);
    let Some((admin, listener)) = admin else { return serving.await };
    select! {
        ended = serving => ended,
        never = serve_admin(admin, listener) => match never {},
    }
}

/// Serves only the admin listener at `admin.listen`, until `stop` resolves. First calls `hello` with the bound address.
///
/// # Errors
/// Fails if the address cannot be bound.
pub async fn serve_dashboard(
    settings: &GatewaySettings,
    hello: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<(), Error> {
    let Some((admin, listener)) = AdminHandler::open(settings, CancellationToken::new()).await? else {
        return Err(Error::setting("admin.listen is empty"));
    };
    let here = listener.local_addr();
    hello(here.map_err(|error| Error::setting("cannot determine the listening address").because(error))?);
    select! {
        () = stop => Ok(()),
        never = serve_admin(admin, listener) => match never {},
    }
}

/// Serves the admin listener until this future is dropped. A new connection never waits for another to close.
async fn serve_admin<H: Handler>(handler: Arc<H>, listener: TcpListener) -> Infallible {
    let _end = handler.shutdown().abort.clone().drop_guard();
    let mut slots = ConnectionSlots::new(MAX_ADMIN_CONNECTIONS);
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            sleep(ACCEPT_RETRY_DELAY).await;
            continue;
        };
        let (handler, slot) = (Arc::clone(&handler), slots.take(Instant::now()));
        handler.shutdown().tasks.clone().spawn(async move {
            select! {
                () = serve_connection(handler, stream, Peer(peer.ip())) => {}
                () = slot.wait_revoked() => {}
            }
        });
    }
}

/// Serves a handler until `stop` resolves and everything has drained.
async fn serve_until_stopped<H: Handler>(
    handler: Arc<H>,
    listener: TcpListener,
    stop: impl Future<Output = Duration>,
) -> Result<(), Error> {
    let (shutdown, limits) = (handler.shutdown().clone(), handler.settings().limits.clone());
    // If this future is dropped, everything in progress is aborted.
    let _end = shutdown.abort.clone().drop_guard();
    let room =
        Arc::new(Semaphore::new(file_limit::cap_connections(limits.connections).min(Semaphore::MAX_PERMITS)));
    let notice = select! {
        never = accept_connections(&handler, &room, &listener) => match never {},
        notice = stop => notice,
    };
    shutdown.notice.cancel();
    // Accepting connections never ends by itself, so only the timeout ends it.
    let _ = timeout(notice, accept_connections(&handler, &room, &listener)).await;
    drop(listener);
    shutdown.drain.cancel();
    shutdown.tasks.close();
    // After the timeout, the guard aborts the requests that are still in progress.
    let _ = timeout(handler.settings().timeouts.drain, shutdown.tasks.wait()).await;
    Ok(())
}

async fn accept_connections<H: Handler>(
    handler: &Arc<H>,
    room: &Arc<Semaphore>,
    listener: &TcpListener,
) -> Infallible {
    loop {
        let (place, accepted) = (Arc::clone(room).acquire_owned().await, listener.accept().await);
        let Ok((stream, peer)) = accepted else {
            sleep(ACCEPT_RETRY_DELAY).await;
            continue;
        };
        let handler = Arc::clone(handler);
        handler.shutdown().tasks.clone().spawn(async move {
            let _place = place;
            serve_connection(handler, stream, Peer(peer.ip())).await;
        });
    }
}

/// Serves one connection. An error that breaks the connection is not reported, because the client could not read it.
async fn serve_connection<H: Handler>(handler: Arc<H>, stream: TcpStream, peer: Peer) {
    // Events should be sent without delay; a socket that does not support the option still works.
    let _ = stream.set_nodelay(true);
    let settings = handler.settings();
    let accepted = select! {
        accepted = timeout(settings.timeouts.head, handshake::accept(settings.tls.as_ref(), stream)) => accepted,
        () = handler.shutdown().drain.cancelled() => return,
    };
    let Ok(Ok(stream)) = accepted else {
        // The client sent nothing, was too slow, or did not use a known protocol.
        if settings.tls.is_some() {
            settings.telemetry.handshake_failed();
        }
        return;
    };
    match stream.protocol {
        Protocol::One => serve_http1(handler, stream, peer).await,
        Protocol::Two => serve_http2(handler, stream, peer).await,
    }
}

/// Adds the sender's address and certificate names to a request.
fn note_sender(peer: Peer, names: Option<&CertificateNames>, request: &mut Request<Incoming>) {
    request.extensions_mut().insert(peer);
    names.map(|names| request.extensions_mut().insert(names.clone()));
}

/// Serves an HTTP/1 connection.
async fn serve_http1<H: Handler>(handler: Arc<H>, stream: AcceptedStream, peer: Peer) {
    let shutdown = handler.shutdown().clone();
    let (protocol, names) = (http1_builder(handler.settings()), stream.names.clone());
    let service = service_fn(move |mut request: Request<Incoming>| {
        note_sender(peer, names.as_ref(), &mut request);
        let handler = Arc::clone(&handler);
        async move {
            let visit =
                Visit::begin(&handler.settings().telemetry, &mut request).at(handler.admission().name());
            Ok::<_, Infallible>(visit.follow(None, admission::answer(handler, request).await))
        }
    });
    let serving = protocol.serve_connection(TokioIo::new(stream), service).with_upgrades();
    tokio::pin!(serving);
    select! {
        _ = serving.as_mut() => return,
        () = shutdown.drain.cancelled() => serving.as_mut().graceful_shutdown(),
    }
    select! {
        _ = serving => {}
        () = shutdown.abort.cancelled() => {}
    }
}

/// Serves an HTTP/2 connection, and closes it when it is idle, as HTTP/1 connections are.
async fn serve_http2<H: Handler>(handler: Arc<H>, stream: AcceptedStream, peer: Peer) {
    let (shutdown, activity) = (handler.shutdown().clone(), ConnectionActivity::default());
    let (protocol, limit) = (http2_builder(&*handler), handler.settings().timeouts.head);
    let (responses, names) = (activity.clone(), stream.names.clone());
    let service = service_fn(move |mut request: Request<Incoming>| {
        note_sender(peer, names.as_ref(), &mut request);
        let (handler, beat) = (Arc::clone(&handler), responses.begin_response());
        async move {
            let visit =
                Visit::begin(&handler.settings().telemetry, &mut request).at(handler.admission().name());
            Ok::<_, Infallible>(visit.follow(Some(beat), admission::answer(handler, request).await))
        }
    });
    let serving = protocol.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(serving);
    let patience = select! {
        _ = serving.as_mut() => return,
        () = shutdown.drain.cancelled() => Duration::MAX,
        () = activity.wait_idle(limit) => GOAWAY_TIMEOUT,
    };
    serving.as_mut().graceful_shutdown();
    select! {
        _ = serving => {}
        () = shutdown.abort.cancelled() => {}
        () = sleep(patience) => {}
    }
}

fn http1_builder(settings: &GatewaySettings) -> http1::Builder {
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(settings.timeouts.head)
        .max_headers(settings.limits.headers)
        .max_header_size(settings.limits.head)
        .max_buf_size(MAX_READ_BUFFER_BYTES.max(settings.limits.head));
    protocol
}

fn http2_builder(handler: &impl Handler) -> http2::Builder<TrackingExecutor> {
    let mut protocol = http2::Builder::new(TrackingExecutor(handler.shutdown().tasks.clone()));
    protocol
        .timer(TokioTimer::new())
        .max_concurrent_streams(handler.streams())
        .max_header_list_size(u32::try_from(handler.settings().limits.head).unwrap_or(u32::MAX))
        // Detects clients that disappeared without closing the connection.
        .keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_INTERVAL);
    protocol
}

/// Spawns the streams of a connection as tracked tasks, which a drain waits for.
#[derive(Clone)]
struct TrackingExecutor(TaskTracker);

impl<H: Future<Output = ()> + Send + 'static> Executor<H> for TrackingExecutor {
    fn execute(&self, stream: H) {
        self.0.spawn(stream);
    }
}
