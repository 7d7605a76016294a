//! Decides which groups (arrays and objects) of a text are on one line.

/// A rule that decides which groups are on one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayoutRule {
    /// No group is on one line.
    All,
    /// Only arrays of scalars are on one line.
    Plain,
    /// Only arrays of scalars that end at or before this column are on one line.
    Fit(usize),
    /// All arrays are on one line, and objects are not.
    Objects,
    /// All objects are on one line, and arrays are not.
    Arrays,
    /// Groups at this nesting level or deeper are on one line.
    Outer(usize),
}

/// The properties of a group that the rules use. The group is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) kind: RuleKind,
    /// The number of groups that enclose this group.
    pub(super) level: usize,
    /// The column, in characters, where the group would end if it were on one line.
    pub(super) column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleKind {
    Object,
    Array,
    /// An array of scalars.
    Plain,
}

/// The line widths of common code formatters.
pub(super) const COLUMNS: [usize; 3] = [80, 100, 120];

/// The maximum number of outer levels that are on several lines while all deeper levels are on one line.
pub(super) const LEVELS: usize = 4;

impl LayoutRule {
    /// All rules, the simplest first.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        [Self::All, Self::Plain, Self::Objects, Self::Arrays]
            .into_iter()
            .chain(COLUMNS.map(Self::Fit))
            .chain((1..=LEVELS).map(Self::Outer))
    }

    /// True when this rule puts the group on several lines.
    pub(super) fn breaks(self, group: Group) -> bool {
        match self {
            Self::All => true,
            Self::Plain => group.kind != RuleKind::Plain,
            Self::Fit(columns) => group.kind != RuleKind::Plain || group.column > columns,
            Self::Objects => group.kind == RuleKind::Object,
            Self::Arrays => group.kind != RuleKind::Object,
            Self::Outer(levels) => group.level < levels,
        }
    }
}
