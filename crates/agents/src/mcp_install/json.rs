//! Finds the servers in a client's JSON file.

use std::ops::Range;

use crate::edit::scan::{self, MemberPlace, TextFault};
use crate::mcp_install::entry::{ArgsLead, ServerEntry, Wiring, WrittenList, WrittenValue};

/// Matches any key on a path to servers.
pub(super) const ANY: &str = "*";

/// Keys of servers that are reached by a URL.
const REMOTE: [&str; 3] = ["url", "httpUrl", "serverUrl"];

/// Keys that tell a server from a group of servers: a server has at least one of them, a group has none.
const OWN: [&str; 5] = ["command", "type", "url", "httpUrl", "serverUrl"];

/// The servers under each of `paths`.
pub(super) fn servers(paths: &[&[&str]], text: &str) -> Result<Vec<ServerEntry>, TextFault> {
    let whole = scan::document(text)?;
    if !text[whole.clone()].starts_with('{') {
        return Err(TextFault { at: whole.start, expected: "an object" });
    }
    let mut found = Vec::new();
    for path in paths {
        for (place, folder) in reach(text, path, whole.clone())? {
            if is_inner(paths, path) && !is_group(text, &place)? {
                continue;
            }
            for member in distinct(text, scan::members(text, &place)?)? {
                let name = string(text, &member.key);
                if is_inner(paths, &[path, &[name.as_str()][..]].concat()) && is_group(text, &member.value)? {
                    continue;
                }
                let wiring = wiring(text, &member.value)?;
                found.push(ServerEntry { name, folder: folder.clone(), wiring });
            }
        }
    }
    Ok(found)
}

/// True for the path of a group of servers inside another group.
fn is_inner(paths: &[&[&str]], path: &[&str]) -> bool {
    path.split_last().is_some_and(|(_, outer)| paths.contains(&outer) && paths.contains(&path))
}

/// An object, and the key that matched [`ANY`] on the way to it.
type FolderObject = (Range<usize>, Option<String>);

/// The objects at the end of a path.
fn reach(text: &str, path: &[&str], from: Range<usize>) -> Result<Vec<FolderObject>, TextFault> {
    let mut reached = vec![(from, None)];
    for step in path {
        let mut next = Vec::new();
        for (place, folder) in reached {
            let members = scan::members(text, &place)?;
            let is_meant = |member: &MemberPlace| *step == ANY || string(text, &member.key) == *step;
            let members = distinct(text, members.into_iter().filter(is_meant).collect())?;
            for member in members {
                let folder = if *step == ANY { Some(string(text, &member.key)) } else { folder.clone() };
                match &text[member.value.clone()] {
                    "null" => {}
                    value if value.starts_with('{') => next.push((member.value, folder)),
                    _ => return Err(TextFault { at: member.value.start, expected: "an object" }),
                }
            }
        }
        reached = next;
    }
    Ok(reached)
}

/// True for an object that is a group of servers, and not a server that has the name of the group.
fn is_group(text: &str, place: &Range<usize>) -> Result<bool, TextFault> {
    let mut keys = scan::members(text, place)?.into_iter().map(|member| string(text, &member.key));
    Ok(text[place.clone()].starts_with('{') && !keys.any(|key| OWN.contains(&key.as_str())))
}

/// The members, if no key occurs twice. Otherwise returns an error, because clients differ in which of the two they
/// use.
fn distinct(text: &str, members: Vec<MemberPlace>) -> Result<Vec<MemberPlace>, TextFault> {
    let mut seen = std::collections::HashSet::new();
    for member in &members {
        if !seen.insert(string(text, &member.key)) {
            return Err(TextFault { at: member.key.start, expected: "a key that is not there already" });
        }
    }
    Ok(members)
}

fn wiring(text: &str, server: &Range<usize>) -> Result<Wiring, TextFault> {
    if !text[server.clone()].starts_with('{') {
        return Ok(Wiring::Odd("it is not an object"));
    }
    let members = distinct(text, scan::members(text, server)?)?;
    let member = |name: &str| members.iter().find(|member| string(text, &member.key) == name);
    if REMOTE.into_iter().any(|key| member(key).is_some()) {
        return Ok(Wiring::Remote);
    }
    let Some(command) = member("command") else { return Ok(Wiring::Odd("it has no command")) };
    let command_value = value(text, &command.value);
    let args = match member("args") {
        None => None,
        Some(args) if text[args.value.clone()].starts_with('[') => Some(list(text, &args.value)?),
        Some(_) => return Ok(Wiring::Odd("its args are not a list")),
    };
    Ok(match &text[command.value.clone()] {
        "\"\"" => Wiring::Odd("its command is empty"),
        string if string.starts_with('"') && command_value.means.is_some() => {
            Wiring::Split(command_value, args, lead(text, command))
        }
        joined if joined.starts_with('[') && args.is_none() => {
            let list = list(text, &command.value)?;
            let is_empty = list.items.first().is_none_or(|first| first.means.is_none());
            if is_empty { Wiring::Odd("its command is empty") } else { Wiring::Joined(list) }
        }
        _ => Wiring::Odd("its command is not a string"),
    })
}

fn value(text: &str, place: &Range<usize>) -> WrittenValue {
    WrittenValue { place: place.clone(), means: serde_json::from_str(&text[place.clone()]).ok() }
}

fn list(text: &str, place: &Range<usize>) -> Result<WrittenList, TextFault> {
    let items = scan::items(text, place)?;
    Ok(WrittenList { place: place.clone(), items: items.iter().map(|item| value(text, item)).collect() })
}

/// Where to insert a new list of arguments: after the command, in the same layout.
fn lead(text: &str, command: &MemberPlace) -> ArgsLead {
    let before = &text[..command.key.start];
    let gap = &before[before.trim_end_matches([' ', '\t', '\r', '\n']).len()..];
    let colon = &text[command.key.end..command.value.start];
    let colon = if colon.trim() == ":" { colon } else { ": " };
    let gap = if gap.is_empty() && colon != ":" { " " } else { gap };
    ArgsLead { at: command.value.end, text: format!(",{gap}\"args\"{colon}") }
}

/// The decoded string; if it is invalid, the text unchanged.
fn string(text: &str, place: &Range<usize>) -> String {
    let spelled = &text[place.clone()];
    match spelled.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => plain.to_owned(),
        _ => serde_json::from_str(spelled).unwrap_or_else(|_| spelled.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::apply;
    use crate::mcp_install::entry::Standing;

    const PLAIN: &[&[&str]] = &[&["m"], &["projects", ANY, "m"]];
    const NESTED: &[&[&str]] = &[&["mcp"], &["mcp", "servers"]];
    const PROGRAM: &str = "/bin/tersely";

    /// Wraps all servers that can be wrapped, and unwraps them again.
    fn check(paths: &[&[&str]], text: &str, expected: &str) {
        let found = servers(paths, text).expect("JSON");
        let direct = found.iter().filter(|entry| entry.standing(PROGRAM) == Standing::Direct);
        let mut patches: Vec<_> = direct.flat_map(|entry| entry.wrap(text, "\"/bin/tersely\"")).collect();
        let wrapped = apply(text, &mut patches);
        assert_eq!(wrapped, expected);
        assert_eq!(undone(paths, &wrapped), text);
    }

    fn undone(paths: &[&[&str]], text: &str) -> String {
        let found = servers(paths, text).expect("JSON");
        let back = found.iter().flat_map(|entry| match entry.standing(PROGRAM) {
            Standing::Wrapped(own) => entry.unwrap_from(text, own),
            _ => Vec::new(),
        });
        apply(text, &mut back.collect::<Vec<_>>())
    }

    #[test]
    fn a_server_is_wrapped_in_its_own_layout_and_comes_back() {
        for (text, expected) in [
            (
                r#"{"m":{"a":{"command":"npx","args":["-y","p"]}}}"#,
                r#"{"m":{"a":{"command":"/bin/tersely","args":["mcp","--","npx","-y","p"]}}}"#,
            ),
            (
                "{\"m\": {\"a\": {\n  \"args\": [ // first\n    \"-y\", // yes\n    \"p\",\n  ],\n  \"command\": \"n\\u0070x\",\n}}}",
                "{\"m\": {\"a\": {\n  \"args\": [ // first\n    \"mcp\",\n    \"--\",\n    \"n\\u0070x\",\n    \"-y\", // yes\n    \"p\",\n  ],\n  \"command\": \"/bin/tersely\",\n}}}",
            ),
            (
                "{\"m\": {\"a\": {\r\n\t\"command\": \"x\" // it\r\n}}}",
                "{\"m\": {\"a\": {\r\n\t\"command\": \"/bin/tersely\",\r\n\t\"args\": [\"mcp\",\"--\",\"x\"] // it\r\n}}}",
            ),
            (
                r#"{"m": {"a": {"command": "x", "env": {"command": "y"}}}}"#,
                r#"{"m": {"a": {"command": "/bin/tersely", "args": ["mcp","--","x"], "env": {"command": "y"}}}}"#,
            ),
            (
                r#"{"m":{"a":{"command":"x"},"b":{"command":"y","args":[]},"c":{"command":"z","args":[ /* none */ ]}}}"#,
                r#"{"m":{"a":{"command":"/bin/tersely","args":["mcp","--","x"]},"b":{"command":"/bin/tersely","args":["mcp", "--", "y"]},"c":{"command":"/bin/tersely","args":["mcp", "--", "z" /* none */ ]}}}"#,
            ),
            (
                r#"{"m":{"a":{"command":"x","args":[1, null]}},"projects":{"/p":{"m":{"a":{"command":"--","args":["--"]}}}}}"#,
                r#"{"m":{"a":{"command":"/bin/tersely","args":["mcp", "--", "x", 1, null]}},"projects":{"/p":{"m":{"a":{"command":"/bin/tersely","args":["mcp", "--", "--", "--"]}}}}}"#,
            ),
            ("\u{feff}{\"m\": null, \"projects\": {}}", "\u{feff}{\"m\": null, \"projects\": {}}"),
        ] {
            check(PLAIN, text, expected);
        }
    }

    #[test]
    fn a_command_that_is_a_list_is_wrapped_in_front() {
        for (text, expected) in [
            (
                r#"{"mcp": {"a": {"type": "local", "command": ["npx", "p",]}}}"#,
                r#"{"mcp": {"a": {"type": "local", "command": ["/bin/tersely", "mcp", "--", "npx", "p",]}}}"#,
            ),
            (
                "{\"mcp\": {\"servers\": {\"a\": {\"command\": [\n  \"x\"\n]}}}}",
                "{\"mcp\": {\"servers\": {\"a\": {\"command\": [\n  \"/bin/tersely\",\n  \"mcp\",\n  \"--\",\n  \"x\"\n]}}}}",
            ),
            (
                r#"{"mcp": {"servers": {"type": "local", "command": ["x"]}}}"#,
                r#"{"mcp": {"servers": {"type": "local", "command": ["/bin/tersely", "mcp", "--", "x"]}}}"#,
            ),
        ] {
            check(NESTED, text, expected);
        }
    }

    #[test]
    fn what_was_changed_since_stays() {
        for (text, expected) in [
            (
                r#"{"m":{"a":{"command":"/old/tersely","args":["mcp","--mode","safe","--","x","y"]}}}"#,
                r#"{"m":{"a":{"command":"x","args":["y"]}}}"#,
            ),
            (
                "{\"m\":{\"a\":{\"command\":\"C:\\\\t\\\\Tersely.exe\",\"args\":[\n \"mcp\",\n \"--\",\n \"x\",\n]}}}",
                "{\"m\":{\"a\":{\"command\":\"x\",\"args\":[]}}}",
            ),
            (
                r#"{"m":{"a":{"command":"tersely","args":["mcp", "--", "x" , // why
]}}}"#,
                "{\"m\":{\"a\":{\"command\":\"x\",\"args\":[ // why\n]}}}",
            ),
            (
                r#"{"m":{"a":{"args":["mcp","--","x" /*,*/, /* b */],"command":"tersely"}}}"#,
                r#"{"m":{"a":{"args":[],"command":"x"}}}"#,
            ),
        ] {
            assert_eq!(undone(PLAIN, text), expected);
        }
        for same in [
            r#"{"m":{"a":{"command":"tersely","args":["mcp","serve","--","x"]}}}"#,
            r#"{"m":{"a":{"command":"tersely","args":["mcp","x"]}}}"#,
            r#"{"m":{"a":{"command":"tersely","args":["mcp","--"]}}}"#,
            r#"{"m":{"a":{"command":"mcp","args":["mcp","--","x"]}}}"#,
        ] {
            assert_eq!(undone(PLAIN, same), same);
        }
    }

    #[test]
    fn what_cannot_be_wrapped_says_why() {
        for (server, why) in [
            (r#"{"url":"http://h","command":"x"}"#, "it is reached by a URL"),
            (r#"{"httpUrl":"http://h"}"#, "it is reached by a URL"),
            ("7", "it is not an object"),
            ("{}", "it has no command"),
            (r#"{"command":7}"#, "its command is not a string"),
            (r#"{"command":["x"],"args":[]}"#, "its command is not a string"),
            (r#"{"command":""}"#, "its command is empty"),
            (r#"{"command":[]}"#, "its command is empty"),
            (r#"{"command":"x","args":"y"}"#, "its args are not a list"),
        ] {
            let found = servers(PLAIN, &format!(r#"{{"m":{{"a":{server}}}}}"#)).expect("JSON");
            assert_eq!(found[0].standing(PROGRAM), Standing::Unfit(why), "{server}");
        }
    }

    #[test]
    fn a_file_of_another_shape_is_a_fault() {
        for (text, at) in [
            ("[]", 0),
            (r#"{"m":[]}"#, 5),
            (r#"{"m":{},"m":{}}"#, 8),
            (r#"{"m":{"a":{},"\u0061":{}}}"#, 13),
            (r#"{"m":{"a":{"command":"x","command":"y"}}}"#, 25),
            (r#"{"projects":{"p":7}}"#, 17),
        ] {
            assert_eq!(servers(PLAIN, text).expect_err("a fault").at, at, "{text}");
        }
    }

    #[test]
    fn a_file_that_lost_a_letter_comes_back_too() {
        let text = "{ // m\n \"m\": {\"a\": {\"command\": \"é\\\\\", /*,*/ \"args\": [ 1, \"x\",\r\n ],},\n\t\"b\": {\"command\": \"y\"}}}";
        let (mut read, letters) = (0, text.char_indices());
        for (at, letter) in letters {
            let less = [&text[..at], &text[at + letter.len_utf8()..]].concat();
            let Ok(found) = servers(PLAIN, &less) else { continue };
            read += 1;
            let mut patches: Vec<_> =
                found.iter().flat_map(|entry| entry.wrap(&less, "\"tersely\"")).collect();
            assert_eq!(undone(PLAIN, &apply(&less, &mut patches)), less);
        }
        assert!(read > 20, "{read}");
    }
}
