//! Tests metrics with a real Prometheus, the alerts and the dashboard that query them, and the page that explains them.

use std::fs;
use std::path::{Path, PathBuf};

use tersely_testing::prometheus::{PrometheusServer, promtool};

use crate::numbers::script::{Answer, Script};
use crate::seen::{body_of, free, seen};
use crate::stage::{Running, get, post, start, turn, upstream};

/// A gateway that has served one request and failed another, and the address of its metrics.
fn served() -> (Running, String) {
    let (upstream, script) = Script::start();
    let (served, address, admin) = seen(&upstream.to_string(), "");
    let (body, _) = turn();
    post(&address, "/v1/messages", &body);
    script.then(Answer::Hangup);
    post(&address, "/v1/messages", &body);
    (served, admin)
}

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(file(path)).expect("the file is there")
}

/// Behaviour 13.20: text by default, and protobuf with native histograms on request.
#[test]
fn a_real_prometheus_reads_all_that_is_told() {
    let (_served, admin) = served();
    let told = body_of(&get(&admin, "/metrics"));
    let checked = promtool(&["check", "metrics"], &told);
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{said}\n{told}");

    let page = text("docs/metrics.md");
    for name in told.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()) {
        assert!(page.contains(&format!("| `{name}` |")), "the page does not name {name}");
    }

    let line = "tersely_request_tokens_before_total{provider=\"anthropic\"} ";
    let tokens =
        told.lines().find_map(|it| it.strip_prefix(line)).expect("tokens").parse().expect("a number");
    let plain = PrometheusServer::start(&admin, &[]);
    let native = PrometheusServer::start(&admin, &["--enable-feature=native-histograms"]);
    for server in [&plain, &native] {
        server.comes_to("up", 1.0);
        server.comes_to("tersely_request_tokens_before_total{provider=\"anthropic\"}", tokens);
        server.comes_to("tersely_requests_total{end=\"upstream\"}", 1.0);
        server.comes_to("tersely_store_up", 1.0);
    }
    plain.comes_to("tersely_request_duration_seconds_count{provider=\"anthropic\"}", 2.0);
    native.comes_to("histogram_count(tersely_request_duration_seconds{provider=\"anthropic\"})", 2.0);
    assert!(native.query("process_resident_memory_bytes").is_some_and(|bytes| bytes > 1e6));
}

/// Behaviour 13.21.
#[test]
fn alerts_fire_when_they_should_and_not_otherwise() {
    let cases = file("deploy/prometheus/alerts.test.yml");
    let tested = promtool(&["test", "rules", &cases.to_string_lossy()], "");
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stderr));
    let (rules, cases) = (text("deploy/prometheus/alerts.yml"), text("deploy/prometheus/alerts.test.yml"));
    for alert in rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")) {
        let fires = cases.contains(&format!("alertname: {alert}\n        exp_alerts:\n"));
        assert!(fires, "no case in which {alert} fires");
    }
}

/// Behaviour 13.22: the endpoints without models have the same metrics and probes.
#[test]
fn every_door_has_numbers_and_says_when_it_leaves() {
    let (address, _) = upstream(std::time::Duration::ZERO);
    let url = format!("http://{address}");
    let server = format!("files={url}/mcp");
    for (args, path) in [
        (vec!["http", "--listen", "127.0.0.1:0", "--upstream", &url], "/items"),
        (vec!["mcp", "serve", "--listen", "127.0.0.1:0", "--server", &server], "/nothing"),
    ] {
        let admin = free();
        let door = start(&args, &[("TERSELY_ADMIN_LISTEN", &admin), ("TERSELY_TIMEOUTS_NOTICE", "20s")]);
        let address = door.line().split_once("http://").expect("an address").1.to_owned();
        let address = address.split([',', ' ']).next().expect("an address").to_owned();
        get(&address, path);
        let numbers = get(&admin, "/metrics");
        let series = format!("tersely_requests_total{{provider=\"{}\"", args[0]);
        assert!(numbers.contains(&series), "{numbers}");
        let readiness: Vec<&str> = if args[0] == "mcp" { vec![&admin, &address] } else { vec![&admin] };
        for place in &readiness {
            assert!(get(place, "/readyz").starts_with("HTTP/1.1 200"), "{place}");
        }
        door.signal("TERM");
        let since = std::time::Instant::now();
        for place in &readiness {
            while !get(place, "/readyz").starts_with("HTTP/1.1 503") {
                assert!(since.elapsed().as_secs() < 60, "{place} is still ready");
            }
        }
        assert!(!get(&address, path).is_empty(), "requests are still taken");
    }
}
