//! Collapsed stacks.

use expect_test::expect;
use lotse_formats::Place;
use lotse_model::profile::Builder;

use super::check::{damage, fixture, four_ways, losses, read, samples, stacks, totals, written};

const PLAIN: &str = "# by hand\r\nmain;f 3\r\n\r\nmain;operator new(unsigned long);g_[k]\t12\r\nmain;f 4\n";

#[test]
fn plain() {
    let expected = expect![[r#"
        events: weight [count]
        totals: [19]
        command, creator: (None, None)
        part "all" (None, None): 3 samples, first at None
        [7] main;f
        [12] main;operator new(unsigned long);g_[k]
        function main in ?, ?
        function f in ?, ?
        function operator new(unsigned long) in ?, ?
        function g_[k] in ?, ?
    "#]];
    four_ways("a.collapsed", PLAIN.as_bytes(), "collapsed", &expected);
}

#[test]
fn fractions_stay_exact() {
    let expected = expect![[r#"
        events: weight [1e-4]
        totals: [122515]
        command, creator: (None, None)
        part "all" (None, None): 3 samples, first at None
        [120000] main
        [2515] main;f
        function main in ?, ?
        function f in ?, ?
    "#]];
    four_ways("a.folded", b"main;f 0.25\nmain 12\nmain;f 1.5e-3\n", "collapsed", &expected);
}

#[test]
fn two_columns_are_two_profiles() {
    let reading = read(b"main;f 5 7\nmain;g 0 1\n");
    assert_eq!(totals(&reading.value), [("before".to_owned(), 5), ("after".to_owned(), 8)]);
    let reading = read(b"main;f 5 7\nmain;g 1\n");
    assert_eq!(stacks(&reading.value)[0], ("main;f 5".to_owned(), vec![7]));
}

#[test]
fn a_line_without_a_stack_is_a_sample_without_frames() {
    let reading = read(b"main;f 5\n 3\nmain 1\n");
    assert_eq!(reading.diagnostics, []);
    assert_eq!(totals(&reading.value), [("samples".to_owned(), 9)]);
    let none = reading.value.parts[0].samples.stack.iter().filter(|stack| stack.is_none()).count();
    assert_eq!(none, 1);
}

#[test]
fn negative_weights() {
    let reading = read(b"main;f -5\nmain;g 7\n");
    assert_eq!(totals(&reading.value), [("weight".to_owned(), 2)]);
    assert!(reading.value.signed);
    assert_eq!(written(&reading.value, "collapsed"), b"main;f -5\nmain;g 7\n");
}

#[test]
fn bad_lines_are_named_and_the_rest_is_kept() {
    let source = lotse_model::bytes::Memory {
        name: "x",
        bytes: b"main;f 3\nno weight\nmain 99999999999999999999\n\xff;b 1\n",
    };
    let reading =
        lotse_formats::read_profile(&source, Some("collapsed"), &lotse_model::work::Sequential).unwrap();
    assert_eq!(losses(&reading), [Place::Line(2), Place::Line(3)]);
    assert_eq!(stacks(&reading.value), [("\\xff;b".to_owned(), vec![1]), ("main;f".to_owned(), vec![3])]);
}

#[test]
fn damaged_input() {
    damage(PLAIN.as_bytes(), "collapsed");
    damage(b"a;b 1.5 2\n", "collapsed");
}

#[test]
fn names_that_would_end_a_frame_are_changed() {
    let mut builder = Builder::new();
    let odd = builder.bare_function("a;b\nc");
    let frame = builder.bare_frame(odd);
    let stack = builder.stack(None, frame);
    builder.profile.events = vec![lotse_model::profile::EventType::count("x")];
    let mut part = lotse_model::profile::Part::new("1", 1, false);
    part.samples.stack = vec![Some(stack), None];
    part.samples.costs.push(&[3]);
    part.samples.costs.push(&[4]);
    builder.profile.parts.push(part);
    assert_eq!(written(&builder.finish(), "collapsed"), b"a:b c 3\n[unknown] 4\n");
}

#[test]
fn files_of_others() {
    for (path, unit, total, distinct, hot, cost) in [
        // No stack has weight 1.
        ("gprof2dot__keywords.collapse", "weight", 65, 4, "node", 30),
        ("speedscope__perf-vertx-stacks-01-collapsed-all.txt", "samples", 285, 199, "hypercall_page_[k]", 23),
        (
            "inferno__example-perf-stacks-collapsed.txt",
            "samples",
            1315,
            710,
            "org/mozilla/javascript/ScriptableObject:.createSlot",
            91,
        ),
    ] {
        let Some(bytes) = fixture(&format!("collapsed/{path}")) else { return };
        let reading = read(&bytes);
        assert_eq!(reading.diagnostics, []);
        assert_eq!(totals(&reading.value), [(unit.to_owned(), total)], "{path}");
        let stacks = stacks(&reading.value);
        assert_eq!((stacks.len(), samples(&reading.value)), (distinct, distinct), "{path}");
        let leaf = |stack: &str| stack.rsplit(';').next().unwrap() == hot;
        let own: i128 = stacks.iter().filter(|(stack, _)| leaf(stack)).map(|(_, costs)| costs[0]).sum();
        assert_eq!(own, cost, "{path}");
        let again = super::check::stacks(&read(&written(&reading.value, "collapsed")).value);
        let changed = again.iter().zip(&stacks).find(|(again, first)| again != first);
        assert_eq!(changed, None, "{path}");
    }
}
