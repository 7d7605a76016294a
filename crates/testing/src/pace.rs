//! Time limits on a machine that others use too.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How much longer than its limit something may take on a busy machine, and the least it may take.
const BUSY: (u32, Duration) = (10, Duration::from_secs(10));

/// The limit of something that waits. On a busy machine it says that nothing hangs; on a quiet one, with
/// `TERSELY_STRICT_TIME=1` (`just timed`), it is the limit itself.
pub fn at_most(limit: Duration) -> Duration {
    let strict = std::env::var_os("TERSELY_STRICT_TIME").is_some();
    if strict { limit } else { BUSY.1.max(limit * BUSY.0) }
}

/// The time that this thread has run: others take turns with it. Where the system does not tell, the time.
pub fn thread_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ran = stat.split(' ').next().and_then(|ran| ran.parse().ok()).map(Duration::from_nanos);
    ran.unwrap_or_else(|| START.elapsed())
}
