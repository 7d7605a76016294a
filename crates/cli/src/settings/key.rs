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
    ("", "Where to listen, where to send, and what is done with tool results"),
    (
        "upstreams",
        "A server for each provider's requests, before `upstream`; without either, the provider's public address",
    ),
    ("prompts", "JSON in the text of users, written shorter"),
    (
        "store",
        "Where texts are kept that a later request may only name, because the provider keeps the conversation",
    ),
    ("limits", "How much is taken on"),
    ("timeouts", "How long is waited; a whole answer has no limit"),
    ("proxy", "The proxy between here and the upstreams"),
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
        about: "The address to listen on; other machines can reach anything but loopback",
    },
    Key {
        name: "upstream",
        field: Field::Url(|draft| &mut draft.upstream),
        about: "One server for all requests; without it, the providers' public addresses, by path",
    },
    Key {
        name: "authorities",
        field: Field::Files(Draft::authorities),
        about: "PEM files with certificates to trust beside the system's",
    },
    Key {
        name: "origins",
        field: Field::Origins(|draft| &mut draft.settings.gateway.origins),
        about: "Web pages that may call: `loopback`, `any`, or a list of origins such as `https://chat.example`",
    },
    Key {
        name: "hosts",
        field: Field::Hosts(|draft| &mut draft.settings.gateway.hosts),
        about: "Names that requests may be sent to on a loopback address beside `localhost`, such as `host.docker.internal`",
    },
    Key {
        name: "mode",
        field: Field::Mode(|draft| &mut draft.policy().mode),
        about: "How far to go with tool results",
    },
    Key {
        name: "loss",
        field: Field::Loss(|draft| &mut draft.policy().loss),
        about: "The most that may be lost: nothing, layout, or detail, where the model can fetch it back",
    },
    Key {
        name: "min_bytes",
        field: Field::Floor(|draft| &mut draft.policy().min_bytes),
        about: "Results of at most so many bytes are left as they came",
    },
    Key {
        name: "skip_above",
        field: Field::Floor(|draft| &mut draft.policy().skip_above),
        about: "Results longer than this are left as they came; 0: none are",
    },
    Key {
        name: "max_bytes",
        field: Field::Bytes(|draft| &mut draft.policy().max_bytes),
        about: "The most bytes that are sent of one result; file text, error lines and what could not be fetched back may exceed it",
    },
    Key {
        name: "redact_secrets",
        field: Field::Redaction(|draft| &mut draft.policy().redact),
        about: "Where secrets are masked: `usual` in tool results, but not in what an agent may edit; `true` in all that a request says, \
                and what cannot be searched is refused; `false` nowhere",
    },
    Key {
        name: "dictionary",
        field: Field::Dictionary(|draft| &mut draft.policy().dictionary),
        about: "How repeated phrases are found, in aggressive mode",
    },
    Key {
        name: "skip_tools",
        field: Field::Names(|draft| &mut draft.settings.engine.skip_tools),
        about: "Tools whose results are left as they came: names, or `read`, `edit`, `write`, `bash`, `glob`, `grep`",
    },
    Key {
        name: "schema_compression",
        field: Field::Schema(|draft| &mut draft.settings.engine.schema),
        about: "What is done with the descriptions of tools",
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
        about: "Whether it is done at all",
    },
    Key {
        name: "prompts.min_bytes",
        field: Field::Floor(|draft| &mut draft.prompts.min_bytes),
        about: "Texts of at most so many bytes are left as they came",
    },
    Key {
        name: "prompts.fail_open",
        field: Field::Switch(|draft| &mut draft.prompts.fail_open),
        about: "Whether a text that cannot be written shorter goes on as it came, or the request is refused",
    },
    Key {
        name: "store.addresses",
        field: Field::Stores(|draft| &mut draft.kept.addresses),
        about: "Valkey or Redis: `redis://`, `valkey://`, `rediss://` with TLS; several are one cluster; none: this process",
    },
    Key {
        name: "store.secret",
        field: Field::Secret(|draft| &mut draft.kept.secret),
        about: "What texts are named and sealed with, the same on every replica; `openssl rand -hex 32` prints one",
    },
    Key {
        name: "store.tenant_header",
        field: Field::Header(|draft| &mut draft.kept.header),
        about: "The header that says, beside the credential, whose a request is, where something before here sets one",
    },
    Key {
        name: "store.original_ttl",
        field: Field::Time(|draft| &mut draft.kept.original),
        about: "How long a text is kept since it was last asked for",
    },
    Key {
        name: "store.deadline",
        field: Field::Time(|draft| &mut draft.kept.deadline),
        about: "For an answer of Valkey or Redis; then a request goes on with nothing left out",
    },
    Key {
        name: "store.bytes",
        field: Field::Bytes(|draft| &mut draft.kept.bytes),
        about: "Bytes that texts may take in this process",
    },
    Key {
        name: "store.prefix",
        field: Field::Text(|draft| &mut draft.kept.prefix),
        about: "What all names in Valkey or Redis start with",
    },
    Key {
        name: "limits.body",
        field: Field::Bytes(|draft| &mut draft.limits().body),
        about: "Bytes of a body that is read whole; bodies that are only passed on have no limit",
    },
    Key {
        name: "limits.memory",
        field: Field::Bytes(|draft| &mut draft.limits().memory),
        about: "Bytes of all bodies held at one time, until their responses are over; what comes beyond is passed on unread",
    },
    Key {
        name: "limits.requests",
        field: Field::Count(|draft| &mut draft.limits().requests),
        about: "Requests at one time, streams included",
    },
    Key {
        name: "limits.connections",
        field: Field::Count(|draft| &mut draft.limits().connections),
        about: "Connections at one time; more wait to be accepted",
    },
    Key {
        name: "limits.headers",
        field: Field::Count(|draft| &mut draft.limits().headers),
        about: "Headers of a request",
    },
    Key {
        name: "limits.head",
        field: Field::Bytes(|draft| &mut draft.limits().head),
        about: "Bytes of a request's head",
    },
    Key {
        name: "limits.rewrites",
        field: Field::Count(|draft| &mut draft.limits().rewrites),
        about: "Rewrites at one time, off the threads that serve; more wait",
    },
    Key {
        name: "limits.rewriting",
        field: Field::Bytes(|draft| &mut draft.limits().rewriting),
        about: "Bytes of the bodies in those rewrites, each of which takes a multiple of its body; more wait",
    },
    Key {
        name: "limits.inline",
        field: Field::Floor(|draft| &mut draft.limits().inline),
        about: "Bytes up to which a body is rewritten at once, on the thread that serves",
    },
    Key {
        name: "limits.memo",
        field: Field::Floor(|draft| &mut draft.settings.memo.bytes),
        about: "Bytes of conversations that are remembered, for speed alone; 0: none",
    },
    Key {
        name: "timeouts.connect",
        field: Field::Time(|draft| &mut draft.timeouts().connect),
        about: "For a connection to an upstream, proxy and handshakes included",
    },
    Key {
        name: "timeouts.idle",
        field: Field::Patience(|draft| &mut draft.timeouts().idle),
        about: "For the next byte of an upstream",
    },
    Key {
        name: "timeouts.head",
        field: Field::Time(|draft| &mut draft.timeouts().head),
        about: "For the head of a client's request, and between two requests of one connection",
    },
    Key {
        name: "timeouts.body",
        field: Field::Time(|draft| &mut draft.timeouts().body),
        about: "For the next byte of a client's body",
    },
    Key {
        name: "timeouts.upload",
        field: Field::Patience(|draft| &mut draft.timeouts().upload),
        about: "For a client's whole body; each 4 KiB that have come add a second",
    },
    Key {
        name: "timeouts.rewrite",
        field: Field::Time(|draft| &mut draft.timeouts().rewrite),
        about: "For a rewrite off the threads that serve, and for room to do it in; then the original goes on",
    },
    Key {
        name: "timeouts.notice",
        field: Field::Pause(|draft| &mut draft.timeouts().notice),
        about: "For requests that still come after SIGTERM, while `/readyz` already says that it ends; `0s`: none",
    },
    Key {
        name: "timeouts.drain",
        field: Field::Time(|draft| &mut draft.timeouts().drain),
        about: "For running streams, once no more requests are taken",
    },
    Key {
        name: "proxy.url",
        field: Field::Proxy(|draft| &mut draft.settings.gateway.proxy.url),
        about: "The proxy that upstreams with TLS are reached through: `http://[user:password@]host:port`",
    },
    Key {
        name: "proxy.except",
        field: Field::Text(|draft| &mut draft.settings.gateway.proxy.except),
        about: "Hosts that are reached without it, as in `NO_PROXY`",
    },
];
