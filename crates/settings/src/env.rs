//! Maps environment variables to keys: our own variables, and those that other tools use for the same settings.

use std::collections::BTreeMap;

use super::key_table::{ALIASES, KEYS};

/// Environment variables and their values.
pub(crate) type Environment = BTreeMap<String, String>;

/// The variable that contains the path of the configuration file.
pub(crate) const CONFIG: &str = "TERSELY_CONFIG";

/// The effect of another tool's variable here.
pub(crate) enum VariableMeaning {
    /// Sets one of our keys.
    Key(&'static str),
    /// Switches one of our keys on, but never off. The second text describes what the switch does not do.
    On(&'static str, &'static str),
    /// Sets `prompts.enabled` and, when it is on, also selects TOON.
    Toon,
    /// Adds a file of certificates to trust.
    Trust,
    /// Sets a key to a time in milliseconds.
    Millis(&'static str),
    /// Has no effect, for the given reason.
    Nothing(&'static str),
}

const BOUNDED: &str = "the queue always holds up to 256 events, and each line holds up to 64 KiB";

/// Other tools' variables. If several set the same key, the first one counts; our own variables override all of them.
pub(crate) const OTHERS: [(&str, VariableMeaning); 24] = [
    ("FORGE_TOOL_OUTPUT_COMPRESSION", VariableMeaning::Key("mode")),
    ("FORGE_TOOL_OUTPUT_COMPRESSION_METHOD", VariableMeaning::Key("dictionary")),
    ("FORGE_TOOL_OUTPUT_COMPRESSION_LOG", VariableMeaning::Key("events.file")),
    ("FORGE_TOOL_OUTPUT_COMPRESSION_LOG_QUEUE_CAPACITY", VariableMeaning::Nothing(BOUNDED)),
    ("FORGE_TOOL_OUTPUT_COMPRESSION_LOG_MAX_EVENT_BYTES", VariableMeaning::Nothing(BOUNDED)),
    ("FORGE_SCHEMA_COMPRESSION", VariableMeaning::Key("schema_compression")),
    (
        "FORGE_REDACT_SECRETS",
        VariableMeaning::On("redact_secrets", "Tersely masks secrets everywhere in a request"),
    ),
    ("TOON_ENABLED", VariableMeaning::Toon),
    ("TOON_MIN_BYTES", VariableMeaning::Key("prompts.min_bytes")),
    ("TOON_FAIL_OPEN", VariableMeaning::Key("prompts.fail_open")),
    ("TOON_LOG_STATS", VariableMeaning::Key("prompts.log_stats")),
    ("HTTPS_PROXY", VariableMeaning::Key("proxy.url")),
    ("https_proxy", VariableMeaning::Key("proxy.url")),
    ("NO_PROXY", VariableMeaning::Key("proxy.except")),
    ("no_proxy", VariableMeaning::Key("proxy.except")),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", VariableMeaning::Key("otel.endpoint")),
    ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", VariableMeaning::Key("otel.traces")),
    ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", VariableMeaning::Key("otel.metrics")),
    ("OTEL_EXPORTER_OTLP_HEADERS", VariableMeaning::Key("otel.headers")),
    ("OTEL_EXPORTER_OTLP_TIMEOUT", VariableMeaning::Millis("otel.timeout")),
    ("OTEL_SERVICE_NAME", VariableMeaning::Key("otel.service")),
    ("OTEL_RESOURCE_ATTRIBUTES", VariableMeaning::Key("otel.attributes")),
    ("SSL_CERT_FILE", VariableMeaning::Trust),
    ("NODE_EXTRA_CA_CERTS", VariableMeaning::Trust),
];

/// The variable that chooses the protocol for the collector, and the only protocol that is supported here.
pub(crate) const PROTOCOL: (&str, &str) = ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");

/// Prefix of the variables that configure a collector.
pub(crate) const COLLECTOR: &str = "OTEL_EXPORTER_OTLP_";

/// The environment of this process. Variables that are not valid Unicode are skipped.
pub(crate) fn own() -> Environment {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

/// The name of the environment variable for a key.
pub(crate) fn variable(key: &str) -> String {
    format!("TERSELY_{}", key.to_ascii_uppercase().replace('.', "_"))
}

/// The names of all our environment variables.
pub(crate) fn variables() -> Vec<String> {
    let names = KEYS.iter().map(|key| key.name).chain(ALIASES.iter().map(|alias| alias.name));
    names.map(variable).chain([CONFIG.to_owned()]).collect()
}
