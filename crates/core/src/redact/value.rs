//! Grades how much a value looks like a secret: a placeholder, words, words with digits or signs, or random characters.

/// How much a value looks like a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grade {
    /// Not a real value: `${TOKEN}`, `<password>`, `***`, `changeme`.
    Placeholder,
    /// Words, paths, versions, code.
    Words,
    /// Words with digits or signs, as in passwords that people choose.
    Twisted,
    /// Random characters.
    Random,
}

/// The grade of a value.
pub(super) fn grade(value: &str) -> Grade {
    if value.len() < 4 || is_placeholder(value) || pieces(value).any(|piece| is_any(piece, PLACEHOLDER_WORDS))
    {
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

/// True when a password is real: not a placeholder, not very short and not a short number.
pub(super) fn opens(password: &str) -> bool {
    let number = password.len() < 6 && password.bytes().all(|byte| byte.is_ascii_digit());
    !number && password.len() > 2 && grade(password) > Grade::Placeholder
}

/// True when the value is not a placeholder and contains no word of one.
pub(super) fn is_word_like(value: &str) -> bool {
    !is_placeholder(value) && !pieces(value).any(|piece| is_any(piece, PLACEHOLDER_WORDS))
}

/// True when the value may be generated: it mixes upper and lower case, or letters and digits, and contains no word of
/// a placeholder.
pub(super) fn is_generated(tail: &str) -> bool {
    let has = |test: fn(&u8) -> bool| usize::from(tail.as_bytes().iter().any(test));
    let sorts = has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase) + has(u8::is_ascii_digit);
    sorts > 1 && !is_placeholder(tail) && !pieces(tail).any(|piece| is_any(piece, PLACEHOLDER_WORDS))
}

/// True for a UUID: `8-4-4-4-12` hex digits.
pub(super) fn is_uuid(value: &str) -> bool {
    let mut sizes =
        value.split('-').map(|part| (part.len(), part.bytes().all(|byte| byte.is_ascii_hexdigit())));
    [8, 4, 4, 4, 12].into_iter().all(|size| sizes.next() == Some((size, true))) && sizes.next().is_none()
}

/// Words that mark any value that contains them as a placeholder.
const PLACEHOLDER_WORDS: &[&str] = &[
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

/// Words that are not a secret by themselves, with or without digits.
const COMMON_WORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "notasecret",
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

/// Words that people put in front of common words: `mypassword`, `supersecret1`.
const JOINED_WORDS: &[&str] =
    &["my", "your", "our", "the", "some", "new", "old", "db", "random", "secure", "super"];

/// True when the value consists of common words joined into one, optionally followed by digits.
fn is_joined(value: &str) -> bool {
    let stem = value.trim_end_matches(|char: char| char.is_ascii_digit() || char == '!');
    let rest = JOINED_WORDS.iter().fold(stem, |rest, word| match rest.get(..word.len()) {
        Some(start) if start.eq_ignore_ascii_case(word) => &rest[word.len()..],
        _ => rest,
    });
    let pair = || {
        (1..rest.len()).any(|at| {
            rest.split_at_checked(at)
                .is_some_and(|(head, tail)| is_any(head, COMMON_WORDS) && is_any(tail, COMMON_WORDS))
        })
    };
    stem.len() <= 32 && (is_any(rest, COMMON_WORDS) || pair())
}

/// True when the value consists only of common words, or reads like a name made of them: `my-test-token1`.
fn is_common(value: &str) -> bool {
    let stem = |piece: &str| is_any(piece.trim_end_matches(|char: char| char.is_ascii_digit()), COMMON_WORDS);
    let signed = value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '?', '~']);
    is_joined(value) || if signed { pieces(value).all(stem) } else { pieces(value).any(stem) }
}

fn pieces(value: &str) -> impl Iterator<Item = &str> {
    value.split(|char: char| !char.is_ascii_alphanumeric()).filter(|piece| !piece.is_empty())
}

fn is_any(piece: &str, words: &[&str]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(piece))
}

/// True for placeholders as templates, shells, documents and masks write them.
fn is_placeholder(value: &str) -> bool {
    let first = value.as_bytes().first().copied().unwrap_or_default();
    let named = value.trim_start_matches(['$', '%', '@', '!']);
    let variable = first != named.as_bytes().first().copied().unwrap_or_default()
        && named
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'%' | b'@' | b'0'..=b'9'));
    let framed =
        matches!(first, b'<' | b'{' | b'[' | b'(' | b'*' | b')' | b',' | b';') || value.starts_with("0x");
    variable
        || framed
        || value.contains(char::is_whitespace)
        || INSIDE.iter().any(|part| value.contains(part))
        || START.iter().any(|part| value.starts_with(part))
        || is_one_char(value)
        || is_sequence(value)
        || holds(value, "example") && !is_path(value)
        || value.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("your"))
}

/// True when the value contains eight consecutive letters in alphabetical order.
fn is_sequence(value: &str) -> bool {
    let next = |pair: &[u8]| pair[0].is_ascii_alphabetic() && pair[0] + 1 == pair[1];
    let mut run = 0;
    value.as_bytes().windows(2).any(|pair| {
        run = if next(pair) { run + 1 } else { 0 };
        run == 7
    })
}

/// True when a value contains the word, ignoring case.
fn holds(value: &str, word: &str) -> bool {
    value.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

const INSIDE: &[&str] = &[
    "${", "$(", "{{", "<%", "...", "…", "%(", "%s", "***", "xxxx", "XXXX", "://", "()", "REDACTED", "=>",
    "::",
];
const START: &[&str] = &[
    "arn:",
    "sha1-",
    "sha256-",
    "sha384-",
    "sha512-",
    "sha256:",
    "sha512:",
    "$2",
    "process.env",
    "!vault",
    "ENC[",
    "NACL[",
    "vault:v",
];

fn is_one_char(value: &str) -> bool {
    let first = value.as_bytes().first();
    value.bytes().all(|byte| Some(&byte) == first)
}

/// True for paths and dotted names. A long value may be base64 that begins like a path.
fn is_path(value: &str) -> bool {
    let rooted = ["/", "./", "../", "~/"].iter().any(|root| value.starts_with(root));
    let email = value.rsplit_once('@').is_some_and(|(_, host)| host.contains('.'));
    email || rooted && !(value.len() == 40 && value.matches('/').count() < 4)
}

/// True when there are digits or signs among the letters, other than ordinary punctuation, the end of a sentence or the
/// separators of a constant's name.
fn has_twist(value: &str) -> bool {
    let twist = |byte: u8| byte.is_ascii_digit() || b"!@#$%^&*+=?~".contains(&byte);
    let constant = value.contains('_') && !value.bytes().any(|byte| byte.is_ascii_lowercase());
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let stem = value.trim_end_matches(['!', '?']);
    let sentence = measure(stem.as_bytes()).1 < 2 && !stem.bytes().any(twist);
    let named = !digits && holds(value, "password");
    value.bytes().any(twist) && !value.contains([':', '|', '/']) && !constant && !sentence && !named
}

/// True when every piece is a word.
pub(super) fn is_worded(value: &str) -> bool {
    pieces(value).all(is_wordy)
}

/// True for an identifier that a person chose: words in camel case, which no generator produces.
pub(super) fn is_identifier(tail: &str) -> bool {
    let capital = tail.bytes().any(|byte| byte.is_ascii_uppercase());
    let words =
        tail.split(|char: char| !char.is_ascii_lowercase()).map(str::len).filter(|&length| length > 0);
    let (count, letters) = words.fold((0, 0), |(count, letters), length| (count + 1, letters + length));
    capital && letters >= 10 && letters >= count * 4
}

/// True for a number, or for a word with no more than one short number.
fn is_wordy(piece: &str) -> bool {
    // The number in the name of this elliptic curve is longer than numbers in ordinary names.
    let piece = &piece.replacen("25519", "", 1);
    let bytes = piece.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let numbers =
        1 + bytes.windows(2).filter(|pair| pair[0].is_ascii_digit() && !pair[1].is_ascii_digit()).count()
            - usize::from(!bytes.last().is_some_and(u8::is_ascii_digit));
    digits == bytes.len() || (digits <= 4 && numbers <= 1 && !is_jumbled(bytes))
}

/// True when capitals occur where no person would put them, or letters follow each other as in no word.
fn is_jumbled(bytes: &[u8]) -> bool {
    let capitals = bytes.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let turns =
        bytes.windows(2).filter(|pair| pair[0].is_ascii_uppercase() != pair[1].is_ascii_uppercase()).count();
    let (letters, humps) = measure(bytes);
    let rare = bytes.windows(2).filter(|pair| is_rare(pair)).count();
    let mixed = bytes.len() >= 12
        && capitals * 10 >= bytes.len() * 3
        && capitals * 10 <= bytes.len() * 7
        && turns * 3 >= bytes.len();
    mixed && (letters < humps * 3 || rare > 1) || bytes.len() >= 16 && rare > 2
}

/// True for a pair of letters that few words and no common abbreviation contain.
fn is_rare(pair: &[u8]) -> bool {
    let pair = [pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase()];
    let rare = |byte: u8| b"jqxz".contains(&byte);
    let vowel = |byte: u8| b"aeiouy".contains(&byte);
    let letters = pair.iter().all(u8::is_ascii_lowercase);
    letters
        && pair.iter().any(|&byte| rare(byte))
        && !pair.iter().any(|&byte| vowel(byte))
        && !USUAL_PAIRS.contains(&&pair)
}

/// Otherwise rare pairs of letters that are common in programs.
const USUAL_PAIRS: &[&[u8; 2]] = &[
    b"xp", b"xt", b"xc", b"nj", b"dj", b"bj", b"xx", b"zz", b"tz", b"nz", b"nx", b"jw", b"js", b"xm", b"xl",
    b"sq", b"ql", b"mq", b"zk", b"gz", b"tx", b"jp", b"xf", b"fx",
];

/// The number of letters, and of words in camel case: `UserAPIKey` has three.
fn measure(bytes: &[u8]) -> (usize, usize) {
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let at = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let begins = |here: &usize| {
        let (before, byte, next) = (at(here.checked_sub(1)), bytes[*here], at(here.checked_add(1)));
        let hump = byte.is_ascii_uppercase() && (before.is_ascii_lowercase() || next.is_ascii_lowercase());
        byte.is_ascii_alphabetic() && (hump || !before.is_ascii_alphabetic())
    };
    (letters, (0..bytes.len()).filter(begins).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACEHOLDER: &[&str] = &[
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
        "mypassword",
        "supersecret1",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "1bcdefghij2bcdefghij",
    ];
    const WORDS: &[&str] = &[
        "azure-vault",
        "process",
        "oa_citations",
        "/run/secrets/db1",
        "tokens.refreshToken",
        "1.2.1",
        "getApiKeyForModel",
        "config.apiKeyOfNothing",
        "UserAPIKeyAuth",
        "AuthTokenDTO",
        "FORBIDDEN_VALUE2",
        "Olvidaste!",
        "a@b.example1",
    ];
    const TWISTED: &[&str] =
        &["hunter2", "Sup3r!", "Tr0ub4&3", "topsecret42", "Ed25519PrivateKey", "PKCS7PrivateKeyTypes"];
    const RANDOM: &[&str] = &[
        "abcdef1234567890",
        "s3cr3tP4ssw0rd",
        "5f4dcc3b5aa765d61d8327deb882cf99",
        "kJhGfDsAqWeRtYuIoP",
        "ABTLWHOULUVAXGTRYU7OC2876QJ2O",
    ];

    fn check(expected: Grade, values: &[&str]) {
        for value in values {
            assert_eq!(grade(value), expected, "{value}");
        }
    }

    #[test]
    fn values_are_told_apart() {
        check(Grade::Placeholder, PLACEHOLDER);
        check(Grade::Words, WORDS);
        check(Grade::Twisted, TWISTED);
        check(Grade::Random, RANDOM);
    }
}
