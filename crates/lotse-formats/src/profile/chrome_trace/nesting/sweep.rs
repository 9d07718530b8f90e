//! A sweep over spans in the order of their starts, which cuts time into slices with the same stack.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;
use lotse_model::id::{FrameId, FunctionId, StackId};
use lotse_model::profile::{Builder, Calls, EntryCalls};

use crate::diagnostics::Diagnostics;
use crate::spans::ClosedSpan;

/// The stacks and calls of nested spans.
#[derive(Debug, Default)]
pub(crate) struct NestedSpans {
    /// In the order of time.
    pub(crate) slices: Vec<StackSlice>,
    /// Calls by pair of caller and callee.
    pub(crate) calls: Calls,
    /// How many spans began at top level, by function.
    pub(crate) entries: EntryCalls,
}

/// An interval with one stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StackSlice {
    pub(crate) stack: StackId,
    pub(crate) at: i64,
    pub(crate) length: u64,
}

/// A span that has begun and not yet ended.
struct OpenSpan {
    id: usize,
    frame: FrameId,
    stack: StackId,
}

/// The state of the sweep at the time `now`.
pub(super) struct Sweep<'a> {
    builder: &'a mut Builder,
    /// Outermost first, by id.
    open: Vec<OpenSpan>,
    /// The ends of the open spans; of spans that end together, the inner one comes first.
    ends: BinaryHeap<(Reverse<i64>, usize)>,
    now: i64,
    /// How many frames may still move to another stack. Without a bound, overlaps would need quadratic memory.
    moves: usize,
    nested: NestedSpans,
    /// Rows of the calls, by caller and callee.
    pairs: HashMap<(FunctionId, FunctionId), usize>,
    /// Rows of the entries, by function.
    roots: HashMap<FunctionId, usize>,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(builder: &'a mut Builder, spans: usize) -> Self {
        Self {
            builder,
            open: Vec::new(),
            ends: BinaryHeap::new(),
            now: i64::MIN,
            moves: spans.saturating_mul(16).saturating_add(4096),
            nested: NestedSpans::default(),
            pairs: HashMap::new(),
            roots: HashMap::new(),
        }
    }

    pub(super) fn run(
        mut self,
        spans: &[ClosedSpan<FrameId>],
        diagnostics: &mut Diagnostics,
        path: &str,
    ) -> NestedSpans {
        for (id, span) in spans.iter().enumerate() {
            self.close_until(span.start, diagnostics, path);
            self.advance(span.start);
            self.open(id, span);
        }
        self.close_until(i64::MAX, diagnostics, path);
        self.nested
    }

    /// Moves to a later time; the time in between is a slice of the current stack.
    fn advance(&mut self, to: i64) {
        let length = u64::try_from(i128::from(to) - i128::from(self.now)).unwrap_or(0);
        if let Some(top) = self.open.last().filter(|_| length > 0) {
            self.nested.slices.push(StackSlice { stack: top.stack, at: self.now, length });
        }
        self.now = self.now.max(to);
    }

    fn open(&mut self, id: usize, span: &ClosedSpan<FrameId>) {
        let below = self.open.last().map(|top| (top.stack, top.frame));
        match below {
            Some((_, caller)) => self.count_call(caller, span.what),
            None => self.count_entry(span.what),
        }
        let stack = self.builder.stack(below.map(|(stack, _)| stack), span.what);
        self.open.push(OpenSpan { id, frame: span.what, stack });
        self.ends.push((Reverse(span.end), id));
    }

    fn count_call(&mut self, caller: FrameId, callee: FrameId) {
        let function = |frame: FrameId| self.builder.profile.frames.function[frame.index()];
        let (caller, callee) = (function(caller), function(callee));
        let calls = &mut self.nested.calls;
        let row = *self.pairs.entry((caller, callee)).or_insert_with(|| {
            calls.caller.push(caller);
            calls.callee.push(callee);
            calls.count.push(0);
            calls.count.len() - 1
        });
        calls.count[row] += 1;
    }

    fn count_entry(&mut self, callee: FrameId) {
        let function = self.builder.profile.frames.function[callee.index()];
        let entries = &mut self.nested.entries;
        let row = *self.roots.entry(function).or_insert_with(|| {
            entries.push(function, 0);
            entries.count.len() - 1
        });
        entries.count[row] += 1;
    }

    fn close_until(&mut self, time: i64, diagnostics: &mut Diagnostics, path: &str) {
        while let Some(&(Reverse(end), id)) = self.ends.peek().filter(|(Reverse(end), _)| *end <= time) {
            self.ends.pop();
            let Ok(position) = self.open.binary_search_by_key(&id, |span| span.id) else { continue };
            self.advance(end);
            self.remove(position, diagnostics, path);
        }
    }

    /// Removes an open span from the stack, also from below others, which then get a new stack.
    fn remove(&mut self, position: usize, diagnostics: &mut Diagnostics, path: &str) {
        let above = self.open.len() - position - 1;
        if above > self.moves {
            diagnostics
                .loss_kind("too many spans overlap; those inside another end with it", || path.to_owned());
            self.open.truncate(position);
            return;
        }
        self.open.remove(position);
        if above > 0 {
            diagnostics.note_kind("spans overlap and none contains the other; each keeps its time", || {
                path.to_owned()
            });
        }
        self.moves -= above;
        let mut below = position.checked_sub(1).map(|under| self.open[under].stack);
        for span in &mut self.open[position..] {
            span.stack = self.builder.stack(below, span.frame);
            below = Some(span.stack);
        }
    }
}
