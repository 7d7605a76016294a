//! Process metrics under their standard Prometheus names. Available on Linux only.

use std::fmt;
use std::fs;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// Clock ticks per second in `/proc`; the same on every Linux machine.
const TICKS: f64 = 100.0;

/// Collects the process metrics.
#[derive(Debug)]
pub(crate) struct ProcessMetrics;

impl Collector for ProcessMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        if let Some(seconds) = fs::read_to_string("/proc/self/stat").ok().as_deref().and_then(seconds) {
            let about = "CPU time that this process has used";
            let cpu = encoder.encode_descriptor("process_cpu_seconds", about, None, MetricType::Counter)?;
            ConstCounter::new(seconds).encode(cpu)?;
        }
        if let Some(bytes) = fs::read_to_string("/proc/self/status").ok().as_deref().and_then(resident) {
            let about = "Resident memory of this process";
            let name = "process_resident_memory_bytes";
            ConstGauge::new(bytes).encode(encoder.encode_descriptor(
                name,
                about,
                None,
                MetricType::Gauge,
            )?)?;
        }
        let Ok(files) = fs::read_dir("/proc/self/fd") else { return Ok(()) };
        let open = i64::try_from(files.count()).unwrap_or(i64::MAX);
        let about = "Open file descriptors of this process, including sockets";
        ConstGauge::new(open).encode(encoder.encode_descriptor(
            "process_open_fds",
            about,
            None,
            MetricType::Gauge,
        )?)
    }
}

/// CPU seconds from `stat`: fields 14 and 15, counted from the end of the process name, because the name may contain
/// any characters.
fn seconds(stat: &str) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS)
}

/// Resident memory from `status`, in bytes.
fn resident(status: &str) -> Option<i64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<i64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_says_is_read() {
        let stat = "7 (a ) b) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 3 0 99";
        assert_eq!(seconds(stat), Some(2.0));
        assert_eq!(resident("Name:\tx\nVmRSS:\t    2048 kB\nThreads:\t1\n"), Some(2 << 20));
        assert_eq!((seconds("7"), resident("Name:\tx\n")), (None, None));
    }
}
