//! Sends spans and metrics to an OpenTelemetry collector without delaying any request.
//!
//! A separate thread takes events from a short queue. If the collector is down or slow, spans are dropped and counted,
//! so memory use does not grow. Metrics are running totals, so the next report includes whatever the collector missed.

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
use crate::http::client::{HttpVersions, Pools};
use crate::http::memory_budget::MemoryBudget;
use crate::http::request_body::OutgoingBody;
use crate::settings::GatewaySettings;
use crate::upstream::Upstream;

/// The maximum number of events waiting to be processed, and of spans waiting to be sent.
const MAX_QUEUED: usize = 2_048;

/// The maximum number of spans in one request to the collector.
const MAX_BATCH_SPANS: usize = 512;

/// The maximum time that a span waits for other spans to be sent with it.
const MAX_SPAN_DELAY: Duration = Duration::from_secs(5);

/// The shortest and the longest delay before a retry.
const RETRY_DELAYS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// The time allowed for sending the remaining spans when the process ends.
const FINAL_FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Statuses after which the protocol allows sending the same data again.
const RETRYABLE_STATUSES: [StatusCode; 4] = [
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::BAD_GATEWAY,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
];

/// The maximum size of a response from the collector.
const MAX_RESPONSE_BYTES: usize = 64 << 10;

/// Where spans and metrics are sent, and how often.
#[derive(Clone, Debug)]
pub struct CollectorSettings {
    /// The endpoint for spans.
    pub traces: Option<Upstream>,
    /// The endpoint for metrics.
    pub metrics: Option<Upstream>,
    /// Headers that the collector needs, such as credentials.
    pub headers: HeaderMap,
    /// Resource attributes that identify this process.
    pub about: Vec<(String, String)>,
    /// How often metrics are sent; spans are sent at least this often.
    pub interval: Duration,
    /// Timeout for a response from the collector.
    pub timeout: Duration,
}

/// A sink that sends events to a collector. When it is dropped, it tries for a short time to send the remaining events.
pub struct Collector {
    ids: SpanIds,
    traces: bool,
    events: Option<Sender<Arc<RequestEvent>>>,
    dropped: Arc<AtomicU64>,
    ended: Mutex<mpsc::Receiver<()>>,
}

impl Collector {
    /// Starts sending, through the same proxy and with the same trusted certificates as forwarded requests.
    ///
    /// # Errors
    /// Fails if a setting is invalid, or if no thread can be started.
    pub fn start(gateway: &GatewaySettings, settings: CollectorSettings) -> Result<Self, Error> {
        let fault = |error: io::Error| Error::setting("cannot start a thread").because(error);
        let (ids, dropped) = (SpanIds::default(), Arc::new(AtomicU64::new(0)));
        let (events, queue) = tokio::sync::mpsc::channel(MAX_QUEUED);
        let (ending, ended) = mpsc::channel();
        let post = Post {
            pools: Arc::new(Pools::new(gateway)?),
            book: OtelBook::new(
                ids.clone(),
                &settings.about,
                if settings.traces.is_some() { MAX_QUEUED } else { 0 },
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
            // The receiver may have been dropped already.
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
        // Wait no longer than this for the sending thread.
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = ended.recv_timeout(FINAL_FLUSH_TIMEOUT);
    }
}

/// Records events and sends them to the collector.
struct Post {
    settings: Arc<CollectorSettings>,
    pools: Arc<Pools>,
    book: OtelBook,
    dropped: Arc<AtomicU64>,
    /// The current retry delay; zero after a success.
    rest: Duration,
    /// The earliest time of the next attempt, after a failure.
    rests: Option<Instant>,
    /// Spans to send again, because the collector could not accept them.
    again: Option<Parcel>,
    /// When waiting spans are sent even if they do not fill a batch.
    flush: Instant,
    /// When metrics are sent next.
    due: Instant,
}

/// A request to the collector.
struct Parcel {
    to: Upstream,
    body: Bytes,
    /// The number of spans that are lost if this request fails.
    spans: usize,
}

/// The result of sending a parcel.
enum Delivery {
    Taken,
    /// The collector may accept the parcel later.
    Later(Parcel),
    /// The collector will never accept the parcel.
    Refused(Parcel),
}

impl Post {
    async fn run(mut self, mut queue: Receiver<Arc<RequestEvent>>) {
        let mut tick = interval(self.gather());
        // Parcels are sent one at a time, so that their order is kept and a slow collector delays only one.
        let mut sending = JoinSet::new();
        loop {
            select! {
                event = queue.recv() => match event {
                    Some(event) => self.record(&event),
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
        // The process must not wait longer than this before it exits.
        let _ = timeout(FINAL_FLUSH_TIMEOUT, self.finish(sending)).await;
    }

    /// Sends the remaining metrics and spans; stops if the collector fails.
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

    fn record(&mut self, event: &RequestEvent) {
        if !self.book.enter(event) && self.settings.traces.is_some() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The time that spans wait for other spans.
    fn gather(&self) -> Duration {
        MAX_SPAN_DELAY.min(self.settings.interval)
    }

    /// The next parcel to send now, if there is one.
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
        let is_due = self.book.waiting() >= MAX_BATCH_SPANS || self.flush <= now;
        let to = self.settings.traces.clone().filter(|_| is_due)?;
        let spans = self.book.waiting().min(MAX_BATCH_SPANS);
        let Some(body) = self.book.take_traces(MAX_BATCH_SPANS) else {
            self.flush = now + self.gather();
            return None;
        };
        Some(Parcel { to, body: body.into(), spans })
    }

    /// Records the result of sending a parcel; `None` if sending panicked.
    fn settle(&mut self, done: Option<Delivery>) {
        let lost = match done {
            Some(Delivery::Taken) => {
                (self.rest, self.rests) = (Duration::ZERO, None);
                return;
            }
            // Only spans are sent again: metrics would be out of date by then, and the next report includes them.
            Some(Delivery::Later(parcel)) => {
                self.again = Some(parcel).filter(|parcel| parcel.spans > 0);
                0
            }
            Some(Delivery::Refused(parcel)) => parcel.spans,
            None => 0,
        };
        self.dropped.fetch_add(u64::try_from(lost).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.rest = (self.rest * 2).clamp(RETRY_DELAYS.0, RETRY_DELAYS.1);
        self.rests = Some(Instant::now() + self.rest);
    }
}

async fn deliver(pools: Arc<Pools>, settings: Arc<CollectorSettings>, parcel: Parcel) -> Delivery {
    let Ok(address) = parcel.to.endpoint(None) else { return Delivery::Refused(parcel) };
    let mut request = Request::new(OutgoingBody::whole(parcel.body.clone(), None, MemoryBudget::default()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = address;
    *request.headers_mut() = settings.headers.clone();
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-protobuf"));
    let sending = async {
        let (response, _permit) = pools.send(HttpVersions::One, request).await;
        let response = response.ok()?;
        let status = response.status();
        // Read the response to its end, because otherwise the connection could not be reused.
        let _ = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
        Some(status)
    };
    match timeout(settings.timeout, sending).await.ok().flatten() {
        Some(status) if status.is_success() => Delivery::Taken,
        Some(status) if RETRYABLE_STATUSES.contains(&status) => Delivery::Later(parcel),
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

    /// Records `count` events, a few at a time so that the queue itself does not overflow.
    fn hear(collector: &Collector, count: u64) {
        for id in 0..count {
            collector.hear(&event(id));
            if id % 250 == 0 {
                thread::sleep(Duration::from_millis(20));
            }
        }
        thread::sleep(Duration::from_millis(200));
    }

    /// Behaviour 13.24: at most one parcel, one book of totals and one queue wait for a collector.
    #[test]
    fn a_collector_that_never_answers_costs_spans_and_no_room() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let collector = collector(&format!("http://{}/v1/traces", silent.local_addr().unwrap()));
        hear(&collector, 20_000);
        let kept = 20_000 - collector.dropped();
        let bounds =
            u64::try_from(MAX_QUEUED).unwrap()..=u64::try_from(2 * MAX_QUEUED + MAX_BATCH_SPANS).unwrap();
        assert!(bounds.contains(&kept), "{kept}");
    }

    #[test]
    fn one_that_is_not_there_does_so_too() {
        let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let collector = collector(&format!("http://{gone}/v1/traces"));
        hear(&collector, 20_000);
        let kept = 20_000 - collector.dropped();
        let bounds =
            u64::try_from(MAX_QUEUED).unwrap()..=u64::try_from(2 * MAX_QUEUED + MAX_BATCH_SPANS).unwrap();
        assert!(bounds.contains(&kept), "{kept}");
        let since = std::time::Instant::now();
        drop(collector);
        assert!(since.elapsed() < Duration::from_secs(10), "nobody waits for it at the end");
    }
}
