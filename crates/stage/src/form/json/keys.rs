//! Where the keys of records stand, by who reads them.

use tersely_codec::terse::KeyPlace;

use crate::plan::Reader;

/// A small model reads cells under a header worse than keys beside values.
pub(crate) fn place_for(reader: Reader) -> KeyPlace {
    if reader == Reader::Small { KeyPlace::Beside } else { KeyPlace::Header }
}
