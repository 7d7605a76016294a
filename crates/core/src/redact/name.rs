//! Recognises names of secrets: `DB_PASSWORD`, `apiKey`, `client_secret`.

/// The kind of value that a name implies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A password, which a person may have chosen.
    Password,
    /// A generated secret in any format.
    Key,
    /// A generated value that may also be an identifier, such as a UUID.
    Token,
    /// An `Authorization` header: a scheme, then the secret.
    Header,
    /// The signature of a URL.
    Signature,
}

/// The maximum length of a name, in bytes.
pub(super) const MAX_NAME_BYTES: usize = 80;

/// The class of a name in any naming style; `None` if it is not the name of a secret.
pub(super) fn class(name: &str) -> Option<Class> {
    let words = words(name);
    let mut words: &[String] = &words;
    while let [head @ .., last] = words
        && last.bytes().all(|byte| byte.is_ascii_digit())
    {
        words = head;
    }
    let (last, head) = words.split_last()?;
    let before = head.last().map_or("", String::as_str);
    match last.as_str() {
        "authorization" => Some(Class::Header),
        "pass" if before.is_empty() => None,
        "pass" if matches!(before, "by" | "first" | "second" | "render" | "single" | "this") => None,
        "credential" if matches!(before, "amz" | "goog") => None,
        last if PASSWORDS.contains(&last) => Some(Class::Password),
        last if KEYS.contains(&last) => Some(Class::Key),
        "key" if KEY_KINDS.contains(&before) => Some(Class::Key),
        "signature" if before == "access" => Some(Class::Key),
        "signature" if matches!(before, "amz" | "goog") => Some(Class::Signature),
        "sig" | "signature" if head.is_empty() => Some(Class::Signature),
        "data" if before == "key" && head.iter().any(|word| word == "client") => Some(Class::Key),
        "base" if before == "key" => Some(Class::Key),
        "token" if before == "key" && head.iter().any(|word| word == "public") => None,
        "token" if TOKEN_KINDS.contains(&before) => Some(Class::Key),
        "token" if HARMLESS.contains(&before) => None,
        "token" | "pat" => Some(Class::Token),
        "auth" if head.is_empty() => Some(Class::Token),
        _ => None,
    }
}

const PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "pass",
    "userpassword",
    "dbpassword",
    "pgpassword",
];

const KEYS: &[&str] = &[
    "secret",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "clientsecret",
    "apisecret",
    "apitoken",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "credential",
];

/// Words that, together with `key`, name a secret.
const KEY_KINDS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "signing",
    "encryption",
    "master",
    "account",
    "shared",
    "service",
    "admin",
    "deploy",
    "app",
    "application",
    "consumer",
    "hmac",
    "jwt",
    "session",
    "subscription",
    "integration",
    "storage",
    "rest",
    "functions",
    "license",
    "webhook",
    "bot",
    "openai",
    "anthropic",
    "stripe",
    "aws",
    "azure",
    "google",
    "gcp",
    "github",
    "gitlab",
    "slack",
    "twilio",
    "sendgrid",
    "mailgun",
    "mailchimp",
    "algolia",
    "datadog",
    "cohere",
    "mistral",
    "gemini",
    "groq",
    "deepgram",
    "heroku",
    "maps",
    "cloudflare",
    "pinecone",
    "fastly",
    "airtable",
    "okta",
    "asana",
    "cosmos",
    "primary",
    "secondary",
    "preshared",
    "deepseek",
    "openrouter",
    "huggingface",
    "posthog",
    "sentry",
    "shopify",
    "pagerduty",
    "newrelic",
    "notion",
    "linear",
    "figma",
    "supabase",
];

/// Words that, together with `token`, name a secret.
const TOKEN_KINDS: &[&str] = &[
    "access", "auth", "api", "bearer", "refresh", "personal", "bot", "deploy", "secret", "vault", "service",
    "admin", "oauth", "snyk", "github", "gitlab", "slack", "heroku", "railway", "vercel", "netlify",
];

/// Words that, together with `token`, name something harmless: a cursor, a count or a term of grammar.
const HARMLESS: &[&str] = &[
    "next",
    "page",
    "continuation",
    "sync",
    "client",
    "request",
    "cancel",
    "cancellation",
    "max",
    "min",
    "last",
    "first",
    "start",
    "end",
    "pagination",
    "cursor",
    "change",
    "resume",
    "stop",
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "cls",
    "sep",
    "special",
    "idempotency",
    "design",
    "public",
    "lock",
    "version",
    "fencing",
    "lease",
    "ack",
    "previous",
    "prev",
    "cache",
    "device",
    "csrf",
    "xsrf",
    "per",
    "marker",
    "starting",
    "forward",
    "backward",
    "creation",
    "update",
    "unit",
    "product",
];

/// The words of a name in lower case. The name is split at signs, capitals and digits.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for (at, char) in name.char_indices() {
        let next = name[at + char.len_utf8()..].chars().next().unwrap_or(' ');
        let hump = char.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && next.is_ascii_lowercase());
        let digit = char.is_ascii_digit() && !before.is_ascii_digit();
        if hump || digit || !char.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| char.is_ascii_alphanumeric()) {
            word.push(char.to_ascii_lowercase());
        }
        before = char;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_in_every_style() {
        for (name, expected) in [
            ("password", Some(Class::Password)),
            ("DB_PASSWORD", Some(Class::Password)),
            ("smtp.pass", Some(Class::Password)),
            ("password2", Some(Class::Password)),
            ("apiKey", Some(Class::Key)),
            ("X-Api-Key", Some(Class::Key)),
            ("APIKey", Some(Class::Key)),
            ("aws_secret_access_key", Some(Class::Key)),
            ("SecretAccessKey", Some(Class::Key)),
            ("OPENAI_API_KEY_1", Some(Class::Key)),
            ("token", Some(Class::Token)),
            ("accessToken", Some(Class::Key)),
            ("_authToken", Some(Class::Key)),
            ("Authorization", Some(Class::Header)),
            ("NextToken", None),
            ("max_tokens", None),
            ("tokenizer", None),
            ("secretName", None),
            ("private_key_id", None),
            ("primaryKey", Some(Class::Key)),
            ("public_key", None),
            ("PublicKeyToken", None),
            ("client-key-data", Some(Class::Key)),
            ("SECRET_KEY_BASE", Some(Class::Key)),
            ("sig", Some(Class::Signature)),
            ("X-Amz-Signature", Some(Class::Signature)),
            ("X-Goog-Credential", None),
            ("method_signature", None),
            ("compass", None),
            ("key", None),
            ("", None),
        ] {
            assert_eq!(class(name), expected, "{name}");
        }
    }
}
