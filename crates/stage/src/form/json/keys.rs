//! Chooses where the keys of records go, by reader.

use tersely_codec::terse::KeyPlace;

use crate::plan::Reader;

/// A small model reads cells under a header worse than keys next to values.
pub(crate) fn place_for(reader: Reader) -> KeyPlace {
    if reader == Reader::Small { KeyPlace::Beside } else { KeyPlace::Header }
}
