//! Where the functions of programs lie, by `nm`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::Error;
use crate::workshop::Workshop;

/// Functions with their addresses: local, global, weak and chosen at run time.
const KINDS: [&str; 5] = ["t", "T", "w", "W", "i"];

/// Names and addresses of the functions of a program.
pub type Functions = BTreeSet<(String, String)>;

/// What `nm` says of a program; a program without functions is an error.
pub fn functions(workshop: &mut Workshop, program: &Path) -> Result<Functions, Error> {
    let argv = ["nm", "--defined-only", &program.display().to_string()].map(str::to_owned);
    let found = parse(&workshop.run("nm", &argv, &[0])?.stdout);
    if found.is_empty() {
        return Err(Error::Answer { tool: "nm", what: format!("functions of {}", program.display()) });
    }
    Ok(found)
}

fn parse(text: &str) -> Functions {
    let function = |line: &str| {
        let mut words = line.split_whitespace();
        let (address, kind, name) = (words.next()?, words.next()?, words.next()?);
        KINDS.contains(&kind).then(|| (name.to_owned(), address.to_owned()))
    };
    text.lines().filter_map(function).collect()
}

/// Whether no two layouts are the same.
pub fn are_distinct(layouts: &[Functions]) -> bool {
    layouts.iter().collect::<BTreeSet<_>>().len() == layouts.len()
}

/// The mean share of functions that lie elsewhere than in the first layout.
pub fn moved(layouts: &[Functions]) -> Option<f64> {
    let (first, others) = layouts.split_first()?;
    let share = |other: &Functions| first.difference(other).count() as f64 / first.len() as f64;
    (!others.is_empty()).then(|| others.iter().map(share).sum::<f64>() / others.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::{are_distinct, moved, parse};

    #[test]
    fn functions_are_compared_by_name_and_address() {
        let one = parse("0010 T main\n0020 t help\n0030 W weak\n0040 D data\n     w __gmon_start__\n");
        assert_eq!(one.len(), 3);
        let other = parse("0010 T main\n0030 t help\n0040 W weak\n");
        assert!(are_distinct(&[one.clone(), other.clone()]));
        assert!(!are_distinct(&[one.clone(), other.clone(), one.clone()]));
        let share = moved(&[one.clone(), other, one.clone()]).unwrap();
        assert!((share - 1.0 / 3.0).abs() < 1e-12, "{share}");
        assert_eq!(moved(&[one]), None);
    }
}
