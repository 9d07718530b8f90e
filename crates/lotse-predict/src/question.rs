//! The user's request: the functions of a source file and values of their parameters.

use crate::concrete::{Instance, Values};
use crate::front::{c, rust};
use crate::locality::{Classes, LocalityError};
use crate::nest::{Condition, Expr, Function, Layout, Node, Refusal, Subscripts, Symbol};
use crate::time::{Assumptions, Compiler, Prediction, predict};

/// The language of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Rust,
}

/// Why a source cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    #[error(transparent)]
    C(#[from] c::ParseError),
    #[error(transparent)]
    Rust(#[from] rust::RustError),
}

impl Language {
    /// The language of a file, by the extension of its name.
    pub fn from_file_name(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1 {
            "c" | "h" | "i" => Some(Self::C),
            "rs" => Some(Self::Rust),
            _ => None,
        }
    }

    /// The compiler that is assumed unless the user names one.
    pub fn default_compiler(self) -> Compiler {
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

/// The result of analysing one function.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionAnalysis {
    pub prediction: Prediction,
    /// Parts that the predicted time does not cover, with the reason.
    pub refused: Vec<(crate::nest::SourcePosition, String)>,
}

impl FunctionAnalysis {
    /// Whether the predicted time covers all loops.
    pub fn is_complete(&self) -> bool {
        self.refused.is_empty() && self.has_time()
    }

    /// Whether the predicted time covers any loop.
    pub fn has_time(&self) -> bool {
        !self.prediction.loops.is_empty()
    }
}

/// Predicts the time of a function with these parameter values.
pub fn analyse(
    function: &Function,
    values: &Values,
    assumptions: Assumptions<'_>,
) -> Result<FunctionAnalysis, LocalityError> {
    let instance = Instance::new(function, values);
    let prediction = predict(&instance, &Classes::new(&instance), assumptions)?;
    let is_in_the_time = |refusal: &Refusal| prediction.loops.iter().any(|time| time.has_inlined(refusal));
    let left_out = instance.refusals.iter().filter(|refusal| !is_in_the_time(refusal));
    let refused = left_out.map(|refusal| (refusal.place, refusal.reason.clone())).collect();
    Ok(FunctionAnalysis { prediction, refused })
}

/// Whether a function has a loop, whether it can be analysed or not.
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

/// The names of parameters that have no value although a loop bound or an address needs one.
pub fn missing_parameters(function: &Function, values: &Values) -> Vec<String> {
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

/// Calls `visit` with all bounds, conditions and subscripts below `nodes`; subscripts outside of loops are left out.
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

/// Calls `visit` with the subscripts of the statements directly in `nodes`.
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
    use super::{Language, has_loops, missing_parameters};
    use crate::concrete::Values;

    #[test]
    fn languages_by_file_extension() {
        let languages = ["a.c", "b/x.rs", "y.h", "z.f90", "none"].map(Language::from_file_name);
        assert_eq!(languages, [Some(Language::C), Some(Language::Rust), Some(Language::C), None, None]);
    }

    #[test]
    fn parameters_that_loops_need_are_named() {
        let source = "#define M 5\nvoid f(int n, int lda, int unused, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j < M; j++) a[i * lda + j] = 0; }\nint g(int n) { return n + 1; }";
        let functions = Language::C.functions(source).unwrap();
        let values = Values::named(&functions[0], &[]);
        assert_eq!(missing_parameters(&functions[0], &values), ["n", "lda"]);
        let complete = Values::named(&functions[0], &[("n", 1), ("lda", 1)]);
        assert_eq!(missing_parameters(&functions[0], &complete), [""; 0]);
        assert_eq!(functions.iter().map(has_loops).collect::<Vec<_>>(), [true, false]);
    }
}
