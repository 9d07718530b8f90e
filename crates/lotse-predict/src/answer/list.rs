//! The answer about all functions of a file that have loops.

use lotse_model::Finding;
use lotse_model::site::SourceSite;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FunctionQuery, RefusedAnswer, TimeBasis};
use crate::question::FunctionAnalysis;

/// What `lotse predict FILE --json` prints.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ListAnswer {
    schema: String,
    pub(crate) file: String,
    /// What the times are predicted for; absent where no function has loops, and in files of earlier versions.
    #[serde(flatten)]
    pub(crate) basis: Option<TimeBasis>,
    /// Functions with loops, the longest time first; those without a time come last.
    pub(crate) functions: Vec<ListedAnswer>,
    /// Functions without loops.
    pub(crate) without_loops: usize,
    /// The findings of all functions, by rank; each names its function. Absent in files of earlier versions.
    #[serde(default)]
    pub(crate) findings: Vec<Finding>,
}

/// One function of a list.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ListedAnswer {
    pub(crate) function: String,
    pub(crate) site: SourceSite,
    /// Absent where parameters have no values or nothing could be analysed.
    pub(crate) seconds: Option<f64>,
    pub(crate) interval: Option<[f64; 2]>,
    pub(crate) coverage: Option<f64>,
    pub(crate) limit: Option<String>,
    /// Parameters without values.
    pub(crate) missing: Vec<String>,
    /// Why there is no time, if it is not for a missing value.
    pub(crate) problem: Option<String>,
    pub(crate) refused: Vec<RefusedAnswer>,
}

/// The outcome of the analysis of one function in a list.
#[derive(Debug, Clone, PartialEq)]
pub enum FunctionOutcome {
    Analysed(FunctionAnalysis),
    /// These parameters have no values.
    Missing(Vec<String>),
    /// Why the function could not be analysed.
    Problem(String),
}

impl ListAnswer {
    /// The functions of a file that have loops, and the findings about them.
    pub fn new(
        file: &str,
        functions: &[(FunctionQuery<'_>, FunctionOutcome)],
        without_loops: usize,
        findings: Vec<Finding>,
    ) -> Self {
        let basis = functions.first().map(|(query, _)| query.basis());
        let functions = functions.iter().map(|(query, outcome)| ListedAnswer::new(*query, outcome)).collect();
        let schema = "lotse.predict.list/1".to_owned();
        Self { schema, file: file.to_owned(), basis, functions, without_loops, findings }
    }
}

impl ListedAnswer {
    /// One row of the list; the fields that the outcome does not have stay empty.
    fn new(query: FunctionQuery<'_>, outcome: &FunctionOutcome) -> Self {
        let mut answer = Self {
            function: query.function.name.clone(),
            site: query.site(query.function.place),
            seconds: None,
            interval: None,
            coverage: None,
            limit: None,
            missing: Vec::new(),
            problem: None,
            refused: Vec::new(),
        };
        match outcome {
            FunctionOutcome::Missing(names) => answer.missing.clone_from(names),
            FunctionOutcome::Problem(problem) => answer.problem = Some(problem.clone()),
            FunctionOutcome::Analysed(analysed) => {
                let prediction = &analysed.prediction;
                answer.seconds = Some(prediction.seconds);
                answer.interval = Some(prediction.interval.into());
                answer.coverage = Some(prediction.coverage);
                answer.limit = prediction.limit.as_ref().map(crate::time::Limit::name);
                answer.refused = query.refused(analysed);
            }
        }
        answer
    }
}
