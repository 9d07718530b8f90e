//! A block of memory that is copied is one copy, not a read of each element.

use super::{Package, has_cargo};

const COPIES: &str = r#"
use std::hint::black_box;

fn main() {
    let from: Vec<u8> = (0..2000_u32).map(|it| black_box(it) as u8).collect();
    let mut to = vec![1_u8; 2000];
    let mut sum = 0;
    for length in 1000..1100 {
        // SAFETY: both are longer.
        unsafe { std::ptr::copy(black_box(from.as_ptr()), to.as_mut_ptr(), black_box(length)) }; // COPY
        sum += u32::from(to[black_box(length - 1)]);
    }
    println!("{sum}");
}
"#;

#[test]
fn a_copy_by_pointers_is_one_operation() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(COPIES);
    let output = package.record(&[], &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line = COPIES.lines().position(|line| line.ends_with("// COPY")).unwrap() + 1;
    let found = package.operations();
    let kinds: Vec<_> = found.iter().filter(|((at, _, _), _)| *at == line).collect();
    let count = |kind: &str| found.get(&(line, "Vec".to_owned(), kind.to_owned())).map(|found| found.0);
    assert_eq!((count("Copy"), count("Read")), (Some(100), None), "{kinds:?}");
}
