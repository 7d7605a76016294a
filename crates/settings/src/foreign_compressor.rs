//! Collects the compressor settings of another gateway's file.

use std::collections::BTreeMap;

use crate::origin::SettingOrigin;
use crate::words::Words;

/// The value of a key, and its origin.
pub(crate) type CompatValue = (Words, SettingOrigin);

/// Compressor settings from another gateway's file.
#[derive(Debug, Default)]
pub struct ForeignCompressor {
    /// The provider that the pipe names.
    pub provider: Option<(String, SettingOrigin)>,
    /// The pipe's own values, by our keys.
    pub own: BTreeMap<&'static str, CompatValue>,
    /// Each provider's values, by our keys.
    pub providers: BTreeMap<String, BTreeMap<&'static str, CompatValue>>,
    /// The line where `providers` begins.
    pub place: Option<SettingOrigin>,
}
