//! `cargo xtask measure`: prints the size of the code in a few numbers.

use xtask::{CodeMeasure, Repository, programs};

use super::{Command, expect_none};
use crate::failure::Failure;

pub(super) const COMMAND: Command =
    Command { name: "measure", arguments: "", about: "lengths of files and functions, comments, tests", run };

fn run(arguments: &[String]) -> Result<(), Failure> {
    expect_none(arguments)?;
    println!("{}", CodeMeasure::new(&Repository::load(&programs::repository_root()?)?));
    Ok(())
}
