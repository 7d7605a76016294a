//! Checks the hidden tool in requests: the same bytes after the client's last tool, and no other change.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use tersely_wire::hidden::{HiddenTool, ToolHiding};
use tersely_wire::{Insertion, WireError, claimed_provider};

const TOOL: HiddenTool = HiddenTool {
    name: "own",
    description: "Shows \"all\".\n",
    parameters: r#"{"type":"object","properties":{"id":{"type":"string"}}}"#,
};

const MESSAGES: &str = r#"{"name":"own","description":"Shows \"all\".\n","input_schema":{"type":"object","properties":{"id":{"type":"string"}}}}"#;

const CONTENTS: &str = r#"{"name":"own","description":"Shows \"all\".\n","parameters":{"type":"object","properties":{"id":{"type":"string"}}}}"#;

const FUNCTION: &str = r#"{"type":"function","name":"own","description":"Shows \"all\".\n","parameters":{"type":"object","properties":{"id":{"type":"string"}}},"strict":false}"#;

const SPECIFIED: &str = r#"{"toolSpec":{"name":"own","description":"Shows \"all\".\n","inputSchema":{"json":{"type":"object","properties":{"id":{"type":"string"}}}}}}"#;

fn hides(target: &str) -> Option<&'static ToolHiding> {
    claimed_provider(target).expect("a provider").hides(target)
}

fn offer(target: &str, body: &str) -> Result<Option<Insertion>, WireError> {
    let reading = claimed_provider(target).expect("a provider").read(body.as_bytes());
    hides(target).expect("hides").offer(&TOOL, &reading)
}

/// `~` marks where the tool goes; without it, no tool is offered.
fn check(target: &str, definition: &str, body: &str) {
    let plain = body.replace('~', "");
    let offered = offer(target, &plain).expect("a request").map(|tool| tool.apply(plain.as_bytes()));
    let offered = offered.map(|body| String::from_utf8_lossy(&body).into_owned());
    let expected = body.contains('~').then(|| body.replace('~', &format!(",{definition}")));
    assert_eq!(offered, expected, "{body}");
}

#[test]
fn messages_have_it_behind_the_last_tool() {
    let paths = [
        "/v1/messages?beta=true",
        "/v1/messages/count_tokens",
        "/v1/projects/p/locations/l/publishers/anthropic/models/c:streamRawPredict",
    ];
    for path in paths {
        for body in [
            r#"{"model":"c","tools":[{"name":"Bash"}~],"messages":[]}"#,
            "{\n \"messages\": [], \"tools\": [\n  {\"name\": \"a\"},\n  {\"name\": \"b\", \"cache_control\": {}}~\n ]\n}\n",
            r#"{"tools":[{"type":"web_search_20250305","name":"web_search"}~]}"#,
            r#"{"tools":[{"name":"own"}]}"#,
            r#"{"tools":[]}"#,
            r#"{"tools":null}"#,
            r#"{"messages":[{"tools":[1]}]}"#,
        ] {
            check(path, MESSAGES, body);
        }
    }
}

#[test]
fn contents_have_it_behind_the_last_declaration() {
    for body in [
        r#"{"contents":[],"tools":[{"functionDeclarations":[{"name":"sh"}~]}],"x":1}"#,
        r#"{"tools":[{"functionDeclarations":[{"name":"a"}]},{"function_declarations":[ {"name":"b"}~ ]},{"googleSearch":{}}]}"#,
        r#"{"model":"g","request":{"tools":[{"functionDeclarations":[{"name":"sh"}~]}],"contents":[]}}"#,
        r#"{"tools":[{"functionDeclarations":[{"name":"sh"}~]}],"generationConfig":{"candidateCount":1}}"#,
        r#"{"tools":[{"functionDeclarations":[{"name":"sh"}]}],"generationConfig":{"candidateCount":2}}"#,
        r#"{"tools":[{"functionDeclarations":[{"name":"sh"}]}],"generation_config":{"candidate_count":2}}"#,
        r#"{"tools":[{"functionDeclarations":[{"name":"sh"}]}],"toolConfig":{"functionCallingConfig":{"streamFunctionCallArguments":true}}}"#,
        r#"{"tools":[{"functionDeclarations":[{"name":"own"}]}]}"#,
        r#"{"tools":[{"functionDeclarations":[]},{"googleSearch":{}}]}"#,
        r#"{"tools":[{"googleSearch":{}}]}"#,
        r#"{"contents":[]}"#,
        r#"{"generateContentRequest":{"tools":[{"functionDeclarations":[{"name":"sh"}]}]}}"#,
        "[]",
    ] {
        check("/v1beta/models/g:generateContent", CONTENTS, body);
    }
}

/// Behaviour 2.12.
#[test]
fn bedrock_has_it_behind_the_last_tool() {
    for body in [
        r#"{"toolConfig":{"tools":[{"toolSpec":{"name":"a"}},{"cachePoint":{"type":"default"}}~],"toolChoice":{"auto":{}}}}"#,
        r#"{"messages":[],"toolConfig":{"toolChoice":{"any":{}},"tools":[ {"toolSpec":{"name":"a"}}~ ]}}"#,
        r#"{"toolConfig":{"tools":[{"toolSpec":{"name":"own"}}]}}"#,
        r#"{"toolConfig":{"tools":[]}}"#,
        r#"{"toolConfig":{}}"#,
        r#"{"tools":[{"toolSpec":{"name":"a"}}]}"#,
    ] {
        check("/model/m/converse-stream", SPECIFIED, body);
    }
    for body in [
        r#"{"anthropic_version":"bedrock-2023-05-31","tools":[{"name":"Bash"}~]}"#,
        r#"{"tools":[{"name":"Bash"}~],"anthropic_version":"2026-10-21"}"#,
        r#"{"tools":[{"name":"Bash"}]}"#,
        r#"{"tools":[{"type":"function","function":{"name":"anthropic_version"}}]}"#,
    ] {
        check("/model/m/invoke", MESSAGES, body);
    }
}

/// A stream of several rounds cannot be continued by the id it began with.
#[test]
fn responses_that_are_kept_have_it_unless_they_are_streamed() {
    for body in [
        r#"{"tools":[{"type":"function","name":"sh"}~],"input":"Why?"}"#,
        r#"{"tools":[{"type":"function","name":"sh"}~],"store":true,"stream":false}"#,
        r#"{"tools":[{"type":"function","name":"sh"}~],"previous_response_id":"resp_1","stream":null}"#,
        r#"{"tools":[{"type":"function","name":"sh"}~],"store":false,"stream":true}"#,
        r#"{"tools":[{"type":"function","name":"sh"}],"stream":true}"#,
        r#"{"tools":[{"type":"function","name":"sh"}],"store":true,"stream":true}"#,
        r#"{"tools":[{"type":"function","name":"sh"}],"store":null,"stream":true}"#,
        r#"{"stream":true,"tools":[{"type":"function","name":"sh"}],"store":false,"previous_response_id":"resp_1"}"#,
        r#"{"tools":[{"type":"function","name":"sh"}],"conversation":"conv_1"}"#,
        r#"{"tools":[{"type":"function","name":"sh"}],"conversation":{"id":"conv_1"},"store":false}"#,
        r#"{"tools":[{"type":"function","name":"sh"}],"background":true}"#,
    ] {
        check("/v1/responses", FUNCTION, body);
    }
}

#[test]
fn what_is_not_read_alike_by_everyone_is_left_alone() {
    for target in ["/v1/messages", "/v1beta/models/g:generateContent"] {
        for body in [r#"{"tools":[1],"tools":[2]}"#, r#"{"tools":[1]"#, "", r#"{"tools":[1]} x"#] {
            assert!(offer(target, body).is_err(), "{target} {body}");
        }
    }
}

#[test]
fn streams_that_are_no_events_hide_nothing() {
    let hides = |target| hides(target).is_some();
    assert!(hides("/v1beta/models/g:streamGenerateContent?alt=sse"));
    assert!(hides("/v1internal:streamGenerateContent?key=k&alt=sse"));
    assert!(hides("/v1beta/models/g:generateContent"));
    assert!(!hides("/v1beta/models/g:streamGenerateContent"));
    assert!(!hides("/v1beta/models/g:streamGenerateContent?alt=json"));
}
