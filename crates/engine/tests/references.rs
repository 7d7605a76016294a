//! Every reference can be followed, and leads to the text that it replaced.
//!
//! References are read here as a model reads them, by their words alone. Texts are compared as the client sent them,
//! with every form undone.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails loudly, and says how much it saw")]

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::{Value, json};
use tersely_core::{Call, Loss, Mode, O200k, Plan, ToolKind};
use tersely_engine::{Engine, EngineSettings, Request};
use tersely_testing::corpus::{conversations, larger};
use tersely_wire::{PROVIDERS, Provider};

/// A result, as received and as sent.
struct SentResult {
    tool: String,
    command: Option<String>,
    is_part: bool,
    came: String,
    sent: String,
}

/// A parsed reference.
struct ParsedReference<'s> {
    what: What<'s>,
    name: &'s str,
}

enum What<'s> {
    All,
    Numbers { here: RangeInclusive<usize>, there: RangeInclusive<usize> },
    Block { count: usize, first: &'s str, last: &'s str },
}

/// Parses a line that is a reference, by its words.
fn parse(line: &str) -> Option<ParsedReference<'_>> {
    let (what, rest) = line.strip_prefix('[')?.strip_suffix(" above]")?.split_once(": same as ")?;
    let (lines, name) = rest.split_once("in ")?;
    let range = |words: &str| {
        let (first, last) = words.trim().split_once('-')?;
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    let what = if what == "all lines" {
        What::All
    } else if let Some(here) = what.strip_prefix("lines ") {
        let here: RangeInclusive<usize> = range(here)?;
        What::Numbers { there: lines.strip_prefix("lines ").map_or(Some(here.clone()), range)?, here }
    } else {
        let (count, quotes) = what.split_once(" lines from \"")?;
        let (first, last) = quotes.strip_suffix('"')?.split_once("\" to \"")?;
        What::Block { count: count.parse().ok()?, first, last }
    };
    Some(ParsedReference { what, name })
}

/// The results of a body that was sent one way.
fn send(provider: &'static Provider, body: &[u8], (mode, loss): (Mode, Loss)) -> Vec<SentResult> {
    let plan = Plan { mode, loss, ..Plan::default() };
    let engine = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
    let sent = engine.pass(&Request::new(provider, "/"), body).expect("nothing to refuse").body;
    let (came, sent) = (provider.slots(body).expect("slots"), provider.slots(&sent).expect("slots"));
    let pairs = came.iter().zip(&sent).filter_map(|(came, sent)| {
        Some(SentResult {
            tool: came.call.tool.to_string(),
            command: came.call.command.as_deref().map(str::to_owned),
            is_part: came.call.is_part,
            came: came.text()?.into_owned(),
            sent: sent.text()?.into_owned(),
        })
    });
    pairs.collect()
}

impl SentResult {
    fn call(&self) -> Call<'_> {
        Call { tool: &self.tool, command: self.command.as_deref(), ..Call::default() }
    }

    fn references(&self) -> Vec<ParsedReference<'_>> {
        self.sent.lines().filter_map(parse).collect()
    }

    /// True when a name refers to it.
    fn is_called(&self, name: &str) -> bool {
        let command = self.command.as_deref().unwrap_or_default();
        if let Some(path) = name.strip_suffix(" as last read in full") {
            let whole = self.call().tool_kind() == ToolKind::Read && !self.is_part;
            return whole && command.ends_with(path);
        }
        let given = name.strip_prefix("the last output of ").unwrap_or(name);
        if let Some(given) = given.strip_suffix(" shown whole") {
            let whole = self.references().is_empty() && !self.sent.starts_with("<<<");
            return whole && self.is_called(&format!("the last output of {given}"));
        }
        if let Some(ends) = given.strip_prefix("the command from \"") {
            let (first, last) =
                ends.strip_suffix('"').and_then(|ends| ends.split_once("\" to \"")).expect("two ends");
            return [command, &format!("{} {command}", self.tool)]
                .iter()
                .any(|given| given.starts_with(first) && given.ends_with(last));
        }
        given == command || given == format!("{} {command}", self.tool).trim()
    }

    /// True when it is only a reference to another result.
    fn is_again(&self) -> bool {
        matches!(self.references()[..], [ParsedReference { what: What::All, .. }])
    }
}

/// The number that a line begins with, and the rest.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let number = line.trim_start_matches(' ');
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = number.split_at(digits);
    let content = ["\t", "→", ": "].iter().find_map(|mark| rest.strip_prefix(mark))?;
    Some((number.parse().ok()?, content))
}

/// The texts of the lines with these numbers; an empty line without one is the next after the line above it.
fn by_number<'t>(text: &'t str, numbers: &RangeInclusive<usize>) -> Vec<&'t str> {
    let mut last = None;
    let lines = text.lines().filter_map(|line| {
        let found = numbered(line).or_else(|| Some((last? + 1, line)).filter(|_| line.is_empty()));
        last = found.map(|(number, _)| number);
        found
    });
    lines.filter(|(number, _)| numbers.contains(number)).map(|(_, content)| content).collect()
}

/// The lines from one to another, each of which occurs once.
fn by_quote<'t>(text: &'t str, first: &str, last: &str) -> Vec<&'t str> {
    let lines: Vec<&str> = text.split('\n').collect();
    let place = |quote: &str| {
        let mut found = (0..lines.len()).filter(|at| lines[*at].trim() == quote);
        let place = found.next().unwrap_or_else(|| panic!("{quote} is not there"));
        assert_eq!(found.next(), None, "{quote} stands there twice");
        place
    };
    lines[place(first)..=place(last)].to_vec()
}

/// Follows every reference of a conversation, and returns their number.
fn follow(at: &str, results: &[SentResult]) -> usize {
    let mut count = 0;
    for (place, here) in results.iter().enumerate() {
        let references = here.references();
        assert!(references.len() <= 4, "{at}: {}", here.sent);
        for ParsedReference { what, name } in references {
            let called = |it: &&SentResult| it.is_called(name) && !it.is_again();
            let there = results[..place].iter().rfind(called).unwrap_or_else(|| panic!("{at}: {name}"));
            assert!(is_plain(name), "{at}: {name}");
            let lines = meant(here, there, &what).unwrap_or_else(|why| panic!("{at}: {name}: {why}"));
            let enough = lines.len() >= 8 || O200k.count(&lines.join("\n")) >= 80;
            assert!(enough, "{at}: {lines:?}");
            quiet(at, here, (&what, &lines));
            count += 1;
        }
    }
    count
}

/// True for a short, plain name.
fn is_plain(name: &str) -> bool {
    let bare = name.trim_end_matches(" as last read in full").trim_start_matches("the last output of ");
    let bare = bare.trim_end_matches(" shown whole");
    let most = if bare.starts_with("the command from \"") { 84 } else { 60 };
    bare.chars().count() <= most && !bare.contains(char::is_control)
}

/// The lines that a reference means, if they are equal in both places and visible in the other.
fn meant<'t>(here: &'t SentResult, there: &'t SentResult, what: &What<'_>) -> Result<Vec<&'t str>, String> {
    let lines = match what {
        What::All => {
            let same = here.came == there.came;
            return same.then(|| here.came.lines().collect()).ok_or_else(|| "another text".to_owned());
        }
        What::Numbers { here: ours, there: theirs } => {
            let (one, two) = (by_number(&here.came, ours), by_number(&there.came, theirs));
            if one != two || one.len() != ours.clone().count() {
                return Err(format!("{one:?} is not {two:?}"));
            }
            if by_number(&there.sent, theirs) != two {
                return Err(format!("{theirs:?} is not shown"));
            }
            one
        }
        What::Block { count, first, last } => {
            let shown = by_quote(&there.sent, first, last);
            let block = by_quote(&clean(&there.came), first, last).join("\n");
            if shown.len() != *count || shown.join("\n") != block {
                return Err(format!("{count} lines from {first} to {last} are not shown"));
            }
            if !format!("\n{}\n", clean(&here.came)).contains(&format!("\n{block}\n")) {
                return Err(format!("this does not stand here: {block}"));
            }
            shown
        }
    };
    Ok(lines)
}

/// The longest text in a document.
fn longest(value: &Value) -> String {
    let all: Box<dyn Iterator<Item = &Value>> = match value {
        Value::String(text) => return text.clone(),
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => return String::new(),
    };
    all.map(longest).max_by_key(String::len).unwrap_or_default()
}

/// A text without terminal codes, and without a JSON wrapping.
fn clean(text: &str) -> String {
    let inside = serde_json::from_str(text).ok().filter(|value: &Value| !value.is_number());
    let text = inside.map_or_else(|| text.to_owned(), |value| longest(&value));
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((plain, code)) = rest.split_once("\u{1b}[") {
        out.push_str(plain);
        rest = code.trim_start_matches(|char: char| !char.is_ascii_alphabetic()).get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

const ERRORS: [&str; 8] =
    ["error:", "Error:", "FAILED", "panicked at", "Traceback (most", "npm ERR!", "fatal:", "Assertion"];

/// No reference replaces text that an agent may quote or must see.
fn quiet(at: &str, here: &SentResult, (what, lines): (&What<'_>, &[&str])) {
    let kind = here.call().tool_kind();
    let edits = ["edit", "multiedit", "write", "apply_patch", "str_replace", "create", "insert"];
    assert!(!edits.contains(&here.tool.to_ascii_lowercase().as_str()), "{at}: an edit");
    if here.call().is_verbatim("") {
        let part = here.is_part || (kind != ToolKind::Read && here.call().asks_for_part());
        assert!(!part && O200k.count(&here.came) > 800, "{at}: {:?}", here.command);
        assert!(!matches!(what, What::Numbers { .. }) || kind == ToolKind::Read || here.command.is_some());
    } else {
        let red = |line: &&&str| ERRORS.iter().any(|word| line.contains(word));
        assert_eq!(lines.iter().find(red), None, "{at}: an error");
    }
}

/// Behaviour 0.13, 5.3, 5.4 and 17.12.
#[test]
fn what_a_reference_names_says_the_same_in_both_places() {
    let mut all = 0;
    for way in
        [(Mode::Standard, Loss::None), (Mode::Standard, Loss::Detail), (Mode::Aggressive, Loss::Detail)]
    {
        let mut count = 0;
        for conversation in conversations() {
            let results = send(conversation.provider, &conversation.body, way);
            count += follow(&conversation.name, &results);
        }
        println!("{way:?}: {count} references followed");
        assert!(count > 30 || larger().is_none(), "{way:?}: {count} references are not found as they were");
        all += count;
    }
    // In our own few conversations, not every way has one.
    assert!(all > 1, "{all} references are not found as they were");
}

/// A conversation in which a tool is called again and again.
fn talk(tool: &str, input: &Value, texts: &[String]) -> Vec<u8> {
    let mut messages = vec![json!({"role": "user", "content": "Look."})];
    for (at, text) in texts.iter().enumerate() {
        let id = format!("t{at}");
        let call = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    json!({"model": "m", "messages": messages}).to_string().into_bytes()
}

/// The texts of the core's fixtures, one for every form and family at least.
fn fixtures() -> Vec<(String, String, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/fixtures");
    let mut files: Vec<_> = fs::read_dir(folder).expect("fixtures").flatten().map(|it| it.path()).collect();
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let text = fs::read_to_string(file).expect("a text");
        let (call, text) = text.split_once('\n').expect("a call and a text");
        let (tool, given) = call.split_once(':').expect("a tool and what it was given");
        (file.display().to_string(), tool.to_owned(), given.trim().to_owned(), text.to_owned())
    };
    files.iter().map(read).collect()
}

/// Texts that repeat another in part: with more around it, without its beginning, without its end, twice.
fn variants(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let third = lines.len() / 3;
    vec![
        text.to_owned(),
        format!("a line that is new\n{text}\nanother line that is new"),
        lines[third..].join("\n"),
        lines[..2 * third].join("\n"),
        format!("{text}\n{text}"),
        text.replace("the", "that"),
    ]
}

#[test]
fn no_form_changes_what_a_reference_means() {
    let mut count = 0;
    for (file, tool, given, text) in fixtures() {
        let input = if tool == "Read" { json!({"file_path": given}) } else { json!({"command": given}) };
        let texts = [variants(&text), variants(&text.repeat(8))].concat();
        for mode in [Mode::Standard, Mode::Aggressive] {
            for loss in [Loss::None, Loss::Form, Loss::Detail] {
                let body = talk(&tool, &input, &texts);
                count += follow(&file, &send(PROVIDERS[0], &body, (mode, loss)));
            }
        }
    }
    assert!(count > 60, "{count}");
}

/// Paths whose column depends on the heading above them.
#[test]
fn staged_files_are_not_taken_for_unstaged_ones() {
    let list = |sign: &str, from: usize| -> String {
        let path = |n| format!("{sign}crates/deep/folder/of/paths/module_{n}.rs\n");
        (from..from + 40).map(path).collect::<Vec<_>>().concat()
    };
    let texts = [list(" M ", 0), list("M  ", 0), list("M  ", 10) + &list(" M ", 0)];
    for loss in [Loss::None, Loss::Detail] {
        let body = talk("Bash", &json!({"command": "git status --short"}), &texts);
        follow("git status", &send(PROVIDERS[0], &body, (Mode::Standard, loss)));
    }
}

/// Lines that continue those above them, below other lines.
#[test]
fn lines_that_go_on_like_their_neighbours_are_not_named() {
    let log = |story: &str| -> String {
        let line = |n| format!("2026-01-01T10:{n:02}:00Z worker-{} INFO request {n} {story}\n", n % 7);
        (0..60).map(line).collect::<Vec<_>>().concat()
    };
    let texts = [
        log("was answered by the first server of the three that there are in this place"),
        log("was refused by the last server of the many that there were in that place"),
    ];
    let texts = [texts.clone().to_vec(), vec![texts.concat()]].concat();
    let body = talk("Bash", &json!({"command": "tail -f app.log"}), &texts);
    follow("a log", &send(PROVIDERS[0], &body, (Mode::Standard, Loss::None)));
}

/// Behaviour 0.13: a request that lets the provider drop results gets no references.
#[test]
fn what_may_be_dropped_is_not_named() {
    let line = |n| format!("line {n} says what line {n} says in this long file\n");
    let text = (0..90).map(line).collect::<Vec<_>>().concat();
    let body = talk("Bash", &json!({"command": "make"}), &[text.clone(), text]);
    let body = String::from_utf8(body).expect("text");
    let managed = |member: &str| body.replacen('{', &format!("{{{member},"), 1);
    for (member, referred) in [
        (r#""x":1"#, 1),
        (r#""context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]}"#, 0),
        (r#""context_management":{"edits":[{"type":"clear_thinking_20251015"}]}"#, 1),
        (r#""_tersely":{"dedup":false}"#, 0),
        (r#""_tersely":{"tool_output_compression":{"dedup":false}}"#, 0),
    ] {
        let results = send(PROVIDERS[0], managed(member).as_bytes(), (Mode::Standard, Loss::None));
        assert_eq!(results.iter().flat_map(SentResult::references).count(), referred, "{member}");
    }
}
