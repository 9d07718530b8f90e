//! What the shell itself costs, measured on an empty command and taken off every run.

use std::collections::BTreeMap;

use lotse_host::{End, Environment, Input, Job, Launcher, Output};
use lotse_stats::descriptive::median;

use super::SessionError;
use crate::command::Shell;

/// Median seconds of an empty command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ShellCost {
    pub(super) wall: f64,
    pub(super) user: f64,
    pub(super) system: f64,
}

/// Enough for a median that is steady to some percent of a shell's millisecond.
const RUNS: usize = 50;

/// Measures the shell.
pub(super) fn measure(launcher: &mut Launcher, shell: &Shell) -> Result<ShellCost, SessionError> {
    let job = empty(shell)?;
    let mut samples: [Vec<f64>; 3] = Default::default();
    for _ in 0..RUNS {
        let report = launcher.run(&job)?;
        if let End::NotStarted(problem) = &report.end {
            return Err(SessionError::Shell { problem: problem.to_string() });
        }
        let nanos = [report.wall_ns, report.usage.user_ns, report.usage.system_ns];
        samples.iter_mut().zip(nanos).for_each(|(list, nanos)| list.push(nanos as f64 / 1e9));
    }
    Ok(ShellCost { wall: median(&samples[0])?, user: median(&samples[1])?, system: median(&samples[2])? })
}

fn empty(shell: &Shell) -> Result<Job, SessionError> {
    Ok(Job {
        argv: shell.argv("").map_err(|error| SessionError::Shell { problem: error.to_string() })?,
        environment: Environment::default(),
        directory: None,
        stdin: Input::Null,
        stdout: Output::Null,
        stderr: Output::Null,
        timeout: None,
        cpu: None,
        scheduler: false,
    })
}

/// Takes the shell's cost off the clocks; a clock never goes below zero.
pub(super) fn subtract(cost: Option<&ShellCost>, values: &mut BTreeMap<String, f64>) {
    let Some(cost) = cost else { return };
    let clocks =
        [("wall", cost.wall), ("user", cost.user), ("system", cost.system), ("cpu", cost.user + cost.system)];
    for (name, seconds) in clocks {
        if let Some(value) = values.get_mut(name) {
            *value = (*value - seconds).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ShellCost, subtract};

    #[test]
    fn clocks_lose_the_shell_but_never_go_below_zero() {
        let cost = ShellCost { wall: 0.001, user: 0.002, system: 0.0 };
        let mut values =
            [("wall".to_owned(), 0.011), ("user".to_owned(), 0.001), ("minor_faults".to_owned(), 3.0)].into();
        subtract(Some(&cost), &mut values);
        assert!((values["wall"] - 0.01_f64).abs() < 1e-12);
        assert_eq!(values["user"], 0.0);
        assert_eq!(values["minor_faults"], 3.0);
    }
}
