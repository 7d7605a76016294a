//! Plans the hooks of clients: they compress what tools return without a gateway, so the client's address, login and
//! usage meters stay its own.

use std::process::ExitCode;

use serde_json::Value;
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::output;

use crate::clients::{Client, ClientEnvironment, HOOKED};
use crate::edit::{SETTINGS_LIMIT, SettingPlace, SettingsShape, TextFault, list_item};
use crate::init::plan::PlannedFile;
use crate::init::shell::quote;
use crate::init::{InitArgs, InitPlan, full_path, write};
use crate::receipt::{Receipt, ReceiptKind, Receipts};

/// The clients whose hooks can replace a tool's result.
pub(super) const CLIENTS: [&str; 2] = ["claude", "opencode"];

/// The tools of Claude Code whose results are compressed. The hook is not run for others, because their results stay.
const MATCHER: &str = "Bash|mcp__.*";

/// The plugin of `OpenCode`.
const PLUGIN: &str = include_str!("opencode_plugin.js");

/// Adds hooks to the clients that have them.
pub(super) fn run(
    args: &InitArgs,
    environment: &ClientEnvironment,
    clients: Vec<&'static dyn Client>,
    mut receipts: Receipts,
) -> Result<ExitCode, Stop> {
    let program = full_path(environment)?;
    let (clients, others): (Vec<_>, Vec<_>) =
        clients.into_iter().partition(|client| CLIENTS.contains(&client.name()));
    let mut plan = InitPlan { clients, files: Vec::new(), notes: Vec::new(), is_stopped: false };
    for client in &plan.clients {
        match planned(client.name(), environment, &program, &receipts) {
            Ok(file) => plan.files.push(file),
            Err(note) => plan.notes.push(note),
        }
    }
    plan.notes.extend(others.iter().map(|client| {
        let name = client.name();
        format!("{name}: its hooks cannot replace a result; start it with: tersely run {name}")
    }));
    let is_without_hook = plan.files.is_empty();
    plan.add_status_line(args, environment, &program, &receipts);
    plan.show(args)?;
    if is_without_hook {
        let message = format!("found no agent with hooks that can replace a result: {}", CLIENTS.join(", "));
        return Err(CommandFault::no(message, "run `tersely init`: aliases work for every agent").into());
    }
    let is_written = plan.is_due() && plan.ask(args)?;
    if is_written {
        write(&plan.files, &mut receipts)?;
        output::note("Done. Restart your agents to use the hooks. To undo this: tersely uninstall")?;
    }
    plan.end(args, is_written, || Ok(true))
}

/// Plans the files of a client's hook.
///
/// # Errors
/// Returns a note about why there is no hook.
fn planned(
    client: &str,
    environment: &ClientEnvironment,
    program: &str,
    receipts: &Receipts,
) -> Result<PlannedFile, String> {
    match client {
        "claude" => claude(environment, program, receipts),
        _ => opencode(environment, program),
    }
}

/// An item of Claude Code's list of hooks, and a variable that tells `tersely mcp` about it.
fn claude(
    environment: &ClientEnvironment,
    program: &str,
    receipts: &Receipts,
) -> Result<PlannedFile, String> {
    let file = environment.home("CLAUDE_CONFIG_DIR", ".claude").join("settings.json");
    let mut planned = PlannedFile::read(&file, SETTINGS_LIMIT, 0o600).map_err(|fault| fault.message)?;
    let faulty = |fault: &str| format!("claude: no hook, because of {}: {fault}", file.display());
    let command = Value::from(format!("{} hook", quote(program)));
    let hook = SettingPlace::new(
        &["hooks", "PostToolUse"],
        format!(
            r#"{{ "matcher": "{MATCHER}", "hooks": [{{ "type": "command", "command": {command}, "timeout": 1 }}] }}"#
        ),
    );
    let told = |fault: TextFault, text: &str| faulty(&fault.words(text));
    let is_there = list_item::find(&planned.text, &hook.path, &hook.value);
    if is_there.map_err(|fault| told(fault, &planned.text))?.is_none() {
        let (text, added) = list_item::put(&planned.text, &hook.path, &hook.value)
            .map_err(|fault| told(fault, &planned.text))?;
        planned.add(
            receipts,
            Receipt { setting: hook, added, ..Receipt::new(ReceiptKind::Item, "claude", planned.path()) },
        );
        planned.text = text;
    }
    let variable = SettingPlace::new(&["env", HOOKED], "1");
    let shape = SettingsShape::of(&file);
    if shape.value(&planned.text, &variable.path).map_err(|fault| faulty(fault.words()))?.is_none() {
        let (text, added) = shape.put(&planned.text, &variable).map_err(|fault| faulty(fault.words()))?;
        let receipt = Receipt {
            setting: variable,
            added,
            ..Receipt::new(ReceiptKind::Setting, "claude", planned.path())
        };
        planned.add(receipts, receipt);
        planned.text = text;
    }
    Ok(planned)
}

/// A plugin of `OpenCode`, which is a file of its own.
fn opencode(environment: &ClientEnvironment, program: &str) -> Result<PlannedFile, String> {
    let folder = environment.home("XDG_CONFIG_HOME", ".config").join("opencode");
    let file = folder.join("plugins").join("tersely.js");
    let mut planned = PlannedFile::read(&file, SETTINGS_LIMIT, 0o644).map_err(|fault| fault.message)?;
    let text = PLUGIN.replace(r#""{program}""#, &Value::from(program).to_string());
    if !planned.text.is_empty() && planned.text != text {
        return Err(format!(
            "opencode: left unchanged, because {} is not the file that Tersely writes",
            file.display()
        ));
    }
    let receipt =
        Receipt { added: text.clone(), is_new: true, ..Receipt::new(ReceiptKind::File, "opencode", &file) };
    planned.text = text;
    planned.receipts.push(receipt);
    Ok(planned)
}
