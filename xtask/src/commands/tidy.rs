//! `cargo xtask tidy`: runs all checks of the repository.

use xtask::checks::{self, CHECKS};
use xtask::{Repository, programs};

use super::{Command, expect_none};
use crate::failure::Failure;

pub(super) const COMMAND: Command =
    Command { name: "tidy", arguments: "", about: "checks what the repository promises about itself", run };

fn run(arguments: &[String]) -> Result<(), Failure> {
    expect_none(arguments)?;
    let repository = Repository::load(&programs::repository_root()?)?;
    let complaints = checks::complaints(&repository);
    for complaint in &complaints {
        println!("{complaint}");
    }
    if complaints.is_empty() {
        CHECKS.iter().for_each(|check| println!("ok  {:<17} {}", check.name, check.promise));
        return Ok(());
    }
    Err(Failure::Complaints(complaints.len()))
}
