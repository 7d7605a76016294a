//! What leaves detail out, and says so where it stood.

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

/// What leaves detail out whatever the tool.
pub static CUTS: &[&dyn Stage] = &[&excerpt::Excerpt, &alike::Alike, &hits::Hits];

/// What leaves more out once the tool's own family was asked: times gone, a family might not know its tool any more.
pub static REST: &[&dyn Stage] = &[&noise::Noise];

/// What bounds a text that is still too long.
pub static CAPS: &[&dyn Stage] = &[&cap::CapErrorWindow, &cap::Cap];
