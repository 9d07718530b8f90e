//! `lotse spy sites` and `lotse spy phases`: lists of sites at which structures are made, and of the phases of structures.

use lotse_report::Document;
use lotse_spy::answer::{PhasesAnswer, SitesAnswer};
use lotse_spy::{CodeTable, SiteSummary, report};
use serde::Serialize;

use super::digest::digest;
use super::input;
use crate::args::spy::SpySitesArgs;
use crate::exit::{Exit, Failure};
use crate::export::rendered;
use crate::screen;

pub(crate) fn sites(args: &SpySitesArgs) -> Result<Exit, Failure> {
    list(args, report::sites, SitesAnswer::new)
}

pub(crate) fn phases(args: &SpySitesArgs) -> Result<Exit, Failure> {
    list(args, report::phases, PhasesAnswer::new)
}

/// Prints the sites whose place matches, as a table, CSV or JSON; `sites` and `phases` differ only in how a row looks.
fn list<A: Serialize>(
    args: &SpySitesArgs,
    document: impl Fn(&[&SiteSummary], &CodeTable, usize) -> Document,
    answer: impl Fn(&[&SiteSummary], &CodeTable) -> A,
) -> Result<Exit, Failure> {
    let source = input::open(&args.history)?;
    let history = input::read(&source)?;
    let digest = digest(&source, &history, &args.reading)?;
    let codes = &digest.codes;
    let found: Vec<&SiteSummary> = digest
        .program
        .sites()
        .iter()
        .filter(|site| is_selected(args.site.as_deref(), &report::place(codes, site.site)))
        .collect();
    if let (Some(site), true) = (&args.site, found.is_empty()) {
        return Err(Failure::usage(format!(
            "no structure is made at `{site}`; `lotse spy sites` lists where"
        )));
    }
    if args.json {
        return screen::json(&answer(&found, codes));
    }
    // CSV has all rows unless a limit is given.
    let limit = match args.limit {
        Some(0) => usize::MAX,
        Some(limit) => limit,
        None if args.csv => usize::MAX,
        None => 20,
    };
    let document = document(&found, codes, limit);
    if args.csv {
        let table = rendered(&document, "csv")?;
        return screen::write(|out| out.write_all(&table));
    }
    screen::document(&document)
}

/// Whether a place contains the text asked for. A text that ends in a digit must be at the end of the place, so that `a.rs:4`
/// does not match `a.rs:41`.
pub(super) fn is_selected(site: Option<&str>, place: &str) -> bool {
    site.is_none_or(|site| {
        place.contains(site) && (!site.ends_with(|last: char| last.is_ascii_digit()) || place.ends_with(site))
    })
}
