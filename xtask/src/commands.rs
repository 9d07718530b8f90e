//! The commands of `cargo xtask`. A new command is a new file in this folder and a line in [`COMMANDS`].

mod fuzz;
mod licences;
mod measure;
mod test;
mod tidy;

use crate::failure::Failure;

/// One command.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// The arguments, for the usage text.
    pub(crate) arguments: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: fn(&[String]) -> Result<(), Failure>,
}

const COMMANDS: &[Command] =
    &[test::COMMAND, tidy::COMMAND, measure::COMMAND, licences::COMMAND, fuzz::COMMAND];

/// Runs the command that the first argument names; without arguments, prints the usage.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let [name, rest @ ..] = arguments else {
        println!("{}", usage());
        return Ok(());
    };
    if ["help", "--help", "-h"].contains(&name.as_str()) {
        println!("{}", usage());
        return Ok(());
    }
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(rest),
        None => Err(usage_failure(format!("there is no command `{name}`"))),
    }
}

/// A failure with the usage text.
fn usage_failure(problem: impl Into<String>) -> Failure {
    Failure::Usage { problem: problem.into(), usage: usage() }
}

/// Fails if there are arguments.
fn expect_none(arguments: &[String]) -> Result<(), Failure> {
    match arguments.first() {
        Some(first) => Err(usage_failure(format!("unexpected argument `{first}`"))),
        None => Ok(()),
    }
}

fn usage() -> String {
    let line = |command: &Command| {
        let call = format!("{} {}", command.name, command.arguments);
        format!("  cargo xtask {call:<30} {}", command.about)
    };
    COMMANDS.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, run, usage};
    use crate::failure::Failure;

    #[test]
    fn an_unknown_command_shows_the_known_ones() {
        let failure = run(&["no-such".to_owned()]).unwrap_err();
        assert!(matches!(&failure, Failure::Usage { problem, .. } if problem.contains("no-such")));
        assert!(failure.to_string().contains("cargo xtask tidy"));
    }

    #[test]
    fn the_usage_names_every_command() {
        assert!(COMMANDS.iter().all(|command| usage().contains(&format!("cargo xtask {}", command.name))));
    }

    #[test]
    fn commands_without_arguments_refuse_them() {
        for name in ["tidy", "measure", "licences", "test"] {
            let failure = run(&[name.to_owned(), "--what".to_owned()]).unwrap_err();
            assert!(matches!(failure, Failure::Usage { .. }), "{name}");
        }
    }
}
