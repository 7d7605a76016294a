//! Finds the servers in a client's TOML file.

use std::ops::Range;

use crate::edit::TextFault;
use crate::mcp_install::entry::{ArgsLead, ServerEntry, Wiring, WrittenList, WrittenValue};

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

/// The servers in the table `key`, in the order of the file.
pub(super) fn servers(key: &str, text: &str) -> Result<Vec<ServerEntry>, TextFault> {
    let document = DeTable::parse(text).map_err(|error| TextFault {
        at: error.span().map_or(0, |place| place.start),
        expected: "valid TOML",
    })?;
    let Some(group) = document.get_ref().get(key) else { return Ok(Vec::new()) };
    let DeValue::Table(group_table) = group.get_ref() else {
        return Err(TextFault { at: group.span().start, expected: "a table" });
    };
    let mut found: Vec<_> = group_table.iter().collect();
    found.sort_by_key(|(name, _)| name.span().start);
    let entries = found.into_iter().map(|(name, server)| ServerEntry {
        name: name.get_ref().to_string(),
        folder: None,
        wiring: wiring(text, server),
    });
    Ok(entries.collect())
}

fn wiring(text: &str, server: &Spanned<DeValue<'_>>) -> Wiring {
    let DeValue::Table(table) = server.get_ref() else { return Wiring::Odd("it is not a table") };
    if table.get("url").is_some() {
        return Wiring::Remote;
    }
    let Some((key, command)) = table.get_key_value("command") else {
        return Wiring::Odd("it has no command");
    };
    let args = match table.get("args").map(|args| (args.span(), args.get_ref())) {
        None => None,
        Some((place, DeValue::Array(items))) => {
            Some(WrittenList { place, items: items.iter().map(value).collect() })
        }
        Some(_) => return Wiring::Odd("its args are not a list"),
    };
    let command = value(command);
    match command.means.as_deref() {
        None => Wiring::Odd("its command is not a string"),
        Some("") => Wiring::Odd("its command is empty"),
        Some(_) => {
            let is_inline = text[server.span()].starts_with('{');
            let lead = if is_inline {
                ArgsLead { at: command.place.end, text: ", args = ".to_owned() }
            } else {
                below(text, &key.span(), &command.place)
            };
            Wiring::Split(command, args, lead)
        }
    }
}

fn value(written: &Spanned<DeValue<'_>>) -> WrittenValue {
    let means = written.get_ref().as_str().map(str::to_owned);
    WrittenValue { place: written.span(), means }
}

/// Where to insert a list of arguments: on a line of its own below the command, with the same layout.
fn below(text: &str, key: &Range<usize>, value: &Range<usize>) -> ArgsLead {
    let begin = text[..key.start].rfind('\n').map_or(0, |at| at + 1);
    let lead = text[begin..key.start].trim_start_matches('\u{feff}');
    let rest = &text[value.end..];
    let length = rest.find('\n').unwrap_or(rest.len());
    let line = rest[..length].strip_suffix('\r').unwrap_or(&rest[..length]);
    let has_returns = if length < rest.len() { line.len() < length } else { text.contains("\r\n") };
    let end = if has_returns { "\r\n" } else { "\n" };
    let sign = &text[key.end..value.start];
    let sign = if sign.trim() == "=" { sign } else { " = " };
    ArgsLead { at: value.end + line.len(), text: format!("{end}{lead}args{sign}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::apply;
    use crate::mcp_install::entry::Standing;

    const PROGRAM: &str = "/bin/tersely";

    fn check(text: &str, expected: &str) {
        let found = servers("s", text).expect("TOML");
        let direct = found.iter().filter(|entry| entry.standing(PROGRAM) == Standing::Direct);
        let mut patches: Vec<_> = direct.flat_map(|entry| entry.wrap(text, "\"/bin/tersely\"")).collect();
        let wrapped = apply(text, &mut patches);
        assert_eq!(wrapped, expected);
        let found = servers("s", &wrapped).expect("TOML again");
        let back = found.iter().flat_map(|entry| match entry.standing(PROGRAM) {
            Standing::Wrapped(own) => entry.unwrap_from(&wrapped, own),
            _ => Vec::new(),
        });
        assert_eq!(apply(&wrapped, &mut back.collect::<Vec<_>>()), text);
    }

    #[test]
    fn a_server_is_wrapped_in_its_own_layout_and_comes_back() {
        for (text, expected) in [
            (
                "# mine\n[s.a] # it\ncommand = \"npx\" # why\nargs = [\"-y\", 'p']\n[s.a.env]\nK = \"v\"\n",
                "# mine\n[s.a] # it\ncommand = \"/bin/tersely\" # why\nargs = [\"mcp\", \"--\", \"npx\", \"-y\", 'p']\n[s.a.env]\nK = \"v\"\n",
            ),
            (
                "[s.\"a b\"]\r\n  command='x' # why\r\n\r\n[t]\r\n",
                "[s.\"a b\"]\r\n  command=\"/bin/tersely\" # why\r\n  args=[\"mcp\",\"--\",'x']\r\n\r\n[t]\r\n",
            ),
            (
                "s.a.command = 'x'\ns.a.cwd = '/'\ns.b = { command = 'y' }",
                "s.a.command = \"/bin/tersely\"\ns.a.args = [\"mcp\",\"--\",'x']\ns.a.cwd = '/'\ns.b = { command = \"/bin/tersely\", args = [\"mcp\",\"--\",'y'] }",
            ),
            (
                "[s.a]\ncommand = \"\"\"x\"\"\"",
                "[s.a]\ncommand = \"/bin/tersely\"\nargs = [\"mcp\",\"--\",\"\"\"x\"\"\"]",
            ),
            (
                "[s]\na = { args = [\n  'y', # c\n], command = 'x' }\nb = { args = [], command = 'x' }\n",
                "[s]\na = { args = [\n  \"mcp\",\n  \"--\",\n  'x',\n  'y', # c\n], command = \"/bin/tersely\" }\nb = { args = [\"mcp\", \"--\", 'x'], command = \"/bin/tersely\" }\n",
            ),
            (
                "\u{feff}[s.a]\ncommand = 'x'\n[s.b]\nurl = 'http://h'\n",
                "\u{feff}[s.a]\ncommand = \"/bin/tersely\"\nargs = [\"mcp\",\"--\",'x']\n[s.b]\nurl = 'http://h'\n",
            ),
            ("", ""),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn what_cannot_be_wrapped_says_why() {
        for (server, why) in [
            ("{ url = 'http://h' }", "it is reached by a URL"),
            ("7", "it is not a table"),
            ("{}", "it has no command"),
            ("{ command = 7 }", "its command is not a string"),
            ("{ command = '' }", "its command is empty"),
            ("{ command = 'x', args = 'y' }", "its args are not a list"),
        ] {
            let found = servers("s", &format!("[s]\na = {server}\n")).expect("TOML");
            assert_eq!(found[0].standing(PROGRAM), Standing::Unfit(why), "{server}");
        }
    }

    #[test]
    fn a_file_of_another_shape_is_a_fault() {
        for text in ["s = 7", "[s", "[s.a]\ncommand='x'\ncommand='y'", "[s.a]\n[s.a]"] {
            assert!(servers("s", text).is_err(), "{text}");
        }
        let deep = format!("s = {}", "[".repeat(100_000));
        assert!(servers("s", &deep).is_err());
    }
}
