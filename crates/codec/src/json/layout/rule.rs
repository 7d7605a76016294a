//! Decides which groups of a text are on one line.

/// A rule for all groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayoutRule {
    /// All groups are on several lines.
    All,
    /// Only arrays of scalars are on one line.
    Plain,
    /// Only arrays of scalars that end by this column are on one line.
    Fit(usize),
    /// Arrays are on one line.
    Objects,
    /// Objects are on one line.
    Arrays,
    /// Groups inside this many others are on one line.
    Outer(usize),
}

/// A group that is not empty, as the rules see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) kind: RuleKind,
    /// How many groups enclose it.
    pub(super) level: usize,
    /// The column where it would end on one line, in characters.
    pub(super) column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleKind {
    Object,
    Array,
    /// An array of scalars.
    Plain,
}

/// Line widths of common code formatters.
pub(super) const COLUMNS: [usize; 3] = [80, 100, 120];

/// How many outer levels may be on several lines while the rest is not.
pub(super) const LEVELS: usize = 4;

impl LayoutRule {
    /// The rules, the simplest first.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        [Self::All, Self::Plain, Self::Objects, Self::Arrays]
            .into_iter()
            .chain(COLUMNS.map(Self::Fit))
            .chain((1..=LEVELS).map(Self::Outer))
    }

    /// True when a group is on several lines.
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
