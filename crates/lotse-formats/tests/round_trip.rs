//! What a format can hold of the model is read back unchanged.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use lotse_formats::bench::{hyperfine, lotse_log, temci_result, temci_suite};
use lotse_formats::{read_results, read_suite};
use lotse_model::bytes::Memory;
use lotse_model::id::{BlockId, ProgramId};
use lotse_model::results::{
    AppliedAction, Design, Disturbance, FixedHeap, LayoutPart, LayoutRecord, Levels, Outcome, Program,
    RefusedAction, Run, SeparationRecord, Status,
};
use lotse_model::suite::{BuildPlan, Expected, SuiteProgram, Varied};
use lotse_model::{Metric, ResultSet, Suite};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};

/// Texts of all kinds, often those that are difficult for YAML.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z ]{1,8}",
        "(yes|no|null|~|1e5|0x1f|- a|a: b|#c|.nan|.inf|1:30|=|<<|on|'|\"|\\||>)",
    ]
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..10.0, Just(0.0), Just(1e-300), Just(1.5e300), (0u32..5000).prop_map(f64::from)]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        4 => Just(Outcome::ok()),
        1 => (any::<i32>(), option::of(text())).prop_map(|(code, problem)| Outcome {
            status: Status::Failed,
            exit_code: Some(code),
            signal: None,
            problem,
        }),
    ]
}

fn separation() -> impl Strategy<Value = Option<SeparationRecord>> {
    let applied = (text(), text()).prop_map(|(action, effect)| AppliedAction { action, effect });
    let refused = (text(), text()).prop_map(|(action, reason)| RefusedAction { action, reason });
    option::of(
        (vec(applied, 0..3), vec(refused, 0..3))
            .prop_map(|(applied, refused)| SeparationRecord { applied, refused }),
    )
}

fn layouts() -> impl Strategy<Value = Option<LayoutRecord>> {
    let fixed = (text(), text()).prop_map(|(program, reason)| FixedHeap { program, reason });
    option::of((any::<u32>(), vec(fixed, 0..3)).prop_map(|(count, fixed_heaps)| LayoutRecord {
        count,
        parts: LayoutPart::ALL[1..].into(),
        fixed_heaps,
    }))
}

/// Programs with wall time and user time, in blocks.
fn results() -> impl Strategy<Value = ResultSet> {
    let programs = btree_map(text(), (text(), btree_map(text(), text(), 0..3)), 1..4);
    let blocks = vec(vec((outcome(), value(), value()), 3), 1..5);
    let about = (any::<u64>(), separation(), layouts());
    (programs, blocks, about).prop_map(|(programs, blocks, (seed, separation, layouts))| {
        let programs: Vec<Program> = programs
            .into_iter()
            .map(|(name, (command, parameters))| Program { name, command, parameters, ..Program::default() })
            .collect();
        let count = programs.len();
        let runs = blocks.into_iter().enumerate().flat_map(|(block, runs)| {
            runs.into_iter().take(count).enumerate().map(move |(at, (outcome, wall, user))| Run {
                program: ProgramId::from(at),
                block: BlockId::from(block),
                position: at as u32,
                levels: Levels::default(),
                outcome,
                disturbance: Disturbance { steal: Some(wall), ..Disturbance::default() },
                values: [("wall".to_owned(), wall), ("user".to_owned(), user)].into(),
                within: [("pause".to_owned(), vec![user, wall])].into(),
            })
        });
        let metrics = vec![Metric::named("wall"), Metric::named("user")];
        ResultSet {
            date: Some("2026-11-15T12:00:00Z".to_owned()),
            machine: None,
            seed: Some(seed),
            design: Design::Blocks,
            design_note: None,
            separation,
            layouts,
            metrics,
            programs,
            runs: runs.collect(),
            shell: Vec::new(),
            start_cost: None,
        }
    })
}

/// What every format holds: names and samples of the programs with a good run.
fn samples(set: &ResultSet, metric: &str) -> BTreeMap<String, Vec<f64>> {
    set.program_ids()
        .map(|id| (set.programs[id.index()].name.clone(), set.samples(id, metric)))
        .filter(|(_, samples)| !samples.is_empty())
        .collect()
}

/// The result set without wall times of 0, because such runs are invalid in hyperfine's format.
fn with_times_above_0(mut set: ResultSet) -> ResultSet {
    for wall in set.runs.iter_mut().filter_map(|run| run.values.get_mut("wall")).filter(|wall| **wall == 0.0)
    {
        *wall = 1e-9;
    }
    set
}

fn reread(bytes: &[u8], format: &str) -> ResultSet {
    let reading = read_results(&Memory { name: "x", bytes }, Some(format)).unwrap();
    assert!(reading.complete(), "{:?}", reading.diagnostics);
    reading.value
}

fn suite() -> impl Strategy<Value = Suite> {
    let command = "[a-z -]{1,9}[a-z]";
    let expected = (vec(1..9i32, 0..3), option::of(text()), vec(text(), 0..3)).prop_map(
        |(exit_codes, output, output_contains)| Expected {
            exit_codes,
            output,
            output_lacks: output_contains.clone(),
            output_contains,
            ..Expected::default()
        },
    );
    let program = (
        (option::of(text()), vec(text(), 0..3), vec(command, 1..3), btree_map(text(), text(), 0..3)),
        (vec(text(), 0..3), option::of("(time|rusage)"), option::of(0..99u32), option::of(0..99u32)),
        expected,
        option::of(build_plan()),
    );
    let program = program.prop_map(
        |(
            (name, tags, commands, environment),
            (mut directories, runner, runs, min_runs),
            expected,
            build,
        )| {
            // The reader joins directories that are all the same.
            directories.dedup();
            SuiteProgram {
                name,
                tags,
                commands,
                environment,
                directories,
                build,
                metrics: vec!["user".into(), "peak_memory".into()],
                runner,
                runs,
                min_runs,
                expected,
                ..SuiteProgram::default()
            }
        },
    );
    let separation = prop_oneof![Just(Vec::new()), Just(vec!["aslr".to_owned()])];
    (vec(program, 1..4), separation).prop_map(|(programs, separation)| Suite {
        programs,
        separation,
        ..Suite::default()
    })
}

fn build_plan() -> impl Strategy<Value = BuildPlan> {
    let word = || option::of("[a-z]{1,6}");
    let all = [Varied::Functions, Varied::Constants, Varied::Data, Varied::Bss, Varied::Objects];
    let varied = option::of(proptest::sample::subsequence(all.to_vec(), 0..=5));
    (word(), word(), word(), word(), word(), option::of(1..9u32), varied).prop_map(
        |(command, base, folder, revision, branch, count, varied)| BuildPlan {
            command,
            base,
            folder,
            revision,
            branch,
            count,
            varied,
        },
    )
}

proptest! {
    #[test]
    fn the_log_loses_nothing(set in results()) {
        let text = lotse_log::to_text(&lotse_log::LogHeader::from_results(&set), &set, None).unwrap();
        assert_eq!(reread(text.as_bytes(), "lotse-log"), set);
    }

    #[test]
    fn hyperfine_keeps_the_samples(set in results()) {
        let set = with_times_above_0(set);
        for version in [hyperfine::Version::V1, hyperfine::Version::V2, hyperfine::Version::Both] {
            let mut bytes = Vec::new();
            hyperfine::write(&set, version, &Metric::named("wall"), None, &mut bytes).unwrap();
            let again = reread(&bytes, "hyperfine");
            assert_eq!(samples(&again, "wall"), samples(&set, "wall"));
            if version != hyperfine::Version::V1 {
                assert_eq!(samples(&again, "user"), samples(&set, "user"));
            }
        }
    }

    #[test]
    fn temci_keeps_the_samples_and_the_programs(set in results()) {
        let mut bytes = Vec::new();
        temci_result::write(&set, &mut bytes).unwrap();
        let again = reread(&bytes, "temci");
        assert_eq!(again.programs, set.programs);
        for metric in ["wall", "user"] {
            assert_eq!(samples(&again, metric), samples(&set, metric));
        }
    }

    #[test]
    fn a_suite_comes_back_from_temci(suite in suite()) {
        let mut bytes = Vec::new();
        temci_suite::write(&suite, &mut bytes).unwrap();
        let reading = read_suite(&Memory { name: "x", bytes: &bytes }, Some("temci-suite")).unwrap();
        assert_eq!(reading.value, suite, "{}", String::from_utf8_lossy(&bytes));
        assert!(reading.complete());
    }
}
