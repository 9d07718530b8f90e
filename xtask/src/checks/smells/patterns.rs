//! Smells that need more than a string search; each function returns the byte offsets of its occurrences.

use crate::source::{RustSource, occurrences};

const REGRETS: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];
const VAGUE_NAMES: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc", "manager"];
const EFFECTS: &[&str] = &["fs", "process", "net", "env"];
const CLOCKS: &[&str] = &["Instant", "SystemTime"];
const LOUD: &[&str] = &["println!", "eprintln!", "print!", "eprint!", "dbg!", "process::exit"];

fn any_of(text: &str, needles: &[&str]) -> Vec<usize> {
    needles.iter().flat_map(|needle| occurrences(text, needle)).collect()
}

pub(super) fn word_of_regret(source: &RustSource) -> Vec<usize> {
    any_of(&source.comments, REGRETS)
}

pub(super) fn loud(source: &RustSource) -> Vec<usize> {
    any_of(&source.production, LOUD)
}

/// A discarded result: `let _ =` followed by a call.
pub(super) fn discarded_call(source: &RustSource) -> Vec<usize> {
    let code = &source.production;
    let is_call = |at: &usize| code[*at..].split(';').next().is_some_and(|statement| statement.contains('('));
    occurrences(code, "let _ =").into_iter().filter(is_call).collect()
}

/// Vague names in the path; they are reported at offset 0.
pub(super) fn banned_name(source: &RustSource) -> Vec<usize> {
    let parts = source.path.split('/').map(|part| part.strip_suffix(".rs").unwrap_or(part));
    parts.filter(|part| VAGUE_NAMES.contains(part)).map(|_| 0).collect()
}

pub(super) fn module_file(source: &RustSource) -> Vec<usize> {
    if source.path.ends_with("/mod.rs") { vec![0] } else { Vec::new() }
}

pub(super) fn boxed_error(source: &RustSource) -> Vec<usize> {
    let is_error = |at: &usize| {
        let bound = source.production[at + "Box<dyn".len()..].split(['>', '+', '<']).next();
        bound.is_some_and(|bound| bound.trim().rsplit("::").next() == Some("Error"))
    };
    occurrences(&source.production, "Box<dyn").into_iter().filter(is_error).collect()
}

/// `Result<…, String>`.
pub(super) fn string_error(source: &RustSource) -> Vec<usize> {
    let code = &source.production;
    let is_string = |at: &usize| last_argument(&code[at + "Result<".len()..]) == Some("String");
    occurrences(code, "Result<").into_iter().filter(is_string).collect()
}

/// The last of several generic arguments, given the text after the `<`.
fn last_argument(rest: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut comma = None;
    for (at, c) in rest.char_indices() {
        match c {
            '>' if rest[..at].ends_with('-') => {}
            '>' if depth == 0 => return comma.map(|comma| rest[comma + 1..at].trim()),
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => comma = Some(at),
            _ => {}
        }
    }
    None
}

/// Uses of files, processes, sockets, the environment and clocks: by full path, or through `use std::{…}`.
pub(super) fn effect(source: &RustSource) -> Vec<usize> {
    let code = &source.production;
    let direct = EFFECTS.iter().flat_map(|module| occurrences(code, &format!("std::{module}")));
    let grouped =
        occurrences(code, "std::{").into_iter().filter(|at| imports_effect(&code[at + "std::{".len()..]));
    direct.chain(grouped).chain(any_of(code, CLOCKS)).collect()
}

/// Whether a group of imports, given the text after its brace, contains one of the modules in [`EFFECTS`].
fn imports_effect(rest: &str) -> bool {
    let mut depth = 0_usize;
    let is_top = |c: char| {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return true,
            '}' => depth -= 1,
            ',' => return depth == 0,
            _ => {}
        }
        false
    };
    let statement = rest.split(';').next().unwrap_or(rest);
    let entries: Vec<_> = statement.split(is_top).map(str::trim).collect();
    entries.iter().any(|entry| EFFECTS.contains(&entry.split([':', ' ']).next().unwrap_or(entry)))
}
