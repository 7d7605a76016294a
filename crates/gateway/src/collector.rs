//! Sends spans and metrics to an OpenTelemetry collector, without any request waiting for it.
//!
//! A thread of its own takes events from a short queue. One that is dead or slow costs spans, which are counted, and
//! never room: metrics are sums, so what it misses of them is in what it gets next.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use tersely_telemetry::{EventSink, OtelBook, RequestEvent, SpanIds};
use tokio::runtime::Builder;
use tokio::select;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, timeout};

use crate::error::Error;
use crate::http::client::{Pools, Speaks};
use crate::http::memory_budget::MemoryBudget;
use crate::http::request_body::Outgoing;
use crate::settings::GatewaySettings;
use crate::upstream::Upstream;

/// Events that wait to be entered, and spans that wait to be sent.
const QUEUE: usize = 2_048;

/// Spans that are sent together.
const BATCH: usize = 512;

/// How long spans wait for others at the most.
const GATHER: Duration = Duration::from_secs(5);

/// How long a collector that failed is left alone: at first, and at the most.
const REST: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// How long the last spans may take when the process ends.
const GOODBYE: Duration = Duration::from_secs(2);

/// What a collector says that may take the same later, as the protocol has it.
const LATER: [StatusCode; 4] = [
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::BAD_GATEWAY,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
];

/// No honest answer is longer.
const LONGEST: usize = 64 << 10;

/// Where spans and metrics are sent.
#[derive(Clone, Debug)]
pub struct CollectorSettings {
    /// Where spans go.
    pub traces: Option<Upstream>,
    /// Where metrics go.
    pub metrics: Option<Upstream>,
    /// What the collector asks to be told with them, credentials for one.
    pub headers: HeaderMap,
    /// Who sends them.
    pub about: Vec<(String, String)>,
    /// How often metrics are sent, and spans at the least.
    pub interval: Duration,
    /// For an answer of the collector.
    pub timeout: Duration,
}

/// A sink that sends events to a collector. Dropped, it sends what it has, if the collector takes it at once.
pub struct Collector {
    ids: SpanIds,
    traces: bool,
    events: Option<Sender<Arc<RequestEvent>>>,
    dropped: Arc<AtomicU64>,
    ended: Mutex<mpsc::Receiver<()>>,
}

impl Collector {
    /// Begins to send, the way that requests go: same proxy, same certificates.
    ///
    /// # Errors
    /// When the settings do not work, or there can be no thread for it.
    pub fn start(gateway: &GatewaySettings, settings: CollectorSettings) -> Result<Self, Error> {
        let fault = |error: io::Error| Error::setting("cannot start a thread").because(error);
        let (ids, dropped) = (SpanIds::default(), Arc::new(AtomicU64::new(0)));
        let (events, queue) = tokio::sync::mpsc::channel(QUEUE);
        let (ending, ended) = mpsc::channel();
        let post = Post {
            pools: Arc::new(Pools::new(gateway)?),
            book: OtelBook::new(
                ids.clone(),
                &settings.about,
                if settings.traces.is_some() { QUEUE } else { 0 },
            ),
            dropped: Arc::clone(&dropped),
            rest: Duration::ZERO,
            rests: None,
            again: None,
            flush: Instant::now(),
            due: Instant::now() + settings.interval,
            settings: Arc::new(settings),
        };
        let traces = post.settings.traces.is_some();
        let runtime = Builder::new_current_thread().enable_all().build().map_err(fault)?;
        let work = move || {
            runtime.block_on(post.run(queue));
            // Nobody may wait for it any more.
            let _ = ending.send(());
        };
        thread::Builder::new().name("tersely-otel".to_owned()).spawn(work).map_err(fault)?;
        Ok(Self { ids, traces, events: Some(events), dropped, ended: Mutex::new(ended) })
    }
}

impl EventSink for Collector {
    fn name(&self) -> &'static str {
        "otel"
    }

    fn hear(&self, event: &Arc<RequestEvent>) {
        let is_sent = self.events.as_ref().is_some_and(|events| events.try_send(Arc::clone(event)).is_ok());
        if !is_sent {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn span(&self, id: u64) -> Option<u64> {
        self.traces.then(|| self.ids.span(id))
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.events = None;
        // After that it has had its time.
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = ended.recv_timeout(GOODBYE);
    }
}

/// What takes events and sends them on.
struct Post {
    settings: Arc<CollectorSettings>,
    pools: Arc<Pools>,
    book: OtelBook,
    dropped: Arc<AtomicU64>,
    /// How long the collector was left alone when it last failed.
    rest: Duration,
    /// Until when it is.
    rests: Option<Instant>,
    /// What it could not take then.
    again: Option<Parcel>,
    /// When spans that wait are sent, however few.
    flush: Instant,
    /// When metrics are sent.
    due: Instant,
}

/// What is posted.
struct Parcel {
    to: Upstream,
    body: Bytes,
    /// How many spans are lost if it is.
    spans: usize,
}

/// What became of it.
enum Delivery {
    Taken,
    /// It may be taken later.
    Later(Parcel),
    /// It never will be.
    Refused(Parcel),
}

impl Post {
    async fn run(mut self, mut queue: Receiver<Arc<RequestEvent>>) {
        let mut tick = interval(self.gather());
        // One at a time: the order stays, and a slow collector holds one at the most.
        let mut sending = JoinSet::new();
        loop {
            select! {
                event = queue.recv() => match event {
                    Some(event) => self.enter(&event),
                    None => break,
                },
                Some(done) = sending.join_next() => self.settle(done.ok()),
                _ = tick.tick() => {}
            }
            if sending.is_empty()
                && let Some(parcel) = self.next(Instant::now())
            {
                sending.spawn(deliver(Arc::clone(&self.pools), Arc::clone(&self.settings), parcel));
            }
        }
        // It has as long as whoever ends the process waits for it.
        let _ = timeout(GOODBYE, self.finish(sending)).await;
    }

    /// Sends what is left, unless the collector fails.
    async fn finish(mut self, mut sending: JoinSet<Delivery>) {
        while let Some(done) = sending.join_next().await {
            self.settle(done.ok());
        }
        (self.due, self.flush) = (Instant::now(), Instant::now());
        while let Some(parcel) = self.next(Instant::now()) {
            let done = deliver(Arc::clone(&self.pools), Arc::clone(&self.settings), parcel).await;
            self.settle(Some(done));
        }
    }

    fn enter(&mut self, event: &RequestEvent) {
        if !self.book.enter(event) && self.settings.traces.is_some() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How long spans wait for others.
    fn gather(&self) -> Duration {
        GATHER.min(self.settings.interval)
    }

    /// What is to be sent now, if anything is.
    fn next(&mut self, now: Instant) -> Option<Parcel> {
        if self.rests.is_some_and(|until| now < until) {
            return None;
        }
        self.again.take().or_else(|| self.metrics(now)).or_else(|| self.traces(now))
    }

    fn metrics(&mut self, now: Instant) -> Option<Parcel> {
        let to = self.settings.metrics.clone().filter(|_| self.due <= now)?;
        self.due = now + self.settings.interval;
        let body = self.book.metrics(SystemTime::now()).into();
        Some(Parcel { to, body, spans: 0 })
    }

    fn traces(&mut self, now: Instant) -> Option<Parcel> {
        let is_due = self.book.waiting() >= BATCH || self.flush <= now;
        let to = self.settings.traces.clone().filter(|_| is_due)?;
        let spans = self.book.waiting().min(BATCH);
        let Some(body) = self.book.take_traces(BATCH) else {
            self.flush = now + self.gather();
            return None;
        };
        Some(Parcel { to, body: body.into(), spans })
    }

    /// Hears what became of a parcel; nothing where sending it panicked.
    fn settle(&mut self, done: Option<Delivery>) {
        let lost = match done {
            Some(Delivery::Taken) => {
                (self.rest, self.rests) = (Duration::ZERO, None);
                return;
            }
            // Metrics are out of date by then, and in what is sent next.
            Some(Delivery::Later(parcel)) => {
                self.again = Some(parcel).filter(|parcel| parcel.spans > 0);
                0
            }
            Some(Delivery::Refused(parcel)) => parcel.spans,
            None => 0,
        };
        self.dropped.fetch_add(u64::try_from(lost).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.rest = (self.rest * 2).clamp(REST.0, REST.1);
        self.rests = Some(Instant::now() + self.rest);
    }
}

async fn deliver(pools: Arc<Pools>, settings: Arc<CollectorSettings>, parcel: Parcel) -> Delivery {
    let Ok(address) = parcel.to.endpoint(None) else { return Delivery::Refused(parcel) };
    let mut request = Request::new(Outgoing::whole(parcel.body.clone(), None, MemoryBudget::default()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = address;
    *request.headers_mut() = settings.headers.clone();
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-protobuf"));
    let sending = async {
        let (response, _lane) = pools.send(Speaks::One, request).await;
        let response = response.ok()?;
        let status = response.status();
        // What is left unread keeps a connection from being used again.
        let _ = Limited::new(response.into_body(), LONGEST).collect().await;
        Some(status)
    };
    match timeout(settings.timeout, sending).await.ok().flatten() {
        Some(status) if status.is_success() => Delivery::Taken,
        Some(status) if LATER.contains(&status) => Delivery::Later(parcel),
        Some(_) => Delivery::Refused(parcel),
        None => Delivery::Later(parcel),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use tersely_account::ShownName;
    use tersely_telemetry::Verb;

    use super::*;

    fn settings(url: &str) -> CollectorSettings {
        CollectorSettings {
            traces: url.parse().ok(),
            metrics: None,
            headers: HeaderMap::new(),
            about: Vec::new(),
            interval: Duration::from_millis(20),
            timeout: Duration::from_mins(1),
        }
    }

    fn collector(url: &str) -> Collector {
        Collector::start(&GatewaySettings::default(), settings(url)).unwrap()
    }

    fn event(id: u64) -> Arc<RequestEvent> {
        let event = RequestEvent::new(id, Verb::of("POST"));
        Arc::new(RequestEvent { provider: Some("openai"), model: ShownName::of("m"), status: 200, ..event })
    }

    #[test]
    fn nothing_is_lost_where_no_spans_are_wanted() {
        let settings = CollectorSettings { traces: None, ..settings("") };
        let collector = Collector::start(&GatewaySettings::default(), settings).unwrap();
        hear(&collector, 5_000);
        assert_eq!((collector.dropped(), collector.span(1)), (0, None));
    }

    /// Hears of so many requests, a few at a time so that its queue is not what is full.
    fn hear(collector: &Collector, count: u64) {
        for id in 0..count {
            collector.hear(&event(id));
            if id % 250 == 0 {
                thread::sleep(Duration::from_millis(20));
            }
        }
        thread::sleep(Duration::from_millis(200));
    }

    /// Behaviour 13.24: what is kept for a collector is one parcel, a book and a queue.
    #[test]
    fn a_collector_that_never_answers_costs_spans_and_no_room() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let collector = collector(&format!("http://{}/v1/traces", silent.local_addr().unwrap()));
        hear(&collector, 20_000);
        let kept = 20_000 - collector.dropped();
        let bounds = u64::try_from(QUEUE).unwrap()..=u64::try_from(2 * QUEUE + BATCH).unwrap();
        assert!(bounds.contains(&kept), "{kept}");
    }

    #[test]
    fn one_that_is_not_there_does_so_too() {
        let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let collector = collector(&format!("http://{gone}/v1/traces"));
        hear(&collector, 20_000);
        let kept = 20_000 - collector.dropped();
        let bounds = u64::try_from(QUEUE).unwrap()..=u64::try_from(2 * QUEUE + BATCH).unwrap();
        assert!(bounds.contains(&kept), "{kept}");
        let since = std::time::Instant::now();
        drop(collector);
        assert!(since.elapsed() < Duration::from_secs(1), "nobody waits for it at the end");
    }
}
