//! Small handwritten files.

use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

use super::read;
use crate::reading::Reading;

fn reading(text: &str) -> Reading<Profile> {
    let reading = read(&Memory { name: "x", bytes: text.as_bytes() }, &Sequential).unwrap();
    reading.value.check().unwrap();
    reading
}

/// A line per sample of the selected part: the stack from the innermost frame, then the costs.
fn as_lines(profile: &Profile) -> Vec<String> {
    let samples = &profile.parts.iter().find(|part| part.selected).unwrap().samples;
    let rows = samples.stack.iter().enumerate().map(|(row, &stack)| {
        let names: Vec<&str> = profile
            .stacks
            .frames(stack)
            .map(|frame| profile.function_name(profile.frames.get(frame).function))
            .collect();
        format!("{} {:?}", names.join("<"), samples.costs.row(row))
    });
    rows.collect()
}

const SMALL: &str = "desc: --x\ncmd: ./a b\ntime_unit: ms\n#-----------\nsnapshot=0\n#-----------\ntime=0\n\
    mem_heap_B=0\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=empty\n#-----------\nsnapshot=1\n#-----------\n\
    time=5\nmem_heap_B=100\nmem_heap_extra_B=8\nmem_stacks_B=3\nheap_tree=peak\n\
    n3: 100 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n n2: 70 0x1: f (a.c:1)\n  \
    n0: 40 0x2: main (a.c:9)\n  n0: 30 0x3: g (in /bin/a)\n n0: 20 in 2 places, all below massif's threshold (1.00%)\n \
    n0: 10 0x4: main (a.c:3)\n";

#[test]
fn the_peak_is_selected() {
    let reading = reading(SMALL);
    assert_eq!(reading.diagnostics, []);
    let profile = &reading.value;
    assert_eq!(
        as_lines(profile),
        [
            "f<main [40, 0, 0]",
            "f<g [30, 0, 0]",
            "below massif's threshold [20, 0, 0]",
            "main [10, 0, 0]",
            " [0, 8, 3]"
        ]
    );
    assert_eq!(profile.data.len(), 4);
    assert_eq!(profile.parts[1].time, Some((5_000_000, 5_000_000)));
    assert_eq!(profile.parts[1].name, "snapshot 1 at 5 ms");
    assert!(!profile.parts[0].selected);
    assert_eq!(profile.command.as_deref(), Some("./a b"));
}

/// Stacks from the innermost frame, bytes and part of all data structures.
fn structures(profile: &Profile) -> Vec<String> {
    let data = &profile.data;
    let rows = (0..data.len()).map(|row| {
        let frames = profile.stacks.frames(data.stack[row]).map(|frame| profile.frames.get(frame).function);
        let names: Vec<&str> = frames.map(|function| profile.function_name(function)).collect();
        format!("{} {} in part {}", names.join("<"), data.costs.value(row, 0), data.part[row].index())
    });
    rows.collect()
}

#[test]
fn every_detailed_snapshot_has_data_structures() {
    let grown = "#-----------\nsnapshot=2\n#-----------\ntime=9\nmem_heap_B=60\nmem_heap_extra_B=4\n\
        mem_stacks_B=0\nheap_tree=detailed\nn2: 60 (heap allocation functions) malloc\n n0: 50 0x1: f (a.c:1)\n \
        n0: 10 0x4: main (a.c:3)\n";
    let empty = "#-----------\nsnapshot=3\n#-----------\ntime=9\nmem_heap_B=70\nmem_heap_extra_B=4\n\
        mem_stacks_B=0\nheap_tree=empty\n";
    let reading = reading(&[SMALL, grown, empty].concat());
    assert_eq!(reading.diagnostics, []);
    assert_eq!(
        structures(&reading.value),
        [
            "f<main 40 in part 1",
            "f<g 30 in part 1",
            "below massif's threshold 20 in part 1",
            "main 10 in part 1",
            "f 50 in part 2",
            "main 10 in part 2",
        ]
    );
    let chosen: Vec<bool> = reading.value.parts.iter().map(|part| part.selected).collect();
    assert_eq!(chosen, [false, true, false, false]);
}

/// Without a snapshot marked as the peak, the largest is taken.
#[test]
fn the_largest_snapshot_replaces_a_missing_peak() {
    let text = SMALL.replace("heap_tree=peak", "heap_tree=detailed");
    let more = "snapshot=2\ntime=9\nmem_heap_B=60\nmem_heap_extra_B=90\nmem_stacks_B=0\nheap_tree=empty\n";
    for (text, expected) in [(text.clone(), 1), ([&text, more].concat(), 2)] {
        let profile = reading(&text).value;
        assert_eq!(profile.parts.iter().position(|part| part.selected), Some(expected));
        assert_eq!(structures(&profile).len(), 4, "those of the detailed snapshot");
    }
}

#[test]
fn a_cut_tree_keeps_its_sum() {
    let cut = SMALL.find("  n0: 30").unwrap();
    let reading = reading(&SMALL[..cut]);
    assert!(!reading.complete());
    let samples = &reading.value.parts[1].samples;
    assert_eq!(samples.costs.total(0), 100);
    assert_eq!(as_lines(&reading.value)[..3], ["f<main [40, 0, 0]", "f [30, 0, 0]", " [30, 0, 0]"]);
}

#[test]
fn damage_is_reported_with_its_line() {
    for (from, to, problem) in [
        ("  n0: 40", "     n0: 40", "line 22: a node is deeper than its parent allows"),
        ("  n0: 40", "  n0: 4000", "line 22: the children of a node are larger than the node"),
        ("time=5", "time=x", "line 15: expected a number, found \"x\""),
        ("mem_heap_B=100", "mem_heap_B=99999999999999999999", "line 16: expected a number"),
    ] {
        let reading = reading(&SMALL.replace(from, to));
        let message = reading.diagnostics[0].to_string();
        assert!(message.starts_with(problem), "{message}");
    }
    assert!(read(&Memory { name: "x", bytes: b"desc: \ncmd: a\ntime_unit: i\n" }, &Sequential).is_err());
}
