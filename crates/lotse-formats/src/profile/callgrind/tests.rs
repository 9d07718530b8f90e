//! How bytes are split and by how many threads they are decoded does not change the profile; damage is reported with
//! its line.

use std::fmt::Write as _;

use lotse_model::bytes::{Memory, Source};
use lotse_model::profile::Details;
use lotse_model::work::Sequential;
use lotse_model::{Profile, Workers};
use proptest::prelude::*;

use super::{CallgrindInput, DIALECT, Reading, expand, read, read_in_chunks};
use crate::reading::Weight;

struct Threads(usize);

impl Workers for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn each(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for thread in 0..self.0 {
                scope.spawn(move || (thread..count).step_by(self.0).for_each(job));
            }
        });
    }
}

fn reading(text: &[u8]) -> Reading<Profile> {
    let reading = super::read(&Memory { name: "x", bytes: text }, &Sequential).unwrap();
    assert_eq!(reading.value.check(), Ok(()));
    adds_up(text, &reading.value);
    reading
}

/// The lines of a function are its self cost, its call sites are its calls.
fn adds_up(text: &[u8], profile: &Profile) {
    let Details::OnDemand(places) = &profile.details else { return };
    let source = Memory { name: "x", bytes: text };
    for function in profile.functions.ids() {
        let detail = expand(&source, profile, places, function).unwrap();
        for event in 0..profile.events.len() {
            let (mut own, mut calls) = (0, 0);
            for part in &profile.parts {
                let row = part.own.function.iter().position(|it| *it == function);
                own += row.map_or(0, |row| part.own.costs.value(row, event));
                let rows = (0..part.calls.len()).filter(|&row| part.calls.caller[row] == function);
                calls += rows.map(|row| part.calls.costs.value(row, event)).sum::<i128>();
            }
            same(detail.lines.costs.total(event), own, profile.function_name(function));
            same(detail.sites.costs.total(event), calls, profile.function_name(function));
        }
    }
}

/// Equal, unless the sum that was read stopped at the largest number.
fn same(exact: i128, read: i128, name: &str) {
    if read >= i128::from(u64::MAX) {
        assert!(exact >= read, "{name}: {exact} {read}");
    } else {
        assert_eq!(exact, read, "{name}");
    }
}

fn profile(text: &str) -> Profile {
    reading(text.as_bytes()).value
}

/// Self costs and calls as text.
fn as_text(profile: &Profile) -> String {
    let mut text = String::new();
    for part in &profile.parts {
        for (row, &function) in part.own.function.iter().enumerate() {
            let file = profile.function_file(function).unwrap_or("?");
            let object = profile.function_object(function).unwrap_or("?");
            let name = profile.function_name(function);
            writeln!(text, "{object}:{file}:{name} {:?}", part.own.costs.row(row)).unwrap();
        }
        for row in 0..part.calls.len() {
            let name = |it: &[_]| profile.function_name(it[row]).to_owned();
            let (from, to) = (name(&part.calls.caller), name(&part.calls.callee));
            writeln!(text, "{from} > {to} {} {:?}", part.calls.count[row], part.calls.costs.row(row))
                .unwrap();
        }
    }
    text
}

const SAMPLE: &str = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd: ./x\npart: 1\n\n\
positions: instr line\nevents: Ir Dr\nsummary: 100 1\n\nob=(1) a.out\nfl=(1) a.c\nfn=(1) main\n0x10 5 10 1\n\
cfn=(2) f\ncalls=2 0x40 20 \n* * 30\n+4 +1 5\nfi=(2) a.h\n+2 7 3\ncfi=(1)\ncfn=(2)\ncalls=1 0x40 20 \n* * 9 1\n\
fe=(1)\njcnd=3/4 +8 * \n* * \n+1 * 2\n\nfn=(2)\n+9 20 7\ncob=(2) lib.so\ncfi=(3) ???\ncfn=(3) g'2\n\
calls=1 0x99 0 \n* * 4\n\nob=(2)\nfl=(3)\nfn=(3)\n0x99 0 4\n\ntotals: 31 1\n\n\
part: 2\ndesc: Trigger: dump me\npositions: line\nevents: Dr New\n\nob=(1) a.out\nfl=(9) a.c\nfn=(7) f\n+1 2 3\n\
totals: 2 3\n";

#[test]
fn a_file_with_everything() {
    let reading = reading(SAMPLE.as_bytes());
    assert_eq!(reading.diagnostics, []);
    let profile = reading.value;
    assert_eq!(
        as_text(&profile),
        "a.out:a.c:main [20, 1, 0]\na.out:a.c:f [7, 0, 0]\nlib.so:?:g'2 [4, 0, 0]\nmain > f 3 [39, 1, 0]\n\
         f > g'2 1 [4, 0, 0]\na.out:a.c:f [0, 2, 3]\n"
    );
    let part = &profile.parts[1];
    assert_eq!((part.number, part.process, part.trigger.as_deref()), (Some(2), Some(1), Some("dump me")));
    let names: Vec<&str> = profile.parts[0].stated.iter().map(|stated| stated.name.as_str()).collect();
    assert_eq!(names, ["summary", "totals"]);
    assert_eq!(profile.command.as_deref(), Some("./x"));
}

#[test]
fn lines_sites_and_jumps_of_a_function() {
    let profile = profile(SAMPLE);
    let Details::OnDemand(places) = &profile.details else { panic!("on demand") };
    let main = profile.functions.ids().next().unwrap();
    let detail = expand(&Memory { name: "x", bytes: SAMPLE.as_bytes() }, &profile, places, main).unwrap();
    let at = |place: &lotse_model::profile::CodePosition| {
        format!("{}:{}@{:x}", profile.file_name(place.file).unwrap_or("?"), place.line, place.address)
    };
    let lines: Vec<String> = detail.lines.place.iter().map(at).collect();
    assert_eq!(lines, ["a.c:5@10", "a.c:6@14", "a.h:7@16", "a.c:7@17"]);
    let sites: Vec<String> = detail.sites.place.iter().map(at).collect();
    assert_eq!(sites, ["a.c:5@10", "a.h:7@16"]);
    assert_eq!(detail.sites.target.iter().map(at).collect::<Vec<_>>(), ["a.c:20@40", "a.c:20@40"]);
    assert_eq!((detail.jumps.taken[0], detail.jumps.executed[0], detail.jumps.conditional[0]), (3, 4, true));
    assert_eq!((at(&detail.jumps.from[0]), at(&detail.jumps.to[0])), ("a.c:7@16".into(), "a.c:7@1e".into()));
}

#[test]
fn any_split_and_any_number_of_threads_give_the_same() {
    let source = Memory { name: "x", bytes: SAMPLE.as_bytes() };
    let whole = read_in_chunks(&source, &Sequential, usize::MAX).unwrap();
    for size in 1..SAMPLE.len() {
        let threads = Threads(1 + size % 3);
        assert_eq!(read_in_chunks(&source, &threads, size).unwrap(), whole, "chunks of {size}");
    }
}

fn function_of(text: &str) -> String {
    let text = format!("version: 1\ncreator: c\nevents: A\n{text}");
    as_text(&profile(&text))
}

#[test]
fn a_callee_without_a_file_is_the_function_of_that_name() {
    let compressed =
        "fl=(1) a.c\nfn=(1) main\nfi=(2) a.h\n1 1\ncfn=(2) f\ncalls=1 1\n1 5\n\nfl=(3) f.c\nfn=(2)\n1 5\n";
    let plain = "fl=a.c\nfn=main\nfi=a.h\n1 1\ncfn=f\ncalls=1 1\n1 5\n\nfl=f.c\nfn=f\n1 5\n";
    let expected = "?:a.c:main [1]\n?:f.c:f [5]\nmain > f 1 [5]\n";
    assert_eq!(function_of(compressed), expected);
    assert_eq!(function_of(plain), expected);
    let earlier = "fl=f.c\nfn=f\n1 5\nfl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 1\n1 5\n";
    assert_eq!(function_of(earlier), "?:f.c:f [5]\n?:a.c:main [1]\nmain > f 1 [5]\n");
    let only_called = "fl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 1\n1 5\n";
    assert_eq!(function_of(only_called), "?:a.c:main [1]\nmain > f 1 [5]\n");
}

#[test]
fn objects_files_and_functions_are_numbered_separately_and_a_function_may_have_several_numbers() {
    let text =
        "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\nfn=(2) f\n1 2\nfl=(2) b.c\nfn=(3) f\n1 4\nfn=(1) f\n1 8\n";
    assert_eq!(function_of(text), "o:a.c:f [11]\no:b.c:f [4]\n");
}

#[test]
fn a_function_returns_to_the_file_of_the_last_fl() {
    let text = "fl=a.c\nfn=f\nfi=a.h\n1 1\nfn=g\n1 2\n";
    assert_eq!(function_of(text), "?:a.c:f [1]\n?:a.c:g [2]\n");
    let fi_sets_function_file = "fi=a.c\nfn=f\n1 1\nfi=b.c\nfn=g\n1 2\ncfn=h\ncfi=c.c\ncalls=1 1\n1 1\n";
    assert_eq!(function_of(fi_sets_function_file), "?:a.c:f [1]\n?:b.c:g [2]\ng > h 1 [1]\n");
}

#[test]
fn object_and_file_of_a_callee_hold_for_one_call() {
    let text = "ob=o\nfl=a.c\nfn=f\n1 1\ncob=p\ncfi=b.c\ncfn=g\ncalls=1 1\n1 1\ncfn=g\ncalls=1 1\n1 2\n\
                ob=p\nfl=b.c\nfn=g\n1 9\nob=o\nfl=a.c\nfn=g\n1 7\n";
    assert_eq!(function_of(text), "o:a.c:f [1]\np:b.c:g [9]\no:a.c:g [7]\nf > g 1 [1]\nf > g 1 [2]\n");
}

#[test]
fn line_ends_blanks_ranges_and_large_numbers() {
    let text = "version: 1\r\ncreator: c\r\nevents: A B\r\nfl=a.c\r\nfn=(1) f g\r\n1:3  5 6\r\n+2+4 1\t1 \r\n* 0x10 .\r\n\
                -3 18446744073709551615\r\nfn=(5000000000) h\r\n1 7\r\nfn=(5000000000)\r\n1 7\r\n";
    let reading = super::read(&Memory { name: "x", bytes: text.as_bytes() }, &Sequential).unwrap();
    assert_eq!(as_text(&reading.value), "?:a.c:f g [18446744073709551615, 7]\n?:a.c:h [14, 0]\n");
    let messages: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].starts_with("line 9: a number or a sum is larger"), "{messages:?}");
}

#[test]
fn long_lines_and_names_that_are_not_text() {
    let mut text = b"version: 1\ncreator: c\nevents: A\nfl=a\nfn=".to_vec();
    text.extend(std::iter::repeat_n(b'x', 100_000));
    text.extend_from_slice(b"\n1 1\nfn=a\xff\0b\n1 2\nfn={impl#0}::f<(A, B)>\n1 3\nfn=C:\\x y\n1 4\n");
    let profile = reading(&text).value;
    let names: Vec<&str> = profile.functions.ids().map(|it| profile.function_name(it)).collect();
    assert_eq!(names[0].len(), 100_000);
    assert_eq!(names[1..], ["a\\xff\0b", "{impl#0}::f<(A, B)>", "C:\\x y"]);
}

#[test]
fn damage_is_reported_with_its_line_and_the_rest_is_kept() {
    let text = "version: 1\ncreator: c\nevents: A\nfn=f\n1 1\nwhat is this\n1 2 3\ncalls=1 1\n1 100\ncfn=(9)\n\
                calls=1 1\n1 5\ncfn=g\ncalls=1 1\nfn=(3) a\n1 4\nfn=(3) b\n1 x\n+x 1\n1 2";
    let reading = super::read(&Memory { name: "x", bytes: text.as_bytes() }, &Sequential).unwrap();
    let messages: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    let places: Vec<&str> = messages.iter().map(|it| it.split(':').next().unwrap()).collect();
    assert_eq!(
        places,
        ["line 5", "line 6", "line 7", "line 8", "line 15", "line 17", "line 18", "line 19"],
        "{messages:#?}"
    );
    // The name of (9) is not known, but its costs are.
    let notes: Vec<String> = reading
        .diagnostics
        .iter()
        .filter(|it| it.weight == Weight::Note)
        .map(|it| it.place.to_string())
        .collect();
    assert_eq!(notes, ["line 5"], "{messages:#?}");
    assert_eq!(as_text(&reading.value), "?:?:f [3]\n?:?:a [6]\nf > (9) 1 [5]\nf > g 1 [0]\n");
}

#[test]
fn relative_costs_are_resolved_and_noted() {
    let text = "# callgrind format\nevents: A\nfl=a\nfn=f\n1 20\ncfn=g\ncalls=1 5\n* 400\ncfn=h\ncalls=3 2\n* *\nfn=g\n+3 -300\n";
    let reading = reading(text.as_bytes());
    assert_eq!(as_text(&reading.value), "?:a:f [20]\n?:a:g [100]\nf > g 1 [400]\nf > h 3 [400]\n");
    assert!(reading.complete() && reading.diagnostics.len() == 1, "{:?}", reading.diagnostics);
    let source = Memory { name: "x", bytes: text.as_bytes() };
    assert_eq!(read_in_chunks(&source, &Sequential, 1).unwrap(), reading);
}

#[test]
fn without_event_types_nothing_is_read() {
    let error = super::read(&Memory { name: "x", bytes: b"fn=a\n1 1\n" }, &Sequential).unwrap_err();
    assert!(error.to_string().contains("expected a line `events:`"), "{error}");
}

/// The dumps of a run; the first is the one that is read.
struct RunDumps(Vec<(&'static str, String)>);

impl Source for RunDumps {
    fn name(&self) -> &str {
        self.0[0].0
    }

    fn bytes(&self) -> &[u8] {
        self.0[0].1.as_bytes()
    }

    fn get(&self, name: &str) -> std::io::Result<Vec<u8>> {
        let found = self.0.iter().find(|it| it.0 == name);
        found.map(|it| it.1.clone().into_bytes()).ok_or(std::io::ErrorKind::NotFound.into())
    }

    fn siblings(&self) -> std::io::Result<Vec<String>> {
        Ok(self.0.iter().map(|it| it.0.to_owned()).collect())
    }
}

#[test]
fn siblings_are_parts_and_files_of_other_runs_are_not() {
    let dump = |pid, part, cost| {
        format!("# callgrind format\npid: {pid}\ncmd: x\npart: {part}\nevents: A\nfl=a\nfn=f\n1 {cost}\n")
    };
    let run = RunDumps(vec![
        ("out.7", dump(7, 3, 1)),
        ("out.7.2", dump(7, 2, 2)),
        ("out.7.1", dump(7, 1, 4)),
        ("out.7-02", String::new()),
        ("out.7.9", dump(8, 9, 8)),
        ("out.71", dump(7, 1, 16)),
        ("out.7.5", "no profile".to_owned()),
    ]);
    let reading = super::read(&run, &Threads(2)).unwrap();
    let profile = &reading.value;
    assert_eq!(as_text(profile), "?:a:f [4]\n?:a:f [2]\n?:a:f [1]\n");
    let sources: Vec<_> = profile.parts.iter().map(|part| part.source.as_deref().unwrap()).collect();
    assert_eq!(sources, ["out.7.1", "out.7.2", "out.7"]);
    assert!(reading.complete());
    assert_eq!(reading.diagnostics.len(), 2, "{:?}", reading.diagnostics);
    let Details::OnDemand(places) = &profile.details else { panic!("on demand") };
    let function = profile.functions.ids().next().unwrap();
    let detail = expand(&run, profile, places, function).unwrap();
    assert_eq!(detail.lines.costs.cells(), [4, 2, 1]);
}

fn line() -> impl Strategy<Value = String> {
    let number = prop_oneof![0..20_u64, 0..2_000_000_u64, Just(u64::MAX / 8)];
    let position = prop_oneof![
        (0..99).prop_map(|it| format!("{it}")),
        (0..9).prop_map(|it| format!("+{it}")),
        (0..9).prop_map(|it| format!("-{it}")),
        Just("*".to_owned()),
    ];
    let costs = proptest::collection::vec(number, 0..3);
    let cost = (position, costs)
        .prop_map(|(at, costs)| costs.iter().fold(at, |line, cost| format!("{line} {cost}")));
    let name = |key: &'static str| {
        (0..5_u32, any::<bool>()).prop_map(move |(id, plain)| {
            if plain { format!("{key}=n{id}") } else { format!("{key}=({id}) n{id}") }
        })
    };
    prop_oneof![
        6 => cost.clone(),
        2 => name("fn"),
        1 => name("fl"),
        1 => name("fi"),
        1 => name("ob"),
        1 => name("cfi"),
        1 => name("cob"),
        3 => (name("cfn"), 0..9_u32, cost).prop_map(|(cfn, count, cost)| format!("{cfn}\ncalls={count} 1\n{cost}")),
        1 => Just(String::new()),
        1 => "[a-z(=:0-9 +*-]{0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_lines_in_any_pieces(lines in proptest::collection::vec(line(), 0..60), size in 1..400_usize) {
        let text = format!("version: 1\ncreator: c\nevents: A B\nfl=x\nfn=y\n{}\n", lines.join("\n"));
        let source = Memory { name: "x", bytes: text.as_bytes() };
        let whole = read_in_chunks(&source, &Sequential, usize::MAX).unwrap();
        prop_assert_eq!(whole.value.check(), Ok(()));
        adds_up(text.as_bytes(), &whole.value);
        let input = CallgrindInput::alone(text.as_bytes());
        let (split, messages) = read::profile(&[input], "x", &DIALECT, &Threads(2), size).unwrap();
        prop_assert_eq!(&split, &whole.value);
        prop_assert_eq!(messages, whole.diagnostics);
    }
}
