//! Programs that talk, run on a simulated machine; what their wrong clocks write down.

use proptest::prelude::*;

use crate::fixture::Script;

/// A clock: so many ticks ahead at the start, so many millionths too fast.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    pub(super) offset: i64,
    pub(super) ppm: i64,
}

/// When everything begins.
const START: i64 = 1 << 41;

impl Clock {
    pub(super) const RIGHT: Self = Self { offset: 0, ppm: 0 };

    fn shows(self, time: u64) -> u64 {
        let since = time as i64;
        (START + self.offset + since + since * self.ppm / 1_000_000) as u64
    }
}

/// Something that processes do.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    /// A process computes.
    Compute(usize, u64),
    /// One sends, another receives so much later at the earliest.
    Message(usize, usize, u64),
    /// All wait for all.
    Barrier,
    /// The same, and all need some time to notice: now and then one needs very long. The number makes them differ.
    Exchange(u64),
    /// The same, and each may need as long as it likes, also the same ones every time.
    Leave([u16; 3]),
}

impl Act {
    /// Work, messages, and exchanges that some leave late.
    pub(super) fn with_late_leaves() -> impl Strategy<Value = Self> {
        let late = prop_oneof![Just(0_u16), 0_u16..40, 0_u16..20_000];
        prop_oneof![
            1 => Self::any(3),
            1 => prop::array::uniform3(late).prop_map(Self::Leave),
        ]
    }

    pub(super) fn any(processes: usize) -> impl Strategy<Value = Self> {
        let one = 0..processes;
        prop_oneof![
            2 => (one.clone(), 1_u64..5000).prop_map(|(who, ticks)| Self::Compute(who, ticks)),
            6 => (one.clone(), one, 1_u64..300)
                .prop_filter_map("to oneself", |(from, to, latency)| {
                    (from != to).then_some(Self::Message(from, to, latency))
                }),
            1 => Just(Self::Barrier),
        ]
    }

    /// How long a process needs to notice that all have come.
    fn takes(self, who: u64) -> u64 {
        let number = match self {
            Self::Exchange(number) => number,
            Self::Leave(late) => return u64::from(late[who as usize]),
            _ => return 3,
        };
        let mixed = (number * 5 + who + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        if mixed.is_multiple_of(9) { 20_000 } else { 30 + mixed % 40 }
    }

    /// Messages from smaller to larger processes only.
    pub(super) fn downwards(processes: usize) -> impl Strategy<Value = Self> {
        let one = 0..processes;
        (one.clone(), one, 1_u64..300).prop_filter_map("upwards", |(from, to, latency)| {
            (from < to).then_some(Self::Message(from, to, latency))
        })
    }
}

/// What processes do, in an order in which it could happen.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) processes: usize,
    pub(super) acts: Vec<Act>,
}

impl Program {
    /// Neighbours and strangers talk in both directions, with latencies from 1000 ticks on, and compute.
    pub(super) fn busy(processes: usize, rounds: usize) -> Self {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let mut acts = Vec::new();
        for _ in 0..rounds {
            let one = random(processes as u64) as usize;
            let other = (one + 1 + random(processes as u64 - 1) as usize) % processes;
            acts.push(Act::Compute(one, 10_000 + random(2_000_000)));
            acts.push(Act::Message(one, other, 1000 + random(3000)));
            acts.push(Act::Message(other, one, 1000 + random(3000)));
        }
        Self { processes, acts }
    }

    /// The last process computes four times as long as the others, then all exchange.
    pub(super) fn uneven(processes: usize, rounds: u64) -> Self {
        let mut acts = Vec::new();
        for round in 0..rounds {
            let of = |who| if who + 1 == processes { 400_000 } else { 100_000 };
            acts.extend((0..processes).map(|who| Act::Compute(who, of(who) + round % 7)));
            acts.push(Act::Exchange(round));
        }
        Self { processes, acts }
    }

    /// The trace that clocks write.
    pub(super) fn script(&self, clocks: &[Clock]) -> Script {
        self.run(&mut vec![0; self.processes], |who, now| clocks[who].shows(now), |_, least| least)
    }

    /// The trace of clocks that start anywhere and go on by any steps.
    pub(super) fn stamped(&self, starts: &[u64], steps: &[u64]) -> Script {
        let mut number = 0;
        let step = move |now: u64, _| {
            number += 1;
            now + steps[number % steps.len()]
        };
        self.run(&mut starts.to_vec(), |_, now| now, step)
    }

    /// Runs all acts. `next` says when something ends that began at the first time and can end at the second.
    fn run(
        &self,
        now: &mut [u64],
        shows: impl Fn(usize, u64) -> u64,
        mut next: impl FnMut(u64, u64) -> u64,
    ) -> Script {
        let mut script = Script::processes(self.processes as u32);
        for (who, &now) in now.iter().enumerate() {
            script.enter(who, shows(who, now), "main");
        }
        for &act in &self.acts {
            match act {
                Act::Compute(who, ticks) => now[who] = next(now[who], now[who] + ticks),
                Act::Message(from, to, latency) => {
                    let (sent, posted) = (now[from], now[to]);
                    now[from] = next(sent, sent + 7);
                    script.send(from, shows(from, sent), shows(from, now[from]), to as u32, 0);
                    now[to] = next(posted, posted.max(sent + latency));
                    script.recv(to, shows(to, posted), shows(to, now[to]), from as u32, 0);
                }
                Act::Barrier | Act::Exchange(_) | Act::Leave(_) => {
                    let last = now.iter().copied().max().unwrap_or(0);
                    for (who, now) in now.iter_mut().enumerate() {
                        let came = *now;
                        *now = next(came, last + act.takes(who as u64));
                        script.barrier(who, shows(who, came), shows(who, *now));
                    }
                }
            }
        }
        for (who, &now) in now.iter().enumerate() {
            script.leave(who, shows(who, now), "main");
        }
        script
    }
}
