//! `lotse completions`: completions for a shell, on standard output.

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::args::{Cli, CompletionShell, CompletionsArgs};
use crate::exit::{Exit, Failure};
use crate::screen;

pub(crate) fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let shell = match args.shell {
        CompletionShell::Bash => Shell::Bash,
        CompletionShell::Zsh => Shell::Zsh,
        CompletionShell::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "lotse", &mut script);
    screen::write(|out| out.write_all(&script))
}
