//! Table: every key of the configuration, with the field that it sets and what it means.

use super::draft::Draft;
use super::field::Field;

/// Something that can be set.
pub(crate) struct Key {
    /// Its name, with its group before a dot.
    pub name: &'static str,
    /// What it sets, and so what it takes.
    pub field: Field,
    /// What it means, in a sentence without a full stop.
    pub about: &'static str,
}

impl Key {
    /// True when it says who is trusted: with requests and the keys in them, to make them, or with what was in them.
    pub(crate) fn trusts(&self) -> bool {
        self.field.trusts() || self.name.starts_with("store.") || NAMED_ONLY.contains(&self.name)
    }
}

/// Keys that only a file that was named may set, though others with fields like theirs are free.
const NAMED_ONLY: &[&str] = &["listen"];

/// Another name for a key, in another unit.
pub(crate) struct Alias {
    pub name: &'static str,
    pub key: &'static str,
    /// How many of the key's units are in one of these.
    pub times: usize,
    pub about: &'static str,
}

/// The groups, in the order of the file; keys without a group stand above them.
pub(crate) const GROUPS: [(&str, &str); 7] = [
    ("", "Where to listen, where to send requests, and what to do with tool results"),
    (
        "upstreams",
        "A server for each provider; overrides `upstream`. Without either, the provider's public address",
    ),
    ("prompts", "Shorter JSON in users' messages"),
    (
        "store",
        "Where to keep texts that a later request only refers to, because the provider keeps the conversation",
    ),
    ("limits", "How much to accept"),
    ("timeouts", "How long to wait; a whole response has no limit"),
    ("proxy", "The proxy for upstreams"),
];

/// Byte limits given in tokens, at four bytes a token.
pub(crate) static ALIASES: [Alias; 2] = [
    Alias { name: "min_tokens", key: "min_bytes", times: 4, about: "`min_bytes`, in tokens of four bytes" },
    Alias { name: "max_tokens", key: "max_bytes", times: 4, about: "`max_bytes`, in tokens of four bytes" },
];

/// The keys, group by group.
pub(crate) static KEYS: [Key; 48] = [
    Key {
        name: "listen",
        field: Field::Address(Draft::listen),
        about: "The address to listen on; anything but loopback is reachable from other machines",
    },
    Key {
        name: "upstream",
        field: Field::Url(|draft| &mut draft.upstream),
        about: "One server for all requests; without it, each provider's public address, chosen by path",
    },
    Key {
        name: "authorities",
        field: Field::Files(Draft::authorities),
        about: "PEM files of certificates to trust in addition to the system's",
    },
    Key {
        name: "origins",
        field: Field::Origins(|draft| &mut draft.settings.gateway.origins),
        about: "Web pages that may call: `loopback`, `any`, or a list of origins such as `https://chat.example`",
    },
    Key {
        name: "hosts",
        field: Field::Hosts(|draft| &mut draft.settings.gateway.hosts),
        about: "More host names to accept on a loopback address, such as `host.docker.internal`",
    },
    Key {
        name: "mode",
        field: Field::Mode(|draft| &mut draft.policy().mode),
        about: "How much to compress tool results",
    },
    Key {
        name: "loss",
        field: Field::Loss(|draft| &mut draft.policy().loss),
        about: "What may be lost: nothing, layout, or detail that the model can fetch back",
    },
    Key {
        name: "min_bytes",
        field: Field::Floor(|draft| &mut draft.policy().min_bytes),
        about: "Results up to this many bytes are left alone",
    },
    Key {
        name: "skip_above",
        field: Field::Floor(|draft| &mut draft.policy().skip_above),
        about: "Results longer than this are left alone; 0: no limit",
    },
    Key {
        name: "max_bytes",
        field: Field::Bytes(|draft| &mut draft.policy().max_bytes),
        about: "The most bytes to send of one result; file text, error lines and what could not be fetched back may exceed it",
    },
    Key {
        name: "redact_secrets",
        field: Field::Redaction(|draft| &mut draft.policy().redact),
        about: "Where to mask secrets. `usual`: in tool results, except what an agent may edit; `true`: everywhere in a request, and requests \
                that cannot be searched are refused; `false`: nowhere",
    },
    Key {
        name: "dictionary",
        field: Field::Dictionary(|draft| &mut draft.policy().dictionary),
        about: "How to find repeated phrases in aggressive mode",
    },
    Key {
        name: "skip_tools",
        field: Field::Names(|draft| &mut draft.settings.engine.skip_tools),
        about: "Tools whose results are left alone: names, or `read`, `edit`, `write`, `bash`, `glob`, `grep`",
    },
    Key {
        name: "schema_compression",
        field: Field::Schema(|draft| &mut draft.settings.engine.schema),
        about: "What to do with tool descriptions",
    },
    Key {
        name: "upstreams.anthropic",
        field: Field::Url(|draft| &mut draft.upstreams[0]),
        about: "The server for Anthropic's Messages",
    },
    Key {
        name: "upstreams.openai",
        field: Field::Url(|draft| &mut draft.upstreams[1]),
        about: "The server for OpenAI's Chat Completions and Responses",
    },
    Key {
        name: "upstreams.gemini",
        field: Field::Url(|draft| &mut draft.upstreams[2]),
        about: "The server for Gemini",
    },
    Key {
        name: "upstreams.ollama",
        field: Field::Url(|draft| &mut draft.upstreams[3]),
        about: "The server for Ollama",
    },
    Key {
        name: "prompts.enabled",
        field: Field::Switch(|draft| &mut draft.prompting),
        about: "Whether to do this",
    },
    Key {
        name: "prompts.min_bytes",
        field: Field::Floor(|draft| &mut draft.prompts.min_bytes),
        about: "Documents up to this many bytes are left alone",
    },
    Key {
        name: "prompts.fail_open",
        field: Field::Switch(|draft| &mut draft.prompts.fail_open),
        about: "`true`: a document that cannot be shortened is sent as it is; `false`: the request is refused",
    },
    Key {
        name: "store.addresses",
        field: Field::Stores(|draft| &mut draft.kept.addresses),
        about: "Valkey or Redis: `redis://`, `valkey://`, `rediss://` with TLS; several make one cluster; none: keep in this process",
    },
    Key {
        name: "store.secret",
        field: Field::Secret(|draft| &mut draft.kept.secret),
        about: "The secret that names and seals texts, the same on every replica; generate one with `openssl rand -hex 32`",
    },
    Key {
        name: "store.tenant_header",
        field: Field::Header(|draft| &mut draft.kept.header),
        about: "A header, set by a proxy in front of Tersely, that identifies the tenant together with the credential (without a credential: alone)",
    },
    Key {
        name: "store.original_ttl",
        field: Field::Time(|draft| &mut draft.kept.original),
        about: "How long to keep a text after it was last asked for",
    },
    Key {
        name: "store.deadline",
        field: Field::Time(|draft| &mut draft.kept.deadline),
        about: "How long Valkey or Redis may take to answer; after that, nothing is left out of the request",
    },
    Key {
        name: "store.bytes",
        field: Field::Bytes(|draft| &mut draft.kept.bytes),
        about: "Memory for texts in this process, in bytes",
    },
    Key {
        name: "store.prefix",
        field: Field::Text(|draft| &mut draft.kept.prefix),
        about: "Prefix of all keys in Valkey or Redis",
    },
    Key {
        name: "limits.body",
        field: Field::Bytes(|draft| &mut draft.limits().body),
        about: "Largest body to read whole, in bytes; bodies that are only passed on have no limit",
    },
    Key {
        name: "limits.memory",
        field: Field::Bytes(|draft| &mut draft.limits().memory),
        about: "Bytes of all bodies held at once, until their responses end; beyond that, bodies are passed on unread",
    },
    Key {
        name: "limits.requests",
        field: Field::Count(|draft| &mut draft.limits().requests),
        about: "Concurrent requests, streams included",
    },
    Key {
        name: "limits.connections",
        field: Field::Count(|draft| &mut draft.limits().connections),
        about: "Concurrent connections; more wait to be accepted",
    },
    Key {
        name: "limits.headers",
        field: Field::Count(|draft| &mut draft.limits().headers),
        about: "Most headers in a request",
    },
    Key {
        name: "limits.head",
        field: Field::Bytes(|draft| &mut draft.limits().head),
        about: "Largest request head, in bytes",
    },
    Key {
        name: "limits.rewrites",
        field: Field::Count(|draft| &mut draft.limits().rewrites),
        about: "Concurrent rewrites of large bodies; more wait",
    },
    Key {
        name: "limits.rewriting",
        field: Field::Bytes(|draft| &mut draft.limits().rewriting),
        about: "Bytes of all bodies being rewritten (a rewrite takes several times its body); more wait",
    },
    Key {
        name: "limits.inline",
        field: Field::Floor(|draft| &mut draft.limits().inline),
        about: "Bodies up to this many bytes are rewritten right away, on the serving thread",
    },
    Key {
        name: "limits.memo",
        field: Field::Floor(|draft| &mut draft.settings.memo.bytes),
        about: "Memory for past conversations, in bytes, for speed only; 0: none",
    },
    Key {
        name: "timeouts.connect",
        field: Field::Time(|draft| &mut draft.timeouts().connect),
        about: "To connect to an upstream, including proxy and handshakes",
    },
    Key {
        name: "timeouts.idle",
        field: Field::Patience(|draft| &mut draft.timeouts().idle),
        about: "Between two bytes from an upstream",
    },
    Key {
        name: "timeouts.head",
        field: Field::Time(|draft| &mut draft.timeouts().head),
        about: "To receive a request's head, and between two requests on a connection",
    },
    Key {
        name: "timeouts.body",
        field: Field::Time(|draft| &mut draft.timeouts().body),
        about: "Between two bytes of a client's body",
    },
    Key {
        name: "timeouts.upload",
        field: Field::Patience(|draft| &mut draft.timeouts().upload),
        about: "To receive a client's whole body, plus a second for each 4 KiB received",
    },
    Key {
        name: "timeouts.rewrite",
        field: Field::Time(|draft| &mut draft.timeouts().rewrite),
        about: "To rewrite a large body, waiting included; after that the original is forwarded",
    },
    Key {
        name: "timeouts.notice",
        field: Field::Pause(|draft| &mut draft.timeouts().notice),
        about: "To keep accepting requests after SIGTERM, while `/readyz` answers 503; `0s`: not at all",
    },
    Key {
        name: "timeouts.drain",
        field: Field::Time(|draft| &mut draft.timeouts().drain),
        about: "For running streams to finish, once no more requests are accepted",
    },
    Key {
        name: "proxy.url",
        field: Field::Proxy(|draft| &mut draft.settings.gateway.proxy.url),
        about: "The proxy for `https://` upstreams: `http://[user:password@]host:port`",
    },
    Key {
        name: "proxy.except",
        field: Field::Text(|draft| &mut draft.settings.gateway.proxy.except),
        about: "Hosts to reach without the proxy, as in `NO_PROXY`",
    },
];
