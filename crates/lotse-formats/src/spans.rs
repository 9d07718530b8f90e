//! Pairs the begin and end marks on the timeline of a thread to spans.
//!
//! An end mark closes the innermost open span with the same label. If no such span is open, the end mark closes the
//! innermost open span, provided that no later end mark has the label of that span; otherwise the end mark is left out.
//! A span without an end mark lasts until the last mark, or until the stated end of the timeline if that is later.
//!
//! ```text
//! marks  begin a   begin b   end a   end x
//! time   0         1         5       7
//!
//! a      0 ───────────────── 5             closed by its own end, although b is still open
//! b                1 ─────────────── 7     `end x` matches no open span, and no `end b` follows: it closes b
//! ```

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::diagnostics::Diagnostics;

/// Begin and end marks on the timeline of a thread, in any order.
#[derive(Debug)]
pub(crate) struct SpanMarks<T> {
    marks: Vec<Mark<T>>,
    /// The stated end of the timeline.
    last: Option<i64>,
}

impl<T> Default for SpanMarks<T> {
    fn default() -> Self {
        Self { marks: Vec::new(), last: None }
    }
}

#[derive(Debug, Clone, Copy)]
struct Mark<T> {
    at: i64,
    /// An end mark belongs to a begin mark with the same label.
    label: u32,
    kind: MarkKind<T>,
}

#[derive(Debug, Clone, Copy)]
enum MarkKind<T> {
    Begin(T),
    End,
    /// An end mark without a label.
    AnyEnd,
    /// A span with its end time.
    Complete(T, i64),
}

impl<T: Copy> SpanMarks<T> {
    /// Adds a begin mark.
    pub(crate) fn begin(&mut self, at: i64, label: u32, what: T) {
        self.marks.push(Mark { at, label, kind: MarkKind::Begin(what) });
    }

    /// Adds an end mark; without a label it closes the innermost open span.
    pub(crate) fn end(&mut self, at: i64, label: Option<u32>) {
        let kind = if label.is_some() { MarkKind::End } else { MarkKind::AnyEnd };
        self.marks.push(Mark { at, label: label.unwrap_or(0), kind });
    }

    /// Adds a span whose begin and end are known.
    pub(crate) fn complete(&mut self, at: i64, end: i64, what: T) {
        self.marks.push(Mark { at, label: 0, kind: MarkKind::Complete(what, end) });
    }

    /// Sets the end of the timeline.
    pub(crate) fn extend_to(&mut self, end: i64) {
        self.last = Some(end);
    }

    /// The time of the first mark.
    pub(crate) fn first(&self) -> Option<i64> {
        self.marks.iter().map(|mark| mark.at).min()
    }

    /// All spans, sorted by begin, the longer one first. `path` says in messages where the marks are in the file.
    pub(crate) fn into_spans(self, diagnostics: &mut Diagnostics, path: &str) -> Vec<ClosedSpan<T>> {
        let mut spans = SpanPairing::new(self.last).pair(&self.marks, diagnostics, path);
        spans.sort_by_key(|span| (span.start, Reverse(span.end), span.order));
        spans
    }
}

/// A span with its begin and end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClosedSpan<T> {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) what: T,
    /// The position of its begin mark among the marks.
    order: usize,
}

struct SpanPairing<T> {
    spans: Vec<ClosedSpan<T>>,
    last: Option<i64>,
    /// Positions in `spans` of the open spans, by label, the innermost last.
    open: HashMap<u32, Vec<usize>>,
    /// The stack of opened spans with their labels, the innermost last. Closed spans are removed when they are on top.
    nesting: Vec<(usize, u32)>,
    /// Whether each of `spans` is closed.
    closed: Vec<bool>,
    /// The number of end marks still to come, by label.
    ends: HashMap<u32, usize>,
}

impl<T: Copy> SpanPairing<T> {
    fn new(last: Option<i64>) -> Self {
        Self {
            spans: Vec::new(),
            last,
            open: HashMap::new(),
            nesting: Vec::new(),
            closed: Vec::new(),
            ends: HashMap::new(),
        }
    }

    /// Pairs the marks in the order of time; marks of the same time are paired together.
    fn pair(mut self, marks: &[Mark<T>], diagnostics: &mut Diagnostics, path: &str) -> Vec<ClosedSpan<T>> {
        let mut halves: Vec<(usize, Mark<T>)> = marks.iter().copied().enumerate().collect();
        halves.retain(|(_, mark)| !matches!(mark.kind, MarkKind::Complete(..)));
        if !halves.is_sorted_by_key(|(_, mark)| mark.at) {
            diagnostics.note_kind("begins and ends stand out of the order of time; they were sorted", || {
                path.to_owned()
            });
            halves.sort_by_key(|(_, mark)| mark.at);
        }
        for (_, mark) in halves.iter().filter(|(_, mark)| matches!(mark.kind, MarkKind::End)) {
            *self.ends.entry(mark.label).or_default() += 1;
        }
        for simultaneous in halves.chunk_by(|left, right| left.1.at == right.1.at) {
            self.pair_simultaneous(simultaneous, diagnostics, path);
        }
        self.close_rest(marks, diagnostics, path);
        self.spans.extend(marks.iter().enumerate().filter_map(|(order, mark)| match mark.kind {
            MarkKind::Complete(what, end) => Some(ClosedSpan { start: mark.at, end, what, order }),
            _ => None,
        }));
        self.spans
    }

    /// Pairs marks of the same time. The file may have an end mark before its begin mark, so end marks that match
    /// nothing are tried again after all others.
    fn pair_simultaneous(&mut self, marks: &[(usize, Mark<T>)], diagnostics: &mut Diagnostics, path: &str) {
        let mut unmatched = Vec::new();
        for &(order, mark) in marks {
            match mark.kind {
                MarkKind::Begin(what) => self.begin(order, mark, what),
                MarkKind::End if !self.end(mark) => unmatched.push((order, mark)),
                MarkKind::AnyEnd => {
                    if !self.close_innermost(mark.at) {
                        diagnostics.note_kind("nothing is open at an end; it was left out", || {
                            event_path(path, order)
                        });
                    }
                }
                MarkKind::End | MarkKind::Complete(..) => {}
            }
        }
        for (order, mark) in unmatched {
            if !self.end(mark) {
                self.unmatched_end(order, mark, diagnostics, path);
            }
        }
    }

    fn begin(&mut self, order: usize, mark: Mark<T>, what: T) {
        self.open.entry(mark.label).or_default().push(self.spans.len());
        self.nesting.push((self.spans.len(), mark.label));
        self.spans.push(ClosedSpan { start: mark.at, end: i64::MAX, what, order });
        self.closed.push(false);
    }

    /// Closes the innermost open span with the label of the mark; `false` if there is none.
    fn end(&mut self, mark: Mark<T>) -> bool {
        let Some(span) = self.open.get_mut(&mark.label).and_then(Vec::pop) else { return false };
        self.spans[span].end = mark.at;
        self.closed[span] = true;
        self.ends.entry(mark.label).and_modify(|ends| *ends = ends.saturating_sub(1));
        true
    }

    /// The innermost open span and its label.
    fn innermost(&mut self) -> Option<(usize, u32)> {
        while self.nesting.last().is_some_and(|&(span, _)| self.closed[span]) {
            self.nesting.pop();
        }
        self.nesting.last().copied()
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

    /// Handles an end mark whose label no open span has.
    fn unmatched_end(&mut self, order: usize, mark: Mark<T>, diagnostics: &mut Diagnostics, path: &str) {
        self.ends.entry(mark.label).and_modify(|ends| *ends = ends.saturating_sub(1));
        let expected = self.innermost().map(|(_, label)| self.ends.get(&label).copied().unwrap_or(0));
        match expected {
            None => diagnostics
                .note_kind("nothing is open at an end; it was left out", || event_path(path, order)),
            Some(0) => {
                self.close_innermost(mark.at);
                let message = "an end has another name than the innermost begin, which has no end of its own; \
                               it was closed";
                diagnostics.note_kind(message, || event_path(path, order));
            }
            Some(_) => diagnostics
                .note_kind("no begin of the name of an end is open; it was left out", || {
                    event_path(path, order)
                }),
        }
    }

    /// Closes the spans that are still open at the end of the timeline.
    fn close_rest(&mut self, marks: &[Mark<T>], diagnostics: &mut Diagnostics, path: &str) {
        let ends = marks.iter().map(|mark| match mark.kind {
            MarkKind::Complete(_, end) => end.max(mark.at),
            _ => mark.at,
        });
        let last = ends.chain(self.last).max().unwrap_or(0);
        let open = self.spans.iter_mut().zip(&self.closed).filter(|(_, closed)| !**closed);
        for (span, _) in open {
            span.end = last;
            diagnostics.note_kind("a begin has no end; it lasts until the end of the recording", || {
                event_path(path, span.order)
            });
        }
    }
}

fn event_path(path: &str, order: usize) -> String {
    format!("{path}, event {order}")
}
