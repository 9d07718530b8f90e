//! From a measurement to its record in the store.

use lotse_formats::bench::lotse_log::{self, LogHeader, NotFinite, PlanRecord};
use lotse_model::results::ResultSet;
use lotse_store::{NewResult, ResultFile, ResultId, SourceOrigin, StoredResult};

use super::points::points;
use crate::options::{Options, Stopping};
use crate::trial::Conclusion;

/// Details of a result that are stored with it.
#[derive(Debug, Clone, Default)]
pub struct KeptDetails {
    /// Where the source came from.
    pub origin: SourceOrigin,
    /// Labels of the result.
    pub labels: Vec<String>,
    /// Date, used if the result itself has none.
    pub date: String,
    /// The primary metric.
    pub primary: Option<String>,
}

/// A result with its file, ready to be stored.
pub fn new_result(set: &ResultSet, file: ResultFile, details: KeptDetails) -> NewResult {
    NewResult {
        date: set.date.clone().unwrap_or(details.date),
        origin: details.origin,
        machine: set.machine.clone(),
        labels: details.labels,
        file,
        points: points(set, details.primary.as_deref()),
        primary: details.primary,
    }
}

/// A result in the form of a stored one (with id 0), to compare it with stored results.
pub fn unsaved_entry(result: NewResult) -> StoredResult {
    let NewResult { date, origin, machine, primary, labels, file: _, points } = result;
    StoredResult { id: ResultId(0), date, origin, machine, primary, labels, points }
}

/// The file of a measurement that has just ended: the log that `--out` writes, with the last look only.
pub fn result_file(
    options: &Options,
    set: &ResultSet,
    conclusion: &Conclusion,
) -> Result<ResultFile, NotFinite> {
    let reference = &options.programs[options.reference].program.name;
    let Stopping { alpha, delta, until, .. } = options.stopping;
    let header = LogHeader::from_results(set).with_plan(
        &options.primary,
        reference,
        PlanRecord { alpha, delta, until },
    );
    let text = lotse_log::to_text(&header, set, Some(&conclusion.record()))?;
    Ok(ResultFile { format: lotse_log::FORMAT.id.to_owned(), content: text.into_bytes() })
}
