//! `cargo xtask licences`: whether the licences of all dependencies allow redistribution.

use xtask::{licences, programs};

use super::{Command, expect_none};
use crate::failure::Failure;

pub(super) const COMMAND: Command =
    Command { name: "licences", arguments: "", about: "checks the licences of all dependencies", run };

fn run(arguments: &[String]) -> Result<(), Failure> {
    expect_none(arguments)?;
    let packages = licences::packages(&programs::repository_root()?)?;
    let complaints = licences::complaints(&packages);
    for complaint in &complaints {
        println!("{complaint}");
    }
    if complaints.is_empty() {
        println!("ok  {} packages, all under licences we can pass on", packages.len());
        return Ok(());
    }
    Err(Failure::Complaints(complaints.len()))
}
