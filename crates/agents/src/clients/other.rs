//! Points a command that is not known at a gateway: by all the variables that programs and libraries read.

use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, LaunchOptions};
use crate::clients::door::LocalEndpoints;
use crate::clients::environment::ClientEnvironment;
use crate::clients::vendor::VENDORS;

/// Any command.
pub(super) struct Other;

impl Client for Other {
    fn name(&self) -> &'static str {
        ""
    }

    fn install(&self) -> Option<&'static str> {
        None
    }

    fn point(
        &self,
        world: &ClientEnvironment,
        doors: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        LaunchOptions::variables(world, doors, &VENDORS)
    }
}
