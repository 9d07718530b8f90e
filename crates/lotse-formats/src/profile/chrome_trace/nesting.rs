//! Begins, ends and durations become stacks: what was open when, for how long, and who called whom.
//!
//! Every span keeps the time it lasted. An end closes the innermost open span of its label; one whose label is not
//! open closes the innermost span if nothing else will, and is otherwise left out. A span without an end lasts
//! until the last mark. Spans that overlap without one containing the other both keep their duration: the outer
//! one is taken out from below the inner one when it ends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;
use lotse_model::id::{FrameId, FunctionId, StackId};
use lotse_model::profile::{Builder, Calls};

use crate::json::Tally;

/// Marks on the time line of a thread, in any order.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    marks: Vec<Mark>,
}

#[derive(Debug, Clone, Copy)]
struct Mark {
    at: i64,
    /// What an end must have in common with its begin.
    label: u32,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Begin(FrameId),
    End,
    /// An end that does not say of what.
    AnyEnd,
    /// A span that lasts until then.
    Whole(FrameId, i64),
}

impl Spans {
    /// A span begins.
    pub(crate) fn begin(&mut self, at: i64, label: u32, frame: FrameId) {
        self.marks.push(Mark { at, label, kind: Kind::Begin(frame) });
    }

    /// A span ends; without a label, the innermost.
    pub(crate) fn end(&mut self, at: i64, label: Option<u32>) {
        let kind = if label.is_some() { Kind::End } else { Kind::AnyEnd };
        self.marks.push(Mark { at, label: label.unwrap_or(0), kind });
    }

    /// A span from its begin to its end.
    pub(crate) fn whole(&mut self, at: i64, end: i64, frame: FrameId) {
        self.marks.push(Mark { at, label: 0, kind: Kind::Whole(frame, end) });
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// What was on the stack when. `path` says where the marks stand.
    pub(crate) fn nest(self, builder: &mut Builder, tally: &mut Tally, path: &str) -> Nested {
        let mut spans = Pairing::default().pair(&self.marks, tally, path);
        spans.sort_by_key(|span| (span.start, Reverse(span.end), span.order));
        Sweep::new(builder, spans.len()).run(&spans, tally, path)
    }
}

/// A span with both its ends.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: i64,
    end: i64,
    frame: FrameId,
    order: usize,
}

#[derive(Default)]
struct Pairing {
    spans: Vec<Span>,
    /// Positions in `spans` of those that are open, by label.
    open: HashMap<u32, Vec<usize>>,
    /// All that were opened and perhaps closed since, the innermost last, with their labels.
    nest: Vec<(usize, u32)>,
    closed: Vec<bool>,
    /// Ends still to come, by label.
    ends: HashMap<u32, usize>,
}

impl Pairing {
    fn pair(mut self, marks: &[Mark], tally: &mut Tally, path: &str) -> Vec<Span> {
        let mut halves: Vec<(usize, Mark)> = marks.iter().copied().enumerate().collect();
        halves.retain(|(_, mark)| !matches!(mark.kind, Kind::Whole(..)));
        if !halves.is_sorted_by_key(|(_, mark)| mark.at) {
            tally
                .note("begins and ends stand out of the order of time; they were sorted", || path.to_owned());
            halves.sort_by_key(|(_, mark)| mark.at);
        }
        for (_, mark) in halves.iter().filter(|(_, mark)| matches!(mark.kind, Kind::End)) {
            *self.ends.entry(mark.label).or_default() += 1;
        }
        for moment in halves.chunk_by(|one, other| one.1.at == other.1.at) {
            self.moment(moment, tally, path);
        }
        self.close_rest(marks, tally, path);
        self.spans.extend(marks.iter().enumerate().filter_map(|(order, mark)| match mark.kind {
            Kind::Whole(frame, end) => Some(Span { start: mark.at, end, frame, order }),
            _ => None,
        }));
        self.spans
    }

    /// Marks of one time: an end may stand before its begin.
    fn moment(&mut self, marks: &[(usize, Mark)], tally: &mut Tally, path: &str) {
        let mut late = Vec::new();
        for &(order, mark) in marks {
            match mark.kind {
                Kind::Begin(frame) => self.begin(order, mark, frame),
                Kind::End if !self.end(mark) => late.push((order, mark)),
                Kind::AnyEnd => {
                    if !self.close_innermost(mark.at) {
                        tally.note("nothing is open at an end; it was left out", || at(path, order));
                    }
                }
                Kind::End | Kind::Whole(..) => {}
            }
        }
        for (order, mark) in late {
            if !self.end(mark) {
                self.stray(order, mark, tally, path);
            }
        }
    }

    fn begin(&mut self, order: usize, mark: Mark, frame: FrameId) {
        self.open.entry(mark.label).or_default().push(self.spans.len());
        self.nest.push((self.spans.len(), mark.label));
        self.spans.push(Span { start: mark.at, end: i64::MAX, frame, order });
        self.closed.push(false);
    }

    /// Closes the innermost span of the label, if one is open.
    fn end(&mut self, mark: Mark) -> bool {
        let Some(span) = self.open.get_mut(&mark.label).and_then(Vec::pop) else { return false };
        self.spans[span].end = mark.at;
        self.closed[span] = true;
        self.ends.entry(mark.label).and_modify(|ends| *ends = ends.saturating_sub(1));
        true
    }

    fn innermost(&mut self) -> Option<(usize, u32)> {
        while self.nest.last().is_some_and(|&(span, _)| self.closed[span]) {
            self.nest.pop();
        }
        self.nest.last().copied()
    }

    fn close_innermost(&mut self, now: i64) -> bool {
        let Some((span, label)) = self.innermost() else { return false };
        self.open.entry(label).and_modify(|open| drop(open.pop()));
        self.spans[span].end = now;
        self.closed[span] = true;
        true
    }

    /// An end whose label is not open.
    fn stray(&mut self, order: usize, mark: Mark, tally: &mut Tally, path: &str) {
        self.ends.entry(mark.label).and_modify(|ends| *ends = ends.saturating_sub(1));
        let expected = self.innermost().map(|(_, label)| self.ends.get(&label).copied().unwrap_or(0));
        match expected {
            None => tally.note("nothing is open at an end; it was left out", || at(path, order)),
            Some(0) => {
                self.close_innermost(mark.at);
                let message = "an end has another name than the innermost begin, which has no end of its own; \
                               it was closed";
                tally.note(message, || at(path, order));
            }
            Some(_) => {
                tally.note("no begin of the name of an end is open; it was left out", || at(path, order))
            }
        }
    }

    fn close_rest(&mut self, marks: &[Mark], tally: &mut Tally, path: &str) {
        let ends = marks.iter().map(|mark| match mark.kind {
            Kind::Whole(_, end) => end.max(mark.at),
            _ => mark.at,
        });
        let last = ends.max().unwrap_or(0);
        let open = self.spans.iter_mut().zip(&self.closed).filter(|(_, closed)| !**closed);
        for (span, _) in open {
            span.end = last;
            tally.note("a begin has no end; it lasts until the last event", || at(path, span.order));
        }
    }
}

fn at(path: &str, order: usize) -> String {
    format!("{path}, event {order}")
}

/// What spans amount to.
#[derive(Debug, Default)]
pub(crate) struct Nested {
    /// Stacks, each with when and how long it was there.
    pub(crate) slices: Vec<Slice>,
    /// How often who called whom.
    pub(crate) calls: Calls,
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

struct Sweep<'a> {
    builder: &'a mut Builder,
    active: Vec<Active>,
    /// When the active ones end; the inner one first where several end together.
    ends: BinaryHeap<(Reverse<i64>, usize)>,
    now: i64,
    /// How many frames may still be put onto another stack. Without a bound, overlaps take quadratic memory.
    moves: usize,
    nested: Nested,
    pairs: HashMap<(FunctionId, FunctionId), usize>,
}

impl<'a> Sweep<'a> {
    fn new(builder: &'a mut Builder, spans: usize) -> Self {
        Self {
            builder,
            active: Vec::new(),
            ends: BinaryHeap::new(),
            now: i64::MIN,
            moves: spans.saturating_mul(16).saturating_add(4096),
            nested: Nested::default(),
            pairs: HashMap::new(),
        }
    }

    fn run(mut self, spans: &[Span], tally: &mut Tally, path: &str) -> Nested {
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

    fn open(&mut self, id: usize, span: &Span) {
        let below = self.active.last().map(|top| (top.stack, top.frame));
        if let Some((_, caller)) = below {
            self.count(caller, span.frame);
        }
        let stack = self.builder.stack(below.map(|(stack, _)| stack), span.frame);
        self.active.push(Active { id, frame: span.frame, stack });
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

#[cfg(test)]
mod tests {
    use lotse_model::profile::Builder;

    use super::Spans;
    use crate::json::Tally;

    /// A mark per letter: `B` begins, `E` ends, `X` has an end.
    fn check(marks: &[(char, i64, &str, i64)], slices: &[(&str, i64, u64)], notes: &[&str]) {
        let mut builder = Builder::new();
        let mut spans = Spans::default();
        for &(kind, at, name, end) in marks {
            let function = builder.bare_function(name);
            let frame = builder.bare_frame(function);
            let label = (!name.is_empty()).then_some(function.0);
            match kind {
                'B' => spans.begin(at, function.0, frame),
                'E' => spans.end(at, label),
                _ => spans.whole(at, end, frame),
            }
        }
        let mut tally = Tally::default();
        let nested = spans.nest(&mut builder, &mut tally, "x");
        let profile = builder.finish();
        let shown: Vec<(String, i64, u64)> = nested
            .slices
            .iter()
            .map(|slice| {
                let frames: Vec<&str> = profile
                    .stacks
                    .frames(Some(slice.stack))
                    .map(|frame| profile.function_name(profile.frames.get(frame).function))
                    .collect();
                (frames.into_iter().rev().collect::<Vec<_>>().join(";"), slice.at, slice.length)
            })
            .collect();
        let slices: Vec<_> =
            slices.iter().map(|&(stack, at, length)| (stack.to_owned(), at, length)).collect();
        assert_eq!(shown, slices, "{marks:?}");
        let told: Vec<String> = tally.into_diagnostics().map(|it| it.message).collect();
        assert_eq!(told.len(), notes.len(), "{told:?}");
        assert!(told.iter().zip(notes).all(|(told, note)| told.contains(note)), "{told:?}");
    }

    #[test]
    fn a_slice_is_what_was_open() {
        check(
            &[('B', 0, "a", 0), ('X', 2, "b", 5), ('E', 9, "a", 0)],
            &[("a", 0, 2), ("a;b", 2, 3), ("a", 5, 4)],
            &[],
        );
        check(&[('X', 0, "a", 1), ('X', 0, "b", 3)], &[("b;a", 0, 1), ("b", 1, 2)], &[]);
        check(&[('B', 0, "a", 0), ('E', 4, "", 0)], &[("a", 0, 4)], &[]);
    }

    #[test]
    fn spans_that_overlap_keep_their_time() {
        check(
            &[('X', 0, "a", 10), ('X', 5, "b", 15)],
            &[("a", 0, 5), ("a;b", 5, 5), ("b", 10, 5)],
            &["overlap"],
        );
        check(
            &[('B', 0, "a", 0), ('B', 1, "b", 0), ('E', 9, "a", 0), ('E', 10, "b", 0)],
            &[("a", 0, 1), ("a;b", 1, 8), ("b", 9, 1)],
            &["overlap"],
        );
    }

    #[test]
    fn strange_ends_do_no_harm() {
        check(&[('B', 0, "a", 0), ('E', 9, "b", 0)], &[("a", 0, 9)], &["another name"]);
        check(
            &[('B', 0, "a", 0), ('E', 5, "b", 0), ('E', 9, "a", 0), ('E', 10, "a", 0), ('E', 11, "", 0)],
            &[("a", 0, 9)],
            &["no begin of the name", "nothing is open"],
        );
        check(&[('B', 0, "a", 0), ('X', 3, "b", 7)], &[("a", 0, 3), ("a;b", 3, 4)], &["no end"]);
        check(
            &[('E', 9, "a", 0), ('B', 0, "a", 0), ('E', 3, "b", 0), ('B', 3, "b", 0)],
            &[("a", 0, 3), ("a", 3, 6)],
            &["sorted"],
        );
    }

    #[test]
    fn overlaps_without_end_take_bounded_memory() {
        let mut builder = Builder::new();
        let mut spans = Spans::default();
        for span in 0..4000 {
            let function = builder.bare_function(&span.to_string());
            let frame = builder.bare_frame(function);
            spans.whole(span, span + 4000, frame);
        }
        let mut tally = Tally::default();
        spans.nest(&mut builder, &mut tally, "x");
        assert!(builder.finish().stacks.len() < 100_000);
        assert!(tally.into_diagnostics().any(|it| it.message.contains("too many")));
    }

    #[test]
    fn calls_are_counted_once_each() {
        let mut builder = Builder::new();
        let frames = ["a", "b"].map(|name| {
            let function = builder.bare_function(name);
            builder.bare_frame(function)
        });
        let mut spans = Spans::default();
        spans.whole(0, 100, frames[0]);
        (0..5).for_each(|call| spans.whole(call * 10, call * 10, frames[1]));
        let nested = spans.nest(&mut builder, &mut Tally::default(), "x");
        assert_eq!((nested.calls.count, nested.slices.len()), (vec![5], 5));
    }
}
