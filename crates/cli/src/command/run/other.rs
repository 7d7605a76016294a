//! Points a command that is not known at a gateway: by all the variables that programs and libraries read.

use tersely_terminal::fault::CommandFault;

use crate::command::run::client::{Client, Told};
use crate::command::run::door::Doors;
use crate::command::run::environment::World;
use crate::command::run::vendor::VENDORS;

/// Any command.
pub(crate) struct Other;

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
