//! The part of a block that describes how its program is built.
//!
//! temci builds in copies of a folder, one for each build. Its keys for random layouts (`randomization`) name what temci
//! shuffles in the assembler code; here they name what the linker puts in another order.

use lotse_model::suite::{BuildPlan, Varied};

use crate::bench::temci_keys::{Notes, is_off};
use crate::yaml::{YamlKey, YamlNode};

/// The keys of `randomization` for what the linker can reorder.
const VARIED: [(&str, Varied); 5] = [
    ("file_structure", Varied::Functions),
    ("rodata", Varied::Constants),
    ("data", Varied::Data),
    ("bss", Varied::Bss),
    ("linker", Varied::Objects),
];

/// The other keys of `randomization`, with what to do instead.
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

/// Reads a build configuration.
pub(super) fn read(node: &YamlNode, notes: &mut Notes<'_>) -> BuildPlan {
    let mut plan = BuildPlan::default();
    for (key, node) in notes.mapping(node, "expected a mapping (`cmd`, `number`, …)") {
        match key.name.as_str() {
            // Examples in temci's documentation use the second name.
            "cmd" | "build_cmd" => plan.command = notes.non_empty_text(node),
            "base_dir" => plan.base = notes.non_empty_text(node),
            "working_dir" => plan.folder = notes.non_empty_text(node),
            "revision" if is_off(node) => {}
            "revision" => plan.revision = notes.non_empty_text(node),
            "branch" => plan.branch = notes.non_empty_text(node),
            "number" => plan.count = count(node, notes),
            "randomization" => plan.varied = Some(randomization(node, notes)),
            _ => notes.unknown_key(key, "a build configuration"),
        }
    }
    plan
}

fn count(node: &YamlNode, notes: &mut Notes<'_>) -> Option<u32> {
    match notes.count(node, "builds") {
        Some(0) => {
            notes.complain(node, "expected at least one build");
            None
        }
        count => count,
    }
}

fn randomization(node: &YamlNode, notes: &mut Notes<'_>) -> Vec<Varied> {
    let mut varied = Vec::new();
    for (key, node) in notes.mapping(node, "expected a mapping (`file_structure`, `linker`, …)") {
        // temci also switches off with 0.
        if !is_off(node) && node.int() != Some(0) {
            varied.extend(varied_of_key(key, notes));
        }
    }
    varied.sort_unstable();
    varied.dedup();
    varied
}

/// What a key of `randomization` reorders; `None`, with a message, if the linker cannot do that.
fn varied_of_key(key: &YamlKey, notes: &mut Notes<'_>) -> Option<Varied> {
    let name = key.name.as_str();
    if let Some((_, meaning)) = ELSEWHERE.iter().find(|(known, _)| *known == name) {
        notes.not_supported(meaning);
        return None;
    }
    let known = VARIED.iter().find(|(known, _)| *known == name);
    if known.is_none() {
        notes.unknown_key(key, "`randomization`");
    }
    known.map(|(_, varied)| *varied)
}

/// The key of `randomization` for what is reordered.
pub(super) fn key_of_varied(varied: Varied) -> &'static str {
    VARIED.iter().find(|(_, known)| *known == varied).map_or("", |(key, _)| key)
}
