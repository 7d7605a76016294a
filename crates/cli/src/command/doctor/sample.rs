//! Compresses a sample request to check that the rewriter works.

use http::{HeaderMap, Method, Uri};
use serde_json::{Value, json};
use tersely_core::{Mode, O200k};
use tersely_gateway::{Head, Rewrite, Verdict};
use tersely_terminal::share::Share;

use crate::command::doctor::finding::Finding;
use crate::gateway::ReadyGateway;

/// Compresses a sample request, and reports the saving.
pub(crate) fn look(proxy: &ReadyGateway) -> Finding {
    let (subject, body) = ("sample", body().to_string());
    if proxy.mode() == Mode::Disabled {
        return Finding::open(subject, "nothing is compressed in disabled mode");
    }
    if proxy.mode() == Mode::Observe {
        return Finding::open(
            subject,
            "in observe mode, requests are sent unchanged; Tersely records what it would save",
        );
    }
    let uri = Uri::from_static("/v1/messages");
    let (method, headers) = (&Method::POST, &HeaderMap::new());
    let head = Head { method, uri: &uri, headers, upstream: None, tenant: None };
    if !proxy.rewrite.wants(&head) {
        return Finding::bad(subject, "requests are not rewritten; check `rules`")
            .public("sample: not rewritten");
    }
    match proxy.rewrite.rewrite(&head, &body.clone().into()) {
        Verdict::Replace(new) => sample_finding(subject, &body, &String::from_utf8_lossy(&new.body)),
        Verdict::Keep | Verdict::Count(_) if proxy.mode() == Mode::Safe => {
            Finding::open(subject, "safe mode leaves JSON unchanged")
        }
        Verdict::Keep | Verdict::Count(_) => {
            Finding::bad(subject, "nothing was compressed; check `rules`").public("sample: not compressed")
        }
        Verdict::Wait(_) => Finding::open(subject, "an external compressor handles tool results first"),
        Verdict::Refuse(why) => {
            Finding::bad(subject, format!("rejected: {}", why.message)).public("sample: rejected")
        }
    }
}

fn sample_finding(subject: &str, before: &str, after: &str) -> Finding {
    let (before, after) = (O200k.count(before), O200k.count(after));
    let share = Share::saved(before, after);
    let words = format!("{before} tokens become {after} ({share} saved)");
    Finding::good(subject, words.as_str()).public(format!("sample: {words}"))
}

/// A request with one tool result: JSON rows, as an API might return them.
fn body() -> Value {
    let row =
        |id: usize| json!({ "id": id, "name": format!("item-{id}"), "state": "open", "owner": "team-a" });
    let rows = Value::from((1..=20).map(row).collect::<Vec<_>>()).to_string();
    let call =
        json!({ "type": "tool_use", "id": "t", "name": "Bash", "input": { "command": "gh issue list" } });
    let result = json!({ "type": "tool_result", "tool_use_id": "t", "content": rows });
    json!({ "messages": [
        { "role": "assistant", "content": [call] },
        { "role": "user", "content": [result] },
    ] })
}
