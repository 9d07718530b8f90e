//! What opening a profile costs: Lotse without and with its index, KCachegrind, callgrind_annotate and `wc -l`, on a
//! generated callgrind file, on one of the Rust compiler and on collapsed stacks; and whether Lotse's figures are exact.

use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::callgrind_check::Check;
use benchmarks::journal::{Header, Journal};
use benchmarks::lotse::Lotse;
use benchmarks::machine::{Machine, Versions, load_average};
use benchmarks::peers::{FileKind, Peer, Record, Subject, show};
use benchmarks::tools::Tools;
use benchmarks::workshop::Workshop;
use benchmarks::{Error, date, finish, table};
use clap::Parser;
use serde_json::{Value, json};

/// Measures what opening a profile costs.
#[derive(Parser)]
struct Args {
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    lotse: Option<PathBuf>,
    /// Where the files are made, and found again by the next run [default: a temporary folder]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Where results are kept; a rerun with the same parameters goes on there [default: nowhere]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Rounds of Lotse and wc; the others run once
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Run callgrind_annotate too: minutes and gigabytes on the large file
    #[arg(long)]
    annotate: bool,
    /// Leave KCachegrind out
    #[arg(long)]
    no_kcachegrind: bool,
    /// One file only
    #[arg(long, value_enum)]
    only: Option<FileKind>,
    /// Only make the files
    #[arg(long)]
    prepare: bool,
}

const KIND: &str = "opened";

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    let mut workshop = Workshop::open()?;
    let subjects = subjects(args, &mut workshop)?;
    if args.prepare {
        return Ok(());
    }
    let tools = Tools { lotse: Lotse::find(args.lotse.as_deref())?, hyperfine: None };
    let journal = journal(args, &tools, &mut workshop, &subjects)?;
    let mut session = Session { workshop, lotse: tools.lotse, journal, failure: None };
    for number in 0..args.rounds {
        for subject in &subjects {
            session.make_round(args, subject, number)?;
        }
    }
    for subject in &subjects {
        show(&session.journal.records(KIND)?, subject)?;
        session.check(subject)?;
    }
    session.failure.map_or(Ok(()), Err)
}

fn subjects(args: &Args, workshop: &mut Workshop) -> Result<Vec<Subject>, Error> {
    let folder = args.dir.clone().unwrap_or_else(|| workshop.path("files"));
    let folder = std::path::absolute(&folder).map_err(Error::file("find", &folder))?;
    let kinds = FileKind::ALL.into_iter().filter(|kind| args.only.is_none_or(|only| only == *kind));
    kinds.map(|kind| Subject::make(kind, &folder, workshop)).collect()
}

#[expect(clippy::print_stdout, reason = "the head of what a benchmark prints")]
fn journal(
    args: &Args,
    tools: &Tools,
    workshop: &mut Workshop,
    subjects: &[Subject],
) -> Result<Journal, Error> {
    let path = args.journal.clone().unwrap_or_else(|| workshop.path("journal.jsonl"));
    let sizes: Value = subjects.iter().map(|it| (it.kind.name().to_owned(), json!(it.bytes))).collect();
    let header = Header {
        benchmark: "profile_open".to_owned(),
        date: date::now(),
        machine: Machine::this(),
        versions: Versions::query(tools, workshop)?,
        parameters: json!({"bytes": sizes, "peers": peer_versions(workshop)}),
        facts: Value::Null,
    };
    let load = load_average();
    let journal = Journal::open(&path, header, || Ok(Value::Null))?;
    let Header { date, machine, versions, parameters, .. } = &journal.header;
    println!("profile_open, begun {date}, {} records so far", journal.len());
    println!("machine: {}, load {}", machine.summary(), table::decimals_or_dash(load, 2));
    println!("versions: {}, {} build, {}\n", versions.lotse, versions.profile, parameters["peers"]);
    Ok(journal)
}

/// The versions of the peers; absent for one that is not installed, which its measurement reports.
fn peer_versions(workshop: &mut Workshop) -> Value {
    let mut version = |words: &[&str]| {
        let argv: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        let output = workshop.run("a peer", &argv, &[0]).ok()?.stdout;
        Some(output.lines().next()?.to_owned())
    };
    json!({
        "kcachegrind":
            version(&["dbus-run-session", "--", "kcachegrind", "-platform", "offscreen", "--version"]),
        "valgrind": version(&["valgrind", "--version"]),
        "rustc": version(&["rustc", "--version"]),
        "wc": version(&["wc", "--version"]),
    })
}

/// The state of a measurement.
struct Session {
    workshop: Workshop,
    lotse: Lotse,
    journal: Journal,
    /// The first error; the other programs are measured nevertheless.
    failure: Option<Error>,
}

impl Session {
    fn make_round(&mut self, args: &Args, subject: &Subject, number: u32) -> Result<(), Error> {
        for peer in contenders(args, subject.kind, number) {
            let done: Vec<Record> = self.journal.records(KIND)?;
            let name = subject.kind.name();
            if done.iter().any(|it| it.file == name && it.peer == peer && it.number == number) {
                continue;
            }
            match peer.measure(&mut self.workshop, &self.lotse, &subject.path) {
                Ok(measured) => {
                    let record = Record { file: name.to_owned(), peer, number, measured };
                    self.journal.append(KIND, &record)?;
                }
                Err(error) => self.note(subject, error),
            }
        }
        Ok(())
    }

    /// Compares Lotse's figures, read from the file and from the index, with the known ones.
    fn check(&mut self, subject: &Subject) -> Result<(), Error> {
        let mut rows = Vec::new();
        for (source, options) in [("the file", &["--no-index"][..]), ("the index", &[])] {
            match subject.check(&mut self.workshop, &self.lotse, options) {
                Ok(checks) => rows.extend(checks.into_iter().map(|check| self.judged(check, source))),
                Err(error) => self.note(subject, error),
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        let caption = format!("Lotse's figures of the {} file", subject.kind.name());
        table::print(&caption, &["what", "read from", ""], &rows)
    }

    fn judged(&mut self, check: Check, source: &str) -> Vec<String> {
        let verdict = match check.wrong {
            None => "exact".to_owned(),
            Some(wrong) => {
                let what = format!("right {}", check.what);
                self.failure.get_or_insert(Error::Answer { tool: "lotse profile top", what });
                format!("wrong: {wrong}")
            }
        };
        vec![check.what.to_owned(), source.to_owned(), verdict]
    }

    #[expect(clippy::print_stderr, reason = "a comparison with something missing must not look complete")]
    fn note(&mut self, subject: &Subject, error: Error) {
        eprintln!("{} file: {error}", subject.kind.name());
        self.failure.get_or_insert(error);
    }
}

/// The programs of a round. wc comes first, so that the file is in memory for all others. KCachegrind and
/// callgrind_annotate read callgrind files only.
fn contenders(args: &Args, kind: FileKind, number: u32) -> Vec<Peer> {
    let mut all = vec![Peer::Lines, Peer::Lotse];
    if number == 0 {
        all.push(Peer::LotseFirst);
    }
    all.push(Peer::LotseAgain);
    let is_first_callgrind = number == 0 && kind.format() == "callgrind";
    if is_first_callgrind && !args.no_kcachegrind {
        all.push(Peer::KCachegrind);
    }
    if is_first_callgrind && args.annotate {
        all.push(Peer::Annotate);
    }
    all
}
