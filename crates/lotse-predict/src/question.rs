//! What a user asks: a source, the functions in it, values of parameters.

use crate::concrete::{Instance, Values};
use crate::front::{c, rust};
use crate::locality::{Classes, LocalityError};
use crate::nest::{Condition, Expr, Function, Layout, Node, Refusal, Subscripts, Symbol};
use crate::time::{Assumptions, Compiler, Prediction, predict};

/// The language of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// Rust.
    Rust,
}

/// Why a source cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// Not C.
    #[error(transparent)]
    C(#[from] c::ParseError),
    /// Not Rust.
    #[error(transparent)]
    Rust(#[from] rust::RustError),
}

impl Language {
    /// The language by the ending of a file's name.
    pub fn of_file(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1 {
            "c" | "h" | "i" => Some(Self::C),
            "rs" => Some(Self::Rust),
            _ => None,
        }
    }

    /// The compiler that is assumed where none is named.
    pub fn compiler(self) -> Compiler {
        match self {
            Self::C => Compiler::GccO2,
            Self::Rust => Compiler::RustcO,
        }
    }

    /// All functions of a source.
    pub fn functions(self, text: &str) -> Result<Vec<Function>, SourceError> {
        match self {
            Self::C => Ok(c::functions(text)?),
            Self::Rust => Ok(rust::functions(text)?),
        }
    }
}

/// What became of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysed {
    /// How long it takes.
    pub prediction: Prediction,
    /// Parts that are not covered: line, column, reason.
    pub refused: Vec<(crate::nest::Place, String)>,
}

impl Analysed {
    /// Whether all loops are in the time.
    pub fn is_complete(&self) -> bool {
        self.refused.is_empty() && self.has_time()
    }

    /// Whether any loop is.
    pub fn has_time(&self) -> bool {
        !self.prediction.loops.is_empty()
    }
}

/// The time of a function with these values.
pub fn analyse(
    function: &Function,
    values: &Values,
    assumptions: Assumptions<'_>,
) -> Result<Analysed, LocalityError> {
    let instance = Instance::new(function, values);
    let prediction = predict(&instance, &Classes::new(&instance), assumptions)?;
    let is_in_the_time = |refusal: &Refusal| prediction.loops.iter().any(|time| time.has_inlined(refusal));
    let left_out = instance.refusals.iter().filter(|refusal| !is_in_the_time(refusal));
    let refused = left_out.map(|refusal| (refusal.place, refusal.reason.clone())).collect();
    Ok(Analysed { prediction, refused })
}

/// Whether a function has a loop, analysed or refused.
pub fn has_loops(function: &Function) -> bool {
    fn any(nodes: &[Node]) -> bool {
        nodes.iter().any(|node| match node {
            Node::Loop(_) => true,
            Node::Branch(branch) => any(&branch.then) || any(&branch.otherwise),
            Node::Refused(refusal) => refusal.part == crate::nest::RefusedPart::Loop,
            Node::Statement(_) => false,
        })
    }
    any(&function.body)
}

/// The names of parameters that loops or addresses need and that have no value.
pub fn missing(function: &Function, values: &Values) -> Vec<String> {
    let mut needed: Vec<Symbol> = Vec::new();
    expressions(&function.body, &mut |expr| {
        expr.for_each_symbol(&mut |symbol| {
            if !needed.contains(&symbol) {
                needed.push(symbol);
            }
        });
    });
    for array in &function.arrays {
        if let Layout::RowMajor { extents } = &array.layout {
            let inner = extents.iter().skip(1).flatten();
            inner.for_each(|extent| extent.for_each_symbol(&mut |symbol| needed.push(symbol)));
        }
    }
    let parameters = function.symbols.parameters();
    let open = parameters.filter(|symbol| needed.contains(symbol) && values.get(*symbol).is_none());
    open.map(|symbol| function.symbols.name(symbol).to_owned()).collect()
}

/// Calls `visit` with every bound, condition and subscript inside of loops.
fn expressions(nodes: &[Node], visit: &mut impl FnMut(&Expr)) {
    for node in nodes {
        match node {
            Node::Loop(inner) => {
                [&inner.first, &inner.limit, &inner.step].into_iter().for_each(&mut *visit);
                subscripts(&inner.body, visit);
                expressions(&inner.body, visit);
            }
            Node::Branch(branch) => {
                if let Condition::AllNonNegative(forms) = &branch.condition {
                    forms.iter().for_each(&mut *visit);
                }
                expressions(&branch.then, visit);
                expressions(&branch.otherwise, visit);
            }
            Node::Statement(_) | Node::Refused(_) => {}
        }
    }
}

fn subscripts(nodes: &[Node], visit: &mut impl FnMut(&Expr)) {
    for node in nodes {
        let Node::Statement(statement) = node else { continue };
        for reference in &statement.references {
            if let Subscripts::Affine(list) = &reference.subscripts {
                list.iter().for_each(&mut *visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, has_loops, missing};
    use crate::concrete::Values;

    #[test]
    fn the_ending_decides_about_the_language() {
        let languages = ["a.c", "b/x.rs", "y.h", "z.f90", "none"].map(Language::of_file);
        assert_eq!(languages, [Some(Language::C), Some(Language::Rust), Some(Language::C), None, None]);
    }

    #[test]
    fn parameters_that_loops_need_are_named() {
        let source = "#define M 5\nvoid f(int n, int lda, int unused, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j < M; j++) a[i * lda + j] = 0; }\nint g(int n) { return n + 1; }";
        let functions = Language::C.functions(source).unwrap();
        let values = Values::named(&functions[0], &[]);
        assert_eq!(missing(&functions[0], &values), ["n", "lda"]);
        assert_eq!(missing(&functions[0], &Values::named(&functions[0], &[("n", 1), ("lda", 1)])), [""; 0]);
        assert_eq!(functions.iter().map(has_loops).collect::<Vec<_>>(), [true, false]);
    }
}
