//! What one piece of a part adds up to, and what it must know of its part.

use lotse_model::profile::StatedSum;

use super::faults::Faults;
use super::names::{Functions, Names, Reference};
use super::scan::Position;
use super::slow::Slow;

/// What a piece must know of its part.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    pub(super) addresses: bool,
    pub(super) lines: bool,
    pub(super) width: usize,
    /// Whether `fi=` and `fe=` name the file of the next function, as where there is no `fl=`.
    pub(super) roaming: bool,
    /// How costs that are no plain numbers are read.
    pub(super) slow: Slow,
}

/// Lines of one function without a gap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) function: Reference,
    pub(super) file: u32,
    /// Whether it has neither costs nor calls and only gives a number its name.
    pub(super) empty: bool,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) address: Position,
    pub(super) line: Position,
}

/// Calls of a caller's block, by callee.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The caller's block.
    pub(super) caller: Vec<u32>,
    pub(super) callee: Vec<Reference>,
    pub(super) count: Vec<u64>,
    pub(super) costs: Vec<u64>,
}

/// What a piece adds up to.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub(super) objects: Names<'a>,
    pub(super) files: Names<'a>,
    pub(super) functions: Functions<'a>,
    /// Self costs, a row per block.
    pub(super) own: Vec<u64>,
    pub(super) calls: Calls,
    pub(super) blocks: Vec<Block>,
    pub(super) stated: Vec<StatedSum>,
    pub(super) faults: Faults,
    /// Object, file and positions at its end.
    pub(super) object: u32,
    pub(super) file: u32,
    pub(super) address: Position,
    pub(super) line: Position,
    /// Whether it gave up at a relative cost.
    pub(super) relative: bool,
    /// Whether a cost is below zero.
    pub(super) negative: bool,
}

impl Piece<'_> {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            objects: Names::new(bytes),
            files: Names::new(bytes),
            functions: Functions::new(bytes),
            own: Vec::new(),
            calls: Calls::default(),
            blocks: Vec::new(),
            stated: Vec::new(),
            faults: Faults::default(),
            object: 0,
            file: 0,
            address: Position::default(),
            line: Position::default(),
            relative: false,
            negative: false,
        }
    }
}

/// Whether lines of a block have costs, be they 0, or calls.
pub(super) fn has_costs(block: &[u8]) -> bool {
    let costs = |line: &[u8]| {
        let line = line.trim_ascii_start();
        matches!(line.first(), Some(b'0'..=b'9' | b'+' | b'-' | b'*')) || line.starts_with(b"calls=")
    };
    block.split(|&byte| byte == b'\n').any(costs)
}
