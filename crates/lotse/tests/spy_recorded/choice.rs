//! Crates and structures are chosen by options of `lotse spy run`.

use std::fs;

use super::{Package, has_cargo};

const MAIN: &str = "\
use std::collections::HashMap;
fn main() {
    let mut v = Vec::new();
    for i in 0..300_u64 {
        v.push(std::hint::black_box(i));
    }
    let mut m = HashMap::new();
    for i in 0..200_u64 {
        m.insert(i, i);
    }
    println!(\"{} {} {}\", v.len(), m.len(), inner::fill(100));
}
";

const INNER: &str = "\
#[inline(never)]
pub fn fill(n: u64) -> usize {
    let mut v = Vec::new();
    for i in 0..n {
        v.push(std::hint::black_box(i));
    }
    v.len()
}
";

/// The number of insertions into vectors of the program, into vectors of the inner crate, and into hash maps.
fn insertions(package: &Package, options: &[&str]) -> [u64; 3] {
    let mut command = package.lotse();
    command.args(["spy", "run", "--no-second-run", "-o", "a.lotse-history"]).args(options);
    let output = command.args(["--", "cargo", "run", "--release", "--offline"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = package.lotse().args(["spy", "coverage", "--places", "a.lotse-history"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let sum = |file: &str, container: &str| {
        let rows = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        rows.filter(|row| row[0].contains(file) && row[2] == container && row[3] == "Insert")
            .map(|row| row[4].parse::<u64>().unwrap())
            .sum()
    };
    [sum("src/main.rs", "Vec"), sum("inner/src/lib.rs", "Vec"), sum("src/main.rs", "HashMap")]
}

#[test]
fn crates_and_structures_are_chosen() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(MAIN);
    let inner = package.path().join("inner");
    fs::create_dir_all(inner.join("src")).unwrap();
    fs::write(inner.join("src/lib.rs"), INNER).unwrap();
    let manifest = "[package]\nname = \"inner\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    fs::write(inner.join("Cargo.toml"), manifest).unwrap();
    let path = package.path().join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap() + "[dependencies]\ninner = { path = \"inner\" }\n";
    fs::write(&path, text).unwrap();
    assert_eq!(insertions(&package, &[]), [300, 100, 200]);
    assert_eq!(insertions(&package, &["--crate", "sample"]), [300, 0, 200]);
    assert_eq!(insertions(&package, &["--exclude", "sample"]), [0, 100, 0]);
    assert_eq!(insertions(&package, &["--structure", "hashmap"]), [0, 0, 200]);
    assert_eq!(insertions(&package, &["--structure", "vec,vecdeque"]), [300, 100, 0]);
    // Vectors grow to 2048 and 1024 bytes; insertions are counted from the time when the limit is reached.
    assert_eq!(insertions(&package, &["--structure", "vec", "--min-bytes", "2048"]), [300 - 128, 0, 0]);
    let mut command = package.lotse();
    let output = command.args(["spy", "run", "--structure", "tree", "--", "cargo", "run"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no structure is called `tree`"));
}
