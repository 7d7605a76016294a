//! A cluster of six under load, while its nodes die, freeze, fill up and stop answering.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tersely_store::{Store, StoreError};
use tokio::task::{JoinSet, block_in_place};
use tokio::time::sleep;

use crate::{DEADLINE, SLACK, alone, hasty, key};
use tersely_testing::pace::at_most;
use tersely_testing::valkey::{Cluster, ValkeyNode};

/// How many callers there are at once.
const CALLERS: u64 = 32;

/// How long each fault lasts.
const FAULT: Duration = Duration::from_secs(3);

/// How many of some ten thousand calls may miss their deadline where nothing is wrong but a busy machine.
const LATE: usize = 5;

/// Everything the callers share.
struct Load {
    store: Store,
    samples: Mutex<Vec<Sample>>,
    ended: AtomicBool,
    /// Calls in a row that succeeded.
    streak: AtomicU64,
}

struct Sample {
    took: Duration,
    error: Option<StoreError>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_ends_in_time_whatever_happens_to_the_nodes() {
    let _alone = alone().await;
    let mut cluster = block_in_place(Cluster::start);
    let load = Arc::new(Load {
        store: hasty(cluster.addresses()),
        samples: Mutex::default(),
        ended: AtomicBool::new(false),
        streak: AtomicU64::new(0),
    });
    let mut callers: JoinSet<()> = (0..CALLERS).map(|caller| call(Arc::clone(&load), caller)).collect();
    println!("| while | calls | failed | p50 ms | p99 ms | longest ms | how | well again after s |");
    println!("|---|---:|---:|---:|---:|---:|---|---:|");
    load.recovered().await;
    load.samples();

    sleep(FAULT).await;
    let failed = load.report("all is well", None);
    assert!(failed <= LATE, "{failed} calls failed");

    cluster.nodes[0].kill();
    load.bears("a master is killed").await;

    cluster.nodes[1].freeze();
    load.bears("a master is frozen, and another takes its place").await;
    cluster.nodes[1].thaw();
    load.bears("it thaws").await;

    set_memory(&cluster.nodes[1..], "3mb");
    sleep(FAULT).await;
    let failed = load.report("the memory is full", None);
    assert!(failed > 0, "nothing was refused");
    set_memory(&cluster.nodes[1..], "0");
    load.bears("there is room again").await;

    cluster.nodes[1..].iter().for_each(ValkeyNode::freeze);
    sleep(FAULT).await;
    let failed = load.report("all nodes are cut off", None);
    assert!(failed > 0, "nothing was cut off");
    cluster.nodes[1..].iter().for_each(ValkeyNode::thaw);
    load.bears("they are back").await;

    sleep(FAULT).await;
    load.report("all is well again", None);
    load.ended.store(true, Relaxed);
    while let Some(caller) = callers.join_next().await {
        caller.expect("no caller panics");
    }
    println!("{:?}", load.store.counts());
}

impl Load {
    /// Waits out a fault that the cluster gets over by itself, and says how it went.
    async fn bears(&self, what: &str) {
        let start = Instant::now();
        self.streak.store(0, Relaxed);
        self.recovered().await;
        let after = start.elapsed();
        sleep(FAULT.saturating_sub(after)).await;
        self.report(what, Some(after));
    }

    /// Waits until a thousand calls in a row succeed.
    async fn recovered(&self) {
        let start = Instant::now();
        while self.streak.load(Relaxed) < 1000 {
            assert!(start.elapsed() < Duration::from_mins(1), "not well again: {:?}", self.store.counts());
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Prints what became of the calls since the last report, holds them to the deadline, and counts the failures.
    fn report(&self, what: &str, well: Option<Duration>) -> usize {
        let mut samples = self.samples();
        samples.sort_by_key(|sample| sample.took);
        let at = |percent: usize| samples[(samples.len() - 1) * percent / 100].took.as_secs_f64() * 1e3;
        let failed = samples.iter().filter(|sample| sample.error.is_some()).count();
        let well = well.map_or_else(String::new, |after| format!("{:.1}", after.as_secs_f64()));
        println!(
            "| {what} | {} | {failed} | {:.2} | {:.1} | {:.1} | {} | {well} |",
            samples.len(),
            at(50),
            at(99),
            at(100),
            reasons(&samples),
        );
        let longest = samples.last().expect("calls").took;
        assert!(longest < at_most(DEADLINE + SLACK), "{what}: a call took {longest:?}");
        failed
    }

    fn samples(&self) -> Vec<Sample> {
        std::mem::take(&mut self.samples.lock().unwrap())
    }

    fn note<T>(&self, started: Instant, result: Result<T, StoreError>) -> Option<T> {
        let took = started.elapsed();
        let (value, error) = result.map_or_else(|error| (None, Some(error)), |value| (Some(value), None));
        if error.is_some() {
            self.streak.store(0, Relaxed);
        } else {
            self.streak.fetch_add(1, Relaxed);
        }
        self.samples.lock().unwrap().push(Sample { took, error });
        value
    }
}

/// Keeps and finds one text after the other; what is found is what was kept, or gone.
async fn call(load: Arc<Load>, caller: u64) {
    let store = &load.store;
    for round in 0.. {
        if load.ended.load(Relaxed) {
            return;
        }
        let number = caller * 10_000 + round % 2000;
        let text = format!("{number} ").repeat(20 + usize::from(number.to_le_bytes()[0]));
        let key = key(store, &format!("tenant {}", caller % 4), number);
        let started = Instant::now();
        load.note(started, store.keep(&key, &text).await);
        let started = Instant::now();
        if let Some(Some(found)) = load.note(started, store.find(&key).await) {
            assert!(found == text, "another text was found");
        }
        sleep(Duration::from_millis(10)).await;
    }
}

fn reasons(samples: &[Sample]) -> String {
    let count = |is: fn(&StoreError) -> bool| {
        samples.iter().filter_map(|it| it.error.as_ref()).filter(|it| is(it)).count()
    };
    let all = [
        ("down", count(|error| matches!(error, StoreError::Down(_)))),
        ("resting", count(|error| matches!(error, StoreError::Resting))),
        ("slow", count(|error| matches!(error, StoreError::Slow(_)))),
        ("busy", count(|error| matches!(error, StoreError::Busy(_)))),
        ("full", count(|error| matches!(error, StoreError::Full))),
    ];
    let seen = all.iter().filter(|(_, count)| *count > 0);
    seen.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

fn set_memory(nodes: &[ValkeyNode], most: &str) {
    for node in nodes {
        assert_eq!(node.say(&format!("CONFIG SET maxmemory {most} maxmemory-policy noeviction")), "+OK");
    }
}
