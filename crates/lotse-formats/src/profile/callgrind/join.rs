//! Adds up the pieces of a part.

use hashbrown::HashMap;
use lotse_model::id::{FileId, FunctionId, PartId};
use lotse_model::profile::{CodePosition, Extent, Part};

use super::identity::Meaning;
use super::piece::{Block, Piece};
use super::scan::Position;

const NONE: u32 = u32::MAX;

/// A part in the making.
pub(super) struct Join<'a> {
    pub(super) part: &'a mut Part,
    pub(super) id: PartId,
    /// From what was named to functions.
    pub(super) functions: &'a [FunctionId],
    /// The event type of each column; nothing where they are all, in order.
    pub(super) columns: Option<&'a [u32]>,
    pub(super) width: usize,
    pub(super) extents: &'a mut Vec<(FunctionId, Extent)>,
    /// The row of self costs of each function.
    rows: Vec<u32>,
    /// How many blocks each function has.
    blocks: Vec<u32>,
    /// Whether nothing has two names, so that the calls of a function's only block are all different.
    distinct: bool,
    pairs: HashMap<(FunctionId, FunctionId), u32>,
    address: u64,
    line: u64,
    full: Vec<u64>,
}

/// What a part is joined from and into.
pub(super) struct Into<'a> {
    pub(super) part: &'a mut Part,
    pub(super) id: PartId,
    pub(super) functions: &'a [FunctionId],
    pub(super) columns: Option<&'a [u32]>,
    /// How many columns the part has.
    pub(super) width: usize,
    pub(super) extents: &'a mut Vec<(FunctionId, Extent)>,
}

impl<'a> Join<'a> {
    /// For a profile of so many functions.
    pub(super) fn new(into: Into<'a>, count: usize, events: usize) -> Self {
        let Into { part, id, functions, columns, width, extents } = into;
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
            full: vec![0; events],
        }
    }

    /// Looks at all pieces before they are added up.
    pub(super) fn survey(&mut self, pieces: &[(Piece<'_>, Meaning)]) {
        let mut named = vec![NONE; self.rows.len()];
        for (_, meaning) in pieces {
            for &name in meaning.callers.iter().chain(&meaning.callees) {
                let known = &mut named[self.functions[name as usize].index()];
                self.distinct &= *known == NONE || *known == name;
                *known = name;
            }
            for &caller in &meaning.callers {
                self.blocks[self.functions[caller as usize].index()] += 1;
            }
        }
    }

    /// Adds the next piece.
    pub(super) fn add(&mut self, piece: Piece<'_>, meaning: &Meaning) {
        self.add_own(&piece, meaning);
        self.add_calls(&piece, meaning);
        for (block, &caller) in piece.blocks.iter().zip(&meaning.callers) {
            let extent = self.extent(block, meaning);
            self.extents.push((self.functions[caller as usize], extent));
        }
        self.address = from(self.address, piece.address);
        self.line = from(self.line, piece.line);
    }

    fn extent(&self, block: &Block, meaning: &Meaning) -> Extent {
        let line = u32::try_from(from(self.line, block.line)).unwrap_or(u32::MAX);
        let address = from(self.address, block.address);
        let base = CodePosition { file: FileId(meaning.files[block.file as usize]), line, address };
        Extent { part: self.id, start: block.start as u64, end: block.end as u64, base }
    }

    fn add_own(&mut self, piece: &Piece<'_>, meaning: &Meaning) {
        for (row, &caller) in meaning.callers.iter().enumerate() {
            let function = self.functions[caller as usize];
            let cells = &piece.own[row * self.width..(row + 1) * self.width];
            let cells = spread(cells, self.columns, &mut self.full);
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

    fn add_calls(&mut self, piece: &Piece<'_>, meaning: &Meaning) {
        let from = &piece.calls;
        for row in 0..from.caller.len() {
            let caller = self.functions[meaning.callers[from.caller[row] as usize] as usize];
            let callee = self.functions[meaning.callees[row] as usize];
            let cells = &from.costs[row * self.width..(row + 1) * self.width];
            let cells = spread(cells, self.columns, &mut self.full);
            let calls = &mut self.part.calls;
            if !(self.distinct && self.blocks[caller.index()] == 1) {
                let next = calls.caller.len() as u32;
                let row_of = *self.pairs.entry((caller, callee)).or_insert(next);
                if row_of != next {
                    let count = &mut calls.count[row_of as usize];
                    *count = count.saturating_add(from.count[row]);
                    calls.costs.add(row_of as usize, cells);
                    continue;
                }
            }
            calls.caller.push(caller);
            calls.callee.push(callee);
            calls.count.push(from.count[row]);
            calls.costs.push(cells);
        }
    }
}

fn from(start: u64, position: Position) -> u64 {
    if position.absolute { position.value } else { start.wrapping_add(position.value) }
}

/// A part's costs in the order of the profile's event types.
#[inline(always)]
fn spread<'a>(cells: &'a [u64], columns: Option<&[u32]>, full: &'a mut [u64]) -> &'a [u64] {
    let Some(columns) = columns else { return cells };
    full.fill(0);
    columns.iter().zip(cells).for_each(|(&column, &cell)| full[column as usize] = cell);
    full
}
