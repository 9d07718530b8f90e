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
//! number of bits in their lengths.

use hashbrown::HashMap;
use lotse_model::trace::{Event, Ticks};

use super::super::sends::Kind;
use crate::store::{OpRef, Trace};

/// Times that are kept of a kind of messages, and how many of them make a median.
const MOST: usize = 255;
const FEWEST: usize = 4;

/// A call that lasts so many times as long as others of its kind was kept by something else.
const SLOWEST: Ticks = 2;

/// How long calls last after the send of the message that they waited for.
#[derive(Debug, Default)]
pub(super) struct Rests(HashMap<Asked, Vec<Ticks>>);

/// A kind of messages, and whether it is asked for by a probe.
type Asked = (Kind, bool);

/// A call that waited for a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waited {
    pub(super) send: OpRef,
    /// Who receives, by one of its records or calls.
    pub(super) to: lotse_model::id::LocationId,
    pub(super) probes: bool,
    /// When the call was entered, the message sent, the call left.
    pub(super) enter: Ticks,
    pub(super) sent: Ticks,
    pub(super) exit: Ticks,
}

impl Rests {
    /// Notes how long a call lasted.
    pub(super) fn see(&mut self, trace: &Trace, waited: &Waited) {
        if let Some(rest) = waited.rest() {
            let known = self.0.entry(waited.kind(trace)).or_default();
            if known.len() < MOST {
                known.push(rest);
            }
        }
    }

    pub(super) fn settle(&mut self) {
        self.0.values_mut().for_each(|rests| rests.sort_unstable());
    }

    /// How much longer than the message takes a call lasted.
    pub(super) fn late(&self, trace: &Trace, waited: &Waited) -> Ticks {
        let rests = self.0.get(&waited.kind(trace)).filter(|rests| rests.len() >= FEWEST);
        let median = rests.map(|rests| rests[rests.len() / 2]);
        let late =
            |(rest, median): (Ticks, Ticks)| rest.checked_sub(median).filter(|_| rest > SLOWEST * median);
        waited.rest().zip(median).and_then(late).unwrap_or(0)
    }
}

impl Waited {
    /// From the send to the end of the call, where it waited for that.
    fn rest(&self) -> Option<Ticks> {
        (self.enter < self.sent && self.sent <= self.exit).then(|| self.exit - self.sent)
    }

    fn kind(&self, trace: &Trace) -> Asked {
        let length = match trace.op(self.send).event {
            Event::MpiSend { length, .. } | Event::MpiIsend { length, .. } => length,
            _ => 0,
        };
        let process = |location| trace.location(location).process;
        let bits = u64::BITS - length.leading_zeros();
        ((process(self.send.location), process(self.to), bits), self.probes)
    }
}
