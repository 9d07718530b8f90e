//! An interpreter of loop nests, for tests only. It is the reference for counts and misses and shares no code with the analyses.

use std::collections::BTreeMap;

use crate::concrete::Values;
use crate::machine::Cache;
use crate::nest::{
    ArrayId, Branch, Condition, Direction, Expr, Function, Layout, Loop, Node, Statement, Subscripts, Symbol,
};

/// Gives the value of a symbol.
pub(crate) type ValueOf<'a> = &'a dyn Fn(Symbol) -> i64;

/// The value of an expression.
pub(crate) fn value(expr: &Expr, value_of: ValueOf<'_>) -> i64 {
    let all = |parts: &[Expr]| parts.iter().map(|part| value(part, value_of)).collect::<Vec<_>>();
    match expr {
        Expr::Constant(number) => *number,
        Expr::Symbol(symbol) => value_of(*symbol),
        Expr::Sum(parts) => all(parts).iter().sum(),
        Expr::Product(parts) => all(parts).iter().product(),
        Expr::FloorDiv(a, b) => value(a, value_of).div_euclid(value(b, value_of)),
        Expr::Remainder(a, b) => value(a, value_of).rem_euclid(value(b, value_of)),
        Expr::Min(parts) => all(parts).into_iter().min().unwrap(),
        Expr::Max(parts) => all(parts).into_iter().max().unwrap(),
    }
}

/// Calls `visit` for every execution of a statement.
pub(crate) fn execute(nodes: &[Node], value_of: ValueOf<'_>, visit: &mut dyn FnMut(&Statement, ValueOf<'_>)) {
    for node in nodes {
        match node {
            Node::Statement(statement) => visit(statement, value_of),
            Node::Refused(_) => {}
            Node::Branch(branch) => execute(taken(branch, value_of), value_of, visit),
            Node::Loop(source) => execute_loop(source, value_of, visit),
        }
    }
}

/// The side of a branch that is executed.
fn taken<'b>(branch: &'b Branch, value_of: ValueOf<'_>) -> &'b [Node] {
    match &branch.condition {
        Condition::AllNonNegative(forms) if forms.iter().all(|form| value(form, value_of) >= 0) => {
            &branch.then
        }
        Condition::AllNonNegative(_) => &branch.otherwise,
        Condition::Unknown(_) => panic!("the interpreter has no data"),
    }
}

fn execute_loop(source: &Loop, value_of: ValueOf<'_>, visit: &mut dyn FnMut(&Statement, ValueOf<'_>)) {
    let up = source.direction == Direction::Up;
    let (limit, step) = (value(&source.limit, value_of), value(&source.step, value_of));
    let mut at = value(&source.first, value_of);
    while if up { at < limit } else { at > limit } {
        execute(&source.body, &|symbol| if symbol == source.variable { at } else { value_of(symbol) }, visit);
        at += if up { step } else { -step };
    }
}

/// A set-associative cache that replaces the least recently used line.
pub(crate) struct SimulatedCache {
    sets: Vec<Vec<u64>>,
    ways: usize,
    line: u64,
    pub(crate) misses: u64,
}

impl SimulatedCache {
    pub(crate) fn new(cache: &Cache) -> Self {
        let sets = vec![Vec::new(); usize::try_from(cache.sets()).unwrap()];
        Self { sets, ways: usize::try_from(cache.ways).unwrap(), line: cache.line, misses: 0 }
    }

    pub(crate) fn touch(&mut self, address: u64, width: u64) {
        for line in address / self.line..=(address + width - 1) / self.line {
            let index = usize::try_from(line).unwrap() % self.sets.len();
            let set = &mut self.sets[index];
            match set.iter().position(|other| *other == line) {
                Some(found) => {
                    set.remove(found);
                }
                None => {
                    self.misses += 1;
                    set.truncate(self.ways - 1);
                }
            }
            set.insert(0, line);
        }
    }
}

/// Executes a function `times` times on one simulated cache and gives the misses of the last execution.
pub(crate) fn simulate(function: &Function, values: &Values, cache: &Cache, times: u32) -> u64 {
    let value_of = |symbol: Symbol| values.get(symbol).unwrap();
    let bases = bases(function, &value_of);
    let mut simulated = SimulatedCache::new(cache);
    for _ in 0..times {
        simulated.misses = 0;
        execute(&function.body, &value_of, &mut |statement, value_of| {
            for reference in &statement.references {
                let Subscripts::Affine(subscripts) = &reference.subscripts else { panic!("not affine") };
                let strides = strides(function, reference.array, subscripts.len(), value_of);
                let distance: i64 = subscripts
                    .iter()
                    .zip(&strides)
                    .map(|(subscript, stride)| value(subscript, value_of) * stride)
                    .sum();
                let address = bases[&reference.array] + distance + i64::from(reference.offset_bytes);
                simulated.touch(u64::try_from(address).unwrap(), u64::from(reference.width_bytes));
            }
        });
    }
    simulated.misses
}

fn strides(function: &Function, array: ArrayId, count: usize, value_of: ValueOf<'_>) -> Vec<i64> {
    let array = &function.arrays[array.0];
    let Layout::RowMajor { extents } = &array.layout else { panic!("rows of their own") };
    let mut strides = vec![i64::from(array.element_bytes); count];
    for dimension in (1..count).rev() {
        strides[dimension - 1] = strides[dimension] * value(extents[dimension].as_ref().unwrap(), value_of);
    }
    strides
}

/// Start addresses of the arrays: one after the other, aligned to 32 bytes, with gaps that are not a power of two.
fn bases(function: &Function, value_of: ValueOf<'_>) -> BTreeMap<ArrayId, i64> {
    let mut next = 1 << 20;
    let place = |(id, array): (usize, &crate::nest::Array)| {
        let Layout::RowMajor { extents } = &array.layout else { panic!("rows of their own") };
        let count: i64 =
            extents.iter().map(|extent| extent.as_ref().map_or(1 << 20, |e| value(e, value_of))).product();
        let base = next;
        next += (count * i64::from(array.element_bytes) + 31) / 32 * 32 + 32 * 41;
        (ArrayId(id), base)
    };
    function.arrays.iter().enumerate().map(place).collect()
}
