//! Generates the reference page for all keys, from the same table that is used to read them.

use std::fmt::Write;

use serde_json::Value;

use super::compat::context_gateway::{CONTEXT_GATEWAY_KEYS, CompatMeaning};
use super::compat::tool_discovery::{TOOL_PIPE, ToolPipeMeaning};
use super::draft::Draft;
use super::env::{self, OTHERS};
use super::field::SettingField;
use super::flags::FLAGS;
use super::key_table::{ALIASES, GROUPS, KEYS, SettingKey};
use super::{place, rule, server, tenant};

const HEAD: &str = "\
# Configuration

No setting is required. Precedence: the request, then a flag, the environment, the file, the default.

The file is the first of these that exists:

1. what `--config FILE` names
2. what `TERSELY_CONFIG` names
3. `tersely.toml`, `tersely.yaml` or `tersely.yml` in the current directory
4. the same names in `tersely/` under `$XDG_CONFIG_HOME`, `%APPDATA%` or `~/.config`

If there is a file in the current directory (3), your own (4) supplies the settings that it does not have.

TOML and YAML take the same keys; [examples/tersely.toml](../examples/tersely.toml) shows all of them. A file that was merely found in the
current directory (3) may have come with a downloaded project, so it can only set how tool results are compressed: `mode` and `loss` (except values that leave secrets unmasked), `min_bytes`, `skip_above`,
`max_bytes`, `dictionary`, `reader`, `readers`, `expand`, `skip_tools`, `schema_compression`, `prompts` (except `fail_open`), `discovery`, `filters.enabled`, `remote.strategy = \"simple\"`, and `rules` that set these. It cannot use variables. Everything else in it, valid or not,
is ignored by `run`, `stats` and other interactive commands, which print a line about it; `serve`, `extproc`, `http`, `mcp serve` and `config` refuse it until you name the file with `--config`.

`tersely config check` prints every error with its file, line and key; `tersely config show` lists every setting and where it came from;
`tersely config schema` prints the JSON Schema that editors check against, also in [config.schema.json](config.schema.json). This page is
printed by `tersely config reference`. An unknown key or an invalid value in a file that you named, or in your own, makes every command that reads it exit with code 2.

A running server reloads the file when it changes and on SIGHUP. It rejects an invalid file and keeps the old settings.
`listen`, `tls`, `upstream`, `upstreams`, `authorities`, `origins`, `hosts`, `store`, `remote`, `limits`, `timeouts`, `proxy` and `mcp.servers` take effect after a restart;
the files that `tls` names are read again when they change.

| to write | write |
|---|---|
| bytes | `65536`, `64KiB`, `50MiB`, `1MB` |
| a time | `500ms`, `30s`, `5m`, `1h`; `never` where no limit is allowed |
| a switch | `true` or `false`; also `on`, `off`, `yes`, `no`, `1`, `0` |
| a list | a list, or one string with commas |
| an environment variable | `${NAME}`, or `${NAME:-default}`; `$${` for a literal `${` |
| a file | a path, relative to the configuration file |

A mode with a number is a [profile](deploy.md#profiles-the-same-bytes-across-releases): `safe@1`, `standard@1` and `aggressive@1` always produce the same bytes, in every release. A mode
without a number is its latest profile. Changing bytes in mid-conversation loses the prompt cache, so name a profile if conversations must
survive an update. `--mode`, `x-tersely-mode` and `_tersely` take profiles as well.

## Keys
";

const COMPAT: &str = "
## The file of another gateway

A file with `pipes.tool_output` and `pipes.tool_discovery`, as other gateways use, is read unchanged. A key under `pipes` and our key for the same setting cannot be in one
file. [remote.md](remote.md) says what the strategies do.

| `pipes.tool_output` | means here |
|---|---|
";

const VARIABLES: &str = "
## Variables with other names

Every key has its own variable, listed above. These are read too; ours win:

| variable | means |
|---|---|
";

/// The page, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut page = HEAD.to_owned();
    for (name, about) in GROUPS {
        group(&mut page, name, about);
    }
    rules(&mut page);
    tenants(&mut page);
    servers(&mut page);
    compat_keys(&mut page);
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

fn means(key: &SettingKey) -> String {
    let choice = match key.field {
        SettingField::Plan(place) => place::choice(place),
        SettingField::Schema(_) => ": `disabled` or `minify`",
        SettingField::Prompt(_) => ": `auto` or `toon`",
        _ => "",
    };
    let flag = FLAGS.iter().find(|(_, name, _)| *name == key.name);
    let flag = flag.map_or(String::new(), |(flag, ..)| format!("; also `{flag}`"));
    let about = match (key.name, choice) {
        ("loss", _) => "What may be lost; detail only where the model can fetch it back",
        _ => key.about,
    };
    format!("{about}{choice}{flag}")
}

fn usual(field: SettingField, draft: &mut Draft) -> String {
    match field.show(draft) {
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) => format!("`{text}`"),
        Value::Array(list) if list.is_empty() => "none".to_owned(),
        other => format!("`{other}`"),
    }
}

fn rules(page: &mut String) {
    line(page, "\n### rules\n\nOverrides for tools, routes and tenants; the last match wins.\n");
    line(page, "| part | means |\n|---|---|");
    for (name, about) in rule::parts() {
        line(page, &format!("| `{name}` | {about} |"));
    }
}

fn tenants(page: &mut String) {
    line(page, &format!("\n### tenants\n\n{}.\n", tenant::ABOUT));
    line(page, "| part | means |\n|---|---|");
    for (name, about) in tenant::PARTS {
        line(page, &format!("| `{name}` | {about} |"));
    }
}

fn servers(page: &mut String) {
    line(page, &format!("\n### mcp.servers\n\n{}.\n", server::ABOUT));
    line(page, "| part | means |\n|---|---|");
    for (name, about) in server::PARTS {
        line(page, &format!("| `{name}` | {about} |"));
    }
}

fn compat_keys(page: &mut String) {
    page.push_str(COMPAT);
    for (name, meaning) in &CONTEXT_GATEWAY_KEYS {
        let means = match meaning {
            CompatMeaning::Enabled => "`mode`: `standard` if true, `disabled` if false".to_owned(),
            CompatMeaning::Strategy => {
                "`passthrough`: `mode` is `disabled`; any other: `remote.strategy`".to_owned()
            }
            CompatMeaning::Expand => "`loss`: `detail` if true, `form` if false".to_owned(),
            CompatMeaning::Key(key) | CompatMeaning::Remote(key) => format!("`{key}`"),
            CompatMeaning::Nothing(_, why) => format!("nothing: {why}"),
        };
        line(page, &format!("| `{name}` | {means} |"));
    }
    line(
        page,
        "\n`providers` holds models by name, each with `api_key`, `model` and `endpoint`, or `auth: oauth` for the login of each request. The one that\n\
         `provider` names takes precedence over `api`.",
    );
    tool_pipe(page);
}

fn tool_pipe(page: &mut String) {
    line(page, "\nA key of `pipes.tool_discovery` that Tersely does not support is refused.\n");
    line(page, "| `pipes.tool_discovery` | means here |\n|---|---|");
    for (name, meaning) in &TOOL_PIPE {
        let means = match meaning {
            ToolPipeMeaning::Enabled => "`discovery.enabled`".to_owned(),
            ToolPipeMeaning::Strategy => {
                "`passthrough`: `discovery.enabled` is `false`; `relevance`: nothing \
                else; `tool-search`: `discovery.max_tools` and `min_tools` are 0; `api` is refused"
                    .to_owned()
            }
            ToolPipeMeaning::Key(key) => format!("`{key}`"),
            ToolPipeMeaning::Search => {
                "tools that are not shown can always be found by search; `false` is refused".to_owned()
            }
            ToolPipeMeaning::Refused(why) => format!("refused: {why}"),
        };
        line(page, &format!("| `{name}` | {means} |"));
    }
}

fn variables(page: &mut String) {
    page.push_str(VARIABLES);
    for (name, meaning) in &OTHERS {
        let means = match meaning {
            env::VariableMeaning::Key(key) => format!("`{key}`"),
            env::VariableMeaning::Toon => {
                "`prompts.enabled`; if true, also `prompts.form`: `toon`".to_owned()
            }
            env::VariableMeaning::On(key, why) => format!("can turn `{key}` on, not off; {why}"),
            env::VariableMeaning::Millis(key) => format!("`{key}`, in milliseconds"),
            env::VariableMeaning::Trust => "an additional file of trusted certificates".to_owned(),
            env::VariableMeaning::Nothing(why) => format!("nothing: {why}"),
        };
        line(page, &format!("| `{name}` | {means} |"));
    }
}

fn line(page: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(page, "{text}");
}
