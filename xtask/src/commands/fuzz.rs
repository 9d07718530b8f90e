//! `cargo xtask fuzz`: fuzzes the parsers for a limited time.
//!
//! New inputs are written to a corpus in the build folder; the corpus in the repository is only read, so that the checkout
//! stays unchanged. Sanitizers are not used, since they need a nightly toolchain.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::{Error, programs};

use super::{Command, usage_failure};
use crate::failure::Failure;
use crate::shell;

pub(super) const COMMAND: Command = Command {
    name: "fuzz",
    arguments: "[--seconds N] [TARGET…]",
    about: "fuzzes all targets or those named",
    run,
};

const TARGETS: &str = "fuzz/fuzz_targets";
const DEFAULT_SECONDS: u32 = 60;

/// The options of the command.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    seconds: u32,
    /// All when empty.
    targets: Vec<String>,
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = parse(arguments)?;
    fuzz(&programs::repository_root()?, &options)
}

/// Fuzzes every target; all of them together take the given number of seconds.
pub(super) fn fuzz_all(root: &Path, seconds_in_all: u32) -> Result<(), Failure> {
    let targets = target_names(root)?.len();
    let seconds = seconds_per_target(seconds_in_all, targets, parallel_targets());
    fuzz(root, &Options { seconds, targets: Vec::new() })
}

/// The time for one target if `parallel` of them run at the same time; at least one second.
fn seconds_per_target(seconds_in_all: u32, targets: usize, parallel: usize) -> u32 {
    let rounds = u32::try_from(targets.div_ceil(parallel)).unwrap_or(u32::MAX).max(1);
    (seconds_in_all / rounds).max(1)
}

/// The number of targets that run at the same time: one per processor.
fn parallel_targets() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn fuzz(root: &Path, options: &Options) -> Result<(), Failure> {
    let known = target_names(root)?;
    let targets = chosen(&known, &options.targets)?;
    if targets.is_empty() {
        println!("no fuzz targets in {TARGETS}");
        return Ok(());
    }
    install(root)?;
    build(root, &targets)?;
    fuzz_in_parallel(root, &targets, options.seconds)
}

/// Runs the targets in groups of one per processor.
fn fuzz_in_parallel(root: &Path, targets: &[String], seconds: u32) -> Result<(), Failure> {
    for several in targets.chunks(parallel_targets()) {
        println!("fuzzing {} for {seconds} s", several.join(", "));
        std::thread::scope(|scope| {
            let running: Vec<_> = several
                .iter()
                .map(|target| scope.spawn(move || fuzz_target(root, target, seconds)))
                .collect();
            running.into_iter().try_for_each(|target| target.join().expect("fuzzing does not panic"))
        })?;
    }
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Options, Failure> {
    let mut options = Options { seconds: DEFAULT_SECONDS, targets: Vec::new() };
    let mut left = arguments.iter();
    while let Some(argument) = left.next() {
        match argument.as_str() {
            "--seconds" => {
                let seconds = left.next().and_then(|value| value.parse().ok()).filter(|&seconds| seconds > 0);
                options.seconds = seconds.ok_or_else(|| usage_failure("--seconds needs a number above 0"))?;
            }
            option if option.starts_with('-') => {
                return Err(usage_failure(format!("fuzz knows no option `{option}`")));
            }
            target => options.targets.push(target.to_owned()),
        }
    }
    Ok(options)
}

fn chosen(known: &[String], wanted: &[String]) -> Result<Vec<String>, Failure> {
    if let Some(unknown) = wanted.iter().find(|target| !known.contains(target)) {
        let problem = format!("there is no fuzz target `{unknown}`, but: {}", known.join(", "));
        return Err(usage_failure(problem));
    }
    Ok(if wanted.is_empty() { known } else { wanted }.to_vec())
}

/// The names of all targets, sorted; empty if the folder does not exist.
fn target_names(root: &Path) -> Result<Vec<String>, Error> {
    let folder = root.join(TARGETS);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failed = |source| Error::File { path: folder.clone(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        names.extend(name.to_string_lossy().strip_suffix(".rs").map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

fn install(root: &Path) -> Result<(), Failure> {
    if programs::is_installed("cargo-fuzz") {
        return Ok(());
    }
    println!("installing cargo-fuzz");
    let remedy = "cargo install cargo-fuzz --locked";
    shell::run(root, &[], &["cargo", "install", "cargo-fuzz", "--locked"])
        .map_err(|_| Failure::Missing { what: "cargo-fuzz", remedy })
}

/// Builds the only target, or else all targets at once, since they share nearly all of their code.
fn build(root: &Path, targets: &[String]) -> Result<(), Failure> {
    let mut line = vec!["cargo", "fuzz", "build", "-s", "none"];
    if let [only] = targets {
        line.push(only);
    }
    println!("building {}", targets.join(", "));
    shell::run(root, &[], &line)
}

/// Fuzzes one target. The output of the fuzzer is written to a log file and printed only if it fails.
fn fuzz_target(root: &Path, target: &str, seconds: u32) -> Result<(), Failure> {
    let corpora = corpora(root, target)?;
    let time = format!("-max_total_time={seconds}");
    let mut line = vec!["cargo", "fuzz", "run", "-s", "none", target];
    line.extend(corpora.iter().filter_map(|folder| folder.to_str()));
    line.extend(["--", &time, "-rss_limit_mb=2048"]);
    shell::run_with_log(root, &line, &root.join("fuzz/target").join(format!("{target}.log")))
}

/// The corpus folders: first the one for new inputs, then that of the repository if there is one. libFuzzer writes only to
/// the first.
fn corpora(root: &Path, target: &str) -> Result<Vec<PathBuf>, Error> {
    let finds = root.join("fuzz/target/corpus").join(target);
    fs::create_dir_all(&finds).map_err(|source| Error::File { path: finds.clone(), source })?;
    let seeds = root.join("fuzz/corpus").join(target);
    Ok(std::iter::once(finds).chain(seeds.is_dir().then_some(seeds)).collect())
}

#[cfg(test)]
mod tests {
    use super::{
        DEFAULT_SECONDS, Options, chosen, corpora, fuzz_all, parse, seconds_per_target, target_names,
    };
    use crate::failure::Failure;
    use std::fs;
    use std::path::PathBuf;

    /// An empty folder of its own for a test.
    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn targets_are_the_files_of_the_folder() {
        let root = scratch("targets");
        assert!(target_names(&root).unwrap().is_empty());
        assert!(fuzz_all(&root, 1).is_ok(), "nothing to fuzz is no failure");
        fs::create_dir_all(root.join("fuzz/fuzz_targets")).unwrap();
        for name in ["b.rs", "a.rs", "notes.md"] {
            fs::write(root.join("fuzz/fuzz_targets").join(name), "").unwrap();
        }
        assert_eq!(target_names(&root).unwrap(), ["a", "b"]);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn targets_share_the_time_of_the_full_test() {
        assert_eq!(seconds_per_target(300, 32, 2), 18, "16 rounds");
        assert_eq!(seconds_per_target(300, 33, 2), 17, "the last round has one target");
        assert_eq!(seconds_per_target(300, 0, 2), 300);
        assert_eq!(seconds_per_target(5, 100, 2), 1);
    }

    #[test]
    fn finds_go_first_and_seeds_only_if_there_are_any() {
        let root = scratch("corpora");
        let finds = root.join("fuzz/target/corpus/a");
        assert_eq!(corpora(&root, "a").unwrap(), std::slice::from_ref(&finds));
        assert!(finds.is_dir());
        let seeds = root.join("fuzz/corpus/a");
        fs::create_dir_all(&seeds).unwrap();
        assert_eq!(corpora(&root, "a").unwrap(), [finds, seeds]);
        fs::remove_dir_all(root).unwrap();
    }

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_are_read() {
        let all = Options { seconds: DEFAULT_SECONDS, targets: Vec::new() };
        assert_eq!(parse(&[]).unwrap(), all);
        let some = Options { seconds: 20, targets: words("a b") };
        assert_eq!(parse(&words("a --seconds 20 b")).unwrap(), some);
    }

    #[test]
    fn wrong_options_are_usage_failures() {
        for line in ["--seconds", "--seconds x", "--seconds 0", "--fast"] {
            assert!(matches!(parse(&words(line)), Err(Failure::Usage { .. })), "{line}");
        }
    }

    #[test]
    fn targets_are_chosen_by_name() {
        let known = words("a b");
        assert_eq!(chosen(&known, &[]).unwrap(), known);
        assert_eq!(chosen(&known, &words("b")).unwrap(), ["b"]);
        assert!(chosen(&known, &words("c")).unwrap_err().to_string().contains("but: a, b"));
    }
}
