//! The time of a function in one sentence, and what it depends on.
//!
//! ```text
//! data decide about nothing       mm takes about 1.3 s (0.9 s to 1.8 s with a probability of 80 %) at N = 1000.
//! about little                    count takes about 2 ms; data decide between 1.5 ms and 3 ms (…)
//! about much                      gather takes between 0.4 ms and 74 ms, as data decide (…)
//! whether anything is done        find takes at most 1.3 ms (…)
//! ```

use lotse_report::number::format_seconds;
use lotse_report::{Block, Document, Inline};

use super::parameters;
use crate::answer::Asked;
use crate::nest::Place;
use crate::question::Analysed;

/// Bounds that are further apart than this say more than an estimate between them.
const FAR: f64 = 4.0;
/// A best case below this share of the worst one is next to nothing.
const NOTHING: f64 = 0.02;

pub(super) fn sentence(asked: Asked<'_>, analysed: &Analysed) -> String {
    let prediction = &analysed.prediction;
    let name = &asked.function.name;
    if prediction.loops.is_empty() {
        return format!("{name} has no loop that could be analysed.");
    }
    let least = if analysed.refused.is_empty() { "" } else { "at least " };
    let (seconds, at) = (format_seconds(prediction.seconds), parameters(asked));
    let interval = interval(prediction.interval);
    let (low, high) = prediction.range;
    let (best, worst) = (format_seconds(low), format_seconds(high));
    if !least.is_empty() {
        // The lower end of an interval of 80 % leaves 10 % below it.
        let surely = format_seconds(prediction.interval.0);
        return format!(
            "{name} takes {least}about {best}{at}, with a probability of 90 % more than {surely}: parts are not analysed."
        );
    }
    if low >= high {
        return format!("{name} takes {least}about {seconds} ({interval} with a probability of 80 %){at}.");
    }
    let constants = format!("; with the error of the constants {interval}");
    if low <= NOTHING * high {
        let without = if least.is_empty() { "" } else { ", without the parts that are not analysed" };
        format!("{name} takes at most {worst}{at}{without}, and less if data decide so{constants}.")
    } else if high > FAR * low {
        format!("{name} takes {least}between {best} and {worst}{at}, as data decide{constants}.")
    } else {
        format!("{name} takes {least}about {seconds}{at}; data decide between {best} and {worst}{constants}.")
    }
}

fn interval((low, high): (f64, f64)) -> String {
    format!("{} to {}", format_seconds(low), format_seconds(high))
}

/// Lines and reasons of what data decide about.
pub(super) fn decided_by_data(document: &mut Document, analysed: &Analysed) {
    let because = analysed.prediction.because();
    if because.is_empty() {
        return;
    }
    document.paragraph("Data decide here about the time:");
    let row =
        |(place, reason): &&(Place, String)| vec![Inline::Text(format!("line {}: {reason}", place.line))];
    document.push(Block::List(because.iter().take(8).map(row).collect()));
    if because.len() > 8 {
        document.paragraph(format!("… and {} more; --json has all.", because.len() - 8));
    }
}
