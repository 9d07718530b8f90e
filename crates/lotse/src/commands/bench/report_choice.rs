//! The programs, metrics and columns of a report.

use lotse_bench::answer::Answer;
use lotse_bench::import::{self, Imported};
use lotse_bench::report;
use lotse_bench::select::{Candidate, Selection};
use lotse_formats::bench::codespeed::Codespeed;
use lotse_formats::bench::temci_result;
use lotse_model::id::ProgramId;
use lotse_model::results::{Program, ResultSet};

use super::super::metric_names;
use crate::args::{CodespeedArgs, ReportArgs, ReportFormat};
use crate::exit::{Exit, Failure};
use crate::export::rendered;

/// Removes the programs and metrics that were not asked for.
pub(crate) fn apply(args: &ReportArgs, imported: &mut [Imported]) -> Result<(), Failure> {
    check_tags(args, imported)?;
    let selection = Selection::new(&args.select.include, &args.select.exclude);
    let candidates: Vec<Candidate<'_>> =
        imported.iter().flat_map(|result| &result.set.programs).map(import::candidate).collect();
    selection.check(&candidates).map_err(|error| Failure::new(Exit::Usage, &error))?;
    let excluded: Vec<String> = args.without_metrics.iter().map(|name| own_metric(name)).collect();
    for result in imported.iter_mut() {
        let set = import::selected(&import::with_tags(&result.set, &args.tag), &selection);
        let tagged = |program: &Program| program.tags.iter().any(|tag| args.without_tag.contains(tag));
        let set = set.keep_programs(|program| !tagged(program));
        result.set = import::with_metrics(set, |name| !excluded.iter().any(|metric| metric == name));
    }
    if imported.iter().all(|result| result.set.programs.is_empty()) {
        return Err(Failure::usage("no program is left: every one has a tag of --without-tag"));
    }
    let known = || imported.iter().flat_map(|result| &result.set.metrics).map(|metric| metric.name.as_str());
    match metrics(args).iter().find(|name| !known().any(|known| known == name.as_str())) {
        Some(unknown) => Err(Failure::usage(metric_names::unknown(unknown, known()))),
        None => Ok(()),
    }
}

fn check_tags(args: &ReportArgs, imported: &[Imported]) -> Result<(), Failure> {
    let programs = || imported.iter().flat_map(|result| &result.set.programs);
    let unknown = |tag: &&String| !programs().any(|program| program.tags.contains(tag));
    match args.tag.iter().chain(&args.without_tag).find(unknown) {
        Some(tag) => Err(Failure::usage(format!("no program has the tag '{tag}'"))),
        None => Ok(()),
    }
}

/// The metrics to show, by the names that Lotse uses.
pub(crate) fn metrics(args: &ReportArgs) -> Vec<String> {
    metric_names::expand(&args.metrics).iter().map(|name| own_metric(name)).collect()
}

/// Lotse's name of a metric that may be given by its name in hyperfine or temci.
fn own_metric(name: &str) -> String {
    temci_result::metric_of_property(metric_names::own_name(name))
}

/// A table of the columns asked for.
pub(crate) fn columns(
    args: &ReportArgs,
    format: ReportFormat,
    set: &ResultSet,
    answer: &Answer,
) -> Result<Vec<u8>, Failure> {
    let format = match format {
        ReportFormat::Csv => "csv",
        ReportFormat::Latex => "latex",
        ReportFormat::Markdown => "markdown",
        ReportFormat::Asciidoc => "asciidoc",
        ReportFormat::Org => "orgmode",
        ReportFormat::Terminal => "terminal",
        _ => {
            return Err(Failure::usage(
                "--columns is for tables: use --to csv, latex, markdown, asciidoc or org",
            ));
        }
    };
    let temci_values =
        |program: usize, name: &str| temci_result::values_of_property(set, ProgramId::from(program), name);
    let document = report::columns(answer, &args.columns, &temci_values)
        .map_err(|error| Failure::new(Exit::Usage, &error))?;
    rendered(&document, format)
}

/// The description of the result for codespeed: as given, else from the repository of this folder and from the machine.
pub(crate) fn codespeed(args: &CodespeedArgs, set: &ResultSet) -> Codespeed {
    let head = lotse_host::build::git_head(std::path::Path::new("."));
    let (branch, commit) = head.map_or((None, None), |(branch, commit)| (branch, Some(commit)));
    let measured = || set.machine.as_ref().and_then(|machine| machine.host.clone());
    let host = || lotse_host::fingerprint(env!("CARGO_PKG_VERSION")).host;
    Codespeed {
        project: args.project.clone(),
        executable: args.executable.clone(),
        environment: args.environment.clone().or_else(measured).or_else(host),
        branch: args.branch.clone().or(branch),
        commit: args.commit.clone().or(commit),
    }
}
