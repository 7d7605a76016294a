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
    ("", "Where Tersely listens, where it sends requests, and how it compresses tool results"),
    ("tls", "TLS for client connections: [access.md](access.md)"),
    (
        "upstreams",
        "A server for each provider. These keys override `upstream`. If neither `upstream` nor the \
         provider's key is set, requests go to the provider's public address, if it has one",
    ),
    (
        "readers",
        "Exceptions to the rules by which `reader = \"auto\"` [classifies models](concepts.md#small-models)",
    ),
    ("prompts", "Shortens JSON in user messages"),
    (
        "discovery",
        "Shows the model only some of the tools in a request: [mcp.md](mcp.md#tool-search-fewer-tool-definitions)",
    ),
    ("filters", "Filters omit lines and JSON fields from the output of your own tools"),
    (
        "store",
        "Where Tersely stores original text. Tersely needs this text if the provider stores the \
         conversation, because later requests then no longer contain it",
    ),
    ("remote", "An external service or model that shortens tool results: [remote.md](remote.md)"),
    ("limits", "Limits on requests, connections and memory"),
    ("timeouts", "How long Tersely waits. The total duration of a response is not limited"),
    ("admin", "A separate listener for operators"),
    ("log", "One log line per request, without request text"),
    ("events", "One JSON record per request and per new tool result, without request text"),
    (
        "history",
        "Data for `tersely stats` and the dashboard, without request text: [observability](observability.md)",
    ),
    (
        "otel",
        "Export of traces and metrics to an OpenTelemetry collector: [observability](observability.md#opentelemetry)",
    ),
    ("prices", "Model prices for the [cost estimate](metrics.md#cost-estimate)"),
    ("proxy", "The proxy that Tersely uses to reach upstreams"),
];

/// Aliases for byte limits, given in tokens of four bytes.
pub(crate) static ALIASES: [Alias; 2] = [
    Alias {
        name: "min_tokens",
        key: "min_bytes",
        times: 4,
        about: "Same as `min_bytes`, but in tokens (one token counts as four bytes)",
    },
    Alias {
        name: "max_tokens",
        key: "max_bytes",
        times: 4,
        about: "Same as `max_bytes`, but in tokens (one token counts as four bytes)",
    },
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
        about: "The address to listen on. Any address other than loopback is reachable from other machines",
    },
    SettingKey {
        name: "upstream",
        field: SettingField::Url(|draft| &mut draft.upstream),
        about: "The server that receives all requests. If unset, each request goes to its provider's \
                public address, which Tersely determines from the path",
    },
    SettingKey {
        name: "authorities",
        field: SettingField::Files(Draft::authorities),
        about: "PEM files with certificates to trust in addition to the system certificates",
    },
    SettingKey {
        name: "origins",
        field: SettingField::Origins(|draft| &mut draft.settings.gateway.origins),
        about: "Origins of web pages that may send requests: `loopback`, `any`, or a list such as \
                `https://chat.example`",
    },
    SettingKey {
        name: "hosts",
        field: SettingField::Hosts(|draft| &mut draft.settings.gateway.hosts),
        about: "Additional host names to accept on a loopback address, such as `host.docker.internal`",
    },
    SettingKey {
        name: "compress_api",
        field: SettingField::Choice(|draft| &mut draft.compress_api, DOORS),
        about: "Whether other gateways may send messages to `/v1/compress` ([compress.md](compress.md)). \
                `auto`: only if Tersely listens on a loopback address; `on`: any client that can reach \
                Tersely may send messages; `off`: Tersely forwards requests under `/v1/compress` like any \
                other request",
    },
];

/// The keys that come after those of the plan.
static BELOW: &[SettingKey] = &[
    SettingKey {
        name: "holdout",
        field: SettingField::Share(|draft| &mut draft.settings.engine.holdout.share),
        about: "The share of sessions to send unchanged, such as `5%`. `tersely stats --holdout` then \
                compares the cost of sessions with and without compression ([measuring.md](measuring.md)). \
                `0%`: compress all sessions",
    },
    SettingKey {
        name: "holdout_salt",
        field: SettingField::Word(|draft| &mut draft.settings.engine.holdout.salt),
        about: "The salt for choosing which sessions to hold out. Gateways with the same salt hold out the \
                same sessions",
    },
    SettingKey {
        name: "expand",
        field: SettingField::Expand(|draft| &mut draft.settings.engine.expand),
        about: "When to offer the model `expand_context`, a tool that fetches omitted text. In requests \
                without this tool, Tersely omits nothing. `auto`: if one of the tools runs commands or \
                shows logs, clusters or web pages, or if the tools and the system prompt take 24,000 bytes \
                or more (about 6,000 tokens); `always`: regardless of tools and prompt; `never`: in no \
                request",
    },
    SettingKey {
        name: "clear",
        field: SettingField::Clear(|draft| &mut draft.settings.engine.clear),
        about: "When to clear old tool results. `off`: never; `cold`: after a pause long enough for the \
                provider's prompt cache to expire, because the provider then has to process the whole \
                prompt again anyway; `half`: like `cold`, but only in half of the sessions (`tersely stats \
                --holdout` compares the two halves). Tersely replaces each cleared result with one line, \
                and the model can fetch the result back",
    },
    SettingKey {
        name: "skip_tools",
        field: SettingField::Names(|draft| &mut draft.settings.engine.skip_tools),
        about: "Leave the results of these tools unchanged. List names of tools, or kinds of tools: \
                `read`, `edit`, `write`, `bash`, `glob`, `grep`",
    },
    SettingKey {
        name: "schema_compression",
        field: SettingField::Schema(|draft| &mut draft.settings.engine.schema),
        about: "Whether to shorten tool descriptions",
    },
    SettingKey {
        name: "tls.cert",
        field: SettingField::Files(|draft| &mut draft.tls.cert),
        about: "PEM files with the server certificate, followed by its intermediate certificates. Tersely \
                reloads these files when they change. If unset, Tersely serves plain HTTP",
    },
    SettingKey {
        name: "tls.key",
        field: SettingField::Files(|draft| &mut draft.tls.key),
        about: "PEM file with the server's private key",
    },
    SettingKey {
        name: "tls.client_ca",
        field: SettingField::Files(|draft| &mut draft.tls.client_ca),
        about: "PEM files with certificate authorities. If set, every client must present a certificate \
                signed by one of these authorities",
    },
    SettingKey {
        name: "upstreams.anthropic",
        field: SettingField::Url(|draft| &mut draft.upstreams[0]),
        about: "The server for Anthropic's Messages API",
    },
    SettingKey {
        name: "upstreams.openai",
        field: SettingField::Url(|draft| &mut draft.upstreams[1]),
        about: "The server for OpenAI's Chat Completions and Responses APIs",
    },
    SettingKey {
        name: "upstreams.gemini",
        field: SettingField::Url(|draft| &mut draft.upstreams[2]),
        about: "The server for the Gemini API",
    },
    SettingKey {
        name: "upstreams.ollama",
        field: SettingField::Url(|draft| &mut draft.upstreams[3]),
        about: "The server for the Ollama API",
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
        about: "Models to treat as strong. Names are case-insensitive, and `*` matches any text. This list \
                takes precedence over `readers.small`",
    },
    SettingKey {
        name: "readers.small",
        field: SettingField::Names(|draft| &mut draft.settings.engine.readers.small),
        about: "Models to treat as small",
    },
    SettingKey {
        name: "prompts.enabled",
        field: SettingField::Switch(|draft| &mut draft.prompting),
        about: "Whether to shorten JSON documents in user messages",
    },
    SettingKey {
        name: "prompts.min_bytes",
        field: SettingField::Floor(|draft| &mut draft.prompts.min_bytes),
        about: "Leave documents of this many bytes or fewer unchanged",
    },
    SettingKey {
        name: "prompts.form",
        field: SettingField::Prompt(|draft| &mut draft.prompts.form),
        about: "The format for shortened documents: `auto` (the cheapest format) or `toon`. Tersely \
                rewrites a document only if that saves tokens",
    },
    SettingKey {
        name: "prompts.fail_open",
        field: SettingField::Switch(|draft| &mut draft.prompts.fail_open),
        about: "What to do if `prompts.form` is `toon` and TOON cannot represent a document exactly. \
                `true`: send the document unchanged; `false`: refuse the request",
    },
    SettingKey {
        name: "prompts.log_stats",
        field: SettingField::Switch(|draft| &mut draft.prompts.log_stats),
        about: "Whether to add the response header `x-tersely-prompts`, which reports the number of \
                documents and their size in bytes before and after compression",
    },
    SettingKey {
        name: "discovery.enabled",
        field: SettingField::Switch(|draft| &mut draft.discovering),
        about: "Whether to show the model only the tools that match the beginning of the conversation",
    },
    SettingKey {
        name: "discovery.min_tools",
        field: SettingField::Tally(|draft| &mut draft.discovery.min_tools),
        about: "Minimum number of tools to show. Requests with this many tools or fewer stay unchanged",
    },
    SettingKey {
        name: "discovery.max_tools",
        field: SettingField::Tally(|draft| &mut draft.discovery.max_tools),
        about: "Number of tools to show. Tools in `always_keep` count toward this number, but are shown \
                even if they exceed it",
    },
    SettingKey {
        name: "discovery.always_keep",
        field: SettingField::Names(|draft| &mut draft.discovery.always_keep),
        about: "Names of tools that Tersely always shows. `*` matches any text",
    },
    SettingKey {
        name: "discovery.max_results",
        field: SettingField::Count(|draft| &mut draft.discovery.max_results),
        about: "Maximum number of tools that one search returns",
    },
    SettingKey {
        name: "filters.enabled",
        field: SettingField::Switch(|draft| &mut draft.settings.filtering.enabled),
        about: "Whether to use filters: Tersely's built-in filters, your own filters, and filters from \
                projects that you trust",
    },
    SettingKey {
        name: "filters.folder",
        field: SettingField::Text(|draft| &mut draft.settings.filtering.named),
        about: "The folder with your own filters. Default: `filters`, next to your user configuration file",
    },
    SettingKey {
        name: "store.addresses",
        field: SettingField::Stores(|draft| &mut draft.kept.addresses),
        about: "Addresses of Valkey or Redis: `redis://`, `valkey://`, or `rediss://` for TLS. Several \
                addresses form one cluster. If unset, Tersely keeps stored text in its own memory",
    },
    SettingKey {
        name: "store.secret",
        field: SettingField::Secret(|draft| &mut draft.kept.secret),
        about: "The secret that Tersely uses to name and encrypt stored text. Use the same secret on every \
                replica. To generate one, run `openssl rand -hex 32`",
    },
    SettingKey {
        name: "store.tenant_header",
        field: SettingField::Header(|draft| &mut draft.kept.header),
        about: "The header in which a proxy in front of Tersely names the tenant. Tersely combines this \
                name with the request's credential, if the request has one",
    },
    SettingKey {
        name: "store.original_ttl",
        field: SettingField::Time(|draft| &mut draft.kept.original),
        about: "How long to keep stored text after its last use",
    },
    SettingKey {
        name: "store.deadline",
        field: SettingField::Time(|draft| &mut draft.kept.deadline),
        about: "How long to wait for Valkey or Redis. If no answer arrives within this time, Tersely omits \
                nothing from the request",
    },
    SettingKey {
        name: "store.bytes",
        field: SettingField::Bytes(|draft| &mut draft.kept.bytes),
        about: "Memory for stored text in Tersely's own process, in bytes",
    },
    SettingKey {
        name: "store.prefix",
        field: SettingField::Text(|draft| &mut draft.kept.prefix),
        about: "Prefix of all keys in Valkey or Redis",
    },
    SettingKey {
        name: STRATEGY,
        field: SettingField::Choice(|draft| &mut draft.remote.strategy, STRATEGIES),
        about: "How to omit detail from results. `stages`: with Tersely's own stages; `simple`: by keeping \
                only the first words; `api`: with a compression service; `external_provider`: with a model",
    },
    SettingKey {
        name: "remote.fallback",
        field: SettingField::Choice(|draft| &mut draft.remote.fallback, FALLBACKS),
        about: "What to send if the compressor fails: `passthrough` (the whole result) or `simple` (only \
                its first words)",
    },
    SettingKey {
        name: "remote.provider",
        field: SettingField::Choice(|draft| &mut draft.remote.provider, PROVIDERS),
        about: "The API of the model: `openai` (also for compatible servers), `anthropic` or `gemini`",
    },
    SettingKey {
        name: "remote.endpoint",
        field: SettingField::Url(|draft| &mut draft.remote.endpoint),
        about: "The address of the compressor. For a model, the default is the upstream of its provider",
    },
    SettingKey {
        name: "remote.key",
        field: SettingField::Key(|draft| &mut draft.remote.key),
        about: "The compressor's API key. If unset, a model gets the request's own credential, provided \
                that the request goes to the same server",
    },
    SettingKey {
        name: "remote.model",
        field: SettingField::Word(|draft| &mut draft.remote.model),
        about: "The model that compresses results",
    },
    SettingKey {
        name: "remote.timeout",
        field: SettingField::Time(|draft| &mut draft.remote.timeout),
        about: "Maximum time for compressing all results in a request. For results that are not ready by \
                then, Tersely uses `remote.fallback`",
    },
    SettingKey {
        name: "remote.rate",
        field: SettingField::Tally(|draft| &mut draft.remote.rate),
        about: "Maximum number of compressor calls to start per second, across all requests. If a call \
                would have to wait too long, Tersely does not send the result to the compressor. 0: no \
                limit",
    },
    SettingKey {
        name: "remote.query_agnostic",
        field: SettingField::Switch(|draft| &mut draft.remote.query_agnostic),
        about: "Whether to hide the user's question from the compressor",
    },
    SettingKey {
        name: "limits.body",
        field: SettingField::Bytes(|draft| &mut draft.limits().body),
        about: "Largest body to buffer, in bytes. Bodies that Tersely only forwards can have any size",
    },
    SettingKey {
        name: "limits.memory",
        field: SettingField::Bytes(|draft| &mut draft.limits().memory),
        about: "Maximum total size of buffered bodies, in bytes. Tersely holds each body until its \
                response ends. Above this limit, Tersely forwards further bodies without reading them",
    },
    SettingKey {
        name: "limits.requests",
        field: SettingField::Count(|draft| &mut draft.limits().requests),
        about: "Maximum number of concurrent requests, including streams",
    },
    SettingKey {
        name: "limits.client_rate",
        field: SettingField::Tally(|draft| &mut draft.limits().client_rate),
        about: "Maximum requests per second from one client address. Tersely answers further requests with \
                status 429 and `Retry-After`. 0: no limit",
    },
    SettingKey {
        name: "limits.tenant_rate",
        field: SettingField::Tally(|draft| &mut draft.limits().tenant_rate),
        about: "Maximum requests per second from one tenant, identified by credential and \
                `store.tenant_header`. Tersely answers further requests with status 429 and `Retry-After`. \
                0: no limit",
    },
    SettingKey {
        name: "limits.connections",
        field: SettingField::Count(|draft| &mut draft.limits().connections),
        about: "Maximum number of concurrent connections, but never more than half of the process's file \
                descriptor limit (`ulimit -n`). Further connections wait until Tersely accepts them",
    },
    SettingKey {
        name: "limits.headers",
        field: SettingField::Count(|draft| &mut draft.limits().headers),
        about: "Maximum number of headers in a request",
    },
    SettingKey {
        name: "limits.head",
        field: SettingField::Bytes(|draft| &mut draft.limits().head),
        about: "Maximum size of the request line and headers, in bytes",
    },
    SettingKey {
        name: "limits.rewrites",
        field: SettingField::Count(|draft| &mut draft.limits().rewrites),
        about: "Maximum number of large bodies that Tersely rewrites concurrently. Further bodies wait",
    },
    SettingKey {
        name: "limits.rewriting",
        field: SettingField::Bytes(|draft| &mut draft.limits().rewriting),
        about: "Maximum total size of the bodies that Tersely rewrites concurrently, in bytes. Further \
                bodies wait. Rewriting a body takes several times its size in memory",
    },
    SettingKey {
        name: "limits.inline",
        field: SettingField::Floor(|draft| &mut draft.limits().inline),
        about: "Largest body, in bytes, that Tersely rewrites immediately, on the thread that serves the \
                request",
    },
    SettingKey {
        name: "limits.memo",
        field: SettingField::Floor(|draft| &mut draft.settings.memo.bytes),
        about: "Memory for caching compressed results of past conversations, in bytes. The cache affects \
                only speed. 0: no cache",
    },
    SettingKey {
        name: "timeouts.connect",
        field: SettingField::Time(|draft| &mut draft.timeouts().connect),
        about: "Maximum time to connect to an upstream, including the proxy and handshakes",
    },
    SettingKey {
        name: "timeouts.idle",
        field: SettingField::Patience(|draft| &mut draft.timeouts().idle),
        about: "Maximum time between two bytes from an upstream",
    },
    SettingKey {
        name: "timeouts.head",
        field: SettingField::Time(|draft| &mut draft.timeouts().head),
        about: "Maximum time to receive a request's headers, and maximum time between two requests on a \
                connection",
    },
    SettingKey {
        name: "timeouts.body",
        field: SettingField::Time(|draft| &mut draft.timeouts().body),
        about: "Maximum time between two bytes of a request body",
    },
    SettingKey {
        name: "timeouts.upload",
        field: SettingField::Patience(|draft| &mut draft.timeouts().upload),
        about: "Maximum time to receive a whole request body. Tersely allows one more second for every 4 \
                KiB received",
    },
    SettingKey {
        name: "timeouts.rewrite",
        field: SettingField::Time(|draft| &mut draft.timeouts().rewrite),
        about: "Maximum time to rewrite a large body, including the time spent waiting. After this time, \
                Tersely forwards the original body",
    },
    SettingKey {
        name: "timeouts.session",
        field: SettingField::Time(|draft| &mut draft.timeouts().session),
        about: "Maximum time between messages in a session with an MCP server that Tersely started as a \
                command. After this time, Tersely stops the server",
    },
    SettingKey {
        name: "timeouts.notice",
        field: SettingField::Pause(|draft| &mut draft.timeouts().notice),
        about: "How long to keep accepting requests after SIGTERM, while `/readyz` returns 503. `0s` (the \
                default on a loopback address): stop accepting immediately",
    },
    SettingKey {
        name: "timeouts.drain",
        field: SettingField::Time(|draft| &mut draft.timeouts().drain),
        about: "Maximum time for running streams to finish after Tersely stops accepting requests",
    },
    SettingKey {
        name: "admin.listen",
        field: SettingField::Listener(|draft| &mut draft.settings.gateway.admin.listen),
        about: "The address for the dashboard (`/_tersely/`), `/stats`, `/metrics`, `/healthz` and \
                `/readyz`. If empty, Tersely opens no admin listener",
    },
    SettingKey {
        name: "admin.token",
        field: SettingField::Key(|draft| &mut draft.settings.gateway.admin.token),
        about: "The bearer token for all admin paths except `/healthz` and `/readyz`. Required if other \
                machines can reach `admin.listen`",
    },
    SettingKey {
        name: "log.level",
        field: SettingField::Choice(|draft| &mut draft.seen.level, LEVELS),
        about: "What `serve` logs to stderr. `info`: every request; `warn`: only requests that failed \
                because of Tersely or an upstream, or that Tersely could not rewrite; `off`: nothing",
    },
    SettingKey {
        name: "log.format",
        field: SettingField::Choice(|draft| &mut draft.seen.format, FORMATS),
        about: "The format of log lines: `text`, `json`, or `auto` (text on a terminal, JSON elsewhere)",
    },
    SettingKey {
        name: "events.file",
        field: SettingField::Word(|draft| &mut draft.seen.events),
        about: "The file for events. Tersely writes one line of JSON for each request and for each new \
                tool result. If empty, Tersely writes no events",
    },
    SettingKey {
        name: "events.bytes",
        field: SettingField::Bytes(|draft| &mut draft.seen.event_bytes),
        about: "The file size, in bytes, at which Tersely starts a new file",
    },
    SettingKey {
        name: "events.files",
        field: SettingField::Count(|draft| &mut draft.seen.event_files),
        about: "Number of event files to keep",
    },
    SettingKey {
        name: "history.record",
        field: SettingField::Choice(|draft| &mut draft.seen.history.record, RECORDS),
        about: "Whether to record requests in a file. `auto`: `run` always records, and `serve` records on \
                a loopback address or if `history.file` is set; `on`: always; `off`: never",
    },
    SettingKey {
        name: "history.file",
        field: SettingField::Word(|draft| &mut draft.seen.history.file),
        about: "The history file. If empty, Tersely uses `tersely/history.db` in `XDG_STATE_HOME` or \
                `~/.local/state`",
    },
    SettingKey {
        name: "history.days",
        field: SettingField::Count(|draft| &mut draft.seen.history.days),
        about: "Number of days to keep individual requests. Tersely keeps daily totals forever",
    },
    SettingKey {
        name: "history.project",
        field: SettingField::Switch(|draft| &mut draft.seen.history.project),
        about: "Whether `run` records the name of the folder where you started it",
    },
    SettingKey {
        name: "otel.endpoint",
        field: SettingField::Url(|draft| &mut draft.otel.endpoint),
        about: "The address of the collector, such as `http://127.0.0.1:4318`. Tersely sends spans to \
                `/v1/traces` and metrics to `/v1/metrics` on this server, as protobuf over HTTP. If this \
                key, `otel.traces` and `otel.metrics` are all unset, Tersely sends nothing",
    },
    SettingKey {
        name: "otel.traces",
        field: SettingField::Url(|draft| &mut draft.otel.traces),
        about: "A separate address for spans, with its full path",
    },
    SettingKey {
        name: "otel.metrics",
        field: SettingField::Url(|draft| &mut draft.otel.metrics),
        about: "A separate address for metrics, with its full path",
    },
    SettingKey {
        name: "otel.headers",
        field: SettingField::Headers(|draft| &mut draft.otel.headers),
        about: "Headers to send to the collector, as `name=value`. Write special characters in percent \
                encoding, such as `%20`",
    },
    SettingKey {
        name: "otel.service",
        field: SettingField::Word(|draft| &mut draft.otel.service),
        about: "The service name in traces and metrics",
    },
    SettingKey {
        name: "otel.attributes",
        field: SettingField::Names(|draft| &mut draft.otel.attributes),
        about: "Additional resource attributes, as `name=value`",
    },
    SettingKey {
        name: "otel.interval",
        field: SettingField::Time(|draft| &mut draft.otel.interval),
        about: "How often to send metrics. Tersely sends spans at least this often",
    },
    SettingKey {
        name: "otel.timeout",
        field: SettingField::Time(|draft| &mut draft.otel.timeout),
        about: "How long to wait for the collector. Spans wait in a queue in the meantime. If the queue is \
                full, Tersely drops further spans and counts them",
    },
    SettingKey {
        name: "prices.file",
        field: SettingField::Word(|draft| &mut draft.seen.prices),
        about: "A price file that takes precedence over the built-in prices. If empty, Tersely uses only \
                the built-in prices",
    },
    SettingKey {
        name: "proxy.url",
        field: SettingField::Proxy(|draft| &mut draft.settings.gateway.proxy.url),
        about: "The proxy for `https://` upstreams, as `http://[user:password@]host:port`",
    },
    SettingKey {
        name: "proxy.except",
        field: SettingField::Text(|draft| &mut draft.settings.gateway.proxy.except),
        about: "Hosts to connect to without the proxy, in the format of `NO_PROXY`",
    },
];
