//! The shared object in real programs: addresses, results, environment variables.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::{HeapShim, PRELOAD, check, temporary, write_to_cache};
use crate::job::{Job, Output};
use crate::{Launcher, LauncherOptions};

/// Prints addresses of blocks of several sizes, then a checksum over blocks that are allocated and freed, which tests the heap.
const C_SOURCE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    size_t sizes[] = {24, 24, 100, 100, 1000, 1000, 5000, 40000, 300000};
    for (int i = 0; i < 9; i++) printf("%p ", malloc(sizes[i]));
    unsigned sum = 0, x = 1;
    char *blocks[500] = {0};
    for (int i = 0; i < 100000; i++) {
        x = x * 1103515245u + 12345u;
        char **at = &blocks[x >> 8 & 255];
        if (*at) sum = sum * 31 + (unsigned)strlen(*at);
        free(*at);
        size_t n = 1 + (x >> 16 & 2047);
        *at = malloc(n);
        memset(*at, 'x', n);
        (*at)[n - 1] = 0;
    }
    printf("%u\n", sum);
    return 0;
}
"#;
/// Prints the KiB of anonymous memory.
const MEMORY_SOURCE: &str = r#"
#include <stdio.h>
#include <string.h>
int main(void) {
    char line[256];
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (fgets(line, sizeof line, file)) {
        long kib;
        if (sscanf(line, "Anonymous: %ld", &kib) == 1) printf("%ld\n", kib);
    }
    return 0;
}
"#;
const CPP_SOURCE: &str = r#"
#include <cstdio>
#include <string>
#include <vector>
int main() {
    std::vector<int*> all;
    for (int i = 0; i < 4; i++) std::printf("%p ", (void*)new int[10 << (2 * i)]);
    for (int i = 0; i < 4; i++) std::printf("%p ", (void*)new std::string(100, 'x'));
    std::printf("0\n");
}
"#;
const RUST_SOURCE: &str = r#"
fn main() {
    let blocks: Vec<Box<[u8]>> = [24_usize, 24, 100, 1000, 5000, 40000].iter().map(|&n| vec![1; n].into()).collect();
    for block in &blocks { print!("{:p} ", block.as_ptr()); }
    println!("{}", blocks.iter().flatten().map(|&it| u32::from(it)).sum::<u32>());
}
"#;

struct Rig {
    folder: tempfile::TempDir,
    shim: HeapShim,
    launcher: Launcher,
}

/// What a program printed: addresses and result.
type Printed = (Vec<u64>, String);

impl Rig {
    fn new() -> Self {
        let options = LauncherOptions::default();
        let (folder, launcher) = (tempfile::tempdir().unwrap(), Launcher::start(&options).unwrap());
        Self { folder, shim: HeapShim::install().unwrap(), launcher }
    }

    fn build(&self, compiler: &[&str], name: &str, text: &str) -> PathBuf {
        let (source, program) = (self.folder.path().join(name), self.folder.path().join("program"));
        fs::write(&source, text).unwrap();
        let mut command = std::process::Command::new(compiler[0]);
        command.args(&compiler[1..]).arg(&source).arg("-o").arg(&program);
        assert!(command.status().unwrap().success(), "{compiler:?}");
        program
    }

    /// Runs a program with fixed addresses, and with the heap of a seed if one is given.
    fn run(&mut self, program: &Path, seed: Option<u64>) -> String {
        let mut job = Job::new([program]);
        job.fixed_addresses = true;
        job.stdout = Output::Capture { limit: 1 << 16 };
        if let Some(seed) = seed {
            self.shim.preload(&mut job, seed);
        }
        let report = self.launcher.run(&job).unwrap();
        String::from_utf8(report.stdout.bytes).unwrap()
    }

    fn printed(&mut self, program: &Path, seed: Option<u64>) -> Printed {
        let text = self.run(program, seed);
        let words: Vec<&str> = text.split_whitespace().collect();
        let (result, addresses) = words.split_last().unwrap();
        let number = |word: &&str| u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap();
        (addresses.iter().map(number).collect(), (*result).to_owned())
    }

    /// The same seed gives the same addresses. Ten seeds give several offsets within a line and within a page, and several distances
    /// of blocks. The result never changes.
    fn check_program(&mut self, program: &Path) {
        let plain = self.printed(program, None);
        let all: Vec<Printed> = (0..10).map(|seed| self.printed(program, Some(seed))).collect();
        assert_eq!(all[3], self.printed(program, Some(3)));
        assert!(all.iter().all(|printed| printed.1 == plain.1), "{plain:?} {all:?}");
        let places =
            |of: &dyn Fn(&[u64]) -> u64| all.iter().map(|it| of(&it.0)).collect::<BTreeSet<_>>().len();
        assert!(places(&|blocks| blocks[0] % 64) >= 3, "{all:?}");
        assert!(places(&|blocks| blocks[0] % 4096) >= 8, "{all:?}");
        assert!(places(&|blocks| blocks[3] % 4096) >= 8, "{all:?}");
        assert!(places(&|blocks| blocks[1].wrapping_sub(blocks[0])) >= 5, "{all:?}");
    }
}

#[test]
fn blocks_of_a_c_program_move() {
    let mut rig = Rig::new();
    let program = rig.build(&["gcc", "-O1"], "program.c", C_SOURCE);
    rig.check_program(&program);
    let blocks = |rig: &mut Rig, seed| rig.printed(&program, Some(seed)).0;
    let (first, second) = (blocks(&mut rig, 1), blocks(&mut rig, 2));
    // A block with a mapping of its own begins 16 bytes after the start of a page in every layout, and moves by pages.
    assert_eq!((first[8] % 4096, second[8] % 4096), (16, 16));
    assert_ne!(first[8], second[8]);
}

#[test]
fn blocks_of_cpp_and_rust_programs_move() {
    let mut rig = Rig::new();
    let program = rig.build(&["g++", "-O1"], "program.cpp", CPP_SOURCE);
    rig.check_program(&program);
    let program = rig.build(&["rustc", "-O"], "program.rs", RUST_SOURCE);
    rig.check_program(&program);
}

/// The anonymous memory of a program grows by no more than documented, plus some pages of the shared object itself. The kernel's
/// peak memory cannot be used, because it includes file pages that are mapped ahead of use and vary with addresses.
#[test]
fn memory_grows_by_no_more_than_promised() {
    const OBJECT: u64 = 16 * 1024;
    let mut rig = Rig::new();
    let program = rig.build(&["gcc", "-O1"], "program.c", MEMORY_SOURCE);
    let mut touched = |seed| rig.run(&program, seed).trim().parse::<u64>().unwrap() * 1024;
    let plain = touched(None);
    for seed in 0..8 {
        let moved = touched(Some(seed));
        assert!(moved <= plain + lotse_heap::MOST_BYTES + OBJECT, "{seed}: {plain} -> {moved}");
        assert!(moved > plain, "the object was not loaded");
    }
}

#[test]
fn variables_of_the_user_stay() {
    let shim = HeapShim::install().unwrap();
    let mut job = Job::new(["true"]);
    job.environment.set(PRELOAD, "/opt/mine.so /opt/other.so");
    shim.preload(&mut job, 0xabc);
    let list = job.environment.get(OsStr::new(PRELOAD)).unwrap().into_string().unwrap();
    assert_eq!(list, format!("{}:/opt/mine.so /opt/other.so", shim.path.display()));
    assert_eq!(job.environment.get(OsStr::new("LOTSE_HEAP")).unwrap(), "0000000000000abc");
    job.environment.set(PRELOAD, "");
    shim.preload(&mut job, 1);
    assert_eq!(job.environment.get(OsStr::new(PRELOAD)).unwrap(), shim.path.as_os_str());
}

/// The programs of a script also have the same heap every time.
#[test]
fn programs_of_a_script_are_moved() {
    let mut rig = Rig::new();
    rig.build(&["gcc", "-O1"], "program.c", C_SOURCE);
    let script = rig.folder.path().join("script");
    fs::write(&script, format!("#!/bin/sh\n{}/program\n", rig.folder.path().display())).unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let printed = [1, 1, 2].map(|seed| rig.printed(&script, Some(seed)).0);
    assert_eq!(printed[0], printed[1]);
    assert_ne!(printed[1], printed[2]);
}

#[test]
fn a_damaged_copy_is_replaced_and_odd_names_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_to_cache(folder.path()).unwrap();
    fs::write(&path, "damaged").unwrap();
    assert_eq!(write_to_cache(folder.path()).unwrap(), path);
    assert_eq!(fs::read(&path).unwrap(), lotse_heap::IMAGE);
    let problem = write_to_cache(&folder.path().join("a b")).unwrap_err().to_string();
    assert!(problem.contains("has ' ' in its name"), "{problem}");
    let kept = temporary().unwrap();
    assert!(check(&kept).is_ok() && kept.exists());
}
