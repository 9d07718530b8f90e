//! Measures how fast a recorded history is decoded and analysed, in million events per CPU second.
//!
//! `cargo run --release -p lotse-spy --example decoding HISTORY`

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use lotse_formats::history::{History, RingStacks};
use lotse_host::FileSource;
use lotse_model::bytes::Source as _;
use lotse_spy::decode::{Consumer, Decoded, Image, decode_process, processes};
use lotse_spy::{AccessRun, Analyses, CodeId, CodeTable, Instance, InstanceId, Settings};
use lotse_symbols::Binary;

/// Only counts accesses, so that decoding is measured without the analysis.
#[derive(Default)]
struct CountingConsumer(u64);

impl Consumer for CountingConsumer {
    fn created(&mut self, _: Instance) {}
    fn access(&mut self, _: InstanceId, run: AccessRun) {
        self.0 += run.count;
    }
    fn grown(&mut self, _: InstanceId, _: u64, _: u64, _: CodeId) {}
    fn dropped(&mut self, _: InstanceId, _: &CodeTable) {}
}

/// Decodes the history twice, first without and then with the analysis, and prints both rates.
fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which history?")?;
    let source = FileSource::open(Path::new(&path))?;
    let history = History::read(&path, source.bytes())?.value;
    let mut counted = CountingConsumer::default();
    let before = cpu_seconds()?;
    let decoded = decode(&history, &mut counted)?;
    let seconds = cpu_seconds()? - before;
    let events = decoded.coverage.accesses;
    let rate = |seconds: f64| events as f64 / seconds / 1e6;
    println!("{events} loads and stores, {} accesses to structures", counted.0);
    println!("decoded: {seconds:.2} CPU s, {:.1} million / CPU s", rate(seconds));
    let mut analyses = Analyses::new(&Arc::new(Settings::default()), 0);
    let before = cpu_seconds()?;
    let decoded = decode(&history, &mut analyses)?;
    let analysed = analyses.finish(decoded.codes());
    let seconds = cpu_seconds()? - before;
    println!("decoded and analysed: {seconds:.2} CPU s, {:.1} million / CPU s", rate(seconds));
    println!("{} sites", analysed.program.sites().len());
    Ok(())
}

fn decode(history: &History<'_>, consumer: &mut dyn Consumer) -> Result<Decoded, Box<dyn Error>> {
    let mut decoded = Decoded::default();
    let none = RingStacks::default();
    for process in processes(history, &none) {
        let executable = process.executable.ok_or("no executable")?;
        if let Some(names) = history.names.iter().find(|names| names.path == executable.path) {
            let image = Image::stored(names, executable.base, executable.end);
            decode_process(&mut decoded, &image, process.rings, consumer);
            continue;
        }
        let file = FileSource::open(Path::new(executable.path))?;
        let image = Image::new(Binary::parse(file.bytes())?, executable.base, executable.end);
        decode_process(&mut decoded, &image, process.rings, consumer);
    }
    Ok(decoded)
}

/// CPU time of this thread in seconds.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(times.split(' ').next().ok_or("no times")?.parse::<f64>()? / 1e9)
}
