//! The ways of running an empty program many times, and what each costs per run.

use std::path::Path;
use std::time::Instant;

use lotse_host::Job;
use lotse_stats::descriptive::{maximum, mean, median, minimum};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::tools::Tools;
use crate::workshop::Workshop;

/// A way of running a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contender {
    /// `posix_spawn` and `wait4` from a small C program.
    Bare,
    /// The launcher that Lotse starts all runs with, called in a loop.
    Launcher,
    /// `lotse bench --runs`, from its start to its end.
    Lotse,
    /// `hyperfine -N --runs`, from its start to its end.
    Hyperfine,
    /// GNU time, one run, for its peak memory only.
    GnuTime,
}

impl Contender {
    /// All of them; the first is what the others are compared with.
    pub const ALL: [Self; 5] = [Self::Bare, Self::Launcher, Self::Lotse, Self::Hyperfine, Self::GnuTime];

    /// What the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bare => "posix_spawn + wait4",
            Self::Launcher => "Lotse's launcher",
            Self::Lotse => "lotse bench",
            Self::Hyperfine => "hyperfine -N",
            Self::GnuTime => "GNU time",
        }
    }
}

/// The costs of one contender in one round. Figures that it does not report are absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Which round.
    pub number: u32,
    /// The program that was run.
    pub program: String,
    pub contender: Contender,
    /// Nanoseconds per run, everything included.
    pub whole_ns: Option<f64>,
    /// Nanoseconds per run of the program, as the contender reports them.
    pub inside_ns: Option<f64>,
    /// CPU nanoseconds per run of contender and program together.
    pub cpu_ns: Option<f64>,
    /// Peak memory of the program in bytes.
    pub peak_bytes: Option<f64>,
}

/// Runs a program of the workshop with a contender; `None` if the contender is not installed.
pub fn measure(
    workshop: &mut Workshop,
    tools: &Tools,
    options: &RoundOptions<'_>,
    contender: Contender,
) -> Result<Option<Round>, Error> {
    match contender {
        Contender::Bare => bare(workshop, options).map(Some),
        Contender::Launcher => launcher(workshop, options).map(Some),
        Contender::Lotse => lotse(workshop, tools, options).map(Some),
        Contender::Hyperfine => hyperfine(workshop, tools, options),
        Contender::GnuTime => gnu_time(workshop, options),
    }
}

/// The parameters of a round, the same for all contenders.
#[derive(Debug, Clone, Copy)]
pub struct RoundOptions<'a> {
    /// Which round.
    pub number: u32,
    /// Name of the program in the workshop.
    pub program: &'a str,
    pub runs: u32,
}

impl RoundOptions<'_> {
    fn command(&self) -> String {
        format!("./{}", self.program)
    }

    fn nothing_from(&self, contender: Contender) -> Round {
        Round {
            number: self.number,
            program: self.program.to_owned(),
            contender,
            whole_ns: None,
            inside_ns: None,
            cpu_ns: None,
            peak_bytes: None,
        }
    }

    /// Nanoseconds per run from seconds for all.
    fn each(&self, seconds: f64) -> Option<f64> {
        Some(seconds * 1e9 / f64::from(self.runs))
    }
}

fn bare(workshop: &mut Workshop, options: &RoundOptions<'_>) -> Result<Round, Error> {
    let argv = ["./spawn".to_owned(), options.runs.to_string(), options.command()];
    let finished = workshop.run("the spawning program", &argv, &[0])?;
    let figures: Vec<f64> = finished.stdout.split_ascii_whitespace().flat_map(str::parse).collect();
    let [whole, inside, kib] = figures[..] else {
        return Err(Error::Answer { tool: "the spawning program", what: "three figures".to_owned() });
    };
    Ok(Round {
        whole_ns: Some(whole),
        inside_ns: Some(inside),
        cpu_ns: options.each(finished.cpu_seconds),
        peak_bytes: Some(kib * 1024.0),
        ..options.nothing_from(Contender::Bare)
    })
}

fn launcher(workshop: &mut Workshop, options: &RoundOptions<'_>) -> Result<Round, Error> {
    let job = Job::new([workshop.path(options.program)]);
    let (mut inside, mut peak) = (0, 0);
    let begin = Instant::now();
    for _ in 0..options.runs {
        let report = workshop.launcher().run(&job)?;
        if !report.end.is_success() {
            return Err(Error::Tool { tool: "the empty program", end: report.end, output: String::new() });
        }
        inside += report.wall_ns;
        peak = peak.max(report.usage.max_resident_bytes);
    }
    let whole = begin.elapsed().as_secs_f64();
    Ok(Round {
        whole_ns: options.each(whole),
        inside_ns: options.each(inside as f64 / 1e9),
        peak_bytes: Some(peak as f64),
        ..options.nothing_from(Contender::Launcher)
    })
}

fn lotse(workshop: &mut Workshop, tools: &Tools, options: &RoundOptions<'_>) -> Result<Round, Error> {
    let arguments = ["--runs", &options.runs.to_string()];
    let (answer, finished) = tools.lotse.bench(workshop, &arguments, &[options.command()])?;
    Ok(Round {
        whole_ns: options.each(finished.seconds),
        inside_ns: Some(mean(answer.first_samples("wall")?)? * 1e9),
        cpu_ns: options.each(finished.cpu_seconds),
        peak_bytes: Some(maximum(answer.first_samples("peak_memory")?)?),
        ..options.nothing_from(Contender::Lotse)
    })
}

fn hyperfine(
    workshop: &mut Workshop,
    tools: &Tools,
    options: &RoundOptions<'_>,
) -> Result<Option<Round>, Error> {
    let Some(hyperfine) = &tools.hyperfine else { return Ok(None) };
    let export = hyperfine.run(workshop, options.runs, &[options.command()])?;
    let walls = export.samples("time_wall_clock")?.concat();
    let peaks = export.samples("memory_peak_resident")?.concat();
    Ok(Some(Round {
        whole_ns: options.each(export.finished.seconds),
        inside_ns: Some(mean(&walls)? * 1e9),
        cpu_ns: options.each(export.finished.cpu_seconds),
        peak_bytes: Some(maximum(&peaks)?),
        ..options.nothing_from(Contender::Hyperfine)
    }))
}

fn gnu_time(workshop: &mut Workshop, options: &RoundOptions<'_>) -> Result<Option<Round>, Error> {
    const PATH: &str = "/usr/bin/time";
    if !Path::new(PATH).exists() {
        return Ok(None);
    }
    let argv = [PATH, "-f", "%M", &options.command()].map(str::to_owned);
    let output = workshop.run("GNU time", &argv, &[0])?.stderr;
    let kib: f64 = output.trim().parse().map_err(|_| Error::Answer {
        tool: "GNU time",
        what: format!("figure, but {:?} (Debian: apt install time)", output.trim()),
    })?;
    Ok(Some(Round { peak_bytes: Some(kib * 1024.0), ..options.nothing_from(Contender::GnuTime) }))
}

/// A figure over all rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    pub least: f64,
    pub median: f64,
    pub most: f64,
}

impl Spread {
    /// Minimum, median and maximum; `None` without values.
    pub fn from_values(values: &[f64]) -> Result<Option<Self>, Error> {
        if values.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { least: minimum(values)?, median: median(values)?, most: maximum(values)? }))
    }
}

/// The values of a contender in all rounds.
pub fn values(rounds: &[Round], contender: Contender, figure: fn(&Round) -> Option<f64>) -> Vec<f64> {
    rounds.iter().filter(|round| round.contender == contender).filter_map(figure).collect()
}

/// The values of a contender divided by those of the bare spawn in the same round.
pub fn ratios(rounds: &[Round], contender: Contender, figure: fn(&Round) -> Option<f64>) -> Vec<f64> {
    let bare = |number| {
        let same = rounds.iter().find(|it| it.contender == Contender::Bare && it.number == number);
        same.and_then(figure)
    };
    let ours = rounds.iter().filter(|round| round.contender == contender);
    ours.filter_map(|round| Some(figure(round)? / bare(round.number)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Contender, Round, RoundOptions, Spread, ratios, values};

    fn round(number: u32, contender: Contender, whole: f64) -> Round {
        let options = RoundOptions { number, program: "empty", runs: 1 };
        Round { whole_ns: Some(whole), ..options.nothing_from(contender) }
    }

    #[test]
    fn ratios_are_within_a_round() {
        let rounds = [
            round(0, Contender::Bare, 100.0),
            round(0, Contender::Lotse, 150.0),
            round(1, Contender::Lotse, 300.0),
            round(1, Contender::Bare, 300.0),
            round(2, Contender::Lotse, 1.0),
        ];
        assert_eq!(ratios(&rounds, Contender::Lotse, |it| it.whole_ns), [1.5, 1.0]);
        assert_eq!(values(&rounds, Contender::Lotse, |it| it.whole_ns), [150.0, 300.0, 1.0]);
        assert!(values(&rounds, Contender::Lotse, |it| it.inside_ns).is_empty());
    }

    #[test]
    fn a_spread_has_its_ends() {
        assert_eq!(Spread::from_values(&[]).unwrap(), None);
        let spread = Spread { least: 1.0, median: 2.0, most: 9.0 };
        assert_eq!(Spread::from_values(&[9.0, 1.0, 2.0]).unwrap(), Some(spread));
    }
}
