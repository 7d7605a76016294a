//! Sends one real request through a gateway, for `init --verify`.

use std::io::{self, IsTerminal as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use tersely_agents::clients::ClientEnvironment;
use tersely_agents::{Consent, ask, is_ours};
use tersely_gateway::{GatewaySettings, Upstream, Vendor, bind, fetch, serve};
use tersely_settings::AllSettings;
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::output;

use crate::gateway::{ReadyGateway, runtime};

/// A request that costs nothing: listing the models.
struct CheapCall {
    vendor: Vendor,
    /// The variable that contains the key.
    key: &'static str,
    path: &'static str,
    /// The header for the key, and the prefix of the header's value.
    header: (&'static str, &'static str),
}

const CALLS: [CheapCall; 3] = [
    CheapCall {
        vendor: Vendor::Anthropic,
        key: "ANTHROPIC_API_KEY",
        path: "/v1/models",
        header: ("x-api-key", ""),
    },
    CheapCall {
        vendor: Vendor::OpenAi,
        key: "OPENAI_API_KEY",
        path: "/v1/models",
        header: ("authorization", "Bearer "),
    },
    CheapCall {
        vendor: Vendor::Gemini,
        key: "GEMINI_API_KEY",
        path: "/v1beta/models",
        header: ("x-goog-api-key", ""),
    },
];

/// Checks that a gateway is ready: the one at `at` or, without an address, a gateway started for this purpose. If the
/// user agrees and a key is set, also sends a request to a provider through the gateway. Prints the result.
pub(super) fn run(
    meant: AllSettings,
    at: Option<SocketAddr>,
    environment: &ClientEnvironment,
    consent: &Consent,
) -> Result<bool, Stop> {
    let proxy = ReadyGateway::new(meant, None)?;
    let runtime = runtime()?;
    let verified = runtime.block_on(async {
        let address = match at {
            Some(address) => address,
            None => own(&proxy).await?,
        };
        if !is_ours(&proxy.settings, address).await {
            output::note(&format!(
                "verify: no gateway responds at {address}; run `tersely doctor` to find out why"
            ))?;
            return Ok(false);
        }
        output::note("verify: the gateway is ready")?;
        calls(&proxy.settings, address, environment, consent).await
    });
    runtime.shutdown_background();
    verified
}

/// Starts a gateway like that of `tersely run`. It runs for as long as the runtime exists.
async fn own(proxy: &ReadyGateway) -> Result<SocketAddr, Stop> {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let settings = GatewaySettings { listen, ..proxy.settings.clone() };
    let hint = "close other programs and try again";
    let listener = bind(&settings).await.map_err(|error| CommandFault::unable(error.to_string(), hint))?;
    let address = listener.local_addr()?;
    tokio::spawn(serve(settings, Arc::clone(&proxy.rewrite) as _, listener, std::future::pending()));
    Ok(address)
}

async fn calls(
    settings: &GatewaySettings,
    address: SocketAddr,
    environment: &ClientEnvironment,
    consent: &Consent,
) -> Result<bool, Stop> {
    let hint = "choose another address with --listen";
    let here: Upstream = format!("http://{address}")
        .parse()
        .map_err(|error: tersely_gateway::Error| CommandFault::unable(error.to_string(), hint))?;
    if !consent.yes && !io::stdin().is_terminal() {
        output::note(
            "verify: no request was sent through the gateway, because there is no terminal to ask; add --yes to send one",
        )?;
        return Ok(true);
    }
    let keyed: Vec<_> = CALLS.iter().filter_map(|call| Some((call, environment.var(call.key)?))).collect();
    if keyed.is_empty() {
        let keys = CALLS.map(|call| call.key).join(", ");
        output::note(&format!(
            "verify: no request was sent through the gateway, because none of {keys} is set"
        ))?;
    }
    let mut all_well = true;
    for (call, key) in keyed {
        let place = settings.upstreams.of(call.vendor).map_or_else(String::new, Upstream::url);
        let what = format!("GET {place}{} with {}", call.path, call.key);
        if !consent.yes && !ask(&format!("verify: send {what} through the gateway?"))? {
            continue;
        }
        let said = match headers(call, key) {
            Some(headers) => {
                fetch(settings, &here, call.path, headers).await.map_err(|error| error.to_string())
            }
            None => Err("the key contains characters that are not allowed in a header".to_owned()),
        };
        all_well &= said.as_ref().is_ok_and(|(status, _)| status.is_success());
        let said = said.map_or_else(|why| why, |(status, _)| status.to_string());
        output::note(&format!("verify: {what}: {said}"))?;
    }
    Ok(all_well)
}

fn headers(call: &CheapCall, key: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    let (name, before) = call.header;
    let mut value = HeaderValue::try_from(format!("{before}{key}")).ok()?;
    value.set_sensitive(true);
    headers.insert(HeaderName::from_static(name), value);
    if call.vendor == Vendor::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    Some(headers)
}
