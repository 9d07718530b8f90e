//! Adds up the chunks of a part.

use hashbrown::HashMap;
use lotse_model::id::{FileId, FunctionId, PartId};
use lotse_model::profile::{CodePosition, Extent, Part};

use super::chunk::{Block, CallgrindChunk};
use super::identity::ResolvedNames;
use super::scan::Position;

const NONE: u32 = u32::MAX;

/// A part while its chunks are added up.
pub(super) struct Join<'a> {
    pub(super) part: &'a mut Part,
    pub(super) id: PartId,
    /// The function of each of the indices in [`ResolvedNames`].
    pub(super) functions: &'a [FunctionId],
    /// The event type of each column; `None` where the columns are all event types in order.
    pub(super) columns: Option<&'a [u32]>,
    pub(super) width: usize,
    pub(super) extents: &'a mut Vec<(FunctionId, Extent)>,
    /// The row of self costs of each function.
    rows: Vec<u32>,
    /// How many blocks each function has.
    blocks: Vec<u32>,
    /// Whether no function has two names. Then all calls of a function's only block have different callees.
    distinct: bool,
    /// The row of calls of each pair of caller and callee.
    pairs: HashMap<(FunctionId, FunctionId), u32>,
    /// The address and line at the start of the next chunk.
    address: u64,
    line: u64,
    /// Buffer for costs in the order of the profile's event types.
    all_cells: Vec<u64>,
}

/// The part to fill and what is needed to fill it.
pub(super) struct JoinTarget<'a> {
    pub(super) part: &'a mut Part,
    pub(super) id: PartId,
    pub(super) functions: &'a [FunctionId],
    pub(super) columns: Option<&'a [u32]>,
    /// The number of columns of the part.
    pub(super) width: usize,
    pub(super) extents: &'a mut Vec<(FunctionId, Extent)>,
}

impl<'a> Join<'a> {
    /// Starts a part of a profile with `count` functions and `events` event types.
    pub(super) fn new(into: JoinTarget<'a>, count: usize, events: usize) -> Self {
        let JoinTarget { part, id, functions, columns, width, extents } = into;
        Self {
            part,
            id,
            functions,
            columns,
            width,
            extents,
            rows: vec![NONE; count],
            blocks: vec![0; count],
            distinct: true,
            pairs: HashMap::new(),
            address: 0,
            line: 0,
            all_cells: vec![0; events],
        }
    }

    /// Counts blocks by function and looks for functions with two names, before chunks are added up.
    pub(super) fn survey(&mut self, chunks: &[(CallgrindChunk<'_>, ResolvedNames)]) {
        let mut named = vec![NONE; self.rows.len()];
        for (_, resolved) in chunks {
            for &name in resolved.callers.iter().chain(&resolved.callees) {
                let known = &mut named[self.functions[name as usize].index()];
                self.distinct &= *known == NONE || *known == name;
                *known = name;
            }
            for &caller in &resolved.callers {
                self.blocks[self.functions[caller as usize].index()] += 1;
            }
        }
    }

    /// Adds the next chunk.
    pub(super) fn add(&mut self, chunk: CallgrindChunk<'_>, resolved: &ResolvedNames) {
        self.add_own(&chunk, resolved);
        self.add_calls(&chunk, resolved);
        for (block, &caller) in chunk.blocks.iter().zip(&resolved.callers) {
            let extent = self.extent(block, resolved);
            self.extents.push((self.functions[caller as usize], extent));
        }
        self.address = absolute(self.address, chunk.address);
        self.line = absolute(self.line, chunk.line);
    }

    fn extent(&self, block: &Block, resolved: &ResolvedNames) -> Extent {
        let line = u32::try_from(absolute(self.line, block.line)).unwrap_or(u32::MAX);
        let address = absolute(self.address, block.address);
        let base = CodePosition { file: FileId(resolved.files[block.file as usize]), line, address };
        Extent { part: self.id, start: block.start as u64, end: block.end as u64, base }
    }

    fn add_own(&mut self, chunk: &CallgrindChunk<'_>, resolved: &ResolvedNames) {
        for (row, &caller) in resolved.callers.iter().enumerate() {
            let function = self.functions[caller as usize];
            let cells = &chunk.own[row * self.width..(row + 1) * self.width];
            let cells = spread(cells, self.columns, &mut self.all_cells);
            let own = &mut self.part.own;
            match self.rows[function.index()] {
                NONE => {
                    self.rows[function.index()] = own.function.len() as u32;
                    own.function.push(function);
                    own.costs.push(cells);
                }
                row => own.costs.add(row as usize, cells),
            }
        }
    }

    /// Adds the calls of a chunk, in one row per pair of caller and callee.
    ///
    /// A function with one block and without a second name has no pair twice, so that the map of pairs is not needed.
    fn add_calls(&mut self, chunk: &CallgrindChunk<'_>, resolved: &ResolvedNames) {
        let added = &chunk.calls;
        for row in 0..added.caller.len() {
            let caller = self.functions[resolved.callers[added.caller[row] as usize] as usize];
            let callee = self.functions[resolved.callees[row] as usize];
            let cells = &added.costs[row * self.width..(row + 1) * self.width];
            let cells = spread(cells, self.columns, &mut self.all_cells);
            let calls = &mut self.part.calls;
            if !(self.distinct && self.blocks[caller.index()] == 1) {
                let next = calls.caller.len() as u32;
                let known_row = *self.pairs.entry((caller, callee)).or_insert(next);
                if known_row != next {
                    let count = &mut calls.count[known_row as usize];
                    *count = count.saturating_add(added.count[row]);
                    calls.costs.add(known_row as usize, cells);
                    continue;
                }
            }
            calls.caller.push(caller);
            calls.callee.push(callee);
            calls.count.push(added.count[row]);
            calls.costs.push(cells);
        }
    }
}

/// The absolute position, where relative ones count from `start`.
fn absolute(start: u64, position: Position) -> u64 {
    if position.absolute { position.value } else { start.wrapping_add(position.value) }
}

/// A part's costs in the order of the profile's event types.
#[inline(always)]
fn spread<'a>(cells: &'a [u64], columns: Option<&[u32]>, buffer: &'a mut [u64]) -> &'a [u64] {
    let Some(columns) = columns else { return cells };
    buffer.fill(0);
    columns.iter().zip(cells).for_each(|(&column, &cell)| buffer[column as usize] = cell);
    buffer
}
