//! The tiled matrix product of the paper: measured, fitted and predicted.

use std::fs;
use std::path::{Path, PathBuf};

use lotse_predict::concrete::{Instance, Values};
use lotse_predict::fit::{Intercept, Observation, PowerFit, nonnegative, power};
use lotse_predict::locality::{Classes, Start, paper_variables};
use lotse_predict::machine::Machine;
use lotse_predict::nest::Function;
use lotse_predict::question::{Language, analyse};
use lotse_predict::sweep::{TILES, tile_parameters, tiles};
use lotse_predict::time::{Assumptions, Compiler, Prediction};

use crate::error::Error;
use crate::workshop::Workshop;

const SOURCE: &str = include_str!("../../programs/predict_tiles/tiled.c");
const HARNESS: &str = include_str!("../../programs/predict_tiles/harness.c");

/// A product of N by N matrices in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Rows.
    pub n: i64,
    /// Rows of a tile.
    pub tile: i64,
}

/// A size with its time.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredTile {
    /// What was measured.
    pub size: Size,
    /// The fastest call.
    pub seconds: f64,
}

/// Compiles the product.
pub fn build(workshop: &mut Workshop) -> Result<PathBuf, Error> {
    let source = workshop.path("product.c");
    fs::write(&source, SOURCE).map_err(Error::file("write", &source))?;
    workshop.compile("tiled", HARNESS, &["product.c", "-DROWS_BEGIN=rows[0]", "-DROWS_END=rows[1]"])
}

/// So many times are to be within [`NEAR`] of the fastest: then it is not the luck of one moment.
const CONFIRMED: usize = 3;
const NEAR: f64 = 1.015;

fn is_confirmed(times: &[f64]) -> bool {
    let fastest = times.iter().copied().fold(f64::MAX, f64::min);
    times.iter().filter(|time| **time <= NEAR * fastest).count() >= CONFIRMED
}

/// The fastest time of each size. Sizes are measured in turn until the fastest time of each is confirmed, in so many rounds
/// at most; the number is that of the sizes of which it was not.
pub fn measure(
    workshop: &mut Workshop,
    program: &Path,
    sizes: &[Size],
    rounds: u32,
) -> Result<(Vec<MeasuredTile>, usize), Error> {
    let mut all: Vec<(Size, Vec<f64>)> = sizes.iter().map(|size| (*size, Vec::new())).collect();
    for round in 0..rounds {
        // A long product is the sum of many rows, so that its fastest time is steady sooner.
        let is_due = |(size, times): &&mut (Size, Vec<f64>)| {
            !is_confirmed(times) && (size.n <= 600 || round < rounds.div_ceil(5))
        };
        for (Size { n, tile }, times) in all.iter_mut().filter(is_due) {
            let argv = [program.display().to_string(), n.to_string(), tile.to_string()];
            let output = workshop.run("the product", &argv, &[0])?.stdout;
            let missing = || Error::Answer { tool: "the product", what: "time".to_owned() };
            let nanoseconds: f64 = output.trim().parse().map_err(|_| missing())?;
            times.push(nanoseconds * 1e-9);
        }
    }
    let unconfirmed = all.iter().filter(|(_, times)| !is_confirmed(times)).count();
    let fastest = |times: Vec<f64>| times.into_iter().fold(f64::MAX, f64::min);
    let measured =
        all.into_iter().map(|(size, times)| MeasuredTile { size, seconds: fastest(times) }).collect();
    Ok((measured, unconfirmed))
}

/// The product and the machine.
pub struct Product {
    function: Function,
    machine: Machine,
}

/// Models that are fitted to measured times.
pub struct Models {
    power: PowerFit,
    constants: Vec<f64>,
    /// What the prediction from the source is multiplied by for each tile, fitted to its sizes alone.
    of_tile: Vec<(i64, f64)>,
}

/// The largest relative error of each model.
pub struct Errors {
    /// The paper's.
    pub power: f64,
    /// Non-negative constants for iterations, entries, ends that are not foreseen, and misses.
    pub analytic: f64,
    /// From the source, times a factor that is fitted to the sizes of one tile: one nest, other sizes.
    pub of_tile: f64,
    /// From the source and the machine, nothing fitted.
    pub source: f64,
}

fn wrong(error: &dyn std::error::Error) -> Error {
    Error::Answer { tool: "predict", what: error.to_string() }
}

impl Product {
    /// The product on a machine.
    pub fn new(machine: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(machine).map_err(Error::file("read", machine))?;
        let machine = Machine::from_toml(&text).map_err(|error| wrong(&error))?;
        let functions = Language::C.functions(SOURCE).map_err(|error| wrong(&error))?;
        let function = functions.into_iter().find(|function| function.name == "tiled");
        let missing = || Error::Answer { tool: "predict", what: "no function tiled".to_owned() };
        Ok(Self { function: function.ok_or_else(missing)?, machine })
    }

    fn assumptions(&self) -> Assumptions<'_> {
        Assumptions { machine: &self.machine, compiler: Compiler::GccO2, start: Start::Warm, compiled: None }
    }

    fn values(&self, size: Size) -> Values {
        Values::named(&self.function, &[("n", size.n), ("b", size.tile)])
    }

    fn predict(&self, size: Size) -> Result<Prediction, Error> {
        let analysed = analyse(&self.function, &self.values(size), self.assumptions());
        Ok(analysed.map_err(|error| wrong(&error))?.prediction)
    }

    /// Iterations, entries of the innermost loop, those whose end is not foreseen, and misses of each cache.
    fn terms(&self, size: Size) -> Result<Vec<f64>, Error> {
        let prediction = self.predict(size)?;
        let mut terms = vec![0.0; 3];
        for time in prediction.loops.iter().filter(|time| time.is_innermost) {
            terms[0] += time.iterations;
            terms[1] += time.entries;
            let is_long = time.iterations > self.machine.core.predicted_trips * time.entries;
            terms[2] += if is_long { time.entries } else { 0.0 };
        }
        for level in 0..self.machine.caches.len() {
            terms.push(prediction.loops.iter().filter_map(|time| time.misses.get(level)).sum());
        }
        Ok(terms)
    }

    fn observation(&self, size: Size, time: f64) -> Result<Observation, Error> {
        let values = self.values(size);
        let instance = Instance::new(&self.function, &values);
        let classes = Classes::new(&instance);
        let first = self.machine.caches.first();
        let first = first.ok_or_else(|| Error::Answer { tool: "predict", what: "no cache".to_owned() })?;
        let variables = paper_variables(&instance, &classes, first).map_err(|error| wrong(&error))?;
        Ok(Observation { x1: variables.x1, x2: variables.x2, x3: variables.x3, time })
    }

    /// Both models.
    pub fn fit(&self, points: &[MeasuredTile]) -> Result<Models, Error> {
        let observations: Vec<Observation> = points
            .iter()
            .map(|point| self.observation(point.size, point.seconds))
            .collect::<Result<_, _>>()?;
        let power = power::fit(&observations, Intercept::Free)?;
        let mut tiles: Vec<i64> = points.iter().map(|point| point.size.tile).collect();
        tiles.sort_unstable();
        tiles.dedup();
        let of_tile = |tile: i64| {
            let own: Vec<MeasuredTile> =
                points.iter().filter(|point| point.size.tile == tile).copied().collect();
            Ok((tile, self.factor(&own)?))
        };
        let of_tile = tiles.into_iter().map(of_tile).collect::<Result<_, Error>>()?;
        Ok(Models { power, constants: self.constants(points)?, of_tile })
    }

    /// How much longer some points take than predicted from the source.
    fn factor(&self, points: &[MeasuredTile]) -> Result<f64, Error> {
        let predicted = points.iter().map(|point| Ok(self.predict(point.size)?.seconds));
        let column = predicted.collect::<Result<Vec<f64>, Error>>()?;
        let times: Vec<f64> = points.iter().map(|point| point.seconds).collect();
        Ok(nonnegative::fit(&[column], &times)?.coefficients.iter().sum())
    }

    fn constants(&self, points: &[MeasuredTile]) -> Result<Vec<f64>, Error> {
        let rows: Vec<Vec<f64>> =
            points.iter().map(|point| self.terms(point.size)).collect::<Result<_, _>>()?;
        let times: Vec<f64> = points.iter().map(|point| point.seconds).collect();
        let width = rows.first().map_or(0, Vec::len);
        let columns: Vec<Vec<f64>> = (0..width).map(|at| rows.iter().map(|row| row[at]).collect()).collect();
        Ok(nonnegative::fit(&columns, &times)?.coefficients)
    }

    /// The tile that is predicted to be the fastest.
    pub fn best_tile(&self, n: i64) -> Result<i64, Error> {
        let parameters = tile_parameters(&self.function);
        let values = self.values(Size { n, tile: 16 });
        let ranked = tiles(&self.function, &values, (&parameters, TILES), self.assumptions());
        let ranked = ranked.map_err(|error| wrong(&error))?;
        let none = || Error::Answer { tool: "predict", what: "no tile".to_owned() };
        ranked.first().map(|point| point.value).ok_or_else(none)
    }
}

impl Models {
    /// The largest relative error over some points.
    pub fn errors(&self, product: &Product, points: &[&MeasuredTile]) -> Result<Errors, Error> {
        let mut errors = Errors { power: 0.0, analytic: 0.0, of_tile: 0.0, source: 0.0 };
        for point in points {
            let error = |predicted: f64| (predicted / point.seconds - 1.0).abs();
            let Observation { x1, x2, x3, .. } = product.observation(point.size, point.seconds)?;
            let terms = product.terms(point.size)?;
            let sum =
                |constants: &[f64]| terms.iter().zip(constants).map(|(term, constant)| term * constant).sum();
            let own = self.of_tile.iter().find(|(tile, _)| *tile == point.size.tile);
            let source = product.predict(point.size)?.seconds;
            errors.of_tile = errors.of_tile.max(own.map_or(f64::NAN, |(_, factor)| error(factor * source)));
            errors.power = errors.power.max(error(self.power.predict(x1, x2, x3)));
            errors.analytic = errors.analytic.max(error(sum(&self.constants)));
            errors.source = errors.source.max(error(source));
        }
        Ok(errors)
    }
}

#[cfg(test)]
mod tests {
    use super::{MeasuredTile, Product, Size, is_confirmed};

    const MACHINE: &str =
        "name = \"test\"\n[[cache]]\nname = \"L1\"\ncapacity = 32768\nline = 64\nways = 8\n";

    fn product() -> Product {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), MACHINE).unwrap();
        Product::new(file.path()).unwrap()
    }

    #[test]
    fn one_fast_moment_is_not_enough() {
        assert!(!is_confirmed(&[]));
        assert!(!is_confirmed(&[1.0, 1.01, 1.02]));
        assert!(!is_confirmed(&[0.9, 1.0, 1.0, 1.0]));
        assert!(is_confirmed(&[1.01, 2.0, 1.0, 1.012]));
    }

    #[test]
    fn the_source_is_understood() {
        let product = product();
        let terms = product.terms(Size { n: 96, tile: 16 }).unwrap();
        assert_eq!(terms[0], 96.0_f64.powi(3), "iterations");
        assert_eq!(terms[1], 96.0_f64.powi(3) / 16.0, "entries of the innermost loop");
        assert_eq!(terms[2], 0.0, "ends after 16 iterations are foreseen");
        let best = product.best_tile(512).unwrap();
        assert!((8..=64).contains(&best), "{best}");
    }

    /// Times that follow the terms exactly are found again, at other sizes, too.
    #[test]
    fn a_fit_to_exact_times_is_exact() {
        let product = product();
        let time = |size: Size| {
            let terms = product.terms(size).unwrap();
            MeasuredTile { size, seconds: 1e-9 * terms[0] + 5e-9 * terms[1] }
        };
        let sizes = [64, 96, 128, 200, 256, 300].iter();
        let points: Vec<MeasuredTile> =
            sizes.flat_map(|n| [16, 20, 24].map(|tile| time(Size { n: *n, tile }))).collect();
        let models = product.fit(&points).unwrap();
        let queried = [time(Size { n: 150, tile: 20 }), time(Size { n: 600, tile: 16 })];
        let errors = models.errors(&product, &queried.iter().collect::<Vec<_>>()).unwrap();
        assert!(errors.analytic < 0.02, "{}", errors.analytic);
        assert!(errors.source > 0.0);
        // What takes three times as long as predicted at some sizes takes three times as long at others.
        let thrice =
            |size: Size| MeasuredTile { size, seconds: 3.0 * product.predict(size).unwrap().seconds };
        let points: Vec<MeasuredTile> = [64, 96, 200].map(|n| thrice(Size { n, tile: 16 })).to_vec();
        let queried = thrice(Size { n: 400, tile: 16 });
        let errors = product.fit(&points).unwrap().errors(&product, &[&queried]).unwrap();
        assert!(errors.of_tile < 1e-6 && errors.source > 0.6, "{} {}", errors.of_tile, errors.source);
    }
}
