//! Checks whether what `tersely init` set up still works.

use tersely_agents::{Receipt, ReceiptKind, Receipts};
use tersely_gateway::{GatewaySettings, Upstream, probe};

use crate::command::doctor::finding::Finding;

/// The command that restarts our service.
const AGAIN: &str =
    if cfg!(target_os = "macos") { "tersely init --service" } else { "systemctl --user start tersely" };

/// Checks everything that was set up.
pub(crate) async fn look(settings: &GatewaySettings) -> Vec<Finding> {
    let receipts = match Receipts::look() {
        Ok(receipts) => receipts.all,
        // A user without a home has nothing set up.
        Err(_) if Receipts::file().is_none() => return Vec::new(),
        Err(fault) => {
            let advice = "move the file elsewhere, and undo the changes that it lists manually";
            return vec![Finding::bad("tersely init", format!("{}; {advice}", fault.message))];
        }
    };
    let of = |kind: ReceiptKind| receipts.iter().filter(move |receipt| receipt.kind == kind);
    let aliases = of(ReceiptKind::Block).map(|receipt| {
        Finding::good("tersely init", format!("aliases in {}", receipt.file.display()))
            .public("init: aliases")
    });
    let hooks = of(ReceiptKind::Item).chain(of(ReceiptKind::File)).map(hook);
    let mut findings: Vec<_> = aliases.chain(hooks).collect();
    for place in places(of(ReceiptKind::Setting)) {
        findings.push(service(settings, &place).await);
    }
    findings
}

/// Whether a client's hook is still there.
fn hook(receipt: &Receipt) -> Finding {
    let (client, file) = (&receipt.client, receipt.file.display());
    if receipt.is_in_place() {
        Finding::good("tersely init", format!("hook for {client} in {file}"))
            .public(format!("init: hook for {client}"))
    } else {
        let again = "restore it with `tersely init --hook`, or remove the record with `tersely uninstall`";
        Finding::bad("tersely init", format!("the hook for {client} is no longer in {file}; {again}"))
    }
}

/// An address, and the clients configured to use it.
struct NamedPlace {
    upstream: Upstream,
    clients: Vec<String>,
}

fn places<'r>(receipts: impl Iterator<Item = &'r Receipt>) -> Vec<NamedPlace> {
    let mut places: Vec<NamedPlace> = Vec::new();
    for receipt in receipts {
        let value = &receipt.setting.value;
        let host = value.strip_prefix("http://").and_then(|rest| rest.split('/').next());
        let Some(Ok(upstream)) = host.map(|host| format!("http://{host}").parse::<Upstream>()) else {
            continue;
        };
        let client = receipt.client.clone();
        match places.iter_mut().find(|place| place.upstream.url() == upstream.url()) {
            Some(place) if place.clients.contains(&client) => {}
            Some(place) => place.clients.push(client),
            None => places.push(NamedPlace { upstream, clients: vec![client] }),
        }
    }
    places
}

async fn service(settings: &GatewaySettings, NamedPlace { upstream, clients }: &NamedPlace) -> Finding {
    let (shown, clients) = (upstream.url(), clients.join(", "));
    match probe(settings, upstream, "/readyz").await {
        Ok((_, headers)) if headers.get("server").is_some_and(|it| it == "tersely") => {
            Finding::good("tersely init", format!("{clients} through the service at {shown}"))
                .public("init: a service that responds")
        }
        answer => {
            let why = answer.map_or_else(
                |error| format!("does not respond: {error}"),
                |_| "is another program".to_owned(),
            );
            let advice =
                format!("start the service with `{AGAIN}`, or undo the setup with `tersely uninstall`");
            Finding::bad("tersely init", format!("{clients} will fail, because {shown} {why}; {advice}"))
                .public("init: a service that does not respond")
        }
    }
}
