//! Begins, ends and durations become stacks: what was open when, for how long, and who called whom.
//!
//! Every span keeps the time it lasted. An end closes the innermost open span of its label; one whose label is not
//! open closes the innermost span if nothing else will, and is otherwise left out. A span without an end lasts
//! until the last mark. Spans that overlap without one containing the other both keep their duration: the outer
//! one is taken out from below the inner one when it ends.

mod sweep;

use std::cmp::Reverse;

use hashbrown::HashMap;
use lotse_model::id::FrameId;
use lotse_model::profile::Builder;

use crate::json::Tally;

use sweep::Sweep;
pub(crate) use sweep::{Nested, Slice};

/// Marks on the time line of a thread, in any order.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    marks: Vec<Mark>,
    last: Option<i64>,
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

    /// Says that the time line goes on until then.
    pub(crate) fn until(&mut self, end: i64) {
        self.last = Some(end);
    }

    /// What was on the stack when. `path` says where the marks stand.
    pub(crate) fn nest(self, builder: &mut Builder, tally: &mut Tally, path: &str) -> Nested {
        let mut spans = Pairing { last: self.last, ..Pairing::default() }.pair(&self.marks, tally, path);
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
    last: Option<i64>,
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
        if let Some(open) = self.open.get_mut(&label) {
            open.pop();
        }
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
        let last = ends.chain(self.last).max().unwrap_or(0);
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

#[cfg(test)]
mod tests;
