//! Whether the library buffers messages, learned from all sends of a trace.

use hashbrown::HashMap;
use lotse_model::trace::Ticks;

use super::{Evidence, SendKind, SendMode, Sent};

/// Maximum number of durations stored per kind: enough for a median.
const MOST_DURATIONS: usize = 63;

/// A send waited if it lasted longer than this many times the median of those that did not wait.
const SLOWEST: u64 = 2;

/// The evidence of all sends of a trace.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProtocolModel {
    by_kind: HashMap<SendKind, KindStatistics>,
    /// By the number of bits of the length, over all processes.
    by_length: Vec<Counts>,
}

/// The evidence of the sends of a kind.
#[derive(Debug, Clone, Default)]
struct KindStatistics {
    /// The lengths of calls that completed a single send and did not wait.
    durations: Vec<Ticks>,
    counts: Counts,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    buffered: u32,
    waited: u32,
}

impl Counts {
    /// Whether most sends wait; none without evidence.
    fn verdict(self) -> Option<bool> {
        (self.buffered + self.waited > 0).then_some(self.waited > self.buffered)
    }

    fn count(&mut self, waited: bool) {
        if waited {
            self.waited += 1;
        } else {
            self.buffered += 1;
        }
    }
}

impl ProtocolModel {
    pub(super) fn learn(all: &[Sent]) -> Self {
        let mut protocol = Self { by_kind: HashMap::new(), by_length: vec![Counts::default(); 65] };
        let ordinary = || all.iter().filter(|sent| sent.mode == SendMode::Standard);
        let did_not_wait = |sent: &&Sent| {
            sent.is_only_send && matches!(sent.evidence(), Evidence::Buffered | Evidence::Nothing)
        };
        for sent in ordinary().filter(did_not_wait) {
            let durations = &mut protocol.by_kind.entry(sent.kind).or_default().durations;
            if durations.len() < MOST_DURATIONS {
                durations.push(sent.duration());
            }
        }
        protocol.by_kind.values_mut().for_each(|statistics| statistics.durations.sort_unstable());
        for sent in ordinary().filter(|sent| sent.evidence() != Evidence::Nothing) {
            let waited = match sent.evidence() {
                Evidence::UntilAttention => true,
                Evidence::Overlap => protocol.exceeds_transfer(sent),
                Evidence::Buffered | Evidence::Nothing => false,
            };
            // A short overlap is no evidence.
            if waited || sent.evidence() == Evidence::Buffered {
                protocol.by_kind.entry(sent.kind).or_default().counts.count(waited);
                protocol.by_length[sent.kind.2 as usize].count(waited);
            }
        }
        protocol
    }

    /// Whether a send waits for its receiver, or would wait if the receiver were later.
    pub(super) fn waits(&self, sent: &Sent) -> bool {
        match sent.evidence() {
            // A wait for buffer space is a wait of a different kind.
            Evidence::Buffered | Evidence::UntilAttention => false,
            Evidence::Overlap if self.exceeds_transfer(sent) => true,
            Evidence::Overlap | Evidence::Nothing => self.kind_waits(sent.kind),
        }
    }

    /// Whether a send lasted longer than its transfer takes: it ended soon after its receive was posted, or it lasted longer
    /// than sends that did not wait.
    fn exceeds_transfer(&self, sent: &Sent) -> bool {
        let (before, after) = (sent.posted.saturating_sub(sent.ready), sent.exit.saturating_sub(sent.posted));
        // Timestamps are whole ticks, so one more tick may have passed. Events at the same tick are no evidence of a wait.
        if after > 0 && before > SLOWEST.saturating_mul(after + 1) {
            return true;
        }
        let durations = self.by_kind.get(&sent.kind).map_or(&[][..], |statistics| &statistics.durations);
        let median = durations.get(durations.len() / 2).copied().unwrap_or(0);
        sent.duration() > SLOWEST.saturating_mul(median)
    }

    /// Whether sends of a kind wait.
    fn kind_waits(&self, kind: SendKind) -> bool {
        let own = self.by_kind.get(&kind).and_then(|statistics| statistics.counts.verdict());
        own.or_else(|| self.by_length.get(kind.2 as usize)?.verdict()).unwrap_or_else(|| {
            let (shorter, longer) = self.by_length.split_at(kind.2 as usize);
            let buffered_above = longer.iter().any(|counts| counts.verdict() == Some(false));
            !buffered_above && shorter.iter().any(|counts| counts.verdict() == Some(true))
        })
    }
}
