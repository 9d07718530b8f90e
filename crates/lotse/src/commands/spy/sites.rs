//! `lotse spy sites` and `lotse spy phases`: lists.

use lotse_model::bytes::Source as _;
use lotse_report::Document;
use lotse_spy::{CodeTable, SiteSummary, report};
use serde::Serialize;

use super::analyze::{Analysed, analysed};
use super::input;
use crate::args::spy::SpySitesArgs;
use crate::commands::bench_export::rendered;
use crate::exit::{Exit, Failure};
use crate::screen;

/// The answer as JSON has it.
#[derive(Debug, Serialize)]
struct SitesAnswer<'a> {
    schema: &'static str,
    sites: Vec<SiteAnswer<'a>>,
}

#[derive(Debug, Serialize)]
struct SiteAnswer<'a> {
    place: String,
    #[serde(flatten)]
    summary: &'a SiteSummary,
}

pub(crate) fn sites(args: &SpySitesArgs) -> Result<Exit, Failure> {
    list(args, |found, codes, limit| {
        let owned: Vec<SiteSummary> = found.iter().map(|site| (*site).clone()).collect();
        report::sites(&owned, codes, limit)
    })
}

pub(crate) fn phases(args: &SpySitesArgs) -> Result<Exit, Failure> {
    list(args, report::phases)
}

fn list(
    args: &SpySitesArgs,
    document: impl Fn(&[&SiteSummary], &CodeTable, usize) -> Document,
) -> Result<Exit, Failure> {
    let source = input::open(&args.history)?;
    let history = input::read(&source)?;
    let Analysed { decoded, analyses } = analysed(&history)?;
    let codes = decoded.codes();
    let found: Vec<&SiteSummary> = analyses
        .program
        .sites()
        .iter()
        .filter(|site| is_asked(args.site.as_deref(), &report::place(codes, site.site)))
        .collect();
    if let (Some(site), true) = (&args.site, found.is_empty()) {
        return Err(Failure::usage(format!(
            "no structure is made at `{site}`; `lotse spy sites` lists where"
        )));
    }
    let limit = if args.limit == 0 { usize::MAX } else { args.limit };
    if args.json {
        let sites = found
            .iter()
            .map(|site| SiteAnswer { place: report::place(codes, site.site), summary: site })
            .collect();
        return screen::json(&SitesAnswer { schema: "lotse.spy.sites/1", sites });
    }
    let document = document(&found, codes, limit);
    if args.csv {
        let table = rendered(&document, "csv")?;
        return screen::write(|out| out.write_all(&table));
    }
    screen::document(&document)
}

pub(super) fn is_asked(site: Option<&str>, place: &str) -> bool {
    site.is_none_or(|site| {
        place.contains(site) && (!site.ends_with(|last: char| last.is_ascii_digit()) || place.ends_with(site))
    })
}
