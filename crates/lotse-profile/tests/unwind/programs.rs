//! Programs whose stacks need different unwind rules, and their recordings.

use std::path::{Path, PathBuf};
use std::process::Command;

use lotse_host::FileSource;
use lotse_model::bytes::Source;
use lotse_model::progress::NoProgress;
use lotse_profile::open::{Opened, Request, open};
use lotse_profile::resolve::{Binaries, Files};
use lotse_profile::{MappedStack, mapped_stacks};
use tempfile::TempDir;

/// Recursion, a callback from a library, a signal handler, and a realigned stack, whose frame is found through a
/// register and memory.
pub(crate) const C: &str = r#"
#include <alloca.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile uint64_t sink;
__attribute__((noinline)) uint64_t mix(uint64_t x, int n) {
    for (int i = 0; i < n; i++) x = x * 6364136223846793005ull + 1442695040888963407ull;
    return x;
}
__attribute__((noinline)) uint64_t descend(int n, uint64_t x) {
    if (n == 0) return mix(x, 3000);
    uint64_t y = descend(n - 1, x + n);
    return y ^ mix(y, 1500);
}
static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    sink += x;
    return x < y ? -1 : x > y;
}
__attribute__((noinline)) void sort_numbers(uint32_t *v, int n) {
    qsort(v, n, sizeof *v, compare);
    sink++;
}
__attribute__((noinline)) uint64_t aligned(int n, uint64_t x) {
    _Alignas(64) volatile char room[64];
    char *more = alloca(n);
    memset(more, (int)x, n);
    room[x % 64] = more[n / 2];
    return mix(x + room[3] + more[n - 1], 20000) + 1;
}
static void on_signal(int number) { sink += mix(number, 20000); }
int main(void) {
    int n = 20000;
    uint32_t *v = malloc(n * sizeof *v);
    signal(SIGUSR1, on_signal);
    for (int r = 0; r < 90; r++) {
        for (int i = 0; i < n; i++) v[i] = (uint32_t)mix(i + r, 3);
        sort_numbers(v, n);
        for (int i = 0; i < 20; i++) sink += descend(20, r);
        for (int i = 0; i < 50; i++) sink += aligned(200 + i, r);
        for (int i = 0; i < 50; i++) raise(SIGUSR1);
    }
    printf("%lu\n", (unsigned long)sink);
    return 0;
}
"#;

/// The standard library's templates, exceptions and two threads.
pub(crate) const CPP: &str = r#"
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct Shape {
    virtual ~Shape() = default;
    virtual double area(double x) const = 0;
};
struct Circle : Shape {
    __attribute__((noinline)) double area(double x) const override {
        for (int i = 0; i < 400; i++) x = x * 0.999 + 3.14;
        return x;
    }
};
__attribute__((noinline)) size_t work_on_strings(int n) {
    std::map<std::string, int> words;
    for (int i = 0; i < n; i++) words["a rather long word number " + std::to_string(i * 7919 % 1000)]++;
    return words.size();
}
__attribute__((noinline)) double work_on_numbers(int n, const Shape &shape) {
    std::vector<double> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    std::function<bool(double, double)> less = [&](double a, double b) { return shape.area(a) < shape.area(b); };
    std::sort(numbers.begin(), numbers.end(), less);
    try {
        if (numbers.size() > 10) throw std::runtime_error("on purpose");
    } catch (const std::exception &error) {
        numbers[0] += error.what()[0];
    }
    return numbers[0];
}
__attribute__((noinline)) void thread_main(double *result) {
    Circle circle;
    for (int i = 0; i < 40; i++) *result += work_on_numbers(400, circle) + work_on_strings(3000);
}
int main() {
    double results[2] = {};
    std::thread one(thread_main, &results[0]), other(thread_main, &results[1]);
    one.join();
    other.join();
    std::printf("%f\n", results[0] + results[1]);
}
"#;

/// Iterators, closures, boxed traits and a caught panic.
pub(crate) const RUST: &str = r#"
use std::collections::BTreeMap;
#[inline(never)]
fn fill(depth: u32, numbers: &mut Vec<u64>, step: &dyn Fn(u64) -> u64) -> u64 {
    if depth == 0 {
        numbers.sort_unstable_by_key(|&number| step(number));
        return numbers[0];
    }
    let inner = fill(depth - 1, numbers, &|number| step(number ^ u64::from(depth)));
    inner + numbers.iter().map(|&number| step(number)).sum::<u64>() % 7
}
#[inline(never)]
fn collect_words(count: usize) -> usize {
    let mut words: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for number in 0..count {
        words.entry(format!("word {}", number * 7919 % 500)).or_default().push(number);
    }
    words.values().map(Vec::len).max().unwrap_or(0)
}
fn main() {
    let mut sum = 0;
    for round in 0..400_u64 {
        let mut numbers: Vec<u64> = (0..2000).map(|n| n * 2654435761 % 10007 + round).collect();
        sum += fill(8, &mut numbers, &|number| number.wrapping_mul(6364136223846793005).rotate_left(17));
        sum += collect_words(4000) as u64;
        sum += std::panic::catch_unwind(|| if round > 700 { panic!("never") } else { round }).unwrap_or(0);
    }
    println!("{sum}");
}
"#;

/// A program with perf's recording, and the functions to check.
pub(crate) struct Recorded {
    directory: TempDir,
    pub(crate) functions: &'static [&'static str],
}

impl Recorded {
    pub(crate) fn data(&self) -> PathBuf {
        self.directory.path().join("perf.data")
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.directory.path().join("program")
    }

    /// Opens the recording as the command line does.
    pub(crate) fn open(&self) -> Opened<'static> {
        let source: &'static FileSource = Box::leak(Box::new(FileSource::open(self.data()).unwrap()));
        let mut opened = open(source, &Request::default(), &mut NoProgress).unwrap();
        opened.resolve(&Binaries { files: &Disk, given: &[] });
        opened
    }

    /// The stacks as offsets in files.
    pub(crate) fn mapped_stacks(&self) -> Vec<MappedStack> {
        let source = FileSource::open(self.data()).unwrap();
        mapped_stacks(&source, &Binaries { files: &Disk, given: &[] }).unwrap()
    }
}

/// The files of this machine.
struct Disk;

impl Files for Disk {
    fn open(&self, path: &str) -> Option<Box<dyn Source>> {
        Path::new(path).is_file().then(|| FileSource::open(path).ok())?.map(|file| Box::new(file) as _)
    }
}

/// Compiles a program and records it; prints a message and returns `None` if that does not work here.
pub(crate) fn record(
    compiler: &str,
    file: &str,
    code: &str,
    options: &[&str],
    functions: &'static [&'static str],
) -> Option<Recorded> {
    record_with(compiler, file, code, options, functions, "dwarf,16384")
}

/// The same with a mode of recording stacks.
pub(crate) fn record_with(
    compiler: &str,
    file: &str,
    code: &str,
    options: &[&str],
    functions: &'static [&'static str],
    stacks: &str,
) -> Option<Recorded> {
    let recorded = Recorded { directory: tempfile::tempdir().unwrap(), functions };
    let at = recorded.directory.path();
    std::fs::write(at.join(file), code).unwrap();
    let mut compile = Command::new(compiler);
    compile.args(options).args(["-o", "program", file]).current_dir(at);
    let mut perf = Command::new("perf");
    perf.args(["record", "-q", "-e", "cpu-clock:u", "-F", "997", "-o", "perf.data"]);
    perf.args(["--call-graph", stacks, "./program"]);
    perf.current_dir(at).env("HOME", at);
    for (step, what) in [(&mut compile, compiler), (&mut perf, "perf record")] {
        if !step.output().is_ok_and(|output| output.status.success()) {
            test_support::skip_here(format!("{what} does not work here"));
            return None;
        }
    }
    Some(recorded)
}
