//! The predicted time over a range of one parameter, and the values at which the data outgrow a cache.

use crate::concrete::{Instance, Values};
use crate::locality::{Classes, LocalityError, loop_footprints};
use crate::machine::Cache;
use crate::nest::{Expr, Function, Node, Symbol};
use crate::question::analyse;
use crate::time::{Assumptions, Limit};

/// Number of evenly spaced points of a sweep.
const POINTS: i64 = 33;
/// Tile sizes that are ranked.
pub const TILES: &[i64] =
    &[4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 160, 192, 256, 384, 512];

/// The time at one value of the parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPoint {
    pub value: i64,
    pub seconds: f64,
    pub interval: (f64, f64),
    /// The limit of the loop that takes most of the time.
    pub limit: Option<Limit>,
}

/// The range of parameter values up to which the data of the function fit a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regime {
    pub cache: String,
    /// The largest value at which all data fit.
    pub last: i64,
}

/// The times of a function for values of one parameter from `first` to `last`: evenly spaced values, and the two values on
/// both sides of each point at which the data stop fitting a cache.
pub fn sweep(
    function: &Function,
    values: &Values,
    (parameter, first, last): (Symbol, i64, i64),
    assumptions: Assumptions<'_>,
) -> Result<(Vec<SweepPoint>, Vec<Regime>), LocalityError> {
    let steps = (last - first).clamp(1, POINTS - 1);
    let mut samples: Vec<i64> = (0..=steps).map(|step| first + (last - first) * step / steps).collect();
    let mut regimes = Vec::new();
    for cache in &assumptions.machine.caches {
        if let Some(last) = last_that_fits(function, values, (parameter, first, last), cache)? {
            samples.extend([last, last + 1]);
            regimes.push(Regime { cache: cache.name.clone(), last });
        }
    }
    samples.sort_unstable();
    samples.dedup();
    let points =
        samples.into_iter().map(|value| point_at(function, values, &[parameter], value, assumptions));
    Ok((points.collect::<Result<_, _>>()?, regimes))
}

/// The predicted time with all of `parameters` set to `value`.
fn point_at(
    function: &Function,
    values: &Values,
    parameters: &[Symbol],
    value: i64,
    assumptions: Assumptions<'_>,
) -> Result<SweepPoint, LocalityError> {
    let mut values = values.clone();
    parameters.iter().for_each(|parameter| values.set(*parameter, value));
    let prediction = analyse(function, &values, assumptions)?.prediction;
    let (seconds, interval, limit) = (prediction.seconds, prediction.interval, prediction.limit);
    Ok(SweepPoint { value, seconds, interval, limit })
}

/// The largest value at which all data of the function fit the cache, found by bisection; `None` unless they fit at `first` and
/// do not fit at `last`.
fn last_that_fits(
    function: &Function,
    values: &Values,
    (parameter, first, last): (Symbol, i64, i64),
    cache: &Cache,
) -> Result<Option<i64>, LocalityError> {
    let fits = |value: i64| -> Result<bool, LocalityError> {
        let mut values = values.clone();
        values.set(parameter, value);
        let instance = Instance::new(function, &values);
        let footprints = loop_footprints(&instance, &Classes::new(&instance), cache.line)?;
        let largest = footprints.iter().map(|(_, footprint)| footprint.bytes).fold(0.0, f64::max);
        Ok(largest <= cache.capacity as f64)
    };
    let (mut low, mut high) = (first, last);
    if !fits(low)? || fits(high)? {
        return Ok(None);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(Some(low))
}

/// The parameters that are the step of a loop, that is, tile sizes.
pub fn tile_parameters(function: &Function) -> Vec<Symbol> {
    fn collect(nodes: &[Node], found: &mut Vec<Symbol>) {
        for node in nodes {
            match node {
                Node::Loop(inner) => {
                    if let Expr::Symbol(symbol) = inner.step
                        && !found.contains(&symbol)
                    {
                        found.push(symbol);
                    }
                    collect(&inner.body, found);
                }
                Node::Branch(branch) => {
                    collect(&branch.then, found);
                    collect(&branch.otherwise, found);
                }
                Node::Statement(_) | Node::Refused(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    collect(&function.body, &mut found);
    found
}

/// The times of a function for different tile sizes, the fastest first.
pub fn tiles(
    function: &Function,
    values: &Values,
    (parameters, sizes): (&[Symbol], &[i64]),
    assumptions: Assumptions<'_>,
) -> Result<Vec<SweepPoint>, LocalityError> {
    let points = sizes.iter().map(|size| point_at(function, values, parameters, *size, assumptions));
    let mut points = points.collect::<Result<Vec<_>, _>>()?;
    points.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::{Regime, sweep, tile_parameters, tiles};
    use crate::concrete::Values;
    use crate::front::c;
    use crate::locality::Start;
    use crate::machine::{Cache, Machine};
    use crate::time::{Assumptions, Compiler};

    fn machine() -> Machine {
        let cache = |name: &str, capacity| Cache { name: name.to_owned(), capacity, line: 64, ways: 8 };
        Machine::typical("test", vec![cache("L1", 32768), cache("L2", 1 << 20)]).unwrap()
    }

    /// Two matrices of doubles fit 1 MiB up to N = 256: 16 N^2 <= 2^20.
    #[test]
    fn regimes_change_where_the_data_leave_a_cache() {
        let source = "double a[N][N], b[N][N]; void f(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) b[j][i] = a[i][j]; }";
        let function = c::functions(source).unwrap().remove(0);
        let machine = machine();
        let assumptions =
            Assumptions { machine: &machine, compiler: Compiler::GccO2, start: Start::Warm, compiled: None };
        let parameter = function.symbols.find_parameter("N").unwrap();
        let (points, regimes) =
            sweep(&function, &Values::default(), (parameter, 10, 2000), assumptions).unwrap();
        let expected = [("L1", 45), ("L2", 256)].map(|(cache, last)| Regime { cache: cache.into(), last });
        assert_eq!(regimes, expected);
        assert!(points.windows(2).all(|pair| pair[0].value < pair[1].value));
        assert!(points.last().unwrap().seconds > 1000.0 * points[0].seconds);
    }

    #[test]
    fn tiles_are_found_and_ranked() {
        let source = "#define B 16\nfloat a[N][N], b[N][N]; void f(void) { for (int it = 0; it < N; it += B) for (int jt = 0; jt < N; jt += B) for (int i = it; i < it + B && i < N; i++) for (int j = jt; j < jt + B && j < N; j++) b[j][i] = a[i][j]; }";
        let function = c::functions(source).unwrap().remove(0);
        let machine = machine();
        let assumptions =
            Assumptions { machine: &machine, compiler: Compiler::GccO2, start: Start::Warm, compiled: None };
        let parameters = tile_parameters(&function);
        assert_eq!(parameters.len(), 1);
        let values = Values::named(&function, &[("N", 4000)]);
        let ranked = tiles(&function, &values, (&parameters, &[4, 32, 512]), assumptions).unwrap();
        assert_eq!(ranked.len(), 3);
        assert!(ranked.windows(2).all(|pair| pair[0].seconds <= pair[1].seconds));
        // A tile of 512 columns touches 512 lines of b again and again with gaps of 16000 bytes: too large for L1.
        assert!(ranked[0].value < 256, "{:?}", ranked[0]);
    }
}
