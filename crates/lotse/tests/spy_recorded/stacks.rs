//! Guards record short call stacks, which are enough to find the callers.

use lotse_formats::history::History;

use super::{Package, has_cargo};

const RECURSION: &str = include_str!("recursion.rs");

fn line(mark: &str) -> usize {
    RECURSION.lines().position(|line| line.ends_with(mark)).unwrap() + 1
}

/// 32,767 calls have as many different callers.
#[test]
fn a_recursion_has_few_stacks() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(RECURSION);
    let output = package.record(&[], &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(package.path().join("a.lotse-history")).unwrap();
    let history = History::read("a", &bytes).unwrap().value;
    let addresses: usize = history.stacks.values().flat_map(|ring| ring.stacks.values()).map(Vec::len).sum();
    assert!((1..10_000).contains(&addresses), "{addresses} return addresses");
    let found = package.operations();
    let count = |mark| found.get(&(line(mark), "Vec".to_owned(), "Insert".to_owned())).map(|found| found.0);
    assert_eq!((count("// LEAF"), count("// OUTER")), (Some(1 << 14), Some(100)));
}
