//! The page that explains every key, written from the same table that the keys are read by.

use std::fmt::Write;

use serde_json::Value;

use super::draft::Draft;
use super::env::{self, OTHERS};
use super::field::Field;
use super::flags::FLAGS;
use super::key::{ALIASES, GROUPS, KEYS, Key};
use super::rule::PARTS;
use super::seed::{Meaning, SEED};

const HEAD: &str = "\
# Configuration

Nothing has to be set. What is set is heard in this order: the request, a flag, the environment, the file, the default.

The file is the first of these that is there:

1. what `--config FILE` names
2. what `TERSELY_CONFIG` names
3. `tersely.toml`, `tersely.yaml` or `tersely.yml` in the folder where the command runs
4. the same names in `tersely/` under `$XDG_CONFIG_HOME`, `%APPDATA%` or `~/.config`

TOML and YAML have one shape; [examples/tersely.toml](../examples/tersely.toml) shows all of it. A file that was merely found in the
folder (3) may not say whom to trust: `listen`, `upstream`, `upstreams`, `proxy.url`, `authorities`, `origins`, `hosts`, `store` and
`redact_secrets` are refused there until the file is named, because any downloaded project may bring such a file and send your keys and
texts elsewhere.

`tersely config check` says what is wrong, with file, line and key; `tersely config show` lists every setting and where it came from;
`tersely config schema` prints the JSON Schema that editors check against, also in [config.schema.json](config.schema.json). This page is
printed by `tersely config reference`. An unknown key or a wrong value ends a command with exit code 2.

While serving, the file is read again when it changes and on SIGHUP. A bad file is refused, and the old settings stay. Where to listen, to
send and to keep, limits and timeouts need a new start.

| to write | write |
|---|---|
| bytes | `65536`, `64KiB`, `50MiB`, `1MB` |
| a time | `500ms`, `30s`, `5m`, `1h`; `never` where one may wait for ever |
| a switch | `true` or `false`; also `on`, `off`, `yes`, `no`, `1`, `0` |
| a list | a list, or one text with commas |
| a variable of the environment | `${NAME}`, or `${NAME:-otherwise}`; `$${` for the characters themselves |
| a file | a path, from the folder of the configuration file |

A mode with a number is a profile: `safe@1`, `standard@1` and `aggressive@1` name the bytes that a text becomes, and no release changes
them. A mode without a number is its latest profile. A prompt cache is lost when bytes change in mid-conversation, so name a profile where
conversations must live through an update. `--mode`, `x-tersely-mode` and `_tersely` take profiles as well.

## Keys
";

const SEEDS: &str = "
## The file of another gateway

A file with `pipes.tool_output`, as other gateways have it, is read as it is. No remote compressor is called: whatever strategy is
named, our own stages do the work. A key under `pipes` and the key of ours that it means cannot stand in one file.

| `pipes.tool_output` | means here |
|---|---|
";

const VARIABLES: &str = "
## Variables with other names

Every key has a variable of its own, listed above. These are heard as well, after ours:

| variable | means |
|---|---|
";

/// The page, in Markdown.
pub(crate) fn reference() -> String {
    let mut page = HEAD.to_owned();
    for (name, about) in GROUPS {
        group(&mut page, name, about);
    }
    rules(&mut page);
    seeds(&mut page);
    variables(&mut page);
    page
}

fn group(page: &mut String, name: &str, about: &str) {
    let title = if name.is_empty() { String::new() } else { format!("\n### {name}\n") };
    line(page, &format!("{title}\n{about}.\n\n| key | default | environment | means |\n|---|---|---|---|"));
    let mut draft = Draft::default();
    for key in KEYS.iter().filter(|key| key.name.split_once('.').map_or("", |(group, _)| group) == name) {
        let (usual, variable) = (usual(key.field, &mut draft), env::variable(key.name));
        line(page, &format!("| `{}` | {usual} | `{variable}` | {} |", key.name, means(key)));
    }
    for alias in ALIASES.iter().filter(|_| name.is_empty()) {
        line(page, &format!("| `{}` | | `{}` | {} |", alias.name, env::variable(alias.name), alias.about));
    }
}

fn means(key: &Key) -> String {
    let choice = match key.field {
        Field::Mode(_) => ": `disabled`, `safe`, `standard` or `aggressive`, or a profile",
        Field::Loss(_) => ": `none`, `form` or `detail`",
        Field::Dictionary(_) => ": `lzw`, `repair` or `auto`",
        Field::Schema(_) => ": `disabled` or `minify`",
        _ => "",
    };
    let flag = FLAGS.iter().find(|(_, name, _)| *name == key.name);
    let flag = flag.map_or(String::new(), |(flag, ..)| format!("; also `{flag}`"));
    let about = match (key.name, choice) {
        ("loss", _) => "The most that may be lost, detail only where the model can fetch it back",
        _ => key.about,
    };
    format!("{about}{choice}{flag}")
}

fn usual(field: Field, draft: &mut Draft) -> String {
    match field.show(draft) {
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) => format!("`{text}`"),
        Value::Array(list) if list.is_empty() => "none".to_owned(),
        other => format!("`{other}`"),
    }
}

fn rules(page: &mut String) {
    line(
        page,
        "\n### rules\n\nA list of tools and routes that are treated otherwise; of several that fit, the last is heard.\n",
    );
    line(page, "| part | means |\n|---|---|");
    for (name, about) in PARTS {
        line(page, &format!("| `{name}` | {about} |"));
    }
}

fn seeds(page: &mut String) {
    page.push_str(SEEDS);
    for (name, meaning) in &SEED {
        let means = match meaning {
            Meaning::Enabled => "`mode`: `standard` if true, `disabled` if false".to_owned(),
            Meaning::Strategy => "`passthrough`: `mode` is `disabled`; any other: our own stages".to_owned(),
            Meaning::Expand => "`loss`: `detail` if true, `form` if false".to_owned(),
            Meaning::Key(key) => format!("`{key}`"),
            Meaning::Nothing(_, why) => format!("nothing: {why}"),
        };
        line(page, &format!("| `{name}` | {means} |"));
    }
    line(page, "\n`providers` is accepted and means nothing.");
}

fn variables(page: &mut String) {
    page.push_str(VARIABLES);
    for (name, meaning) in &OTHERS {
        let means = match meaning {
            env::Meaning::Key(key) => format!("`{key}`"),
            env::Meaning::On(key, why) => format!("turns `{key}` on, never off; {why}"),
            env::Meaning::Trust => "a file of certificates to trust beside the others".to_owned(),
            env::Meaning::Nothing(why) => format!("nothing: {why}"),
        };
        line(page, &format!("| `{name}` | {means} |"));
    }
}

fn line(page: &mut String, text: &str) {
    // Writing to a text cannot fail.
    let _ = writeln!(page, "{text}");
}
