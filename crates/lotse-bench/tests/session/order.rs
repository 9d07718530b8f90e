//! The order of runs follows from the seed, both in the record and in reality.

use lotse_bench::Finished;
use lotse_bench::options::{Hooks, Options, ProgramSpec};
use lotse_bench::order::BlockOrder;
use lotse_bench::trial::StoppedBy;
use lotse_model::results::Design;

use crate::rig::{Rig, options, prepared};

/// (program, block, position) of every run.
fn places(finished: &Finished) -> Vec<(usize, u32, u32)> {
    finished.set.runs.iter().map(|run| (run.program.index(), run.block.0, run.position)).collect()
}

fn expected(programs: usize, seed: u64, blocks: u32) -> Vec<(usize, u32, u32)> {
    let mut order = BlockOrder::new(programs, seed);
    let block = |block: u32| {
        let order = order.next_block().into_iter();
        order.zip(0..).map(move |(program, position)| (program, block, position)).collect::<Vec<_>>()
    };
    (0..blocks).flat_map(block).collect()
}

#[test]
fn runs_are_recorded_in_the_order_of_the_seed() {
    let rig = Rig::new();
    let programs: Vec<ProgramSpec> =
        ["a", "b", "c"].map(|name| rig.program(name, &format!("echo {name} >> ran"))).into();
    for seed in [1, 2] {
        let finished = rig.bench(&Options { seed, ..options(programs.clone(), 5) });
        assert_eq!(places(&finished), expected(3, seed, 5));
        assert_eq!(finished.set.seed, Some(seed));
    }
    let expected_lines: Vec<(usize, u32, u32)> = [expected(3, 1, 5), expected(3, 2, 5)].concat();
    let expected_lines: Vec<&str> =
        expected_lines.iter().map(|&(program, ..)| ["a", "b", "c"][program]).collect();
    assert_eq!(rig.lines("ran"), expected_lines);
}

#[test]
fn one_of_several_commands_is_drawn_from_the_same_seed() {
    let rig = Rig::new();
    let drawn = rig.one_of("drawn", &["echo 0 >> ran", "echo 1 >> ran", "echo 2 >> ran"]);
    let programs = vec![drawn, rig.program("plain", "true")];
    let finished = rig.bench(&Options { warmup: 2, ..options(programs, 10) });
    let mut order = BlockOrder::new(2, 77);
    let mut expected_lines: Vec<String> = (0..2).map(|_| order.draw(3).to_string()).collect();
    let mut ran = Vec::new();
    for block in 0..10 {
        for program in order.next_block() {
            ran.push((program, block));
            if program == 0 {
                expected_lines.push(order.draw(3).to_string());
            }
        }
    }
    assert_eq!(rig.lines("ran"), expected_lines);
    assert_eq!(
        places(&finished).into_iter().map(|(program, block, _)| (program, block)).collect::<Vec<_>>(),
        ran
    );
}

#[test]
fn hooks_know_the_number_of_their_program_s_run() {
    let rig = Rig::new();
    let hooked = |name: &str| ProgramSpec {
        environment: vec![("WHO".to_owned(), name.to_owned())],
        hooks: Hooks {
            prepare: Some("echo prepare $LOTSE_ITERATION >> $WHO".to_owned()),
            conclude: Some("echo conclude $HYPERFINE_ITERATION >> $WHO".to_owned()),
            ..Hooks::default()
        },
        ..rig.program(name, "echo run $LOTSE_ITERATION >> $WHO")
    };
    rig.bench(&Options { warmup: 1, ..options(vec![hooked("a"), hooked("b")], 2) });
    // Without a shell of its own a program gets the same environment every time.
    let expected_lines: Vec<String> = ["warmup-0", "0", "1"]
        .into_iter()
        .flat_map(|number| [format!("prepare {number}"), "run".to_owned(), format!("conclude {number}")])
        .collect();
    assert_eq!(rig.lines("a"), expected_lines);
    assert_eq!(rig.lines("b"), expected_lines);
}

#[test]
fn the_programs_of_a_duet_swap_their_cpus() {
    let Some(cpus) = lotse_host::two_cpus() else { return };
    let rig = Rig::new();
    let hooked = |name: &str| {
        let body = format!("grep Cpus_allowed_list /proc/self/status >> {name}-cpu");
        prepared(rig.program(name, &body), &format!("echo $LOTSE_ITERATION >> {name}-number"))
    };
    let options = Options { design: Design::Duet, ..options(vec![hooked("a"), hooked("b")], 6) };
    let finished = rig.bench(&options);
    assert_eq!(places(&finished), expected(2, 77, 6));
    for (program, name) in ["a", "b"].into_iter().enumerate() {
        let own = places(&finished).into_iter().filter(|(ran, ..)| *ran == program);
        let expected_lines: Vec<String> =
            own.map(|(.., slot)| format!("Cpus_allowed_list:\t{}", cpus[slot as usize])).collect();
        assert_eq!(rig.lines(&format!("{name}-cpu")), expected_lines);
        assert_eq!(rig.lines(&format!("{name}-number")), ["0", "1", "2", "3", "4", "5"]);
    }
}

#[test]
fn in_a_sequential_measurement_every_run_is_a_block() {
    let rig = Rig::new();
    let programs = vec![rig.program("a", "true"), rig.program("b", "true")];
    let finished = rig.bench(&Options { design: Design::Sequential, ..options(programs, 3) });
    let expected_lines = [(0, 0, 0), (0, 1, 0), (0, 2, 0), (1, 3, 0), (1, 4, 0), (1, 5, 0)];
    assert_eq!(places(&finished), expected_lines);
    assert_eq!(finished.conclusion.stopped_by, StoppedBy::Runs);
    assert_eq!(finished.conclusion.looks[0].nominal_p, 0.05);
}
