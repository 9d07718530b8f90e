//! How the library sends messages, learned from all sends of a run.

use hashbrown::HashMap;
use lotse_model::trace::Ticks;

use super::{Kind, Mode, Sent, Shows};

/// Durations that are kept for a kind: enough for a median.
const MOST_DURATIONS: usize = 63;

/// A send that lasts longer than so many times the median of those that waited for nobody waited for somebody.
const SLOWEST: u64 = 2;

/// What the sends of a run show.
#[derive(Debug, Clone, Default)]
pub(crate) struct Habits {
    of_kind: HashMap<Kind, Habit>,
    /// By the number of bits of the length, over all processes.
    of_length: Vec<Counts>,
}

/// What the sends of a kind show.
#[derive(Debug, Clone, Default)]
struct Habit {
    /// How long calls lasted that completed one send and waited for nobody.
    durations: Vec<Ticks>,
    counts: Counts,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    buffered: u32,
    waited: u32,
}

impl Counts {
    /// Whether sends wait; `None` where none of them shows it.
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

impl Habits {
    pub(super) fn learned(all: &[Sent]) -> Self {
        let mut habits = Self { of_kind: HashMap::new(), of_length: vec![Counts::default(); 65] };
        let ordinary = || all.iter().filter(|sent| sent.mode == Mode::Standard);
        let waited_for_nobody =
            |sent: &&Sent| sent.alone && matches!(sent.shows(), Shows::Buffered | Shows::Nothing);
        for sent in ordinary().filter(waited_for_nobody) {
            let durations = &mut habits.of_kind.entry(sent.kind).or_default().durations;
            if durations.len() < MOST_DURATIONS {
                durations.push(sent.lasted());
            }
        }
        habits.of_kind.values_mut().for_each(|habit| habit.durations.sort_unstable());
        for sent in ordinary().filter(|sent| sent.shows() != Shows::Nothing) {
            let waited = match sent.shows() {
                Shows::Attended => true,
                Shows::Overlap => habits.lasted_longer(sent),
                Shows::Buffered | Shows::Nothing => false,
            };
            // A short overlap shows neither.
            if waited || sent.shows() == Shows::Buffered {
                habits.of_kind.entry(sent.kind).or_default().counts.count(waited);
                habits.of_length[sent.kind.2 as usize].count(waited);
            }
        }
        habits
    }

    /// Whether a send waits for its receiver, in this run or once the receiver comes later.
    pub(super) fn waits(&self, sent: &Sent) -> bool {
        match sent.shows() {
            // What it waited for is a wait of its own.
            Shows::Buffered | Shows::Attended => false,
            Shows::Overlap if self.lasted_longer(sent) => true,
            Shows::Overlap | Shows::Nothing => self.expected(sent.kind),
        }
    }

    /// Whether a send lasted longer than its transfer takes: it ended soon after its receive was posted, or it took
    /// longer than those that waited for nobody.
    fn lasted_longer(&self, sent: &Sent) -> bool {
        let (before, after) = (sent.posted.saturating_sub(sent.ready), sent.exit.saturating_sub(sent.posted));
        // Stamps are whole ticks: one more may have passed. What happens at the same tick need not be waited for.
        if after > 0 && before > SLOWEST.saturating_mul(after + 1) {
            return true;
        }
        let durations = self.of_kind.get(&sent.kind).map_or(&[][..], |habit| &habit.durations);
        let median = durations.get(durations.len() / 2).copied().unwrap_or(0);
        sent.lasted() > SLOWEST.saturating_mul(median)
    }

    /// What sends of a kind do.
    fn expected(&self, kind: Kind) -> bool {
        let own = self.of_kind.get(&kind).and_then(|habit| habit.counts.verdict());
        own.or_else(|| self.of_length.get(kind.2 as usize)?.verdict()).unwrap_or_else(|| {
            let (shorter, longer) = self.of_length.split_at(kind.2 as usize);
            let buffered_above = longer.iter().any(|counts| counts.verdict() == Some(false));
            !buffered_above && shorter.iter().any(|counts| counts.verdict() == Some(true))
        })
    }
}
