//! What a value looks like: a placeholder, words, words with a twist, or something a machine made.

/// How much a value looks like a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grade {
    /// It stands for a value: `${TOKEN}`, `<password>`, `***`, `changeme`.
    Placeholder,
    /// Words, paths, versions, code.
    Words,
    /// Words with digits or signs, as people choose passwords.
    Twisted,
    /// No words.
    Random,
}

/// The grade of a value.
pub(super) fn grade(value: &str) -> Grade {
    if value.len() < 4 || stands_in(value) || pieces(value).any(|piece| is_any(piece, SPEAKING)) {
        return Grade::Placeholder;
    }
    let odd: usize = pieces(value).filter(|piece| !is_wordy(piece)).map(str::len).sum();
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    if odd >= 8 && letters && !is_path(value) {
        return Grade::Random;
    }
    if is_common(value) {
        return Grade::Placeholder;
    }
    let twisted = letters && value.len() >= 6 && has_twist(value);
    if twisted && !is_path(value) { Grade::Twisted } else { Grade::Words }
}

/// True when a password in an address is one: anything that does not stand in for one.
pub(super) fn opens(password: &str) -> bool {
    let number = password.len() < 6 && password.bytes().all(|byte| byte.is_ascii_digit());
    !number && password.len() > 2 && grade(password) > Grade::Placeholder
}

/// True when a machine may have made it: letters of two sizes, or letters and digits, and no word that says otherwise.
pub(super) fn is_made(tail: &str) -> bool {
    let has = |test: fn(&u8) -> bool| usize::from(tail.as_bytes().iter().any(test));
    let sorts = has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase) + has(u8::is_ascii_digit);
    sorts > 1 && !stands_in(tail) && !pieces(tail).any(|piece| is_any(piece, SPEAKING))
}

/// True for `8-4-4-4-12` digits of hex.
pub(super) fn is_uuid(value: &str) -> bool {
    let mut sizes =
        value.split('-').map(|part| (part.len(), part.bytes().all(|byte| byte.is_ascii_hexdigit())));
    [8, 4, 4, 4, 12].into_iter().all(|size| sizes.next() == Some((size, true))) && sizes.next().is_none()
}

/// Words that say that they are no secret, wherever they stand in a value.
const SPEAKING: &[&str] = &[
    "your",
    "example",
    "dummy",
    "fake",
    "mock",
    "placeholder",
    "changeme",
    "redacted",
    "sample",
    "todo",
    "insert",
    "replace",
    "undefined",
    "masked",
    "hidden",
];

/// Words that are no secret on their own, with or without digits.
const COMMON: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "pw",
    "pwd",
    "secret",
    "token",
    "key",
    "apikey",
    "test",
    "testing",
    "admin",
    "root",
    "user",
    "username",
    "guest",
    "demo",
    "foo",
    "bar",
    "baz",
    "abc",
    "default",
    "postgres",
    "postgresql",
    "mysql",
    "redis",
    "mongo",
    "mongodb",
    "rabbitmq",
    "minio",
    "minioadmin",
    "string",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "sha",
    "md",
    "bcrypt",
    "argon",
    "scram",
    "base",
    "utf",
    "oauth",
    "aes",
    "pbkdf",
    "v",
    "x",
    "xxx",
    "change",
];

/// True when common words are all there is, or when no sign sets them apart from a name: `my-test-token1`.
fn is_common(value: &str) -> bool {
    let stem = |piece: &str| is_any(piece.trim_end_matches(|char: char| char.is_ascii_digit()), COMMON);
    let signed = value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '?', '~']);
    if signed { pieces(value).all(stem) } else { pieces(value).any(stem) }
}

fn pieces(value: &str) -> impl Iterator<Item = &str> {
    value.split(|char: char| !char.is_ascii_alphanumeric()).filter(|piece| !piece.is_empty())
}

fn is_any(piece: &str, words: &[&str]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(piece))
}

/// True for what templates, shells, documents and masks write in a value's place.
fn stands_in(value: &str) -> bool {
    let first = value.as_bytes().first().copied().unwrap_or_default();
    let named = value.trim_start_matches(['$', '%', '@', '!']);
    let variable = first != named.as_bytes().first().copied().unwrap_or_default()
        && named
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'%' | b'@' | b'0'..=b'9'));
    let framed = matches!(first, b'<' | b'{' | b'[' | b'(' | b'*') || value.starts_with("0x");
    variable
        || framed
        || value.contains(char::is_whitespace)
        || INSIDE.iter().any(|part| value.contains(part))
        || START.iter().any(|part| value.starts_with(part))
        || is_one_char(value)
}

const INSIDE: &[&str] =
    &["${", "$(", "{{", "<%", "...", "…", "***", "xxxx", "XXXX", "://", "()", "REDACTED", "=>", "::"];
const START: &[&str] =
    &["arn:", "sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:", "$2", "process.env"];

fn is_one_char(value: &str) -> bool {
    let first = value.as_bytes().first();
    value.bytes().all(|byte| Some(&byte) == first)
}

/// True for paths and dotted code; a key in base64 may begin like a path, and is long.
fn is_path(value: &str) -> bool {
    let rooted = ["/", "./", "../", "~/"].iter().any(|root| value.starts_with(root));
    let email = value.rsplit_once('@').is_some_and(|(_, host)| host.contains('.'));
    email || rooted && !(value.len() == 40 && value.matches('/').count() < 4)
}

/// True when there is more than letters, and nothing that grammars use.
fn has_twist(value: &str) -> bool {
    let twist = |byte: u8| byte.is_ascii_digit() || b"!@#$%^&*+=?~".contains(&byte);
    value.bytes().any(twist) && !value.contains([':', '|', '/'])
}

/// True for numbers, and for words that hold at most one, a short one.
fn is_wordy(piece: &str) -> bool {
    let bytes = piece.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let numbers =
        1 + bytes.windows(2).filter(|pair| pair[0].is_ascii_digit() && !pair[1].is_ascii_digit()).count()
            - usize::from(!bytes.last().is_some_and(u8::is_ascii_digit));
    digits == bytes.len() || (digits <= 4 && numbers <= 1 && !is_jumbled(bytes))
}

/// True when capitals stand as no one would set them.
fn is_jumbled(bytes: &[u8]) -> bool {
    let capitals = bytes.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let turns =
        bytes.windows(2).filter(|pair| pair[0].is_ascii_uppercase() != pair[1].is_ascii_uppercase()).count();
    bytes.len() >= 12
        && capitals * 10 >= bytes.len() * 3
        && capitals * 10 <= bytes.len() * 7
        && turns * 3 >= bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_apart() {
        for (grade_of, values) in [
            (
                Grade::Placeholder,
                &[
                    "${TOKEN}",
                    "$TOKEN",
                    "%TOKEN%",
                    "<password>",
                    "****",
                    "changeme",
                    "your-api-key-1a2b3c4d",
                    "null",
                    "sk-...",
                    "password123",
                    "{{ x }}",
                    "arn:aws:x",
                    "test1234",
                    "REDACTED",
                ][..],
            ),
            (
                Grade::Words,
                &[
                    "azure-vault",
                    "process",
                    "oa_citations",
                    "/run/secrets/db1",
                    "tokens.refreshToken",
                    "1.2.1",
                    "getApiKeyForModel",
                    "config.apiKeyOfNothing",
                    "a@b.example1",
                ],
            ),
            (Grade::Twisted, &["hunter2", "Sup3r!", "Tr0ub4&3", "topsecret42"]),
            (
                Grade::Random,
                &[
                    "abcdef1234567890",
                    "s3cr3tP4ssw0rd",
                    "5f4dcc3b5aa765d61d8327deb882cf99",
                    "kJhGfDsAqWeRtYuIoP",
                    "ABTLWHOULUVAXGTRYU7OC2876QJ2O",
                ],
            ),
        ] {
            for value in values {
                assert_eq!(grade(value), grade_of, "{value}");
            }
        }
    }
}
