//! A nest as it was understood, to be read beside its source.

use lotse_predict::concrete::Values;
use lotse_predict::nest::{Access, Condition, Direction, Expr, Function, Loop, Node, Statement, Subscripts};

use crate::dice::Dice;

/// A nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The file.
    pub file: String,
    /// The line of its outermost loop.
    pub line: u32,
    /// The function.
    pub function: String,
    /// Its loops, one in a line, and what they touch and compute.
    pub text: String,
}

impl Listed {
    /// The nest that is the body of a function.
    pub fn new(file: &str, function: &Function, values: &Values) -> Self {
        let line = function.body.iter().find_map(|node| match node {
            Node::Loop(outer) => Some(outer.place.line),
            _ => None,
        });
        let mut writer = Writer { function, values, lines: Vec::new() };
        writer.nodes(&function.body, 0);
        let (file, name) = (file.to_owned(), function.name.clone());
        Self { file, line: line.unwrap_or(0), function: name, text: writer.lines.join("\n") }
    }
}

/// So many of them, drawn by a seed.
pub fn drawn(all: &[Listed], count: usize, seed: u64) -> Vec<&Listed> {
    let mut order: Vec<(u64, &Listed)> = all
        .iter()
        .enumerate()
        .map(|(at, nest)| (Dice::new(seed, "nest", at as u64).number(), nest))
        .collect();
    order.sort_by_key(|(number, _)| *number);
    order.into_iter().take(count).map(|(_, nest)| nest).collect()
}

struct Writer<'f> {
    function: &'f Function,
    values: &'f Values,
    lines: Vec<String>,
}

impl Writer<'_> {
    fn nodes(&mut self, nodes: &[Node], depth: usize) {
        for node in nodes {
            match node {
                Node::Loop(inner) => {
                    self.push(depth, &self.head(inner));
                    self.nodes(&inner.body, depth + 1);
                }
                Node::Branch(branch) => {
                    let condition = match &branch.condition {
                        Condition::AllNonNegative(forms) => {
                            let forms: Vec<String> = forms.iter().map(|form| self.expr(form)).collect();
                            format!("if {} >= 0", forms.join(", "))
                        }
                        Condition::Unknown(refusal) => format!("if ? ({})", refusal.reason),
                    };
                    self.push(depth, &condition);
                    self.nodes(&branch.then, depth + 1);
                    if !branch.otherwise.is_empty() {
                        self.push(depth, "else");
                        self.nodes(&branch.otherwise, depth + 1);
                    }
                }
                Node::Statement(statement) => self.push(depth, &self.statement(statement)),
                Node::Refused(refusal) => self.push(depth, &format!("refused: {}", refusal.reason)),
            }
        }
    }

    fn push(&mut self, depth: usize, line: &str) {
        self.lines.push(format!("{}{line}", "  ".repeat(depth)));
    }

    /// An expression, with the values that the source gives to its symbols.
    fn expr(&self, expr: &Expr) -> String {
        let mut parts = vec![expr.display(&self.function.symbols)];
        expr.for_each_symbol(&mut |symbol| {
            let is_given = self.function.defaults.iter().any(|(known, _)| *known == symbol);
            if let Some(value) = self.values.get(symbol).filter(|_| is_given) {
                parts.push(format!("({} = {value})", self.function.symbols.name(symbol)));
            }
        });
        parts.join(" ")
    }

    fn head(&self, inner: &Loop) -> String {
        let name = self.function.symbols.name(inner.variable);
        let (first, limit) = (self.expr(&inner.first), self.expr(&inner.limit));
        let way = if inner.direction == Direction::Up { "to" } else { "down to" };
        format!("line {}: {name} = {first} {way} {limit} step {}", inner.place.line, self.expr(&inner.step))
    }

    fn statement(&self, statement: &Statement) -> String {
        let mut parts: Vec<String> = Vec::new();
        for reference in &statement.references {
            let array = &self.function.arrays[reference.array.0];
            let place = match &reference.subscripts {
                Subscripts::Affine(list) => {
                    list.iter().map(|it| format!("[{}]", self.expr(it))).collect::<String>()
                }
                Subscripts::Irregular(irregular) => format!("[? {}]", irregular.text),
            };
            let access = if reference.access == Access::Load { "load" } else { "store" };
            let field = match reference.offset_bytes {
                0 => String::new(),
                offset => format!(" + {offset}"),
            };
            parts.push(format!("{access} {}{place}{field} {} bytes", array.name, reference.width_bytes));
        }
        let operation = |it: &lotse_predict::nest::Operation| format!("{:?} {:?}", it.kind, it.number);
        parts.extend(statement.operations.iter().map(operation));
        parts.extend(statement.assigned.iter().map(|(name, _)| format!("assigns {name}")));
        format!("line {}: {}", statement.place.line, parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::{Listed, drawn};
    use lotse_predict::concrete::Values;
    use lotse_predict::question::Language;

    fn listed(source: &str) -> Listed {
        let functions = Language::C.functions(source).unwrap();
        Listed::new("x.c", &functions[0], &Values::named(&functions[0], &[]))
    }

    #[test]
    fn loops_and_elements_are_written_down() {
        let source = "void f(int n, double *a, float *b) {\n for (int i = n - 1; i >= 0; i--)\n  \
            a[2 * i] += b[i];\n}";
        let nest = listed(source);
        assert_eq!((nest.line, nest.function.as_str()), (2, "f"));
        assert!(nest.text.starts_with("line 2: i = "), "{}", nest.text);
        assert!(nest.text.contains("down to") && nest.text.contains("store a["), "{}", nest.text);
        assert!(nest.text.contains("load b[i] 4 bytes") && nest.text.contains("Add F64"), "{}", nest.text);
    }

    #[test]
    fn the_same_seed_draws_the_same_nests() {
        let nest = listed("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }");
        let all: Vec<Listed> = (0..20).map(|line| Listed { line, ..nest.clone() }).collect();
        let lines = |seed| drawn(&all, 5, seed).iter().map(|it| it.line).collect::<Vec<_>>();
        assert_eq!((lines(1).len(), lines(1)), (5, lines(1)));
        assert_ne!(lines(1), lines(2));
    }

    #[test]
    fn branches_refused_parts_and_fields_are_written_down() {
        let source = "#define M 8\nstruct p { int x, y; };\nvoid f(int n, struct p *p, int *q, double *a) {\n \
            for (int i = 0; i < M; i++) {\n  if (i < n) p[i].y = 1;\n  else p[i].x = 2;\n  \
            if (q[i] > 0) a[q[i]] = 0;\n  g(i);\n }\n}";
        let nest = listed(source);
        let lines: Vec<&str> = nest.text.lines().map(str::trim_start).collect();
        let has = |start: &str, inside: &str| {
            let found = lines.iter().any(|line| line.starts_with(start) && line.contains(inside));
            assert!(found, "{start} {inside}\n{}", nest.text);
        };
        has("line 4: i = 0 to M", "(M = 8)");
        has("if ", ">= 0");
        has("line 5: store p[i]", "+ 4 4 bytes");
        has("else", "");
        has("line 6: store p[i]", " 4 bytes");
        has("if ? (", "memory");
        has("line 7:", "[? ");
        has("refused: ", "function");
    }
}
