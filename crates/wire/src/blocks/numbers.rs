//! Renumbers the blocks of a response for a client that does not see all of them.

use crate::blocks::kind::BlockKind;

/// The maximum number of open blocks. Providers write blocks one at a time.
pub(crate) const MAX_OPEN_BLOCKS: usize = 64;

/// The blocks of one response, with the numbers that the client sees.
pub(crate) struct BlockNumbers {
    /// The number of the first block that the client sees.
    base: u64,
    open: Vec<OpenBlock>,
    hidden: u64,
    calls: u64,
}

/// A block that has not ended.
#[derive(Clone, Copy)]
pub(crate) struct OpenBlock {
    index: u64,
    /// The block's number for the client; `None` if the block is hidden.
    pub(crate) to: Option<u64>,
}

impl BlockNumbers {
    /// Starts without blocks; the first visible block gets the number `base`.
    pub(crate) fn new(base: u64) -> Self {
        Self { base, open: Vec::new(), hidden: 0, calls: 0 }
    }

    /// Starts a block, and returns its number for the client; `None` for a hidden block.
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

    /// Counts a hidden block that arrived without a number.
    pub(crate) fn hide(&mut self) {
        self.hidden += 1;
    }

    /// Finds the open block with this number.
    pub(crate) fn find_open(&self, index: u64) -> Option<OpenBlock> {
        self.open.iter().rev().find(|open| open.index == index).copied()
    }

    /// Closes the open block with this number, and returns it.
    pub(crate) fn shut(&mut self, index: u64) -> Option<OpenBlock> {
        let block = self.find_open(index)?;
        self.open.retain(|open| open.index != index);
        Some(block)
    }

    /// True when at least one block is hidden.
    pub(crate) fn hides(&self) -> bool {
        self.hidden > 0
    }

    /// True when the model calls the hidden tool, and no tool of the client.
    pub(crate) fn asks_alone(&self) -> bool {
        self.hides() && self.calls == 0
    }
}
