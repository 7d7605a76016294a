//! Table: default addresses of providers, by the names that the settings of many clients use.

use serde_json::{Map, Value};
use tersely_gateway::Vendor;
use tersely_terminal::fault::CommandFault;

use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::vendor::VendorPlace;

/// The names of a provider, the provider if the gateway knows it, and its address with the version path.
const USUAL: [(&[&str], Option<Vendor>, &str); 4] = [
    (&["anthropic"], Some(Vendor::Anthropic), "https://api.anthropic.com/v1"),
    (&["openai", "openai-native"], Some(Vendor::OpenAi), "https://api.openai.com/v1"),
    (&["google", "gemini"], Some(Vendor::Gemini), "https://generativelanguage.googleapis.com/v1beta"),
    (&["openrouter"], None, "https://openrouter.ai/api/v1"),
];

/// The default address of a provider.
pub(super) fn usual(name: &str) -> Option<(Option<Vendor>, &'static str)> {
    let found = USUAL.iter().find(|(names, ..)| names.contains(&name));
    found.map(|(_, vendor, address)| (*vendor, *address))
}

/// All default addresses.
pub(super) fn addresses() -> impl Iterator<Item = &'static str> {
    USUAL.iter().map(|(.., address)| *address)
}

/// Replaces the address at `key` in a table of a client's settings with a local one. If there is no address, the
/// default address of `provider` is used instead. False if there is neither.
pub(super) fn lead(
    endpoints: &mut LocalEndpoints,
    provider: &str,
    table: &mut Map<String, Value>,
    key: &str,
) -> Result<bool, CommandFault> {
    let url = match table.get(key).and_then(Value::as_str).unwrap_or_default().trim() {
        "" => match usual(provider) {
            Some(usual) => endpoints.lead(provider, usual, &VendorPlace::Usual)?,
            None => None,
        },
        url if url.contains("://") => {
            let end = if url.ends_with('/') { "/" } else { "" };
            Some(format!("{}{end}", endpoints.open(provider, url)?))
        }
        _ => None,
    };
    Ok(url.map(|url| table.insert(key.to_owned(), Value::from(url))).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_heard_before_what_is_usual() {
        for (provider, before, after) in [
            ("anthropic", json!({}), Some("https://api.anthropic.com/v1")),
            ("anthropic", json!({"url": ""}), Some("https://api.anthropic.com/v1")),
            ("anthropic", json!({"url": "http://h/x/"}), Some("http://h/x/")),
            ("mine", json!({"url": "http://h/x"}), Some("http://h/x")),
            ("mine", json!({}), None),
            ("anthropic", json!({"url": "${{ secrets.PLACE }}"}), None),
        ] {
            let (mut endpoints, mut table) =
                (LocalEndpoints::default(), before.as_object().cloned().expect("a table"));
            let led = lead(&mut endpoints, provider, &mut table, "url").expect("a door");
            let now = table.get("url").and_then(Value::as_str).map(|url| endpoints.resolve(url));
            assert_eq!(
                (led, now.filter(|_| led).as_deref()),
                (after.is_some(), after),
                "{provider} {before}"
            );
        }
    }
}
