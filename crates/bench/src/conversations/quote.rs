//! Counts the edits whose old text is still contiguous in the text that an agent would copy it from.
//!
//! An edit tool locates the edit by the old text, which the model copies from the latest read of the file. For every
//! edit whose old text was contiguous in that read as the client sent it, this module checks whether the old text is
//! still contiguous in the compressed read, or in the earlier read that the compressed one refers to.

use std::collections::HashMap;

use serde_json::Value;
use tersely_core::Call;

/// The number of old texts in the latest read of their file, and how many of them are still there after compression.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quotes {
    /// The number of old texts in the latest read, as the client sent it.
    pub stood: usize,
    /// The number of old texts in the latest read, after compression.
    pub latest: usize,
    /// The number of old texts in that read, or in an earlier read that it refers to.
    pub named: usize,
}

impl Quotes {
    /// The minimum percentages of old texts that must be found: in the latest read alone, and including the reads it
    /// refers to.
    pub const LAW: [usize; 2] = [95, 99];

    /// True if enough edits find their old text.
    #[must_use]
    pub fn is_lawful(self) -> bool {
        let [latest, named] = Self::LAW;
        self.latest * 100 >= self.stood * latest && self.named * 100 >= self.stood * named
    }

    /// Adds two counts.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            stood: self.stood + other.stood,
            latest: self.latest + other.latest,
            named: self.named + other.named,
        }
    }
}

/// Counts the quotes in a conversation, given its original and its compressed body. Only Messages and Chat Completions
/// bodies contain any.
#[must_use]
pub fn quotes(came: &Value, sent: &Value) -> Quotes {
    let (came, sent) = (events(came), events(sent));
    let mut reads: Vec<Read<'_>> = Vec::new();
    let mut quotes = Quotes::default();
    for (came, sent) in came.iter().zip(&sent) {
        match (came, sent) {
            (Event::Result(call, text), Event::Result(_, sent)) => reads.push(Read { call, text, sent }),
            (Event::Call(call), _) => {
                for (path, old) in edits(call) {
                    quotes = quotes.and(survival(&reads, &path, &old).unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    quotes
}

/// A result, before and after compression.
struct Read<'r> {
    call: &'r Made,
    text: &'r str,
    sent: &'r str,
}

/// Where the old text of an edit is found after compression. `None` if it was not in the latest read.
fn survival(reads: &[Read<'_>], path: &str, old: &str) -> Option<Quotes> {
    let at = reads.iter().rposition(|read| read.call.reads(path))?;
    let latest = &reads[at];
    if !holds(latest.text, old) {
        return None;
    }
    let here = holds(latest.sent, old);
    let there =
        || names(latest.sent).any(|name| named(&reads[..at], name).is_some_and(|it| holds(it.sent, old)));
    Some(Quotes { stood: 1, latest: usize::from(here), named: usize::from(here || there()) })
}

/// The names of earlier results that a text refers to.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (_, rest) = line.strip_prefix('[')?.strip_suffix(" above]")?.split_once(": same as ")?;
        rest.split_once("in ").map(|(_, name)| name)
    })
}

/// The last result with this name.
fn named<'r, 't>(reads: &'r [Read<'t>], name: &str) -> Option<&'r Read<'t>> {
    if let Some(path) = name.strip_suffix(" as last read in full") {
        return reads.iter().rfind(|read| read.call.is_whole_read() && read.call.reads(path));
    }
    let command = name.strip_prefix("the last output of ")?;
    reads.iter().rfind(|read| read.call.command() == Some(command))
}

/// True if `text` contains `old` contiguously, with or without line numbers.
fn holds(text: &str, old: &str) -> bool {
    text.contains(old) || text.lines().map(bare).collect::<Vec<_>>().join("\n").contains(old)
}

/// A line without its line number.
fn bare(line: &str) -> &str {
    let number = line.trim_start_matches(' ');
    let rest = number.trim_start_matches(|char: char| char.is_ascii_digit());
    let marks = ["\t", "→", ": "];
    let content = marks.iter().find_map(|mark| rest.strip_prefix(mark)).filter(|_| rest.len() < number.len());
    content.unwrap_or(line)
}

/// A tool call that the model made.
struct Made {
    tool: String,
    input: Value,
}

const COMMANDS: [&str; 3] = ["command", "cmd", "shell_command"];
const PATHS: [&str; 6] = ["file_path", "path", "filePath", "filename", "absolute_path", "target_file"];
const RANGES: [&str; 5] = ["offset", "limit", "view_range", "start_line", "end_line"];
const OLDS: [&str; 6] = ["old_string", "old_str", "oldText", "oldString", "old_text", "search"];

impl Made {
    fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.input[*name].as_str())
    }

    /// The command line of the call. `None` if it is a command of an editor tool.
    fn command(&self) -> Option<&str> {
        self.text(&COMMANDS).filter(|_| self.text(&PATHS).is_none())
    }

    /// True if the call shows text of the file.
    fn reads(&self, path: &str) -> bool {
        let call = Call { tool: &self.tool, command: self.command(), ..Call::default() };
        let shows = self.text(&COMMANDS).is_none_or(|verb| self.command().is_some() || verb == "view");
        let mut words = self.command().unwrap_or_default().split([' ', '\t', '\n', '\'', '"', ';', '|', '&']);
        let given = self.text(&PATHS).is_some_and(|given| is_same_file(given, path));
        call.is_verbatim("") && shows && (given || words.any(|word| is_same_file(word, path)))
    }

    /// True if the call shows a whole file.
    fn is_whole_read(&self) -> bool {
        let is_part = RANGES.iter().any(|name| !self.input[*name].is_null());
        !Call { tool: &self.tool, command: self.command(), is_part, ..Call::default() }.asks_for_part()
    }
}

/// True if two paths may refer to the same file, because one ends with the other.
fn is_same_file(one: &str, two: &str) -> bool {
    let (long, short) = if one.len() > two.len() { (one, two) } else { (two, one) };
    let short = short.strip_prefix("./").unwrap_or(short);
    let rest = long.strip_suffix(short).filter(|_| !short.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
}

/// The file and the old text of each edit that a call makes.
fn edits(call: &Made) -> Vec<(String, String)> {
    let file = call.text(&PATHS).unwrap_or_default();
    let old = |edit: &Value| OLDS.iter().find_map(|name| edit[*name].as_str()).map(str::to_owned);
    let many = call.input["edits"].as_array().into_iter().flatten().filter_map(old);
    let plain = old(&call.input).into_iter().chain(many).map(|old| (file.to_owned(), old));
    let patch = call.input.as_str().or_else(|| call.text(&["input", "patch", "command", "cmd"]));
    let hunks = patch.filter(|text| text.contains("*** Begin Patch")).map(hunks).unwrap_or_default();
    plain.chain(hunks).filter(|(file, old)| !file.is_empty() && !old.trim().is_empty()).collect()
}

/// The file and the expected old text of each hunk in a patch.
fn hunks(patch: &str) -> Vec<(String, String)> {
    let mut hunks = Vec::new();
    let (mut file, mut old) = ("", Vec::new());
    for line in patch.lines().chain(["*** End"]) {
        let update = line.strip_prefix("*** Update File: ");
        if line.starts_with("@@") || line.starts_with("***") {
            if !old.is_empty() {
                hunks.push((file.to_owned(), old.join("\n")));
            }
            old.clear();
            if line.starts_with("***") {
                file = update.unwrap_or_default().trim();
            }
        } else if line.is_empty() {
            old.push("");
        } else if let Some(kept) = line.strip_prefix([' ', '-']) {
            old.push(kept);
        }
    }
    hunks
}

/// A call or a result.
enum Event {
    Call(Made),
    Result(Made, String),
}

/// The calls and results in a Messages or Chat Completions body, in order.
fn events(body: &Value) -> Vec<Event> {
    let mut events = Vec::new();
    let mut made: HashMap<String, (String, Value)> = HashMap::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let blocks = message["content"].as_array().into_iter().flatten();
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        for block in blocks.chain(calls) {
            if let Some((id, tool, input)) = called(block) {
                made.insert(id, (tool.clone(), input.clone()));
                events.push(Event::Call(Made { tool, input }));
            } else if block["type"] == "tool_result" {
                events.extend(results(&made, &block["tool_use_id"], &block["content"]));
            }
        }
        if message["role"] == "tool" {
            events.extend(results(&made, &message["tool_call_id"], &message["content"]));
        }
    }
    events
}

/// The id, the tool and the arguments of a call.
fn called(block: &Value) -> Option<(String, String, Value)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if block["type"] == "tool_use" {
        return Some((text(&block["id"])?, text(&block["name"])?, block["input"].clone()));
    }
    let function = &block["function"];
    let arguments = function["arguments"].as_str()?;
    let input = serde_json::from_str(arguments).unwrap_or_else(|_| Value::from(arguments));
    Some((text(&block["id"])?, text(&function["name"])?, input))
}

fn results(made: &HashMap<String, (String, Value)>, id: &Value, content: &Value) -> Vec<Event> {
    let (tool, input) = id.as_str().and_then(|id| made.get(id)).cloned().unwrap_or_default();
    let texts = match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => {
            blocks.iter().filter_map(|it| it["text"].as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    let made = || Made { tool: tool.clone(), input: input.clone() };
    texts.into_iter().map(|text| Event::Result(made(), text)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A conversation with some reads and an edit with this old text.
    fn talk(reads: &[&str], old: &str) -> Value {
        let mut messages = Vec::new();
        for (at, text) in reads.iter().enumerate() {
            let id = format!("c{at}");
            let call =
                json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "/x/a.rs"}});
            messages.push(json!({"role": "assistant", "content": [call]}));
            let result = json!({"type": "tool_result", "tool_use_id": id, "content": text});
            messages.push(json!({"role": "user", "content": [result]}));
        }
        let input = json!({"file_path": "/x/a.rs", "old_string": old, "new_string": ""});
        let call = json!({"type": "tool_use", "id": "e", "name": "Edit", "input": input});
        messages.push(json!({"role": "assistant", "content": [call]}));
        json!({ "messages": messages })
    }

    fn check(sent: &[&str], expected: (usize, usize, usize)) {
        let came = ["1\tone\n2\ttwo\n3\tthree", "1\tone\n2\ttwo\n3\tthree"];
        let Quotes { stood, latest, named } = quotes(&talk(&came, "one\ntwo"), &talk(sent, "one\ntwo"));
        assert_eq!((stood, latest, named), expected, "{sent:?}");
    }

    #[test]
    fn old_text_is_looked_for_in_the_latest_read_and_what_it_names() {
        let whole = "1\tone\n2\ttwo\n3\tthree";
        let name = "/x/a.rs as last read in full above";
        check(&[whole, whole], (1, 1, 1));
        check(&[whole, &format!("[lines 1-2: same as in {name}]\n3\tthree")], (1, 0, 1));
        check(&[whole, &format!("1\tone\n[lines 2-3: same as lines 3-4 in {name}]")], (1, 0, 1));
        check(&[whole, "1\tone\n[= A lines 2-3]"], (1, 0, 0));
        check(&["1\tone", &format!("[all lines: same as in {name}]")], (1, 0, 0));
    }

    #[test]
    fn what_a_patch_expects_is_its_context_and_what_it_removes() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@ fn x\n one\n-two\n+2\n three\n@@\n-four\n*** Add File: b\n+x\n*** End Patch";
        let expected = [("a.rs", "one\ntwo\nthree"), ("a.rs", "four")];
        let found = hunks(patch);
        let found: Vec<_> = found.iter().map(|(path, old)| (&**path, &**old)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn commands_read_the_files_that_they_name() {
        let ran = |line: &str| Made { tool: "Bash".to_owned(), input: json!({"command": line}) };
        assert!(ran("cd /x && sed -n '1,9p' src/a.rs").reads("/x/src/a.rs"));
        assert!(!ran("cat src/b.rs").reads("/x/src/a.rs"));
        assert!(!ran("rm src/a.rs").reads("/x/src/a.rs"));
    }
}
