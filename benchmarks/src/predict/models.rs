//! Predictions of three models: iterations only, the paper's power model, Lotse's.

use lotse_predict::compiled::Compiled;
use lotse_predict::concrete::{Instance, Values};
use lotse_predict::fit::power::{self, Intercept, Observation, PowerFit};
use lotse_predict::locality::{Classes, Start, paper_variables};
use lotse_predict::machine::Machine;
use lotse_predict::question::analyse;
use lotse_predict::time::{Assumptions, Compiler};
use lotse_stats::descriptive::median;

use super::kernels::Kernel;
use crate::error::Error;

/// A measured kernel at one size, and what is known about it without running it.
#[derive(Debug, Clone)]
pub struct Point {
    /// The position of the kernel.
    pub kernel: usize,
    /// N.
    pub size: i64,
    /// How it was compiled.
    pub compiler: Compiler,
    /// Measured seconds.
    pub measured: f64,
    /// Seconds by Lotse, with the interval.
    pub predicted: f64,
    /// The interval at 80 %.
    pub interval: (f64, f64),
    /// Seconds by Lotse from the compiled loops.
    pub from_code: f64,
    /// What limits it.
    pub limit: String,
    /// The paper's variables.
    pub variables: [f64; 3],
}

/// Lotse's prediction for a kernel at a size: seconds, interval, limit, and the paper's variables.
pub type LotsePrediction = (f64, (f64, f64), String, [f64; 3]);

/// Predicts a kernel at a size with Lotse's model.
pub fn predict(
    kernel: &Kernel,
    size: i64,
    machine: &Machine,
    (compiler, compiled): (Compiler, Option<&Compiled>),
) -> Result<LotsePrediction, Error> {
    let wrong =
        |what: String| Error::Answer { tool: "predict", what: format!("time of {}: {what}", kernel.name) };
    let functions = kernel.language.functions(&kernel.text).map_err(|error| wrong(error.to_string()))?;
    let function = functions.iter().find(|function| function.name == "kernel");
    let function = function.ok_or_else(|| wrong("no function kernel".to_owned()))?;
    let values = Values::named(function, &kernel.values(size));
    let assumptions = Assumptions { machine, compiler, start: Start::Warm, compiled };
    let analysed = analyse(function, &values, assumptions).map_err(|error| wrong(error.to_string()))?;
    if let Some((place, reason)) = analysed.refused.first() {
        return Err(wrong(format!("line {}: {reason}", place.line)));
    }
    let prediction = analysed.prediction;
    let instance = Instance::new(function, &values);
    let classes = Classes::new(&instance);
    let first = machine.caches.first().ok_or_else(|| wrong("no cache".to_owned()))?;
    let variables = paper_variables(&instance, &classes, first).map_err(|error| wrong(error.to_string()))?;
    let limit = prediction.limit.map_or_else(String::new, |limit| limit.name());
    Ok((prediction.seconds, prediction.interval, limit, [variables.x1, variables.x2, variables.x3]))
}

/// Models that are fitted to measured points.
pub struct Fitted {
    /// Seconds of one iteration.
    each: f64,
    power: PowerFit,
}

impl Fitted {
    /// Fits both to points.
    pub fn new(points: &[&Point]) -> Result<Self, Error> {
        let each: Vec<f64> = points.iter().map(|point| point.measured / point.variables[2]).collect();
        let observation = |point: &&Point| {
            let [x1, x2, x3] = point.variables;
            Observation { x1, x2, x3, time: point.measured }
        };
        let observations: Vec<Observation> = points.iter().map(observation).collect();
        Ok(Self { each: median(&each)?, power: power::fit(&observations, Intercept::Free)? })
    }

    /// Seconds by iterations only.
    pub fn by_iterations(&self, point: &Point) -> f64 {
        self.each * point.variables[2]
    }

    /// Seconds by the paper's model.
    pub fn by_power(&self, point: &Point) -> f64 {
        let [x1, x2, x3] = point.variables;
        self.power.predict(x1, x2, x3)
    }
}
