//! Unusual output of `perf script`: the effect of fields, versions and events on the lines.

use expect_test::{Expect, expect};
use lotse_formats::Place;
use lotse_formats::unwind::{LOST, is_frame_pointer_note};

use super::check::{losses, read, samples, stacks, totals};

/// Events with their totals, parts with times, and stacks with their costs.
fn summary(text: &str) -> String {
    let reading = read(text.as_bytes());
    assert_eq!(reading.format_id, "perf-script");
    let problems = reading.diagnostics.iter().filter(|it| !is_frame_pointer_note(&it.message));
    assert_eq!(problems.count(), 0, "{text}");
    let profile = &reading.value;
    let events = totals(profile).into_iter().map(|(name, total)| format!("{name} {total}"));
    let parts = profile.parts.iter().map(|part| {
        let (process, thread) = (part.process, part.thread.unwrap());
        format!("{} {process:?} {thread} {:?}", part.name, part.samples.time)
    });
    let stacks = stacks(profile).into_iter().map(|(stack, costs)| format!("  {stack} {costs:?}"));
    let lines: Vec<String> =
        [events.collect::<Vec<_>>().join(", ")].into_iter().chain(parts).chain(stacks).collect();
    lines.join("\n")
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&summary(text));
    let windows = text.replace('\n', "\r\n");
    assert_eq!(summary(&windows), summary(text), "other line ends change nothing");
    let unended = text.trim_end_matches('\n');
    assert_eq!(summary(unended), summary(text), "the last line needs no end");
}

#[test]
fn several_events_have_a_column_each() {
    check(
        "a 1 1.0: 10 cycles:u:\n\t1 f (/a)\n\t2 main (/a)\n\na 1 1.1: 3 instructions:u:\n\t1 f (/a)\n\t2 main (/a)\n\n\
         a 1 1.2: 20 cycles:u:\n\t2 main (/a)\n\na 1 1.3: 1 sched:sched_switch: prev_comm=a prev_pid=1 ==> next_comm=b\n\n",
        &expect![[r#"
            samples 4, cycles:u 30, instructions:u 3, sched:sched_switch 1
            a None 1 [1000000000, 1100000000, 1200000000, 1300000000]
               [1, 0, 0, 1]
              main [1, 20, 0, 0]
              main;f [2, 10, 3, 0]"#]],
    );
}

#[test]
fn periods_that_only_some_lines_print_count_as_one() {
    check(
        "a 1 1.0: 10 cpu-clock:\n\t1 f (/a)\n\na 1 1.1: cpu-clock:\n\t1 f (/a)\n\n",
        &expect![[r#"
            samples 2, cpu-clock 11
            a None 1 [1000000000, 1100000000]
              f [2, 11]"#]],
    );
    let units = |text: &str| read(text.as_bytes()).value.events[1].unit_label();
    assert_eq!(units("a 1 1.0: 10 cpu-clock:u:\n\n"), "ns", "a clock whose periods are all known");
    assert_eq!(units("a 1 1.0: 10 cpu-clock:u:\n\na 1 1.0: cpu-clock:u:\n\n"), "count");
    assert_eq!(units("a 1 1.0: 10 task-clock:\n\n"), "ns");
    assert_eq!(units("a 1 1.0: 10 cycles:\n\n"), "count");
}

#[test]
fn what_perf_does_not_know() {
    check(
        "a 1 1.0: 1 cycles:\n\t7f00 [unknown] ([unknown])\n\t7f01 [unknown] (/lib/x.so)\n\t7f02 (/lib/x.so)\n\t7f03\n\n\
         :-1 -1 1.5: 1 cycles:\n\tffffffff81000000 [unknown] ([guest.kernel.kallsyms])\n\n",
        &expect![[r#"
            samples 2, cycles 2
            a None 1 [1000000000]
            :-1 None 4294967295 [1500000000]
              0x7f03;0x7f02;[unknown];[unknown] [1, 1]
              [unknown] [1, 1]"#]],
    );
}

#[test]
fn inlined_frames_are_in_the_object_of_their_caller() {
    let text = "a 1 1.0: 1 cycles:\n\t10 deepest (inlined)\n\t10 deeper (inlined)\n\t10 holder (/a)\n\t20 next (inlined)\n\
                \t20 main (/b)\n\t30 lost (inlined)\n\n";
    check(
        text,
        &expect![[r#"
            samples 1, cycles 1
            a None 1 [1000000000]
              lost*;main;next*;holder;deeper*;deepest* [1, 1]"#]],
    );
    let profile = read(text.as_bytes()).value;
    let objects: Vec<(&str, Option<&str>)> =
        profile.functions.ids().map(|id| (profile.function_name(id), profile.function_object(id))).collect();
    let expected = [
        ("lost", None),
        ("main", Some("/b")),
        ("next", Some("/b")),
        ("holder", Some("/a")),
        ("deeper", Some("/a")),
        ("deepest", Some("/a")),
    ];
    assert_eq!(objects, expected, "an outermost frame that is inlined has no holder");
}

#[test]
fn samples_without_a_call_chain() {
    check(
        "a 1 1.0: 1 cycles: ffff0 f+0x3 (/a)\na 1 1.1: 1 cycles: ffff0 f+0x3 (/a)\na 1 1.2: 1 cycles:\na 1 1.3: 1 cycles:\n\n",
        &expect![[r#"
            samples 4, cycles 4
            a None 1 [1000000000, 1100000000, 1200000000, 1300000000]
               [2, 2]
              f [2, 2]"#]],
    );
}

#[test]
fn times_out_of_order_are_kept() {
    let text =
        "a 1 2.5: 1 cycles:\n\nb 2 1.000000001: 1 cycles:\n\na 1 1.5: 1 cycles:\n\na 1 2.0: 1 cycles:\n\n";
    check(
        text,
        &expect![[r#"
            samples 4, cycles 4
            a None 1 [2500000000, 1500000000, 2000000000]
            b None 2 [1000000001]
               [4, 4]"#]],
    );
    let ranges: Vec<_> = read(text.as_bytes()).value.parts.iter().map(|part| part.time).collect();
    assert_eq!(ranges, [Some((1_500_000_000, 2_500_000_000)), Some((1_000_000_001, 1_000_000_001))]);
}

#[test]
fn commands_have_blanks_digits_and_brackets() {
    check(
        "Web Content  12/13 [001] 1.0: 1 cycles:\n\t1 f (/a)\n\nkworker/0:1-ev 7 [000] 1.1: 1 cycles:\n\t1 f (/a)\n\n\
         a 2 3 44 1.2: 1 cycles:\n\t1 f (/a)\n\n[vdso] 5 1.3: 1 cycles:\n\t1 f (/a)\n\nGC Thread#0 6/6 1.4: 1 cycles:\n\t1 f (/a)\n\n\
         größe 8 1.5: 1 cycles:\n\t1 f (/a)\n\n",
        &expect![[r#"
            samples 6, cycles 6
            Web Content Some(12) 13 [1000000000]
            kworker/0:1-ev None 7 [1100000000]
            a 2 3 None 44 [1200000000]
            [vdso] None 5 [1300000000]
            GC Thread#0 Some(6) 6 [1400000000]
            größe None 8 [1500000000]
              f [6, 6]"#]],
    );
}

/// A thread that changes its name keeps its number and has the last name.
#[test]
fn a_thread_is_identified_by_its_number() {
    check(
        "perf-exec 9 1.0: 1 cycles:\n\t1 f (/a)\n\nprogram 9 1.1: 1 cycles:\n\t1 f (/a)\n\n",
        &expect![[r#"
            samples 2, cycles 2
            program None 9 [1000000000, 1100000000]
              f [2, 2]"#]],
    );
}

#[test]
fn names_with_parentheses_offsets_and_blanks() {
    check(
        "a 1 1.0: 1 cycles:\n\t1 operator()(int, char (*)[3])+0x1f (/a b/c (deleted))\n\t2 std::map<int, f(x)>::at+0xff (/a)\n\
         \t3 Lcom/x/Y;::run+0x0 (/tmp/perf-9.map)\n\t4 LazyCompile:~f /home/a b.js:1 (/tmp/perf-9.map)\n\n",
        &expect![[r#"
            samples 1, cycles 1
            a None 1 [1000000000]
              LazyCompile:~f /home/a b.js:1;Lcom/x/Y;::run;std::map<int, f(x)>::at;operator()(int, char (*)[3]) [1, 1]"#]],
    );
}

#[test]
fn source_lines_between_the_frames() {
    let text = "a 1 1.0: 1 cycles:\n\t1 f+0x1 (/a)\n  f.c:12\n\t2 g (inlined)\n  ??:0\n\t2 main (/a)\n  main.c:3\n\n";
    check(
        text,
        &expect![[r#"
            samples 1, cycles 1
            a None 1 [1000000000]
              main;g*;f [1, 1]"#]],
    );
    let profile = read(text.as_bytes()).value;
    let frames = profile.stacks.frames(profile.parts[0].samples.stack[0]).map(|id| profile.frames.get(id));
    let places: Vec<_> = frames.map(|frame| (profile.file_name(frame.file), frame.line)).collect();
    assert_eq!(places, [(Some("f.c"), 12), (None, 0), (Some("main.c"), 3)]);
}

/// Frames before any sample, text in the middle, numbers that are too large: reported by line, and the rest is kept.
#[test]
fn damage_has_a_line() {
    let good = "a 1 1.0: 1 cycles:\n\t1 f (/a)\n\n";
    for (text, lost, kept) in [
        (format!("\t1 f (/a)\n\n{good}"), vec![1], 1),
        (format!("{good}nonsense\n\n{good}"), vec![4], 2),
        (format!("{good}a 1 1.0: 1 cycles:\n\t1 f (/a)\n\toops\n\t2 main (/a)\n"), vec![6], 2),
        (format!("{good}a 1 1.0: 1 cycles:\n\t11112222333344445555 f (/a)\n"), vec![5], 2),
        (format!("{good}a 99999999999999999999 1.0: 1 cycles:\n\n"), vec![4], 1),
    ] {
        let reading = read(text.as_bytes());
        let places: Vec<Place> = lost.into_iter().map(Place::Line).collect();
        assert_eq!((losses(&reading), samples(&reading.value)), (places, kept), "{text}");
    }
}

#[test]
fn times_that_some_samples_lack_are_left_out() {
    let reading = read(b"a 1 1.0: 1 cycles:\n\na 1 cycles:\n\nb 2 1.5: 1 cycles:\n\n");
    // No cost is missing.
    assert_eq!((losses(&reading), reading.diagnostics.len()), (vec![], 1));
    let times: Vec<usize> = reading.value.parts.iter().map(|part| part.samples.time.len()).collect();
    assert_eq!((times, samples(&reading.value)), (vec![0, 1], 3));
}

/// Addresses outside of any mapping are no callers; the innermost frame, of which the cost is, stays.
#[test]
fn callers_outside_of_any_mapping_are_none() {
    let bad = "\t2d33 [unknown] ([unknown])\n";
    let sample = |frames: &str| format!("a 1 1.0: 10 cycles:\n{frames}\n");
    let text = [
        sample(&format!("\t1 hash (/a)\n{bad}{bad}")),
        sample(&format!("{bad}\t2 main (/a)\n")),
        sample("\t1 hash (/a)\n\t2 main (/a)\n"),
        sample(
            "\tffffffff81000000 [unknown] ([kernel.kallsyms])\n\tffffffffc0000000 [unknown] ([unknown])\n",
        ),
    ];
    let reading = read(text.concat().as_bytes());
    assert_eq!(samples(&reading.value), 4, "no sample is lost");
    let found: Vec<String> = stacks(&reading.value).into_iter().map(|(stack, _)| stack).collect();
    let expected =
        [&format!("{LOST};hash"), "[unknown];[unknown]", "main;[unknown]", "main;hash"].map(str::to_owned);
    for stack in expected {
        assert!(found.contains(&stack), "{stack} in {found:?}");
    }
    let said = |header: &str| {
        let reading = read(format!("{header}{}", text.concat()).as_bytes());
        assert!(reading.complete());
        let notes: Vec<String> = reading.diagnostics.into_iter().map(|it| it.message).collect();
        assert_eq!(notes.len(), 1, "{notes:?}");
        notes.concat()
    };
    let ends = "1 of 3 stacks end at an address outside of any mapping: the caller is not known there";
    for (header, part) in [
        ("", "the text does not say it"),
        ("# cmdline : perf record -g ./a\n", "3 of 3 stacks contain code that may have no frame"),
        ("# cmdline : perf record --call-graph dwarf ./a\n", ends),
    ] {
        let note = said(header);
        assert!(note.contains(part) && note.contains(ends), "{note}");
    }
}
