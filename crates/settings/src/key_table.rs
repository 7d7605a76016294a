//! Table: every configuration key, with the field that it sets and its meaning.

use std::sync::LazyLock;

use tersely_core::{Loss, Mode};
use tersely_engine::{FIELDS, PlanField};

use super::draft::{DOORS, Draft};
use super::field::SettingField;
use super::observability::{FORMATS, LEVELS, RECORDS};
use super::remote::{FALLBACKS, PROVIDERS, SIMPLE, STRATEGIES};
use super::words::Words;

/// A configuration key.
#[derive(Clone, Copy)]
pub(crate) struct SettingKey {
    /// The name of the key, with the group in front of a dot.
    pub name: &'static str,
    /// The field that the key sets, which determines the values it accepts.
    pub field: SettingField,
    /// The meaning of the key, in a sentence without a full stop.
    pub about: &'static str,
}

impl SettingKey {
    /// The key for a field of the plan.
    fn of(field: &PlanField) -> Self {
        Self { name: field.name, field: SettingField::Plan(field.place), about: field.about }
    }

    /// True when a file that the user did not choose may set this key to this value. Such a file may change how results
    /// are compressed, but not whom to trust, what to mask, how much to accept, how long to wait or what to report
    /// about requests.
    pub(crate) fn is_free(&self, words: &Words) -> bool {
        let is = |words: &Words, known: &[&str]| words.one().is_ok_and(|word| known.contains(&word));
        match self.name {
            "mode" => !words.one().is_ok_and(|word| word.parse().is_ok_and(masks_nothing)),
            "loss" => !words.one().is_ok_and(|word| word.parse() == Ok(Loss::None)),
            STRATEGY => is(words, &[STRATEGIES[0], SIMPLE]),
            name => FREE.contains(&name),
        }
    }
}

/// True when this mode sends results unchanged, so that nothing in them is masked.
pub(crate) fn masks_nothing(mode: Mode) -> bool {
    mode <= Mode::Observe
}

/// Keys that a file may set even if the user did not choose it, in addition to those where it depends on the value. All
/// other keys need a file that the user chose, because a downloaded project may contain one.
const FREE: &[&str] = &[
    "min_bytes",
    "skip_above",
    "max_bytes",
    "dictionary",
    "reader",
    "expand",
    "skip_tools",
    "schema_compression",
    "readers.strong",
    "readers.small",
    "prompts.enabled",
    "prompts.min_bytes",
    "prompts.form",
    "prompts.log_stats",
    "discovery.enabled",
    "discovery.min_tools",
    "discovery.max_tools",
    "discovery.always_keep",
    "discovery.max_results",
    "filters.enabled",
];

/// The key that may send results to another server; some of its values do not.
const STRATEGY: &str = "remote.strategy";

/// Another name for a key, in another unit.
pub(crate) struct Alias {
    pub name: &'static str,
    pub key: &'static str,
    /// How many units of the key make one unit of the alias.
    pub times: usize,
    pub about: &'static str,
}

/// The groups, in the order of the file; keys without a group come first.
pub(crate) const GROUPS: [(&str, &str); 18] = [
    ("", "Where to listen, where to send requests, and what to do with tool results"),
    ("tls", "TLS with those who come in: [access.md](access.md)"),
    (
        "upstreams",
        "A server for each provider; overrides `upstream`. Without either, the provider's public address, if it has one",
    ),
    (
        "readers",
        "Models that you know better than the table in [concepts.md](concepts.md#small-models), for `reader = \"auto\"`",
    ),
    ("prompts", "Shorter JSON in users' messages"),
    ("discovery", "Fewer tools for the model to read: [mcp.md](mcp.md#tool-search-fewer-tool-definitions)"),
    ("filters", "Lines and fields to omit from your own tools' output"),
    (
        "store",
        "Where to keep texts that a later request only refers to, because the provider keeps the conversation",
    ),
    ("remote", "A service or a model that shortens tool results: [remote.md](remote.md)"),
    ("limits", "Limits on requests and memory"),
    ("timeouts", "How long to wait; a whole response has no limit"),
    ("admin", "A second listener, for operators"),
    ("log", "One line per request, without request text"),
    ("events", "One record per request and tool result, without request text"),
    (
        "history",
        "What `tersely stats` and the dashboard show, without request text: [observability](observability.md)",
    ),
    ("otel", "A collector for OpenTelemetry: [observability](observability.md#opentelemetry)"),
    ("prices", "What models cost, for the [cost estimate](metrics.md#cost-estimate)"),
    ("proxy", "The proxy for upstreams"),
];

/// Aliases for byte limits, given in tokens of four bytes.
pub(crate) static ALIASES: [Alias; 2] = [
    Alias { name: "min_tokens", key: "min_bytes", times: 4, about: "`min_bytes`, in tokens of four bytes" },
    Alias { name: "max_tokens", key: "max_bytes", times: 4, about: "`max_bytes`, in tokens of four bytes" },
];

/// Every key, group by group; the keys of the plan are defined by the engine.
pub(crate) static KEYS: LazyLock<Vec<SettingKey>> = LazyLock::new(|| {
    let plan = FIELDS.iter().map(SettingKey::of);
    ABOVE.iter().copied().chain(plan).chain(BELOW.iter().copied()).collect()
});

/// The keys that come before those of the plan.
static ABOVE: &[SettingKey] = &[
    SettingKey {
        name: "listen",
        field: SettingField::Address(Draft::listen),
        about: "The address to listen on; anything but loopback is reachable from other machines",
    },
    SettingKey {
        name: "upstream",
        field: SettingField::Url(|draft| &mut draft.upstream),
        about: "Send all requests to this server; without it, each provider's public address, chosen by path",
    },
    SettingKey {
        name: "authorities",
        field: SettingField::Files(Draft::authorities),
        about: "PEM files of certificates to trust in addition to the system's",
    },
    SettingKey {
        name: "origins",
        field: SettingField::Origins(|draft| &mut draft.settings.gateway.origins),
        about: "Web pages that may send requests: `loopback`, `any`, or a list of origins such as `https://chat.example`",
    },
    SettingKey {
        name: "hosts",
        field: SettingField::Hosts(|draft| &mut draft.settings.gateway.hosts),
        about: "Additional host names to accept on a loopback address, such as `host.docker.internal`",
    },
    SettingKey {
        name: "compress_api",
        field: SettingField::Choice(|draft| &mut draft.compress_api, DOORS),
        about: "Whether other gateways may send messages to `/v1/compress`: [compress.md](compress.md). `auto`: on a loopback address; \
                `on`: anyone who can reach it; `off`: these paths are forwarded like any other",
    },
];

/// The keys that come after those of the plan.
static BELOW: &[SettingKey] = &[
    SettingKey {
        name: "holdout",
        field: SettingField::Share(|draft| &mut draft.settings.engine.holdout.share),
        about: "The share of sessions to send unchanged, such as `5%`, so that `tersely stats --holdout` can compare \
                what sessions cost with and without compression: [measuring.md](measuring.md); `0%`: none",
    },
    SettingKey {
        name: "holdout_salt",
        field: SettingField::Word(|draft| &mut draft.settings.engine.holdout.salt),
        about: "Salt for choosing held-out sessions: gateways with the same salt hold out the same sessions",
    },
    SettingKey {
        name: "expand",
        field: SettingField::Expand(|draft| &mut draft.settings.engine.expand),
        about: "Where to offer `expand_context`, which fetches omitted text back; where it is not offered, \
                nothing is omitted. `auto`: where a tool runs commands or shows logs, clusters or web pages, and where tools and system prompt \
                take 24,000 bytes or more, about 6,000 tokens; `always`; `never`",
    },
    SettingKey {
        name: "clear",
        field: SettingField::Clear(|draft| &mut draft.settings.engine.clear),
        about: "When to clear old tool results: `off`, or `cold`, after a pause in which the provider's cache expires, so that the whole prompt is \
                written again in any case. One line replaces each result, and the model can fetch the result back. `half` does that for half of the sessions, so that \
                `tersely stats --holdout` can compare them",
    },
    SettingKey {
        name: "skip_tools",
        field: SettingField::Names(|draft| &mut draft.settings.engine.skip_tools),
        about: "Tools whose results stay unchanged: names, or `read`, `edit`, `write`, `bash`, `glob`, `grep`",
    },
    SettingKey {
        name: "schema_compression",
        field: SettingField::Schema(|draft| &mut draft.settings.engine.schema),
        about: "What to do with tool descriptions",
    },
    SettingKey {
        name: "tls.cert",
        field: SettingField::Files(|draft| &mut draft.tls.cert),
        about: "PEM files of the server certificate and its intermediate certificates, in that order; reloaded when they change. None: plain text",
    },
    SettingKey {
        name: "tls.key",
        field: SettingField::Files(|draft| &mut draft.tls.key),
        about: "PEM file with the private key",
    },
    SettingKey {
        name: "tls.client_ca",
        field: SettingField::Files(|draft| &mut draft.tls.client_ca),
        about: "PEM files of certificate authorities; clients must then present a certificate signed by one of them",
    },
    SettingKey {
        name: "upstreams.anthropic",
        field: SettingField::Url(|draft| &mut draft.upstreams[0]),
        about: "The server for Anthropic's Messages",
    },
    SettingKey {
        name: "upstreams.openai",
        field: SettingField::Url(|draft| &mut draft.upstreams[1]),
        about: "The server for OpenAI's Chat Completions and Responses",
    },
    SettingKey {
        name: "upstreams.gemini",
        field: SettingField::Url(|draft| &mut draft.upstreams[2]),
        about: "The server for Gemini",
    },
    SettingKey {
        name: "upstreams.ollama",
        field: SettingField::Url(|draft| &mut draft.upstreams[3]),
        about: "The server for Ollama",
    },
    SettingKey {
        name: "upstreams.bedrock",
        field: SettingField::Url(|draft| &mut draft.upstreams[4]),
        about: "The server for AWS Bedrock, such as `https://bedrock-runtime.us-east-1.amazonaws.com`",
    },
    SettingKey {
        name: "upstreams.azure",
        field: SettingField::Url(|draft| &mut draft.upstreams[5]),
        about: "The server for Azure OpenAI, such as `https://my-resource.openai.azure.com`",
    },
    SettingKey {
        name: "upstreams.vertex",
        field: SettingField::Url(|draft| &mut draft.upstreams[6]),
        about: "The server for Vertex AI, such as `https://us-east5-aiplatform.googleapis.com`",
    },
    SettingKey {
        name: "readers.strong",
        field: SettingField::Names(|draft| &mut draft.settings.engine.readers.strong),
        about: "Models treated as strong. Names ignore case, and `*` matches anything. Takes precedence over `readers.small`",
    },
    SettingKey {
        name: "readers.small",
        field: SettingField::Names(|draft| &mut draft.settings.engine.readers.small),
        about: "Models treated as small",
    },
    SettingKey {
        name: "prompts.enabled",
        field: SettingField::Switch(|draft| &mut draft.prompting),
        about: "Whether to rewrite JSON in users' messages",
    },
    SettingKey {
        name: "prompts.min_bytes",
        field: SettingField::Floor(|draft| &mut draft.prompts.min_bytes),
        about: "Documents of up to this many bytes stay unchanged",
    },
    SettingKey {
        name: "prompts.form",
        field: SettingField::Prompt(|draft| &mut draft.prompts.form),
        about: "The form to write: the cheapest one, or TOON; a document is rewritten only if that saves tokens",
    },
    SettingKey {
        name: "prompts.fail_open",
        field: SettingField::Switch(|draft| &mut draft.prompts.fail_open),
        about: "With `form = \"toon\"`, if TOON cannot represent a document exactly: `true` sends it unchanged, `false` refuses the request",
    },
    SettingKey {
        name: "prompts.log_stats",
        field: SettingField::Switch(|draft| &mut draft.prompts.log_stats),
        about: "Whether the response header `x-tersely-prompts` reports the number of documents, and their bytes before and after",
    },
    SettingKey {
        name: "discovery.enabled",
        field: SettingField::Switch(|draft| &mut draft.discovering),
        about: "Whether to show the model only the tools that match the beginning of its conversation",
    },
    SettingKey {
        name: "discovery.min_tools",
        field: SettingField::Tally(|draft| &mut draft.discovery.min_tools),
        about: "Number of tools that are always shown; requests with no more tools are not changed",
    },
    SettingKey {
        name: "discovery.max_tools",
        field: SettingField::Tally(|draft| &mut draft.discovery.max_tools),
        about: "Number of tools to show, including those in `always_keep`, which are always shown",
    },
    SettingKey {
        name: "discovery.always_keep",
        field: SettingField::Names(|draft| &mut draft.discovery.always_keep),
        about: "Tools that are always shown: names, in which `*` matches anything",
    },
    SettingKey {
        name: "discovery.max_results",
        field: SettingField::Count(|draft| &mut draft.discovery.max_results),
        about: "Maximum number of tools that one search returns",
    },
    SettingKey {
        name: "filters.enabled",
        field: SettingField::Switch(|draft| &mut draft.settings.filtering.enabled),
        about: "Whether to use filters: Tersely's own, yours, and those of projects that you trust",
    },
    SettingKey {
        name: "filters.folder",
        field: SettingField::Text(|draft| &mut draft.settings.filtering.named),
        about: "Folder with your own filters; default: `filters`, next to your own settings file",
    },
    SettingKey {
        name: "store.addresses",
        field: SettingField::Stores(|draft| &mut draft.kept.addresses),
        about: "Valkey or Redis: `redis://`, `valkey://`, `rediss://` with TLS; several addresses make one cluster; none: keep texts in this process",
    },
    SettingKey {
        name: "store.secret",
        field: SettingField::Secret(|draft| &mut draft.kept.secret),
        about: "The secret used to name and encrypt stored texts; it must be the same on every replica. Generate one with `openssl rand -hex 32`",
    },
    SettingKey {
        name: "store.tenant_header",
        field: SettingField::Header(|draft| &mut draft.kept.header),
        about: "A header, set by a proxy in front of Tersely, that identifies the tenant together with the credential (without a credential: alone)",
    },
    SettingKey {
        name: "store.original_ttl",
        field: SettingField::Time(|draft| &mut draft.kept.original),
        about: "How long to keep a text after its last use",
    },
    SettingKey {
        name: "store.deadline",
        field: SettingField::Time(|draft| &mut draft.kept.deadline),
        about: "How long to wait for Valkey or Redis; after that, nothing is omitted from the request",
    },
    SettingKey {
        name: "store.bytes",
        field: SettingField::Bytes(|draft| &mut draft.kept.bytes),
        about: "Memory for texts in this process, in bytes",
    },
    SettingKey {
        name: "store.prefix",
        field: SettingField::Text(|draft| &mut draft.kept.prefix),
        about: "Prefix of all keys in Valkey or Redis",
    },
    SettingKey {
        name: STRATEGY,
        field: SettingField::Choice(|draft| &mut draft.remote.strategy, STRATEGIES),
        about: "What omits detail: `stages`, Tersely's own; `simple`, which keeps only the first words; `api`, a service; `external_provider`, a model",
    },
    SettingKey {
        name: "remote.fallback",
        field: SettingField::Choice(|draft| &mut draft.remote.fallback, FALLBACKS),
        about: "What to send if the compressor fails: `passthrough` (the whole result) or `simple`",
    },
    SettingKey {
        name: "remote.provider",
        field: SettingField::Choice(|draft| &mut draft.remote.provider, PROVIDERS),
        about: "The model's API: `openai` (and compatible servers), `anthropic` or `gemini`",
    },
    SettingKey {
        name: "remote.endpoint",
        field: SettingField::Url(|draft| &mut draft.remote.endpoint),
        about: "The compressor's address; a model's default is the upstream of its provider",
    },
    SettingKey {
        name: "remote.key",
        field: SettingField::Key(|draft| &mut draft.remote.key),
        about: "The compressor's API key; without one, a model gets the request's credential if the request goes to the same server",
    },
    SettingKey {
        name: "remote.model",
        field: SettingField::Word(|draft| &mut draft.remote.model),
        about: "The compressor's model",
    },
    SettingKey {
        name: "remote.timeout",
        field: SettingField::Time(|draft| &mut draft.remote.timeout),
        about: "How long to wait for all results of a request; results without an answer by then are sent as `fallback` says",
    },
    SettingKey {
        name: "remote.rate",
        field: SettingField::Tally(|draft| &mut draft.remote.rate),
        about: "Maximum number of calls started per second, over all requests; results that would wait too long are not sent; 0: no limit",
    },
    SettingKey {
        name: "remote.query_agnostic",
        field: SettingField::Switch(|draft| &mut draft.remote.query_agnostic),
        about: "`true`: the compressor is not told what the user asked for",
    },
    SettingKey {
        name: "limits.body",
        field: SettingField::Bytes(|draft| &mut draft.limits().body),
        about: "Largest body to buffer, in bytes; bodies that are only forwarded have no limit",
    },
    SettingKey {
        name: "limits.memory",
        field: SettingField::Bytes(|draft| &mut draft.limits().memory),
        about: "Total bytes of buffered bodies, which are held until their responses end; beyond that, bodies are forwarded unread",
    },
    SettingKey {
        name: "limits.requests",
        field: SettingField::Count(|draft| &mut draft.limits().requests),
        about: "Concurrent requests, streams included",
    },
    SettingKey {
        name: "limits.client_rate",
        field: SettingField::Tally(|draft| &mut draft.limits().client_rate),
        about: "Requests per second per client address; further requests get 429 with `Retry-After`; 0: no limit",
    },
    SettingKey {
        name: "limits.tenant_rate",
        field: SettingField::Tally(|draft| &mut draft.limits().tenant_rate),
        about: "Requests per second per tenant, identified by credential and `store.tenant_header`; further requests get 429 with `Retry-After`; 0: no limit",
    },
    SettingKey {
        name: "limits.connections",
        field: SettingField::Count(|draft| &mut draft.limits().connections),
        about: "Concurrent connections, at most half of the process's file limit (`ulimit -n`); further connections wait to be accepted",
    },
    SettingKey {
        name: "limits.headers",
        field: SettingField::Count(|draft| &mut draft.limits().headers),
        about: "Maximum number of headers in a request",
    },
    SettingKey {
        name: "limits.head",
        field: SettingField::Bytes(|draft| &mut draft.limits().head),
        about: "Largest request head, in bytes",
    },
    SettingKey {
        name: "limits.rewrites",
        field: SettingField::Count(|draft| &mut draft.limits().rewrites),
        about: "Concurrent rewrites of large bodies; further rewrites wait",
    },
    SettingKey {
        name: "limits.rewriting",
        field: SettingField::Bytes(|draft| &mut draft.limits().rewriting),
        about: "Total bytes of bodies being rewritten (a rewrite needs several times the size of its body); further rewrites wait",
    },
    SettingKey {
        name: "limits.inline",
        field: SettingField::Floor(|draft| &mut draft.limits().inline),
        about: "Bodies of up to this many bytes are rewritten immediately, on the serving thread",
    },
    SettingKey {
        name: "limits.memo",
        field: SettingField::Floor(|draft| &mut draft.settings.memo.bytes),
        about: "Memory for past conversations, in bytes; it only makes Tersely faster. 0: none",
    },
    SettingKey {
        name: "timeouts.connect",
        field: SettingField::Time(|draft| &mut draft.timeouts().connect),
        about: "Time to connect to an upstream, including proxy and handshakes",
    },
    SettingKey {
        name: "timeouts.idle",
        field: SettingField::Patience(|draft| &mut draft.timeouts().idle),
        about: "Time between two bytes from an upstream",
    },
    SettingKey {
        name: "timeouts.head",
        field: SettingField::Time(|draft| &mut draft.timeouts().head),
        about: "Time to receive a request's head, and between two requests on a connection",
    },
    SettingKey {
        name: "timeouts.body",
        field: SettingField::Time(|draft| &mut draft.timeouts().body),
        about: "Time between two bytes of a client's body",
    },
    SettingKey {
        name: "timeouts.upload",
        field: SettingField::Patience(|draft| &mut draft.timeouts().upload),
        about: "Time to receive a client's whole body, plus one second for every 4 KiB received",
    },
    SettingKey {
        name: "timeouts.rewrite",
        field: SettingField::Time(|draft| &mut draft.timeouts().rewrite),
        about: "Time to rewrite a large body, including the wait; after that, the original is forwarded",
    },
    SettingKey {
        name: "timeouts.session",
        field: SettingField::Time(|draft| &mut draft.timeouts().session),
        about: "Time between messages of a session with an MCP server that was started as a command; after that, the server is stopped",
    },
    SettingKey {
        name: "timeouts.notice",
        field: SettingField::Pause(|draft| &mut draft.timeouts().notice),
        about: "How long to keep accepting requests after SIGTERM, while `/readyz` returns 503; `0s`: not at all, which is the default on a loopback address",
    },
    SettingKey {
        name: "timeouts.drain",
        field: SettingField::Time(|draft| &mut draft.timeouts().drain),
        about: "Time for running streams to finish once no more requests are accepted",
    },
    SettingKey {
        name: "admin.listen",
        field: SettingField::Listener(|draft| &mut draft.settings.gateway.admin.listen),
        about: "The address for the dashboard (`/_tersely/`), `/stats`, `/metrics`, `/healthz` and `/readyz`; empty: none",
    },
    SettingKey {
        name: "admin.token",
        field: SettingField::Key(|draft| &mut draft.settings.gateway.admin.token),
        about: "The bearer token required by everything except `/healthz` and `/readyz`; needed if other machines can reach the address",
    },
    SettingKey {
        name: "log.level",
        field: SettingField::Choice(|draft| &mut draft.seen.level, LEVELS),
        about: "What `serve` writes to stderr: every request, only requests that failed because of Tersely or an upstream, or none",
    },
    SettingKey {
        name: "log.format",
        field: SettingField::Choice(|draft| &mut draft.seen.format, FORMATS),
        about: "Format of log lines; `auto`: text on a terminal, JSON elsewhere",
    },
    SettingKey {
        name: "events.file",
        field: SettingField::Word(|draft| &mut draft.seen.events),
        about: "File for events, with one line of JSON per request and per new tool result; empty: none",
    },
    SettingKey {
        name: "events.bytes",
        field: SettingField::Bytes(|draft| &mut draft.seen.event_bytes),
        about: "The size at which a new file is started",
    },
    SettingKey {
        name: "events.files",
        field: SettingField::Count(|draft| &mut draft.seen.event_files),
        about: "How many files to keep",
    },
    SettingKey {
        name: "history.record",
        field: SettingField::Choice(|draft| &mut draft.seen.history.record, RECORDS),
        about: "Whether requests are recorded in a file; `auto`: by `run`, and by `serve` on a loopback address or if `history.file` is set",
    },
    SettingKey {
        name: "history.file",
        field: SettingField::Word(|draft| &mut draft.seen.history.file),
        about: "The file; empty: `tersely/history.db` in `XDG_STATE_HOME` or `~/.local/state`",
    },
    SettingKey {
        name: "history.days",
        field: SettingField::Count(|draft| &mut draft.seen.history.days),
        about: "How long single requests are kept; daily totals are kept forever",
    },
    SettingKey {
        name: "history.project",
        field: SettingField::Switch(|draft| &mut draft.seen.history.project),
        about: "Whether `run` records the name of the folder that it was started in",
    },
    SettingKey {
        name: "otel.endpoint",
        field: SettingField::Url(|draft| &mut draft.otel.endpoint),
        about: "The collector's address, such as `http://127.0.0.1:4318`: spans go to `/v1/traces` there, metrics to `/v1/metrics`, as protobuf over HTTP; without it, nothing is sent",
    },
    SettingKey {
        name: "otel.traces",
        field: SettingField::Url(|draft| &mut draft.otel.traces),
        about: "Another address for spans, with its whole path",
    },
    SettingKey {
        name: "otel.metrics",
        field: SettingField::Url(|draft| &mut draft.otel.metrics),
        about: "Another address for metrics, with its whole path",
    },
    SettingKey {
        name: "otel.headers",
        field: SettingField::Headers(|draft| &mut draft.otel.headers),
        about: "Headers for the collector: `name=value`, with percent encoding such as `%20`",
    },
    SettingKey {
        name: "otel.service",
        field: SettingField::Word(|draft| &mut draft.otel.service),
        about: "The service name shown in traces and metrics",
    },
    SettingKey {
        name: "otel.attributes",
        field: SettingField::Names(|draft| &mut draft.otel.attributes),
        about: "Additional resource attributes: `name=value`",
    },
    SettingKey {
        name: "otel.interval",
        field: SettingField::Time(|draft| &mut draft.otel.interval),
        about: "How often metrics are sent; spans are sent at least this often",
    },
    SettingKey {
        name: "otel.timeout",
        field: SettingField::Time(|draft| &mut draft.otel.timeout),
        about: "How long to wait for the collector; meanwhile spans queue, and are dropped and counted if the queue is full",
    },
    SettingKey {
        name: "prices.file",
        field: SettingField::Word(|draft| &mut draft.seen.prices),
        about: "A price file that takes precedence over the built-in prices; empty: none",
    },
    SettingKey {
        name: "proxy.url",
        field: SettingField::Proxy(|draft| &mut draft.settings.gateway.proxy.url),
        about: "The proxy for `https://` upstreams: `http://[user:password@]host:port`",
    },
    SettingKey {
        name: "proxy.except",
        field: SettingField::Text(|draft| &mut draft.settings.gateway.proxy.except),
        about: "Hosts to reach without the proxy, as in `NO_PROXY`",
    },
];
