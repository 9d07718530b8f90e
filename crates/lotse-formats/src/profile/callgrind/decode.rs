//! Sums up one piece of a part: self costs by function, calls by pair, and where each function's lines are.
//!
//! A piece begins with its part or with an `fn=` line, so that no call is torn from its costs. What the lines
//! before it said (names of numbers, object, file, positions) stays open until the pieces are joined.

use std::ops::Range;

use super::called::Called;
use super::faults::Kind;
use super::header;
use super::names::{Reference, Where};
use super::piece::{Block, Columns, Piece, has_costs};
use super::scan::{CostEnd, Position, Said, Scan};
use super::slow::Slow;
use super::tokens::Tokens;

/// What the next line of costs belongs to.
#[derive(Debug, Clone, Copy)]
enum Costs {
    Own,
    Call(usize),
    /// To a call that nobody knows.
    Lost,
}

/// So many callees of a block are searched one by one, which is faster than to look into a large table.
const FEW: usize = 32;

struct Decoder<'a, 'b> {
    scan: Scan<'a>,
    columns: &'b Columns,
    slow: Slow,
    out: Piece<'a>,
    /// The file of costs; [`Piece::file`] is that of the next function.
    file: u32,
    /// Whether the last block is open.
    has_function: bool,
    /// First cell of its self costs.
    own: usize,
    next: Costs,
    callee_object: Option<u32>,
    callee_file: Option<u32>,
    callee: Option<(Said<'a>, usize)>,
    /// The first row of the block's calls.
    first_call: usize,
    called: Called,
}

/// Decodes a piece.
pub(super) fn decode<'a>(bytes: &'a [u8], range: Range<usize>, columns: &Columns) -> Piece<'a> {
    let mut decoder = Decoder {
        scan: Scan::new(bytes, range.start, range.end),
        columns,
        slow: columns.slow.clone(),
        out: Piece::new(range.len()),
        file: 0,
        has_function: false,
        own: 0,
        next: Costs::Own,
        callee_object: None,
        callee_file: None,
        callee: None,
        first_call: 0,
        called: Called::default(),
    };
    while !decoder.scan.ended() && !decoder.out.relative {
        decoder.any_line();
    }
    decoder.end_block(range.end);
    decoder.out.negative = decoder.slow.negative;
    decoder.out
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

    #[inline(always)]
    fn cost_line(&mut self) {
        if let Some(mut tokens) = self.scan.tokens() {
            let (mut address, mut line) = (self.out.address, self.out.line);
            if (!self.columns.addresses || tokens.position(&mut address))
                && (!self.columns.lines || tokens.position(&mut line))
            {
                (self.out.address, self.out.line) = (address, line);
                return self.costs(self.scan.at, tokens);
            }
        }
        self.unusual_cost_line();
    }

    #[inline(never)]
    fn unusual_cost_line(&mut self) {
        let start = self.scan.at;
        let good = (!self.columns.addresses || self.scan.position(&mut self.out.address))
            && (!self.columns.lines || self.scan.position(&mut self.out.line));
        match self.scan.tokens() {
            Some(tokens) if good => self.costs(start, tokens),
            None if good => self.last_costs(start),
            _ => {
                self.fault(start, Kind::Garbage);
                self.next = Costs::Own;
                self.scan.skip_line();
            }
        }
    }

    /// Adds the costs of a line, where the positions were.
    #[inline(always)]
    fn costs(&mut self, start: usize, tokens: Tokens<'a>) {
        let width = self.columns.width;
        let cells = match self.next {
            Costs::Own if self.has_function => &mut self.out.own[self.own..self.own + width],
            Costs::Call(first) => &mut self.out.calls.costs[first..first + width],
            _ => {
                self.scan.at += tokens.at;
                return self.rare_costs(start);
            }
        };
        if self.slow.reads_all() {
            self.scan.at += tokens.at;
            return self.last_costs(start);
        }
        self.next = Costs::Own;
        let from = Scan { at: self.scan.at + tokens.at, ..self.scan };
        let end = self.scan.add_costs_from(tokens, cells);
        if end != CostEnd::Line {
            let end = if end == CostEnd::Garbage { self.slow.rest(&mut self.scan, from, cells) } else { end };
            self.odd_end(start, end);
            return self.scan.skip_line();
        }
        // The line ends here, but for `\r`.
        self.scan.at += 1 + usize::from(self.scan.byte() == b'\r');
    }

    /// Adds the costs of a line without hurry.
    #[inline(never)]
    fn last_costs(&mut self, start: usize) {
        let width = self.columns.width;
        let cells = match self.next {
            Costs::Own if self.has_function => &mut self.out.own[self.own..self.own + width],
            Costs::Call(first) => &mut self.out.calls.costs[first..first + width],
            _ => return self.rare_costs(start),
        };
        self.next = Costs::Own;
        let from = self.scan;
        let end = match self.slow.reads_all() {
            true => self.slow.add_costs(&mut self.scan, cells),
            false => match self.scan.add_costs(cells) {
                CostEnd::Garbage => self.slow.rest(&mut self.scan, from, cells),
                end => end,
            },
        };
        self.odd_end(start, end);
        self.scan.skip_line();
    }

    /// Costs without a function, or of a call that nobody knows.
    #[cold]
    fn rare_costs(&mut self, start: usize) {
        if let Costs::Lost = self.next {
            self.next = Costs::Own;
            return self.scan.skip_line();
        }
        if self.scan.line_ends() {
            return self.scan.skip_line();
        }
        self.fault(start, Kind::NoFunction);
        self.scan.at = start;
        // The positions are read again: relative ones would move twice.
        (self.out.address, self.out.line) = (Position::default(), Position::default());
        self.begin_block(Said::Plain(b"???"), start);
        self.cost_line();
    }

    #[cold]
    fn odd_end(&mut self, start: usize, end: CostEnd) {
        match end {
            CostEnd::Line => {}
            CostEnd::TooLarge => self.fault(start, Kind::TooLarge),
            CostEnd::TooMany => self.fault(start, Kind::TooMany),
            CostEnd::Garbage => self.fault(start, Kind::Garbage),
            CostEnd::Relative if self.slow.remembers() => self.fault(start, Kind::RelativeCosts),
            CostEnd::Relative => self.out.relative = true,
        }
    }

    fn fault(&mut self, at: usize, kind: Kind) {
        self.out.faults.add(at, kind);
    }

    #[inline(always)]
    fn call_line(&mut self) {
        let start = self.scan.at;
        if self.scan.take(b"cfn=") {
            self.forget_callee();
            self.callee = Some((self.scan.said(), start));
        } else if self.scan.take(b"calls=") {
            self.calls(start);
        } else if self.scan.take(b"cfi=") || self.scan.take(b"cfl=") {
            let said = self.scan.said();
            self.callee_file = Some(self.out.files.entry(said, start));
        } else if self.scan.take(b"cob=") {
            let said = self.scan.said();
            self.callee_object = Some(self.out.objects.entry(said, start));
        } else {
            self.rare_line();
        }
    }

    /// A callee without calls still gives its number a name.
    #[inline(always)]
    fn forget_callee(&mut self) {
        if self.callee.is_some() {
            self.callee_entry();
        }
    }

    #[inline(always)]
    fn callee_entry(&mut self) -> Option<Reference> {
        let (said, at) = self.callee.take()?;
        let named = Where {
            object: self.callee_object.take().unwrap_or(self.out.object),
            file: self.callee_file.unwrap_or(self.file),
            weak: self.callee_file.is_none(),
        };
        self.callee_file = None;
        Some(self.out.functions.reference(said, named, at))
    }

    #[inline(always)]
    fn calls(&mut self, start: usize) {
        self.expect_no_costs(start);
        let count = if self.scan.at_digit() { self.scan.number() } else { None };
        // Where the calls go to is only for those who ask for the lines.
        self.scan.skip_line();
        if !self.has_function && self.callee.is_some() {
            self.fault(start, Kind::NoFunction);
            self.begin_block(Said::Plain(b"???"), start);
        }
        let Some(callee) = self.callee_entry() else {
            self.fault(start, Kind::NoCallee);
            self.next = Costs::Lost;
            return;
        };
        let row = self.call_row(callee);
        let sum = &mut self.out.calls.count[row];
        match count.and_then(|count| sum.checked_add(count)) {
            Some(more) => *sum = more,
            None => {
                *sum = if count.is_some() { u64::MAX } else { *sum };
                self.fault(start, if count.is_some() { Kind::TooLarge } else { Kind::Garbage });
            }
        }
        self.next = Costs::Call(row * self.columns.width);
    }

    #[inline(always)]
    fn call_row(&mut self, callee: Reference) -> usize {
        let calls = &mut self.out.calls;
        let next = calls.caller.len();
        let block = self.out.blocks.len() as u32 - 1;
        let known = &calls.callee[self.first_call..];
        if known.len() <= FEW {
            if let Some(row) = known.iter().position(|&it| it == callee) {
                return self.first_call + row;
            }
            if known.len() == FEW {
                let rows = self.first_call as u32..;
                rows.zip(known).for_each(|(row, &callee)| *self.called.of(callee) = (block, row));
                *self.called.of(callee) = (block, next as u32);
            }
        } else {
            let called = self.called.of(callee);
            if called.0 == block {
                return called.1 as usize;
            }
            *called = (block, next as u32);
        }
        calls.caller.push(block);
        calls.callee.push(callee);
        calls.count.push(0);
        calls.costs.resize(calls.costs.len() + self.columns.width, 0);
        next
    }

    #[inline(always)]
    fn expect_no_costs(&mut self, at: usize) {
        if let Costs::Call(_) = self.next {
            self.fault(at, Kind::NoCosts);
        }
        self.next = Costs::Own;
    }

    #[inline(always)]
    fn file_or_function(&mut self) {
        let start = self.scan.at;
        if self.scan.take(b"fi=") || self.scan.take(b"fe=") {
            let said = self.scan.said();
            self.file = self.out.files.entry(said, start);
            if self.columns.roaming {
                self.out.file = self.file;
            }
        } else if self.scan.take(b"fn=") {
            let said = self.scan.said();
            self.end_block(start);
            self.begin_block(said, start);
        } else if self.scan.take(b"fl=") {
            let said = self.scan.said();
            self.file = self.out.files.entry(said, start);
            self.out.file = self.file;
        } else {
            self.rare_line();
        }
    }

    fn end_block(&mut self, at: usize) {
        self.forget_callee();
        (self.callee_file, self.callee_object) = (None, None);
        self.expect_no_costs(at.min(self.scan.bytes.len()));
        if std::mem::replace(&mut self.has_function, false)
            && let Some(block) = self.out.blocks.last_mut()
        {
            block.end = at;
            let nothing = self.out.calls.caller.len() == self.first_call
                && self.out.own[self.own..].iter().all(|&cost| cost == 0);
            block.empty = nothing && !has_costs(&self.scan.bytes[block.start.min(at)..at]);
        }
    }

    fn begin_block(&mut self, said: Said<'a>, at: usize) {
        self.file = self.out.file;
        let named = Where { object: self.out.object, file: self.file, weak: false };
        let function = self.out.functions.reference(said, named, at);
        self.has_function = true;
        self.first_call = self.out.calls.caller.len();
        self.own = self.out.own.len();
        self.out.own.resize(self.own + self.columns.width, 0);
        let (address, line) = (self.out.address, self.out.line);
        // Without a line end, the next line would begin behind the last byte.
        let start = self.scan.at.min(self.scan.bytes.len());
        self.out.blocks.push(Block {
            function,
            file: self.file,
            start,
            end: start,
            empty: false,
            address,
            line,
        });
    }

    #[inline(never)]
    fn rare_line(&mut self) {
        let start = self.scan.at;
        if self.scan.take(b"ob=") {
            let said = self.scan.said();
            self.out.object = self.out.objects.entry(said, start);
        } else if self.scan.take(b"jfi=") {
            let said = self.scan.said();
            self.callee_file = Some(self.out.files.entry(said, start));
        } else if self.scan.take(b"jfn=") {
            self.callee = Some((self.scan.said(), start));
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
            Some((key @ (b"summary" | b"totals"), value)) => self.out.stated.push(header::stated(key, value)),
            Some(_) => {}
            None if trimmed.len() < line.len() && matches!(line.first(), Some(b' ' | b'\t')) => {
                self.scan.at = start;
                self.scan.blanks();
                self.any_line();
            }
            None => self.fault(start, Kind::Garbage),
        }
    }
}
