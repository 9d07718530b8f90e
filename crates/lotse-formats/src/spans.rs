//! Begins, ends and durations on the time line of a thread become spans with both their ends.
//!
//! Every span keeps the time it lasted. An end closes the innermost open span of its label; one whose label is not
//! open closes the innermost span if nothing else will, and is otherwise left out. A span without an end lasts
//! until the last mark, or until the stated end of the time line where that is later.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::json::Tally;

/// Marks on the time line of a thread, in any order.
#[derive(Debug)]
pub(crate) struct Spans<T> {
    marks: Vec<Mark<T>>,
    last: Option<i64>,
}

impl<T> Default for Spans<T> {
    fn default() -> Self {
        Self { marks: Vec::new(), last: None }
    }
}

#[derive(Debug, Clone, Copy)]
struct Mark<T> {
    at: i64,
    /// What an end must have in common with its begin.
    label: u32,
    kind: Kind<T>,
}

#[derive(Debug, Clone, Copy)]
enum Kind<T> {
    Begin(T),
    End,
    /// An end that does not say of what.
    AnyEnd,
    /// A span that lasts until then.
    Whole(T, i64),
}

impl<T: Copy> Spans<T> {
    /// A span begins.
    pub(crate) fn begin(&mut self, at: i64, label: u32, what: T) {
        self.marks.push(Mark { at, label, kind: Kind::Begin(what) });
    }

    /// A span ends; without a label, the innermost.
    pub(crate) fn end(&mut self, at: i64, label: Option<u32>) {
        let kind = if label.is_some() { Kind::End } else { Kind::AnyEnd };
        self.marks.push(Mark { at, label: label.unwrap_or(0), kind });
    }

    /// A span from its begin to its end.
    pub(crate) fn whole(&mut self, at: i64, end: i64, what: T) {
        self.marks.push(Mark { at, label: 0, kind: Kind::Whole(what, end) });
    }

    /// Says that the time line goes on until then.
    pub(crate) fn until(&mut self, end: i64) {
        self.last = Some(end);
    }

    /// The time of the first mark.
    pub(crate) fn first(&self) -> Option<i64> {
        self.marks.iter().map(|mark| mark.at).min()
    }

    /// All spans, by their begin, the longer first. `path` says where the marks stand.
    pub(crate) fn paired(self, tally: &mut Tally, path: &str) -> Vec<Span<T>> {
        let mut spans = Pairing::until(self.last).pair(&self.marks, tally, path);
        spans.sort_by_key(|span| (span.start, Reverse(span.end), span.order));
        spans
    }
}

/// A span with both its ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span<T> {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) what: T,
    order: usize,
}

struct Pairing<T> {
    spans: Vec<Span<T>>,
    last: Option<i64>,
    /// Positions in `spans` of those that are open, by label.
    open: HashMap<u32, Vec<usize>>,
    /// All that were opened and perhaps closed since, the innermost last, with their labels.
    nest: Vec<(usize, u32)>,
    closed: Vec<bool>,
    /// Ends still to come, by label.
    ends: HashMap<u32, usize>,
}

impl<T: Copy> Pairing<T> {
    fn until(last: Option<i64>) -> Self {
        Self {
            spans: Vec::new(),
            last,
            open: HashMap::new(),
            nest: Vec::new(),
            closed: Vec::new(),
            ends: HashMap::new(),
        }
    }

    fn pair(mut self, marks: &[Mark<T>], tally: &mut Tally, path: &str) -> Vec<Span<T>> {
        let mut halves: Vec<(usize, Mark<T>)> = marks.iter().copied().enumerate().collect();
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
            Kind::Whole(what, end) => Some(Span { start: mark.at, end, what, order }),
            _ => None,
        }));
        self.spans
    }

    /// Marks of one time: an end may stand before its begin.
    fn moment(&mut self, marks: &[(usize, Mark<T>)], tally: &mut Tally, path: &str) {
        let mut late = Vec::new();
        for &(order, mark) in marks {
            match mark.kind {
                Kind::Begin(what) => self.begin(order, mark, what),
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

    fn begin(&mut self, order: usize, mark: Mark<T>, what: T) {
        self.open.entry(mark.label).or_default().push(self.spans.len());
        self.nest.push((self.spans.len(), mark.label));
        self.spans.push(Span { start: mark.at, end: i64::MAX, what, order });
        self.closed.push(false);
    }

    /// Closes the innermost span of the label, if one is open.
    fn end(&mut self, mark: Mark<T>) -> bool {
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
    fn stray(&mut self, order: usize, mark: Mark<T>, tally: &mut Tally, path: &str) {
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

    fn close_rest(&mut self, marks: &[Mark<T>], tally: &mut Tally, path: &str) {
        let ends = marks.iter().map(|mark| match mark.kind {
            Kind::Whole(_, end) => end.max(mark.at),
            _ => mark.at,
        });
        let last = ends.chain(self.last).max().unwrap_or(0);
        let open = self.spans.iter_mut().zip(&self.closed).filter(|(_, closed)| !**closed);
        for (span, _) in open {
            span.end = last;
            tally
                .note("a begin has no end; it lasts until the end of the recording", || at(path, span.order));
        }
    }
}

fn at(path: &str, order: usize) -> String {
    format!("{path}, event {order}")
}
