//! Checks the variables that point clients at an address. For keys, it only reports that they are set.

use tersely_agents::clients::{ClientEnvironment, VENDORS};
use tersely_gateway::{GatewaySettings, Upstream, probe};

use crate::command::doctor::finding::Finding;

/// Variables that contain keys.
const KEYS: [&str; 8] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "CODEX_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AZURE_OPENAI_API_KEY",
];

/// Variables that configure the network. The first two may contain a password.
const NETWORK: [&str; 6] =
    ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"];

/// Checks all variables that are set.
pub(crate) async fn look(settings: &GatewaySettings, environment: &ClientEnvironment) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in VENDORS.iter().flat_map(|vendor| vendor.names) {
        if let Some(url) = environment.url(name) {
            findings.push(address(settings, name, &url).await);
        }
    }
    if findings.is_empty() {
        let names = "ANTHROPIC_BASE_URL, OPENAI_BASE_URL, ...";
        findings.push(
            Finding::open(names, "not set: clients connect directly to their providers, not through Tersely")
                .public("no base URL in the environment"),
        );
    }
    let key = |name: &&str| Finding::good(*name, "set").public(format!("{name}: set"));
    findings.extend(KEYS.iter().filter(|name| environment.var(name).is_some()).map(key));
    findings.extend(NETWORK.iter().filter_map(|name| network(name, environment)));
    findings
}

/// Checks a variable that points clients at an address.
async fn address(settings: &GatewaySettings, name: &str, url: &str) -> Finding {
    let Ok(upstream) = url.parse::<Upstream>() else {
        return Finding::bad(name, format!("{} is not a valid address; fix or unset {name}", plain(url)))
            .public(format!("{name}: not a valid address"));
    };
    let shown = upstream.url();
    match probe(settings, &upstream, "/readyz").await {
        Ok((_, headers)) if headers.get("server").is_some_and(|it| it == "tersely") => {
            Finding::good(name, format!("{shown} is Tersely")).public(format!("{name}: Tersely"))
        }
        Ok(_) => Finding::open(name, format!("{shown} responds, but is not Tersely"))
            .public(format!("{name}: responds, but is not Tersely")),
        Err(error) => {
            let advice = format!("start the server, or unset {name}");
            Finding::bad(name, format!("{shown} does not respond, so clients will fail: {error}; {advice}"))
                .public(format!("{name}: does not respond"))
        }
    }
}

fn network(name: &str, environment: &ClientEnvironment) -> Option<Finding> {
    let value = environment.var(name).or_else(|| environment.var(&name.to_lowercase()))?;
    let is_file = name.ends_with("_FILE") || name.ends_with("_CERTS");
    if is_file && !std::path::Path::new(value).is_file() {
        let finding = Finding::bad(name, format!("{value} is not a file; fix or unset {name}"));
        return Some(finding.public(format!("{name}: not a file")));
    }
    Some(Finding::good(name, plain(value)).public(format!("{name}: set")))
}

/// A URL without its user name and password.
fn plain(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (scheme, rest));
    let bare = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    if scheme.is_empty() { bare.to_owned() } else { format!("{scheme}://{bare}") }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_password_is_not_shown() {
        for (url, shown) in
            [("http://u:p@h:1", "http://h:1"), ("u:p@h", "h"), ("http://u:a@b@h", "http://h"), ("h,g", "h,g")]
        {
            assert_eq!(plain(url), shown);
        }
    }
}
