//! Parses and displays each kind of setting.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use http::uri::Authority;
use http::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use tersely_account::HoldoutShare;
use tersely_core::prompt::PromptForm;
use tersely_engine::{ClearMode, ExpandOffer, PlanPlace, SchemaMode};
use tersely_gateway::{Origins, Upstream};
use tersely_store::StoreSecret;

use super::draft::Draft;
use super::words::{Words, bytes, count, number, positive, split, switch};
use super::{otel, place, store};

type Place<T> = fn(&mut Draft) -> &mut T;

/// The field of a draft that a setting sets. The variant determines how the value is parsed.
#[derive(Clone, Copy)]
pub(crate) enum SettingField {
    Address(Place<SocketAddr>),
    /// An address; empty for none.
    Listener(Place<Option<SocketAddr>>),
    Url(Place<String>),
    Proxy(Place<String>),
    Text(Place<String>),
    Secret(Place<String>),
    /// A secret for another service.
    Key(Place<String>),
    /// A text that is not split at commas.
    Word(Place<String>),
    /// One of these words.
    Choice(Place<&'static str>, &'static [&'static str]),
    Header(Place<String>),
    /// A field of the plan.
    Plan(PlanPlace),
    Expand(Place<ExpandOffer>),
    Clear(Place<ClearMode>),
    Schema(Place<SchemaMode>),
    Prompt(Place<PromptForm>),
    Share(Place<HoldoutShare>),
    /// At least one byte.
    Bytes(Place<usize>),
    /// Bytes, including zero.
    Floor(Place<usize>),
    /// At least one.
    Count(Place<usize>),
    /// A number, including zero.
    Tally(Place<usize>),
    Time(Place<Duration>),
    /// A time, including zero.
    Pause(Place<Duration>),
    /// A time, or no limit.
    Patience(Place<Option<Duration>>),
    Switch(Place<bool>),
    Names(Place<Vec<String>>),
    Files(Place<Vec<PathBuf>>),
    Origins(Place<Origins>),
    Hosts(Place<Vec<String>>),
    Stores(Place<Vec<String>>),
    /// Headers, whose values may be secrets.
    Headers(Place<Vec<String>>),
}

impl SettingField {
    /// Parses a value into the draft, or returns what is wrong with it.
    pub(crate) fn write(self, draft: &mut Draft, words: &Words) -> Result<(), String> {
        match self {
            Self::Address(place) => *place(draft) = address(words.one()?)?,
            Self::Listener(place) => *place(draft) = listener(words.one()?)?,
            Self::Url(place) => *place(draft) = url(words.one()?)?,
            Self::Proxy(place) => *place(draft) = proxy(words.one()?)?,
            Self::Text(place) => *place(draft) = words.list().join(","),
            Self::Secret(place) => *place(draft) = secret(words.one()?)?,
            Self::Key(place) => *place(draft) = key(words.one()?)?,
            Self::Word(place) => words.one()?.clone_into(place(draft)),
            Self::Choice(place, all) => *place(draft) = choice(all, words.one()?)?,
            Self::Header(place) => *place(draft) = header(words.one()?)?,
            Self::Plan(place) => place::write(place, draft.plan(), words)?,
            Self::Expand(place) => *place(draft) = words.one()?.parse()?,
            Self::Clear(place) => *place(draft) = words.one()?.parse()?,
            Self::Schema(place) => *place(draft) = schema(words.one()?)?,
            Self::Prompt(place) => *place(draft) = prompt(words.one()?)?,
            Self::Share(place) => *place(draft) = words.one()?.parse()?,
            Self::Bytes(place) => *place(draft) = positive(bytes(words.one()?)?)?,
            Self::Floor(place) => *place(draft) = bytes(words.one()?)?,
            Self::Count(place) => *place(draft) = positive(count(words.one()?)?)?,
            Self::Tally(place) => *place(draft) = count(words.one()?)?,
            Self::Time(place) => *place(draft) = time(words.one()?)?,
            Self::Pause(place) => *place(draft) = pause(words.one()?)?,
            Self::Patience(place) => *place(draft) = patience(words.one()?)?,
            Self::Switch(place) => *place(draft) = switch(words.one()?)?,
            Self::Names(place) => *place(draft) = words.list(),
            Self::Files(place) => *place(draft) = words.list().into_iter().map(PathBuf::from).collect(),
            Self::Origins(place) => *place(draft) = origins(words)?,
            Self::Hosts(place) => {
                *place(draft) = words.list().into_iter().map(host).collect::<Result<_, _>>()?;
            }
            Self::Stores(place) => *place(draft) = store::addresses(words.list())?,
            Self::Headers(place) => *place(draft) = otel::headers(words.list())?,
        }
        Ok(())
    }

    /// The value in the draft, with secrets masked.
    pub(crate) fn show(self, draft: &mut Draft) -> Value {
        match self {
            Self::Address(place) => json!(place(draft).to_string()),
            Self::Listener(place) => json!(place(draft).map_or_else(String::new, |it| it.to_string())),
            Self::Url(place) | Self::Text(place) | Self::Header(place) | Self::Word(place) => {
                json!(place(draft))
            }
            Self::Choice(place, _) => json!(place(draft)),
            Self::Proxy(place) => json!(mask_credentials(place(draft))),
            Self::Secret(place) | Self::Key(place) => json!(if place(draft).is_empty() { "" } else { "***" }),
            Self::Plan(place) => place::show(place, draft.plan()),
            Self::Expand(place) => json!(place(draft).name()),
            Self::Clear(place) => json!(place(draft).name()),
            Self::Prompt(place) => json!(if *place(draft) == PromptForm::Toon { "toon" } else { "auto" }),
            Self::Share(place) => json!(place(draft).to_string()),
            Self::Schema(place) => {
                json!(if *place(draft) == SchemaMode::Minify { "minify" } else { "disabled" })
            }
            Self::Bytes(place) | Self::Floor(place) | Self::Count(place) | Self::Tally(place) => {
                json!(place(draft))
            }
            Self::Time(place) | Self::Pause(place) => json!(spell(*place(draft))),
            Self::Patience(place) => json!(place(draft).map_or_else(|| "never".to_owned(), spell)),
            Self::Switch(place) => json!(place(draft)),
            Self::Names(place) | Self::Hosts(place) => json!(place(draft)),
            Self::Files(place) => json!(place(draft)),
            Self::Stores(place) => {
                json!(place(draft).iter().map(|url| mask_credentials(url)).collect::<Vec<_>>())
            }
            Self::Headers(place) => {
                json!(place(draft).iter().map(|it| otel::mask_value(it)).collect::<Vec<_>>())
            }
            Self::Origins(place) => match place(draft) {
                Origins::Loopback => json!("loopback"),
                Origins::Any => json!("any"),
                Origins::Listed(list) => json!(list),
            },
        }
    }

    /// True when the value is free text from the user, such as a name, a path or a secret.
    pub(crate) fn is_free(self) -> bool {
        matches!(
            self,
            Self::Address(_)
                | Self::Listener(_)
                | Self::Url(_)
                | Self::Proxy(_)
                | Self::Text(_)
                | Self::Secret(_)
                | Self::Key(_)
                | Self::Word(_)
                | Self::Header(_)
                | Self::Names(_)
                | Self::Files(_)
                | Self::Origins(_)
                | Self::Hosts(_)
                | Self::Stores(_)
                | Self::Headers(_)
        )
    }
}

/// Parses a time with its unit; zero is an error.
pub(crate) fn time(word: &str) -> Result<Duration, String> {
    let time = pause(word)?;
    if time.is_zero() { Err("must be more than 0".to_owned()) } else { Ok(time) }
}

/// Parses a time with its unit; zero is allowed.
fn pause(word: &str) -> Result<Duration, String> {
    let fault = || format!("{word:?} is not a duration; write 500ms, 30s, 5m or 1h");
    let (digits, unit) = split(word);
    let unit = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return Err(fault()),
    };
    let number = number(digits).and_then(|number| u64::try_from(number).ok()).ok_or_else(fault)?;
    number.checked_mul(unit).map(Duration::from_millis).ok_or_else(fault)
}

fn patience(word: &str) -> Result<Option<Duration>, String> {
    if ["never", "none", "0"].contains(&word) { Ok(None) } else { time(word).map(Some) }
}

/// The time in the largest unit that divides it evenly.
fn spell(time: Duration) -> String {
    match time.as_millis() {
        0 => "0s".to_owned(),
        ms if ms % 1_000 > 0 => format!("{ms}ms"),
        ms if ms % 60_000 > 0 => format!("{}s", ms / 1_000),
        ms if ms % 3_600_000 > 0 => format!("{}m", ms / 60_000),
        ms => format!("{}h", ms / 3_600_000),
    }
}

fn address(word: &str) -> Result<SocketAddr, String> {
    let word = word.replacen("localhost:", "127.0.0.1:", 1);
    let bare = SocketAddr::from_str(&format!("127.0.0.1{}", if word.starts_with(':') { &word } else { "" }));
    let port = word.parse::<u16>().map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    let found = word.parse().or(bare).ok().or(port.ok());
    found.ok_or_else(|| format!("{word:?} is not an address; write IP:PORT, such as 127.0.0.1:8787"))
}

/// Parses an address; an empty text means none.
fn listener(word: &str) -> Result<Option<SocketAddr>, String> {
    if word.is_empty() { Ok(None) } else { address(word).map(Some) }
}

fn url(word: &str) -> Result<String, String> {
    if word.is_empty() {
        return Err("is empty; write http://HOST or https://HOST, or remove the key".to_owned());
    }
    word.parse::<Upstream>().map(|_| word.to_owned()).map_err(|error| error.to_string())
}

/// Parses the URL of a proxy. It may contain a password, so no message repeats it.
fn proxy(word: &str) -> Result<String, String> {
    let scheme = word.split_once("://").map_or("http", |(scheme, _)| scheme);
    let host = word.rsplit_once("://").map_or(word, |(_, rest)| rest);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    match scheme {
        _ if host.is_empty() || host.contains(char::is_whitespace) => Err("has no host".to_owned()),
        "http" => Ok(word.to_owned()),
        _ => Err("only http:// proxies are supported; write http://HOST:PORT".to_owned()),
    }
}

/// A URL without its user name and password.
fn mask_credentials(url: &str) -> String {
    let Some((before, host)) = url.rsplit_once('@') else { return url.to_owned() };
    let scheme = before.split_once("://").map_or(String::new(), |(scheme, _)| format!("{scheme}://"));
    format!("{scheme}***@{host}")
}

fn secret(word: &str) -> Result<String, String> {
    StoreSecret::new(word.as_bytes()).map(|_| word.to_owned()).map_err(|error| error.to_string())
}

fn header(word: &str) -> Result<String, String> {
    let fault = |_| format!("{word:?} is not a header name; write one such as x-tenant");
    word.parse::<HeaderName>().map(|name| name.to_string()).map_err(fault)
}

/// Parses a key. It may be a secret, so no message repeats it.
fn key(word: &str) -> Result<String, String> {
    let fits = !word.is_empty() && HeaderValue::try_from(word).is_ok();
    fits.then(|| word.to_owned())
        .ok_or_else(|| "is empty, or contains characters that are not allowed in a header".to_owned())
}

fn choice(all: &[&'static str], word: &str) -> Result<&'static str, String> {
    let known = all.iter().find(|known| known.eq_ignore_ascii_case(word) && !known.is_empty());
    let names: Vec<_> = all.iter().filter(|known| !known.is_empty()).copied().collect();
    known.copied().ok_or_else(|| format!("{word:?} is not one of {}", names.join(", ")))
}

fn host(word: String) -> Result<String, String> {
    let is_bare = word.parse::<Authority>().is_ok_and(|it| it.host() == word);
    if is_bare {
        Ok(word)
    } else {
        Err(format!("{word:?} is not a bare host name; remove the scheme and port"))
    }
}

fn prompt(word: &str) -> Result<PromptForm, String> {
    match word.to_ascii_lowercase().as_str() {
        "auto" => Ok(PromptForm::Auto),
        "toon" => Ok(PromptForm::Toon),
        _ => Err(format!("unknown form {word:?}; use auto or toon")),
    }
}

fn schema(word: &str) -> Result<SchemaMode, String> {
    match word.to_ascii_lowercase().as_str() {
        "disabled" | "off" | "false" | "none" => Ok(SchemaMode::Disabled),
        "minify" => Ok(SchemaMode::Minify),
        _ => Err(format!("unknown schema compression {word:?}; use disabled or minify")),
    }
}

fn origins(words: &Words) -> Result<Origins, String> {
    let list = words.list();
    match list.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => Err("is empty; write loopback, any, or a list of origins".to_owned()),
        ["loopback"] => Ok(Origins::Loopback),
        ["any" | "*"] => Ok(Origins::Any),
        all => match all.iter().find(|one| !one.contains("://") || one.ends_with('/')) {
            Some(one) => {
                Err(format!("{one:?} is not an origin; write it as browsers do, https://chat.example"))
            }
            None => Ok(Origins::Listed(list)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, word: &str, expected: Result<Value, &str>) {
        let field = super::super::key_table::KEYS.iter().find(|it| it.name == key).unwrap().field;
        let mut draft = Draft::default();
        let read = field.write(&mut draft, &word.into()).map(|()| field.show(&mut draft));
        match expected {
            Ok(expected) => assert_eq!(read, Ok(expected), "{key} = {word}"),
            Err(part) => {
                assert!(read.clone().is_err_and(|what| what.contains(part)), "{key} = {word}: {read:?}");
            }
        }
    }

    #[test]
    fn units_are_read_and_the_largest_whole_one_shown() {
        for (word, bytes) in [("1", 1), ("1_000", 1000), ("2 KB", 2000), ("2kib", 2048), ("3MiB", 3 << 20)] {
            check("limits.body", word, Ok(json!(bytes)));
        }
        for word in ["", "x", "-1", "+1", "1.5", "1k", "KiB", "99999999999999999999"] {
            check("limits.body", word, Err("is not a size"));
        }
        for (word, time) in
            [("1500ms", "1500ms"), ("2000ms", "2s"), ("60s", "1m"), ("120min", "2h"), ("61s", "61s")]
        {
            check("timeouts.connect", word, Ok(json!(time)));
        }
        for word in ["", "10", "s", "-1s", "1.5s", "1d", "99999999999999999999h", "18446744073709551615h"] {
            check("timeouts.connect", word, Err("is not a duration"));
        }
        check("timeouts.connect", "0s", Err("more than 0"));
        check("timeouts.notice", "0s", Ok(json!("0s")));
        check("timeouts.notice", "0", Err("is not a duration"));
        check("timeouts.idle", "never", Ok(json!("never")));
        check("timeouts.idle", "1h", Ok(json!("1h")));
        check("min_bytes", "0", Ok(json!(0)));
        check("limits.requests", "0", Err("more than 0"));
    }

    #[test]
    fn addresses_may_leave_the_host_away() {
        for (word, address) in [
            ("8080", "127.0.0.1:8080"),
            (":8080", "127.0.0.1:8080"),
            ("localhost:1", "127.0.0.1:1"),
            ("0.0.0.0:0", "0.0.0.0:0"),
            ("[::1]:9", "[::1]:9"),
        ] {
            check("listen", word, Ok(json!(address)));
        }
        for word in ["", "127.0.0.1", "a:b", "70000", "example.com:80"] {
            check("listen", word, Err("is not an address"));
        }
    }

    #[test]
    fn origins_are_words_or_lists() {
        check("origins", "any", Ok(json!("any")));
        check("origins", "*", Ok(json!("any")));
        check("origins", "http://a, https://b:1", Ok(json!(["http://a", "https://b:1"])));
        check("origins", "https://a/", Err("is not an origin"));
        check("origins", "", Err("is empty"));
    }

    #[test]
    fn hosts_are_bare_names() {
        check("hosts", "host.docker.internal, box", Ok(json!(["host.docker.internal", "box"])));
        check("hosts", "", Ok(json!([])));
        for word in ["http://a", "a:80", "a/b", "me@a", "a b"] {
            check("hosts", word, Err("is not a bare host name"));
        }
    }

    #[test]
    fn a_proxy_is_shown_without_its_password() {
        check("proxy.url", "http://a:b@c:1", Ok(json!("http://***@c:1")));
        check("proxy.url", "a:b@c:1", Ok(json!("***@c:1")));
        check("proxy.url", "proxy:3128", Ok(json!("proxy:3128")));
        check("proxy.url", "socks5://a", Err("only http:// proxies"));
        check("proxy.url", "http://", Err("has no host"));
    }

    #[test]
    fn a_store_is_shown_without_its_passwords() {
        check("store.addresses", "redis://a:6379", Ok(json!(["redis://a:6379"])));
        check("store.addresses", "valkey://a, valkey://b", Ok(json!(["valkey://a", "valkey://b"])));
        check("store.addresses", "rediss://me:hush@a:1/2", Ok(json!(["rediss://***@a:1/2"])));
        check("store.addresses", "", Ok(json!([])));
        for word in ["a:6379", "http://a", "redis://a,nonsense", "redis://me:hush@:x"] {
            check("store.addresses", word, Err("write redis://host:6379"));
        }
        check("store.secret", "0123456789abcdef", Ok(json!("***")));
        check("store.secret", "hush", Err("openssl rand -hex 32"));
    }

    #[test]
    fn a_tenant_is_named_by_a_header() {
        check("store.tenant_header", "X-Tenant", Ok(json!("x-tenant")));
        for word in ["", "x tenant", "x:y", "é"] {
            check("store.tenant_header", word, Err("is not a header name"));
        }
    }
}
