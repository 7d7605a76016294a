//! Chooses where the keys of records are written, depending on the reader.

use tersely_codec::terse::KeyPlace;

use crate::plan::Reader;

/// The place for keys. A small model reads values with their keys next to them better than cells under a header.
pub(crate) fn place_for(reader: Reader) -> KeyPlace {
    if reader == Reader::Small { KeyPlace::Beside } else { KeyPlace::Header }
}
