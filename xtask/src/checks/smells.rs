//! Habits that spoil a code base, each found by a pattern outside test code; what is meant is allowed by name.

mod patterns;

use self::patterns::{
    banned_name, boxed_error, discarded_call, effect, loud, module_file, string_error, word_of_regret,
};
use super::Check;
use crate::source::{RustSource, occurrences};
use crate::{Complaint, Repository};

pub(super) const CHECK: Check = Check {
    name: "smells",
    promise: "no swallowed failure, no leftover, no effect in the wrong crate",
    complaints,
};

/// One habit.
struct Smell {
    name: &'static str,
    advice: &'static str,
    applies_to: fn(&str) -> bool,
    /// Byte offsets of each occurrence.
    find: fn(&RustSource) -> Vec<usize>,
}

/// A file that has a smell on purpose, as often as it says: fewer is a complaint too, so budgets only shrink.
struct Allowance {
    smell: &'static str,
    path: &'static str,
    count: usize,
    reason: &'static str,
}

const ALLOWANCES: &[Allowance] = &[];

const SMELLS: &[Smell] = &[
    Smell {
        name: "let _ =",
        advice: "handle the result, or `drop(…)` with the reason",
        applies_to: everywhere,
        find: discarded_call,
    },
    Smell {
        name: ".ok();",
        advice: "handle the error",
        applies_to: everywhere,
        find: |source| occurrences(&source.production, ".ok();"),
    },
    Smell {
        name: "unwrap_or_default",
        advice: "a made-up value looks like a measured one: handle the error",
        applies_to: everywhere,
        find: |source| occurrences(&source.production, "unwrap_or_default"),
    },
    Smell {
        name: "#[allow",
        advice: "#[expect(…, reason = \"…\")] goes away when it is no longer needed",
        applies_to: everywhere,
        find: |source| {
            [occurrences(&source.production, "#[allow("), occurrences(&source.production, "#![allow(")]
                .concat()
        },
    },
    Smell {
        name: "todo!",
        advice: "do it, or leave it out",
        applies_to: everywhere,
        find: |source| {
            [occurrences(&source.production, "todo!"), occurrences(&source.production, "unimplemented!")]
                .concat()
        },
    },
    Smell {
        name: "word of regret",
        advice: "do it, or leave it out",
        applies_to: everywhere,
        find: word_of_regret,
    },
    Smell {
        name: "vague file name",
        advice: "name what is in it",
        applies_to: everywhere,
        find: banned_name,
    },
    Smell { name: "mod.rs", advice: "foo.rs beside foo/", applies_to: everywhere, find: module_file },
    Smell {
        name: "boxed error",
        advice: "an enum says what can happen",
        applies_to: is_library,
        find: boxed_error,
    },
    Smell {
        name: "string error",
        advice: "an enum says what can happen",
        applies_to: is_library,
        find: string_error,
    },
    Smell {
        name: "effect",
        advice: "this crate gets bytes and numbers; lotse-host has the effects",
        applies_to: is_pure,
        find: effect,
    },
    Smell { name: "printing", advice: "return it; only edges print", applies_to: is_silent, find: loud },
];

fn everywhere(_: &str) -> bool {
    true
}

fn is_library(path: &str) -> bool {
    ["crates/", "runtime/"].iter().any(|start| path.starts_with(start)) && !path.starts_with("crates/lotse/")
}

fn is_pure(path: &str) -> bool {
    let start = ["crates/lotse-formats/src/", "crates/lotse-stats/src/", "crates/lotse-model/src/"];
    start.iter().any(|start| path.starts_with(start))
}

/// The edges, chores and samples talk to people; nobody else does.
fn is_silent(path: &str) -> bool {
    let loud = ["crates/lotse/", "crates/lotse-serve/", "xtask/", "benchmarks/", "examples/"];
    !loud.iter().any(|start| path.starts_with(start))
}

fn complaints(repository: &Repository) -> Vec<Complaint> {
    judge(repository, ALLOWANCES)
}

fn judge(repository: &Repository, allowances: &[Allowance]) -> Vec<Complaint> {
    let pairs = repository.sources.iter().flat_map(|source| SMELLS.iter().map(move |smell| (source, smell)));
    let mut found: Vec<_> = pairs.flat_map(|(source, smell)| of_file(source, smell, allowances)).collect();
    let gone = allowances.iter().filter(|allowance| repository.source(allowance.path).is_none());
    found.extend(
        gone.map(|allowance| Complaint::about(allowance.path, "an allowance names this missing file")),
    );
    found
}

fn of_file(source: &RustSource, smell: &Smell, allowances: &[Allowance]) -> Vec<Complaint> {
    let places = if (smell.applies_to)(&source.path) { (smell.find)(source) } else { Vec::new() };
    let fits = |allowance: &&Allowance| allowance.smell == smell.name && allowance.path == source.path;
    match allowances.iter().find(fits) {
        Some(allowance) if places.len() < allowance.count => vec![unneeded(allowance, places.len())],
        Some(allowance) if places.len() == allowance.count => Vec::new(),
        _ => places.into_iter().map(|at| complaint(source, smell, at)).collect(),
    }
}

fn complaint(source: &RustSource, smell: &Smell, at: usize) -> Complaint {
    Complaint::at(&source.path, source.line_of(at), format!("{}: {}", smell.name, smell.advice))
}

fn unneeded(allowance: &Allowance, count: usize) -> Complaint {
    let Allowance { smell, path, count: allowed, reason } = allowance;
    Complaint::about(
        *path,
        format!("allows {allowed} of `{smell}` ({reason}), has {count}: lower the allowance"),
    )
}

#[cfg(test)]
mod tests;
