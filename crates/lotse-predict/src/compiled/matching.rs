//! Which compiled loop is which loop of the source, and how many iterations one pass does.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::values::Values;
use super::{Compiled, MachineLoop, Occupation, recurrence};
use crate::machine::Core;

/// Iterations that a pass does at most.
const MOST: i64 = 256;
/// How far the floating-point results of a pass may be from those of the source: compilers share common parts and move what does
/// not change out of the loop, or compute it again.
const DEVIATION: f64 = 2.6;
/// How far the number of results may be from that of a vectorised loop around.
const NEARLY: f64 = 1.3;

/// Bytes of the smallest vectors.
const VECTOR: u32 = 16;
/// The share of a loop's instructions that belong to its lines: few were moved there.
const OWN: f64 = 0.9;

/// What is looked for.
#[derive(Debug, Clone)]
pub(crate) struct Wanted<'a> {
    /// The function that it is in.
    pub(crate) function: &'a str,
    /// Lines of the loop.
    pub(crate) lines: RangeInclusive<u32>,
    /// Bytes that its accesses move in one iteration, without those that stand still.
    pub(crate) strides: Vec<i64>,
    /// Floating-point results of one iteration.
    pub(crate) results: f64,
    /// Bytes that one iteration moves to and from elements that differ from those of the next.
    pub(crate) bytes: Bytes,
    /// Whether a store reaches what the loop reads elsewhere, so that checks before a vectorised copy of the loop fail.
    pub(crate) overlaps: bool,
}

/// Bytes of one iteration, or of one pass.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Bytes {
    pub(crate) loaded: f64,
    pub(crate) stored: f64,
}

impl Bytes {
    /// How many times another one it is: by what is stored, which compilers do not repeat, else by what is loaded.
    fn over(self, other: Self) -> Option<f64> {
        let quotient = |own: f64, other: f64| (own > 0.0 && other > 0.0).then(|| own / other);
        quotient(self.stored, other.stored).or_else(|| quotient(self.loaded, other.loaded))
    }
}

/// The compiled loop of a loop of the source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Match {
    /// Where it is in the binary.
    pub(crate) header: u64,
    /// Iterations of the source that one pass does.
    pub(crate) iterations: f64,
    /// How many of them belong to different iterations of the loop around: that one is vectorised.
    pub(crate) outer: f64,
    /// What a pass occupies.
    pub(crate) occupation: Occupation,
    /// Cycles that a pass waits for the one before.
    pub(crate) recurrence: f64,
    /// Whether it loads or stores several elements at a time.
    moves_vectors: bool,
}

impl Compiled {
    /// The loop at these lines that does most iterations in one pass, of those that can be executed; or why there is none, as a phrase that follows
    /// "because".
    pub(crate) fn find(&self, wanted: &Wanted<'_>, core: &Core, weight: f64) -> Result<Match, &'static str> {
        let here: Vec<&MachineLoop> = self.loops.iter().filter(|code| code.is_at(wanted)).collect();
        if here.is_empty() {
            return Err("no compiled loop belongs to its lines");
        }
        let matches: Vec<Match> = here.iter().filter_map(|code| code.matched(wanted, core, weight)).collect();
        let only_scalar = wanted.overlaps && matches.iter().any(|found| !found.moves_vectors);
        let executed = matches.into_iter().filter(|found| !only_scalar || !found.moves_vectors);
        let best = executed.max_by(|a, b| a.iterations.total_cmp(&b.iterations));
        best.ok_or("what the compiled loop computes does not agree with the source")
    }
}

impl Compiled {
    /// Whether a loop of its own was made of some lines of a function, and not a part of another loop; `None` where no loop has
    /// instructions of them.
    pub(crate) fn has_loop(&self, function: &str, lines: &RangeInclusive<u32>) -> Option<bool> {
        let is_here = |(name, line): &(String, u32)| name == function && lines.contains(line);
        let share = |code: &MachineLoop| {
            let known = code.instructions.iter().filter(|it| !it.lines.is_empty());
            let here = known.clone().filter(|it| it.lines.iter().any(is_here)).count();
            here as f64 / known.count().max(1) as f64
        };
        let most = self.loops.iter().map(share).reduce(f64::max).filter(|most| *most > 0.0);
        most.map(|most| most >= OWN)
    }
}

/// Iterations of the loop around that a pass does: its addresses move by fewer iterations than it has results for.
fn outer(own: f64, wanted: &Wanted<'_>, occupation: &Occupation) -> f64 {
    if wanted.results < 0.5 || occupation.lanes <= 1.0 {
        return 1.0;
    }
    let times = occupation.results / wanted.results / own;
    if (times / occupation.lanes).ln().abs() < NEARLY.ln() { occupation.lanes } else { 1.0 }
}

impl MachineLoop {
    /// Whether most of its instructions belong to these lines.
    fn is_at(&self, wanted: &Wanted<'_>) -> bool {
        let is_here =
            |(function, line): &(String, u32)| function == wanted.function && wanted.lines.contains(line);
        let known = self.instructions.iter().filter(|it| !it.lines.is_empty());
        let (mut inside, mut all) = (0, 0);
        for instruction in known {
            all += 1;
            inside += usize::from(instruction.lines.iter().any(is_here));
        }
        2 * inside > all
    }

    fn matched(&self, wanted: &Wanted<'_>, core: &Core, weight: f64) -> Option<Match> {
        let occupation = Occupation::of(self, core, weight);
        let steps = self.steps();
        let own = iterations(&steps, wanted, &occupation)?;
        let outer = outer(own, wanted, &occupation);
        let recurrence = recurrence::cycles(self, core);
        let moves_vectors = steps.iter().any(|it| it.width >= VECTOR);
        Some(Match {
            header: self.header,
            iterations: own * outer,
            outer,
            occupation,
            recurrence,
            moves_vectors,
        })
    }

    /// The accesses whose addresses move in one pass, where the code tells.
    fn steps(&self) -> Vec<Step> {
        let mut values = Values::default();
        let mut first = Vec::new();
        let path = self.pass();
        for pass in 0..2 {
            let mut at = 0;
            for instruction in &path {
                let operation = &instruction.operation;
                let accesses = [(&operation.load, false), (&operation.store, true)];
                for (memory, stores) in
                    accesses.into_iter().filter_map(|(it, stores)| Some((it.as_ref()?, stores)))
                {
                    let address = values.address(memory);
                    if pass == 0 {
                        first.push((address, Step { bytes: 0, width: memory.bytes, stores }));
                    } else if let Some((before, step)) = first.get_mut(at) {
                        step.bytes = address.and_then(|it| it.distance(before.as_ref()?)).unwrap_or(0);
                    }
                    at += 1;
                }
                values.execute(operation);
            }
        }
        first.into_iter().map(|(_, step)| step).filter(|step| step.bytes != 0).collect()
    }
}

/// An access whose address moves.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// Bytes from one pass to the next.
    bytes: i64,
    /// Bytes that it touches.
    width: u32,
    stores: bool,
}

/// Iterations of the source in one pass.
fn iterations(steps: &[Step], wanted: &Wanted<'_>, occupation: &Occupation) -> Option<f64> {
    let moved = moved(steps);
    // It stores what a loop around this one does.
    if wanted.bytes.stored == 0.0 && moved.stored > 0.0 {
        return None;
    }
    let mut votes: BTreeMap<i64, usize> = BTreeMap::new();
    for step in steps {
        for stride in &wanted.strides {
            let whole = *stride != 0 && step.bytes % stride == 0;
            let times = if whole { step.bytes / stride } else { 0 };
            if (1..=MOST).contains(&times) {
                *votes.entry(times).or_default() += 1;
            }
        }
    }
    if wanted.results < 0.5 {
        let (times, _) = votes.into_iter().max_by_key(|(_, votes)| *votes)?;
        let agrees =
            moved.over(wanted.bytes).is_none_or(|moved| (moved / times as f64).ln().abs() < DEVIATION.ln());
        return agrees.then_some(times as f64);
    }
    let own = occupation.results / wanted.results;
    let distance = |times: f64| (own / times).ln().abs();
    // Without a number in the code that tells, the results do.
    let candidates: Vec<f64> = match votes.is_empty() {
        true => vec![own.round().max(1.0)],
        false => votes.keys().map(|times| *times as f64).collect(),
    };
    let best = candidates.into_iter().min_by(|a, b| distance(*a).total_cmp(&distance(*b)))?;
    let lanes = occupation.lanes.max(1.0);
    (distance(best).min(distance(best * lanes)) < DEVIATION.ln()).then_some(best)
}

/// Bytes of the accesses that move.
fn moved(steps: &[Step]) -> Bytes {
    let of = |stores: bool| {
        let own = steps.iter().filter(|step| step.stores == stores);
        own.map(|step| f64::from(step.width)).sum()
    };
    Bytes { loaded: of(false), stored: of(true) }
}
