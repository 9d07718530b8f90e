//! How long a process takes to notice a message that it waited for.
//!
//! After the send the call goes on for as long as the message takes. Now and then it lasts much longer: the process had
//! used up its time slice by asking for the message, and another one had its processor. That time belongs to the wait
//! and not to the message, and it goes with the wait:
//!
//! ```text
//! sender     ────────┤send├──
//! receiver   ┤probe ▒▒▒▒▒▒▒▒·····──├      ▒ waits, · is not running, ─ notices the message
//!                    ↑sent
//! ```
//!
//! What the message takes is the median over all that were waited for between the same two processes, of the same
//! number of bits in their lengths; or of more bits, where that is less: what a longer message can do, a shorter can.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, Ticks};

use crate::store::{OpRef, Trace};

/// Times that are kept of a kind of messages, and how many of them make a median.
const MOST: usize = 255;
const FEWEST: usize = 4;

/// A call that lasts so many times as long as others of its kind was kept by something else.
const SLOWEST: Ticks = 2;

/// How long calls last after the send of the message that they waited for.
#[derive(Debug, Default)]
pub(super) struct Rests {
    kinds: Vec<KindOfMessage>,
    ids: HashMap<Asked, AskedId>,
    /// The kind that was asked for last: the next message is often of the same.
    last: Option<(Asked, AskedId)>,
}

#[derive(Debug)]
struct KindOfMessage {
    asked: Asked,
    seen: Vec<Ticks>,
    /// What such a message takes.
    median: Option<Ticks>,
}

/// A kind of messages, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AskedId(u32);

/// From whom, to whom, whether it is asked for by a probe, and how many bits the length has.
type Asked = (ProcessId, ProcessId, bool, u32);

/// A call that waited for a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waited {
    pub(super) send: OpRef,
    /// Who receives, by one of its records or calls.
    pub(super) to: LocationId,
    pub(super) probes: bool,
    /// When the call was entered, the message sent, the call left.
    pub(super) enter: Ticks,
    pub(super) sent: Ticks,
    pub(super) exit: Ticks,
}

impl Rests {
    /// Notes how long a call lasted, if it waited; gives the kind of its message.
    pub(super) fn see(&mut self, trace: &Trace, waited: &Waited) -> Option<AskedId> {
        let rest = waited.rest()?;
        let id = self.id(waited.kind(trace));
        let seen = &mut self.kinds[id.0 as usize].seen;
        if seen.len() < MOST {
            seen.push(rest);
        }
        Some(id)
    }

    fn id(&mut self, asked: Asked) -> AskedId {
        if let Some((_, id)) = self.last.filter(|(last, _)| *last == asked) {
            return id;
        }
        let id = *self.ids.entry(asked).or_insert_with(|| {
            self.kinds.push(KindOfMessage { asked, seen: Vec::new(), median: None });
            AskedId(self.kinds.len() as u32 - 1)
        });
        self.last = Some((asked, id));
        id
    }

    /// Computes what messages take, from what was seen.
    pub(super) fn settle(&mut self) {
        let mut order: Vec<usize> = (0..self.kinds.len()).collect();
        order.sort_unstable_by_key(|&number| std::cmp::Reverse(self.kinds[number].asked));
        let mut longer: Option<(Asked, Ticks)> = None;
        for number in order {
            let row = &mut self.kinds[number];
            let (kind, mut seen) = (row.asked, std::mem::take(&mut row.seen));
            seen.sort_unstable();
            let own = (seen.len() >= FEWEST).then(|| seen[seen.len() / 2]);
            let other =
                longer.filter(|(it, _)| (it.0, it.1, it.2) == (kind.0, kind.1, kind.2)).map(|it| it.1);
            row.median = own.into_iter().chain(other).min();
            longer = row.median.map(|median| (kind, median));
        }
    }

    /// How much longer than the message takes a call lasted.
    pub(super) fn late(&self, trace: &Trace, waited: &Waited) -> Ticks {
        let Some(rest) = waited.rest() else { return 0 };
        self.ids.get(&waited.kind(trace)).map_or(0, |&kind| self.beyond(kind, rest))
    }

    /// How much longer than a message of a kind takes.
    pub(super) fn beyond(&self, kind: AskedId, rest: Ticks) -> Ticks {
        let median = self.kinds[kind.0 as usize].median.unwrap_or(rest);
        if rest > SLOWEST.saturating_mul(median) { rest - median } else { 0 }
    }
}

impl Waited {
    /// From the send to the end of the call, where it waited for that.
    fn rest(&self) -> Option<Ticks> {
        (self.enter < self.sent && self.sent <= self.exit).then(|| self.exit - self.sent)
    }

    fn kind(&self, trace: &Trace) -> Asked {
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

    /// Rank 1 waits for six messages of rank 0, and is 5 late each time but for the last, when it is 405 late.
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
    fn what_is_late_because_of_a_wait_goes_with_it() {
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
