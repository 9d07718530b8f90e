//! How long a process takes to notice a message that it waited for.
//!
//! After the send, the waiting call lasts for as long as the transfer takes. Sometimes it lasts much longer: the process
//! has used up its time slice by polling, and another process runs on its processor. That extra time belongs to the wait
//! and not to the transfer. If the wait vanishes in a simulation, so does the extra time.
//!
//! ```text
//! sender     ────────┤send├──
//! receiver   ┤probe ▒▒▒▒▒▒▒▒·····──├      ▒ waits, · does not run, ─ notices the message
//!                    ↑sent
//! ```
//!
//! The transfer time of a kind of message is the median over all messages that were waited for between the same two
//! processes and whose lengths have the same number of bits. If longer messages have a smaller median, that one is used.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, Ticks};

use crate::store::{OpRef, Trace};

/// Maximum number of times stored per kind of message, and minimum number for a median.
const MOST: usize = 255;
const FEWEST: usize = 4;

/// A call that lasts more than this many times the median noticed its message late.
const SLOWEST: Ticks = 2;

/// How long calls last after the send of the message that they waited for, by kind of message.
#[derive(Debug, Default)]
pub(super) struct NoticeTimes {
    kinds: Vec<KindTimes>,
    ids: HashMap<MessageKind, MessageKindId>,
    /// The kind used last: the next message is often of the same kind.
    last: Option<(MessageKind, MessageKindId)>,
}

#[derive(Debug)]
struct KindTimes {
    kind: MessageKind,
    seen: Vec<Ticks>,
    /// The transfer time of such a message.
    median: Option<Ticks>,
}

/// A kind of message, as an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MessageKindId(u32);

/// Sender, receiver, whether it is found by a probe, and the number of bits of the length.
type MessageKind = (ProcessId, ProcessId, bool, u32);

/// A call that waited for a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageWait {
    pub(super) send: OpRef,
    /// The receiving location.
    pub(super) to: LocationId,
    pub(super) probes: bool,
    pub(super) enter: Ticks,
    pub(super) sent: Ticks,
    pub(super) exit: Ticks,
}

impl NoticeTimes {
    /// Stores the notice time of a call, if it waited; returns the kind of its message.
    pub(super) fn record(&mut self, trace: &Trace, message_wait: &MessageWait) -> Option<MessageKindId> {
        let notice_time = message_wait.notice_time()?;
        let id = self.id(message_wait.kind(trace));
        let seen = &mut self.kinds[id.0 as usize].seen;
        if seen.len() < MOST {
            seen.push(notice_time);
        }
        Some(id)
    }

    fn id(&mut self, kind: MessageKind) -> MessageKindId {
        if let Some((_, id)) = self.last.filter(|(last, _)| *last == kind) {
            return id;
        }
        let id = *self.ids.entry(kind).or_insert_with(|| {
            self.kinds.push(KindTimes { kind, seen: Vec::new(), median: None });
            MessageKindId(self.kinds.len() as u32 - 1)
        });
        self.last = Some((kind, id));
        id
    }

    /// Computes the medians, from the longest messages to the shortest.
    pub(super) fn compute_medians(&mut self) {
        let mut order: Vec<usize> = (0..self.kinds.len()).collect();
        order.sort_unstable_by_key(|&number| std::cmp::Reverse(self.kinds[number].kind));
        let mut longer: Option<(MessageKind, Ticks)> = None;
        for number in order {
            let row = &mut self.kinds[number];
            let (kind, mut seen) = (row.kind, std::mem::take(&mut row.seen));
            seen.sort_unstable();
            let own = (seen.len() >= FEWEST).then(|| seen[seen.len() / 2]);
            let other =
                longer.filter(|(it, _)| (it.0, it.1, it.2) == (kind.0, kind.1, kind.2)).map(|it| it.1);
            row.median = own.into_iter().chain(other).min();
            longer = row.median.map(|median| (kind, median));
        }
    }

    /// How much longer than the transfer a call lasted.
    pub(super) fn lateness(&self, trace: &Trace, message_wait: &MessageWait) -> Ticks {
        let Some(notice_time) = message_wait.notice_time() else { return 0 };
        self.ids.get(&message_wait.kind(trace)).map_or(0, |&kind| self.excess(kind, notice_time))
    }

    /// By how much a notice time exceeds the median of its kind; 0 if it is not much longer.
    pub(super) fn excess(&self, kind: MessageKindId, notice_time: Ticks) -> Ticks {
        let median = self.kinds[kind.0 as usize].median.unwrap_or(notice_time);
        if notice_time > SLOWEST.saturating_mul(median) { notice_time - median } else { 0 }
    }
}

impl MessageWait {
    /// From the send to the end of the call, if the call waited for the send.
    fn notice_time(&self) -> Option<Ticks> {
        (self.enter < self.sent && self.sent <= self.exit).then(|| self.exit - self.sent)
    }

    fn kind(&self, trace: &Trace) -> MessageKind {
        let length = match trace.op(self.send).event() {
            Event::MpiSend { length, .. } | Event::MpiIsend { length, .. } => length,
            _ => 0,
        };
        let process = |location| trace.location(location).process;
        let bits = u64::BITS - length.leading_zeros();
        (process(self.send.location), process(self.to), self.probes, bits)
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::retime::{Change, Factor, Graph};
    use crate::waits::search;

    /// Rank 1 waits for six messages of rank 0 and notices each after 5, but the last after 405.
    fn noticed_late() -> Script {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").enter(1, 0, "main");
        for round in 0..6 {
            let (from, late) = (round * 1000, if round == 5 { 405 } else { 5 });
            script.call(0, from + 1, from + 500, "work").send(0, from + 500, from + 501, 1, 0);
            script.recv(1, from + 1, from + 500 + late, 0, 0);
        }
        script.leave(0, 5501, "main").leave(1, 5905, "main");
        script
    }

    #[test]
    fn lateness_vanishes_with_its_wait() {
        let trace = noticed_late().trace();
        let waits = search(&trace, &lotse_model::rule::Thresholds::default(), &lotse_model::work::Sequential);
        let graph = Graph::new(&trace, &waits);
        let work = |factor: f64| Change::scaled(trace.paths_named("work"), Factor::try_from(factor).unwrap());
        let ends = graph.run(&trace, &[Change::none(), work(0.0), work(0.5)]);
        assert_eq!(ends[0].length, 5905);
        // Without work rank 0 sends every 501; the last receive takes 5 more, and not 405.
        let sent = 1 + 5 * 501;
        assert!((sent + 5..sent + 15).contains(&ends[1].length), "{}", ends[1].length);
        assert!(ends[2].length > ends[1].length && ends[2].length < ends[0].length);
    }
}
