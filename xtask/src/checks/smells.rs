//! Patterns that are not wanted outside of test code (code smells); exceptions are listed by file.

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

/// An unwanted pattern.
struct Smell {
    name: &'static str,
    advice: &'static str,
    applies_to: fn(&str) -> bool,
    /// Byte offsets of each occurrence.
    find: fn(&RustSource) -> Vec<usize>,
}

/// The number of intended occurrences of a smell in a file or folder. Fewer occurrences are a complaint too, so that
/// allowances are reduced.
struct Allowance {
    smell: &'static str,
    /// A file, or a folder with a slash at its end.
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
    let is_ours = ["crates/", "runtime/"].iter().any(|start| path.starts_with(start));
    is_ours && !path.starts_with("crates/lotse/") && !path.contains("/examples/")
}

fn is_pure(path: &str) -> bool {
    let start = ["crates/lotse-formats/src/", "crates/lotse-stats/src/", "crates/lotse-model/src/"];
    start.iter().any(|start| path.starts_with(start))
}

/// Whether a file must not print: only the command line, development tools, examples and build scripts may.
fn is_silent(path: &str) -> bool {
    let loud = ["crates/lotse/", "crates/lotse-serve/", "xtask/", "benchmarks/", "examples/"];
    !loud.iter().any(|start| path.starts_with(start))
        && !path.contains("/examples/")
        && !path.ends_with("/build.rs")
}

fn complaints(repository: &Repository) -> Vec<Complaint> {
    judge(repository, ALLOWANCES)
}

/// The occurrences of all smells beyond the allowances.
fn judge(repository: &Repository, allowances: &[Allowance]) -> Vec<Complaint> {
    SMELLS.iter().flat_map(|smell| smell_complaints(&repository.sources, smell, allowances)).collect()
}

/// The occurrences of one smell beyond the allowances, and allowances that are too large.
fn smell_complaints(sources: &[RustSource], smell: &Smell, allowances: &[Allowance]) -> Vec<Complaint> {
    let smelling = sources.iter().filter(|source| (smell.applies_to)(&source.path));
    let mut places: Vec<_> =
        smelling.flat_map(|source| (smell.find)(source).into_iter().map(move |at| (source, at))).collect();
    let mut unneeded = Vec::new();
    for allowance in allowances.iter().filter(|allowance| allowance.smell == smell.name) {
        let is_covered = |place: &(&RustSource, usize)| allowance.covers(&place.0.path);
        let count = places.iter().filter(|place| is_covered(place)).count();
        if count <= allowance.count {
            places.retain(|place| !is_covered(place));
        }
        if count < allowance.count {
            unneeded.push(allowance.is_too_much_for(count));
        }
    }
    places.into_iter().map(|(source, at)| complaint(source, smell, at)).chain(unneeded).collect()
}

fn complaint(source: &RustSource, smell: &Smell, at: usize) -> Complaint {
    Complaint::at(&source.path, source.line_of(at), format!("{}: {}", smell.name, smell.advice))
}

impl Allowance {
    fn covers(&self, path: &str) -> bool {
        path == self.path || (self.path.ends_with('/') && path.starts_with(self.path))
    }

    fn is_too_much_for(&self, count: usize) -> Complaint {
        let Self { smell, path, count: allowed, reason } = self;
        Complaint::about(
            *path,
            format!("allows {allowed} of `{smell}` ({reason}), has {count}: lower the allowance"),
        )
    }
}

#[cfg(test)]
mod tests;
