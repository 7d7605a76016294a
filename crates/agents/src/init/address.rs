//! Plans the changes to a client's own settings that point it at a gateway.

use crate::clients::{Client, ClientEnvironment, ClientSettings};
use crate::edit::{SETTINGS_LIMIT, SettingsShape};
use crate::init::plan::PlannedFile;
use crate::receipt::{Receipt, ReceiptKind, Receipts};

/// The planned change for a client, or the reason why there is none.
pub(super) fn plan(
    client: &dyn Client,
    environment: &ClientEnvironment,
    url: &str,
    receipts: &Receipts,
) -> Result<(PlannedFile, Vec<String>), String> {
    if let Some(name) = proxy(environment) {
        return Err(format!("{name} is set, and NO_PROXY does not name 127.0.0.1"));
    }
    let ClientSettings { file, addresses, beside, notes } = client.settings(environment, url)?;
    let mut planned = PlannedFile::read(&file, SETTINGS_LIMIT, 0o600).map_err(|fault| fault.message)?;
    let shape = SettingsShape::of(&file);
    let faulty = |fault: &str| format!("{}: {fault}", file.display());
    for place in addresses.iter().chain(&beside) {
        let stands = shape.value(&planned.text, &place.path).map_err(|fault| faulty(fault.words()))?;
        match stands {
            Some(value) if value != place.value && addresses.contains(place) => {
                return Err(format!("{} sets {} already", file.display(), place.name()));
            }
            Some(_) => continue,
            None => {}
        }
        let mut receipt = Receipt {
            setting: place.clone(),
            ..Receipt::new(ReceiptKind::Setting, client.name(), planned.path())
        };
        let put = shape.put(&planned.text, place).map_err(|fault| faulty(fault.words()))?;
        (planned.text, receipt.added) = put;
        planned.add(receipts, receipt);
    }
    Ok((planned, notes))
}

/// The environment variable, if any, that would make clients use a proxy even for requests to this machine.
fn proxy(environment: &ClientEnvironment) -> Option<&'static str> {
    let spared = ["NO_PROXY", "no_proxy"].into_iter().filter_map(|name| environment.var(name));
    let is_spared =
        spared.flat_map(|hosts| hosts.split(',')).any(|host| ["127.0.0.1", "*"].contains(&host.trim()));
    environment.proxy_variable().filter(|_| !is_spared)
}
