//! The layouts of a list's records, and their names.

/// The layout of a list's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListStyle {
    /// A header, then rows of cells.
    Rows,
    /// Records with their keys.
    Records,
    /// The members of an object, as rows: a header, then each key with its cells.
    KeyedRows,
    /// The members of an object, as records: each key with its record.
    KeyedRecords,
    /// Values of any kind, each on its own lines.
    Items,
}

impl ListStyle {
    const ALL: [Self; 5] = [Self::Rows, Self::Records, Self::KeyedRows, Self::KeyedRecords, Self::Items];

    /// The word for the records in the line above them.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Records => "records",
            Self::KeyedRows => "keyed rows",
            Self::KeyedRecords => "keyed records",
            Self::Items => "items",
        }
    }

    /// The word for one record in a fact.
    pub(super) fn each(self) -> &'static str {
        match self {
            Self::Rows | Self::KeyedRows => "every row",
            Self::Records | Self::KeyedRecords | Self::Items => "every record",
        }
    }

    /// True when a header contains the names of the cells.
    pub(super) fn has_header(self) -> bool {
        matches!(self, Self::Rows | Self::KeyedRows)
    }

    /// True when each record is written after its key.
    pub(super) fn is_keyed(self) -> bool {
        matches!(self, Self::KeyedRows | Self::KeyedRecords)
    }

    /// Reads an introduction such as `12 rows`: the count and the layout.
    pub(super) fn intro(text: &str) -> Option<(usize, Self)> {
        let (count, words) = text.split_once(' ')?;
        let style = Self::ALL.into_iter().find(|style| style.words() == words)?;
        let whole = count.len() <= 9 && count.bytes().all(|byte| byte.is_ascii_digit());
        if !whole || count.starts_with('0') {
            return None;
        }
        Some((count.parse().ok()?, style))
    }
}
