//! Secrets are masked, and nothing else is.
//!
//! No secret is written here: each is generated at run time from a prefix and random letters.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::time::Duration;

use tersely_core::{Call, Loss, Mode, Plan, Redaction, compress, redact};
use tersely_testing::corpus::{ToolOutput, conversations, files, outputs};
use tersely_testing::pace::thread_time;
use tersely_testing::secrets::{fill, secrets};

const MASK: &str = "[REDACTED_SECRET]";

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
    // Cookies, as headers, in JSON, in a list, behind a flag
    ("> Cookie: theme=dark; JSESSIONID=", "{h32}", "\r\n"),
    ("< set-cookie: sid=", "s%3A{A32}", "; Path=/; HttpOnly; SameSite=Lax\n"),
    ("{\"cookie\": \"_ga=GA1.2.1033501218.1368477899; session=", "{A40}", "; lang=en\"}"),
    ("{\"set-cookie\": [\"a=1; Path=/\", \"auth=", "{A24}", "; Secure\"]}"),
    ("{\\\"Cookie\\\": \\\"sid=", "{A24}", "\\\"}"),
    ("curl -H 'Cookie: sid=", "{A24}", "' https://x"),
    ("curl --cookie \"sid=", "{A24}", "\" https://x"),
    ("map[Cookie:[sid=", "{A24}", "]]"),
    // Commands
    ("$ mysql -uroot -p", "{A10}", " shop"),
    ("mysqldump --single-transaction -p'", "{A10}", "' shop > x.sql"),
    ("/usr/bin/mariadb -p\"", "{A10}", "\" shop"),
    ("DEPLOY=sshpass -p ", "hunterTwo", " ssh a@b"),
    ("LOGIN=machine git.internal login deploy password ", "hunterTwo", "\n"),
    ("sshpass -p ", "hunterTwo", " ssh a@b"),
    ("sshpass -p'", "{A10}", "' ssh a@b"),
    ("redis-cli -h x -p 6379 -a ", "{A16}", " ping"),
    ("docker login -u x -p ", "{A16}", " r"),
    ("sqlcmd -S x -U sa -P ", "{A12}", " -Q y"),
    ("mongosh -u x -p ", "{A12}", " --quiet"),
    ("ldapsearch -x -D cn=a -w ", "{A12}", " -b dc=x"),
    ("openssl rsa -in k.pem -passin pass:", "{A12}", " -out x"),
    ("\"command\": \"mysql -p", "{A12}", " -e 'select 1'\""),
    ("PGPASSWORD=", "correcthorse", " psql -h x"),
    ("$ PGPASSWORD=", "correcthorse", " psql -h x"),
    ("docker run -e DB_PASSWORD=", "correcthorse", " x"),
    ("\"Env\": [\"A=1\", \"DB_PASSWORD=", "correcthorse", "\"]"),
    ("aws configure set aws_secret_access_key ", "{A40}", "\n"),
    // Files of passwords
    ("machine h.internal\n\tlogin u\n\tpassword ", "hunterTwo", "\nmachine x"),
    ("machine h.internal login u password ", "{A12}", "\n"),
    ("{\"text\": \"machine h.internal login u password ", "{A12}", "\"}"),
    (
        "{\"text\": \"one of the lines that stand above a command, and it is long\\nmysql -h x -p",
        "{A12}",
        " shop\\nnext\"}",
    ),
    ("machine h.internal\\n  login u\\n  password ", "{A12}", "\\nmachine x"),
    ("default login u password ", "hunterTwo", "\n"),
    ("db.internal:5432:*:app:", "{A12}", "\n"),
    ("requirepass ", "{A24}", "\n"),
    ("ALTER USER x IDENTIFIED BY '", "{A12}", "';"),
    ("create role x with login password '", "{A12}", "';"),
    // Addresses that are signed
    ("https://x.blob.core.windows.net/c/b?sp=r&sig=", "{A20}%2F{A20}%3D", "&sv=2024-11-04"),
    ("SharedAccessSignature sr=x.servicebus.windows.net&sig=", "{A40}%3D", "&se=1790000000&skn=k"),
    ("https://b.s3.amazonaws.com/k?X-Amz-Expires=900&X-Amz-Signature=", "{h64}", "\""),
    ("https://b.s3.amazonaws.com/k?X-Amz-Security-Token=", "{A1900}", "&X-Amz-Expires=9"),
    ("https://b.s3.amazonaws.com/k?AWSAccessKeyId=x&Signature=", "{A27}%3D", "&Expires=1"),
    ("https://storage.googleapis.com/b/k?X-Goog-Expires=9&X-Goog-Signature=", "{h512}", ""),
    ("https://x/k?se=1\\u0026sig=", "{A43}%3D", "\\u0026sv=1"),
    ("AWS4-HMAC-SHA256 Credential=x/y, SignedHeaders=host, Signature=", "{h64}", "\n"),
    ("https://", "{A40}", "@github.com/x/y.git"),
    // Signs and quotes that are spelled
    ("password\\u003d", "hunter2", "\\u0026x\\u003d1"),
    ("password\\\\u003d", "hunter2", "\\\\u0026x"),
    ("x%3Fa%3D1%26access_token%3D", "{A32}", "%26b%3D2"),
    ("password&#61;", "hunter2", "&amp;x"),
    ("{&quot;password&quot;:&quot;", "Sw0rdfish!", "&quot;}"),
    ("{\\u0022password\\u0022:\\u0022", "Sw0rdfish!", "\\u0022}"),
    ("&lt;password&gt;", "Sw0rdfish9", "&lt;/password&gt;"),
    ("{\\\"client_secret\\\":\\\"", "{A24}", "\\\"}"),
    ("{\\\\\\\"client_secret\\\\\\\":\\\\\\\"", "{A24}", "\\\\\\\"}"),
    ("{\\\\\\\\\\\\\\\"password\\\\\\\\\\\\\\\": \\\\\\\\\\\\\\\"", "Sw0rdfish!", "\\\\\\\\\\\\\\\"}"),
    ("{\\\"password\\\": \\\"", "ab\\\\\\\"cd123!", "\\\", \\\"x\\\": 1}"),
    // Entries that name themselves
    ("{\"name\": \"DB_PASSWORD\", \"value\": \"", "Sw0rdfish!", "\"}"),
    ("- name: DB_PASSWORD\n  value: ", "Sw0rdfish!", "\n"),
    ("<add key=\"ApiKey\" value=\"", "{A32}", "\" />"),
    ("<name>fs.s3a.secret.key</name>\n  <value>", "{A40}", "</value>"),
    ("ParameterKey=DBPassword,ParameterValue=", "Sw0rdfish9", " x"),
    // Headers in a map, in a list
    ("map[X-Api-Key:[", "{A32}", "]]"),
    ("{\"X-Api-Key\": [\"", "{A32}", "\"]}"),
    ("auth header: Basic ", "YXBwOlN3MHJkZmlzaCE=", " sent"),
    ("User(name='x', password='", "Sw0rdfish!", "')"),
    ("client-key-data: ", "{A2400}", "\n"),
    (".dockerconfigjson: ", "eyJhdXRocyI6{A200}", "\n"),
    ("\"tls.key\": \"", "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk{A900}==", "\""),
    // Addresses of the web, and what Google renews a login with
    ("https://alice:", "MyPassword{d2}3", "@gitlab.acme.com/a.git"),
    ("(http://admin:", "admin1{d2}", "@10.0.0.1/)"),
    ("https://bot:", "P4ss,word(1){d2}", "@gitlab.acme.com/a.git"),
    ("GOOGLE_REFRESH=", "1//04{w60}", "\n"),
    ("refreshed with ", "1//0g{w90}", " at noon"),
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
    "https://user:password@git.acme.com https://user:pass@host http://admin:admin@10.0.0.1",
    "http://user:pass123@localhost:8080/ http://user:pass123@127.0.0.1/",
    "http://a.acme.com:8080,me@acme.com or (http://b.acme.com:80)me@acme.com",
    "1//0 comment 1//02 lines https://x.y/1//0/a",
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
    // Types, variables and calls
    "def f(auth: UserAPIKeyAuth | None) -> str:",
    "  token: AuthTokenDTO | undefined;",
    "api_key: _AzureApiKeyT | None,",
    "let raw_private_key: Curve25519SeedBin<'_> = x;",
    "private_key = Ed25519PrivateKey.generate()",
    "private_key: ed25519.Ed25519PrivateKey, f",
    "private_key: PKCS7PrivateKeyTypes,",
    "becomeToken = GetS4UTokenForUser(sid, logonType);",
    "const cachedIdToken = this.readIdTokenFromCacheForOBO(x);",
    "$password = $module.Params.test_password",
    "Export-PfxCertificate -Password $certPassword -FilePath x",
    "auth_password:t?.type===\"basic\"?t.password:\"\"",
    "password:e.auth_password??\"\"",
    "val token: AuthTokenV2Dto? = null",
    "password *SecureString1 `json:\"password\"`",
    "private final ApiKey2Credentials apiKey = load();",
    "password: PasswordInput! token: ID!",
    "didScheduleUpdateDuringThisPass=didSchedule=!0;",
    "\"AWS::IAM::AccessKey\": \"62d91b17309e76c8\"",
    "PublicKeyToken=31bf3856ad364e35",
    "arn:aws:secretsmanager:us-west-2:123456789012:secret:rds!cluster-a1b2c3d4-5678",
    "UNRESERVED_PAT = r\"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._\\-~\"",
    "let pat = r\"\\W\\W|\\W[^\\v--\\W\\P{Script_Extensions:Pau_Cin_Hau}\\u10A1A1]\";",
    "createElement(\"label\",{htmlFor:\"x\"},\"Password:\"),$?Re.createElement(\"code\",null)",
    "--password <vcenter-password> esxi_hosts=1",
    "socks5h://<username>:<password>@proxy-host",
    // Identifiers and digests that begin like tokens
    "re_compile_every_pattern_of_the_table_2 re_exports_of_module_1234567890_abcd",
    "pip/version.py,sha256=qaN-fw_htIgKUVXoAuAEVgKxQu3tZ9qE2eiKkWIS7LA,160",
    "error_codes_pb2.pyi,sha256=glc_FZMyib4OhW7RQ42vav9er5-jeLUo8K4wfDaFsu8,1208",
    "ghp_PersonalAccessToken01245678900000000",
    "[![x](https://codecov.io/gh/x/y/graph/badge.svg?token=Z92NHFQ70G)]",
    // Passwords that a program or a document makes up
    "client.login(username=\"bob\", password=\"hunter2\")",
    "assert login(password=\"hunter2\")",
    "def connect(host, password=\"hunter2\"):",
    "def test_login():\n    password = \"hunter2\"\n",
    "#[test]\nfn a() { let password = \"securepassword123\"; }",
    "describe('x', () => { it('works', () => { login({password: 'hunter42'}) }) })",
    "password=password secret=\"secret\" apiKey: apiKey, token=token",
    "password = \"mypassword\" DB_PASS=mypassword db_password: supersecret1",
    "\"SecretAccessKey\": \"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\"",
    "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
    "vault_password: !vault |",
    "password: ENC[AES256_GCM,data:p673w==,iv:YY=]",
    "IDENTIFIED BY \"%(password)s\"",
    "\"error.password\": \"¿Olvidaste?\" \"enter_password\": \"Passwort!\"",
    "ResetPassword = \"identitytoolkit#ResetPasswordResponse\"",
    "https://user:p%40ss1@example.com/ ftp://u:secre1@ftp.example.org mysql://scott:tiger@db/x",
    "the default password is x; set the default password hasher once; machine account password changes",
    "Authorization: Basic dXNlcjpwYXNz",
    "Basic authentication, Basic dXNlcjpwYXNz, basic constraints1",
    "Cookie: theme=dark; lang=en; logged_in=yes; _ga=GA1.2.1033501218.1368477899",
    "Set-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/; Domain=x.internal",
    "git checkout -b feature=1 && mkdir -p a/b1 && ssh -p 2222 x && docker run -p 8080:80 x",
    "mysql -p shop1 -P 3306 && mysql -p && redis-cli -a && zip -Pr x",
    "sshpass -p \"$PASS1\" ssh x; sshpass -e ssh x; mysql -p${PASS}",
    "{\"type\": \"thinking\", \"signature\": \"EqQBCkYIBRgCKkBmVZ8Q1w7X2yT4nR6pL9sK3jH5gF8dS0aZ1xC4vB7nM2qW5eR8\"}",
    "def f(signature=None, sig=inspect.signature(x))",
    "{\"name\": \"replicas\", \"value\": \"a1b2c3d4e5f6a7b8\"}",
    "https://0123456789abcdef0123456789abcde1@o1.ingest.sentry.io/1",
    "10:5432:2: a:5432:b",
    "鍵: 値 password：パスワード password: \"パスワード\"",
    "",
];

#[test]
fn every_kind_goes_wherever_it_stands() {
    assert!(kinds().len() >= 106);
    for (kind, secret) in kinds() {
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
            check(&kind, [before, &secret, after]);
        }
    }
}

/// Behaviour 3.3.
#[test]
fn colours_do_not_hide_a_secret() {
    for (kind, secret) in kinds() {
        for code in ["\u{1b}[31m", "\u{1b}[0;1m", "\\u001b[31m", "\u{1b}]8;;http://x\u{7}"] {
            let (head, tail) = secret.split_at(secret.len() / 2);
            check(&kind, ["x ", &format!("{head}{code}{tail}"), "\u{1b}[0m y"]);
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

/// The list that the clients' harness puts into files, logs and variables.
#[test]
fn every_secret_of_the_list_goes_where_it_stands() {
    let all = secrets();
    assert!(all.len() >= 60 && all.iter().any(|(_, [before, ..])| !before.is_empty()));
    for (kind, [before, secret, after]) in all {
        check(&kind, [&before, &secret, &after]);
        check(&kind, [&format!("a\n{before}"), &secret, &format!("{after}\nb")]);
    }
}

/// Behaviour 14.1.
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

/// Behaviour 14.3, 17.3.
#[test]
fn what_is_no_secret_stays() {
    for text in HARMLESS {
        assert!(matches!(redact(text), Cow::Borrowed(same) if same == *text), "{text}\n{}", redact(text));
    }
}

#[test]
fn the_corpus_stays() {
    for ToolOutput { name, text, .. } in outputs() {
        // GitHub's example of a repository holds a token to clone it with.
        let known = name.ends_with("github-graphql-repository.json");
        assert!(known || redact(&text) == text, "{name}");
    }
    for conversation in conversations() {
        let body = String::from_utf8(conversation.body).unwrap();
        assert!(redact(&body) == body, "{}", conversation.name);
    }
}

/// Prints what is masked in the folders that `TERSELY_TREES` names, to be looked at: `just alarms FOLDERS`.
#[test]
#[ignore = "measures folders that the caller names"]
fn alarms_in_trees() {
    let trees = std::env::var("TERSELY_TREES").unwrap_or_default();
    for tree in trees.split(':').filter(|tree| !tree.is_empty()) {
        let (mut read, mut hit, mut masks) = (0, 0, 0);
        for file in files(Path::new(tree)) {
            let Some(text) = fs::read(&file).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else {
                continue;
            };
            let sealed = redact(&text);
            let found = sealed.matches("[REDACTED_").count() - text.matches("[REDACTED_").count();
            (read, hit, masks) = (read + 1, hit + usize::from(found > 0), masks + found);
            for line in sealed.lines().filter(|line| line.contains("[REDACTED_") && !text.contains(*line)) {
                println!("{}: {}", file.display(), line.trim());
            }
        }
        println!("{tree}: {masks} masks in {hit} of {read} files");
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
            let outcome = compress(&plan, Call::default(), &text);
            assert!(outcome.redacted == 2 && !outcome.text.contains(&key[4..]), "{}", outcome.text);
        }
    }
    let off = Plan { redact: Redaction::Off, mode: Mode::Safe, ..Plan::default() };
    assert_eq!(compress(&off, Call::default(), &text).text, text);
    let disabled = Plan { mode: Mode::Disabled, ..Plan::default() };
    assert_eq!(compress(&disabled, Call::default(), &text).text, text);
}

/// Behaviour 17.3.
#[test]
fn line_ends_are_no_secrets() {
    let plan = Plan { mode: Mode::Safe, ..Plan::default() };
    let outcome = compress(&plan, Call::default(), "a\r\nb\r\n");
    assert_eq!((&*outcome.text, outcome.redacted), ("a\r\nb\r\n", 0));
}

/// Masks are exempt from the law that nothing may cost more: whoever reads one must know what it stands for.
#[test]
fn masks_are_always_in_words() {
    let plan = Plan { mode: Mode::Safe, ..Plan::default() };
    for (seed, (before, template, after)) in PLACES.iter().enumerate() {
        let text = format!("{before}{}{after}", fill(template, seed));
        let outcome = compress(&plan, Call::default(), &text);
        assert_eq!(outcome.redacted, 1, "{text}");
        assert_eq!(outcome.text, redact(&text), "{text}");
        assert!(outcome.text.contains(MASK) && !outcome.text.contains("***"), "{}", outcome.text);
    }
}

/// Parts of texts that would take a careless scanner for ever, or past a letter's middle.
const HOSTILE: &[&str] = &[
    "eyJ",
    "=",
    ":",
    "-",
    "\\",
    "\"",
    "'",
    "7",
    " ",
    "\n",
    "password=",
    "password: \"",
    "token=a",
    "token=-",
    "token:",
    "token%3D",
    "a:",
    "value=",
    "name: value: ",
    "Cookie: ",
    "Cookie:a=b;",
    "a=b;",
    "\\u003d",
    "password\\u003d",
    "\\\"password\\\":\\\"",
    "%3D",
    "password%3D",
    "&quot;",
    " -p",
    " -b ",
    " -p mysql",
    "machine password ",
    "password login x ",
    "password \\n",
    "Basic ",
    "Basic a",
    "sha256=hf_",
    "export ",
    "export A_KEY=",
    ":5432:",
    "f(password=\"hunter2\",",
    "-----BEGIN PRIVATE KEY-----",
    "://a:",
    "://a",
    "@",
    "\u{1b}[",
    "\\u001b[",
    "é=",
    "sk-",
    "\u{1b}]",
    "_",
    "1:A",
    "<password>",
    "X-Amz-Signature=a&",
];

/// A part over and over, in lines of some thousand bytes: values are read to their line's end, and no farther than so.
fn lines(part: &str, size: usize) -> String {
    let line = part.repeat(4000 / part.len()) + "\n";
    line.repeat(size / line.len())
}

#[test]
fn hostile_texts_do_no_harm() {
    for part in HOSTILE {
        masked_once(&lines(part, 20_000));
        let text = part.repeat(20_000 / part.len());
        masked_once(&text);
        for cut in 0..part.len().min(4) {
            masked_once(text.get(cut..).unwrap_or_default());
        }
    }
}

/// Ten times the text takes about ten times as long: a scan that looked at everything again for each sign would take a
/// hundred times. Times of a few milliseconds say nothing, so they may grow as they like.
#[test]
fn hostile_texts_take_time_by_their_size() {
    let time = |text: &str| {
        let start = thread_time();
        let _ = redact(text);
        thread_time().saturating_sub(start)
    };
    let whole = HOSTILE
        .iter()
        .map(|part| (part, part.repeat(10_000 / part.len()), part.repeat(100_000 / part.len())));
    let cut = HOSTILE.iter().map(|part| (part, lines(part, 10_000), lines(part, 100_000)));
    for (part, small, large) in whole.chain(cut) {
        let least = time(&small).max(Duration::from_millis(4));
        // Something else may be slow once, not three times in a row.
        let slow = (0..3).all(|_| time(&large) > least * 30);
        assert!(!slow, "{part:?}: ten times the text takes more than thirty times {least:?}");
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
        masked_once(&text);
    }
}

/// Holds that what is masked stays so: a second search may find what stood beside a secret, and eats no mask.
fn masked_once(text: &str) {
    let masks = |text: &str| text.matches("[REDACTED_").count();
    let once = redact(text);
    let twice = redact(&once);
    assert!(masks(&twice) >= masks(&once), "{text}\n{once}\n{twice}");
}

/// Redacts `before secret after`, and sees the secret gone and the rest unchanged.
fn check(kind: &str, [before, secret, after]: [&str; 3]) {
    let text = format!("{before}{secret}{after}");
    assert_eq!(redact(&text), format!("{before}{MASK}{after}"), "{kind}: {text}");
}

/// Those that are known wherever they stand.
fn kinds() -> Vec<(String, String)> {
    let alone = |(kind, [before, secret, after]): (String, [String; 3])| {
        (before.is_empty() && after.is_empty()).then_some((kind, secret))
    };
    secrets().into_iter().filter_map(alone).collect()
}
