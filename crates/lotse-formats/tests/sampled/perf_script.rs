//! The text of `perf script`.

use std::process::Command;

use expect_test::expect;
use lotse_formats::unwind::is_frame_pointer_note;
use lotse_formats::{Place, Reading};
use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

use super::check::{damage, fixture, four_ways, losses, read, samples, stacks, totals};
use super::recorded::recorded;

const MIXED: &str = "\
# ========
# perf version : 6.1.190
# cmdline : /usr/bin/perf record -g ./my prog
my prog   885/886   [001] 13562.429803:    5000000 cpu-clock:u: 
\t            116e inl (inlined)
  t.c:3
\t            116e work+0x25 (/tmp/my prog)
  t.c:4
\t               0 [unknown] ([unknown])

my prog   885/885   [000] 13562.429700:          7 page-faults: 
\t            1163 f(int) const+0x1a (/tmp/my prog (deleted))

         my prog   885/885   [000] 13562.429900:          1 page-faults:  ffffffff8175016a elf_load+0x28a ([kernel.kallsyms])
";

#[test]
fn mixed() {
    let expected = expect![[r#"
        events: samples [count], cpu-clock:u [ns], page-faults [count]
        totals: [3, 5000000, 8]
        command, creator: (Some("/usr/bin/perf record -g ./my prog"), Some("perf 6.1.190"))
        part "my prog" (Some(885), Some(886)): 1 samples, first at Some(13562429803000)
        part "my prog" (Some(885), Some(885)): 2 samples, first at Some(13562429700000)
        [1, 5000000, 0] [outer callers not recorded];work;inl*
        [1, 0, 1] elf_load
        [1, 0, 7] f(int) const
        function [outer callers not recorded] in ?, ?
        function work in /tmp/my prog, ?
        function inl in /tmp/my prog, ?
        function f(int) const in /tmp/my prog (deleted), ?
        function elf_load in [kernel.kallsyms], ?
        Note: the whole input: callers were recorded by frame pointers (perf record -g): 1 of 1 stacks end at an address outside of any mapping: the caller is not known there ([outer callers not recorded]); 1 of 1 stacks contain code that may have no frame: a leaf function may appear to be called by the caller of its caller; `perf record --call-graph dwarf` records all callers, and so does building with -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer, libraries included
    "#]];
    four_ways("a.perf", MIXED.as_bytes(), "perf-script", &expected);
}

#[test]
fn old_and_bare() {
    let expected = expect![[r#"
        events: samples [count], cpu-clock [count]
        totals: [3, 3]
        command, creator: (None, None)
        part "java" (None, Some(3244)): 2 samples, first at None
        part "dd" (None, Some(5)): 1 samples, first at None
        [2, 2] 
        [1, 1] SpinPause
        function SpinPause in /libjvm.so, ?
    "#]];
    let text = "java  3244 cpu-clock: \n\t 7f1e SpinPause (/libjvm.so)\n\njava  3244 cpu-clock: \n\ndd 5 cpu-clock:\n";
    four_ways("a.txt", text.as_bytes(), "perf-script", &expected);
}

#[test]
fn places_are_kept() {
    let profile = read(MIXED.as_bytes()).value;
    let frames: Vec<_> = profile.stacks.frames(profile.parts[0].samples.stack[0]).collect();
    let inner = profile.frames.get(frames[0]);
    assert_eq!((inner.address, inner.line, inner.inlined), (0x116e, 3, true));
    assert_eq!(profile.file_name(inner.file), Some("t.c"));
    assert_eq!(profile.function_object(inner.function), Some("/tmp/my prog"));
    assert_eq!(profile.parts[1].samples.time, [13_562_429_700_000, 13_562_429_900_000]);
}

#[test]
fn bad_lines_are_named_and_the_rest_is_kept() {
    let text = MIXED.replace("  t.c:4", "what is this");
    let reading = read(text.as_bytes());
    assert_eq!(losses(&reading), [Place::Line(8)]);
    assert_eq!(samples(&reading.value), 3);
}

/// As many events as samples: a column for each would take memory quadratic in the input.
#[test]
fn events_cannot_fill_the_memory() {
    let text: String = (0..2000).map(|number| format!("a 1 1.5: e{number}:\n\n")).collect();
    let reading = read(text.as_bytes());
    assert_eq!((samples(&reading.value), reading.value.events.len()), (2000, 66));
    assert_eq!(losses(&reading), [Place::Whole]);
}

#[test]
fn damaged_input() {
    damage(MIXED.as_bytes(), "perf-script");
}

/// All diagnostics but the note on how callers were recorded.
fn problems(reading: &Reading<Profile>) -> Vec<&str> {
    let messages = reading.diagnostics.iter().map(|it| it.message.as_str());
    messages.filter(|it| !is_frame_pointer_note(it) && !it.contains("outside of any mapping")).collect()
}

#[test]
fn files_of_others() {
    for (path, count) in [
        ("FlameGraph__perf-cycles-instructions-01.txt", 444),
        ("FlameGraph__perf-dd-stacks-01.txt", 11),
        ("FlameGraph__perf-funcab-cmd-01.txt", 169),
        ("FlameGraph__perf-java-stacks-01.txt", 46),
        ("FlameGraph__perf-js-stacks-01.txt", 2),
        ("FlameGraph__perf-mirageos-stacks-01.txt", 53),
        ("FlameGraph__perf-vertx-stacks-01.txt", 286),
        ("FlameGraph__example-perf-stacks.txt.gz", 1315),
        ("gprof2dot__glxgears.perf", 1401),
        ("gprof2dot__issue28.perf", 14),
        ("speedscope__rust-mangled.linux-perf.txt", 96),
        ("speedscope__simple-with-header.linux-perf.txt", 136),
        ("speedscope__system-wide.linux-perf.txt", 556),
        ("profiler__graphviz.perf.gz", 312),
        ("profiler__test.perf.gz", 73),
    ] {
        let Some(bytes) = fixture(&format!("perf-script/{path}")) else { return };
        let reading = read(&bytes);
        assert_eq!(reading.format_id, "perf-script", "{path}");
        assert_eq!(samples(&reading.value), count, "{path}");
        assert_eq!(problems(&reading), Vec::<&str>::new(), "{path}");
    }
}

#[test]
fn sums_of_other_tools() {
    for (path, event, total, hot, cost) in [
        ("FlameGraph__perf-dd-stacks-01.txt", "cpu-clock", 111_111_110, "__srcu_read_unlock", 30_303_030),
        ("speedscope__simple-with-header.linux-perf.txt", "cpu-clock", 136_136_136, "_Z4betav", 47_047_047),
        ("profiler__test.perf.gz", "cycles:uppp", 587_515_833, "do_lookup_x", 220_035_269),
    ] {
        let Some(bytes) = fixture(&format!("perf-script/{path}")) else { return };
        let profile = read(&bytes).value;
        assert_eq!(totals(&profile)[1], (event.to_owned(), total), "{path}");
        let leaf = |stack: &str| stack.rsplit(';').next().unwrap() == hot;
        let own: i128 =
            stacks(&profile).iter().filter(|(stack, _)| leaf(stack)).map(|(_, costs)| costs[1]).sum();
        assert_eq!(own, cost, "{path}");
    }
}

/// perf's output for a recording made while testing, with several options.
#[test]
fn perf_of_this_machine() {
    let Some(file) = recorded() else { return };
    let stats = Command::new("perf").args(["report", "--stats", "-i", file]).output().unwrap();
    let stats = String::from_utf8(stats.stdout).unwrap();
    let count = stats.lines().find_map(|line| line.trim().strip_prefix("SAMPLE events:"));
    let count: usize = count.unwrap().split_whitespace().next().unwrap().parse().unwrap();
    for fields in
        ["+srcline", "+pid,+period", "-time", "comm,tid,ip,sym", "comm,pid,tid,time,event,ip,sym,dso"]
    {
        let output = Command::new("perf").args(["script", "-i", file, "-F", fields]).output().unwrap();
        let source = Memory { name: "-", bytes: &output.stdout };
        let reading = lotse_formats::read_profile(&source, Some("perf-script"), &Sequential).unwrap();
        assert_eq!(problems(&reading), Vec::<&str>::new(), "{fields}");
        assert_eq!(samples(&reading.value), count, "{fields}");
    }
}
