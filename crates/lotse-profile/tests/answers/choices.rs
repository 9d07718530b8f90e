//! Options of queries: order, parts, filters, format, threads, and what a conversion keeps.

use lotse_formats::write::WRITERS;
use lotse_host::Threads;
use lotse_model::bytes::Memory;
use lotse_model::profile::{Builder, EventType, Part};
use lotse_model::{NoProgress, Profile, Progress, work};
use lotse_profile::analysis::{Analysis, CycleMode, PartChoice};
use lotse_profile::convert::prepare;
use lotse_profile::events::EventTypes;
use lotse_profile::filter::{Filter, Pattern};
use lotse_profile::open::{Request, open};
use lotse_profile::top::{TopOrder, TopQuery, ranked};

use crate::input::{CALLGRIND, COLLAPSED, columns, with};

/// A profile of functions with self costs and numbers of calls; all are called by `main`.
fn profile(functions: &[(&str, u64, u64)]) -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("Ir")];
    let main = builder.bare_function("main");
    let mut part = Part::new("1", 1, false);
    for (name, cost, count) in functions {
        let function = builder.bare_function(name);
        part.own.function.push(function);
        part.own.costs.push(&[*cost]);
        part.calls.caller.push(main);
        part.calls.callee.push(function);
        part.calls.count.push(*count);
        part.calls.costs.push(&[*cost]);
    }
    builder.profile.parts = vec![part];
    builder.finish()
}

fn order(profile: &Profile, order: TopOrder, limit: Option<usize>, filter: &Filter) -> Vec<String> {
    let columns = columns(profile);
    let summary = Analysis::of_default_parts(profile, CycleMode::Folded).summary();
    let query = TopQuery { columns: &columns, order, limit, filter };
    ranked(profile, &summary, &query).into_iter().map(|id| profile.function_name(id).to_owned()).collect()
}

#[test]
fn costs_that_differ_by_one_are_distinguished_where_floating_point_cannot() {
    let big = 1 << 60;
    let profile = profile(&[("b", big + 1, 1), ("a", big, 1), ("c", big + 2, 1), ("d", big - 1, 1)]);
    assert_eq!((big as f64) as u64, ((big + 2) as f64) as u64);
    let all = Filter::default();
    assert_eq!(order(&profile, TopOrder::Own, None, &all), ["c", "b", "a", "d", "main"]);
    for limit in 1..=4 {
        let found = order(&profile, TopOrder::Own, Some(limit), &all);
        assert_eq!(found, ["c", "b", "a", "d"][..limit], "{limit}");
    }
}

#[test]
fn equals_come_by_name() {
    let profile = profile(&[("z", 5, 2), ("a", 5, 9), ("m", 5, 9), ("x", 7, 1)]);
    let all = Filter::default();
    assert_eq!(order(&profile, TopOrder::Own, None, &all), ["x", "a", "m", "z", "main"]);
    assert_eq!(order(&profile, TopOrder::Calls, None, &all), ["a", "m", "z", "x", "main"]);
    assert_eq!(order(&profile, TopOrder::Name, None, &all), ["a", "m", "main", "x", "z"]);
    assert_eq!(order(&profile, TopOrder::Inclusive, Some(2), &all), ["main", "x"]);
    assert_eq!(order(&profile, TopOrder::Own, Some(2), &all), ["x", "a"]);
    assert_eq!(order(&profile, TopOrder::Own, Some(0), &all).len(), 5);
}

#[test]
fn a_ratio_without_value_comes_last() {
    let mut profile = profile(&[("none", 0, 0), ("some", 6, 3), ("much", 9, 1)]);
    profile.parts[0].calls.count[0] = 0;
    let types = EventTypes::new(&profile, &[]).unwrap();
    let columns = types.choose(&["Ir / calls".to_owned()]).unwrap();
    let summary = Analysis::of_default_parts(&profile, CycleMode::Folded).summary();
    let all = Filter::default();
    let query = TopQuery { columns: &columns, order: TopOrder::Own, limit: None, filter: &all };
    let found: Vec<&str> =
        ranked(&profile, &summary, &query).into_iter().map(|id| profile.function_name(id)).collect();
    assert_eq!(found[..2], ["much", "some"]);
}

#[test]
fn a_filter_comes_before_the_limit() {
    let profile = profile(&[("app_a", 9, 1), ("lib_b", 5, 1), ("lib_c", 7, 1)]);
    let filter = Filter { name: Some(Pattern::parse("/^lib/").unwrap()), ..Filter::default() };
    assert_eq!(order(&profile, TopOrder::Own, Some(1), &filter), ["lib_c"]);
    assert_eq!(order(&profile, TopOrder::Own, None, &filter), ["lib_c", "lib_b"]);
    let nothing = Filter { object: Some(Pattern::parse("libc").unwrap()), ..Filter::default() };
    assert_eq!(order(&profile, TopOrder::Own, None, &nothing), [""; 0]);
}

#[test]
fn objects_and_files_are_filtered_by_their_paths() {
    with(CALLGRIND, |opened, _, _| {
        let pattern = |text: &str| Some(Pattern::parse(text).unwrap());
        let libc = Filter { object: pattern("libc"), ..Filter::default() };
        assert_eq!(order(&opened.profile, TopOrder::Own, None, &libc), ["qsort"]);
        let file = Filter { file: pattern("/main\\.c$/"), class: pattern("app"), ..Filter::default() };
        assert_eq!(order(&opened.profile, TopOrder::Own, None, &file), ["_ZN3app7compareEii"]);
    });
}

/// Two threads, and a part that does not count by default.
fn parted() -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("Ir")];
    let main = builder.bare_function("main");
    for (name, cost) in [("thread 1", 1), ("thread 2", 20), ("peak", 300)] {
        let mut part = Part::new(name, 1, false);
        part.own.function.push(main);
        part.own.costs.push(&[cost]);
        part.selected = name != "peak";
        builder.profile.parts.push(part);
    }
    builder.finish()
}

#[test]
fn parts_are_chosen_in_every_way() {
    let profile = parted();
    let named = |names: &[&str]| PartChoice::Named(names.iter().map(|name| (*name).to_owned()).collect());
    let total = |choice: &PartChoice| {
        Analysis::new(&profile, choice, CycleMode::Folded)
            .map(|it| it.totals[0])
            .map_err(|error| error.to_string())
    };
    for (choice, expected) in [
        (PartChoice::Default, 21),
        (PartChoice::All, 321),
        (named(&["3"]), 300),
        (named(&["1-2"]), 21),
        (named(&["2-9"]), 320),
        (named(&["peak", "thread 1"]), 301),
        (named(&["2", "2", "1-2"]), 21),
        (named(&[]), 0),
    ] {
        assert_eq!(total(&choice), Ok(expected), "{choice:?}");
    }
    for wrong in ["0", "4", "3-2", "thread", "-1", "", "1-", "99999999999999999999"] {
        let error = format!(
            "there is no part {wrong:?}; there are 3, numbered from 1 (lotse profile parts lists them)"
        );
        assert_eq!(total(&named(&[wrong])), Err(error));
    }
}

/// Total and self cost by name after a conversion.
fn converted(text: &str, to: &str, choice: &PartChoice, first: Option<usize>) -> Vec<(String, i128)> {
    let source = Memory { name: "x", bytes: text.as_bytes() };
    let opened = open(&source, &Request::default(), &mut NoProgress).unwrap();
    let analysis = Analysis::new(&opened.profile, choice, CycleMode::Folded).unwrap();
    let writer = WRITERS.iter().find(|writer| writer.id == to).unwrap();
    let prepared = prepare(&opened, &analysis, writer, first).unwrap();
    prepared.profile.check().unwrap();
    let mut bytes = Vec::new();
    (writer.write)(&prepared.profile, &mut bytes).unwrap();
    let source = Memory { name: "y", bytes: &bytes };
    let again = open(&source, &Request { format: Some(to), index: None }, &mut NoProgress).unwrap();
    let analysis = Analysis::of_default_parts(&again.profile, CycleMode::Folded);
    let row = |id: lotse_model::id::FunctionId| {
        (again.profile.function_name(id).to_owned(), analysis.own.value(id.index(), 0))
    };
    let mut rows: Vec<(String, i128)> = analysis.active().map(row).collect();
    rows.sort();
    rows
}

const SELF_COSTS: [(&str, i128); 4] =
    [("_ZN3app7compareEii", 5000), ("clean", 1000), ("main", 1000), ("qsort", 3000)];

#[test]
fn self_costs_survive_every_conversion() {
    let all = |rows: &[(&str, i128)]| -> Vec<(String, i128)> {
        rows.iter().map(|(name, cost)| ((*name).to_owned(), *cost)).collect()
    };
    for to in ["callgrind", "speedscope"] {
        assert_eq!(converted(CALLGRIND, to, &PartChoice::Default, None), all(&SELF_COSTS), "{to}");
    }
    // pprof would drop the arguments of a mangled name, and collapsed stacks have no files, so readable unique names are
    // written.
    let readable = [("app::compare(int, int)", 5000), ("clean", 1000), ("main", 1000), ("qsort", 3000)];
    for to in ["pprof", "collapsed"] {
        assert_eq!(converted(CALLGRIND, to, &PartChoice::Default, None), all(&readable), "{to}");
    }
    for to in ["callgrind", "speedscope", "pprof"] {
        let found = converted(COLLAPSED, to, &PartChoice::All, None);
        let costly: Vec<_> = found.into_iter().filter(|(_, cost)| *cost > 0).collect();
        assert_eq!(costly, all(&[("even", 4), ("idle", 2), ("leaf", 3), ("main", 1)]), "{to}");
    }
}

#[test]
fn an_event_type_that_is_not_there_changes_nothing() {
    let first = converted(CALLGRIND, "callgrind", &PartChoice::Default, Some(0));
    assert_eq!(converted(CALLGRIND, "callgrind", &PartChoice::Default, Some(9)), first);
    let second = converted(CALLGRIND, "callgrind", &PartChoice::Default, Some(1));
    assert_eq!(second.iter().map(|(_, cost)| cost).sum::<i128>(), 60);
}

#[test]
fn bringing_an_event_type_first_keeps_what_the_file_states() {
    with(CALLGRIND, |opened, analysis, _| {
        let before = &opened.profile.parts[0];
        let writer = WRITERS.iter().find(|writer| writer.id == "callgrind").unwrap();
        let prepared = prepare(opened, analysis, writer, Some(1)).unwrap();
        let names: Vec<&str> = prepared.profile.events.iter().map(|event| event.name.as_str()).collect();
        assert_eq!(names, ["Dw", "Ir"]);
        for (old, new) in before.stated.iter().zip(&prepared.profile.parts[0].stated) {
            assert_eq!((old.costs[0], old.costs[1]), (new.costs[1], new.costs[0]));
        }
        let own = &prepared.profile.parts[0].own.costs;
        assert_eq!((own.total(0), own.total(1)), (60, 10_000));
    });
}

#[test]
fn a_given_format_is_used_and_an_unknown_one_refused() {
    let source = Memory { name: "x", bytes: COLLAPSED.as_bytes() };
    let format_of = |format| {
        let request = Request { format: Some(format), index: None };
        open(&source, &request, &mut NoProgress).map(|opened| opened.format)
    };
    assert_eq!(format_of("collapsed").unwrap(), "collapsed");
    assert!(format_of("no-such-format").is_err());
    let nothing = Memory { name: "empty", bytes: b"" };
    assert!(open(&nothing, &Request::default(), &mut NoProgress).is_err());
}

/// Records the greatest number of steps done, and whether the end was reported.
#[derive(Default)]
struct Steps(u64, bool);

impl Progress for Steps {
    fn begin(&mut self, _: &str, total: Option<u64>) {
        assert_eq!(total, Some(64));
    }
    fn advance(&mut self, done: u64, _: &str) {
        self.0 = self.0.max(done);
    }
    fn end(&mut self) {
        self.1 = true;
    }
}

#[test]
fn a_panic_in_one_job_is_not_lost_and_progress_ends_at_the_total() {
    let mut steps = Steps::default();
    let sums = work::map(&Threads::new("summing", &mut steps), 64, |job| (0..job).sum::<usize>());
    assert_eq!((sums.len(), sums[63]), (64, 63 * 62 / 2));
    assert_eq!((steps.0, steps.1), (64, true));
    let failed = std::panic::catch_unwind(|| {
        let mut silent = NoProgress;
        work::map(&Threads::new("failing", &mut silent), 4, |job| assert!(job != 2, "job {job}"))
    });
    assert!(failed.is_err());
}
