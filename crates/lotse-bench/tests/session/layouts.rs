//! Layouts and builds: every block has its own, in turn, and the record says which.

use lotse_bench::layout::Layouts;
use lotse_bench::options::{Options, ProgramSpec};

use crate::rig::{Rig, options};

#[test]
fn programs_of_a_block_have_the_same_layout() {
    let rig = Rig::new();
    let programs: Vec<ProgramSpec> =
        ["a", "b"].map(|name| rig.program(name, "echo ${#LOTSE_LAYOUT} >> ran")).into();
    let layouts = Layouts { count: 8, seed: 5 };
    let finished = rig.bench(&Options { layouts: Some(layouts), ..options(programs, 16) });
    let expected: Vec<String> =
        (0..16).flat_map(|block| vec![layouts.of_block(block).environment.to_string(); 2]).collect();
    assert_eq!(rig.lines("ran"), expected);
    let recorded: Vec<u32> = finished.set.runs.iter().map(|run| run.levels.layout).collect();
    assert_eq!(recorded, (0..16).flat_map(|block| [block % 8; 2]).collect::<Vec<u32>>());
    let answer = &finished.answer;
    assert_eq!(answer.levels.len(), 2, "{:?}", answer.levels);
    let units = answer.comparisons[0].units.unwrap();
    assert_eq!((units.level, units.count), ("layout", 8));
}

/// Builds come in turn, too: the interval is about builds, of which there are three.
#[test]
fn builds_come_in_turn() {
    let rig = Rig::new();
    let bodies = ["echo 0 >> ran", "echo 1 >> ran", "echo 2 >> ran"];
    let built = ProgramSpec { are_builds: true, ..rig.one_of("built", &bodies) };
    let finished = rig.bench(&options(vec![rig.program("plain", "true"), built], 6));
    assert_eq!(rig.lines("ran"), ["0", "1", "2", "0", "1", "2"]);
    let units = finished.answer.comparisons[0].units.unwrap();
    assert_eq!((units.level, units.count), ("build", 3));
}
