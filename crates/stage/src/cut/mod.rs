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

/// Cuts for any tool.
pub static CUTS: &[&dyn Stage] = &[&excerpt::Excerpt, &alike::Alike, &hits::Hits];

/// Cuts that run after the tool's own family: without times, a family might not recognise its tool.
pub static REST: &[&dyn Stage] = &[&noise::Noise];

/// Cuts that limit a text that is still too long.
pub static CAPS: &[&dyn Stage] = &[&Cap::ERROR_WINDOW, &Cap::ENDS];
