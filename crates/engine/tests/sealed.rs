//! Secrets planted in every place of every provider's format: none is forwarded once masking is on everywhere.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::fs;

use serde_json::Value;
use tersely_core::{Loss, Mode, Plan, Redaction};
use tersely_engine::{Engine, EngineSettings, PlanOverride, Request, Rule, seal};
use tersely_testing::corpus::project;
use tersely_testing::secrets::{fill, secrets};
use tersely_wire::PROVIDERS;

const MASK: &str = "[REDACTED_SECRET]";

/// Marks the place of a secret in a body.
const PLACE: &str = "<HERE>";

/// The same within JSON that is itself a string.
const NESTED: &str = "<NESTED>";

/// Marks places where nothing may change: names, ids, schemas, and what a provider has signed.
const STAYS: &str = "<STAYS>";

/// A secret in its context, and what may remain visible of that.
struct Planted {
    kind: String,
    text: String,
    seen: String,
    secret: String,
}

fn planted() -> Vec<Planted> {
    let one = |(kind, [before, secret, after]): (String, [String; 3])| Planted {
        kind,
        text: format!("{before}{secret}{after}"),
        seen: format!("{before}{MASK}{after}"),
        secret,
    };
    let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", fill("{A64}", 7));
    let pem = Planted {
        kind: "private key".to_owned(),
        text: format!("a\n{key}\nb"),
        seen: "a\n[REDACTED_PRIVATE_KEY]\nb".to_owned(),
        secret: fill("{A64}", 7),
    };
    secrets().into_iter().map(one).chain([pem]).collect()
}

/// The body of a provider with every place to fill, and how many there are.
fn template(provider: &str) -> (String, usize) {
    let file = project().join(format!("crates/engine/tests/planted/{provider}.json"));
    let body = fs::read_to_string(&file).expect("a body for each provider");
    let places = body.matches(PLACE).count() + body.matches(NESTED).count();
    (body, places)
}

fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

/// The template with `said` in every place, spelled by `spell`, and `kept` where nothing may change.
fn filled(template: &str, spell: impl Fn(&str) -> String, said: &str, kept: &str) -> String {
    let nested = quoted(&spell(said));
    template.replace(NESTED, &nested).replace(PLACE, &spell(said)).replace(STAYS, &quoted(kept))
}

/// Every letter as a JSON escape.
fn escaped(text: &str) -> String {
    text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>().concat()
}

fn sealed(body: &str) -> String {
    let masked = seal(body.as_bytes()).expect("a body that can be searched");
    String::from_utf8(masked.body.into_owned()).expect("text")
}

/// Behaviour 14.2, 14.3, 0.16: in every place each secret is masked, and no other byte changes.
#[test]
fn every_place_of_every_shape_is_masked() {
    let planted = planted();
    assert!(planted.len() >= 60);
    for provider in PROVIDERS {
        let (template, places) = template(provider.name());
        assert!(places >= 10, "{}", provider.name());
        for Planted { kind, text, seen, .. } in &planted {
            let name = format!("{}: {kind}", provider.name());
            let body = filled(&template, quoted, text, text);
            assert_same(&name, &sealed(&body), &filled(&template, quoted, seen, text));
        }
    }
}

/// However the letters of a body are spelled.
#[test]
fn escapes_hide_no_secret() {
    for provider in PROVIDERS {
        let (template, _) = template(provider.name());
        for Planted { kind, text, secret, .. } in planted() {
            let body = filled(&template, escaped, &text, "x");
            let sealed = serde_json::from_str::<Value>(&sealed(&body)).expect("JSON").to_string();
            assert!(!sealed.contains(&quoted(&secret)), "{}: {kind}", provider.name());
        }
    }
}

/// Behaviour 14.2: text that is compressed after masking shows no secret either.
#[test]
fn no_secret_is_in_what_is_passed_on() {
    let plan = Plan { redact: Redaction::All, ..Plan::default() };
    let engine = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
    assert!(engine.seals());
    for provider in PROVIDERS {
        let (template, _) = template(provider.name());
        for Planted { kind, text, secret, .. } in planted() {
            let long = format!("{text}\n{}", "a line that says nothing\n".repeat(40));
            let masked = sealed(&filled(&template, quoted, &long, "x"));
            let passed = engine.pass(&Request::new(provider, "/"), masked.as_bytes()).expect("a body");
            let sent = String::from_utf8_lossy(&passed.body);
            for spelled in [secret.clone(), quoted(&secret), quoted(&quoted(&secret))] {
                assert!(!sent.contains(&spelled), "{}: {kind}", provider.name());
            }
        }
    }
}

/// Behaviour 14.9: no limit of size, tool or time takes precedence over masking, whether settings, a rule or the
/// request set it.
#[test]
fn no_rule_of_size_tool_or_time_goes_before_a_mask() {
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let body = format!(
        r#"{{"messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"a","name":"Bash","input":{{"command":"env"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":"x {secret} \u00e9"}}]}}]}}"#
    );
    let expected = body.replace(&secret, MASK).replace("\\u00e9", "é");
    let plans = [
        Plan { min_bytes: 1 << 30, ..Plan::default() },
        Plan { skip_above: 1, ..Plan::default() },
        Plan::default(),
    ];
    let skips = |skip_tools: &[&str]| skip_tools.iter().map(|tool| (*tool).to_owned()).collect::<Vec<_>>();
    let check = |settings: EngineSettings, change: &dyn Fn(&mut Request<'_>)| {
        let engine = Engine::new(settings);
        let mut request = Request::new(PROVIDERS[0], "/v1/messages");
        change(&mut request);
        let passed = engine.pass(&request, body.as_bytes()).expect("a body");
        assert_same("passed", &String::from_utf8_lossy(&passed.body), &expected);
        assert_eq!((passed.report.record.redacted, passed.report.record.changed), (1, 1));
        let masked = engine.mask(&request, body.as_bytes()).expect("a mask");
        assert_same("masked", &String::from_utf8_lossy(&masked), &expected);
    };
    for plan in plans {
        for listed in [&["bash"][..], &["Bash"], &["generic", "bash"]] {
            let settings = || EngineSettings { plan, skip_tools: skips(listed), ..EngineSettings::default() };
            check(settings(), &|_| {});
        }
        let settings = || EngineSettings { plan, ..EngineSettings::default() };
        check(settings(), &|request| request.asked.skip_tools = skips(&["bash"]));
        check(settings(), &|request| request.plain = 1);
        let change = PlanOverride::of(&["min_bytes", "skip_above"], plan);
        let rules = vec![Rule { tool: Some("B*".to_owned()), change, ..Rule::default() }];
        check(EngineSettings { rules, ..EngineSettings::default() }, &|request| request.plain = 1);
    }
}

/// The request's option for masks applies also when there is no time to compress.
#[test]
fn nothing_is_masked_where_that_was_not_wanted() {
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let body = format!(
        r#"{{"messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":"x {secret}"}}]}}]}}"#
    );
    for plan in [
        Plan { mode: Mode::Disabled, ..Plan::default() },
        Plan { mode: Mode::Observe, ..Plan::default() },
        Plan { loss: Loss::None, ..Plan::default() },
        Plan { redact: Redaction::Off, ..Plan::default() },
    ] {
        let engine = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
        let request = Request::new(PROVIDERS[0], "/v1/messages");
        assert_eq!(engine.mask(&request, body.as_bytes()), None, "{plan:?}");
        let passed = engine.pass(&request, body.as_bytes()).expect("a body");
        assert!(String::from_utf8_lossy(&passed.body).contains(&secret), "{plan:?}");
    }
}

/// Secrets that only their names give away, in arguments and answers that are objects.
#[test]
fn what_neighbours_give_away_is_masked_too() {
    let line = fill("{A64}", 7);
    for (said, seen) in [
        (
            r#"{"env":[{"name":"DB_PASSWORD","value":"Gr12x!abcd"}]}"#,
            r#"{"env":[{"name":"DB_PASSWORD","value":"[REDACTED_SECRET]"}]}"#.to_owned(),
        ),
        (r#"{"DB_PASSWORD":"Gr12x!ab\"cd"}"#, r#"{"DB_PASSWORD":"[REDACTED_SECRET]"}"#.to_owned()),
        (
            &format!(
                r#"{{"lines":["-----BEGIN PRIVATE KEY-----\n","{line}\n","-----END PRIVATE KEY-----\n","x"]}}"#
            ),
            r#"{"lines":["[REDACTED_PRIVATE_KEY]","[REDACTED_PRIVATE_KEY]","[REDACTED_PRIVATE_KEY]\n","x"]}"#
                .to_owned(),
        ),
    ] {
        for frame in [
            r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":HERE}]}]}"#,
            r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"b","arguments":HERE}}]}]}"#,
            r#"{"contents":[{"parts":[{"functionResponse":{"name":"b","response":HERE}}]}]}"#,
        ] {
            assert_same(said, &sealed(&frame.replace("HERE", said)), &frame.replace("HERE", &seen));
        }
    }
}

/// Long base64 that is not an image: a key by its name, by its prefix, and by both.
#[test]
fn long_secrets_are_no_pictures() {
    let key = fill("LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk{A1600}==", 3);
    let picture = fill("iVBORw0KGgo{A1600}==", 4);
    for (said, seen) in [
        (format!(r#"{{"x":"{key}"}}"#), r#"{"x":"[REDACTED_SECRET]"}"#.to_owned()),
        (
            format!(r#"{{"client_secret":"{picture}"}}"#),
            r#"{"client_secret":"[REDACTED_SECRET]"}"#.to_owned(),
        ),
        (
            format!(r#"{{"x":"client_secret={picture}"}}"#),
            r#"{"x":"client_secret=[REDACTED_SECRET]"}"#.to_owned(),
        ),
        (format!(r#"{{"data":"{picture}"}}"#), format!(r#"{{"data":"{picture}"}}"#)),
        (
            format!(r#"{{"url":"data:image/png;base64,{picture}"}}"#),
            format!(r#"{{"url":"data:image/png;base64,{picture}"}}"#),
        ),
    ] {
        assert_same("long", &sealed(&said), &seen);
        let tool = |object: &str| format!(r#"{{"content":[{{"type":"tool_use","input":{object}}}]}}"#);
        assert_same("long", &sealed(&tool(&said)), &tool(&seen));
    }
}

fn assert_same(name: &str, found: &str, expected: &str) {
    let same = found.bytes().zip(expected.bytes()).take_while(|(one, two)| one == two).count();
    let near = |text: &str| {
        let from = text.floor_char_boundary(same.saturating_sub(120));
        text[from..text.floor_char_boundary(same + 120)].to_owned()
    };
    assert!(found == expected, "{name}\nfound:    {}\nexpected: {}", near(found), near(expected));
}
