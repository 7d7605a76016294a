//! A proxy that passes every request on and does nothing else: what a gateway costs beside its own work is measured by it.
//!
//!     bare 127.0.0.1:8000 127.0.0.1:9000

#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a tool for measuring says what is wrong and ends"
)]

use std::env;

use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Request, Uri};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() {
    let mut args = env::args().skip(1);
    let (listen, target) = args.next().zip(args.next()).expect("usage: bare LISTEN TARGET");
    let target: Authority = target.parse().expect("TARGET is HOST:PORT");
    let client: Client<HttpConnector, Incoming> = Client::builder(TokioExecutor::new()).build_http();
    let listener = TcpListener::bind(&listen).await.expect("LISTEN is free");
    eprintln!("ready on {listen}");
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let _ = stream.set_nodelay(true);
        let (client, target) = (client.clone(), target.clone());
        let service = service_fn(move |request| client.request(onward(request, &target)));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// The same request, for the target.
fn onward(mut request: Request<Incoming>, target: &Authority) -> Request<Incoming> {
    let path = request.uri().path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/"));
    let uri = Uri::builder().scheme(Scheme::HTTP).authority(target.clone()).path_and_query(path);
    *request.uri_mut() = uri.build().expect("its parts are those of an address");
    request
}
