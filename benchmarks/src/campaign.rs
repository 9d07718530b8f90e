//! Many trials of Lotse and hyperfine on the same pair of programs, interleaved and resumable.
//!
//! Trials of all differences and both tools alternate, so that all get the same conditions. Which of the two files is the slower one
//! and which comes first on the command line is random for each trial.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::calibration::{Cost, lengthened, runs_in, wall_of_run};
use crate::error::Error;
use crate::journal::Journal;
use crate::load::BusyLoops;
use crate::machine::Versions;
use crate::subject::{BUSY, Twins, WORK};
use crate::tools::{ToolArgs, Tools};
use crate::trial::{Duel, Outcome, Tool, Trial, TrialKey};
use crate::workshop::Workshop;

/// CPU seconds of one run of the subject.
pub const RUN_SECONDS: f64 = 0.02;
const KIND: &str = "trial";

/// The parameters of the trials.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The benchmark's name and variant.
    pub name: String,
    /// True differences, as shares.
    pub differences: Vec<f64>,
    /// Trials of Lotse at each.
    pub trials: u32,
    /// Trials of hyperfine at each.
    pub peer_trials: u32,
    /// Seconds for a trial.
    pub seconds: f64,
    /// Busy loops beside it.
    pub load: u32,
    /// The metric judged, by Lotse's name.
    pub metric: String,
    /// Seed of the draws.
    pub seed: u64,
}

/// Values that are measured once for all trials of a journal.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Facts {
    /// Steps of the base program.
    steps: u64,
    cost: Cost,
    /// Wall seconds of a run under the load of the trials.
    run_seconds: f64,
}

/// A plan in execution.
#[derive(Debug)]
pub struct Campaign<'a> {
    plan: &'a Plan,
    workshop: Workshop,
    tools: Tools,
    busy: PathBuf,
    journal: Journal,
    facts: Facts,
}

impl<'a> Campaign<'a> {
    /// Builds the programs and opens the journal.
    pub fn prepare(plan: &'a Plan, args: &ToolArgs) -> Result<Self, Error> {
        let mut workshop = Workshop::open()?;
        let tools = Tools::find(args, &mut workshop)?;
        let versions = Versions::query(&tools, &mut workshop)?;
        let twins = Twins::build(&mut workshop, WORK)?;
        let busy = workshop.compile("busy", BUSY, &[])?;
        let parameters = json!({
            "seconds": plan.seconds, "load": plan.load, "metric": plan.metric, "seed": plan.seed,
            "run_seconds": RUN_SECONDS,
        });
        let journal = args.journal(&plan.name, versions, parameters, || {
            let facts = calibrate(&mut workshop, plan, &twins, &busy)?;
            Ok(json!(facts))
        })?;
        let facts = journal.facts()?;
        Ok(Self { plan, workshop, tools, busy, journal, facts })
    }

    /// Makes the missing trials. Returns all trials.
    #[expect(clippy::print_stderr, reason = "a campaign takes long and says where it is")]
    pub fn run(&mut self) -> Result<Vec<Trial>, Error> {
        let mut done: Vec<Trial> = self.journal.records(KIND)?;
        let wanted = self.plan.schedule(self.tools.hyperfine.is_some());
        for key in &wanted {
            if done.iter().any(|trial| trial.key == *key) {
                continue;
            }
            let trial = self.make(*key)?;
            self.journal.append(KIND, &trial)?;
            let Outcome { verdict, ratio, seconds, .. } = &trial.outcome;
            let (tool, verdict, of) = (key.tool.name(), verdict.name(), wanted.len());
            let (number, more) = (done.len() + 1, key.difference * 100.0);
            eprintln!("{number} of {of}: {tool}, {more} % more: {verdict}, ratio {ratio:.4}, {seconds:.1} s");
            done.push(trial);
        }
        Ok(done)
    }

    /// Appends the summary of all trials to the journal.
    pub fn conclude(&mut self, summary: &Value) -> Result<(), Error> {
        self.journal.append("summary", &json!({ "figures": summary }))
    }

    fn make(&mut self, key: TrialKey) -> Result<Trial, Error> {
        let (duel, other_is_copy) = self.plan.duel(key, self.facts.steps);
        let loops = self.plan.burden(&self.busy)?;
        let outcome = match (key.tool, &self.tools.hyperfine) {
            (Tool::Hyperfine, Some(hyperfine)) => {
                let runs = runs_in(self.plan.seconds / 2.0, self.facts.run_seconds);
                duel.by_hyperfine(hyperfine, &mut self.workshop, runs, &self.plan.metric)?
            }
            _ => {
                let budget = format!("{}s", self.plan.seconds / 2.0);
                let options = ["--budget", &budget, "--metric", &self.plan.metric];
                duel.by_lotse(&self.tools.lotse, &mut self.workshop, &options)?
            }
        };
        drop(loops);
        Ok(Trial { key, other_first: duel.other_first, other_is_copy, outcome })
    }
}

fn calibrate(workshop: &mut Workshop, plan: &Plan, twins: &Twins, busy: &Path) -> Result<Facts, Error> {
    let cost = Cost::measure(workshop, &twins.original)?;
    let steps = cost.steps(RUN_SECONDS)?;
    let loops = plan.burden(busy)?;
    let run_seconds = wall_of_run(workshop, &twins.original, steps)?;
    drop(loops);
    Ok(Facts { steps, cost, run_seconds })
}

impl Plan {
    /// All trials in order: sorted by number first, so that differences and tools alternate.
    fn schedule(&self, with_peer: bool) -> Vec<TrialKey> {
        let mut keys = Vec::new();
        for slot in 0..self.trials.max(self.peer_trials) {
            for &difference in &self.differences {
                if let Some(number) = share_of_slots(slot, self.trials, self.slots()) {
                    keys.push(TrialKey { tool: Tool::Lotse, difference, number });
                }
                let peer = share_of_slots(slot, self.peer_trials, self.slots());
                if let Some(number) = peer.filter(|_| with_peer) {
                    keys.push(TrialKey { tool: Tool::Hyperfine, difference, number });
                }
            }
        }
        keys
    }

    fn slots(&self) -> u32 {
        self.trials.max(self.peer_trials)
    }

    /// The two commands of a trial, and whether the slower one is the copy; always true without a difference.
    fn duel(&self, key: TrialKey, steps: u64) -> (Duel, bool) {
        let more = lengthened(steps, key.difference);
        let other_is_copy = key.difference == 0.0 || coin(self.seed, key, 1);
        let (base, other) = if other_is_copy {
            let [original, copy] = Twins::commands(steps, more);
            (original, copy)
        } else {
            let [original, copy] = Twins::commands(more, steps);
            (copy, original)
        };
        (Duel { base, other, other_first: coin(self.seed, key, 2) }, other_is_copy)
    }

    /// The background load of a trial. Its time limit is far beyond the expected end of the trial.
    fn burden(&self, busy: &Path) -> Result<BusyLoops, Error> {
        let bound = Duration::from_secs(60) + Duration::from_secs_f64(self.seconds * 10.0);
        BusyLoops::start(busy, self.load, bound)
    }
}

/// Spreads `count` numbered trials evenly over `slots`. Returns the number of the trial in this slot, if any.
fn share_of_slots(slot: u32, count: u32, slots: u32) -> Option<u32> {
    let before = |slot: u32| u64::from(slot) * u64::from(count) / u64::from(slots.max(1));
    (before(slot + 1) > before(slot)).then(|| before(slot) as u32)
}

/// A fair random bit that is the same in every rerun and for both tools.
fn coin(seed: u64, key: TrialKey, draw: u64) -> bool {
    let parts = [key.difference.to_bits(), u64::from(key.number), draw];
    parts.iter().fold(mixed(seed), |state, part| mixed(state ^ part)) >> 63 == 1
}

/// The finaliser of SplitMix64.
fn mixed(state: u64) -> u64 {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Plan, coin, share_of_slots};
    use crate::trial::{Tool, TrialKey};

    fn plan(trials: u32, peer_trials: u32) -> Plan {
        let (name, metric) = ("ab".to_owned(), "wall".to_owned());
        let differences = vec![0.005, 0.01];
        Plan { name, differences, trials, peer_trials, seconds: 6.0, load: 0, metric, seed: 1 }
    }

    fn key(difference: f64, number: u32) -> TrialKey {
        TrialKey { tool: Tool::Lotse, difference, number }
    }

    #[test]
    fn every_trial_is_scheduled_once() {
        for (trials, peers) in [(100, 25), (10, 10), (3, 7), (5, 0)] {
            let keys = plan(trials, peers).schedule(true);
            let count = |tool| keys.iter().filter(|key| key.tool == tool).count() as u32;
            assert_eq!((count(Tool::Lotse), count(Tool::Hyperfine)), (2 * trials, 2 * peers));
            assert!(keys.iter().enumerate().all(|(at, key)| !keys[..at].contains(key)));
        }
        assert_eq!(plan(3, 3).schedule(false).len(), 6);
    }

    #[test]
    fn fewer_trials_are_spread_evenly() {
        let taken: Vec<_> = (0..8).map(|slot| share_of_slots(slot, 2, 8)).collect();
        assert_eq!(taken, [None, None, None, Some(0), None, None, None, Some(1)]);
    }

    #[test]
    fn the_other_program_is_the_longer_one_in_either_file() {
        let plan = plan(40, 0);
        let mut copies = 0;
        for number in 0..40 {
            let (duel, other_is_copy) = plan.duel(key(0.05, number), 1000);
            assert!(duel.other.ends_with("000000001050") && duel.base.ends_with("000000001000"), "{duel:?}");
            assert_eq!(duel.other.contains("subject-b"), other_is_copy);
            copies += u32::from(other_is_copy);
        }
        assert!((10..=30).contains(&copies), "{copies}");
        assert!((0..40).all(|number| plan.duel(key(0.0, number), 1000).1));
    }

    #[test]
    fn coins_are_fair_and_the_same_for_both_tools() {
        let heads = (0..1000).filter(|&number| coin(7, key(0.01, number), 2)).count();
        assert!((440..=560).contains(&heads), "{heads}");
        let peer = |number| TrialKey { tool: Tool::Hyperfine, ..key(0.01, number) };
        assert!((0..100).all(|number| coin(7, key(0.01, number), 2) == coin(7, peer(number), 2)));
    }
}
