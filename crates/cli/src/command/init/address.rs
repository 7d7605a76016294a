//! Which of the clients' own settings would be changed, and which clients are left alone.

use crate::command::init::plan::PlannedFile;
use crate::command::run::{Client, ClientSettings, World};
use crate::edit::{SettingPlace, SettingsShape};
use crate::receipt::{Receipt, ReceiptKind, Receipts};

/// No file of settings is larger.
pub(crate) const SETTINGS_LIMIT: u64 = 4_000_000;

/// What would be done for a client; if nothing, why.
pub(super) fn plan(
    client: &dyn Client,
    world: &World,
    url: &str,
    receipts: &Receipts,
) -> Result<(PlannedFile, Vec<String>), String> {
    let ClientSettings { file, addresses, beside, notes } = client.settings(world, url)?;
    let mut planned = PlannedFile::read(&file, SETTINGS_LIMIT, 0o600).map_err(|fault| fault.message)?;
    let shape = SettingsShape::of(&file);
    for (place, is_address) in
        addresses.iter().map(|place| (place, true)).chain(beside.iter().map(|place| (place, false)))
    {
        let faulty = |fault: &str| format!("{}: {fault}", file.display());
        let stands = shape.value(&planned.text, &place.path).map_err(|fault| faulty(fault.words()))?;
        let mut receipt = receipt(client.name(), &planned, place);
        let earlier = receipts.find(&receipt).cloned();
        let is_ours = |value: &String| earlier.as_ref().is_some_and(|it| it.setting.value == *value);
        match stands {
            Some(value) if value == place.value => continue,
            // Our own address of an earlier time makes room.
            Some(value) if is_ours(&value) => {
                let added = earlier.as_ref().map_or("", |it| it.added.as_str());
                let cut = shape.cut(&planned.text, &place.path, added);
                let cut = cut.map_err(|fault| faulty(fault.words()))?;
                let cut = cut.ok_or_else(|| faulty(&format!("{} cannot be replaced", place.name())))?;
                planned.text.replace_range(cut.place, &cut.text);
            }
            Some(_) if is_address => {
                return Err(format!("{} sets {} already", file.display(), place.name()));
            }
            Some(_) => continue,
            None => {}
        }
        let put = shape.put(&planned.text, place).map_err(|fault| faulty(fault.words()))?;
        (planned.text, receipt.added) = put;
        receipt.is_new = earlier.map_or(planned.is_new(), |it| it.is_new);
        planned.receipts.push(receipt);
    }
    Ok((planned, notes))
}

fn receipt(client: &str, file: &PlannedFile, place: &SettingPlace) -> Receipt {
    Receipt { setting: place.clone(), ..Receipt::new(ReceiptKind::Setting, client, file.path()) }
}
