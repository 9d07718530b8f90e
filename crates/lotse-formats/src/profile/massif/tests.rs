//! Small files by hand.

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
fn shown(profile: &Profile) -> Vec<String> {
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
fn the_peak_is_what_counts() {
    let reading = reading(SMALL);
    assert_eq!(reading.diagnostics, []);
    let profile = &reading.value;
    assert_eq!(
        shown(profile),
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

#[test]
fn a_cut_tree_keeps_its_sum() {
    let cut = SMALL.find("  n0: 30").unwrap();
    let reading = reading(&SMALL[..cut]);
    assert!(!reading.complete());
    let samples = &reading.value.parts[1].samples;
    assert_eq!(samples.costs.total(0), 100);
    assert_eq!(shown(&reading.value)[..3], ["f<main [40, 0, 0]", "f [30, 0, 0]", " [30, 0, 0]"]);
}

#[test]
fn damage_is_told_with_its_line() {
    for (from, to, problem) in [
        ("  n0: 40", "     n0: 40", "line 22: a node is deeper than its parent allows"),
        ("  n0: 40", "  n0: 4000", "line 22: the children of a node are larger than the node"),
        ("time=5", "time=x", "line 15: expected a number, found \"x\""),
        ("mem_heap_B=100", "mem_heap_B=99999999999999999999", "line 16: expected a number"),
    ] {
        let reading = reading(&SMALL.replace(from, to));
        let told = reading.diagnostics[0].to_string();
        assert!(told.starts_with(problem), "{told}");
    }
    assert!(read(&Memory { name: "x", bytes: b"desc: \ncmd: a\ntime_unit: i\n" }, &Sequential).is_err());
}
