//! Traces of random parallel programs with simulated wrong clocks.

use proptest::prelude::*;

use crate::fixture::Script;

/// A clock with an offset in ticks at the start and a drift in parts per million.
#[derive(Debug, Clone, Copy)]
pub(super) struct GeneratedClock {
    pub(super) offset: i64,
    pub(super) ppm: i64,
}

/// The begin of all traces.
const START: i64 = 1 << 41;

impl GeneratedClock {
    pub(super) const RIGHT: Self = Self { offset: 0, ppm: 0 };

    fn shows(self, time: u64) -> u64 {
        let since = time as i64;
        (START + self.offset + since + since * self.ppm / 1_000_000) as u64
    }
}

/// An action of the program.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    /// A process computes for some ticks.
    Compute(usize, u64),
    /// Sender, receiver, and latency.
    Message(usize, usize, u64),
    Barrier,
    /// A barrier with varying exit delays, which are sometimes very long. The number is a random seed.
    Exchange(u64),
    /// A barrier with the given exit delay of each process.
    Leave([u16; 3]),
}

impl Act {
    /// Computation, messages, and exchanges with late exits.
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

    /// The exit delay of a process: the time it needs to notice that all have arrived.
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

/// A program: its actions in a possible order.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) processes: usize,
    pub(super) acts: Vec<Act>,
}

impl Program {
    /// Random pairs exchange messages in both directions, with latencies from 1000 ticks, and compute.
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
            let ticks = |who| if who + 1 == processes { 400_000 } else { 100_000 };
            acts.extend((0..processes).map(|who| Act::Compute(who, ticks(who) + round % 7)));
            acts.push(Act::Exchange(round));
        }
        Self { processes, acts }
    }

    /// The trace as recorded with some clocks.
    pub(super) fn script(&self, clocks: &[GeneratedClock]) -> Script {
        self.run(&mut vec![0; self.processes], |who, now| clocks[who].shows(now), |_, least| least)
    }

    /// The trace with arbitrary start times and arbitrary steps of the clocks.
    pub(super) fn stamped(&self, starts: &[u64], steps: &[u64]) -> Script {
        let mut number = 0;
        let step = move |now: u64, _| {
            number += 1;
            now + steps[number % steps.len()]
        };
        self.run(&mut starts.to_vec(), |_, now| now, step)
    }

    /// Executes all actions. `next` returns the end of an action from its begin and its earliest end.
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
                        let entered = *now;
                        *now = next(entered, last + act.takes(who as u64));
                        script.barrier(who, shows(who, entered), shows(who, *now));
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
