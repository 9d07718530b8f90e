//! The options every benchmark has: where the tools are, where results go.

use std::path::PathBuf;

use serde_json::Value;

use crate::date;
use crate::error::Error;
use crate::hyperfine::Hyperfine;
use crate::journal::{Header, Journal};
use crate::lotse::Lotse;
use crate::machine::{Machine, Versions};
use crate::workshop::Workshop;

/// On the command line.
#[derive(Debug, Clone, clap::Args)]
pub struct ToolArgs {
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    pub lotse: Option<PathBuf>,
    /// hyperfine [default: the one on PATH]
    #[arg(long, value_name = "PATH")]
    pub hyperfine: Option<PathBuf>,
    /// Where results are kept; a rerun with the same parameters goes on there [default: a file with today's
    /// date in benchmarks/results]
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
}

/// The tools found.
#[derive(Debug)]
pub struct Tools {
    /// Lotse.
    pub lotse: Lotse,
    /// The peer, where there is one.
    pub hyperfine: Option<Hyperfine>,
}

impl Tools {
    /// Looks for all of them; says so where the peer is missing.
    #[expect(clippy::print_stderr, reason = "a comparison without its peer must not look complete")]
    pub fn find(args: &ToolArgs, workshop: &mut Workshop) -> Result<Self, Error> {
        let lotse = Lotse::find(args.lotse.as_deref())?;
        let hyperfine = Hyperfine::find(args.hyperfine.as_deref(), workshop)?;
        if hyperfine.is_none() {
            eprintln!(
                "no hyperfine, so no comparison with it: cargo install hyperfine --ignore-rust-version, \
                 or give --hyperfine PATH"
            );
        }
        Ok(Self { lotse, hyperfine })
    }
}

impl ToolArgs {
    /// Opens the journal; what is measured once and kept for good (`facts`) is made only for a new one.
    #[expect(clippy::print_stdout, reason = "the head of what a benchmark prints")]
    pub fn journal(
        &self,
        name: &str,
        versions: Versions,
        parameters: Value,
        facts: impl FnOnce() -> Result<Value, Error>,
    ) -> Result<Journal, Error> {
        let path = self.journal.clone().unwrap_or_else(|| default_journal(name));
        let benchmark = name.split('-').next().unwrap_or(name).to_owned();
        let (date, machine) = (date::now(), Machine::this());
        let header = Header { benchmark, date, machine, versions, parameters, facts: Value::Null };
        let journal = Journal::open(&path, header, facts)?;
        let Header { date, machine, versions, parameters, facts, .. } = &journal.header;
        println!("{name}, begun {date}, {} records so far in {}", journal.len(), path.display());
        println!("machine: {}", machine.summary());
        println!("versions: {}", versions.summary());
        println!("parameters: {parameters}, facts: {facts}\n");
        Ok(journal)
    }
}

fn default_journal(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results");
    folder.join(format!("{}-{name}.jsonl", date::today()))
}
