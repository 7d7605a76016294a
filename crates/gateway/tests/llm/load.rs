//! Measures: many streams at a time, and the cost of a request beside a bare proxy. Run with `--ignored --nocapture`.

use std::convert::Infallible;
use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::uri::{Authority, Scheme};
use http::{Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1 as outbound;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tersely_gateway::{Rewrite, serve};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::scene::{Uninterested, answer, any, client, feed, gateway, keep, read, settings, upstream};

const STREAMS: usize = 1000;
const EVENTS: usize = 20;

/// A thousand concurrent streams of twenty events each.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a load test"]
async fn a_thousand_streams_at_a_time_all_finish() {
    let address = upstream(|request: Request<Incoming>| async move {
        request.into_body().collect().await.unwrap();
        let (frames, body) = feed();
        tokio::spawn(async move {
            for _ in 0..EVENTS {
                sleep(Duration::from_millis(100)).await;
                frames.say("data: 1\n\n").await;
            }
        });
        Response::new(body)
    })
    .await;
    let gateway = gateway(settings(address), keep()).await;
    let client = client();
    let mut asks = JoinSet::new();
    for _ in 0..STREAMS {
        let request = Request::post(gateway.url("/v1/messages")).body(any(Full::from("{}"))).unwrap();
        let asked = client.request(request);
        asks.spawn(async move { read(asked.await.unwrap()).await.body });
    }
    let expected = "data: 1\n\n".repeat(EVENTS);
    while let Some(body) = asks.join_next().await {
        assert_eq!(body.unwrap(), expected);
    }
    println!("{STREAMS} streams; resident {} MB, client and upstream included", resident() / 1024);
}

fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// CPU time per request through the gateway, compared with a bare proxy of the same library in the same run.
#[test]
#[ignore = "a measurement"]
fn a_request_costs_little_more_than_through_a_bare_proxy() {
    let stage = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let address = stage.block_on(upstream(|request: Request<Incoming>| async move {
        request.into_body().collect().await.unwrap();
        answer("{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"an answer of about a hundred bytes\"}]}")
    }));
    let ways = [
        Way::start("bare", move |listener| Box::pin(bare(listener, address))),
        Way::start("streamed", move |listener| Box::pin(ours(listener, address, Arc::new(Uninterested)))),
        Way::start("offered", move |listener| Box::pin(ours(listener, address, keep()))),
    ];
    for (size, requests) in [(1 << 10, 6000), (64 << 10, 2000), (1 << 20, 300)] {
        let costs = ways.each_ref().map(|_| Vec::new());
        let mut costs: [Vec<f64>; 3] = costs;
        for _ in 0..7 {
            for (way, cost) in ways.iter().zip(&mut costs) {
                cost.push(stage.block_on(way.cost(size, requests)));
            }
        }
        let [bare, streamed, offered] = costs.map(median);
        println!(
            "{size:>8} B: bare {bare:.1} us; streamed {streamed:.1} us, {:.2}x; offered {offered:.1} us, {:.2}x",
            streamed / bare,
            offered / bare
        );
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

type Serving = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// A proxy on threads of its own, identified by their name.
struct Way {
    name: &'static str,
    address: SocketAddr,
    _runtime: Runtime,
}

impl Way {
    fn start(name: &'static str, serving: impl FnOnce(TcpListener) -> Serving) -> Self {
        let runtime =
            Builder::new_multi_thread().worker_threads(2).thread_name(name).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(serving(listener));
        Self { name, address, _runtime: runtime }
    }

    /// CPU microseconds per request.
    async fn cost(&self, size: usize, requests: usize) -> f64 {
        const CONNECTIONS: usize = 8;
        let body = Bytes::from(vec![b'x'; size]);
        let before = self.spent();
        let mut clients = JoinSet::new();
        for _ in 0..CONNECTIONS {
            clients.spawn(ask(self.address, body.clone(), requests / CONNECTIONS));
        }
        while let Some(done) = clients.join_next().await {
            done.unwrap();
        }
        let spent = self.spent() - before;
        #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a short run")]
        let cost = spent as f64 / 1000.0 / requests as f64;
        cost
    }

    /// CPU nanoseconds of the threads of this proxy.
    fn spent(&self) -> u64 {
        let threads = fs::read_dir("/proc/self/task").unwrap().map(|entry| entry.unwrap().path());
        let ours = threads
            .filter(|path| fs::read_to_string(path.join("comm")).is_ok_and(|it| it.trim() == self.name));
        let spent = |path: std::path::PathBuf| -> u64 {
            fs::read_to_string(path.join("schedstat")).unwrap().split(' ').next().unwrap().parse().unwrap()
        };
        ours.map(spent).sum()
    }
}

async fn ask(address: SocketAddr, body: Bytes, requests: usize) {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, serving) = outbound::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(serving);
    for _ in 0..requests {
        let request = Request::post("/v1/messages").header("host", "localhost").header("x-api-key", "key");
        let request = request.header("content-type", "application/json").header("accept", "*/*");
        let response = sender.send_request(request.body(Full::new(body.clone())).unwrap()).await.unwrap();
        assert_eq!(response.status(), 200);
        response.into_body().collect().await.unwrap();
        sender.ready().await.unwrap();
    }
}

async fn ours(listener: TcpListener, upstream: SocketAddr, rewrite: Arc<dyn Rewrite>) {
    serve(settings(upstream), rewrite, listener, std::future::pending()).await.unwrap();
}

/// A minimal reverse proxy.
async fn bare(listener: TcpListener, upstream: SocketAddr) {
    let authority: Authority = upstream.to_string().parse().unwrap();
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client: Client<_, Incoming> = Client::builder(TokioExecutor::new()).build(connector);
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        let (client, authority) = (client.clone(), authority.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            let path = request.uri().path_and_query().cloned().unwrap();
            let uri = Uri::builder().scheme(Scheme::HTTP).authority(authority.clone()).path_and_query(path);
            *request.uri_mut() = uri.build().unwrap();
            request.headers_mut().remove("host");
            let client = client.clone();
            async move { Ok::<_, Infallible>(client.request(request).await.unwrap()) }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}
