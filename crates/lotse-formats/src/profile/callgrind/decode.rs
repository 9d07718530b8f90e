//! Sums up one chunk of a part: self costs by function, calls by pair, and where the lines of each function are.
//!
//! A chunk begins at the start of its part or at an `fn=` line, so that calls and their costs are in the same chunk.
//! What earlier lines define (names of numbers, current object, file and positions) is resolved when chunks are joined.

mod unusual;

use std::ops::Range;

use super::call_rows::CallRows;
use super::chunk::{Block, CallgrindChunk, LineFormat, has_costs};
use super::faults::FaultKind;
use super::header;
use super::names::{FunctionRef, NameContext};
use super::plain::{self, Positions};
use super::scan::{NameSpec, Scan};
use super::slow::SlowCosts;

/// What the costs of the next cost line are added to.
#[derive(Debug, Clone, Copy)]
enum CostTarget {
    Own,
    /// The calls whose costs begin at this cell.
    Call(usize),
    /// Calls without a callee; their costs are dropped.
    Lost,
}

/// Up to this many callees of a block are searched linearly, which is faster than a lookup in a large table.
const FEW: usize = 32;

struct Decoder<'a, 'b> {
    scan: Scan<'a>,
    format: &'b LineFormat,
    slow: SlowCosts,
    chunk: CallgrindChunk<'a>,
    /// The file of the next costs; [`CallgrindChunk::file`] is that of the next function.
    file: u32,
    /// Whether a block is open. It is then the last of [`CallgrindChunk::blocks`].
    has_function: bool,
    /// First cell of the self costs of the open block.
    own: usize,
    next: CostTarget,
    callee_object: Option<u32>,
    callee_file: Option<u32>,
    callee: Option<(NameSpec<'a>, usize)>,
    /// First row of the calls of the open block.
    first_call: usize,
    call_rows: CallRows,
}

/// Decodes the chunk at `range` of the bytes.
pub(super) fn decode<'a>(bytes: &'a [u8], range: Range<usize>, format: &LineFormat) -> CallgrindChunk<'a> {
    let mut decoder = Decoder {
        scan: Scan::new(bytes, range.start, range.end),
        format,
        slow: format.slow.clone(),
        chunk: CallgrindChunk::new(range.len()),
        file: 0,
        has_function: false,
        own: 0,
        next: CostTarget::Own,
        callee_object: None,
        callee_file: None,
        callee: None,
        first_call: 0,
        call_rows: CallRows::default(),
    };
    while !decoder.scan.ended() && !decoder.chunk.relative {
        decoder.any_line();
    }
    decoder.end_block(range.end);
    decoder.chunk.negative = decoder.slow.negative;
    decoder.chunk
}

impl<'a> Decoder<'a, '_> {
    #[inline(always)]
    fn any_line(&mut self) {
        match self.scan.byte() {
            b'0'..=b'9' | b'+' | b'-' | b'*' => self.cost_line(),
            b'c' => self.call_line(),
            b'f' => self.file_or_function(),
            b'\n' => self.scan.at += 1,
            _ => self.rare_line(),
        }
    }

    /// Reads a cost line or, where costs are those of the open block, all plain cost lines from here on.
    #[inline(always)]
    fn cost_line(&mut self) {
        if !self.plain_lines() {
            self.unusual_cost_line();
        }
    }

    /// Whether at least one line was read.
    #[inline(always)]
    fn plain_lines(&mut self) -> bool {
        let width = self.format.width;
        let (cells, most) = match self.next {
            CostTarget::Own if self.has_function => {
                (&mut self.chunk.own[self.own..self.own + width], usize::MAX)
            }
            CostTarget::Call(first) => (&mut self.chunk.calls.costs[first..first + width], 1),
            _ => return false,
        };
        if self.slow.reads_every_cost() {
            return false;
        }
        let positions = Positions { address: self.chunk.address, line: self.chunk.line };
        let read = plain::lines(self.scan, self.format, positions, cells, most);
        let some = read.at > self.scan.at;
        if some {
            self.next = CostTarget::Own;
        }
        (self.chunk.address, self.chunk.line) = (read.positions.address, read.positions.line);
        self.scan.at = read.at;
        some
    }

    fn fault(&mut self, at: usize, kind: FaultKind) {
        self.chunk.faults.add(at, kind);
    }

    #[inline(always)]
    fn call_line(&mut self) {
        let start = self.scan.at;
        if self.scan.take(b"cfn=") {
            self.forget_callee();
            self.callee = Some((self.scan.name_spec(), start));
        } else if self.scan.take(b"calls=") {
            self.calls(start);
        } else if self.scan.take(b"cfi=") || self.scan.take(b"cfl=") {
            self.callee_file = Some(self.chunk.files.entry(self.scan.name_spec(), start));
        } else if self.scan.take(b"cob=") {
            self.callee_object = Some(self.chunk.objects.entry(self.scan.name_spec(), start));
        } else {
            self.rare_line();
        }
    }

    /// Registers a callee that had no `calls=` line: it still gives its number a name.
    #[inline(always)]
    fn forget_callee(&mut self) {
        if self.callee.is_some() {
            self.callee_entry();
        }
    }

    #[inline(always)]
    fn callee_entry(&mut self) -> Option<FunctionRef> {
        let (name_spec, at) = self.callee.take()?;
        let context = NameContext {
            object: self.callee_object.take().unwrap_or(self.chunk.object),
            file: self.callee_file.unwrap_or(self.file),
            file_assumed: self.callee_file.is_none(),
        };
        self.callee_file = None;
        Some(self.chunk.functions.reference(name_spec, context, at))
    }

    /// Reads a `calls=` line: adds its count to the row of the callee, whose costs the next line gives.
    #[inline(always)]
    fn calls(&mut self, start: usize) {
        self.expect_no_costs(start);
        let count = if self.scan.at_digit() { self.scan.number() } else { None };
        // The rest of the line is the target position, which only `expand` needs.
        self.scan.skip_line();
        if !self.has_function && self.callee.is_some() {
            self.fault(start, FaultKind::NoFunction);
            self.begin_block(NameSpec::Plain(b"???"), start);
        }
        let Some(callee) = self.callee_entry() else {
            self.fault(start, FaultKind::NoCallee);
            self.next = CostTarget::Lost;
            return;
        };
        let row = self.call_row(callee);
        let sum = &mut self.chunk.calls.count[row];
        match count.and_then(|count| sum.checked_add(count)) {
            Some(more) => *sum = more,
            None => {
                *sum = if count.is_some() { u64::MAX } else { *sum };
                self.fault(start, if count.is_some() { FaultKind::TooLarge } else { FaultKind::Garbage });
            }
        }
        self.next = CostTarget::Call(row * self.format.width);
    }

    /// The row of the open block's calls to `callee`, which is added where there is none. Few callees are searched
    /// linearly; beyond [`FEW`], `call_rows` knows the rows.
    #[inline(always)]
    fn call_row(&mut self, callee: FunctionRef) -> usize {
        let calls = &mut self.chunk.calls;
        let next = calls.caller.len();
        let block = self.chunk.blocks.len() as u32 - 1;
        let known = &calls.callee[self.first_call..];
        if known.len() <= FEW {
            if let Some(row) = known.iter().position(|&it| it == callee) {
                return self.first_call + row;
            }
            if known.len() == FEW {
                let rows = self.first_call as u32..;
                rows.zip(known)
                    .for_each(|(row, &callee)| *self.call_rows.last_call_of(callee) = (block, row));
                *self.call_rows.last_call_of(callee) = (block, next as u32);
            }
        } else {
            let last = self.call_rows.last_call_of(callee);
            if last.0 == block {
                return last.1 as usize;
            }
            *last = (block, next as u32);
        }
        calls.caller.push(block);
        calls.callee.push(callee);
        calls.count.push(0);
        calls.costs.resize(calls.costs.len() + self.format.width, 0);
        next
    }

    #[inline(always)]
    fn expect_no_costs(&mut self, at: usize) {
        if let CostTarget::Call(_) = self.next {
            self.fault(at, FaultKind::NoCosts);
        }
        self.next = CostTarget::Own;
    }

    /// Reads `fi=`, `fe=` (file of the next costs), `fl=` (file of the next functions too) or `fn=` (ends the block).
    #[inline(always)]
    fn file_or_function(&mut self) {
        let start = self.scan.at;
        if self.scan.take(b"fi=") || self.scan.take(b"fe=") {
            self.file = self.chunk.files.entry(self.scan.name_spec(), start);
            if self.format.fi_sets_function_file {
                self.chunk.file = self.file;
            }
        } else if self.scan.take(b"fn=") {
            let name_spec = self.scan.name_spec();
            self.end_block(start);
            self.begin_block(name_spec, start);
        } else if self.scan.take(b"fl=") {
            self.file = self.chunk.files.entry(self.scan.name_spec(), start);
            self.chunk.file = self.file;
        } else {
            self.rare_line();
        }
    }

    fn end_block(&mut self, at: usize) {
        self.forget_callee();
        (self.callee_file, self.callee_object) = (None, None);
        self.expect_no_costs(at.min(self.scan.bytes.len()));
        if std::mem::replace(&mut self.has_function, false)
            && let Some(block) = self.chunk.blocks.last_mut()
        {
            block.end = at;
            let nothing = self.chunk.calls.caller.len() == self.first_call
                && self.chunk.own[self.own..].iter().all(|&cost| cost == 0);
            block.empty = nothing && !has_costs(&self.scan.bytes[block.start.min(at)..at]);
        }
    }

    /// Opens a block for a function, with the file of the last `fl=` and the current positions.
    fn begin_block(&mut self, name_spec: NameSpec<'a>, at: usize) {
        self.file = self.chunk.file;
        let context = NameContext { object: self.chunk.object, file: self.file, file_assumed: false };
        let function = self.chunk.functions.reference(name_spec, context, at);
        self.has_function = true;
        self.first_call = self.chunk.calls.caller.len();
        self.own = self.chunk.own.len();
        self.chunk.own.resize(self.own + self.format.width, 0);
        let (file, address, line) = (self.file, self.chunk.address, self.chunk.line);
        // Without a line end, the next line would begin after the last byte.
        let start = self.scan.at.min(self.scan.bytes.len());
        self.chunk.blocks.push(Block { function, file, start, end: start, empty: false, address, line });
    }

    #[inline(never)]
    fn rare_line(&mut self) {
        let start = self.scan.at;
        if self.scan.take(b"ob=") {
            self.chunk.object = self.chunk.objects.entry(self.scan.name_spec(), start);
        } else if self.scan.take(b"jfi=") {
            self.callee_file = Some(self.chunk.files.entry(self.scan.name_spec(), start));
        } else if self.scan.take(b"jfn=") {
            self.callee = Some((self.scan.name_spec(), start));
            self.callee_entry();
        } else if self.scan.take(b"jump=") || self.scan.take(b"jcnd=") {
            // The position in the next line is that of costs that are all 0.
            self.callee_file = None;
            self.scan.skip_line();
        } else {
            self.other_line(start);
        }
    }

    fn other_line(&mut self, start: usize) {
        let line = self.scan.line();
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() || trimmed.starts_with(b"#") {
            return;
        }
        match header::key(trimmed) {
            Some((key @ (b"summary" | b"totals"), value)) => {
                self.chunk.stated.push(header::stated(key, value))
            }
            Some(_) => {}
            None if trimmed.len() < line.len() && matches!(line.first(), Some(b' ' | b'\t')) => {
                self.scan.at = start;
                self.scan.blanks();
                self.any_line();
            }
            None => self.fault(start, FaultKind::Garbage),
        }
    }
}
