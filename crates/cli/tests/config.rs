//! `tersely config`, seen from outside: what is heard, in which order, and what is refused.

#[path = "config/scene.rs"]
mod scene;

use scene::{Scene, root};
use serde_json::json;

/// Behaviour 12.1: a flag before the environment, the environment before the file, the file before the default. The
/// request comes before all, and is the engine's to hear.
#[test]
fn what_was_typed_is_heard_in_order() {
    let scene =
        Scene::new("order").file("tersely.toml", "mode = \"safe\"\nmin_bytes = 7\ndictionary = \"auto\"\n");
    scene.holds("mode", json!("safe"), "file tersely.toml:1");
    let scene = scene.set("TERSELY_MODE", "aggressive").set("TERSELY_MIN_BYTES", "1KiB");
    scene.holds("mode", json!("aggressive"), "environment TERSELY_MODE");
    let scene = scene.args("--mode disabled");
    scene.holds("mode", json!("disabled"), "flag --mode");
    scene.holds("min_bytes", json!(1024), "environment TERSELY_MIN_BYTES");
    scene.holds("dictionary", json!("auto"), "file tersely.toml:3");
    scene.holds("loss", json!("detail"), "default");
}

/// Behaviour 3.1.
#[test]
fn modes_have_their_other_names() {
    for (word, mode) in [("off", "disabled"), ("none", "disabled"), ("on", "standard"), ("TRUE", "standard")]
    {
        Scene::new("modes").set("TERSELY_MODE", word).holds("mode", json!(mode), "environment TERSELY_MODE");
    }
    Scene::new("modes-toml").file("tersely.toml", "mode = false\n").holds(
        "mode",
        json!("disabled"),
        "file tersely.toml:1",
    );
    Scene::new("modes-yaml").file("tersely.yaml", "mode: on\n").holds(
        "mode",
        json!("standard"),
        "file tersely.yaml:1",
    );
}

#[test]
fn a_profile_stands_where_a_mode_does() {
    let file = Scene::new("profiles").file("tersely.toml", "mode = \"aggressive@1\"\n");
    file.holds("mode", json!("aggressive"), "file tersely.toml:1");
    Scene::new("profile-flag").args("--mode safe@1").holds("mode", json!("safe"), "flag --mode");
    let said = "unknown profile \"standard@2\"; use safe@1, standard@1, aggressive@1";
    Scene::new("profile-next").args("--mode standard@2").refuses_to("show", said);
    Scene::new("profile-file").file("tersely.toml", "mode = \"standard@2\"\n").refuses(said);
}

/// Behaviour 12.2: the flags.
#[test]
fn flags_of_other_gateways_are_known() {
    let flags = "--backend-url http://localhost:8080 --tool-output-compression aggressive \
                 --tool-output-compression-method re-pair --schema-compression minify --redact-secrets";
    let scene = Scene::new("flags").args(flags);
    scene.holds("upstream", json!("http://localhost:8080"), "flag --upstream");
    scene.holds("mode", json!("aggressive"), "flag --mode");
    scene.holds("dictionary", json!("repair"), "flag --dictionary");
    scene.holds("schema_compression", json!("minify"), "flag --schema-compression");
    scene.holds("redact_secrets", json!(true), "flag --redact-secrets");
    let scene = Scene::new("flags-off").args("--redact-secrets=false");
    scene.holds("redact_secrets", json!(false), "flag --redact-secrets");
}

/// Behaviour 12.2, 0.8: the variables, ours before theirs.
#[test]
fn variables_of_other_gateways_are_known() {
    let scene = Scene::new("forge")
        .set("FORGE_TOOL_OUTPUT_COMPRESSION", "aggressive")
        .set("FORGE_TOOL_OUTPUT_COMPRESSION_METHOD", "auto")
        .set("FORGE_SCHEMA_COMPRESSION", "minify")
        .set("FORGE_REDACT_SECRETS", "true");
    scene.holds("mode", json!("aggressive"), "environment FORGE_TOOL_OUTPUT_COMPRESSION");
    scene.holds("dictionary", json!("auto"), "environment FORGE_TOOL_OUTPUT_COMPRESSION_METHOD");
    scene.holds("schema_compression", json!("minify"), "environment FORGE_SCHEMA_COMPRESSION");
    scene.holds("redact_secrets", json!(true), "environment FORGE_REDACT_SECRETS");
    let scene = scene.set("TERSELY_MODE", "safe");
    scene.holds("mode", json!("safe"), "environment TERSELY_MODE");
    for name in ["LOG", "LOG_QUEUE_CAPACITY", "LOG_MAX_EVENT_BYTES"] {
        let name = format!("FORGE_TOOL_OUTPUT_COMPRESSION_{name}");
        Scene::new("log").set(&name, "1").notes(&format!("{name} has no effect"));
    }
}

/// Behaviour 14.1: a variable that speaks of whole requests never turns the masking of results off.
#[test]
fn masking_stays_on_unless_we_are_told() {
    let scene = Scene::new("redact").set("FORGE_REDACT_SECRETS", "false");
    scene.holds("redact_secrets", json!("usual"), "default");
    Scene::new("redact-ours").set("TERSELY_REDACT_SECRETS", "false").holds(
        "redact_secrets",
        json!(false),
        "environment TERSELY_REDACT_SECRETS",
    );
}

/// Behaviour 11.1.
#[test]
fn prompts_are_left_alone_unless_asked() {
    let scene = Scene::new("toon");
    scene.holds("prompts.enabled", json!(false), "default");
    scene.holds("prompts.min_bytes", json!(4096), "default");
    scene.holds("prompts.fail_open", json!(true), "default");
    let scene = scene
        .set("TOON_ENABLED", "true")
        .set("TOON_MIN_BYTES", "256")
        .set("TOON_FAIL_OPEN", "false")
        .set("TOON_LOG_STATS", "true");
    scene.holds("prompts.enabled", json!(true), "environment TOON_ENABLED");
    scene.holds("prompts.min_bytes", json!(256), "environment TOON_MIN_BYTES");
    scene.holds("prompts.fail_open", json!(false), "environment TOON_FAIL_OPEN");
    scene.holds("prompts.form", json!("toon"), "environment TOON_ENABLED");
    scene.holds("prompts.log_stats", json!(true), "environment TOON_LOG_STATS");
    let scene = Scene::new("toon-off").set("TOON_ENABLED", "false").set("TOON_LOG_STATS", "no");
    scene.holds("prompts.enabled", json!(false), "environment TOON_ENABLED");
    scene.holds("prompts.form", json!("auto"), "default");
    scene.holds("prompts.log_stats", json!(false), "environment TOON_LOG_STATS");
    let scene = Scene::new("toon-form").set("TOON_ENABLED", "true").set("TERSELY_PROMPTS_FORM", "auto");
    scene.holds("prompts.form", json!("auto"), "environment TERSELY_PROMPTS_FORM");
    scene.set("TOON_FAIL_OPEN", "false").refuses("TOON_FAIL_OPEN: can be false only with prompts.form");
    Scene::new("toon-bad")
        .set("TERSELY_PROMPTS_FORM", "xml")
        .refuses("unknown form \"xml\"; use auto or toon");
    Scene::new("toon-odd").set("TOON_ENABLED", "maybe").refuses("\"maybe\" is not true or false");
}

/// Behaviour 18.1, 18.7.
#[test]
fn tools_are_all_shown_unless_asked() {
    let scene = Scene::new("discovery");
    scene.holds("discovery.enabled", json!(false), "default");
    scene.holds("discovery.max_tools", json!(25), "default");
    let text = "pipes:\n  tool_discovery:\n    enabled: true\n    strategy: relevance\n    min_tools: 3\n    \
                max_tools: 7\n    always_keep: [read_file, 'mcp__*']\n    enable_search_fallback: true\n    \
                max_search_results: 2\n";
    let scene = Scene::new("discovery-pipe").file("tersely.yaml", text);
    scene.holds("discovery.enabled", json!(true), "file tersely.yaml:3");
    scene.holds("discovery.min_tools", json!(3), "file tersely.yaml:5");
    scene.holds("discovery.max_tools", json!(7), "file tersely.yaml:6");
    scene.holds("discovery.always_keep", json!(["read_file", "mcp__*"]), "file tersely.yaml:7");
    scene.holds("discovery.max_results", json!(2), "file tersely.yaml:9");
    let text = "pipes: {tool_discovery: {enabled: true, strategy: tool-search}}\n";
    let scene = Scene::new("discovery-all").file("tersely.yaml", text);
    scene.holds("discovery.max_tools", json!(0), "file tersely.yaml:1");
    let text = "pipes: {tool_discovery: {strategy: passthrough, enabled: true}}\n";
    let scene = Scene::new("discovery-off").file("tersely.yaml", text);
    scene.holds("discovery.enabled", json!(false), "file tersely.yaml:1");
    for (key, said) in [
        ("strategy: api", "tool_discovery.strategy: \"api\" is not supported"),
        ("strategy: magic", "unknown strategy \"magic\"; use passthrough, relevance or tool-search"),
        ("target_ratio: 0.5", "tool_discovery.target_ratio: is not supported; set max_tools instead"),
        ("enable_search_fallback: false", "cannot be false"),
        ("search_tool_name: x", "the tool is called search_tools"),
        ("api: {endpoint: x}", "tool_discovery.api.endpoint: is not supported"),
        ("max_tool: 1", "max_tool: unknown key; did you mean max_tools?"),
    ] {
        let text = format!("pipes: {{tool_discovery: {{{key}}}}}\n");
        Scene::new("discovery-bad").file("tersely.yaml", &text).refuses(said);
    }
}

/// Behaviour 12.6: files as another gateway has them.
#[test]
fn files_of_other_gateways_load_unmodified() {
    let disabled = Scene::new("pipe-1").fixture("pipe-disabled.yaml");
    disabled.holds("mode", json!("disabled"), "file tersely.yaml:3");
    let external = Scene::new("pipe-2").fixture("pipe-external-provider.yaml");
    external.holds("mode", json!("standard"), "file tersely.yaml:8");
    external.holds("min_bytes", json!(2048), "file tersely.yaml:12");
    external.holds("max_bytes", json!(65536), "default");
    external.holds("skip_tools", json!(["edit", "write"]), "file tersely.yaml:15");
    external.notes("pipes.tool_output.strategy: external_provider is replaced by our own stages");
    external.notes("providers has no effect");
    let api = Scene::new("pipe-3").fixture("pipe-api.yaml");
    api.holds("min_bytes", json!(2048), "file tersely.yaml:12");
    api.notes("pipes.tool_output.api.api_key has no effect");
}

/// Behaviour 12.6, 8.1, 8.5, 8.9: every key of the pipe, and the strategies by name.
#[test]
fn every_key_of_the_pipe_is_known() {
    for strategy in ["simple", "api", "external_provider", "passthrough"] {
        let text = format!(
            "pipes:\n  tool_output:\n    strategy: {strategy}\n    enabled: true\n    fallback_strategy: simple\n    \
             provider: x\n    api: {{endpoint: e, api_key: k, model: m, timeout: 1m, query_agnostic: no}}\n    \
             min_bytes: ${{MIN:-12}}\n    max_bytes: 9\n    target_ratio: 0.5\n    enable_expand_context: true\n    \
             include_expand_hint: false\n    skip_tools: [bash]\n"
        );
        let scene = Scene::new("pipe-keys").file("tersely.yaml", &text);
        let mode = if strategy == "passthrough" { "disabled" } else { "standard" };
        let line = if strategy == "passthrough" { 3 } else { 4 };
        scene.holds("mode", json!(mode), &format!("file tersely.yaml:{line}"));
        scene.holds("min_bytes", json!(12), "file tersely.yaml:8");
        scene.holds("skip_above", json!(9), "file tersely.yaml:9");
        scene.holds("max_bytes", json!(65536), "default");
        scene.holds("loss", json!("detail"), "file tersely.yaml:11");
        scene.notes("target_ratio has no effect");
        scene.notes("include_expand_hint has no effect");
    }
    let none = "pipes:\n  tool_output:\n    enable_expand_context: false\n";
    Scene::new("pipe-none").file("tersely.yaml", none).holds("loss", json!("form"), "file tersely.yaml:3");
    for (text, said) in [
        (
            "pipes:\n  tool_output:\n    strategy: magic\n",
            ":3: pipes.tool_output.strategy: unknown strategy \"magic\"",
        ),
        (
            "pipes:\n  tool_output:\n    api:\n      timeout: soon\n",
            ":4: pipes.tool_output.api.timeout: \"soon\" is not a duration",
        ),
        ("pipes:\n  tool_output:\n    min_byte: 1\n", ":3: min_byte: unknown key; did you mean min_bytes?"),
        ("pipes:\n  tools: {}\n", ":2: pipes.tools: unknown key"),
        ("pipes: 1\n", ":1: pipes: expects a group of keys, not a value"),
        ("mode: safe\npipes: {tool_output: {enabled: true}}\n", ":2: mode: sets mode again; file"),
    ] {
        Scene::new("pipe-bad").file("tersely.yaml", text).refuses(said);
    }
}

/// Behaviour 12.6: variables in a file.
#[test]
fn variables_stand_for_values() {
    let file = "mode = \"${M:-safe}\"\nskip_tools = [\"${A}\", \"b\"]\nmin_bytes = \"${N:-2KiB}\"\n";
    let scene = Scene::new("variables").file("tersely.toml", file).set("A", "x");
    scene.holds("mode", json!("safe"), "file tersely.toml:1");
    scene.holds("skip_tools", json!(["x", "b"]), "file tersely.toml:2");
    scene.holds("min_bytes", json!(2048), "file tersely.toml:3");
    Scene::new("unset")
        .file("tersely.toml", file)
        .refuses("tersely.toml:2: skip_tools: variable A is not set; set it, or write ${A:-default}");
}

/// Behaviour 12.7, 15.1: what cannot be meant ends with exit code 2, and names place and key.
#[test]
fn what_cannot_be_meant_is_named() {
    for (name, text, said) in [
        (
            "tersely.toml",
            "\nmin_byte = 1\n",
            "tersely.toml:2: min_byte: unknown key; did you mean min_bytes?",
        ),
        (
            "tersely.toml",
            "[limits]\nbodi = 1\n",
            "tersely.toml:2: limits.bodi: unknown key; did you mean limits.body?",
        ),
        ("tersely.toml", "[limit]\nbody = 1\n", "tersely.toml:1: limit: unknown key"),
        ("tersely.toml", "body = 1\n", "did you mean limits.body?"),
        ("tersely.toml", "mode = \"more\"\n", "tersely.toml:1: mode: unknown mode \"more\""),
        ("tersely.toml", "mode = [\"safe\"]\n", "tersely.toml:1: mode: expects one value, not a list"),
        ("tersely.toml", "[mode]\nx = 1\n", "tersely.toml:1: mode: expects a value, not a table"),
        ("tersely.toml", "limits = 3\n", "tersely.toml:1: limits: expects a group of keys, not a value"),
        ("tersely.toml", "dictionary = \"zip\"\n", "dictionary: unknown dictionary \"zip\""),
        ("tersely.toml", "loss = \"all\"\n", "loss: unknown loss \"all\""),
        (
            "tersely.toml",
            "schema_compression = \"max\"\n",
            "schema_compression: unknown schema compression \"max\"",
        ),
        (
            "tersely.toml",
            "redact_secrets = \"maybe\"\n",
            "redact_secrets: \"maybe\" is not true, false or usual",
        ),
        ("tersely.toml", "max_bytes = 0\n", "max_bytes: must be more than 0"),
        ("tersely.toml", "max_bytes = -1\n", "max_bytes: \"-1\" is not a size"),
        ("tersely.toml", "max_bytes = \"99999999999999GiB\"\n", "is not a size"),
        ("tersely.toml", "min_bytes = 1\nmin_tokens = 1\n", ":2: min_tokens: sets min_bytes again"),
        ("tersely.toml", "listen = \"everywhere\"\n", "listen: \"everywhere\" is not an address"),
        ("tersely.toml", "origins = [\"chat.example\"]\n", "origins: \"chat.example\" is not an origin"),
        (
            "tersely.toml",
            "[timeouts]\nconnect = 10\n",
            ":2: timeouts.connect: \"10\" is not a duration; write 500ms",
        ),
        ("tersely.toml", "[timeouts]\nconnect = \"0s\"\n", ":2: timeouts.connect: must be more than 0"),
        ("tersely.toml", "mode = \n", "tersely.toml:1: "),
        ("tersely.toml", "mode = 'a'\nmode = 'b'\n", "tersely.toml:2: "),
        ("tersely.yaml", "mode: safe\nmode: safe\n", "tersely.yaml:2: mode: duplicate key"),
        ("tersely.yaml", "mode: [safe\n", "tersely.yaml:"),
        ("tersely.yaml", "- mode\n", "tersely.yaml:1: the file: expects a group of keys, not a list"),
        (
            "tersely.yaml",
            "limits:\n  bodies: 1\n",
            "tersely.yaml:2: limits.bodies: unknown key; did you mean limits.body?",
        ),
        ("tersely.yaml", "mode: safe\n---\nmode: safe\n", "tersely.yaml:2: only one document per file"),
    ] {
        Scene::new("wrong").file(name, text).refuses(said);
    }
    Scene::new("wrong-variable").set("TERSELY_MODE", "more").refuses("TERSELY_MODE: unknown mode \"more\"");
    Scene::new("wrong-alias")
        .set("FORGE_SCHEMA_COMPRESSION", "x")
        .refuses("FORGE_SCHEMA_COMPRESSION: unknown schema compression \"x\"");
    Scene::new("wrong-flag").args("--mode more").refuses_to("show", "--mode: unknown mode \"more\"");
}

/// Behaviour 12.7.
#[test]
fn everything_wrong_is_said_at_once() {
    let scene =
        Scene::new("all").file("tersely.toml", "moed = 1\nloss = 2\n").set("TERSELY_MIN_BYTES", "few");
    for said in ["tersely.toml:1: moed", "tersely.toml:2: loss", "TERSELY_MIN_BYTES: \"few\""] {
        scene.refuses(said);
    }
}

/// Behaviour 0.5.
#[test]
fn limits_can_be_said_in_tokens() {
    let scene =
        Scene::new("tokens").file("tersely.toml", "min_tokens = 100\n").set("TERSELY_MAX_TOKENS", "1_000");
    scene.holds("min_bytes", json!(400), "file tersely.toml:1");
    scene.holds("max_bytes", json!(4000), "environment TERSELY_MAX_TOKENS");
}

#[test]
fn rules_are_read_and_held_to_their_parts() {
    let yaml = "rules:\n  - tool: mcp__*\n    mode: aggressive\n  - route: /v1/messages\n    min_tokens: 5\n";
    let scene = Scene::new("rules").file("tersely.yaml", yaml);
    scene.holds("rules[0]", json!("tool=mcp__* mode=aggressive"), "file tersely.yaml:2");
    scene.holds("rules[1]", json!("route=/v1/messages min_bytes=20"), "file tersely.yaml:4");
    for (text, said) in [
        ("[rules]\ntool = 'x'\n", ":1: rules: expects a list; write [[rules]]"),
        ("[[rules]]\ntool = 'x'\n", ":1: rules: this rule changes nothing"),
        ("[[rules]]\ntol = 'x'\nmode = 'safe'\n", ":2: tol: unknown key; did you mean tool?"),
        ("[[rules]]\nroute = 'v1'\nmode = 'safe'\n", ":2: rules.route: \"v1\" is not a path"),
        ("[[rules]]\nmode = 'more'\n", ":2: rules.mode: unknown mode \"more\""),
        ("rules = ['x']\n", ":1: rules: a rule is a table"),
    ] {
        Scene::new("rules-bad").file("tersely.toml", text).refuses(said);
    }
}

#[test]
fn servers_are_read_and_held_to_their_parts() {
    let scene = |text: &str| Scene::new("servers").file("a.toml", text).set("TERSELY_CONFIG", "a.toml");
    let both = "[mcp.servers.b]\ncommand = ['x', 'a,b']\nargs = ['c']\nenv = { KEY = '${SECRET:-s3cret}' }\n[mcp.servers.a]\nurl = 'https://h/mcp?key=s3cret'\nheaders = { Authorization = 's3cret' }\n";
    scene(both).holds("mcp.servers.a", json!("https://h/mcp, 1 header"), "file a.toml:5");
    scene(both).holds("mcp.servers.b", json!("x, 2 arguments, 1 variable"), "file a.toml:1");
    assert!(!scene(both).run("show", &[]).stdout.contains("s3cret"));
    for (text, why) in [
        ("mcp = 1\n", "mcp: expects a table, not a value"),
        ("mcp.server.a.url = 'http://x'\n", "mcp.server: unknown key; did you mean mcp.servers?"),
        ("mcp.servers = []\n", "mcp.servers: expects a table, not a list"),
        ("mcp.servers.'a/b'.url = 'http://x'\n", "cannot be part of a path"),
        ("mcp.servers.a = {}\n", "mcp.servers.a: has neither a command nor a url"),
        ("mcp.servers.a.args = ['x']\n", "has args and no command"),
        ("mcp.servers.a = { url = 'http://x', command = 'x' }\n", "has a command and a url"),
        ("mcp.servers.a = { url = 'http://x', env = { A = 'x' } }\n", "env is for a command"),
        ("mcp.servers.a = { command = 'x', headers = { a = 'x' } }\n", "headers are for a url"),
        ("mcp.servers.a.urls = 'x'\n", "mcp.servers.a.urls: unknown key; did you mean mcp.servers.a.url?"),
        ("mcp.servers.a.url = 'ftp://x'\n", "is neither http nor https"),
        ("mcp.servers.a = { url = 'http://x', headers = { Host = 'x' } }\n", "\"Host\" cannot be set"),
        (
            "mcp.servers.a = { url = 'http://x', headers = { a = \"s3\\ncret\" } }\n",
            "the value of \"a\" cannot",
        ),
        ("mcp.servers.a = { url = 'http://x', headers = { a = '${NOT_SET}' } }\n", "NOT_SET is not set"),
    ] {
        scene(text).refuses(why);
    }
}

/// Behaviour 0.11, 0.16: masking that was asked for by name holds for all requests.
#[test]
fn no_rule_makes_an_exception_from_redaction() {
    let rule = "[[rules]]\ntool = 'Bash'\nredact_secrets = ";
    for (text, why) in [
        (format!("{rule}true\n"), "set redact_secrets = true above the rules"),
        (format!("redact_secrets = true\n{rule}false\n"), "a rule cannot make an exception"),
    ] {
        Scene::new("redact-rule").file("a.toml", &text).set("TERSELY_CONFIG", "a.toml").refuses(why);
    }
    Scene::new("redact-rule-off")
        .file("a.toml", format!("{rule}false\n"))
        .set("TERSELY_CONFIG", "a.toml")
        .shows();
}

/// Behaviour 14.5: whom to trust is never left to a file that came with a downloaded project.
#[test]
fn a_file_merely_found_is_not_trusted() {
    for text in [
        "upstream = 'http://x'\n",
        "origins = 'any'\n",
        "hosts = ['evil.example']\n",
        "listen = '0.0.0.0:8787'\n",
        "[upstreams]\nopenai = 'http://x'\n",
        "[proxy]\nurl = 'http://x'\n",
        "[store]\naddresses = []\n",
        "[store]\nsecret = '0123456789abcdef'\n",
        "[store]\ntenant_header = 'x-tenant'\n",
        "[store]\noriginal_ttl = '1h'\n",
        "[store]\ndeadline = '1h'\n",
        "[store]\nbytes = 1\n",
        "[store]\nprefix = 'x'\n",
        "redact_secrets = false\n",
        "redact_secrets = true\n",
        "[[rules]]\ntool = 'Bash'\nredact_secrets = false\n",
        "[mcp.servers.a]\ncommand = 'curl'\n",
        "mcp.servers.a.url = 'http://x'\n",
    ] {
        let scene = Scene::new("guard").file("tersely.toml", text);
        scene.refuses("in a file that you did not name");
        scene.refuses("hint: if you trust the file, name it: --config ./tersely.toml");
        scene.args("--config tersely.toml").shows();
        Scene::new("guard-named").file("a.toml", text).set("TERSELY_CONFIG", "a.toml").shows();
    }
}

#[test]
fn files_are_looked_for_in_order() {
    let scene =
        Scene::new("search").file("own/tersely/tersely.yml", "mode: safe\n").set("XDG_CONFIG_HOME", "own");
    scene.holds("mode", json!("safe"), "file own/tersely/tersely.yml:1");
    let scene = scene.file("tersely.yaml", "mode: disabled\n");
    scene.holds("mode", json!("disabled"), "file tersely.yaml:1");
    let scene = scene.file("named.toml", "mode = 'aggressive'\n").set("TERSELY_CONFIG", "named.toml");
    scene.holds("mode", json!("aggressive"), "file named.toml:1");
    let scene = scene.file("flag.yml", "mode: standard\n").args("--config flag.yml");
    scene.holds("mode", json!("standard"), "file flag.yml:1");
    Scene::new("missing").set("TERSELY_CONFIG", "gone.toml").refuses("gone.toml: no such file");
    Scene::new("json")
        .file("a.json", "{}")
        .set("TERSELY_CONFIG", "a.json")
        .refuses("ends in neither .toml nor .yaml");
    let home = Scene::new("home").file(".config/tersely/tersely.toml", "mode = 'safe'\n").set("HOME", ".");
    home.holds("mode", json!("safe"), "file ./.config/tersely/tersely.toml:1");
}

#[test]
fn one_server_for_all_outranks_what_was_said_before_it() {
    let text = "upstream = 'http://all'\n[upstreams]\nopenai = 'http://own'\n";
    let scene = Scene::new("upstreams").file("a.toml", text).set("TERSELY_CONFIG", "a.toml");
    scene.holds("upstreams.openai", json!("http://own"), "file a.toml:3");
    let scene = scene.args("--upstream http://here");
    scene.holds("upstream", json!("http://here"), "flag --upstream");
    scene.holds("upstreams.openai", json!(""), "default");
    Scene::new("upstream-bad")
        .set("TERSELY_UPSTREAM", "ftp://x")
        .refuses("TERSELY_UPSTREAM: the upstream is neither");
    Scene::new("upstream-key")
        .set("TERSELY_UPSTREAM", "http://me:hush@x")
        .refuses("contains a user name and password");
}

/// Behaviour 14.6: nothing that is shown or refused holds a password.
#[test]
fn passwords_are_not_shown() {
    let url = "http://me:hu@sh@proxy:3128";
    let scene = Scene::new("proxy").set("HTTPS_PROXY", url).set("NO_PROXY", "localhost,.example");
    scene.holds("proxy.url", json!("http://***@proxy:3128"), "environment HTTPS_PROXY");
    scene.holds("proxy.except", json!("localhost,.example"), "environment NO_PROXY");
    let scene = scene.set("TERSELY_PROXY_URL", "http://other:1");
    scene.holds("proxy.url", json!("http://other:1"), "environment TERSELY_PROXY_URL");
    let scene = Scene::new("proxy-bad").set("https_proxy", "https://me:hush@proxy:3128");
    let said = scene.refuses("https_proxy: only http:// proxies are supported");
    assert!(!said.contains("hush"), "{said}");
    let said =
        Scene::new("proxy-key").set("TERSELY_UPSTREAM", "http://me:hush@x").refuses("TERSELY_UPSTREAM");
    assert!(!said.contains("hush"), "{said}");
}

/// Behaviour 0.6, 14.4, 14.6: where texts are kept is said as a whole, or refused before anything is served.
#[test]
fn a_store_is_reached_sealed_or_not_at_all() {
    let scene = Scene::new("store");
    for (name, value) in [
        ("addresses", json!([])),
        ("secret", json!("")),
        ("tenant_header", json!("")),
        ("original_ttl", json!("5m")),
        ("deadline", json!("100ms")),
        ("bytes", json!(64 << 20)),
        ("prefix", json!("tersely")),
    ] {
        scene.holds(&format!("store.{name}"), value, "default");
    }
    scene.holds("limits.memo", json!(64 << 20), "default");
    let text = "[store]\naddresses = ['rediss://me:hush@a:1', 'rediss://me:hush@b:1']\nsecret = '${KEY}'\n\
                tenant_header = 'X-Tenant'\noriginal_ttl = '1h'\ndeadline = '1s'\nbytes = '1MiB'\nprefix = 'p'\n\
                [limits]\nmemo = 0\n";
    let scene = Scene::new("store-set").file("x.toml", text).set("TERSELY_CONFIG", "x.toml");
    scene.refuses("x.toml:3: store.secret: variable KEY is not set");
    let scene = scene.set("KEY", "hush hush hush hush");
    scene.holds("store.addresses", json!(["rediss://***@a:1", "rediss://***@b:1"]), "file x.toml:2");
    scene.holds("store.secret", json!("***"), "file x.toml:3");
    scene.holds("store.tenant_header", json!("x-tenant"), "file x.toml:4");
    scene.holds("store.original_ttl", json!("1h"), "file x.toml:5");
    scene.holds("store.deadline", json!("1s"), "file x.toml:6");
    scene.holds("store.bytes", json!(1 << 20), "file x.toml:7");
    scene.holds("store.prefix", json!("p"), "file x.toml:8");
    scene.holds("limits.memo", json!(0), "file x.toml:10");
    assert!(!scene.shows().to_string().contains("hush"));
}

#[test]
fn a_store_that_cannot_work_is_refused() {
    for (name, value, said) in [
        ("ADDRESSES", "redis://me:hush@a", "TERSELY_STORE_ADDRESSES: a remote store needs store.secret"),
        ("ADDRESSES", "redis://me:hush@a", "hint: set store.secret or TERSELY_STORE_SECRET"),
        ("ADDRESSES", "me:hush@a:6379", "TERSELY_STORE_ADDRESSES: the store's address does not work"),
        ("SECRET", "hush", "TERSELY_STORE_SECRET: the store's secret has only 4 bytes"),
        ("TENANT_HEADER", "x tenant", "TERSELY_STORE_TENANT_HEADER: \"x tenant\" is not a header name"),
        ("ORIGINAL_TTL", "5", "TERSELY_STORE_ORIGINAL_TTL: \"5\" is not a duration"),
        ("BYTES", "0", "TERSELY_STORE_BYTES: must be more than 0"),
    ] {
        let said = Scene::new("store-bad").set(&format!("TERSELY_STORE_{name}"), value).refuses(said);
        assert!(!said.contains("hush"), "{said}");
    }
}

#[test]
fn certificates_add_up() {
    let scene = Scene::new("trust")
        .file("a.pem", "a")
        .file("b.pem", "b")
        .file("conf/c.pem", "c")
        .file("conf/x.toml", "authorities = [\"c.pem\"]\n")
        .set("TERSELY_CONFIG", "conf/x.toml")
        .set("SSL_CERT_FILE", "a.pem")
        .set("NODE_EXTRA_CA_CERTS", "b.pem");
    scene.holds("authorities", json!(["conf/c.pem"]), "file conf/x.toml:1");
    scene.holds("authorities, also", json!("a.pem"), "environment SSL_CERT_FILE");
    assert!(scene.shows().to_string().contains("b.pem"));
    Scene::new("trust-gone").set("NODE_EXTRA_CA_CERTS", "gone.pem").notes("gone.pem cannot be read");
    let scene =
        Scene::new("trust-bad").file("x.toml", "authorities = 'gone.pem'\n").set("TERSELY_CONFIG", "x.toml");
    scene.refuses("x.toml:1: authorities: gone.pem cannot be read");
}

#[test]
fn variables_that_are_nearly_ours_are_told_of() {
    Scene::new("near")
        .set("TERSELY_MIN_BYTE", "1")
        .notes("TERSELY_MIN_BYTE has no effect; did you mean TERSELY_MIN_BYTES?");
    Scene::new("cluster").set("TERSELY_PORT", "tcp://10.0.0.1:80").shows();
}

#[test]
fn a_check_says_what_it_read() {
    let scene = Scene::new("check").file("tersely.toml", "mode = 'safe'\n");
    assert_eq!(scene.run("check", &[]).stdout, "ok: tersely.toml\n");
    assert_eq!(Scene::new("check-none").run("check", &[]).stdout, "ok: no file\n");
    let table = scene.run("show", &[]).stdout;
    assert!(table.starts_with("setting "), "{table}");
    assert!(table.contains("mode                   safe            file tersely.toml:1"), "{table}");
}

#[test]
fn the_example_loads_and_leaves_nothing_out() {
    let example = std::fs::read_to_string(root("examples/tersely.toml")).unwrap();
    let scene = Scene::new("example").file("x.toml", &example).set("TERSELY_CONFIG", "x.toml");
    let shown = scene.shows();
    for entry in shown["settings"].as_array().unwrap() {
        let name = entry["setting"].as_str().unwrap();
        let leaf = name.rsplit('.').next().unwrap();
        let is_listed = name.starts_with("rules[") || name.starts_with("mcp.servers.");
        assert!(is_listed || example.contains(&format!("{leaf} = ")), "{name} is not shown");
    }
    let line = |text: &str| {
        let at = example.lines().position(|line| line.starts_with(text)).unwrap();
        format!("file x.toml:{}", at + 1)
    };
    let rule = example.match_indices("[[rules]]").nth(1).unwrap().0;
    let rule = format!("file x.toml:{}", example[..rule].lines().count() + 1);
    scene.holds("rules[1]", json!("tool=bash route=/v1/messages loss=none min_bytes=800"), &rule);
    scene.holds("mcp.servers.files", json!("npx, 3 arguments, 1 variable"), &line("[mcp.servers.files]"));
    let usual = Scene::new("usual").shows();
    for (entry, usual) in
        shown["settings"].as_array().unwrap().iter().zip(usual["settings"].as_array().unwrap())
    {
        let ours = ["skip_tools", "proxy.except"].contains(&entry["setting"].as_str().unwrap());
        let same = entry["value"] == usual["value"] || usual["value"] == json!("") || ours;
        assert!(same, "the example changes {entry}");
    }
}

#[test]
fn the_pages_are_as_the_table_says() {
    let scene = Scene::new("pages");
    for (question, page) in [("reference", "docs/configuration.md"), ("schema", "docs/config.schema.json")] {
        let page = root(page);
        let stands = std::fs::read_to_string(&page).unwrap_or_default();
        let says = scene.run(question, &[]).stdout;
        assert!(stands == says, "{} is stale: tersely config {question} > {0}", page.display());
    }
}

#[test]
fn hostile_files_are_refused_in_time() {
    let deep = |open: &str, close: &str| format!("a = {}{}", open.repeat(100_000), close.repeat(100_000));
    let bomb = (1..30).fold("a0: &a0 [x, x]\n".to_owned(), |text, at| {
        let before = format!("*a{}", at - 1);
        text + &format!("a{at}: &a{at} [{before}, {before}, {before}, {before}, {before}, {before}]\n")
    });
    for (name, text, said) in [
        ("x.toml", "#".repeat(100 << 20), "larger than 1 MiB"),
        ("x.yaml", "#".repeat(100 << 20), "larger than 1 MiB"),
        ("x.toml", deep("[", "]"), "x.toml:1: "),
        ("x.toml", deep("{a=", "}"), "x.toml:1: "),
        ("x.toml", format!("{} = 1", vec!["a"; 100_000].join(".")), "x.toml:1: "),
        ("x.yaml", format!("a: {}", "[".repeat(100_000)), "x.yaml:1: "),
        ("x.yaml", format!("a: {}", "{a: ".repeat(100_000)), "x.yaml:1: "),
        ("x.yaml", "- ".repeat(100_000), "x.yaml:1: "),
        (
            "x.yaml",
            format!("a: {}", "[".repeat(60)),
            "x.yaml:1: too deep: tables and lists nest at most 32 levels",
        ),
        ("x.yaml", "? ".repeat(100_000), "x.yaml:"),
        ("x.yaml", bomb, "too many values: at most 10,000"),
        ("x.yaml", "a: &a [*a]\n".to_owned(), "x.yaml:1: "),
        ("x.yaml", "mode: *nobody\n".to_owned(), "x.yaml:1: "),
        ("x.yaml", "[safe]: 1\n".to_owned(), "x.yaml:1: a key must be a plain word"),
        ("x.toml", "mode = \"safe\0\"\n".to_owned(), "x.toml:1: "),
    ] {
        let clock = std::time::Instant::now();
        Scene::new("hostile").file(name, &text).set("TERSELY_CONFIG", name).refuses(said);
        assert!(clock.elapsed().as_secs() < 10, "{name} took {:?}", clock.elapsed());
    }
    let bytes: [(&str, &[u8], &str); 3] = [
        ("x.toml", b"mode = 'safe'\n# \xff\xfe\n", "x.toml:2: not UTF-8 text"),
        ("x.yaml", b"m\0o\0d\0e\0", "x.yaml:1: "),
        ("x.yaml", b"\xff\xfem\0", "x.yaml:1: not UTF-8 text"),
    ];
    for (name, bytes, said) in bytes {
        Scene::new("bytes").file(name, bytes).set("TERSELY_CONFIG", name).refuses(said);
    }
    Scene::new("folder")
        .file("x.toml/y", "")
        .set("TERSELY_CONFIG", "x.toml")
        .refuses("x.toml: this is a directory");
    Scene::new("empty").file("tersely.yaml", "").shows();
    Scene::new("bom").file("tersely.toml", "\u{feff}mode = 'safe'\n").shows();
    Scene::new("anchor").file("tersely.yaml", "mode: &m safe\nrules: [{tool: x, mode: *m}]\n").holds(
        "rules[0]",
        json!("tool=x mode=safe"),
        "file tersely.yaml:2",
    );
}
