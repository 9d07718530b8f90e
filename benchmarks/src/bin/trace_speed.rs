//! How fast traces are read: Lotse, libotf2, otf2-print and python3-otf2 on traces of simulated programs, and how fast
//! Lotse analyses them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use benchmarks::journal::{Header, Journal};
use benchmarks::lotse::Lotse;
use benchmarks::machine::{Machine, Versions, load_average};
use benchmarks::tools::Tools;
use benchmarks::trace::archive::Archive;
use benchmarks::trace::checksum::Checksum;
use benchmarks::trace::generate::{Shape, Workload};
use benchmarks::trace::readers::{Reader, Readers};
use benchmarks::trace::speed::{Record, show};
use benchmarks::workshop::Workshop;
use benchmarks::{Error, date, finish, table};
use clap::Parser;
use serde_json::{Value, json};

/// Measures how fast traces are read and analysed.
#[derive(Parser)]
struct Args {
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    lotse: Option<PathBuf>,
    /// Where results are kept; a rerun with the same parameters goes on there [default: nowhere]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Events of each large trace: 13 bytes of disk each, until the end [default: 30, 16 and 8 million]
    #[arg(long, value_parser = clap::value_parser!(u64).range(100_000..))]
    events: Option<u64>,
    /// Only these simulated programs: computing, messages, locks [default: all]
    #[arg(long, value_name = "NAME", value_parser = workload)]
    workload: Vec<Workload>,
    /// Only write the large traces into a folder
    #[arg(long, value_name = "FOLDER")]
    prepare: Option<PathBuf>,
    /// Rounds of Lotse and libotf2; the others run once
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Only read, do not analyse
    #[arg(long)]
    no_analysis: bool,
    /// Only print how many events an archive has and what they add up to
    #[arg(long, value_name = "ANCHOR")]
    checksum: Option<PathBuf>,
}

const KIND: &str = "read";
/// otf2-print takes minutes for the large trace, Python an hour.
const EVENTS_TO_PRINT: u64 = 1_000_000;
const EVENTS_FOR_PYTHON: u64 = 200_000;

fn workload(name: &str) -> Result<Workload, String> {
    let known = Workload::ALL.into_iter().find(|it| it.name() == name);
    known.ok_or_else(|| format!("there are {}", Workload::ALL.map(Workload::name).join(", ")))
}

impl Args {
    fn workloads(&self) -> Vec<Workload> {
        let asked = |it: &Workload| self.workload.is_empty() || self.workload.contains(it);
        Workload::ALL.into_iter().filter(asked).collect()
    }

    fn events(&self, workload: Workload) -> u64 {
        self.events.unwrap_or(match workload {
            Workload::Computing => 30_000_000,
            Workload::Messages => 16_000_000,
            Workload::Locks => 8_000_000,
        })
    }
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

#[expect(clippy::print_stdout, reason = "an answer to the benchmark that called")]
fn run(args: &Args) -> Result<(), Error> {
    if let Some(anchor) = &args.checksum {
        println!("{}", Checksum::from_archive(anchor)?);
        return Ok(());
    }
    if let Some(folder) = &args.prepare {
        return prepare(args, folder);
    }
    let mut workshop = Workshop::open()?;
    let tools = Tools { lotse: Lotse::find(args.lotse.as_deref())?, hyperfine: None };
    let readers = Readers::prepare(&mut workshop, &tools.lotse)?;
    let archives = Archives::write(args, &workshop)?;
    let journal = journal(args, &tools, &mut workshop, &archives)?;
    let mut session = Session { workshop, readers, archives, journal, checksums: Vec::new(), failure: None };
    for number in 0..args.rounds {
        session.make_round(args, number)?;
    }
    show(&session.journal.records(KIND)?)?;
    session.failure.map_or(Ok(()), Err)
}

/// The large trace of a workload.
fn write_large(args: &Args, workload: Workload, folder: &Path) -> Result<Archive, Error> {
    Archive::write(Shape::of_events(workload, args.events(workload)), folder)
}

#[expect(clippy::print_stdout, reason = "what was asked for")]
fn prepare(args: &Args, folder: &Path) -> Result<(), Error> {
    for workload in args.workloads() {
        let archive = write_large(args, workload, &folder.join(workload.name()))?;
        println!("{}: {} events", archive.anchor.display(), archive.events);
    }
    Ok(())
}

/// The traces: of each workload a large one, of the first smaller ones for slow readers.
struct Archives {
    large: Vec<(Workload, Archive)>,
    to_print: Archive,
    for_python: Archive,
}

impl Archives {
    fn write(args: &Args, workshop: &Workshop) -> Result<Self, Error> {
        let large = |workload: Workload| {
            Ok((workload, write_large(args, workload, &workshop.path(workload.name()))?))
        };
        let small = |name: &str, events: u64| {
            let events = events.min(args.events(Workload::Computing));
            Archive::write(Shape::of_events(Workload::Computing, events), &workshop.path(name))
        };
        Ok(Self {
            large: args.workloads().into_iter().map(large).collect::<Result<_, Error>>()?,
            to_print: small("to-print", EVENTS_TO_PRINT)?,
            for_python: small("for-python", EVENTS_FOR_PYTHON)?,
        })
    }

    fn read_by(&self, reader: Reader, workload: usize) -> &Archive {
        match reader {
            Reader::Print => &self.to_print,
            Reader::Python => &self.for_python,
            _ => &self.large[workload].1,
        }
    }
}

#[expect(clippy::print_stdout, reason = "the head of what a benchmark prints")]
fn journal(
    args: &Args,
    tools: &Tools,
    workshop: &mut Workshop,
    archives: &Archives,
) -> Result<Journal, Error> {
    let path = args.journal.clone().unwrap_or_else(|| workshop.path("journal.jsonl"));
    let sizes: Vec<Value> = archives.large.iter().map(size).collect();
    let header = Header {
        benchmark: "trace_speed".to_owned(),
        date: date::now(),
        machine: Machine::this(),
        versions: Versions::query(tools, workshop)?,
        parameters: json!({"traces": sizes, "otf2": library_version(workshop)}),
        facts: Value::Null,
    };
    let load = load_average();
    let journal = Journal::open(&path, header, || Ok(Value::Null))?;
    let Header { date, machine, versions, parameters, .. } = &journal.header;
    println!("trace_speed, begun {date}, {} records so far", journal.len());
    println!("machine: {}, load {}", machine.summary(), table::decimals_or_dash(load, 2));
    println!(
        "versions: {}, {} build, {}, parameters: {parameters}\n",
        versions.lotse, versions.profile, versions.gcc
    );
    Ok(journal)
}

fn size((workload, archive): &(Workload, Archive)) -> Value {
    json!({"workload": workload, "events": archive.events, "bytes": archive.bytes})
}

/// The version of the library; absent if it is not installed, which building against it has reported before.
fn library_version(workshop: &mut Workshop) -> Option<String> {
    let words = ["pkg-config", "--modversion", "otf2"].map(str::to_owned);
    Some(workshop.run("pkg-config", &words, &[0]).ok()?.stdout.trim().to_owned())
}

/// The state of a measurement.
struct Session {
    workshop: Workshop,
    readers: Readers,
    archives: Archives,
    journal: Journal,
    /// The checksums of the large traces, by the first reader that counted.
    checksums: Vec<(Workload, Checksum)>,
    /// The first error; the other readers are measured nevertheless.
    failure: Option<Error>,
}

impl Session {
    fn make_round(&mut self, args: &Args, number: u32) -> Result<(), Error> {
        for (place, workload) in args.workloads().into_iter().enumerate() {
            for reader in contenders(args, workload, number) {
                self.measure(reader, (place, workload), number)?;
            }
        }
        Ok(())
    }

    fn measure(
        &mut self,
        reader: Reader,
        (place, workload): (usize, Workload),
        number: u32,
    ) -> Result<(), Error> {
        let done: Vec<Record> = self.journal.records(KIND)?;
        if done.iter().any(|it| (it.reader, it.workload, it.number) == (reader, workload, number)) {
            return Ok(());
        }
        let archive = self.archives.read_by(reader, place);
        let (anchor, events) = (archive.anchor.clone(), archive.events);
        match self.readers.measure(reader, &anchor, &mut self.workshop) {
            Ok((measured, counted)) => {
                self.judge(reader, workload, counted, events);
                self.journal.append(KIND, &Record { reader, workload, number, events, measured })?;
            }
            Err(error) => self.note(error),
        }
        Ok(())
    }

    /// Checks that all readers saw the same number of events, and Lotse and the library the same fields.
    fn judge(&mut self, reader: Reader, workload: Workload, counted: Option<Checksum>, events: u64) {
        let Some(counted) = counted else { return };
        let is_summed = matches!(reader, Reader::Lotse | Reader::Library);
        let known = self.checksums.iter().find(|it| it.0 == workload && is_summed).map(|it| it.1);
        if is_summed && known.is_none() {
            self.checksums.push((workload, counted));
        }
        let expected = known.unwrap_or(counted);
        if counted != expected || counted.events != events {
            let what = format!("{events} events that add up to {}: it has {counted}", expected.sum);
            self.note(Error::Answer { tool: reader.name(), what });
        }
    }

    #[expect(clippy::print_stderr, reason = "a comparison with something missing must not look complete")]
    fn note(&mut self, error: Error) {
        eprintln!("{error}");
        self.failure.get_or_insert(error);
    }
}

/// The readers of a round, starting with another one in each round.
fn contenders(args: &Args, workload: Workload, number: u32) -> Vec<Reader> {
    let mut all = vec![Reader::Lotse, Reader::Library];
    if number % 2 == 1 {
        all.reverse();
    }
    if !args.no_analysis {
        all.extend([Reader::Quick, Reader::QuickOnTwo, Reader::Analysis, Reader::AnalysisOnTwo]);
    }
    if number == 0 && workload == Workload::Computing {
        all.extend([Reader::Print, Reader::Python]);
    }
    all
}
