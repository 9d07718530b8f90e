//! Programs recorded by valgrind while testing, with all its output options; skipped where it or gcc is missing.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use lotse_formats::{Reading, read_profile};
use lotse_model::Profile;
use lotse_model::bytes::Source;
use lotse_model::work::Sequential;

use crate::check::{details_add_up, function, jumps, messages, sites};

/// The barrier keeps both threads alive at once: valgrind reuses the number of a thread that ended.
const PROGRAM: &str = "#include <pthread.h>\n\
    static volatile long sum;\n\
    static pthread_barrier_t both;\n\
    __attribute__((noinline)) void leaf(long n) { for (long i = 0; i < n; i++) sum += i; }\n\
    __attribute__((noinline)) long fall(long n) { return n < 2 ? n : fall(n - 1) + fall(n - 2); }\n\
    void *work(void *n) { pthread_barrier_wait(&both); leaf((long) n); sum += fall(10); return 0; }\n\
    int main(void) {\n\
    pthread_t one, two; pthread_barrier_init(&both, 0, 2);\n\
    pthread_create(&one, 0, work, (void *) 1000); pthread_create(&two, 0, work, (void *) 2000);\n\
    pthread_join(one, 0); pthread_join(two, 0); leaf(5000); return 0; }\n";

/// A directory that is deleted when the test ends.
struct Directory(PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        // Failing to delete a temporary directory is not worth an error.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// A file and its siblings.
struct OnDisk {
    directory: PathBuf,
    name: String,
    bytes: Vec<u8>,
}

impl OnDisk {
    fn open(directory: &Path, name: &str) -> Self {
        let bytes = std::fs::read(directory.join(name)).unwrap();
        Self { directory: directory.to_path_buf(), name: name.to_owned(), bytes }
    }
}

impl Source for OnDisk {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn get(&self, name: &str) -> io::Result<Vec<u8>> {
        std::fs::read(self.directory.join(name))
    }

    fn siblings(&self) -> io::Result<Vec<String>> {
        let entries = std::fs::read_dir(&self.directory)?;
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }
}

/// Compiles the program and records it; `None` where the tools are missing.
fn record(test: &str, options: &[&str]) -> Option<Directory> {
    let directory = std::env::temp_dir().join(format!("lotse-recorded-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let directory = Directory(directory);
    let (code, program) = (directory.0.join("program.c"), directory.0.join("program"));
    std::fs::write(&code, PROGRAM).unwrap();
    let compiled = Command::new("gcc").args(["-g", "-O1", "-pthread", "-o"]).args([&program, &code]).output();
    if !compiled.is_ok_and(|output| output.status.success()) {
        test_support::skip_missing("gcc not found");
        return None;
    }
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--tool=callgrind").args(options).arg("--callgrind-out-file=out").arg(&program);
    let Ok(ran) = valgrind.current_dir(&directory.0).output() else {
        test_support::skip_missing("valgrind not found");
        return None;
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(directory)
}

fn read(source: &OnDisk) -> Reading<Profile> {
    let reading = read_profile(source, None, &Sequential).unwrap();
    assert!(reading.complete(), "{:?}", messages(&reading));
    assert_eq!((reading.format_id, reading.value.check()), ("callgrind", Ok(())));
    details_add_up(source, &reading.value);
    for part in &reading.value.parts {
        let totals = part.stated.iter().find(|stated| stated.name == "totals").unwrap();
        assert_eq!(part.own.costs.total(0), i128::from(totals.costs[0]), "{}", part.name);
    }
    reading
}

fn call_count(profile: &Profile, caller: &str, callee: &str) -> u64 {
    let (caller, callee) = (function(profile, caller), function(profile, callee));
    let count = |part: &lotse_model::profile::Part| {
        let rows = (0..part.calls.len())
            .filter(|&row| part.calls.caller[row] == caller && part.calls.callee[row] == callee);
        rows.map(|row| part.calls.count[row]).sum::<u64>()
    };
    profile.parts.iter().map(count).sum()
}

/// Pitfall 11: valgrind leaves `out` empty beside `out-01`, `out-02`, `out-03`.
#[test]
fn threads_in_separate_files() {
    let Some(directory) = record("threads", &["--separate-threads=yes"]) else { return };
    let source = OnDisk::open(&directory.0, "out");
    assert_eq!(source.bytes, b"");
    let reading = read(&source);
    let threads: Vec<_> = reading.value.parts.iter().map(|part| part.thread).collect();
    assert_eq!(threads, [Some(1), Some(2), Some(3)], "{:?}", messages(&reading));
    assert_eq!(call_count(&reading.value, "main", "leaf"), 1);
    assert_eq!(call_count(&reading.value, "work", "leaf"), 2);
    let first = read(&OnDisk::open(&directory.0, "out-02"));
    assert_eq!(crate::check::sorted(&first.value), crate::check::sorted(&reading.value));
}

/// Pitfall 11: dumps of a run with threads: numbered files, each with its thread.
#[test]
fn dumps_of_threads() {
    let options = ["--separate-threads=yes", "--dump-every-bb=10000"];
    let Some(directory) = record("dumps-threads", &options) else { return };
    let reading = read(&OnDisk::open(&directory.0, "out"));
    let parts = &reading.value.parts;
    assert!(parts.len() > 3, "{}", parts.len());
    let order: Vec<_> = parts.iter().map(|part| (part.number, part.thread)).collect();
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(call_count(&reading.value, "work", "leaf"), 2);
}

/// Pitfall 11: the unnumbered file is the last part.
#[test]
fn dumps_in_separate_files() {
    let Some(directory) = record("dumps", &["--dump-every-bb=10000"]) else { return };
    let reading = read(&OnDisk::open(&directory.0, "out"));
    let parts = &reading.value.parts;
    assert!(parts.len() > 1, "{}", parts.len());
    assert_eq!(parts[parts.len() - 1].source.as_deref(), Some("out"));
    assert_eq!(parts[0].source.as_deref(), Some("out.1"));
    let numbers: Vec<_> = parts.iter().map(|part| part.number.unwrap()).collect();
    assert_eq!(numbers, (1..=parts.len() as u64).collect::<Vec<_>>());
    let other = read(&OnDisk::open(&directory.0, "out.1"));
    assert_eq!(crate::check::sorted(&other.value), crate::check::sorted(&reading.value));
}

/// Pitfall 1: dumps combined into one file redefine their numbers.
#[test]
fn dumps_in_one_file() {
    let Some(directory) = record("combined", &["--combine-dumps=yes", "--dump-every-bb=10000"]) else {
        return;
    };
    let reading = read(&OnDisk::open(&directory.0, "out"));
    assert!(reading.value.parts.len() > 1);
    assert_eq!(call_count(&reading.value, "main", "leaf") + call_count(&reading.value, "work", "leaf"), 3);
}

/// Pitfalls 5 and 6: instructions and jumps; the loop jumps back as often as it runs.
#[test]
fn instructions_and_jumps() {
    let Some(directory) = record("jumps", &["--dump-instr=yes", "--collect-jumps=yes"]) else { return };
    let source = OnDisk::open(&directory.0, "out");
    let profile = read(&source).value;
    let jumps = jumps(&source, &profile, "leaf");
    let taken = |jump: &String| jump.rsplit(' ').next()?.split('/').next()?.parse::<u64>().ok();
    // One less than the iterations of the loop, for each of the three calls.
    assert_eq!(jumps.iter().filter_map(taken).sum::<u64>(), 1000 + 2000 + 5000 - 3, "{jumps:#?}");
    let sites = sites(&source, &profile, "main");
    assert!(sites.iter().any(|site| site.contains("> leaf ") && site.contains('@')), "{sites:#?}");
}

/// Pitfall 9: levels of recursion are separate functions where the user requested it.
#[test]
fn levels_of_recursion() {
    let Some(directory) = record("recursion", &["--separate-recs=3"]) else { return };
    let source = OnDisk::open(&directory.0, "out");
    let profile = read(&source).value;
    let names: Vec<&str> = profile.functions.ids().map(|it| profile.function_name(it)).collect();
    for level in ["fall", "fall'2", "fall'3"] {
        assert!(names.contains(&level), "{level}");
    }
    assert!(!names.contains(&"fall'4"));
}

/// Pitfall 7: caches, branches and bus events are columns; costs of 0 at line ends are left out.
#[test]
fn caches_and_branches() {
    let options = ["--cache-sim=yes", "--branch-sim=yes", "--collect-bus=yes"];
    let Some(directory) = record("caches", &options) else { return };
    let profile = read(&OnDisk::open(&directory.0, "out")).value;
    assert_eq!(profile.events.len(), 14, "{:?}", profile.events);
    for part in &profile.parts {
        let totals = part.stated.iter().find(|stated| stated.name == "totals").unwrap();
        for (event, &stated) in totals.costs.iter().enumerate() {
            assert_eq!(part.own.costs.total(event), i128::from(stated), "{}", profile.events[event].name);
        }
    }
}

/// A recording cut anywhere inside a line is reported, with that line.
#[test]
fn a_cut_recording_is_reported() {
    let Some(directory) = record("cut", &["--dump-instr=yes"]) else { return };
    let bytes = std::fs::read(directory.0.join("out")).unwrap();
    let body = bytes.len() / 2;
    let ends = (body..body + 400).filter(|&end| bytes[end - 1] != b'\n' && bytes[end] != b'\n');
    for end in ends {
        let source = lotse_model::bytes::Memory { name: "out", bytes: &bytes[..end] };
        let reading = read_profile(&source, None, &Sequential).unwrap();
        let line = bytes[..end].split(|&byte| byte == b'\n').count() as u64;
        let is_reported = reading.diagnostics.iter().any(|it| it.place == lotse_formats::Place::Line(line));
        assert!(is_reported && !reading.complete(), "line {line}: {:?}", messages(&reading));
    }
}
