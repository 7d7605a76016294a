//! Points a command that is not known at a gateway: by all the variables that programs and libraries read.

use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, Told};
use crate::clients::door::Doors;
use crate::clients::environment::World;
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

    fn point(&self, world: &World, doors: &mut Doors) -> Result<Told, CommandFault> {
        Told::variables(world, doors, &VENDORS)
    }
}
