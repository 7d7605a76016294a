//! Points an unknown command at a gateway, with all the variables that programs and libraries commonly read.

use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, LaunchOptions};
use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::vendor::VENDORS;

/// Any other command.
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
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        LaunchOptions::variables(environment, endpoints, &VENDORS)
    }
}
