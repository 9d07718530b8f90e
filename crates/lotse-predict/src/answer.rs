//! The JSON answers of `lotse predict`. Times are in seconds. The schemas are published in `docs/schema`.
//!
//! Doc comments of types and fields below become descriptions in the schemas.

use std::collections::BTreeMap;

use lotse_model::Finding;
use lotse_model::site::SourceSite;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compare::Comparison;
use crate::concrete::Values;
use crate::locality::Start;
use crate::machine::Machine;
use crate::nest::{Function, SourcePosition};
use crate::question::FunctionAnalysis;
use crate::sweep::{Regime, SweepPoint};
use crate::time::{Assumptions, LEVEL, LoopTime};

mod list;

pub use list::{FunctionOutcome, ListAnswer, ListedAnswer};

/// The question that an answer belongs to: a function of a file, its parameter values and the assumptions.
#[derive(Debug, Clone, Copy)]
pub struct FunctionQuery<'a> {
    /// The path of the source as the user gave it.
    pub file: &'a str,
    pub function: &'a Function,
    pub values: &'a Values,
    pub assumptions: Assumptions<'a>,
}

/// A machine, and whether its constants were measured.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MachineAnswer {
    pub(crate) name: String,
    pub(crate) clock_ghz: f64,
    /// The day on which its constants were measured; absent if they are typical ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) calibrated: Option<String>,
    /// Bytes of each cache.
    pub(crate) caches: BTreeMap<String, u64>,
}

/// The compiler, the initial cache state and the machine that times are predicted for.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TimeBasis {
    pub(crate) machine: MachineAnswer,
    /// The compiler that is assumed, or the one that `--compile` names.
    pub(crate) assumes: String,
    /// Whether the prediction uses the instructions of compiled loops.
    pub(crate) compiled: bool,
    /// The state of the caches before the function starts: "warm" or "cold".
    pub(crate) cache: String,
}

/// The common beginning of all answers about a function.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AnswerHead {
    schema: String,
    #[serde(flatten)]
    pub(crate) basis: TimeBasis,
    pub(crate) function: String,
    pub(crate) site: SourceSite,
    pub(crate) parameters: BTreeMap<String, i64>,
    /// Assumptions about what the source does not state.
    pub(crate) assumptions: Vec<String>,
}

/// What `lotse predict FILE --function F --json` prints.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FunctionAnswer {
    #[serde(flatten)]
    pub(crate) head: AnswerHead,
    /// Seconds of all that was analysed.
    pub(crate) seconds: f64,
    /// The interval that holds the measured time with the probability `level`.
    pub(crate) interval: [f64; 2],
    pub(crate) level: f64,
    /// Seconds in the best and in the worst case; absent if the time does not depend on data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bound: Option<BoundAnswer>,
    /// Share of the estimated time that comes from analysed loops; refused parts count with a nominal time.
    pub(crate) coverage: f64,
    /// What limits the loop that takes most of the time.
    pub(crate) limit: Option<String>,
    /// Every loop, without the loops in it.
    pub(crate) loops: Vec<LoopAnswer>,
    /// Seconds as a formula of the parameters, for values at which the same limits hold.
    pub(crate) formula: String,
    /// Parts that are not covered.
    pub(crate) refused: Vec<RefusedAnswer>,
    pub(crate) findings: Vec<Finding>,
}

/// Bounds of a time that depends on data. `seconds` lies between them: it is the typical case if the source shows which
/// elements can be selected, else the geometric mean of the bounds. Loops are assumed not to end early.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BoundAnswer {
    /// Seconds in the best case.
    pub(crate) least: f64,
    /// Seconds in the worst case.
    pub(crate) most: f64,
    /// Where and why the time depends on data.
    pub(crate) because: Vec<RefusedAnswer>,
}

/// One loop.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LoopAnswer {
    pub(crate) site: SourceSite,
    pub(crate) variable: String,
    /// Loops around it.
    pub(crate) depth: usize,
    pub(crate) iterations: f64,
    pub(crate) operations: f64,
    /// Different bytes that one execution touches.
    pub(crate) footprint_bytes: f64,
    pub(crate) footprint_lines: f64,
    /// Lines that each cache had to fetch.
    pub(crate) misses: BTreeMap<String, f64>,
    /// Seconds of the loop without the loops in it.
    pub(crate) seconds: f64,
    pub(crate) limit: String,
    pub(crate) why: String,
    /// Iterations that one instruction does; 1 if the loop is not vectorised.
    pub(crate) lanes: f64,
    /// Whether iterations, addresses or branches depend on data, so that the two numbers of `range` differ.
    pub(crate) bounded: bool,
    /// Seconds in the best and in the worst case.
    pub(crate) range: [f64; 2],
}

/// A part that is not covered.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RefusedAnswer {
    pub(crate) site: SourceSite,
    pub(crate) reason: String,
}

/// What `lotse predict FILE --sweep N=a..b --json` prints.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SweepAnswer {
    #[serde(flatten)]
    pub(crate) head: AnswerHead,
    pub(crate) parameter: String,
    pub(crate) points: Vec<PointAnswer>,
    /// The largest value at which all data fit each cache.
    pub(crate) leaves: BTreeMap<String, i64>,
}

/// The time at one value.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PointAnswer {
    pub(crate) value: i64,
    pub(crate) seconds: f64,
    pub(crate) interval: [f64; 2],
    pub(crate) limit: Option<String>,
}

/// What `lotse predict FILE --tile --json` prints.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TileAnswer {
    #[serde(flatten)]
    pub(crate) head: AnswerHead,
    /// The parameters that are the tile size.
    pub(crate) parameter: Vec<String>,
    /// Sizes, the fastest first.
    pub(crate) sizes: Vec<PointAnswer>,
}

/// What `lotse predict FILE --compare FILE2 --json` prints.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CompareAnswer {
    schema: String,
    pub(crate) first: FunctionAnswer,
    pub(crate) second: FunctionAnswer,
    /// Seconds of the first divided by those of the second; absent where a time lacks parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ratio: Option<f64>,
    /// The probability that the first is faster; absent where a time lacks parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) first_is_faster: Option<f64>,
}

impl MachineAnswer {
    fn new(machine: &Machine) -> Self {
        let caches = machine.caches.iter().map(|cache| (cache.name.clone(), cache.capacity)).collect();
        let calibrated = machine.calibration.as_ref().map(|calibration| calibration.date.clone());
        Self { name: machine.name.clone(), clock_ghz: machine.core.clock_ghz, calibrated, caches }
    }
}

impl AnswerHead {
    /// The compiler, the initial cache state and the machine that the time is predicted for.
    pub(crate) fn note(&self) -> String {
        self.basis.note()
    }
}

impl TimeBasis {
    /// The same as a sentence.
    pub(crate) fn note(&self) -> String {
        let trust = match &self.machine.calibrated {
            Some(date) => format!("measured on {date}"),
            None => "with typical constants; `lotse predict calibrate` measures them".to_owned(),
        };
        let known = if self.compiled { "Compiled by" } else { "Assumed:" };
        format!("{known} {}, a {} cache, and {} ({trust}).", self.assumes, self.cache, self.machine.name)
    }
}

impl FunctionQuery<'_> {
    /// A position in the source as a site of an answer; unknown lines and columns are left out.
    pub fn site(&self, place: SourcePosition) -> SourceSite {
        SourceSite {
            file: self.file.to_owned(),
            line: Some(place.line).filter(|line| *line > 0),
            column: Some(place.column).filter(|column| *column > 0),
            function: Some(self.function.name.clone()),
        }
    }

    pub(crate) fn basis(&self) -> TimeBasis {
        TimeBasis {
            machine: MachineAnswer::new(self.assumptions.machine),
            assumes: self.assumptions.compiler_name().to_owned(),
            compiled: self.assumptions.compiled.is_some(),
            cache: cache_name(self.assumptions.start).to_owned(),
        }
    }

    pub(crate) fn head(&self, schema: &'static str) -> AnswerHead {
        let symbols = &self.function.symbols;
        let values = self.values.iter().map(|(symbol, value)| (symbols.name(symbol).to_owned(), value));
        AnswerHead {
            schema: schema.to_owned(),
            basis: self.basis(),
            function: self.function.name.clone(),
            site: self.site(self.function.place),
            parameters: values.collect(),
            assumptions: self.function.assumptions.clone(),
        }
    }

    pub(crate) fn refused(&self, analysed: &FunctionAnalysis) -> Vec<RefusedAnswer> {
        let row = |(place, reason): &(SourcePosition, String)| RefusedAnswer {
            site: self.site(*place),
            reason: reason.clone(),
        };
        analysed.refused.iter().map(row).collect()
    }

    fn bound(&self, analysed: &FunctionAnalysis) -> Option<BoundAnswer> {
        let prediction = &analysed.prediction;
        let (least, most) = prediction.range;
        let row = |(place, reason): &(SourcePosition, String)| RefusedAnswer {
            site: self.site(*place),
            reason: reason.clone(),
        };
        (least < most).then(|| BoundAnswer {
            least,
            most,
            because: prediction.because().into_iter().map(row).collect(),
        })
    }

    fn loop_answer(&self, time: &LoopTime) -> LoopAnswer {
        let names = self.assumptions.machine.caches.iter().map(|cache| cache.name.clone());
        LoopAnswer {
            site: self.site(time.place),
            variable: time.variable.clone(),
            depth: time.depth,
            iterations: time.iterations,
            operations: time.operations,
            footprint_bytes: time.footprint_bytes,
            footprint_lines: time.footprint_lines,
            misses: names.zip(time.misses.iter().copied()).collect(),
            seconds: time.seconds,
            limit: time.limit.name(),
            why: time.why.clone(),
            lanes: time.lanes,
            bounded: time.is_bounded(),
            range: time.range.into(),
        }
    }
}

impl LoopAnswer {
    /// "line 7 (k)"; a line that is not known is "?".
    pub(crate) fn label(&self) -> String {
        let line = self.site.line.map_or_else(|| "?".to_owned(), |line| line.to_string());
        format!("line {line} ({})", self.variable)
    }
}

/// The name of an initial cache state in answers and options.
pub fn cache_name(start: Start) -> &'static str {
    match start {
        Start::Warm => "warm",
        Start::Cold => "cold",
    }
}

impl FunctionAnswer {
    /// The answer about one function.
    pub fn new(query: FunctionQuery<'_>, analysed: &FunctionAnalysis, findings: Vec<Finding>) -> Self {
        let prediction = &analysed.prediction;
        Self {
            head: query.head("lotse.predict/1"),
            seconds: prediction.seconds,
            interval: prediction.interval.into(),
            level: LEVEL,
            bound: query.bound(analysed),
            coverage: prediction.coverage,
            limit: prediction.limit.as_ref().map(crate::time::Limit::name),
            loops: prediction.loops.iter().map(|time| query.loop_answer(time)).collect(),
            formula: prediction.formula.clone(),
            refused: query.refused(analysed),
            findings,
        }
    }
}

impl PointAnswer {
    pub(crate) fn new(point: &SweepPoint) -> Self {
        let limit = point.limit.as_ref().map(crate::time::Limit::name);
        Self { value: point.value, seconds: point.seconds, interval: point.interval.into(), limit }
    }
}

impl SweepAnswer {
    /// The answer about a sweep.
    pub fn new(query: FunctionQuery<'_>, parameter: &str, points: &[SweepPoint], regimes: &[Regime]) -> Self {
        Self {
            head: query.head("lotse.predict.sweep/1"),
            parameter: parameter.to_owned(),
            points: points.iter().map(PointAnswer::new).collect(),
            leaves: regimes.iter().map(|regime| (regime.cache.clone(), regime.last)).collect(),
        }
    }
}

impl TileAnswer {
    /// The answer about tile sizes.
    pub fn new(query: FunctionQuery<'_>, parameter: Vec<String>, sizes: &[SweepPoint]) -> Self {
        let sizes = sizes.iter().map(PointAnswer::new).collect();
        Self { head: query.head("lotse.predict.tile/1"), parameter, sizes }
    }
}

impl CompareAnswer {
    /// The answer about two functions; without a verdict if a time is not complete.
    pub fn new(
        first: FunctionAnswer,
        second: FunctionAnswer,
        comparison: &Comparison,
        complete: bool,
    ) -> Self {
        let ratio = Some(comparison.ratio).filter(|_| complete);
        let first_is_faster = Some(comparison.first_is_faster).filter(|_| complete);
        Self { schema: "lotse.predict.compare/1".to_owned(), first, second, ratio, first_is_faster }
    }
}
