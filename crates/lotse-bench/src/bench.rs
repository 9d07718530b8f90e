//! One call for the whole measurement: runs, self-check, analysis.

use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;

use crate::analysis::{Question, analyse, self_check_against};
use crate::answer::{Answer, SelfCheck};
use crate::control;
use crate::log::Log;
use crate::options::{Hooks, Options, SelfCheckChoice};
use crate::rules;
use crate::session::{SessionError, Surroundings, measure};
use crate::trial::{Conclusion, StoppedBy};

/// A measurement that came to its end, one way or the other.
#[derive(Debug)]
pub struct Finished {
    /// What it says.
    pub answer: Answer,
    /// All runs, for exports.
    pub set: ResultSet,
    /// How it ended.
    pub conclusion: Conclusion,
    /// What broke and ended it.
    pub broken: Option<SessionError>,
}

/// Measures, checks and analyses.
pub fn bench(options: &Options, mut surroundings: Surroundings<'_>) -> Result<Finished, SessionError> {
    let mut options = options.clone();
    let repeats = match options.self_check {
        SelfCheckChoice::Repeat(repeats) => repeats,
        SelfCheckChoice::Arm => {
            let copy = control::copy_of(&options.programs[options.reference]);
            options.programs.push(copy);
            0
        }
        SelfCheckChoice::Off => 0,
    };
    let measured = measure(&options, surroundings.borrowed())?;
    let mut check = None;
    if measured.conclusion.stopped_by != StoppedBy::Interrupt && measured.broken.is_none() {
        check = repeated(&options, &mut surroundings, repeats)?;
    }
    let question = Question {
        reference: ProgramId::from(options.reference),
        primary: &options.primary,
        metrics: &options.metrics,
        runner: Some(&options.runner.id),
        thresholds: &options.thresholds,
    };
    let mut answer = analyse(&measured.set, &question, &measured.conclusion);
    answer.shell_cost = measured.shell_cost;
    if check.is_some() {
        answer.self_check = check;
        rules::add_self_check(&mut answer, &measured.set, &question, &measured.conclusion);
    }
    let set = control::without(&measured.set);
    Ok(Finished { answer, set, conclusion: measured.conclusion, broken: measured.broken })
}

/// Measures the reference against itself, each time a measurement of its own.
fn repeated(
    options: &Options,
    surroundings: &mut Surroundings<'_>,
    repeats: u32,
) -> Result<Option<SelfCheck>, SessionError> {
    let mut first = options.programs[options.reference].clone();
    first.hooks = Hooks { setup: None, cleanup: None, ..first.hooks };
    let programs = vec![first.clone(), control::plain_copy_of(&first)];
    let mut total: Option<SelfCheck> = None;
    for repeat in 0..repeats {
        let seed = options.seed.wrapping_add(u64::from(repeat) + 1);
        let own = Options { programs: programs.clone(), reference: 0, seed, ..options.clone() };
        let measured = measure(&own, surroundings.borrowed())?;
        if measured.conclusion.stopped_by == StoppedBy::Interrupt {
            break;
        }
        let (reference, control) = (ProgramId(0), ProgramId(1));
        let check =
            self_check_against(&measured.set, reference, control, &options.primary, &measured.conclusion);
        total = join(total, check);
    }
    Ok(total)
}

/// Adds a control comparison to those made before; the newest one's interval is shown.
fn join(total: Option<SelfCheck>, check: Option<SelfCheck>) -> Option<SelfCheck> {
    match (total, check) {
        (Some(total), Some(check)) => {
            let (repeats, alarms) = (total.repeats + check.repeats, total.alarms + check.alarms);
            let resolvable = total.resolvable.into_iter().chain(check.resolvable).reduce(f64::max);
            Some(SelfCheck { repeats, alarms, resolvable, ..check })
        }
        (total, check) => total.or(check),
    }
}

impl<'a> Surroundings<'a> {
    /// The same surroundings for one of several measurements. The log goes to the first.
    fn borrowed(&mut self) -> Surroundings<'_> {
        Surroundings {
            machine: self.machine.clone(),
            interrupt: self.interrupt.clone(),
            log: std::mem::replace(&mut self.log, Log::none()),
            progress: &mut *self.progress,
        }
    }
}
