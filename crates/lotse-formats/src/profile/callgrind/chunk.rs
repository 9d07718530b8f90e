//! The sums of one chunk of a part, and what decoding must know of the part.

use lotse_model::profile::StatedSum;

use super::faults::Faults;
use super::names::{ChunkFunctions, ChunkNames, FunctionRef};
use super::scan::Position;
use super::slow::SlowCosts;

/// How the cost lines of a part are to be read.
#[derive(Debug, Clone, Default)]
pub(super) struct LineFormat {
    pub(super) addresses: bool,
    pub(super) lines: bool,
    pub(super) width: usize,
    /// Whether `fi=` and `fe=` also set the file of the next function, as in files without `fl=`.
    pub(super) fi_sets_function_file: bool,
    /// How costs are read that are not plain numbers.
    pub(super) slow: SlowCosts,
}

/// Consecutive lines of one function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) function: FunctionRef,
    pub(super) file: u32,
    /// Whether it has neither costs nor calls and only gives a number its name.
    pub(super) empty: bool,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) address: Position,
    pub(super) line: Position,
}

/// The calls of a chunk, a row per block and callee.
#[derive(Debug, Default)]
pub(super) struct ChunkCalls {
    /// The caller's block.
    pub(super) caller: Vec<u32>,
    pub(super) callee: Vec<FunctionRef>,
    pub(super) count: Vec<u64>,
    pub(super) costs: Vec<u64>,
}

/// The sums of a chunk.
#[derive(Debug)]
pub(super) struct CallgrindChunk<'a> {
    pub(super) objects: ChunkNames<'a>,
    pub(super) files: ChunkNames<'a>,
    pub(super) functions: ChunkFunctions<'a>,
    /// Self costs, a row per block.
    pub(super) own: Vec<u64>,
    pub(super) calls: ChunkCalls,
    pub(super) blocks: Vec<Block>,
    pub(super) stated: Vec<StatedSum>,
    pub(super) faults: Faults,
    /// Object, file and positions at the end of the chunk.
    pub(super) object: u32,
    pub(super) file: u32,
    pub(super) address: Position,
    pub(super) line: Position,
    /// Whether decoding stopped at a relative cost.
    pub(super) relative: bool,
    /// Whether a cost is negative.
    pub(super) negative: bool,
}

impl CallgrindChunk<'_> {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            objects: ChunkNames::new(bytes),
            files: ChunkNames::new(bytes),
            functions: ChunkFunctions::new(bytes),
            own: Vec::new(),
            calls: ChunkCalls::default(),
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

/// Whether the lines of a block have calls or costs, even if these are 0.
pub(super) fn has_costs(block: &[u8]) -> bool {
    let is_cost_or_call = |line: &[u8]| {
        let line = line.trim_ascii_start();
        matches!(line.first(), Some(b'0'..=b'9' | b'+' | b'-' | b'*')) || line.starts_with(b"calls=")
    };
    block.split(|&byte| byte == b'\n').any(is_cost_or_call)
}
