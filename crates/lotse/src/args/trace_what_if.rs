//! `lotse trace what-if` as clap reads it: changes as people write them.

use clap::Args;

use super::trace::{CutArgs, InputArgs, OutputArgs};

#[derive(Debug, Args)]
pub(crate) struct WhatIfArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    /// A call path takes no time of its own, what it calls still does: `main/solve`, or its end; on one process
    /// `solve@3`, on one thread `solve@3.1`
    #[arg(long, value_name = "PATH")]
    pub(crate) zero: Vec<String>,
    /// A call path takes another time of its own: `main/solve=0.5` for half of it; on one process `solve@3=0.5`
    #[arg(long, value_name = "PATH=FACTOR", value_parser = scale)]
    pub(crate) scale: Vec<(String, f64)>,
    /// A call path takes the mean of its own time on every location that spends time in it: call by call where all make
    /// the same number of calls
    #[arg(long, value_name = "PATH")]
    pub(crate) balance: Vec<String>,
    /// Messages take longer (`+5us`), shorter (`-1us`) or a multiple (`x0.5`)
    #[arg(long, value_name = "±TIME|xFACTOR", value_parser = latency, allow_hyphen_values = true)]
    pub(crate) latency: Option<LatencyArg>,
    /// A kind of wait does not happen: `late_sender`, or at one call path `late_sender@main/MPI_Recv`
    #[arg(long, value_name = "METRIC[@PATH]")]
    pub(crate) remove: Vec<String>,
    /// The own time of a call path with a lock held is spent before acquiring the lock
    #[arg(long, value_name = "PATH")]
    pub(crate) outside_lock: Vec<String>,
    /// Show at most N rows, 0 for all [default: 10, with --csv all]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Which table --csv prints, instead of the first of these
    #[arg(long, value_parser = ["bounds", "changed"], requires = "csv")]
    pub(crate) table: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How the time of messages changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LatencyArg {
    /// Seconds more, or less.
    Add(f64),
    /// So many times.
    Times(f64),
}

fn scale(text: &str) -> Result<(String, f64), String> {
    let (path, factor) =
        text.rsplit_once('=').ok_or_else(|| format!("'{text}' has no factor: write PATH=0.5"))?;
    Ok((path.to_owned(), positive(factor)?))
}

fn positive(text: &str) -> Result<f64, String> {
    let factor: f64 = text.trim().parse().map_err(|_| format!("'{text}' is not a number"))?;
    if factor.is_finite() && factor >= 0.0 { Ok(factor) } else { Err(format!("'{text}' is not 0 or more")) }
}

fn latency(text: &str) -> Result<LatencyArg, String> {
    if let Some(factor) = text.strip_prefix(['x', '*', '×']) {
        return positive(factor).map(LatencyArg::Times);
    }
    let seconds = |text: &str| {
        if !text.ends_with(char::is_alphabetic) {
            return Err(format!("'{text}' has no unit: write +5us, +1ms or +2s"));
        }
        super::parse_duration(text).map(|duration| duration.as_secs_f64())
    };
    match text.split_at_checked(1) {
        Some(("+", rest)) => seconds(rest).map(LatencyArg::Add),
        Some(("-", rest)) => seconds(rest).map(|less| LatencyArg::Add(-less)),
        _ => Err(format!("'{text}' is neither a change such as +5us or -1us nor a factor such as x0.5")),
    }
}

#[cfg(test)]
mod tests {
    use super::{LatencyArg, latency, scale};

    #[test]
    fn factors_follow_the_last_equals_sign() {
        assert_eq!(scale("main/a=b=0.5"), Ok(("main/a=b".to_owned(), 0.5)));
        for bad in ["main", "main=", "main=-1", "main=x", "main=inf"] {
            assert!(scale(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn latencies_are_changes_or_factors() {
        for (text, expected) in [
            ("+5us", LatencyArg::Add(5e-6)),
            ("-1ms", LatencyArg::Add(-1e-3)),
            ("x0.5", LatencyArg::Times(0.5)),
            ("x0", LatencyArg::Times(0.0)),
        ] {
            assert_eq!(latency(text), Ok(expected), "{text}");
        }
        for bad in ["", "5us", "+5", "-0.5", "+", "+x", "x-1", "y2", "±1us"] {
            assert!(latency(bad).is_err(), "{bad}");
        }
    }
}
