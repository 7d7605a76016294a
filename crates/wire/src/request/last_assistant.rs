//! Finds the end of the model's last message: the model has not seen anything after it.

use tersely_json::{JsonError, JsonScan, scan_all};

/// The position where the model's last message ends.
#[derive(Default)]
pub(crate) struct LastMessageEnd(usize);

/// The end of the last of the model's messages that `walk` finds. For a body that cannot be read, this is the length
/// of the body.
pub(crate) fn find<'a>(
    body: &'a [u8],
    walk: impl FnOnce(&mut JsonScan<'a>, &mut LastMessageEnd) -> Result<(), JsonError>,
) -> usize {
    scan_all(body, walk).map_or(body.len(), |LastMessageEnd(end)| end)
}

/// The position where the model's last message in the array `messages` ends.
pub(crate) fn in_messages(body: &[u8]) -> usize {
    find(body, |scan, found| scan.items_of("messages", |scan| message("assistant", scan, found)))
}

/// Reads the message at the current position; it is the model's if its role is `role`.
pub(crate) fn message(
    role: &str,
    scan: &mut JsonScan<'_>,
    found: &mut LastMessageEnd,
) -> Result<(), JsonError> {
    item(scan, found, |_, spoken| spoken == role)
}

/// Reads the item at the current position; it is the model's if `speaks` returns true for its type and its role.
pub(crate) fn item(
    scan: &mut JsonScan<'_>,
    found: &mut LastMessageEnd,
    speaks: impl FnOnce(&str, &str) -> bool,
) -> Result<(), JsonError> {
    let (mut kind, mut role) = (None, None);
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"role" => scan.word(&mut role),
        _ => scan.skip().map(drop),
    })?;
    if speaks(kind.as_deref().unwrap_or_default(), role.as_deref().unwrap_or_default()) {
        found.0 = scan.at();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::providers::PROVIDERS;

    /// Checks that `new` is the part of the body after the model's last message.
    fn check(path: &str, body: &str, new: &str) {
        let provider = PROVIDERS.iter().find(|provider| provider.claims(path)).expect("a provider");
        assert_eq!(&body[provider.last_assistant_end(body.as_bytes())..], new, "{path}");
    }

    #[test]
    fn what_stands_behind_the_last_words_of_the_model_is_new() {
        check(
            "/v1/messages",
            r#"{"messages":[{"role":"user"},{"content":[],"role":"assistant"},2]}"#,
            ",2]}",
        );
        check("/v1/messages", r#"{"messages":[{"role":"user"}]}"#, r#"{"messages":[{"role":"user"}]}"#);
        let body = r#"{"messages":[{"role":"user"},{"content":[],"role":"assistant"},2]}"#;
        check("/model/x/converse", body, ",2]}");
        check("/model/x/invoke", body, ",2]}");
        check(
            "/v1/chat/completions",
            r#"{"messages":[{"role":"assistant"},{"role":"tool"}]}"#,
            r#",{"role":"tool"}]}"#,
        );
        check("/api/chat", r#"{"messages":[{"role":"assistant"},{"role":"tool"}]}"#, r#",{"role":"tool"}]}"#);
        for said in
            ["function_call\"", "local_shell_call\"", "reasoning\"", "message\",\"role\":\"assistant\""]
        {
            let body = format!(r#"{{"input":[{{"type":"{said}}},{{"type":"function_call_output"}}]}}"#);
            check("/v1/responses", &body, r#",{"type":"function_call_output"}]}"#);
        }
        let wrapped = r#"{"request":{"contents":[{"role":"model"},{"role":"user"}]}}"#;
        check("/v1beta/models/m:generateContent", wrapped, r#",{"role":"user"}]}}"#);
    }

    #[test]
    fn nothing_is_new_in_what_cannot_be_read() {
        check("/v1/messages", r#"{"messages":[{"role":"user"}"#, "");
    }
}
