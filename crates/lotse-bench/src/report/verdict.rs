//! Comparisons in sentences: the verdict in plain words, then the numbers.

use lotse_model::metric::{CPU, WALL};
use lotse_report::Role;
use lotse_report::number::{IntervalEnd, format_count, format_percent};

use crate::answer::{Comparison, Verdict};

mod fastest;

pub(super) use fastest::fastest;

/// Ratios beyond this are written as factors, smaller ones as percentages.
const FACTOR: f64 = 1.1;
/// An interval whose ends differ by more than this factor is written as factors, not as percentages.
const WIDEST: f64 = 10.0;
/// Fewer blocks cannot bound a ratio at 95 %.
const FEW_BLOCKS: u32 = 6;
/// An interval without width.
const EXACT: &str = "exactly";
/// Decimals of a ratio that are shown at most.
const MOST_DECIMALS: usize = 9;
/// If more runs would be needed, the sentence says that more runs would hardly decide.
const MOST_RUNS: f64 = 100_000.0;

/// The comparison in a sentence, with the role that colours it.
pub fn sentence(comparison: &Comparison) -> (Role, String) {
    let Comparison { program, reference, .. } = comparison;
    match comparison.verdict {
        Verdict::Faster | Verdict::Slower if comparison.within_delta => {
            let delta = percent(comparison.delta);
            (Role::Strong, format!("{}; within --delta {delta}, too small to matter", difference(comparison)))
        }
        Verdict::Faster => (Role::Good, difference(comparison)),
        Verdict::Slower => (Role::Bad, difference(comparison)),
        Verdict::Equivalent => {
            let (verb, noun, delta) =
                (verb(&comparison.metric), noun(&comparison.metric), percent(comparison.delta));
            let text =
                format!("{program} and {reference} {verb} the same {noun}: no difference above {delta}");
            (Role::Strong, format!("{text}{}", in_brackets(comparison, &between(comparison))))
        }
        Verdict::Undecided => (Role::Strong, undecided(comparison)),
    }
}

/// "new is 2.2 times faster than old (95 %: 1.8 to 2.9)"; other metrics than the time have no speed.
fn difference(comparison: &Comparison) -> String {
    let Comparison { program, reference, metric, .. } = comparison;
    let Some(ratio) = comparison.ratio.filter(|ratio| *ratio > 0.0) else {
        return format!("{program} differs from {reference} in {}", noun(metric));
    };
    let scale = RatioFormat::new(comparison, ratio);
    let (amount, interval) = (scale.text(ratio), scale.interval(comparison));
    let (more, less) = if is_counted(metric) { ("more", "fewer") } else { ("more", "less") };
    let direction = if ratio < 1.0 { less } else { more };
    let claim = match (scale.is_factor, metric.as_str(), ratio < 1.0) {
        (true, WALL, true) => format!("{program} is {amount} times faster than {reference}"),
        (true, WALL, false) => format!("{program} is {amount} times slower than {reference}"),
        (true, _, true) => {
            format!("{program} {}s {amount} times {less} {} than {reference}", verb(metric), noun(metric))
        }
        (true, _, false) => {
            let much = if is_counted(metric) { "many" } else { "much" };
            format!("{program} {}s {amount} times as {much} {} as {reference}", verb(metric), noun(metric))
        }
        (false, ..) => {
            format!("{program} {}s {amount} {direction} {} than {reference}", verb(metric), noun(metric))
        }
    };
    format!("{claim}{}", in_brackets(comparison, &interval))
}

/// The interval so far, and about how many runs would decide.
fn undecided(comparison: &Comparison) -> String {
    let Comparison { program, reference, metric, .. } = comparison;
    let noun = noun(metric);
    let known = match comparison.interval {
        [Some(low), Some(high)] if high < WIDEST * low => {
            format!("{program} {}s {} {noun} than {reference}", verb(metric), changes(low, high))
        }
        [Some(low), Some(high)] => format!(
            "the {noun} of {program} is {} to {} times that of {reference}",
            IntervalEnd::Low.significant(low, 2),
            IntervalEnd::High.significant(high, 2)
        ),
        _ if comparison.blocks < FEW_BLOCKS => {
            format!("too few {}s to bound the {noun} of {program} against {reference}", comparison.repeated())
        }
        _ => format!("these runs do not bound the {noun} of {program} against {reference}"),
    };
    let is_bounded = comparison.interval.iter().all(Option::is_some);
    let level = if is_bounded { format!(" ({})", percent(comparison.level)) } else { String::new() };
    let runs = match needed_runs(comparison) {
        Some(runs) if runs <= MOST_RUNS => {
            format!("; about {} {}s of each would decide", format_count(runs), comparison.repeated())
        }
        Some(_) => format!("; more {}s would hardly decide", comparison.repeated()),
        None => String::new(),
    };
    format!("undecided: {known}{level}{runs}")
}

/// Estimated number of runs that would decide an undecided comparison: the interval narrows with the square root of the number
/// of runs, until it excludes 1 or lies within delta of 1. The estimate is always larger than the number of runs made.
///
/// With a ratio of 1.03 known to a factor of 1.06 after 20 runs, and a delta of 1 %, it has to become half as wide: 80.
pub(crate) fn needed_runs(comparison: &Comparison) -> Option<f64> {
    let [Some(low), Some(high)] = comparison.interval else { return None };
    let ratio = comparison.ratio?.ln();
    let (below, above) = (ratio - low.ln(), high.ln() - ratio);
    let delta = comparison.delta.ln_1p();
    // How many times narrower each side has to become.
    let leaves_one = match ratio {
        0.0 => f64::INFINITY,
        ratio if ratio > 0.0 => below / ratio,
        ratio => above / -ratio,
    };
    let is_near = ratio.abs() < delta;
    let within_delta =
        if is_near { (below / (delta + ratio)).max(above / (delta - ratio)) } else { f64::INFINITY };
    let blocks = f64::from(comparison.blocks);
    let runs = (blocks * leaves_one.min(within_delta).powi(2)).ceil().max(blocks + 1.0);
    runs.is_finite().then(|| rounded(runs))
}

/// Rounded up to two digits, since it is an estimate.
fn rounded(number: f64) -> f64 {
    let step = 10_f64.powf((number.max(1.0).log10().floor() - 1.0).max(0.0));
    (number / step).ceil() * step
}

/// The ratio, its interval, the number of blocks and why measuring stopped, for the line below the table.
pub(super) fn detail(comparison: &Comparison) -> String {
    let Comparison { program, reference, metric, .. } = comparison;
    let ratio = comparison.ratio.map_or("no ratio".to_owned(), |ratio| format!("{ratio:.4}"));
    let interval = match comparison.interval {
        [Some(low), Some(high)] if low == high => "exact".to_owned(),
        [Some(low), Some(high)] => {
            format!("{}: {}", percent(comparison.level), bounds(low, high))
        }
        [Some(low), None] => format!("at least {}", bound(low, IntervalEnd::Low)),
        [None, Some(high)] => format!("at most {}", bound(high, IntervalEnd::High)),
        [None, None] => "not bounded".to_owned(),
    };
    format!(
        "{metric} of {program} / {reference}: {ratio} ({interval}); {}, {}",
        counted(comparison),
        ending(&comparison.stopped_by)
    )
}

/// How many blocks went into a comparison, or runs of each program where they were not interleaved.
pub(crate) fn counted(comparison: &Comparison) -> String {
    match (comparison.runs, comparison.blocks) {
        (Some([1, 1]), _) => "1 run each".to_owned(),
        (Some([own, other]), _) if own == other => format!("{own} runs each"),
        (Some([own, other]), _) => format!("{own} and {other} runs"),
        (None, units) if comparison.units.is_some() => format!("{units} {}s", comparison.repeated()),
        (None, 1) => "1 block".to_owned(),
        (None, blocks) => format!("{blocks} blocks"),
    }
}

/// An end of an interval with four decimals, or as many more as it needs to differ from 1: the text must not include
/// 1 where the interval does not. It is rounded outwards.
pub(super) fn bound(value: f64, end: IntervalEnd) -> String {
    let texts = (4..12).map(|decimals| format!("{:.decimals$}", end.rounded(value, decimals)));
    let differs = |text: &String| value == 1.0 || text.parse() != Ok(1.0_f64);
    texts.into_iter().find(differs).unwrap_or_else(|| value.to_string())
}

/// Both ends of an interval.
pub(crate) fn bounds(low: f64, high: f64) -> String {
    format!("{} to {}", bound(low, IntervalEnd::Low), bound(high, IntervalEnd::High))
}

/// Why measuring stopped, by the word JSON has for it.
fn ending(stopped_by: &str) -> &'static str {
    match stopped_by {
        "verdict" => "stopped when the answer was clear",
        "precision" => "stopped when the ratio was precise enough",
        "limit" => "stopped when --max-regression was decided",
        "budget" => "stopped when the --budget was over",
        "runs" => "as asked",
        "interrupt" => "stopped by hand",
        "failure" => "stopped because a program kept failing",
        "hook" => "stopped because a command around the runs failed",
        "launcher" => "stopped because programs could no longer be started",
        "error" => "stopped by an error",
        _ => "read from a file",
    }
}

/// What a metric is called in a sentence.
pub(super) fn noun(metric: &str) -> String {
    match metric {
        WALL => "time".to_owned(),
        CPU => "CPU time".to_owned(),
        "user" | "system" => format!("{metric} time"),
        other => other.replace('_', " "),
    }
}

/// A program takes time and needs everything else.
fn verb(metric: &str) -> &'static str {
    if matches!(metric, WALL | CPU | "user" | "system") { "take" } else { "need" }
}

/// Whether a metric is a count: a sentence then says `fewer` (instructions) and not `less` (memory).
fn is_counted(metric: &str) -> bool {
    metric.ends_with('s') && !metric.ends_with("ss")
}

fn in_brackets(comparison: &Comparison, interval: &str) -> String {
    match interval {
        "" => String::new(),
        EXACT => format!(" ({EXACT})"),
        _ => format!(" ({}: {interval})", percent(comparison.level)),
    }
}

/// `0.8 % less to 0.2 % more`
fn between(comparison: &Comparison) -> String {
    match comparison.interval {
        [Some(low), Some(high)] if low < high => changes(low, high),
        _ => String::new(),
    }
}

/// The changes of both ends of an interval, rounded outwards.
fn changes(low: f64, high: f64) -> String {
    let outward = |end: IntervalEnd, ratio: f64| {
        change(1.0 + end.rounded(100.0 * (ratio - 1.0), percent_decimals((ratio - 1.0).abs())) / 100.0)
    };
    format!("{} to {}", outward(IntervalEnd::Low, low), outward(IntervalEnd::High, high))
}

/// `4.4 % less`
fn change(ratio: f64) -> String {
    match ratio {
        ratio if ratio > 1.0 => format!("{} more", percent(ratio - 1.0)),
        ratio if ratio < 1.0 => format!("{} less", percent(1.0 - ratio)),
        _ => "0 %".to_owned(),
    }
}

/// How the numbers of one sentence are written: as factors or as percentages, with digits that fit the interval.
struct RatioFormat {
    is_factor: bool,
    decimals: usize,
}

impl RatioFormat {
    fn new(comparison: &Comparison, ratio: f64) -> Self {
        let is_factor = size(ratio) >= FACTOR;
        let ends = comparison.interval.map(|end| end.map_or(ratio, |end| end.max(f64::MIN_POSITIVE)));
        let scale = |ratio: f64| if is_factor { size(ratio) } else { 100.0 * (ratio - 1.0).abs() };
        let width = (scale(ends[0]) - scale(ends[1])).abs();
        let decimals = if width > 0.0 { (-width.log10()).ceil().clamp(1.0, 4.0) as usize } else { 2 };
        let enough = |decimals: &usize| Self { is_factor, decimals: *decimals }.shows(ends);
        let decimals = (decimals..=MOST_DECIMALS).find(enough).unwrap_or(decimals);
        Self { is_factor, decimals }
    }

    /// Whether the rounded ends still differ from each other and from 1 where the exact ends do.
    fn shows(&self, [low, high]: [f64; 2]) -> bool {
        let near_and_far =
            |one: f64, other: f64| if size(one) < size(other) { [one, other] } else { [other, one] };
        let [near, far] = near_and_far(low, high);
        let (near_text, far_text) = (self.end(near, IntervalEnd::Low), self.end(far, IntervalEnd::High));
        (low == high || self.text(low) != self.text(high))
            && (near == 1.0 || near_text != self.text(1.0))
            && (far == 1.0 || far_text != self.text(1.0))
    }

    fn text(&self, ratio: f64) -> String {
        self.amount_text(self.amount(ratio))
    }

    /// An end of the interval, rounded outwards: `Low` is the smaller difference, whatever its direction.
    fn end(&self, ratio: f64, end: IntervalEnd) -> String {
        self.amount_text(end.rounded(self.amount(ratio), self.decimals))
    }

    /// The factor, or the difference in percent.
    fn amount(&self, ratio: f64) -> f64 {
        if self.is_factor { size(ratio) } else { 100.0 * (ratio - 1.0).abs() }
    }

    fn amount_text(&self, amount: f64) -> String {
        if self.is_factor {
            format!("{amount:.*}", self.decimals)
        } else {
            format_percent(amount / 100.0, self.decimals)
        }
    }

    /// From the smaller difference to the larger one.
    fn interval(&self, comparison: &Comparison) -> String {
        let nearer_first = match (comparison.verdict, comparison.interval) {
            (Verdict::Faster, [low, high]) => [high, low],
            (_, ends) => ends,
        };
        if let [Some(low), Some(high)] = comparison.interval
            && low == high
        {
            return EXACT.to_owned();
        }
        let near = |ratio: f64| self.end(ratio, IntervalEnd::Low);
        let far = |ratio: f64| self.end(ratio, IntervalEnd::High);
        match nearer_first.map(|end| end.filter(|end| *end > 0.0)) {
            [Some(one), Some(other)] => format!("{} to {}", near(one), far(other)),
            [Some(one), None] => format!("at least {}", near(one)),
            [None, Some(other)] => format!("at most {}", far(other)),
            [None, None] => String::new(),
        }
    }
}

/// The factor between the two programs, at least 1.
fn size(ratio: f64) -> f64 {
    if ratio < 1.0 { 1.0 / ratio } else { ratio }
}

pub(super) fn percent(share: f64) -> String {
    let text = format_percent(share, percent_decimals(share));
    text.replace(".00 %", " %").replace(".0 %", " %")
}

fn percent_decimals(share: f64) -> usize {
    if share < 0.1 { 2 } else { 1 }
}

#[cfg(test)]
mod tests;
