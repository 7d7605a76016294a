//! What the file of another gateway says of compressors, as it is gathered.

use std::collections::BTreeMap;

use crate::origin::SettingOrigin;
use crate::words::Words;

/// What was said for a key, and where.
pub(crate) type CompatValue = (Words, SettingOrigin);

/// What a file says of compressors.
#[derive(Debug, Default)]
pub struct SeedRemote {
    /// The provider that the pipe names.
    pub provider: Option<(String, SettingOrigin)>,
    /// What the pipe says itself, by our keys.
    pub own: BTreeMap<&'static str, CompatValue>,
    /// What each provider says, by our keys.
    pub providers: BTreeMap<String, BTreeMap<&'static str, CompatValue>>,
    /// Where the providers stand.
    pub place: Option<SettingOrigin>,
}
