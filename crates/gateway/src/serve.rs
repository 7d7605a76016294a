//! Listens, serves each connection, and on a sign lets running streams finish.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::error::Error;
use crate::llm::{Gate, Rewrite, enter};
use crate::settings::Settings;

/// How long to wait when no connection can be accepted, as when there are no file handles left.
const PAUSE: Duration = Duration::from_millis(50);

/// Listens where the settings say.
///
/// # Errors
/// When the address cannot be had.
pub async fn bind(settings: &Settings) -> Result<TcpListener, Error> {
    let listen = settings.listen;
    let fault = |error| Error::setting(format!("cannot listen on {listen}")).because(error);
    TcpListener::bind(listen).await.map_err(fault)
}

/// Serves until `stop` is ready; then takes no more connections, and returns when the running requests have ended or
/// the time to drain is over.
///
/// # Errors
/// When the settings cannot be put to work: a certificate file that is none, a proxy that is not spoken to.
pub async fn serve(
    settings: Settings,
    rewrite: Arc<dyn Rewrite>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> Result<(), Error> {
    let gate = Arc::new(Gate::new(settings, rewrite)?);
    // Whoever drops this future wants everything gone.
    let _end = gate.life.end.clone().drop_guard();
    select! {
        never = accept(&gate, listener) => match never {},
        () = stop => {}
    }
    gate.life.drain.cancel();
    gate.life.tasks.close();
    // What is still running then is ended by the guard.
    let _ = timeout(gate.settings.timeouts.drain, gate.life.tasks.wait()).await;
    Ok(())
}

async fn accept(gate: &Arc<Gate>, listener: TcpListener) -> Infallible {
    let room = Arc::new(Semaphore::new(gate.settings.limits.connections.min(Semaphore::MAX_PERMITS)));
    loop {
        let (place, accepted) = (Arc::clone(&room).acquire_owned().await, listener.accept().await);
        let Ok((stream, _)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        let gate = Arc::clone(gate);
        gate.life.tasks.clone().spawn(async move {
            let _place = place;
            connection(gate, stream).await;
        });
    }
}

/// Serves one connection. What breaks it is its own affair: there is no one left to tell.
async fn connection(gate: Arc<Gate>, stream: TcpStream) {
    // Events should leave at once; a socket that cannot be told so still works.
    let _ = stream.set_nodelay(true);
    let (drain, end) = (gate.life.drain.clone(), gate.life.end.clone());
    let protocol = protocol(&gate.settings);
    let service = service_fn(move |request| {
        let gate = Arc::clone(&gate);
        async move { Ok::<_, Infallible>(enter(gate, request).await) }
    });
    let serving = protocol.serve_connection(TokioIo::new(stream), service).with_upgrades();
    tokio::pin!(serving);
    select! {
        _ = serving.as_mut() => return,
        () = drain.cancelled() => serving.as_mut().graceful_shutdown(),
    }
    select! {
        _ = serving => {}
        () = end.cancelled() => {}
    }
}

fn protocol(settings: &Settings) -> http1::Builder {
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(settings.timeouts.head)
        .max_headers(settings.limits.headers)
        .max_header_size(settings.limits.head);
    protocol
}
