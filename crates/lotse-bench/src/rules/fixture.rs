//! Made-up results for the tests of rules, analysis and reports.

use lotse_model::Finding;
use lotse_model::Metric;
use lotse_model::id::{BlockId, ProgramId};
use lotse_model::results::{Design, Disturbance, Levels, Outcome, Program, ResultSet, Run, Status};
use lotse_model::rule::Thresholds;
use lotse_stats::sequential::Plan;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::analysis::{Question, analyse};
use crate::answer::Answer;
use crate::control;
use crate::order::BlockOrder;
use crate::trial::{Conclusion, StoppedBy};

/// Values around 1 with roughly normal noise (the sum of twelve uniform numbers).
pub(crate) fn noise(count: usize, sd: f64, seed: u64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut uniform = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    (0..count).map(|_| 1.0 + sd * ((0..12).map(|_| uniform()).sum::<f64>() - 6.0)).collect()
}

pub(crate) struct Fixture {
    pub(crate) set: ResultSet,
}

impl Fixture {
    pub(crate) fn paired(programs: &[(&str, &[f64])]) -> Self {
        let mut order = BlockOrder::new(programs.len(), 1);
        let mut fixture = Self::empty(programs, Design::Blocks);
        for block in 0..programs[0].1.len() {
            for (position, program) in order.next_block().into_iter().enumerate() {
                fixture.push(program, block, position, programs[program].1[block]);
            }
        }
        fixture
    }

    pub(crate) fn sequential(programs: &[(&str, &[f64])]) -> Self {
        let mut fixture = Self::empty(programs, Design::Sequential);
        for (program, (_, values)) in programs.iter().enumerate() {
            values.iter().enumerate().for_each(|(block, &value)| fixture.push(program, block, 0, value));
        }
        fixture
    }

    fn empty(programs: &[(&str, &[f64])], design: Design) -> Self {
        let program = |(name, _): &(&str, &[f64])| Program {
            name: (*name).into(),
            command: (*name).into(),
            ..Program::default()
        };
        let programs = programs.iter().map(program).collect();
        Self {
            set: ResultSet { design, metrics: vec![Metric::named("wall")], programs, ..ResultSet::default() },
        }
    }

    fn push(&mut self, program: usize, block: usize, position: usize, wall: f64) {
        self.set.runs.push(Run {
            program: ProgramId::from(program),
            block: BlockId::from(block),
            position: position as u32,
            levels: Levels::default(),
            outcome: Outcome::ok(),
            disturbance: Disturbance::default(),
            values: [("wall".to_owned(), wall)].into(),
            within: Default::default(),
        });
    }

    /// Gives every program values of one more metric, by block.
    pub(crate) fn measure(&mut self, metric: &str, values: &[&[f64]]) {
        self.set.metrics.push(Metric::named(metric));
        for run in &mut self.set.runs {
            run.values.insert(metric.to_owned(), values[run.program.index()][run.block.index()]);
        }
    }

    /// Blocks use this number of builds of every program in turn.
    pub(crate) fn in_builds(mut self, builds: u32) -> Self {
        self.set.runs.iter_mut().for_each(|run| run.levels.build = run.block.0 % builds);
        self
    }

    /// Blocks use this number of layouts in turn.
    pub(crate) fn in_layouts(mut self, layouts: u32) -> Self {
        self.set.runs.iter_mut().for_each(|run| run.levels.layout = run.block.0 % layouts);
        self
    }

    /// Makes a program the control arm of another.
    pub(crate) fn set_control(&mut self, copy: usize, original: &str) {
        let program = &mut self.set.programs[copy];
        program.tags.push("lotse:control".to_owned());
        program.attributes.insert("lotse:control-of".to_owned(), original.into());
    }

    pub(crate) fn contend(&mut self, runs: usize) {
        self.set.runs.iter_mut().take(runs).for_each(|run| run.disturbance.contended = true);
    }

    pub(crate) fn slow_down_second(&mut self, factor: f64) {
        for run in self.set.runs.iter_mut().filter(|run| run.position == 1) {
            run.values.values_mut().for_each(|value| *value *= factor);
        }
    }

    pub(crate) fn fail(&mut self, program: &str, runs: usize, problem: &str) {
        let id = self.set.program_named(program).unwrap();
        for run in self.set.runs.iter_mut().filter(|run| run.program == id).take(runs) {
            run.outcome = Outcome {
                status: Status::Failed,
                exit_code: Some(3),
                signal: None,
                problem: Some(problem.into()),
            };
        }
    }

    pub(crate) fn answer(&self) -> Answer {
        let shown = self.set.programs.iter().filter(|program| !control::is_control(program)).count();
        let comparisons = shown.saturating_sub(1);
        let conclusion = Conclusion::single_look(Plan::default(), comparisons, 100, StoppedBy::Runs);
        self.concluded(&conclusion)
    }

    /// The answer about the wall time, against the first program.
    pub(crate) fn concluded(&self, conclusion: &Conclusion) -> Answer {
        let thresholds = Thresholds::default();
        let question = Question {
            reference: ProgramId(0),
            primary: "wall",
            metrics: &[],
            invocation: None,
            thresholds: &thresholds,
        };
        analyse(&self.set, &question, conclusion)
    }

    /// The findings of one rule.
    pub(crate) fn findings(&self, rule: &str) -> Vec<Finding> {
        self.answer().findings.into_iter().filter(|finding| finding.rule.id == rule).collect()
    }
}
