//! Plans Claude Code's status line, which shows what is saved while it works. A status line that the user has stays.

use std::path::PathBuf;

use crate::clients::ClientEnvironment;
use crate::edit::{SETTINGS_LIMIT, SettingPlace, SettingsShape, is_same_value};
use crate::init::plan::PlannedFile;
use crate::init::shell::quote;
use crate::receipt::{Receipt, ReceiptKind, Receipts};

/// The client that has a status line.
pub(super) const CLIENT: &str = "claude";

/// The setting.
const KEY: &str = "statusLine";

/// Adds the status line to the planned files.
///
/// # Errors
/// Returns a note about why there is none.
pub(super) fn plan(
    environment: &ClientEnvironment,
    program: &str,
    files: &mut Vec<PlannedFile>,
    receipts: &Receipts,
) -> Result<(), String> {
    let (file, program) = (settings_file(environment), quote(program));
    let read = PlannedFile::read(&file, SETTINGS_LIMIT, 0o600).map_err(|fault| fault.message)?;
    // The same file may get the address of a gateway, too.
    let at = files.iter().position(|planned| planned.path() == read.path()).unwrap_or_else(|| {
        files.push(read);
        files.len() - 1
    });
    let Some(planned) = files.get_mut(at) else { return Ok(()) };
    let (shape, place) = (SettingsShape::of(&file), place(&program));
    let faulty = |fault: &str| format!("{CLIENT}: no status line, because of {}: {fault}", file.display());
    let stands = shape.value(&planned.text, &place.path).map_err(|fault| faulty(fault.words()))?;
    match stands {
        Some(value) if is_same_value(&value, &place.value) => return Ok(()),
        Some(_) => {
            return Err(format!(
                "{CLIENT}: {} has a status line, which is kept; to show both, let its script end with: \
                 printf '%s' \"$input\" | {program} statusline, where input=$(cat) is its first line",
                file.display()
            ));
        }
        None => {}
    }
    let (text, added) = shape.put_spelled(&planned.text, &place).map_err(|fault| faulty(fault.words()))?;
    let receipt =
        Receipt { setting: place, added, ..Receipt::new(ReceiptKind::Setting, CLIENT, planned.path()) };
    planned.text = text;
    planned.add(receipts, receipt);
    Ok(())
}

/// A note that there is a status line to be had; `None` if there is one already.
pub(super) fn offer(environment: &ClientEnvironment) -> Option<String> {
    let is_set = !ClientEnvironment::json(&settings_file(environment))[KEY].is_null();
    let note = "claude: to show savings in Claude Code's status line, add --statusline";
    (!is_set).then(|| note.to_owned())
}

fn settings_file(environment: &ClientEnvironment) -> PathBuf {
    environment.home("CLAUDE_CONFIG_DIR", ".claude").join("settings.json")
}

fn place(program: &str) -> SettingPlace {
    let command = serde_json::Value::from(format!("{program} statusline"));
    SettingPlace::new(&[KEY], format!(r#"{{ "type": "command", "command": {command} }}"#))
}
