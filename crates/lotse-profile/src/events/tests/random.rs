//! Random expressions, compared with an evaluator that is simple enough to be obviously correct.

use std::fmt;

use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_oneof, proptest};

use super::{profile, strings};
use crate::events::expression::{Expression, Operation, Operator};
use crate::events::names::Names;
use crate::events::value::ExpressionValue;
use crate::events::{Cost, CostRow, EventTypes};

const NAMES: [&str; 3] = ["Ir", "Dr-x:u", "Time_(10)"];

#[derive(Debug, Clone)]
enum Tree {
    Number(u32),
    Event(usize),
    Negate(Box<Self>),
    Binary(Operator, Box<Self>, Box<Self>),
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Event(index) => f.write_str(NAMES[*index]),
            Self::Negate(of) => write!(f, "-({of})"),
            Self::Binary(Operator::Min, left, right) => write!(f, "min({left}, {right})"),
            Self::Binary(Operator::Max, left, right) => write!(f, "max({left},{right})"),
            Self::Binary(Operator::Add, left, right) => write!(f, "{left} + ({right})"),
            Self::Binary(Operator::Subtract, left, right) => write!(f, "{left} - ({right})"),
            Self::Binary(Operator::Multiply, left, right) => write!(f, "({left})({right})"),
            Self::Binary(Operator::Divide, left, right) => write!(f, "({left}) / ({right})"),
        }
    }
}

impl Tree {
    /// The expected result of the parser.
    fn operations(&self, into: &mut Vec<Operation>) {
        match self {
            Self::Number(number) => into.push(Operation::Number(ExpressionValue::exact((*number).into()))),
            Self::Event(index) => into.push(Operation::Name(NAMES[*index].to_owned())),
            Self::Negate(of) => {
                of.operations(into);
                into.push(Operation::Negate);
            }
            Self::Binary(operator, left, right) => {
                left.operations(into);
                right.operations(into);
                into.push(Operation::Binary(*operator));
            }
        }
    }

    /// Exact integers; `None` after a division.
    fn exact(&self, costs: &[u64; 3]) -> Option<i128> {
        Some(match self {
            Self::Number(number) => i128::from(*number),
            Self::Event(index) => i128::from(costs[*index]),
            Self::Negate(of) => -of.exact(costs)?,
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.exact(costs)?, right.exact(costs)?);
                match operator {
                    Operator::Add => left.checked_add(right)?,
                    Operator::Subtract => left.checked_sub(right)?,
                    Operator::Multiply => left.checked_mul(right)?,
                    Operator::Min => left.min(right),
                    Operator::Max => left.max(right),
                    Operator::Divide => return None,
                }
            }
        })
    }

    /// The same in floating point, exact as long as possible.
    fn real(&self, costs: &[u64; 3]) -> f64 {
        if let Some(exact) = self.exact(costs) {
            return exact as f64;
        }
        match self {
            Self::Number(_) | Self::Event(_) => unreachable!("a leaf is exact"),
            Self::Negate(of) => -of.real(costs),
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.real(costs), right.real(costs));
                let result = match operator {
                    _ if left.is_nan() || right.is_nan() => f64::NAN,
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Divide => left / right,
                    Operator::Min => left.min(right),
                    Operator::Max => left.max(right),
                };
                if result.is_finite() { result } else { f64::NAN }
            }
        }
    }
}

fn operator() -> impl Strategy<Value = Operator> {
    let sums = prop_oneof![Just(Operator::Add), Just(Operator::Subtract), Just(Operator::Multiply)];
    prop_oneof![3 => sums, 1 => Just(Operator::Divide), 1 => Just(Operator::Min), 1 => Just(Operator::Max)]
}

fn tree() -> impl Strategy<Value = Tree> {
    let number = prop_oneof![0_u32..10, any::<u32>()].prop_map(Tree::Number);
    let leaf = prop_oneof![number, (0_usize..3).prop_map(Tree::Event)];
    leaf.prop_recursive(6, 40, 2, |inner| {
        prop_oneof![
            1 => inner.clone().prop_map(|of| Tree::Negate(Box::new(of))),
            6 => (operator(), inner.clone(), inner)
                .prop_map(|(operator, left, right)| Tree::Binary(operator, Box::new(left), Box::new(right))),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_again(tree in tree()) {
        let names = Names::new(strings(&NAMES).into_iter());
        let expression = Expression::parse(&tree.to_string(), 0, &names).unwrap();
        let mut expected = Vec::new();
        tree.operations(&mut expected);
        let read: Vec<Operation> = expression.steps.into_iter().map(|step| step.operation).collect();
        prop_assert!(read == expected, "{tree} became {read:?}");
    }

    #[test]
    fn values_are_those_of_a_simple_evaluator(tree in tree(), costs in prop::array::uniform3(any::<u64>())) {
        let types = EventTypes::new(&profile(&NAMES), &[]).unwrap();
        let column = types.choose(&[tree.to_string()]).unwrap().remove(0);
        let cost = column.value(&CostRow { costs: &costs, signed: false, totals: &[], calls: None });
        match (tree.exact(&costs), cost) {
            (Some(expected), Cost::Exact(exact)) => prop_assert!(exact == expected, "{tree} is {exact}"),
            (Some(expected), Cost::Real(real)) => prop_assert!(false, "{tree} is {real}, not {expected}"),
            (None, Cost::Exact(_)) => prop_assert!(may_be_exact(&tree), "{tree} cannot be exact"),
            (None, Cost::Real(real)) => {
                let expected = tree.real(&costs);
                prop_assert!(real.to_bits() == expected.to_bits() || (real.is_nan() && expected.is_nan())
                    || real == expected || chooses(&tree), "{tree} is {real}, not {expected}");
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-+*/(),.` a-cIr0-9ä]{0,40}") {
        let types = EventTypes::new(&profile(&["Ir", "a-b"]), &[]).unwrap();
        if let Err(error) = types.choose(std::slice::from_ref(&text)) {
            let place = error.place().unwrap();
            prop_assert!(text.get(place.span.clone()).is_some(), "{text:?}: {error}");
        }
    }
}

/// After the minimum or maximum of an exact and a real number, results may stay exact for longer than in the simple
/// evaluator, and are then rounded elsewhere.
fn chooses(tree: &Tree) -> bool {
    match tree {
        Tree::Number(_) | Tree::Event(_) => false,
        Tree::Negate(of) => chooses(of),
        Tree::Binary(Operator::Min | Operator::Max, ..) => true,
        Tree::Binary(_, left, right) => chooses(left) || chooses(right),
    }
}

/// The minimum or maximum of an exact and a real number may be the exact one, and 0 divided by a very large number is 0.
fn may_be_exact(tree: &Tree) -> bool {
    match tree {
        Tree::Number(_) | Tree::Event(_) => true,
        Tree::Negate(of) => may_be_exact(of),
        Tree::Binary(Operator::Min | Operator::Max, left, right) => may_be_exact(left) || may_be_exact(right),
        Tree::Binary(Operator::Divide, ..) => false,
        Tree::Binary(_, left, right) => may_be_exact(left) && may_be_exact(right),
    }
}
