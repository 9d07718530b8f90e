//! The repository passes all of its checks.

use xtask::{Repository, checks, programs};

#[test]
fn the_repository_is_tidy() {
    let repository = Repository::load(&programs::repository_root().unwrap()).unwrap();
    let complaints = checks::complaints(&repository);
    assert!(complaints.is_empty(), "cargo xtask tidy says:\n{}", complaints.join("\n"));
}
