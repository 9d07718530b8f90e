//! One call for the whole measurement: runs, self-check, analysis.

use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;

use crate::analysis::{Question, analyse, compare_with_copy};
use crate::answer::{Answer, SelfCheck};
use crate::control;
use crate::log::Log;
use crate::options::{Options, SelfCheckChoice};
use crate::rules;
use crate::session::{SessionContext, SessionError, SessionOutcome, alpha_of_part, measure};
use crate::trial::{Conclusion, StoppedBy};

/// A measurement that has ended, by its plan, by an interrupt or by an error.
#[derive(Debug)]
pub struct Finished {
    pub answer: Answer,
    /// All runs, for exports.
    pub set: ResultSet,
    pub conclusion: Conclusion,
    /// The error that ended the measurement early.
    pub broken: Option<SessionError>,
    /// Settings of the machine that could not be restored, one line each.
    pub not_restored: Vec<String>,
}

/// Measures the programs, runs the self-check if requested, and analyses the runs.
pub fn bench(options: &Options, mut context: SessionContext<'_>) -> Result<Finished, SessionError> {
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
    if let Some(earlier) = &options.earlier {
        options.stopping.alpha = alpha_of_part(options.stopping.alpha, earlier.parts);
    }
    let mut measured = measure(&options, context.reborrow())?;
    let mut check = None;
    if measured.conclusion.stopped_by != StoppedBy::Interrupt && measured.broken.is_none() {
        let repeated = repeat_self_check(&options, &mut context, repeats);
        check = repeated.check;
        measured.not_restored.extend(repeated.not_restored);
        measured.broken = repeated.broken;
        if repeated.interrupted {
            measured.conclusion.stopped_by = StoppedBy::Interrupt;
        }
    }
    let question = Question {
        reference: ProgramId::from(options.reference),
        primary: &options.primary,
        metrics: &options.metrics,
        invocation: Some(&options.invocation),
        thresholds: &options.thresholds,
    };
    let mut answer = analyse(&measured.set, &question, &measured.conclusion);
    if check.is_some() {
        answer.self_check = check;
        rules::add_self_check(&mut answer, &measured.set, &question, &measured.conclusion);
    }
    let set = control::without_arm(&measured.set);
    let SessionOutcome { conclusion, broken, not_restored, .. } = measured;
    Ok(Finished { answer, set, conclusion, broken, not_restored })
}

/// The sum of all self-checks that completed, and what ended them early.
#[derive(Default)]
struct RepeatedCheck {
    check: Option<SelfCheck>,
    broken: Option<SessionError>,
    not_restored: Vec<String>,
    interrupted: bool,
}

/// Measures the reference against a copy of itself `repeats` times, each with a new seed.
fn repeat_self_check(options: &Options, context: &mut SessionContext<'_>, repeats: u32) -> RepeatedCheck {
    let first = &options.programs[options.reference];
    let programs = vec![first.clone(), control::plain_copy_of(first)];
    let mut all = RepeatedCheck::default();
    for repeat in 0..repeats {
        let seed = options.seed.wrapping_add(u64::from(repeat) + 1);
        let own =
            Options { programs: programs.clone(), reference: 0, seed, earlier: None, ..options.clone() };
        let mut measured = match measure(&own, context.reborrow()) {
            Ok(measured) => measured,
            Err(error) => return RepeatedCheck { broken: Some(error), ..all },
        };
        all.not_restored.append(&mut measured.not_restored);
        if measured.broken.is_some() || measured.conclusion.stopped_by == StoppedBy::Interrupt {
            return RepeatedCheck { interrupted: measured.broken.is_none(), broken: measured.broken, ..all };
        }
        let check = compare_with_copy(
            &measured.set,
            ProgramId(0),
            ProgramId(1),
            &options.primary,
            &measured.conclusion,
        );
        all.check = add_check(all.check, check);
    }
    all
}

/// Adds a control comparison to the previous ones. Counts add up, the least precise resolution is kept, and the interval
/// is that of the newest comparison.
fn add_check(total: Option<SelfCheck>, check: Option<SelfCheck>) -> Option<SelfCheck> {
    match (total, check) {
        (Some(total), Some(check)) => {
            let (repeats, alarms) = (total.repeats + check.repeats, total.alarms + check.alarms);
            let resolvable = total.resolvable.into_iter().chain(check.resolvable).reduce(f64::max);
            Some(SelfCheck { repeats, alarms, resolvable, ..check })
        }
        (total, check) => total.or(check),
    }
}

impl<'a> SessionContext<'a> {
    /// The same context for one of several measurements. Only the first one gets the log.
    fn reborrow(&mut self) -> SessionContext<'_> {
        SessionContext {
            machine: self.machine.clone(),
            interrupt: self.interrupt.clone(),
            log: std::mem::replace(&mut self.log, Log::none()),
            progress: &mut *self.progress,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::add_check;
    use crate::answer::SelfCheck;

    fn check(ratio: f64, resolvable: Option<f64>, alarms: u32) -> SelfCheck {
        let interval = [Some(ratio - 0.01), Some(ratio + 0.01)];
        SelfCheck { program: "a".to_owned(), ratio: Some(ratio), interval, resolvable, repeats: 1, alarms }
    }

    #[test]
    fn control_comparisons_add_up() {
        let all = [check(1.0, Some(0.02), 0), check(1.1, Some(0.03), 1), check(0.9, None, 1)];
        let total = all.into_iter().fold(None, |total, next| add_check(total, Some(next))).unwrap();
        // The interval of the newest comparison, and the coarsest resolution of all.
        assert_eq!(total, SelfCheck { repeats: 3, alarms: 2, resolvable: Some(0.03), ..check(0.9, None, 1) });
    }

    #[test]
    fn a_comparison_without_a_result_changes_nothing() {
        let one = check(1.0, Some(0.02), 1);
        assert_eq!(add_check(Some(one.clone()), None), Some(one.clone()));
        assert_eq!(add_check(None, Some(one.clone())), Some(one));
        assert_eq!(add_check(None, None), None);
    }
}
