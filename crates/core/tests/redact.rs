//! Secrets go, and nothing else does.
//!
//! No secret stands here as one: each is made at run time from a prefix and a number of letters.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use tersely_core::{Call, Loss, Mode, O200k, Plan, Redaction, compress, redact};

const MASK: &str = "[REDACTED_SECRET]";

/// Secrets that are known wherever they stand. `{A36}` is 36 letters and digits; see `fill`.
const KINDS: &[(&str, &str)] = &[
    ("OpenAI", "sk-{A20}T3BlbkFJ{A20}"),
    ("OpenAI project", "sk-proj-{w74}T3BlbkFJ{w74}"),
    ("OpenAI service account", "sk-svcacct-{w100}"),
    ("Anthropic", "sk-ant-api03-{w93}AA"),
    ("Anthropic admin", "sk-ant-admin01-{w93}AA"),
    ("OpenRouter", "sk-or-v1-{h64}"),
    ("Groq", "gsk_{A52}"),
    ("xAI", "xai-{A80}"),
    ("Perplexity", "pplx-{A48}"),
    ("Cerebras", "csk-{A48}"),
    ("Hugging Face", "hf_{A34}"),
    ("Replicate", "r8_{A37}"),
    ("Fireworks", "fw_{A24}"),
    ("Together", "tgp_v1_{w43}"),
    ("NVIDIA", "nvapi-{w64}"),
    ("LangSmith", "lsv2_pt_{h32}_{h10}"),
    ("GitHub personal", "ghp_{A36}"),
    ("GitHub OAuth", "gho_{A36}"),
    ("GitHub user", "ghu_{A36}"),
    ("GitHub server", "ghs_{A36}"),
    ("GitHub refresh", "ghr_{A36}"),
    ("GitHub fine-grained", "github_pat_{A22}_{A59}"),
    ("GitLab personal", "glpat-{w20}"),
    ("GitLab runner", "glrt-{w20}"),
    ("GitLab deploy", "gldt-{w20}"),
    ("GitLab trigger", "glptt-{h40}"),
    ("Atlassian", "ATATT3{w186}"),
    ("npm", "npm_{A36}"),
    ("PyPI", "pypi-AgEIcHlwaS5vcmc{w70}"),
    ("RubyGems", "rubygems_{h48}"),
    ("Docker", "dckr_pat_{w27}"),
    ("Docker swarm", "SWMTKN-1-{a50}-{a25}"),
    ("CircleCI", "CCIPAT_{A22}_{h40}"),
    ("Buildkite", "bkua_{h40}"),
    ("SonarQube", "squ_{h40}"),
    ("Sourcegraph", "sgp_{h16}_{h40}"),
    ("Postman", "PMAK-{h24}-{h34}"),
    ("Artifactory", "AKCp{A69}"),
    ("Pulumi", "pul-{h40}"),
    ("Linear", "lin_api_{A40}"),
    ("Notion", "ntn_{d11}{A35}"),
    ("Notion internal", "secret_{A43}"),
    ("Figma", "figd_{w40}"),
    ("AWS", "AKIA{U16}"),
    ("AWS temporary", "ASIA{U16}"),
    ("Google", "AIza{w35}"),
    ("Google client", "GOCSPX-{w28}"),
    ("Google OAuth", "ya29.{w120}"),
    ("Alibaba", "LTAI{A20}"),
    ("DigitalOcean", "dop_v1_{h64}"),
    ("DigitalOcean OAuth", "doo_v1_{h64}"),
    ("Heroku", "HRKU-AA{w58}"),
    ("Vercel", "vcp_{w56}"),
    ("Netlify", "nfp_{A40}"),
    ("Fly", "fo1_{w43}"),
    ("Tailscale", "tskey-auth-{A12}-{A32}"),
    ("Doppler", "dp.pt.{A43}"),
    ("Doppler service", "dp.st.dev.{A43}"),
    ("Vault", "hvs.{w95}"),
    ("Vault batch", "hvb.{w140}"),
    ("OpenShift", "sha256~{w43}"),
    ("1Password", "ops_eyJ{A250}"),
    ("age", "AGE-SECRET-KEY-1{U58}"),
    ("Octopus", "API-{U26}"),
    ("Terraform Cloud", "{A14}.atlasv1.{w67}"),
    ("Databricks", "dapi{h32}"),
    ("PlanetScale", "pscale_tkn_{w43}"),
    ("PlanetScale password", "pscale_pw_{w43}"),
    ("Supabase", "sbp_{h40}"),
    ("Supabase secret", "sb_secret_{w31}"),
    ("Airtable", "pat{A14}.{h64}"),
    ("Grafana", "glsa_{A32}_{h8}"),
    ("Grafana Cloud", "glc_{A60}"),
    ("New Relic", "NRAK-{U27}"),
    ("Sentry", "sntryu_{h64}"),
    ("Sentry organisation", "sntrys_eyJpYXQiO{A80}_{A43}"),
    ("Dynatrace", "dt0c01.{U24}.{U64}"),
    ("PostHog", "phx_{A44}"),
    ("Contentful", "CFPAT-{w43}"),
    ("Slack bot", "xoxb-{d12}-{d13}-{A24}"),
    ("Slack user", "xoxp-{d12}-{d12}-{d12}-{h32}"),
    ("Slack app", "xapp-1-A{U10}-{d13}-{h64}"),
    ("Slack refresh", "xoxe-1-{A146}"),
    ("SendGrid", "SG.{w22}.{w43}"),
    ("Brevo", "xkeysib-{h64}-{A16}"),
    ("Mailgun", "key-{h32}"),
    ("Mailchimp", "{h32}-us14"),
    ("Resend", "re_{A8}_{A24}"),
    ("Twilio", "SK{h32}"),
    ("Stripe", "sk_live_{A24}"),
    ("Stripe test", "sk_test_{A99}"),
    ("Stripe restricted", "rk_live_{A24}"),
    ("Stripe webhook", "whsec_{A32}"),
    ("ElevenLabs", "sk_{h48}"),
    ("Shopify", "shpat_{h32}"),
    ("Shopify secret", "shpss_{h32}"),
    ("Square", "EAAAE{w59}"),
    ("Square OAuth", "sq0csp-{w43}"),
    ("Shippo", "shippo_live_{h40}"),
    ("EasyPost", "EZAK{A54}"),
    ("HubSpot", "pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("Typeform", "tfp_{w59}"),
    ("Telegram", "{d10}:AA{w33}"),
    ("Discord", "MT{A24}.{A6}.{w38}"),
    ("Azure application", "{A3}8Q~{A34}"),
    ("JSON web token", "eyJhbGciOiJIUzI1NiJ9.eyJ{A60}.{w43}"),
];

/// Secrets that what stands beside them gives away: before, secret, after.
const PLACES: &[(&str, &str, &str)] = &[
    ("AWS_SECRET_ACCESS_KEY=", "{A40}", "\n"),
    ("aws_secret_access_key = ", "{A18}/{A10}+{A10}", "\r\n"),
    ("  \"SecretAccessKey\": \"", "{A40}", "\",\n"),
    ("  \"SessionToken\": \"", "{A200}", "\",\n"),
    ("HEROKU_API_KEY=", "{h8}-{h4}-{h4}-{h4}-{h12}", "\n"),
    ("AccountName=x;AccountKey=", "{A86}==", ";EndpointSuffix=core.windows.net"),
    ("Endpoint=sb://x.servicebus.windows.net/;SharedAccessKey=", "{A43}=", ""),
    ("Server=db;User Id=sa;Password=", "Gr{d2}x!{A6}", ";Encrypt=true"),
    ("COHERE_API_KEY: ", "{A40}", "\n"),
    ("TWILIO_AUTH_TOKEN=", "{h32}", ""),
    ("DATADOG_API_KEY='", "{h32}", "'"),
    ("CLOUDFLARE_API_TOKEN=\"", "{A40}", "\""),
    ("Authorization: Bearer ", "{A40}", "\r\nHost: x"),
    ("curl -H 'Authorization: Bearer ", "{w64}", "' https://x"),
    ("authorization: Basic ", "dXNlcjp{A13}", "\n"),
    ("Authorization: token ", "{h40}", ""),
    ("\\\"Authorization\\\": \\\"Bearer ", "{A40}", "\\\""),
    ("x-api-key: ", "{A32}", "\n"),
    ("got bearer ", "{A40}", " from x"),
    ("postgres://app:", "{A12}", "@db.internal:5432/main"),
    ("mysql://root:", "hunterTwo", "@10.0.0.1/x"),
    ("mongodb+srv://svc:", "p%40{A8}", "@cluster0.x.mongodb.net/?w=1"),
    ("redis://:", "{A16}", "@cache:6379/0"),
    ("amqp://mq:", "s3{A6}!", "@mq:5672"),
    ("https://deploy:", "{A20}", "@git.internal/x.git"),
    ("url = \"https://ci:", "{A20}", "@nexus/repo\""),
    ("password=", "hunter2", "\n"),
    ("password: ", "Tr0ub4dor&3", "\n"),
    ("DB_PASSWORD=", "correcthorse", "\n"),
    ("smtp_password: '", "Pass@word1!", "'"),
    ("export PGPASSWORD=", "wq{d4}!#x,y;z", "\n"),
    ("\"password\": \"", "S0mething!", "\""),
    ("{\\\"db_password\\\": \\\"", "S0mething!", "\\\", \\\"x\\\": 1}"),
    ("const API_KEY: &str = \"", "{A24}", "\";"),
    ("config[\"client_secret\"] = \"", "{A24}", "\""),
    ("'clientSecret' => '", "{A24}", "',"),
    ("<password>", "Sw0rdfish", "</password>"),
    ("//registry.npmjs.org/:_authToken=", "{A36}", "\n"),
    ("mysqldump --password=", "Sw0rdfish!", " db"),
    ("vault login --token ", "{A24}", " -x"),
    ("curl -u admin:", "Sw0rdfish!", " https://x"),
    ("https://x/?a=1&access_token=", "{A32}", "&b=2"),
    ("log line\\npassword=", "Sw0rdfish9", "\\nnext"),
    ("https://hooks.slack.com/services/", "T{U10}/B{U10}/{A24}", ""),
    ("https://discord.com/api/webhooks/", "{d18}/{w68}", "\n"),
];

/// What looks like a secret and is none.
const HARMLESS: &[&str] = &[
    "a\r\nb\r\n",
    "commit 5f4dcc3b5aa765d61d8327deb882cf99deadbeef",
    "id: 7a605ca7-2d62-4008-bc56-a0638ba377e1",
    "\"ClientToken\": \"7a605ca7-2d62-4008-bc56-a0638ba377e1\"",
    "\"NextToken\": \"eyJOZXh0VG9rZW4iOiBudWxsLCAiYm90b190cnVuY2F0ZV9h\"",
    "integrity sha512-oxkV8q9Zz2pGEGK2Gf1Pcf9bAoTKC3RzHPqKoGSiN1dYHPAqCxUCDWXvYj8LEbR4G3FLUcgsQmuCUVsTnUtw==",
    "\"secret\": \"sha256:5f4dcc3b5aa765d61d8327deb882cf995f4dcc3b5aa765d61d8327deb882cf99\"",
    "password: ${DB_PASSWORD}",
    "password: $DB_PASSWORD",
    "password = os.environ[\"PASSWORD\"]",
    "password=****",
    "password: null,",
    "password: 'password123'",
    "\"password\": \"1.2.1\"",
    "\"password\": \"Your password, 8 or more letters\"",
    "API_KEY=your-api-key-here",
    "API_KEY=xxxxxxxxxxxxxxxxxxxx",
    "apiKey: \"$MY_API_KEY\",",
    "api_key: ${{ secrets.OPENAI_API_KEY }}",
    "apiKey = await getApiKeyForModel(model2);",
    "token: oauth2Token,",
    "accessToken: tokens.accessToken,",
    "token = randomBytes(32).toString('hex');",
    "max_tokens: 4096, total_tokens=1234567890",
    "secretName: web-tls-7d9f8b6c5d",
    "SECRET = 'test-secret-token'",
    "PASSWORD=postgres",
    "PWD=/srv/user1/project2",
    "postgres://user:password@localhost:5432/db",
    "postgres://postgres:postgres@localhost/db",
    "postgres://${USER}:${PASS}@localhost/db",
    "postgres://user:<password>@localhost/db",
    "docker://alpine:3.8@sha256:5f4dcc3b5aa765d61d8327deb882cf99",
    "http://localhost:8080/@scope/pkg:1",
    "git@github.com:x/y.git",
    "docker run -u 1000:1000 x",
    "wslpath -u 'C:\\Users\\x1'",
    "Authorization: Bearer TOKEN_PLACEHOLDER",
    "Authorization: Bearer ${TOKEN}",
    "Token: gho_************************************",
    "OPENAI_API_KEY=sk-...",
    "class=\"sk-toggleable__label-arrow sk-estimator-doc-link\"",
    "sk-your-api-key-goes-here-please",
    "pem.replace(\"-----BEGIN PRIVATE KEY-----\", \"\").replace(\"-----END PRIVATE KEY-----\", \"\")",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----\n",
    "<password>${x}</password> <password></password>",
    "--password <password> --token string",
    "token ::= '(' expr ')'; token == \"a1b2c3d4e5f6\"",
    "鍵: 値 password：パスワード password: \"パスワード\"",
    "",
];

#[test]
fn every_kind_goes_wherever_it_stands() {
    assert!(KINDS.len() >= 60);
    for (seed, (kind, template)) in KINDS.iter().enumerate() {
        let secret = fill(template, seed);
        for (before, after) in [
            ("", ""),
            ("x ", " y\r\nz\r\n"),
            ("     1→", "\n"),
            ("{\"a\": \"", "\", \"b\": 2}"),
            ("{\\\"a\\\": \\\"", "\\\"}\\n"),
            ("line\\n", "\\nline"),
            ("a\\u003d", "\\u0026b"),
            ("-", "\n"),
            ("('", "')."),
            ("日本", "語"),
            ("\u{1b}[32m", "\u{1b}[0m"),
        ] {
            check(kind, [before, &secret, after]);
        }
    }
}

/// Contract 3.3.
#[test]
fn colours_do_not_hide_a_secret() {
    for (seed, (kind, template)) in KINDS.iter().enumerate() {
        let secret = fill(template, seed);
        for code in ["\u{1b}[31m", "\u{1b}[0;1m", "\\u001b[31m", "\u{1b}]8;;http://x\u{7}"] {
            let (head, tail) = secret.split_at(secret.len() / 2);
            check(kind, ["x ", &format!("{head}{code}{tail}"), "\u{1b}[0m y"]);
        }
    }
    let (head, tail) = ("pass\u{1b}[1mword\u{1b}[0m=", "\u{1b}[0m");
    check("a coloured name", [head, "hun\u{1b}[2mter22", tail]);
}

#[test]
fn every_place_gives_its_secret_away() {
    for (seed, (before, template, after)) in PLACES.iter().enumerate() {
        check(before, [before, &fill(template, seed), after]);
    }
}

/// Contract 14.1.
#[test]
fn private_keys_go_whole() {
    for title in ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "] {
        let line = |seed| fill("{A64}", seed);
        let (begin, end) =
            (format!("-----BEGIN {title}PRIVATE KEY-----"), format!("-----END {title}PRIVATE KEY-----"));
        for join in ["\n", "\r\n", "\\n", "\n    12→", "\\n\" +\n  \""] {
            let key = [begin.clone(), line(1), line(2), fill("{A20}==", 3), end.clone()].join(join);
            assert_eq!(
                redact(&format!("a\r\n{key}\r\nb")),
                "a\r\n[REDACTED_PRIVATE_KEY]\r\nb",
                "{title}{join:?}"
            );
        }
        let cut = [begin, "Proc-Type: 4,ENCRYPTED".into(), String::new(), line(1), line(2)].join("\n");
        assert_eq!(
            redact(&format!("{cut}\n\nand then more words")),
            "[REDACTED_PRIVATE_KEY]\n\nand then more words"
        );
    }
    let account = format!(
        "{{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{}\\n-----END PRIVATE KEY-----\\n\"}}",
        fill("{A400}", 4)
    );
    assert_eq!(redact(&account), "{\"private_key\": \"[REDACTED_PRIVATE_KEY]\\n\"}");
}

/// Contract 14.3, 17.3.
#[test]
fn what_is_no_secret_stays() {
    for text in HARMLESS {
        assert!(matches!(redact(text), Cow::Borrowed(same) if same == *text), "{text}\n{}", redact(text));
    }
}

#[test]
fn the_corpus_stays() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    for file in files(&folder) {
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        // GitHub's example of a repository holds a token to clone it with.
        let known = file.ends_with("github-graphql-repository.json");
        assert!(known || redact(&text) == text, "{}", file.display());
    }
}

#[test]
fn a_mask_is_no_secret() {
    for (seed, (before, template, after)) in PLACES.iter().enumerate() {
        let text = format!("{before}{}{after}", fill(template, seed));
        let once = redact(&text).into_owned();
        assert_eq!(redact(&once), once);
    }
}

#[test]
fn secrets_go_first_whatever_the_plan() {
    let key = fill("ghp_{A36}", 1);
    let text = format!("{{\"rows\": [{{\"token\": \"{key}\"}}, {{\"token\": \"{key}\"}}]}}\r\n");
    for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
        for loss in [Loss::None, Loss::Form, Loss::Detail] {
            let plan = Plan { mode, loss, ..Plan::default() };
            let outcome = compress(&plan, &O200k, Call::default(), &text);
            assert!(outcome.redacted == 2 && !outcome.text.contains(&key[4..]), "{}", outcome.text);
        }
    }
    let off = Plan { redact: Redaction::Off, mode: Mode::Safe, ..Plan::default() };
    assert_eq!(compress(&off, &O200k, Call::default(), &text).text, text);
    let disabled = Plan { mode: Mode::Disabled, ..Plan::default() };
    assert_eq!(compress(&disabled, &O200k, Call::default(), &text).text, text);
}

/// Contract 17.3.
#[test]
fn line_ends_are_no_secrets() {
    let plan = Plan { mode: Mode::Safe, ..Plan::default() };
    let outcome = compress(&plan, &O200k, Call::default(), "a\r\nb\r\n");
    assert_eq!((&*outcome.text, outcome.redacted), ("a\r\nb\r\n", 0));
}

/// Contract 0.11: a mask is in words that a reader knows, whatever they cost.
#[test]
fn a_mask_is_always_in_words() {
    let plan = Plan { mode: Mode::Safe, ..Plan::default() };
    for (seed, (before, template, after)) in PLACES.iter().enumerate() {
        let text = format!("{before}{}{after}", fill(template, seed));
        let outcome = compress(&plan, &O200k, Call::default(), &text);
        assert_eq!(outcome.redacted, 1, "{text}");
        assert_eq!(outcome.text, redact(&text));
    }
    let short = compress(&plan, &O200k, Call::default(), "password=hunter2\n");
    assert_eq!(short.text, "password=[REDACTED_SECRET]\n");
}

/// Texts that would take a careless scanner for ever, or past a letter's middle.
#[test]
fn hostile_texts_are_read_in_time() {
    for part in [
        "eyJ",
        "=",
        "password=",
        "a:",
        "-",
        "-----BEGIN PRIVATE KEY-----",
        "://a:",
        "@",
        "\u{1b}[",
        "\\u001b[",
        "\"",
        "é=",
        "sk-",
        "\u{1b}]",
        "_",
        "1:A",
    ] {
        let text = part.repeat(400_000 / part.len());
        let _ = redact(&text);
        for cut in 0..part.len().min(4) {
            let _ = redact(text.get(cut..).unwrap_or_default());
        }
    }
}

/// Parts of secrets in every order: no order makes a panic, and what is masked once stays so.
#[test]
fn broken_secrets_do_no_harm() {
    let parts = [
        "password=",
        "\"",
        "ghp_",
        "0123456789abcdef0123456789abcdef",
        "-us1",
        ":AAé",
        "8Q~",
        "\\n",
        "\u{1b}[1m",
        "日",
        ".atlasv1.",
        "://a:",
        "@b",
        "-----BEGIN PRIVATE KEY-----",
        " --token ",
        "Authorization: Basic ",
        "xY9_-kQ2",
        "<token>",
        "\n",
    ];
    for seed in 0..20_000_u64 {
        let mut state = seed;
        let text: String = (0..8)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                parts[(state >> 33) as usize % parts.len()]
            })
            .collect();
        let _ = redact(&text);
    }
}

/// Redacts `before secret after`, and sees the secret gone and the rest unchanged.
fn check(kind: &str, [before, secret, after]: [&str; 3]) {
    let text = format!("{before}{secret}{after}");
    assert_eq!(redact(&text), format!("{before}{MASK}{after}"), "{kind}: {text}");
}

/// A template with letters in its braces: `{A8}` letters and digits, `{a8}` small ones, `{w8}` with `_` and `-`, `{U8}` capitals
/// and the digits of base32, `{h8}` hex, `{d8}` digits.
fn fill(template: &str, seed: usize) -> String {
    let mut out = String::new();
    let mut state = seed as u64 + 1;
    for (at, part) in template.split(['{', '}']).enumerate() {
        if at % 2 == 0 {
            out.push_str(part);
            continue;
        }
        let letters: &[u8] = match &part[..1] {
            "A" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "a" => b"abcdefghijklmnopqrstuvwxyz0123456789",
            "w" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
            "U" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "h" => b"0123456789abcdef",
            _ => b"0123456789",
        };
        let length: usize = part[1..].parse().unwrap();
        for left in (0..length).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // A sign at either end would be taken for punctuation.
            let sorts = if left == 0 || left + 1 == length { letters.len().min(62) } else { letters.len() };
            out.push(char::from(letters[(state >> 33) as usize % sorts]));
        }
    }
    out
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect();
    files.sort();
    files
}
