//! Spans with both ends become slices of time, each with the stack that was open.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;
use lotse_model::id::{FrameId, FunctionId, StackId};
use lotse_model::profile::{Builder, Calls, EntryCalls};

use crate::json::Tally;
use crate::spans::Span;

/// What spans amount to.
#[derive(Debug, Default)]
pub(crate) struct Nested {
    /// Stacks, each with when and how long it was there.
    pub(crate) slices: Vec<Slice>,
    /// How often who called whom.
    pub(crate) calls: Calls,
    /// How often a span began at top level.
    pub(crate) entries: EntryCalls,
}

/// A stack that did not change for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) stack: StackId,
    pub(crate) at: i64,
    pub(crate) length: u64,
}

struct Active {
    id: usize,
    frame: FrameId,
    stack: StackId,
}

pub(super) struct Sweep<'a> {
    builder: &'a mut Builder,
    active: Vec<Active>,
    /// When the active ones end; the inner one first where several end together.
    ends: BinaryHeap<(Reverse<i64>, usize)>,
    now: i64,
    /// How many frames may still be put onto another stack. Without a bound, overlaps take quadratic memory.
    moves: usize,
    nested: Nested,
    pairs: HashMap<(FunctionId, FunctionId), usize>,
    /// Rows of the entries, by function.
    roots: HashMap<FunctionId, usize>,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(builder: &'a mut Builder, spans: usize) -> Self {
        Self {
            builder,
            active: Vec::new(),
            ends: BinaryHeap::new(),
            now: i64::MIN,
            moves: spans.saturating_mul(16).saturating_add(4096),
            nested: Nested::default(),
            pairs: HashMap::new(),
            roots: HashMap::new(),
        }
    }

    pub(super) fn run(mut self, spans: &[Span<FrameId>], tally: &mut Tally, path: &str) -> Nested {
        for (id, span) in spans.iter().enumerate() {
            self.close_until(span.start, tally, path);
            self.advance(span.start);
            self.open(id, span);
        }
        self.close_until(i64::MAX, tally, path);
        self.nested
    }

    fn advance(&mut self, to: i64) {
        let length = u64::try_from(i128::from(to) - i128::from(self.now)).unwrap_or(0);
        if let Some(top) = self.active.last().filter(|_| length > 0) {
            self.nested.slices.push(Slice { stack: top.stack, at: self.now, length });
        }
        self.now = self.now.max(to);
    }

    fn open(&mut self, id: usize, span: &Span<FrameId>) {
        let below = self.active.last().map(|top| (top.stack, top.frame));
        match below {
            Some((_, caller)) => self.count(caller, span.what),
            None => self.enter(span.what),
        }
        let stack = self.builder.stack(below.map(|(stack, _)| stack), span.what);
        self.active.push(Active { id, frame: span.what, stack });
        self.ends.push((Reverse(span.end), id));
    }

    fn count(&mut self, caller: FrameId, callee: FrameId) {
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

    fn enter(&mut self, callee: FrameId) {
        let function = self.builder.profile.frames.function[callee.index()];
        let entries = &mut self.nested.entries;
        let row = *self.roots.entry(function).or_insert_with(|| {
            entries.push(function, 0);
            entries.count.len() - 1
        });
        entries.count[row] += 1;
    }

    fn close_until(&mut self, time: i64, tally: &mut Tally, path: &str) {
        while let Some(&(Reverse(end), id)) = self.ends.peek().filter(|(Reverse(end), _)| *end <= time) {
            self.ends.pop();
            let Ok(position) = self.active.binary_search_by_key(&id, |active| active.id) else { continue };
            self.advance(end);
            self.take_out(position, tally, path);
        }
    }

    fn take_out(&mut self, position: usize, tally: &mut Tally, path: &str) {
        let above = self.active.len() - position - 1;
        if above > self.moves {
            tally.loss("too many spans overlap; those inside another end with it", || path.to_owned());
            self.active.truncate(position);
            return;
        }
        self.active.remove(position);
        if above > 0 {
            tally.note("spans overlap and none contains the other; each keeps its time", || path.to_owned());
        }
        self.moves -= above;
        let mut below = position.checked_sub(1).map(|under| self.active[under].stack);
        for active in &mut self.active[position..] {
            active.stack = self.builder.stack(below, active.frame);
            below = Some(active.stack);
        }
    }
}
