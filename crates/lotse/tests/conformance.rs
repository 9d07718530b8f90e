//! Real profiles made by others: every fact that independent tools found in them is reproduced.
//!
//! The files and the program that checks are next to the repository; without them the test is skipped with a note.

use std::path::Path;
use std::process::Command;

use test_support::shared;

/// Facts that are wrong, and why.
///
/// Both files were written by pprof, which does not count calls: `fn=(5) line3000` has the self cost line `+4096 6 0`,
/// then `calls=0 +4096 5` and `* * 1010`. The line after `calls=` is the inclusive cost of the call, whatever the
/// count, as the format's description says: the self costs add up to 1100 + 10 + 10 = 1120, the 1.12 s in total that
/// pprof's own listings of this profile state. callgrind_annotate, the source of these facts, takes the line after
/// `calls=0` for self cost, so that every inclusive cost is counted again and the sum is 6370. Valgrind writes `calls=0`
/// too, for calls that began in an earlier part, and there the fault would inflate self costs as well.
const DISPUTED: &[&str] =
    &["callgrind/pprof__pprof.cpu.callgrind: ", "callgrind/pprof__pprof.cpu.call_tree.callgrind: "];

#[test]
fn facts_of_all_profiles_are_reproduced() {
    let (Some(check), Some(fixtures)) = (shared("tools/check_profile.py"), shared("fixtures/profile")) else {
        return;
    };
    let run = Command::new("python3").arg(check).arg(env!("CARGO_BIN_EXE_lotse")).arg(fixtures).output();
    let Ok(run) = run else {
        test_support::skip_missing("python3 not found");
        return;
    };
    let printed = String::from_utf8_lossy(&run.stdout);
    println!("{printed}");
    let (table, differences): (Vec<&str>, Vec<&str>) =
        printed.lines().partition(|line| line.ends_with(" differ"));
    let disputed = |line: &&&str| DISPUTED.iter().any(|file| line.starts_with(file));
    let undisputed: Vec<&&str> = differences.iter().filter(|line| !disputed(line)).collect();
    assert!(undisputed.is_empty(), "{undisputed:#?}{}", String::from_utf8_lossy(&run.stderr));
    let number = |line: &str, word: usize| line.split_whitespace().nth(word)?.parse::<usize>().ok();
    let sum = |word| table.iter().filter_map(|line| number(line, word)).sum::<usize>();
    assert_eq!((sum(1), sum(3)), (96 - DISPUTED.len(), DISPUTED.len()), "{printed}");
}

/// The correct values of the disputed files.
#[test]
fn disputed_files_have_the_total_that_their_writer_reports() {
    let Some(fixtures) = shared("fixtures/profile") else { return };
    for file in DISPUTED {
        let path = fixtures.join(file.trim_end_matches(": "));
        let run = Command::new(env!("CARGO_BIN_EXE_lotse"))
            .args(["profile", "top", "--json", "--limit", "0", "--sort", "inclusive"])
            .arg(path)
            .output()
            .unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(answer["events"][0]["total"], 1120, "{file}");
        let own = |name: &str| {
            let functions = answer["functions"].as_array().unwrap();
            functions
                .iter()
                .filter(|it| it["name"] == name)
                .map(|it| it["self"][0].as_u64().unwrap())
                .sum::<u64>()
        };
        assert_eq!((own("line1000"), own("line3000"), own("line3002")), (1100, 0, 10), "{file}");
    }
}

/// Formats are recognised by content: a file without its name is read as the same format, and no two formats claim it.
#[test]
fn names_do_not_matter() {
    let Some(fixtures) = shared("fixtures/profile") else { return };
    let scratch = tempfile::tempdir().unwrap();
    for kind in std::fs::read_dir(fixtures).unwrap().map(Result::unwrap).filter(|it| it.path().is_dir()) {
        for file in std::fs::read_dir(kind.path()).unwrap().map(|file| file.unwrap().path()) {
            let plain = scratch.path().join("nameless");
            std::fs::copy(&file, &plain).unwrap();
            let format = |path: &Path| {
                let run = Command::new(env!("CARGO_BIN_EXE_lotse"))
                    .args(["profile", "top", "--json", "--limit", "1"])
                    .arg(path)
                    .output()
                    .unwrap();
                assert!(run.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&run.stderr));
                let answer: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
                answer["format"].as_str().unwrap().to_owned()
            };
            assert_eq!(format(&plain), format(&file), "{}", file.display());
            std::fs::remove_file(&plain).unwrap();
        }
    }
}
