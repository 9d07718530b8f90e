//! Random stack profiles, written and read back: the same totals, stacks and self costs.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use lotse_formats::write::WRITERS;
use lotse_formats::{Reading, Weight, read_profile};
use lotse_model::bytes::Memory;
use lotse_model::id::{FrameId, FunctionId, StackId};
use lotse_model::profile::{Builder, EventType, Frame, Part};
use lotse_model::work::Sequential;
use lotse_model::{Profile, Unit};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::sample::Index;

/// A frame of a generated stack: function, line, and whether it is inlined where that is possible.
type Step = (Index, u32, bool);

/// A thread: its name, number, and samples of a stack and a cost per event.
type Thread = (String, Option<u32>, Vec<(Index, Vec<i64>)>);

/// Names of functions: plain ones, and ones with blanks, brackets and letters of all kinds, but no number at the end.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{1,6}",
        "[A-Za-z]{1,4}::[a-z]{1,4}(<[a-z, ]{0,5}>)?\\([a-z&*]{0,4}\\)",
        "operator (new|delete|\\(\\)|<<)",
        "[äöüßλ中\"'\\\\/{}]{1,5}",
        "\\[(unknown|kernel\\.kallsyms)\\]",
    ]
}

/// Event types with units that every format has.
fn events() -> impl Strategy<Value = Vec<EventType>> {
    let all = [
        EventType::count("samples"),
        EventType::new("time", Unit::Seconds, -9),
        EventType::new("cpu", Unit::Seconds, -6),
        EventType::new("moved", Unit::Bytes, 0),
        EventType::count("cycles:u"),
    ];
    proptest::sample::subsequence(all.to_vec(), 1..=5)
}

/// Costs, rarely very large ones; negative ones only where the profile is a difference.
fn cost(signed: bool) -> impl Strategy<Value = i64> {
    let low = if signed { -1000 } else { 0 };
    prop_oneof![8 => low..1000_i64, 1 => low * 1_000_000_000_000..1_000_000_000_000_000]
}

fn threads(signed: bool) -> impl Strategy<Value = Vec<Thread>> {
    let samples = vec((any::<Index>(), vec(cost(signed), 5)), 0..12);
    vec(("[a-z]{1,5}( [a-z]{1,3})?", option::of(1..99_u32), samples), 1..4)
}

/// A profile of stacks that share their outer frames.
fn profiles() -> impl Strategy<Value = Profile> {
    let functions = vec((name(), 0..3_usize, 0..3_usize), 1..7);
    let stacks = vec(vec((any::<Index>(), 0..50_u32, any::<bool>()), 0..7), 1..9);
    (functions, stacks, events(), any::<bool>()).prop_flat_map(|(functions, stacks, events, signed)| {
        threads(signed).prop_map(move |threads| {
            let mut builder = Builder::new();
            let ids = declare(&functions, &mut builder);
            let stacks: Vec<_> = stacks.iter().map(|steps| stack(steps, &ids, &mut builder)).collect();
            builder.profile.events = events.clone();
            builder.profile.signed = signed;
            builder.profile.parts =
                threads.iter().map(|thread| part(thread, &stacks, events.len(), signed)).collect();
            builder.finish()
        })
    })
}

fn declare(functions: &[(String, usize, usize)], builder: &mut Builder) -> Vec<FunctionId> {
    let objects = ["", "/bin/a", "/lib/b b.so"].map(|path| builder.object(path));
    let files = ["", "a.c", "dir/größe.rs"].map(|path| builder.file(path));
    functions
        .iter()
        .map(|(name, object, file)| builder.function(name, objects[*object], files[*file]))
        .collect()
}

/// A frame can only be inlined into one of the same object; an outermost one is never inlined.
fn stack(steps: &[Step], functions: &[FunctionId], builder: &mut Builder) -> Option<StackId> {
    let mut below: Option<(StackId, FunctionId)> = None;
    for (function, line, inlined) in steps {
        let function = *function.get(functions);
        let object = |id: FunctionId| builder.profile.functions.object[id.index()];
        let inlined = *inlined && below.is_some_and(|(_, holder)| object(holder) == object(function));
        let file = builder.profile.functions.file[function.index()];
        let frame = builder.frame(Frame { function, file, line: *line, address: 0, inlined });
        below = Some((builder.stack(below.map(|(stack, _)| stack), frame), function));
    }
    below.map(|(stack, _)| stack)
}

fn part((name, thread, samples): &Thread, stacks: &[Option<StackId>], width: usize, signed: bool) -> Part {
    let mut part = Part::new(name, width, signed);
    part.thread = thread.map(u64::from);
    for (stack, costs) in samples {
        part.samples.stack.push(*stack.get(stacks));
        let costs: Vec<u64> = costs[..width].iter().map(|&cost| cost as u64).collect();
        part.samples.costs.push(&costs);
    }
    part
}

/// How a format shows a frame.
type Show = fn(&Profile, FrameId) -> String;

fn by_name(profile: &Profile, frame: FrameId) -> String {
    profile.function_name(profile.frames.get(frame).function).to_owned()
}

fn by_file(profile: &Profile, frame: FrameId) -> String {
    let function = profile.frames.get(frame).function;
    format!("{} in {:?}", profile.function_name(function), profile.function_file(function))
}

fn by_place(profile: &Profile, frame: FrameId) -> String {
    let Frame { function, line, inlined, .. } = profile.frames.get(frame);
    let object = profile.function_object(function);
    format!("{} of {object:?} at {line}, inlined {inlined}", by_file(profile, frame))
}

/// The cost of each stack, the innermost frame first; costs of 0 are left out.
fn costs(profile: &Profile, event: usize, show: Show) -> BTreeMap<Vec<String>, i128> {
    let mut sums = BTreeMap::new();
    for part in &profile.parts {
        for (row, &stack) in part.samples.stack.iter().enumerate() {
            let frames = profile.stacks.frames(stack).map(|frame| show(profile, frame)).collect();
            *sums.entry(frames).or_insert(0) += part.samples.costs.value(row, event);
        }
    }
    sums.retain(|_, cost| *cost != 0);
    sums
}

/// The cost of each innermost frame.
fn own(stacks: &BTreeMap<Vec<String>, i128>) -> BTreeMap<Option<&String>, i128> {
    let mut sums = BTreeMap::new();
    for (stack, cost) in stacks {
        *sums.entry(stack.first()).or_insert(0) += cost;
    }
    sums.retain(|_, cost| *cost != 0);
    sums
}

/// Writes and reads back; nothing that is written may be lost in reading.
fn written_and_read(profile: &Profile, format: &str) -> Reading<Profile> {
    profile.check().unwrap();
    let writer = WRITERS.iter().find(|writer| writer.id == format).unwrap();
    let mut bytes = Vec::new();
    (writer.write)(profile, &mut bytes).unwrap();
    let reading = read_profile(&Memory { name: "-", bytes: &bytes }, Some(format), &Sequential).unwrap();
    reading.value.check().unwrap();
    let lost: Vec<_> = reading.diagnostics.iter().filter(|it| it.weight == Weight::Loss).collect();
    assert!(lost.is_empty(), "{lost:?} in {}", String::from_utf8_lossy(&bytes));
    reading
}

/// Stacks, self costs and totals of an event type are the same in both.
fn same(first: (&Profile, usize), second: (&Profile, usize), show: Show) {
    let (first, second) = (costs(first.0, first.1, show), costs(second.0, second.1, show));
    assert_eq!(second, first);
    assert_eq!(own(&second), own(&first));
    assert_eq!(second.values().sum::<i128>(), first.values().sum());
}

/// Names and numbers of the threads that have samples.
fn thread_names(profile: &Profile) -> Vec<(String, Option<u64>)> {
    let parts = profile.parts.iter().filter(|part| !part.samples.is_empty());
    let mut thread_names: Vec<_> = parts.map(|part| (part.name.clone(), part.thread)).collect();
    thread_names.sort();
    thread_names.dedup();
    thread_names
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn pprof_keeps_all_but_times(profile in profiles()) {
        let read = written_and_read(&profile, "pprof").value;
        assert_eq!(read.events, profile.events);
        for event in 0..profile.events.len() {
            same((&profile, event), (&read, event), by_place);
        }
        assert_eq!(thread_names(&read).len(), thread_names(&profile).len());
        if thread_names(&profile).len() > 1 {
            assert_eq!(thread_names(&read), thread_names(&profile));
        }
        let third = written_and_read(&read, "pprof").value;
        assert_eq!(third.functions.len(), read.functions.len(), "writing again changes nothing");
        assert_eq!(third.stacks.len(), read.stacks.len());
    }

    #[test]
    fn speedscope_keeps_names_files_and_every_event(profile in profiles()) {
        if !profile.has_stacks() {
            return Ok(());
        }
        let read = written_and_read(&profile, "speedscope").value;
        for (event, kind) in profile.events.iter().enumerate() {
            match read.events.iter().position(|it| it == kind) {
                Some(column) => same((&profile, event), (&read, column), by_file),
                None => assert_eq!(costs(&profile, event, by_file), BTreeMap::new(), "{kind:?} is missing"),
            }
        }
    }

    #[test]
    fn collapsed_keeps_names_and_the_first_event(profile in profiles()) {
        if !profile.has_stacks() {
            return Ok(());
        }
        let read = written_and_read(&profile, "collapsed").value;
        let named = |stack: Vec<String>| if stack.is_empty() { vec!["[unknown]".to_owned()] } else { stack };
        let mut first = BTreeMap::new();
        for (stack, cost) in costs(&profile, 0, by_name) {
            *first.entry(named(stack)).or_insert(0) += cost;
        }
        first.retain(|_, cost| *cost != 0);
        let second = costs(&read, 0, by_name);
        assert_eq!(second, first);
        assert_eq!(own(&second), own(&first));
    }

    /// Converts from one format to the next and back, and compares what all of them can hold.
    #[test]
    fn formats_in_a_row(profile in profiles()) {
        if !profile.has_stacks() || costs(&profile, 0, by_name).is_empty() {
            return Ok(());
        }
        let pprof = written_and_read(&profile, "pprof").value;
        let speedscope = written_and_read(&pprof, "speedscope").value;
        let column = speedscope.events.iter().position(|it| *it == profile.events[0]).unwrap();
        same((&profile, 0), (&speedscope, column), by_name);
        let back = written_and_read(&speedscope, "pprof").value;
        same((&speedscope, column), (&back, column), by_file);
    }
}

/// Of a profile whose parts are not all selected, formats for a single profile contain the selected parts.
#[test]
fn parts_that_are_not_selected_are_not_written() {
    let mut builder = Builder::new();
    let function = builder.bare_function("f");
    let frame = builder.bare_frame(function);
    let stack = builder.stack(None, frame);
    builder.profile.events = vec![EventType::count("samples")];
    for (name, selected) in [("one", true), ("two", false)] {
        let mut part = Part::new(name, 1, false);
        part.selected = selected;
        part.samples.stack.push(Some(stack));
        part.samples.costs.push(&[7]);
        builder.profile.parts.push(part);
    }
    let profile = builder.finish();
    for format in ["pprof", "collapsed"] {
        let read = written_and_read(&profile, format).value;
        assert_eq!(costs(&read, 0, by_name), BTreeMap::from([(vec!["f".to_owned()], 7)]), "{format}");
    }
}

/// Costs at the limits of 64 bits: exact where the format can hold them, reported where it cannot.
#[test]
fn the_largest_costs() {
    let profile = |cost: u64, signed: bool| {
        let mut builder = Builder::new();
        let function = builder.bare_function("f");
        let frame = builder.bare_frame(function);
        let stack = builder.stack(None, frame);
        builder.profile.events = vec![EventType::count("samples")];
        builder.profile.signed = signed;
        let mut part = Part::new("one", 1, signed);
        part.samples.stack.push(Some(stack));
        part.samples.costs.push(&[cost]);
        builder.profile.parts.push(part);
        builder.finish()
    };
    for (cost, signed) in [(u64::MAX, false), (1 << 63, false), (i64::MAX as u64, true), (1 << 63, true)] {
        let profile = profile(cost, signed);
        for format in ["collapsed", "speedscope"] {
            same((&profile, 0), (&written_and_read(&profile, format).value, 0), by_name);
        }
        let mut bytes = Vec::new();
        let writer = WRITERS.iter().find(|writer| writer.id == "pprof").unwrap();
        let left_out = (writer.write)(&profile, &mut bytes).unwrap();
        let fits = i64::try_from(profile.value(cost)).is_ok();
        assert_eq!(left_out.len(), usize::from(!fits), "{cost} {left_out:?}");
        if fits {
            same((&profile, 0), (&written_and_read(&profile, "pprof").value, 0), by_name);
        }
    }
}
