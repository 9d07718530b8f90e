//! `lotse man`: the manual page on standard output, or one for every command in a directory.

use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::{Cli, ManArgs};
use crate::exit::{Exit, Failure};
use crate::screen;

pub(crate) fn run(args: &ManArgs) -> Result<Exit, Failure> {
    match &args.out {
        None => screen::write(|out| Man::new(Cli::command()).render(out)),
        Some(directory) => {
            std::fs::create_dir_all(directory)
                .and_then(|()| write_all(directory, &Cli::command(), "lotse"))
                .map_err(|error| Failure {
                    exit: Exit::Missing,
                    message: format!("{}: {error}", directory.display()),
                })?;
            Ok(Exit::Done)
        }
    }
}

/// Writes the page of a command and, recursively, of its verbs.
fn write_all(directory: &Path, command: &clap::Command, name: &str) -> std::io::Result<()> {
    let mut page = Vec::new();
    Man::new(command.clone().name(name.to_owned())).render(&mut page)?;
    std::fs::write(directory.join(format!("{name}.1")), page)?;
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        write_all(directory, verb, &format!("{name}-{}", verb.get_name()))?;
    }
    Ok(())
}
