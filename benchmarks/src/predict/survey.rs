//! How much of the loops of real sources is understood.
//!
//! A nest is an outermost loop. It is analysed if nothing below it is refused and data decide about nothing, bounded if data
//! decide about subscripts, branches or early ends, and refused otherwise. Parameters get the value 100.

use std::collections::BTreeMap;

use lotse_predict::concrete::{Instance, Values};
use lotse_predict::locality::Start;
use lotse_predict::machine::Machine;
use lotse_predict::nest::{Condition, Function, Node, RefusedPart, Subscripts};
use lotse_predict::question::{Language, analyse};
use lotse_predict::time::Assumptions;

use super::listing::Listed;

/// What parameters are worth.
const VALUE: i64 = 100;

/// What became of the nests of some files.
#[derive(Debug, Default, PartialEq)]
pub struct Survey {
    /// Files that could be read.
    pub files: usize,
    /// Files that are not of their language, with the reason.
    pub unreadable: Vec<String>,
    /// Functions.
    pub functions: usize,
    /// Nests that have a time.
    pub analysed: usize,
    /// Nests whose time has bounds.
    pub bounded: usize,
    /// Nests of which a part is not covered.
    pub refused: usize,
    /// Nests that are understood but have no time.
    pub without_time: usize,
    /// Reasons of refusals and bounds without the names in them, with their numbers.
    pub reasons: BTreeMap<String, usize>,
    /// The nests that have a time, as they were understood.
    pub listed: Vec<Listed>,
}

impl Survey {
    /// Adds a source.
    pub fn add(&mut self, name: &str, language: Language, text: &str, machine: &Machine) {
        let functions = match language.functions(text) {
            Ok(functions) => functions,
            Err(error) => return self.unreadable.push(format!("{name}: {error}")),
        };
        self.files += 1;
        let assumptions = Assumptions {
            machine,
            compiler: language.default_compiler(),
            start: Start::Warm,
            compiled: None,
        };
        for function in &functions {
            self.functions += 1;
            function.body.iter().for_each(|node| self.outermost((name, function), node, assumptions));
        }
    }

    /// Adds what became of other files.
    pub fn merge(&mut self, other: &Self) {
        self.files += other.files;
        self.unreadable.extend_from_slice(&other.unreadable);
        self.functions += other.functions;
        self.analysed += other.analysed;
        self.bounded += other.bounded;
        self.refused += other.refused;
        self.without_time += other.without_time;
        for (reason, count) in &other.reasons {
            *self.reasons.entry(reason.clone()).or_default() += count;
        }
        self.listed.extend_from_slice(&other.listed);
    }

    /// Nests in all.
    pub fn nests(&self) -> usize {
        self.analysed + self.bounded + self.refused
    }

    fn outermost(&mut self, within: (&str, &Function), node: &Node, assumptions: Assumptions<'_>) {
        let (file, function) = within;
        match node {
            Node::Loop(_) => {
                self.nest(file, &Function { body: vec![node.clone()], ..function.clone() }, assumptions);
            }
            Node::Branch(branch) => {
                let inner = branch.then.iter().chain(&branch.otherwise);
                inner.for_each(|node| self.outermost(within, node, assumptions));
            }
            Node::Refused(refusal) if refusal.part == RefusedPart::Loop => {
                self.refused += 1;
                self.reason(&refusal.reason);
            }
            Node::Refused(_) | Node::Statement(_) => {}
        }
    }

    fn nest(&mut self, file: &str, function: &Function, assumptions: Assumptions<'_>) {
        let mut values = Values::named(function, &[]);
        for parameter in function.symbols.parameters() {
            if values.get(parameter).is_none() {
                values.set(parameter, VALUE);
            }
        }
        let refused = Instance::new(function, &values).refusals.first().map(|refusal| refusal.reason.clone());
        let mut bounds = Vec::new();
        collect_bounds(&function.body, &mut bounds);
        match (refused, bounds.first()) {
            (Some(reason), _) => {
                self.refused += 1;
                self.reason(&reason);
            }
            (None, Some(reason)) => {
                self.bounded += 1;
                self.reason(&format!("(bounded) {reason}"));
            }
            (None, None) => {
                self.analysed += 1;
                self.listed.push(Listed::new(file, function, &values));
            }
        }
        self.without_time += usize::from(analyse(function, &values, assumptions).is_err());
    }

    fn reason(&mut self, reason: &str) {
        *self.reasons.entry(general(reason)).or_default() += 1;
    }
}

fn collect_bounds(nodes: &[Node], found: &mut Vec<String>) {
    for node in nodes {
        match node {
            Node::Loop(inner) => {
                found.extend(inner.early_exits.iter().map(|exit| exit.reason.clone()));
                collect_bounds(&inner.body, found);
            }
            Node::Branch(branch) => {
                if let Condition::Unknown(refusal) = &branch.condition {
                    found.push(format!("branch: {}", refusal.reason));
                }
                collect_bounds(&branch.then, found);
                collect_bounds(&branch.otherwise, found);
            }
            Node::Statement(statement) => {
                found.extend(statement.references.iter().filter_map(
                    |reference| match &reference.subscripts {
                        Subscripts::Irregular(irregular) => Some(format!("subscript: {}", irregular.reason)),
                        Subscripts::Affine(_) => None,
                    },
                ));
            }
            Node::Refused(_) => {}
        }
    }
}

/// Words that reasons are made of; others are names of the source.
const WORDS: &str = "is the loop of in on a data memory not analysed function does limit count changes known its \
    body bound condition depends ends may leave early break return continue branch: subscript: \
    (bounded) size elements type has no affine pointer an integer error source here skip rest \
    iteration iterator what runs over macro match switch goto value assigned operator uses result it do-while that \
    before variable inside expression divide negative number step with first cases bounds have loops positive must \
    be but left element block #if; use --cpp pattern let through its address reference changed part are items range end";

/// The reason without the names in it.
fn general(reason: &str) -> String {
    let word = |word: &str| {
        if WORDS.split(' ').any(|known| known == word) { word.to_owned() } else { "…".to_owned() }
    };
    reason.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Survey, general};
    use lotse_predict::machine::{Cache, Machine};
    use lotse_predict::question::Language;

    #[test]
    fn nests_are_counted_by_what_became_of_them() {
        let cache = Cache { name: "L1".into(), capacity: 32768, line: 64, ways: 8 };
        let machine = Machine::typical("test", vec![cache]).unwrap();
        let mut survey = Survey::default();
        let source = "void f(int n, double *a, int *p) { for (int i = 0; i < n; i++) a[i] = 0; \
            for (int i = 0; i < n; i++) a[p[i]] = 0; for (int i = 0; i < n; i++) g(i); while (a[0] > 0) a[0] -= 1; \
            if (n > 3) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i] += j; } }";
        survey.add("x.c", Language::C, source, &machine);
        assert_eq!((survey.files, survey.functions), (1, 1));
        assert_eq!((survey.analysed, survey.bounded, survey.refused, survey.without_time), (2, 1, 2, 0));
        assert_eq!(survey.nests(), 5);
        assert_eq!(survey.reasons["the function … is not analysed"], 1);
        assert_eq!(survey.listed.len(), 2);
        let mut twice = Survey::default();
        [&survey, &survey].into_iter().for_each(|it| twice.merge(it));
        assert_eq!((twice.files, twice.nests(), twice.listed.len()), (2, 10, 4));
        assert_eq!(twice.reasons["the function … is not analysed"], 2);
        survey.add("y.rs", Language::Rust, "fn f( {", &machine);
        assert!(survey.unreadable[0].starts_with("y.rs: line 1"), "{:?}", survey.unreadable);
    }

    #[test]
    fn names_are_left_out_of_reasons() {
        assert_eq!(general("the loop changes its bound n"), "the loop changes its bound …");
    }
}
