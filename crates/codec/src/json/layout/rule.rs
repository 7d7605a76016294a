//! Which groups of a text are on lines of their own and which on one.

/// A choice that a writer makes for every group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayoutRule {
    /// All are on lines.
    All,
    /// Only arrays that hold no group are on one line.
    Plain,
    /// Only arrays that hold no group and end by this column are on one line.
    Fit(usize),
    /// Arrays are on one line.
    Objects,
    /// Objects are on one line.
    Arrays,
    /// Groups inside so many others are on one line.
    Outer(usize),
}

/// A group that is not empty, as a rule sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) kind: RuleKind,
    /// How many groups it stands in.
    pub(super) level: usize,
    /// Where it would end if it were on one line, counted in characters of that line.
    pub(super) column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleKind {
    Object,
    Array,
    /// An array that holds no group.
    Plain,
}

/// Where formatters of code break lines.
pub(super) const COLUMNS: [usize; 3] = [80, 100, 120];

/// Levels that may be on lines while the rest is not.
pub(super) const LEVELS: usize = 4;

impl LayoutRule {
    /// The rules that a text may follow, the plainest first.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        [Self::All, Self::Plain, Self::Objects, Self::Arrays]
            .into_iter()
            .chain(COLUMNS.map(Self::Fit))
            .chain((1..=LEVELS).map(Self::Outer))
    }

    /// True when a group is on lines of its own.
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
