//! The licences of all dependencies are compatible with our own.

use xtask::{licences, programs};

#[test]
fn all_licences_are_allowed() {
    let packages = licences::packages(&programs::repository_root().unwrap()).unwrap();
    assert!(packages.iter().any(|package| package.name == "serde"), "the graph was not followed");
    let complaints: Vec<_> = licences::complaints(&packages).iter().map(ToString::to_string).collect();
    assert!(complaints.is_empty(), "cargo xtask licences says:\n{}", complaints.join("\n"));
}
