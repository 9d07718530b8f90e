//! Layouts and builds: blocks use them in turn, and the record names the one of each block.

use lotse_bench::layout::Layouts;
use lotse_bench::options::{Options, ProgramSpec};
use lotse_model::results::LayoutPart;

use crate::rig::{Rig, options};

#[test]
fn programs_of_a_block_have_the_same_layout() {
    let rig = Rig::new();
    let programs: Vec<ProgramSpec> =
        ["a", "b"].map(|name| rig.program(name, "echo ${#LOTSE_LAYOUT} >> ran")).into();
    let layouts = Layouts { count: 8, seed: 5, parts: LayoutPart::ALL.into() };
    let finished = rig.bench(&Options { layouts: Some(layouts.clone()), ..options(programs, 16) });
    let expected: Vec<String> =
        (0..16).flat_map(|block| vec![layouts.layout_of_block(block).environment.to_string(); 2]).collect();
    assert_eq!(rig.lines("ran"), expected);
    let recorded: Vec<u32> = finished.set.runs.iter().map(|run| run.levels.layout).collect();
    assert_eq!(recorded, (0..16).flat_map(|block| [block % 8; 2]).collect::<Vec<u32>>());
    let answer = &finished.answer;
    assert_eq!(answer.levels.len(), 2, "{:?}", answer.levels);
    let units = answer.comparisons[0].units.unwrap();
    assert_eq!((units.level, units.count), ("layout", 8));
}

/// Builds are used in turn; the interval is computed from the three builds, not from their runs.
#[test]
fn builds_are_used_in_turn() {
    let rig = Rig::new();
    let bodies = ["echo 0 >> ran", "echo 1 >> ran", "echo 2 >> ran"];
    let built = ProgramSpec { are_builds: true, ..rig.one_of("built", &bodies) };
    let finished = rig.bench(&options(vec![rig.program("plain", "true"), built], 6));
    assert_eq!(rig.lines("ran"), ["0", "1", "2", "0", "1", "2"]);
    let units = finished.answer.comparisons[0].units.unwrap();
    assert_eq!((units.level, units.count), ("build", 3));
}

/// Every layout has its own seed for the heap, and the record names the program that cannot load the library that moves it.
#[test]
fn heaps_differ_between_layouts_if_possible() {
    let rig = Rig::new();
    let source = rig.path("fixed.c");
    std::fs::write(&source, "int main(void) { return 0; }").unwrap();
    let built = std::process::Command::new("gcc")
        .args(["-static", "-o"])
        .args([&rig.path("fixed"), &source])
        .status();
    assert!(built.unwrap().success());
    let script = rig.program("script", "echo $LOTSE_HEAP $LD_PRELOAD >> ran");
    let fixed = ProgramSpec { alternatives: vec![vec!["./fixed".into()]], ..rig.program("fixed", "fixed") };
    let layouts = Layouts { count: 8, seed: 5, parts: vec![LayoutPart::Heap] };
    let asked = Options { layouts: Some(layouts.clone()), ..options(vec![script, fixed], 8) };
    let finished = rig.bench(&asked);
    let seeds: Vec<String> =
        (0..8).map(|block| format!("{:016x}", layouts.layout_of_block(block).heap.unwrap())).collect();
    let ran = rig.lines("ran");
    assert!(ran.iter().zip(&seeds).all(|(line, seed)| line.starts_with(seed)), "{ran:?} {seeds:?}");
    assert!(ran.iter().all(|line| line.contains("heap-") && line.ends_with(".so")), "{ran:?}");
    let record = finished.answer.layouts.unwrap();
    let named: Vec<(&str, &str)> =
        record.fixed_heaps.iter().map(|it| (it.program.as_str(), it.reason.as_str())).collect();
    assert_eq!(named, [("fixed", "it is linked statically")]);
    let without = Layouts { parts: vec![LayoutPart::Name], ..layouts };
    rig.bench(&Options {
        layouts: Some(without),
        ..options(vec![rig.program("x", "echo $LD_PRELOAD > no")], 8)
    });
    assert_eq!(rig.lines("no"), [std::env::var("LD_PRELOAD").unwrap_or_default()]);
}
