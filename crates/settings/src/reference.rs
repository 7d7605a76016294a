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

All settings are optional. If several sources set the same key, the order of precedence is: request, command-line flag, environment variable, configuration file, default.

Tersely reads the first of these configuration files that exists:

1. the file passed with `--config FILE`
2. the file named in `TERSELY_CONFIG`
3. `tersely.toml`, `tersely.yaml` or `tersely.yml` in the current directory
4. your user configuration file: `tersely.toml`, `tersely.yaml` or `tersely.yml` in `tersely/` under `$XDG_CONFIG_HOME`, `%APPDATA%` or `~/.config`

If Tersely reads a file in the current directory (3), any setting missing from that file comes from your user configuration file (4).

TOML and YAML files use the same keys. [examples/tersely.toml](../examples/tersely.toml) shows every key.

A file in the current directory (3) may be part of a project that you downloaded. Unless you name this file with `--config`, it can set only these keys, which control compression: `mode` and `loss` (except values that leave secrets unmasked), `min_bytes`, `skip_above`,
`max_bytes`, `dictionary`, `reader`, `readers`, `expand`, `skip_tools`, `schema_compression`, `prompts` (except `fail_open`), `discovery`, `filters.enabled`, `remote.strategy = \"simple\"`, and `rules` that set these keys. The file cannot use environment variables. If the file contains anything
else, `run`, `stats` and other interactive commands ignore that part, even if it is invalid, and print a notice. `serve`, `extproc`, `http`, `mcp serve` and `config` refuse such a file unless you name it with `--config`.

`tersely config check` prints every error with its file, line and key. `tersely config show` lists every setting and its source.
`tersely config schema` prints the JSON Schema for editors, which is also in [config.schema.json](config.schema.json). `tersely config reference` prints this page.
Every command that reads your user configuration file, or a file that you named, exits with code 2 if the file has an unknown key or an invalid value.

A running server reloads its configuration file on SIGHUP and whenever the file changes. If the new file is invalid, the server rejects it and keeps the old settings.
Changes to `listen`, `tls`, `upstream`, `upstreams`, `authorities`, `origins`, `hosts`, `compress_api`, `store`, `remote`, `limits`, `timeouts`, `admin`, `log`, `events`, `history`, `otel`, `prices`, `proxy` and `mcp.servers` take effect only after a restart.
`http` and `mcp serve` apply only changes to `tenants`.
The server reloads the certificate files named in `tls` without a restart.

| type | syntax |
|---|---|
| size in bytes | `65536`, `64KiB`, `50MiB`, `1MB` |
| duration | `500ms`, `30s`, `5m`, `1h`; `never` (no limit) for keys that allow it |
| switch | `true` or `false`; also `on`, `off`, `yes`, `no`, `1`, `0` |
| list | a list, or one comma-separated string |
| environment variable | `${NAME}`, or `${NAME:-default}`; `$${` for a literal `${` |
| file | a path relative to the configuration file |

A mode with a number is a [profile](deploy.md#profiles-the-same-bytes-across-releases): `safe@1`, `standard@1` and `aggressive@1` produce the same bytes in every release. A mode
without a number uses the latest profile of that mode. If the bytes change in the middle of a conversation, the prompt cache misses. Set a profile if ongoing conversations
must keep their cache across updates. `--mode`, `x-tersely-mode` and `_tersely` also accept profiles.

## Keys
";

const COMPAT: &str = "
## Configuration files of other gateways

Tersely also accepts the keys `pipes.tool_output` and `pipes.tool_discovery` from configuration files of other gateways. A file cannot contain both a key under `pipes` and Tersely's own key for the same setting.
[remote.md](remote.md) explains the strategies.

| `pipes.tool_output` | meaning in Tersely |
|---|---|
";

const VARIABLES: &str = "
## Other environment variables

Every key has its own environment variable, listed above. Tersely also reads the variables below, but a key's own variable takes precedence over them.

| variable | meaning |
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
    line(
        page,
        &format!(
            "{title}\n{about}.\n\n| key | default | environment variable | meaning |\n|---|---|---|---|"
        ),
    );
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
        _ => "",
    };
    let flag = FLAGS.iter().find(|(_, name, _)| *name == key.name);
    let flag = flag.map_or(String::new(), |(flag, ..)| format!(". Flag: `{flag}`"));
    let about = match (key.name, choice) {
        ("loss", _) => "What compression may lose",
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
    line(page, "\n### rules\n\nOverrides for tools, routes and tenants. The last matching rule wins.\n");
    line(page, "| field | meaning |\n|---|---|");
    for (name, about) in rule::parts() {
        line(page, &format!("| `{name}` | {about} |"));
    }
}

fn tenants(page: &mut String) {
    line(page, &format!("\n### tenants\n\n{}.\n", tenant::ABOUT));
    line(page, "| field | meaning |\n|---|---|");
    for (name, about) in tenant::PARTS {
        line(page, &format!("| `{name}` | {about} |"));
    }
}

fn servers(page: &mut String) {
    line(page, &format!("\n### mcp.servers\n\n{}.\n", server::ABOUT));
    line(page, "| field | meaning |\n|---|---|");
    for (name, about) in server::PARTS {
        line(page, &format!("| `{name}` | {about} |"));
    }
}

fn compat_keys(page: &mut String) {
    page.push_str(COMPAT);
    for (name, meaning) in &CONTEXT_GATEWAY_KEYS {
        let means = match meaning {
            CompatMeaning::Enabled => "sets `mode`: `standard` if true, `disabled` if false".to_owned(),
            CompatMeaning::Strategy => {
                "`passthrough` sets `mode` to `disabled`; other values set `remote.strategy`".to_owned()
            }
            CompatMeaning::Expand => "sets `loss`: `detail` if true, `form` if false".to_owned(),
            CompatMeaning::Key(key) | CompatMeaning::Remote(key) => format!("sets `{key}`"),
            CompatMeaning::Nothing(_, why) => format!("no effect: {why}"),
        };
        line(page, &format!("| `{name}` | {means} |"));
    }
    line(
        page,
        "\n`providers` lists models by name. Each entry has `api_key`, `model` and `endpoint`, or `auth: oauth` to use each request's own login.\n\
         The settings of the entry named in `provider` take precedence over `api`.",
    );
    tool_pipe(page);
}

fn tool_pipe(page: &mut String) {
    line(page, "\nTersely rejects unsupported keys under `pipes.tool_discovery`.\n");
    line(page, "| `pipes.tool_discovery` | meaning in Tersely |\n|---|---|");
    for (name, meaning) in &TOOL_PIPE {
        let means = match meaning {
            ToolPipeMeaning::Enabled => "sets `discovery.enabled`".to_owned(),
            ToolPipeMeaning::Strategy => {
                "`passthrough` sets `discovery.enabled` to `false`; `relevance` changes nothing; `tool-search` sets \
                `discovery.max_tools` and `discovery.min_tools` to 0; `api` is refused"
                    .to_owned()
            }
            ToolPipeMeaning::Key(key) => format!("sets `{key}`"),
            ToolPipeMeaning::Search => {
                "must be `true`, because the model can always search for hidden tools".to_owned()
            }
            ToolPipeMeaning::Refused(why) => format!("refused: {}", why.trim_start_matches("is ")),
        };
        line(page, &format!("| `{name}` | {means} |"));
    }
}

fn variables(page: &mut String) {
    page.push_str(VARIABLES);
    for (name, meaning) in &OTHERS {
        let means = match meaning {
            env::VariableMeaning::Key(key) => format!("sets `{key}`"),
            env::VariableMeaning::Toon => {
                "sets `prompts.enabled`; if true, also sets `prompts.form` to `toon`".to_owned()
            }
            env::VariableMeaning::On(key, why) => {
                format!("can turn `{key}` on but not off; if it is on, {why}")
            }
            env::VariableMeaning::Millis(key) => format!("sets `{key}`, in milliseconds"),
            env::VariableMeaning::Trust => "names a file with additional certificates to trust".to_owned(),
            env::VariableMeaning::Nothing(why) => format!("no effect: {why}"),
        };
        line(page, &format!("| `{name}` | {means} |"));
    }
}

fn line(page: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(page, "{text}");
}
