//! Lines that a cut result marks as unchanged are in the last output of the same command, line for line.

#![expect(clippy::expect_used, reason = "a test fails loudly, and says how much it saw")]

use serde_json::json;
use tersely_core::lost_errors;
use tersely_engine::{Engine, EngineSettings, Request};
use tersely_testing::corpus::conversations;
use tersely_wire::{PROVIDERS, Provider};

/// A result: its command, as received, and as sent.
struct Looked {
    given: (String, Option<String>),
    came: String,
    sent: String,
}

fn looked(provider: &'static Provider, body: &[u8]) -> Vec<Looked> {
    let engine = Engine::new(EngineSettings::default());
    let sent = engine.pass(&Request::new(provider, "/"), body).expect("nothing to refuse").body;
    let (came, sent) = (provider.slots(body).expect("slots"), provider.slots(&sent).expect("slots"));
    let pairs = came.iter().zip(&sent).filter_map(|(came, sent)| {
        let given = (came.call.tool.to_string(), came.call.command.as_deref().map(str::to_owned));
        Some(Looked { given, came: came.text()?.into_owned(), sent: sent.text()?.into_owned() })
    });
    pairs.collect()
}

/// The numbers of the lines that a mark calls unchanged, and since which output.
fn said(line: &str) -> Option<(usize, usize, &str)> {
    let (lines, name) = line.strip_prefix("[lines ")?.split_once(" left out: unchanged since ")?;
    let (first, last) = lines.split_once('-')?;
    let name = name.strip_suffix(']')?;
    let name = name.strip_suffix(", not all shown there").unwrap_or(name);
    Some((first.parse().ok()?, last.parse().ok()?, name.strip_suffix(" above")?))
}

/// Follows every such mark as a reader would, and returns their number.
fn follow(at: &str, all: &[Looked]) -> usize {
    let mut count = 0;
    for (place, here) in all.iter().enumerate() {
        for (first, last, name) in here.sent.lines().filter_map(said) {
            let there =
                all[..place].iter().rfind(|it| it.given == here.given).expect("an output of the same");
            let command = here.given.1.as_deref().unwrap_or(&here.given.0);
            assert!(name.contains(&command[..command.len().min(8)]), "{at}: {name} is not {command}");
            let lines: Vec<&str> = here.came.lines().skip(first - 1).take(last + 1 - first).collect();
            let old: Vec<&str> = there.came.lines().collect();
            assert!(
                old.windows(lines.len()).any(|part| part == lines),
                "{at}: lines {first}-{last} have changed"
            );
            assert!(here.sent.starts_with("<<<SHADOW:"), "{at}: it can be fetched back");
            count += 1;
        }
        if here.sent.lines().any(|line| said(line).is_some()) {
            assert_eq!(lost_errors(&here.came, &here.sent).next(), None, "{at}");
        }
    }
    count
}

/// Behaviour 5.10.
#[test]
fn what_is_said_to_be_unchanged_stands_in_the_last_output() {
    let count: usize =
        conversations().iter().map(|it| follow(&it.name, &looked(it.provider, &it.body))).sum();
    println!("{count} followed");
}

/// A screen that is read this many times, with two new lines between two reads.
fn screens(looks: usize) -> Vec<u8> {
    let mut messages = vec![json!({"role": "user", "content": "Watch it."})];
    for look in 0..looks {
        let line = |n: usize| {
            format!("worker {n} built part {} of the tree in {} ms\n", n * 7919 % 997, n * 31 % 97)
        };
        let text: String = (look * 2..look * 2 + 1_200).map(line).collect();
        let call = json!({"type": "tool_use", "id": format!("t{look}"), "name": "Bash", "input": {"command": "tmux capture-pane -p"}});
        let result = json!({"type": "tool_result", "tool_use_id": format!("t{look}"), "content": text});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    let tools = json!([{"name": "Bash", "input_schema": {"type": "object"}}]);
    json!({"model": "claude-opus-4-5", "tools": tools, "messages": messages}).to_string().into_bytes()
}

/// Behaviour 5.10: after eight outputs with such marks, one is shown as if it were the first.
#[test]
fn a_screen_is_shown_again_after_a_while() {
    let all = looked(PROVIDERS[0], &screens(12));
    let says: Vec<bool> = all.iter().map(|it| it.sent.lines().any(|line| said(line).is_some())).collect();
    assert_eq!(says, [vec![false], vec![true; 8], vec![false], vec![true; 2]].concat(), "{}", all[1].sent);
    assert_eq!(follow("screens", &all), 10);
    assert!(all[1].sent.len() * 3 < all[0].sent.len(), "{}", all[1].sent);
}

/// Behaviour 5.8.
#[test]
fn what_was_sent_stays_as_it_was_sent() {
    let [short, long] = [5, 12].map(|looks| looked(PROVIDERS[0], &screens(looks)));
    assert!(short.iter().zip(&long).all(|(one, two)| one.sent == two.sent));
}
