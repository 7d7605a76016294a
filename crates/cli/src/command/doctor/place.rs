//! Checks the address to listen on, and every upstream.

use tersely_agents::is_ours;
use tersely_gateway::{Error, GatewaySettings, Upstream, Vendor, probe};
use tokio::net::TcpListener;

use crate::command::doctor::finding::Finding;

/// Checks the address to listen on, and every upstream.
pub(crate) async fn look(settings: &GatewaySettings) -> Vec<Finding> {
    let mut findings = vec![listen(settings).await];
    let mut asked: Vec<(String, tokio::task::JoinHandle<Finding>)> = Vec::new();
    for provider in Vendor::ALL {
        let Some(upstream) = settings.upstreams.of(provider).cloned() else { continue };
        if asked.iter().all(|(url, _)| *url != upstream.url()) {
            let settings = settings.clone();
            asked.push((
                upstream.url(),
                tokio::spawn(async move { reach(&settings, provider, &upstream).await }),
            ));
        }
    }
    for (url, task) in asked {
        let finding = task.await.unwrap_or_else(|_| Finding::bad(url, "could not be checked"));
        findings.push(finding);
    }
    findings
}

async fn listen(settings: &GatewaySettings) -> Finding {
    let (listen, subject) = (settings.listen, format!("listen {}", settings.listen));
    if TcpListener::bind(listen).await.is_ok() {
        return Finding::open(subject, "free; `tersely serve` would listen here").public("listen: free");
    }
    if is_ours(settings, listen).await {
        return Finding::good(subject, "Tersely is running here").public("listen: Tersely is running here");
    }
    Finding::bad(subject, "in use by another program; choose another address with `tersely serve --listen`")
        .public("listen: in use by another program")
}

/// Connects to an upstream. If nothing listens on Ollama's default address, that is not an error, because few users run
/// Ollama.
async fn reach(settings: &GatewaySettings, provider: Vendor, upstream: &Upstream) -> Finding {
    let subject = format!("upstream {}", upstream.url());
    let usual = if provider.address() == Some(&upstream.url()) { "default" } else { "custom" };
    let public = |seen: &str| format!("upstream {} ({usual} address): {seen}", provider.name());
    match probe(settings, upstream, "/").await {
        Ok((status, _)) => Finding::good(subject, format!("responds ({status}){}", by(settings, upstream)))
            .public(public(&format!("responds ({})", status.as_u16()))),
        Err(_) if provider == Vendor::Ollama && Some(upstream.url().as_str()) == provider.address() => {
            Finding::open(subject, "not running").public(public("not running"))
        }
        Err(error) => {
            let advice = advice(&error);
            Finding::bad(subject, format!("{error}{}; {advice}", by(settings, upstream)))
                .public(public(&format!("does not respond; {advice}")))
        }
    }
}

/// A note about the proxy that is used to reach an upstream, if there is one.
fn by(settings: &GatewaySettings, upstream: &Upstream) -> String {
    if settings.proxy.url.is_empty() || !upstream.url().starts_with("https:") {
        return String::new();
    }
    ", through the proxy in HTTPS_PROXY".to_owned()
}

fn advice(error: &Error) -> &'static str {
    let message = error.message.to_ascii_lowercase();
    if message.contains("certificate") {
        return "if your company inspects TLS, set SSL_CERT_FILE to its certificate file";
    }
    if message.contains("refused") {
        return "nothing is listening there: start the server, or set another upstream";
    }
    "check the network, and HTTPS_PROXY if it is set"
}
