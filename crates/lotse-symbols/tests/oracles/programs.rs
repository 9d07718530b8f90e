//! Compiles small programs in temporary directories and runs other tools on them.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A compiled program and its bytes.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
    directory: TempDir,
}

const C: &str = r#"
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
static inline __attribute__((always_inline)) int square(int x) {
    return x * x + (x >> 3);
}
static inline __attribute__((always_inline)) int twice(int x) {
    int y = square(x);
    return y + square(y);
}
__attribute__((noinline)) int work(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += twice(i) ^ sum;
    return sum;
}
__attribute__((noinline)) static int choose(int n) {
    switch (n) {
    case 0: return work(1);
    case 1: return work(n + 2) * 3;
    case 2: puts("two"); return 2;
    case 3: return n * 77;
    case 4: abort();
    default: return -1;
    }
}
int main(int argc, char **argv) {
    char buffer[64];
    memset(buffer, argc, sizeof buffer);
    strncpy(buffer, argv[0], 10);
    printf("%d %d %s\n", work(argc), choose(argc), buffer);
    return 0;
}
"#;

const CPP: &str = r#"
#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>
namespace { int hidden(int x) { return x * 3; } }
namespace shapes {
template <typename T> struct Box {
    std::vector<T> items;
    __attribute__((noinline)) void add(T const &item) { items.push_back(item); }
    __attribute__((noinline)) T operator()(unsigned i) const { return items[i]; }
    __attribute__((noinline)) operator std::string() const { return std::to_string(items.size()); }
};
}
std::ostream &operator<<(std::ostream &out, shapes::Box<int> const &box) { return out << box.items.size(); }
int main(int argc, char **) {
    shapes::Box<int> box;
    for (int i = 0; i < argc + 10; i++) box.add(hidden(i));
    auto by = [](int a, int b) { return a % 7 < b % 7; };
    std::sort(box.items.begin(), box.items.end(), by);
    std::map<std::string, double> names{{"a", 1.5}, {static_cast<std::string>(box), 2.5}};
    double sum = 0;
    for (auto const &pair : names) sum += pair.second * box(1);
    std::cout << box << sum << std::endl;
}
"#;

const RUST: &str = r#"
use std::collections::HashMap;
struct Counter<T> { seen: HashMap<T, usize> }
impl<T: std::hash::Hash + Eq> Extend<T> for Counter<T> {
    #[inline(never)]
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| *self.seen.entry(item).or_default() += 1);
    }
}
fn main() {
    let mut counter = Counter { seen: HashMap::new() };
    counter.extend(std::env::args());
    let mut counts: Vec<_> = counter.seen.values().map(|count| count * 2).collect();
    counts.sort_unstable();
    println!("{counts:?}");
}
"#;

pub(crate) fn c(flags: &[&str]) -> Option<Program> {
    build("gcc", "program.c", C, flags)
}

pub(crate) fn cpp(flags: &[&str]) -> Option<Program> {
    build("g++", "program.cc", CPP, flags)
}

pub(crate) fn rust(flags: &[&str]) -> Option<Program> {
    build("rustc", "program.rs", RUST, flags)
}

/// Compiles a source file; `None` if the compiler is missing or fails.
pub(crate) fn build(compiler: &str, name: &str, source: &str, flags: &[&str]) -> Option<Program> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(name), source).unwrap();
    let path = directory.path().join("program");
    let mut command = Command::new(compiler);
    let output = command.args(flags).arg("-o").arg(&path).arg(name).current_dir(&directory).output();
    match output {
        Ok(output) if output.status.success() => {
            let bytes = std::fs::read(&path).unwrap();
            Some(Program { path, bytes, directory })
        }
        Ok(output) => {
            test_support::skip_here(format!(
                "{compiler} {flags:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            ));
            None
        }
        Err(_) => {
            test_support::skip_missing(format!("{compiler} not found"));
            None
        }
    }
}

impl Program {
    /// The output of a tool that is called with the program's path as its last argument.
    pub(crate) fn tool_output(&self, tool: &str, arguments: &[&str]) -> Option<String> {
        run(tool, arguments, Some(&self.path))
    }

    /// Runs a tool in the program's directory and returns the bytes of the file it wrote.
    pub(crate) fn make(&self, tool: &str, arguments: &[&str], result: &str) -> Option<Vec<u8>> {
        let output = Command::new(tool).args(arguments).current_dir(&self.directory).output();
        if !output.is_ok_and(|output| output.status.success()) {
            test_support::skip_here(format!("{tool} {arguments:?} did not work"));
            return None;
        }
        Some(std::fs::read(self.directory.path().join(result)).unwrap())
    }
}

pub(crate) fn run(tool: &str, arguments: &[&str], file: Option<&Path>) -> Option<String> {
    let output = Command::new(tool).args(arguments).args(file).output();
    match output {
        Ok(output) => Some(String::from_utf8(output.stdout).unwrap()),
        Err(_) => {
            test_support::skip_missing(format!("{tool} not found"));
            None
        }
    }
}
