//! The functions of a file and their lengths, from the line of `fn` to the closing brace.

use super::{closing, line_of, occurrences};

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) length: usize,
}

/// All functions in code without comments and without the contents of literals.
pub(super) fn all(code: &str) -> Vec<Function> {
    occurrences(code, "fn").into_iter().filter_map(|at| function(code, at)).collect()
}

/// The function at the keyword `fn`; `None` for a pointer type `fn(…)`, a macro's `fn $name` and a declaration without a body.
fn function(code: &str, at: usize) -> Option<Function> {
    let rest = code[at + 2..].trim_start();
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    if name.is_empty() {
        return None;
    }
    let open = body(code, at)?;
    let length = code[at..closing(code, open)].lines().count();
    Some(Function { name, line: line_of(code, at), length })
}

/// The offset of the brace that opens the body: the first one outside of the brackets of the signature.
fn body(code: &str, from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(offset) = code[at..].find(['(', '[', '{', ';']) {
        at += offset;
        match code.as_bytes()[at] {
            b'{' => return Some(at),
            b';' => return None,
            _ => at = closing(code, at),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::all;

    #[track_caller]
    fn check(code: &str, expected: &[(&str, usize, usize)]) {
        let functions = all(code);
        let found: Vec<_> = functions.iter().map(|f| (f.name.as_str(), f.line, f.length)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lengths_and_lines() {
        check("fn a() {}\n\nfn b(x: [u8; 2])\nwhere T: X,\n{\n  if x { }\n}\n", &[("a", 1, 1), ("b", 3, 5)]);
    }

    #[test]
    fn what_has_no_body_is_no_function() {
        check("trait A { fn a(&self); }\ntype B = fn(u8);\nstruct C { fn_x: u8 }\nfn $d() {}", &[]);
    }

    #[test]
    fn nested_functions_count_for_both() {
        check("fn a() {\n  fn b() {\n  }\n}", &[("a", 1, 4), ("b", 2, 2)]);
    }
}
