//! Adding runs to a result: block numbers continue, and all runs are analysed together with a smaller error probability.
//!
//! A user who adds runs has seen the first answer, and may add them because of it. So the n-th answer about one file has the
//! error probability alpha / 2^(n-1); all answers after the first together have at most alpha.

use lotse_formats::bench::lotse_log::{PartRecord, PlanRecord};
use lotse_model::Fingerprint;
use lotse_model::results::{Program, ResultSet};

use super::{BenchSession, SessionError};
use crate::options::{Earlier, Options};

/// Why runs cannot be added to a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EarlierError {
    /// Other programs.
    #[error("it is about other programs ({earlier}) than these ({now})")]
    Programs { earlier: String, now: String },
    /// The same names with other commands.
    #[error("its {name} is another command (`{earlier}`) than this one (`{now}`)")]
    Command { name: String, earlier: String, now: String },
    /// Another order of runs.
    #[error("its runs were made in another order: give the same --order")]
    Design,
    /// Another machine, whose times cannot be compared.
    #[error("it was made on another machine: {what} is not the same")]
    Machine { what: &'static str },
    /// Programs started in another way.
    #[error("its programs were started in another way (shell or runner): give the same options")]
    Start,
}

/// The error probability of a measurement that is continued after `parts` parts.
pub(crate) fn alpha_of_part(alpha: f64, parts: u32) -> f64 {
    alpha * 0.5_f64.powi(i32::try_from(parts).unwrap_or(i32::MAX))
}

/// Checks that new runs have the same programs, order and machine as those of a result.
pub(super) fn check(earlier: &Earlier, options: &Options, machine: &Fingerprint) -> Result<(), EarlierError> {
    let set = &earlier.set;
    let commands = |program: &Program| {
        if program.commands.is_empty() { program.command.clone() } else { program.commands.join("; ") }
    };
    let identity = |program: &Program| (program.name.clone(), commands(program));
    let before: Vec<_> = set.programs.iter().map(identity).collect();
    let now: Vec<_> = options.programs.iter().map(|spec| identity(&spec.program)).collect();
    if before != now {
        return Err(other_programs(&before, &now));
    }
    if set.design != options.design {
        return Err(EarlierError::Design);
    }
    set.machine.as_ref().map_or(Ok(()), |earlier| same_machine(earlier, machine))
}

/// The error that names the programs, or, where these have the same names, the first commands that differ.
fn other_programs(before: &[(String, String)], now: &[(String, String)]) -> EarlierError {
    let names =
        |all: &[(String, String)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(", ");
    let (earlier, later) = (names(before), names(now));
    match before.iter().zip(now).find(|(before, now)| before.1 != now.1) {
        Some(((name, earlier), (_, now))) if names(before) == later => {
            EarlierError::Command { name: name.clone(), earlier: earlier.clone(), now: now.clone() }
        }
        _ => EarlierError::Programs { earlier, now: later },
    }
}

fn same_machine(earlier: &Fingerprint, now: &Fingerprint) -> Result<(), EarlierError> {
    let pairs = [
        ("its name", &earlier.host, &now.host),
        ("its processor", &earlier.processor, &now.processor),
        ("its kernel", &earlier.kernel, &now.kernel),
    ];
    match pairs.into_iter().find(|(_, earlier, now)| earlier.is_some() && now.is_some() && earlier != now) {
        Some((what, ..)) => Err(EarlierError::Machine { what }),
        None => Ok(()),
    }
}

/// Puts the runs of a result before the new ones.
pub(super) fn prepend_runs(earlier: Option<&Earlier>, set: &mut ResultSet) {
    if let Some(Earlier { set: earlier, .. }) = earlier {
        set.date.clone_from(&earlier.date);
        set.runs.clone_from(&earlier.runs);
        set.shell.clone_from(&earlier.shell);
    }
}

impl BenchSession<'_> {
    /// The line that begins a further part of the result file.
    pub(super) fn write_part(&mut self, plan: PlanRecord) -> Result<(), SessionError> {
        let (date, seed) = (Some(lotse_host::utc_now()), Some(self.options.seed));
        Ok(self.context.log.part(&PartRecord { date, seed, plan })?)
    }

    /// Measures the cost of starting a program, or takes it from the earlier result, since the same amount must be subtracted
    /// from all runs.
    pub(super) fn take_start_cost(&mut self) -> Result<(), SessionError> {
        let Some(earlier) = &self.options.earlier else {
            self.set.start_cost = self.executor.calibrate()?;
            return Ok(());
        };
        let cost = earlier.set.start_cost.clone();
        let starter = self.executor.starter().map(|starter| starter.name().to_owned());
        if cost.as_ref().map(|cost| cost.starter.clone()) != starter {
            return Err(EarlierError::Start.into());
        }
        self.executor.set_start_cost(cost.clone());
        self.set.start_cost = cost;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{EarlierError, alpha_of_part, other_programs, same_machine};
    use lotse_model::Fingerprint;

    #[test]
    fn all_answers_after_the_first_together_have_one_alpha() {
        let total: f64 = (1..60).map(|parts| alpha_of_part(0.05, parts)).sum();
        assert!((total - 0.05).abs() < 1e-12, "{total}");
    }

    #[test]
    fn equal_names_with_other_commands_are_told_by_their_commands() {
        let program = |name: &str, command: &str| (name.to_owned(), command.to_owned());
        let before = [program("old", "./old"), program("app", "./app 1")];
        let message = |now: &[(String, String)]| other_programs(&before, now).to_string();
        assert_eq!(
            message(&[program("old", "./old"), program("app", "./app 2")]),
            "its app is another command (`./app 1`) than this one (`./app 2`)"
        );
        assert_eq!(
            message(&[program("app", "./app 2")]),
            "it is about other programs (old, app) than these (app)"
        );
    }

    #[test]
    fn machines_differ_only_by_values_that_both_have() {
        let known = Fingerprint { host: Some("a".into()), ..Fingerprint::default() };
        let other =
            Fingerprint { host: Some("b".into()), kernel: Some("6".into()), ..Fingerprint::default() };
        assert_eq!(same_machine(&known, &Fingerprint::default()), Ok(()));
        assert_eq!(same_machine(&known, &other), Err(EarlierError::Machine { what: "its name" }));
    }
}
