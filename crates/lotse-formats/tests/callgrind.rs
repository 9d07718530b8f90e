//! Checks callgrind, cachegrind and xdebug files of other people against the results of independent tools, and the writer
//! against the reader and callgrind_annotate.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "tests read files and ask other tools"
)]

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

use lotse_formats::write::WRITERS;
use lotse_formats::{claims, detail, read_profile};
use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

fn fixtures() -> Option<PathBuf> {
    test_support::shared("fixtures/profile")
}

fn each_fixture(check: impl Fn(&str, &[u8], &serde_json::Value)) {
    let Some(root) = fixtures() else { return };
    let facts = std::fs::read(root.join("BINDING.json")).unwrap();
    let facts: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&facts).unwrap();
    for (name, facts) in &facts {
        if name.starts_with("callgrind/") || name.starts_with("cachegrind/") {
            check(name, &std::fs::read(root.join(name)).unwrap(), facts);
        }
    }
}

fn read(name: &str, bytes: &[u8]) -> Profile {
    let reading = read_profile(&Memory { name, bytes }, None, &Sequential).unwrap();
    assert!(reading.complete(), "{name}: {:?}", reading.diagnostics);
    assert_eq!(reading.value.check(), Ok(()), "{name}");
    reading.value
}

fn total(profile: &Profile, event: usize) -> i128 {
    profile.parts.iter().map(|part| part.own.costs.total(event)).sum()
}

fn own_by_name(profile: &Profile) -> HashMap<&str, i128> {
    let mut sums = HashMap::new();
    for part in &profile.parts {
        for (row, &function) in part.own.function.iter().enumerate() {
            *sums.entry(profile.function_name(function)).or_default() += part.own.costs.value(row, 0);
        }
    }
    sums
}

/// The facts about these files take the line after `calls=0` as self cost; the conformance test of `lotse` shows why
/// that is wrong.
const DISPUTED: &str = "callgrind/pprof__pprof.cpu";

#[test]
fn totals_and_expensive_functions_are_those_of_other_tools() {
    each_fixture(|name, bytes, facts| {
        let profile = read(name, bytes);
        if name.starts_with(DISPUTED) {
            assert_eq!(total(&profile, 0), 1120, "{name}");
            return;
        }
        let events: Vec<(&String, &serde_json::Value)> =
            facts["events"].as_object().into_iter().flatten().collect();
        for (event, expected) in events {
            let column = profile.events.iter().position(|it| it.name == **event).unwrap();
            assert_eq!(total(&profile, column), i128::from(expected.as_u64().unwrap()), "{name}: {event}");
        }
        let own = own_by_name(&profile);
        for fact in facts["top_self"].as_array().into_iter().flatten() {
            let function = fact["function"].as_str().unwrap();
            let least = i128::from(fact["self_at_least"].as_u64().unwrap());
            assert!(own.get(function).is_some_and(|&cost| cost >= least), "{name}: {function} {least}");
        }
    });
}

#[test]
fn the_format_is_recognised_by_content_alone() {
    each_fixture(|name, bytes, _| {
        let claims = claims(&Memory { name: "-", bytes });
        let expected = match name.split_once('/') {
            Some((_, file)) if file.contains("multiple-event-types") => "xdebug",
            Some((format, _)) => format,
            None => panic!("{name}"),
        };
        assert_eq!(claims[0].0.id, expected, "{name}");
        assert!(claims.len() < 2 || claims[0].1 > claims[1].1, "{name}: {claims:?}");
    });
}

#[test]
fn lines_and_sites_add_up() {
    each_fixture(|name, bytes, _| {
        if name.contains("subposition") {
            return;
        }
        let profile = read(name, bytes);
        let source = Memory { name, bytes };
        let own = &profile.parts[0].own;
        for (row, &function) in own.function.iter().enumerate() {
            let detail = detail(&source, &profile, function).unwrap();
            for event in 0..profile.events.len() {
                assert_eq!(detail.lines.costs.total(event), own.costs.value(row, event), "{name}");
            }
        }
    });
}

/// Ways to write the same run: as few bytes as possible, or everything spelled out.
const SPELLINGS: [&[&str]; 4] = [
    &[],
    &["--compress-strings=no"],
    &["--compress-pos=no"],
    &["--compress-strings=no", "--compress-pos=no"],
];

/// Runs `true` under valgrind; `None` where that is not installed.
fn recorded(options: &[&str], directory: &Path) -> Option<Vec<u8>> {
    let out = directory.join("out");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--dump-instr=yes", "--collect-jumps=yes"]).args(options);
    valgrind.arg(format!("--callgrind-out-file={}", out.display())).arg("/bin/true");
    let ran = valgrind.output().ok()?;
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(std::fs::read(out).unwrap())
}

#[test]
fn all_ways_to_write_a_run_give_the_same_profile() {
    let directory = std::env::temp_dir().join(format!("lotse-spellings-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    for parts in [&[][..], &["--combine-dumps=yes", "--dump-every-bb=10000"]] {
        let mut first: Option<BTreeMap<String, Vec<u64>>> = None;
        for spelling in SPELLINGS {
            let Some(bytes) = recorded(&[parts, spelling].concat(), &directory) else {
                test_support::skip_missing("valgrind not found");
                return;
            };
            let profile = read("out", &bytes);
            assert_eq!(profile.parts.len() > 1, !parts.is_empty());
            for part in &profile.parts {
                let totals = part.stated.iter().find(|stated| stated.name == "totals").unwrap();
                assert_eq!(part.own.costs.total(0), i128::from(totals.costs[0]));
            }
            let sums = sums(&profile);
            assert_eq!(*first.get_or_insert_with(|| sums.clone()), sums, "{spelling:?}");
        }
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

fn written(profile: &Profile) -> Vec<u8> {
    let writer = WRITERS.iter().find(|writer| writer.id == "callgrind").unwrap();
    let mut bytes = Vec::new();
    (writer.write)(profile, &mut bytes).unwrap();
    bytes
}

/// Self costs and calls by name.
fn sums(profile: &Profile) -> BTreeMap<String, Vec<u64>> {
    let name = |function| {
        let (file, object) = (profile.function_file(function), profile.function_object(function));
        format!("{}|{file:?}|{object:?}", profile.function_name(function))
    };
    let mut sums = BTreeMap::new();
    for (number, part) in profile.parts.iter().enumerate() {
        for (row, &function) in part.own.function.iter().enumerate() {
            if part.own.costs.row(row).iter().any(|&cost| cost > 0) {
                sums.insert(format!("{number} {}", name(function)), part.own.costs.row(row).to_vec());
            }
        }
        for row in 0..part.calls.len() {
            let pair =
                format!("{number} {} > {}", name(part.calls.caller[row]), name(part.calls.callee[row]));
            let mut values = vec![part.calls.count[row]];
            values.extend(part.calls.costs.row(row));
            sums.insert(pair, values);
        }
    }
    sums
}

#[test]
fn what_is_written_is_read_back() {
    each_fixture(|name, bytes, _| {
        let profile = read(name, bytes);
        let again = written(&profile);
        let again = read("again", &again);
        assert_eq!(sums(&again), sums(&profile), "{name}");
    });
}

#[test]
fn callgrind_annotate_reads_what_is_written() {
    if Command::new("callgrind_annotate").arg("--version").output().is_err() {
        test_support::skip_missing("callgrind_annotate not found");
        return;
    }
    let directory = std::env::temp_dir().join(format!("lotse-callgrind-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    each_fixture(|name, bytes, _| {
        let profile = read(name, bytes);
        if total(&profile, 0) == 0 {
            return;
        }
        let path = directory.join("written.callgrind");
        std::fs::write(&path, written(&profile)).unwrap();
        let output = Command::new("callgrind_annotate").arg(&path).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).replace(',', "");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let line = text.lines().find(|line| line.contains("PROGRAM TOTALS")).unwrap();
        let first = line.split_whitespace().next().unwrap();
        assert_eq!(first, total(&profile, 0).to_string(), "{name}");
    });
    std::fs::remove_dir_all(&directory).unwrap();
}
