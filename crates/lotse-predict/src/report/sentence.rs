//! The time of a function in one sentence, and what it depends on.
//!
//! ```text
//! influence of the data                sentence
//! none                                 mm takes about 1.3 s (0.9 s to 1.8 s with a probability of 80 %) at N = 1000.
//! small                                count takes about 2 ms; data decide between 1.5 ms and 3 ms (…)
//! large                                gather takes between 0.4 ms and 74 ms, as data decide (…)
//! the best case takes almost no time   find takes at most 1.3 ms (…)
//! ```

use lotse_report::number::format_seconds;
use lotse_report::{Block, Document, Inline};

use super::parameters_text;
use crate::answer::FunctionQuery;
use crate::nest::SourcePosition;
use crate::question::FunctionAnalysis;

/// If worst and best case differ by more than this factor, the sentence gives both and no estimate between them.
const FAR: f64 = 4.0;
/// A best case below this share of the worst case counts as zero.
const NOTHING: f64 = 0.02;

/// What the sentence says about a function.
pub(crate) struct TimeStatement<'a> {
    pub(crate) name: &'a str,
    /// The parameter values as " at N = 1000"; empty if there are none.
    pub(crate) at: String,
    pub(crate) has_loops: bool,
    /// Whether all parts of the function are analysed.
    pub(crate) is_complete: bool,
    pub(crate) seconds: f64,
    pub(crate) interval: (f64, f64),
    /// The best and the worst case.
    pub(crate) range: (f64, f64),
}

/// The first sentence of a function's document: its time, or bounds of it (see the table above).
pub(super) fn sentence(query: FunctionQuery<'_>, analysed: &FunctionAnalysis) -> String {
    let prediction = &analysed.prediction;
    let statement = TimeStatement {
        name: &query.function.name,
        at: parameters_text(query),
        has_loops: !prediction.loops.is_empty(),
        is_complete: analysed.refused.is_empty(),
        seconds: prediction.seconds,
        interval: prediction.interval,
        range: prediction.range,
    };
    statement.sentence()
}

impl TimeStatement<'_> {
    /// The time, or bounds of it (see the table above).
    pub(crate) fn sentence(&self) -> String {
        let (name, at) = (self.name, &self.at);
        if !self.has_loops {
            return format!("{name} has no loop that could be analysed.");
        }
        let interval = interval(self.interval);
        let (low, high) = self.range;
        let (best, worst, seconds) =
            (format_seconds(low), format_seconds(high), format_seconds(self.seconds));
        if !self.is_complete {
            // The lower end of an interval of 80 % leaves 10 % below it.
            let surely = format_seconds(self.interval.0);
            return format!(
                "{name} takes at least about {best}{at}, with a probability of 90 % more than {surely}: parts are not analysed."
            );
        }
        if low >= high {
            return format!("{name} takes about {seconds} ({interval} with a probability of 80 %){at}.");
        }
        let constants = format!("; with the error of the constants {interval}");
        if low <= NOTHING * high {
            format!("{name} takes at most {worst}{at}, and less if data decide so{constants}.")
        } else if high > FAR * low {
            format!("{name} takes between {best} and {worst}{at}, as data decide{constants}.")
        } else {
            format!("{name} takes about {seconds}{at}; data decide between {best} and {worst}{constants}.")
        }
    }
}

fn interval((low, high): (f64, f64)) -> String {
    format!("{} to {}", format_seconds(low), format_seconds(high))
}

/// Lists where the time depends on data: lines and reasons.
pub(super) fn push_data_dependences(document: &mut Document, analysed: &FunctionAnalysis) {
    let because = analysed.prediction.because();
    if because.is_empty() {
        return;
    }
    document.paragraph("Data decide here about the time:");
    let row = |(place, reason): &&(SourcePosition, String)| {
        vec![Inline::Text(format!("line {}: {reason}", place.line))]
    };
    document.push(Block::List(because.iter().take(8).map(row).collect()));
    if because.len() > 8 {
        document.paragraph(format!("… and {} more; --json has all.", because.len() - 8));
    }
}
