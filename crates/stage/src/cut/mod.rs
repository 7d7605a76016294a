//! Cuts: omit detail, and leave a marker in its place.

pub(crate) mod alike;
pub(crate) mod cap;
pub(crate) mod excerpt;
mod family;
mod filter;
mod hits;
mod noise;
mod preview;
mod skim;

pub use cap::is_exceeded;
pub use family::FAMILIES;
pub use filter::{FieldPath, FieldRules, Filter, FilterScope, LinePattern, LineRules};

use crate::stage::Stage;
use cap::Cap;

/// Cuts for the output of any tool.
pub static CUTS: &[&dyn Stage] = &[&excerpt::Excerpt, &alike::Alike, &hits::Hits];

/// Cuts that run after the families, because a family may recognise its tool by the times that these cuts remove.
pub static REST: &[&dyn Stage] = &[&noise::Noise];

/// Cuts for a text that is longer than the limit after all other stages.
pub static CAPS: &[&dyn Stage] = &[&Cap::ERROR_WINDOW, &Cap::ENDS];
