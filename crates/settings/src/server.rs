//! Reads `mcp.servers`: the servers of `tersely mcp serve`, each with a command or a URL.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tersely_gateway::{ListeningServer, McpServer, StartedServer};

use super::node::{Pair, SettingNode, SettingValue};
use super::reader::TreeReader;
use super::words::Words;

/// The keys that a server can contain, and their meanings.
pub const PARTS: [(&str, &str); 5] = [
    ("url", "URL of a running server"),
    ("headers", "Headers to send with every request. They replace client headers with the same names"),
    ("command", "Command to start for each session: a program, or a list of the program and its arguments"),
    ("args", "Additional arguments for the command"),
    ("env", "Additional environment variables for the command"),
];

/// Headers that may not be configured, because the gateway or the HTTP connection sets them.
const TAKEN: [&str; 8] = [
    "connection",
    "content-length",
    "host",
    "mcp-session-id",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A server while it is being read; empty fields are unset.
#[derive(Debug, Default)]
pub struct ServerDraft {
    /// The URL of the server, if it has one.
    pub url: String,
    /// Headers to send to that URL.
    pub headers: BTreeMap<String, String>,
    /// The command that starts the server, with its first arguments.
    pub command: Vec<String>,
    /// More arguments for the command.
    pub args: Vec<String>,
    /// Environment variables for the command.
    pub env: BTreeMap<String, String>,
}

impl ServerDraft {
    /// The finished server, or what is wrong with it.
    ///
    /// # Errors
    /// If the server has neither a command nor a URL, or both.
    pub fn finish(self) -> Result<McpServer, String> {
        let mut words = self.command.iter().cloned();
        match (self.url.is_empty(), words.next()) {
            (true, None) => Err("has neither a command nor a url".to_owned()),
            (false, Some(_)) => Err("has a command and a url; remove one of them".to_owned()),
            (false, None) => self.listening(),
            (true, Some(program)) => {
                let args = words.chain(self.args).collect();
                Ok(McpServer::Started(StartedServer { program, args, env: self.env }))
            }
        }
    }

    fn listening(self) -> Result<McpServer, String> {
        let query = self.url.split_once('?').map(|(_, query)| query.to_owned());
        let upstream = self.url.parse().map_err(|error: tersely_gateway::Error| error.to_string())?;
        let headers = self.headers.iter().map(header).collect::<Result<HeaderMap, _>>()?;
        Ok(McpServer::Remote(ListeningServer { upstream, query, headers }))
    }
}

/// Parses a header. Its value may be a secret, so no message repeats it.
fn header((name, value): (&String, &String)) -> Result<(HeaderName, HeaderValue), String> {
    let read = name.parse::<HeaderName>().map_err(|_| format!("{name:?} is not a header name"))?;
    if TAKEN.contains(&read.as_str()) {
        return Err(format!("the header {name:?} cannot be set"));
    }
    let mut value =
        HeaderValue::from_str(value).map_err(|_| format!("the value of {name:?} cannot be sent"))?;
    value.set_sensitive(true);
    Ok((read, value))
}

/// True when a name can be part of a path.
#[must_use]
pub fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
}

/// Reads the whole table `mcp`.
pub fn read(reader: &mut TreeReader<'_>, node: &SettingNode) {
    let Some(pairs) = table(reader, node, "mcp") else { return };
    for pair in pairs {
        if pair.name != "servers" {
            reader.unknown(&format!("mcp.{}", pair.name), pair.line, ["mcp.servers"]);
            continue;
        }
        for pair in table(reader, &pair.node, "mcp.servers").unwrap_or_default() {
            one(reader, pair);
        }
    }
}

fn one(reader: &mut TreeReader<'_>, pair: &Pair) {
    let key = format!("mcp.servers.{}", pair.name);
    if !is_plain(&pair.name) {
        let what = "cannot be part of a path; use letters, digits, \".\", \"-\" and \"_\"";
        return reader.problem(pair.line, &key, what);
    }
    let Some(parts) = table(reader, &pair.node, &key) else { return };
    let mut draft = ServerDraft::default();
    for part in parts.iter().filter(|part| part.node.value != SettingValue::Nothing) {
        let named = format!("{key}.{}", part.name);
        if !PARTS.iter().any(|(name, _)| *name == part.name) {
            let known = PARTS.map(|(name, _)| format!("{key}.{name}"));
            reader.unknown(&named, part.line, known.iter().map(String::as_str));
        } else if let Err(what) = set(reader, &mut draft, part) {
            reader.problem(part.line, &named, what);
        }
    }
    match apart(&draft).and_then(|()| draft.finish()) {
        Ok(server) => {
            let origin = reader.at(pair.line);
            reader.layer.servers.push((pair.name.clone(), server, origin));
        }
        Err(what) => reader.problem(pair.line, &key, what),
    }
}

fn set(reader: &TreeReader<'_>, draft: &mut ServerDraft, part: &Pair) -> Result<(), String> {
    match part.name.as_str() {
        "url" => reader.words(&part.node)?.one()?.clone_into(&mut draft.url),
        "command" => draft.command = whole(reader.words(&part.node)?),
        "args" => draft.args = whole(reader.words(&part.node)?),
        "headers" => draft.headers = texts(reader, &part.node)?,
        _ => draft.env = texts(reader, &part.node)?,
    }
    Ok(())
}

/// Rejects keys that would have no effect.
fn apart(draft: &ServerDraft) -> Result<(), String> {
    match draft {
        ServerDraft { command, args, .. } if command.is_empty() && !args.is_empty() => {
            Err("has args but no command".to_owned())
        }
        ServerDraft { url, env, .. } if !url.is_empty() && !env.is_empty() => {
            Err("env works only with a command; for a url, set headers".to_owned())
        }
        ServerDraft { command, headers, .. } if !command.is_empty() && !headers.is_empty() => {
            Err("headers work only with a url; for a command, set env".to_owned())
        }
        _ => Ok(()),
    }
}

fn table<'n>(reader: &mut TreeReader<'_>, node: &'n SettingNode, key: &str) -> Option<&'n [Pair]> {
    match &node.value {
        SettingValue::Table(pairs) => Some(pairs),
        SettingValue::Nothing => None,
        other => {
            reader.problem(node.line, key, format!("expects a table, not {}", other.kind()));
            None
        }
    }
}

/// The words, not split at commas: a comma is part of an argument.
fn whole(words: Words) -> Vec<String> {
    match words {
        Words::One(word) => vec![word],
        Words::Many(list) => list,
    }
}

fn texts(reader: &TreeReader<'_>, node: &SettingNode) -> Result<BTreeMap<String, String>, String> {
    let SettingValue::Table(pairs) = &node.value else {
        return Err(format!("expects a table, not {}", node.value.kind()));
    };
    let text = |pair: &Pair| match reader.words(&pair.node)? {
        Words::One(text) => Ok((pair.name.clone(), text)),
        Words::Many(_) => Err(format!("{} expects one value, not a list", pair.name)),
    };
    pairs.iter().map(text).collect()
}

/// A server as one line, without anything that may be a secret.
pub fn spell(server: &McpServer) -> String {
    let many = |count: usize, what: &str| match count {
        0 => String::new(),
        1 => format!(", 1 {what}"),
        count => format!(", {count} {what}s"),
    };
    match server {
        McpServer::Remote(server) => {
            format!("{}{}", server.upstream.url(), many(server.headers.len(), "header"))
        }
        McpServer::Started(server) => format!(
            "{}{}{}",
            server.program,
            many(server.args.len(), "argument"),
            many(server.env.len(), "variable")
        ),
    }
}

/// The JSON Schema of the table.
#[must_use]
pub fn shape() -> Value {
    let text = json!({ "type": "string" });
    let list = json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
    let table =
        json!({ "type": "object", "additionalProperties": { "type": ["string", "number", "boolean"] } });
    let parts = PARTS.map(|(name, about)| {
        let mut part = match name {
            "url" => text.clone(),
            "command" | "args" => list.clone(),
            _ => table.clone(),
        };
        part["description"] = json!(about);
        (name.to_owned(), part)
    });
    let server = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": Value::Object(parts.into_iter().collect()),
    });
    json!({
        "type": "object",
        "description": ABOUT,
        "propertyNames": { "pattern": "^[A-Za-z0-9._-]+$" },
        "additionalProperties": server,
    })
}

/// The description of the table.
pub const ABOUT: &str =
    "MCP servers for `tersely mcp serve`, by name. Each server needs a `url` or a `command`";
