//! The part of a block that says how its program is built.
//!
//! temci builds in copies of a folder, one for each build. Its keys for changing layouts (`randomization`) name sections of
//! the assembler's text; here they name what the linker puts in another order.

use lotse_model::suite::{BuildPlan, Varied};

use crate::bench::temci_keys::{Notes, is_off};
use crate::yaml::{Key, Node};

/// temci's keys of `randomization` that the linker can follow.
const VARIED: [(&str, Varied); 5] = [
    ("file_structure", Varied::Functions),
    ("rodata", Varied::Constants),
    ("data", Varied::Data),
    ("bss", Varied::Bss),
    ("linker", Varied::Objects),
];

/// Those it cannot, with what can be done instead.
const ELSEWHERE: [(&str, &str); 5] = [
    (
        "heap",
        "another heap in each build (`randomization: heap`): `lotse bench --layouts` changes layouts of every process",
    ),
    (
        "stack",
        "another stack in each build (`randomization: stack`): `lotse bench --layouts` moves the stack of every process",
    ),
    (
        "header",
        "headers in another order (`randomization: header`): their order has a meaning, and functions are moved anyway",
    ),
    ("used_as", "another assembler (`randomization: used_as`): put it first on the PATH"),
    (
        "used_ld",
        "another linker (`randomization: used_ld`): name it in the build command, such as -fuse-ld=lld",
    ),
];

/// The build of a program.
pub(super) fn read(node: &Node, notes: &mut Notes) -> BuildPlan {
    let mut plan = BuildPlan::default();
    for (key, node) in notes.mapping(node, "expected a mapping (`cmd`, `number`, …)") {
        match key.name.as_str() {
            // The documentation's examples have the second name.
            "cmd" | "build_cmd" => plan.command = notes.word(node),
            "base_dir" => plan.base = notes.word(node),
            "working_dir" => plan.folder = notes.word(node),
            "revision" if is_off(node) => {}
            "revision" => plan.revision = notes.word(node),
            "branch" => plan.branch = notes.word(node),
            "number" => plan.count = count(node, notes),
            "randomization" => plan.varied = Some(randomization(node, notes)),
            _ => notes.unknown(key, "a build configuration"),
        }
    }
    plan
}

fn count(node: &Node, notes: &mut Notes) -> Option<u32> {
    match notes.count(node, "builds") {
        Some(0) => {
            notes.complain(node, "expected at least one build");
            None
        }
        count => count,
    }
}

fn randomization(node: &Node, notes: &mut Notes) -> Vec<Varied> {
    let mut varied = Vec::new();
    for (key, node) in notes.mapping(node, "expected a mapping (`file_structure`, `linker`, …)") {
        // 0 is how temci says that it adds nothing.
        if !is_off(node) && node.int() != Some(0) {
            varied.extend(kind(key, notes));
        }
    }
    varied.sort_unstable();
    varied.dedup();
    varied
}

fn kind(key: &Key, notes: &mut Notes) -> Option<Varied> {
    let name = key.name.as_str();
    if let Some((_, meaning)) = ELSEWHERE.iter().find(|(known, _)| *known == name) {
        notes.ignore(meaning);
        return None;
    }
    let known = VARIED.iter().find(|(known, _)| *known == name);
    if known.is_none() {
        notes.unknown(key, "`randomization`");
    }
    known.map(|(_, varied)| *varied)
}

/// temci's name for what is put in another order.
pub(super) fn key_of(varied: Varied) -> &'static str {
    VARIED.iter().find(|(_, known)| *known == varied).map_or("", |(key, _)| key)
}
