//! Records what `tersely mcp install` wrapped, and unwraps it for `tersely uninstall`.

use std::path::Path;

use clap::ValueEnum as _;
use tersely_terminal::fault::CommandFault;

use crate::mcp_install::Scene;
use crate::mcp_install::client::McpClient;
use crate::receipt::{Receipt, ReceiptKind, Receipts};

/// A client's servers that `install` wrapped.
pub(crate) struct WrappedServers {
    client: McpClient,
    scene: Scene,
}

impl WrappedServers {
    /// Reads the file that a receipt refers to.
    pub(crate) fn read(receipt: &Receipt) -> Result<Self, CommandFault> {
        let hint = "name the client's own file with `tersely mcp uninstall --client NAME --file PATH`";
        let client = McpClient::from_str(&receipt.client, false);
        let client = client.map_err(|_| {
            CommandFault::unable(
                format!("{}: unknown client {}", receipt.file.display(), receipt.client),
                hint,
            )
        })?;
        Ok(Self { client, scene: Scene::read(client, &receipt.file)? })
    }

    /// The number of wrapped servers.
    pub(crate) fn count(&self) -> usize {
        self.scene.ours().len()
    }

    /// Unwraps the servers, and reports the state of the file.
    pub(crate) fn unwrap_all(&self) -> Result<String, CommandFault> {
        let ours = self.scene.ours();
        let Some(edit) = self.scene.without(&ours)? else {
            forget(self.client, &self.scene.file.path)?;
            return Ok("nothing to change".to_owned());
        };
        edit.write()?;
        self.scene.farewell(self.client, edit.after(), &ours)
    }
}

/// Stores a receipt for a file that is about to be changed.
pub(super) fn record(client: McpClient, file: &Path) -> Result<(), CommandFault> {
    Receipts::open()?.add(receipt(client, file))
}

/// Removes the receipt, because nothing in the file is wrapped any more.
pub(super) fn forget(client: McpClient, file: &Path) -> Result<(), CommandFault> {
    Receipts::open()?.forget(&receipt(client, file))
}

fn receipt(client: McpClient, file: &Path) -> Receipt {
    let name = client.to_possible_value();
    Receipt::new(ReceiptKind::Servers, name.as_ref().map_or("", |name| name.get_name()), file)
}
