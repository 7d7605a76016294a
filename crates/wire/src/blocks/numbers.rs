//! The numbers of the blocks of one response, as its client counts them: those that it does not see have none.

use crate::blocks::kind::BlockKind;

/// How many blocks may be open at once: providers write them one by one.
pub(crate) const MAX_OPEN_BLOCKS: usize = 64;

/// The blocks of one response.
pub(crate) struct BlockNumbers {
    /// The number of the client's first block.
    base: u64,
    open: Vec<OpenBlock>,
    hidden: u64,
    calls: u64,
}

/// A block that has not ended.
#[derive(Clone, Copy)]
pub(crate) struct OpenBlock {
    index: u64,
    /// Its number for the client, who may not see it.
    pub(crate) to: Option<u64>,
}

impl BlockNumbers {
    /// No block yet; the client's first will have this number.
    pub(crate) fn new(base: u64) -> Self {
        Self { base, open: Vec::new(), hidden: 0, calls: 0 }
    }

    /// A block begins; its number, for a client that sees it.
    pub(crate) fn begin(&mut self, index: u64, kind: BlockKind) -> Option<u64> {
        let to = self.base.saturating_add(index).saturating_sub(self.hidden);
        let to = (kind != BlockKind::Hidden).then_some(to);
        if self.open.len() < MAX_OPEN_BLOCKS {
            self.open.push(OpenBlock { index, to });
        }
        self.hidden += u64::from(kind == BlockKind::Hidden);
        self.calls += u64::from(kind == BlockKind::Call);
        to
    }

    /// A block without a number begins, which the client does not see.
    pub(crate) fn hide(&mut self) {
        self.hidden += 1;
    }

    /// The block of this number, if it is open.
    pub(crate) fn find_open(&self, index: u64) -> Option<OpenBlock> {
        self.open.iter().rev().find(|open| open.index == index).copied()
    }

    /// The same, which ends here.
    pub(crate) fn shut(&mut self, index: u64) -> Option<OpenBlock> {
        let block = self.find_open(index)?;
        self.open.retain(|open| open.index != index);
        Some(block)
    }

    /// True when a block is hidden.
    pub(crate) fn hides(&self) -> bool {
        self.hidden > 0
    }

    /// True when the model calls the hidden tool, and nothing that the client answers.
    pub(crate) fn asks_alone(&self) -> bool {
        self.hides() && self.calls == 0
    }
}
