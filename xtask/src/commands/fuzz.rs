//! `cargo xtask fuzz`: fuzzes the parsers for a limited time.
//!
//! New inputs are written to a corpus in the build folder; the corpus in the repository is only read, so that the checkout
//! stays unchanged. All targets are one program, whose crates of this workspace have counters for libFuzzer; sanitizers are not
//! used, since they need a nightly toolchain.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use xtask::{Error, programs};

use super::test::some;
use super::{Command, usage_failure};
use crate::failure::Failure;
use crate::shell;

pub(super) const COMMAND: Command = Command {
    name: "fuzz",
    arguments: "[--seconds N] [TARGET…]",
    about: "fuzzes all targets or those named",
    run,
};

/// Where new inputs, failures and logs are written.
const OUTPUT: &str = "target/fuzz";

/// Inputs to begin with, by target.
const SEEDS: &str = "fuzz/corpus";

/// The variable that names the target to the program.
const TARGET_VARIABLE: &str = "LOTSE_FUZZ_TARGET";

/// Adds counters to crates of the workspace.
const INSTRUMENT: &str = "fuzz/instrument.sh";

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
    let root = programs::repository_root()?;
    let program = FuzzProgram::build(&root)?;
    let targets = chosen(&program.targets()?, &options.targets)?;
    program.fuzz_in_parallel(&targets, options.seconds)
}

/// Builds and fuzzes every target within the given time. However long the build takes, a third of the time is for the targets.
pub(super) fn fuzz_all(root: &Path, time: Duration) -> Result<(), Failure> {
    let start = Instant::now();
    let program = FuzzProgram::build(root)?;
    let targets = program.targets()?;
    let left = time.saturating_sub(start.elapsed()).max(time / 3);
    let seconds = seconds_per_target(left, targets.len(), parallel_targets());
    program.fuzz_in_parallel(&targets, seconds)
}

/// The time for one target if `parallel` of them run at the same time; at least one second.
fn seconds_per_target(in_all: Duration, targets: usize, parallel: usize) -> u32 {
    let rounds = u32::try_from(targets.div_ceil(parallel)).unwrap_or(u32::MAX).max(1);
    u32::try_from((in_all / rounds).as_secs()).unwrap_or(u32::MAX).max(1)
}

/// The number of targets that run at the same time: one per processor.
fn parallel_targets() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The program that has all targets.
struct FuzzProgram {
    root: PathBuf,
    executable: PathBuf,
}

impl FuzzProgram {
    /// Builds it with the profile of the tests, so that the crates of others need not be built again.
    fn build(root: &Path) -> Result<Self, Failure> {
        let instrument = root.join(INSTRUMENT).to_string_lossy().into_owned();
        let line = ["cargo", "build", "--locked", "-p", "lotse-fuzz"];
        shell::run(root, &[("RUSTC_WORKSPACE_WRAPPER", &instrument)], &line)?;
        Ok(Self { root: root.to_owned(), executable: root.join("target/debug/lotse-fuzz") })
    }

    /// The names of all targets, which the program prints when none is chosen.
    fn targets(&self) -> Result<Vec<String>, Failure> {
        let output = programs::output_of(&self.root, &[&self.executable.to_string_lossy()])?;
        let names = String::from_utf8_lossy(&output).lines().map(str::to_owned).collect();
        some(names, "any fuzz target", "the program prints their names when none is chosen")
    }

    /// Runs the targets in groups of one per processor.
    fn fuzz_in_parallel(&self, targets: &[String], seconds: u32) -> Result<(), Failure> {
        for several in targets.chunks(parallel_targets()) {
            println!("fuzzing {} for {seconds} s", several.join(", "));
            std::thread::scope(|scope| {
                let running: Vec<_> =
                    several.iter().map(|target| scope.spawn(move || self.fuzz(target, seconds))).collect();
                running.into_iter().try_for_each(|target| target.join().expect("fuzzing does not panic"))
            })?;
        }
        Ok(())
    }

    /// Fuzzes one target. The output of the fuzzer is written to a log file and printed only if it fails.
    fn fuzz(&self, target: &str, seconds: u32) -> Result<(), Failure> {
        let folders = Folders::new(&self.root, target)?;
        let mut line = vec![self.executable.to_string_lossy().into_owned()];
        line.extend(folders.corpora.iter().map(|folder| folder.display().to_string()));
        line.push(format!("-max_total_time={seconds}"));
        line.push(format!("-artifact_prefix={}/", folders.failures.display()));
        line.push("-rss_limit_mb=2048".to_owned());
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        let log = self.root.join(OUTPUT).join(format!("{target}.log"));
        shell::run_with_log(&self.root, &[(TARGET_VARIABLE, target)], &line, &log)
    }
}

/// Where inputs of a target lie.
#[derive(Debug, PartialEq, Eq)]
struct Folders {
    /// First the one for new inputs, then that of the repository if there is one. libFuzzer writes only to the first.
    corpora: Vec<PathBuf>,
    /// Inputs that made the target fail.
    failures: PathBuf,
}

impl Folders {
    fn new(root: &Path, target: &str) -> Result<Self, Error> {
        let made = |kind: &str| {
            let path = root.join(OUTPUT).join(kind).join(target);
            fs::create_dir_all(&path).map_err(|source| Error::File { path: path.clone(), source })?;
            Ok::<_, Error>(path)
        };
        let seeds = root.join(SEEDS).join(target);
        let corpora = std::iter::once(made("corpus")?).chain(seeds.is_dir().then_some(seeds)).collect();
        Ok(Self { corpora, failures: made("failures")? })
    }
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

#[cfg(test)]
mod tests {
    use super::{DEFAULT_SECONDS, Folders, OUTPUT, Options, SEEDS, chosen, parse, seconds_per_target};
    use crate::failure::Failure;
    use std::fs;
    use std::time::Duration;

    #[test]
    fn targets_share_the_time_of_the_full_test() {
        assert_eq!(seconds_per_target(Duration::from_secs(300), 32, 2), 18, "16 rounds");
        assert_eq!(seconds_per_target(Duration::from_secs(300), 33, 2), 17, "the last round has one target");
        assert_eq!(seconds_per_target(Duration::from_secs(300), 0, 2), 300);
        assert_eq!(seconds_per_target(Duration::from_secs(5), 100, 2), 1);
    }

    #[test]
    fn finds_go_first_and_seeds_only_if_there_are_any() {
        let root = tempfile::tempdir().unwrap();
        let finds = root.path().join(OUTPUT).join("corpus/a");
        assert_eq!(Folders::new(root.path(), "a").unwrap().corpora, std::slice::from_ref(&finds));
        assert!(finds.is_dir());
        let seeds = root.path().join(SEEDS).join("a");
        fs::create_dir_all(&seeds).unwrap();
        let both = Folders::new(root.path(), "a").unwrap();
        assert_eq!(both.corpora, [finds, seeds]);
        assert!(both.failures.is_dir());
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
