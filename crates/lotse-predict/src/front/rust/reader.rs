//! The state while one function is translated.

use std::collections::{BTreeMap, BTreeSet};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::types::{self, RType};
use crate::front::reason::Reason;
use crate::nest::{
    Array, ArrayId, Expr, Function, Layout, Node, NumberType, Refusal, RefusedPart, SourcePosition, Symbol,
    SymbolKind,
};

/// The integer constants and struct fields of a file.
#[derive(Default)]
pub(super) struct Constants {
    pub(super) values: BTreeMap<String, i64>,
    /// Types of fields by name; `None` if two structs have fields of this name with different types.
    pub(super) fields: BTreeMap<String, Option<RType>>,
}

impl<'ast> Visit<'ast> for Constants {
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        if let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(value), .. }) = &*item.expr
            && let Ok(value) = value.base10_parse()
        {
            self.values.insert(item.ident.to_string(), value);
        }
        visit::visit_item_const(self, item);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(name) = &field.ident {
            let kind = types::read(&field.ty, &mut |_| None);
            let known = self.fields.entry(name.to_string()).or_insert_with(|| Some(kind.clone()));
            if known.as_ref() != Some(&kind) {
                *known = None;
            }
        }
    }
}

/// What a name stands for at the current position.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Binding {
    /// An integer whose value is known as an expression.
    Integer(Expr),
    /// A variable whose value is not known, with the reason.
    Changing(String),
    /// A scalar variable that is not an integer.
    Scalar(NumberType),
    /// An array, a slice of one, or one element.
    Array(ArrayPart),
}

/// A part of an array: the element or sub-array at `subscripts`; of a sub-array, `length` elements from `start` on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ArrayPart {
    pub(super) id: ArrayId,
    /// An error if one of them is not affine.
    pub(super) subscripts: Result<Vec<Expr>, Reason>,
    /// Upper bound on the number of different elements, if the index depends on data.
    pub(super) choices: Option<Expr>,
    /// Added to the next subscript.
    pub(super) start: Expr,
    pub(super) kind: RType,
    /// Number of elements.
    pub(super) length: Expr,
}

/// Translates one function.
pub(super) struct RustReader<'c> {
    pub(super) constants: &'c Constants,
    pub(super) function: Function,
    bindings: BTreeMap<String, Binding>,
    /// For each open block, the names declared in it and the bindings that they hide.
    blocks: Vec<BTreeMap<String, Option<Binding>>>,
    /// Upper bounds on the number of different values of integers whose value is not known.
    pub(super) ranges: BTreeMap<String, Expr>,
    /// Number of loops around the current statement.
    pub(super) depth: u32,
    /// Refused parts of the current statement.
    pub(super) refusals: Vec<Refusal>,
}

/// Translates a function with this signature and body.
pub(super) fn read(constants: &Constants, signature: &syn::Signature, block: &syn::Block) -> Function {
    let function =
        Function { name: signature.ident.to_string(), place: place(signature), ..Function::default() };
    let (bindings, ranges, refusals) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let mut reader = RustReader {
        constants,
        function,
        bindings,
        blocks: vec![BTreeMap::new()],
        ranges,
        depth: 0,
        refusals,
    };
    for parameter in &signature.generics.params {
        if let syn::GenericParam::Const(constant) = parameter {
            reader.bind_type(&constant.ident.to_string(), &RType::Number(NumberType::Integer(8)), false);
        }
    }
    for input in &signature.inputs {
        if let syn::FnArg::Typed(argument) = input
            && let syn::Pat::Ident(name) = &*argument.pat
        {
            let kind = reader.read_type(&argument.ty);
            let unique = matches!(&*argument.ty, syn::Type::Reference(inner) if inner.mutability.is_some());
            reader.bind_type(&name.ident.to_string(), &kind, unique);
        }
    }
    reader.function.body = reader.block(block);
    reader.function
}

pub(super) fn place(node: &impl Spanned) -> SourcePosition {
    let start = node.span().start();
    let number = |value: usize| u32::try_from(value).unwrap_or(0);
    SourcePosition { line: number(start.line), column: number(start.column + 1) }
}

impl RustReader<'_> {
    pub(super) fn read_type(&mut self, kind: &syn::Type) -> RType {
        types::read(kind, &mut |length| self.integer(length).ok())
    }

    pub(super) fn refusal(
        &self,
        node: &impl Spanned,
        reason: impl Into<String>,
        part: RefusedPart,
    ) -> Refusal {
        Refusal { place: place(node), reason: reason.into(), part }
    }

    pub(super) fn refused_loop(&mut self, node: &impl Spanned, reason: impl Into<String>) -> Vec<Node> {
        vec![Node::Refused(self.refusal(node, reason, RefusedPart::Loop))]
    }

    /// Binds a variable of this type whose value is not known.
    pub(super) fn bind_type(&mut self, name: &str, kind: &RType, unaliased: bool) {
        let binding = match kind {
            RType::Number(NumberType::Integer(_)) => {
                Binding::Integer(self.function.symbols.parameter(name).into())
            }
            RType::Number(number) => Binding::Scalar(*number),
            RType::Slice(..) => match self.array(name, kind, unaliased) {
                Some(part) => Binding::Array(part),
                None => Binding::Changing(format!("the size of the elements of {name} is not known")),
            },
            RType::Generic(_) => Binding::Scalar(NumberType::Unknown),
            RType::Other => Binding::Changing(format!("the type of {name} is not known")),
        };
        self.bind(name, binding);
    }

    /// Adds an array of this type to the nest; `None` if the size of its elements is not known. A `Vec<Vec<T>>` has separately
    /// allocated rows.
    pub(super) fn array(&mut self, name: &str, kind: &RType, unaliased: bool) -> Option<ArrayPart> {
        let mut generics = Vec::new();
        let kind = &kind.assumed(&mut generics);
        for name in generics {
            self.function.assume(format!("values of type {name} have 8 bytes"));
        }
        let mut extents = Vec::new();
        let mut element = kind;
        while let RType::Slice(inner, length) = element {
            extents.push(length.clone());
            element = inner;
        }
        let element_bytes = element.bytes()?;
        let own_rows = extents.iter().skip(1).any(Option::is_none);
        let length = match &extents[0] {
            Some(length) => length.clone(),
            None => self.function.symbols.parameter(&format!("{name}.len()")).into(),
        };
        let layout = match own_rows {
            true => Layout::Rows { row: None },
            false => {
                extents[0] = Some(length.clone());
                Layout::RowMajor { extents }
            }
        };
        let id = ArrayId(self.function.arrays.len());
        self.function.arrays.push(Array { name: name.to_owned(), element_bytes, layout, unaliased });
        let (subscripts, start) = (Ok(Vec::new()), 0.into());
        Some(ArrayPart { id, subscripts, choices: None, start, kind: kind.clone(), length })
    }

    /// The array of a path such as `self.data`; all uses of a path share one array.
    pub(super) fn field_array(&mut self, path: &str, field: &str) -> Option<ArrayPart> {
        if let Some(Binding::Array(part)) = self.bindings.get(path) {
            return Some(part.clone());
        }
        let kind = self.constants.fields.get(field)?.clone()?;
        let part = matches!(kind, RType::Slice(..)).then(|| self.array(path, &kind, false))??;
        self.bindings.insert(path.to_owned(), Binding::Array(part.clone()));
        Some(part)
    }

    /// Declares a name in the innermost block.
    pub(super) fn bind(&mut self, name: &str, binding: Binding) {
        let hidden = self.bindings.insert(name.to_owned(), binding);
        if let Some(block) = self.blocks.last_mut() {
            block.entry(name.to_owned()).or_insert(hidden);
        }
    }

    /// Changes the binding of a name in the block where it was declared.
    pub(super) fn assign(&mut self, name: &str, binding: Binding) {
        self.bindings.insert(name.to_owned(), binding);
    }

    /// Whether the current statements are at the top level of the function, not in an inner block.
    pub(super) fn is_at_top_level(&self) -> bool {
        self.depth == 0 && self.blocks.len() == 2
    }

    pub(super) fn open_block(&mut self) {
        self.blocks.push(BTreeMap::new());
    }

    pub(super) fn close_block(&mut self) {
        for (name, hidden) in self.blocks.pop().into_iter().flatten() {
            self.ranges.remove(&name);
            match hidden {
                Some(binding) => self.bindings.insert(name, binding),
                None => self.bindings.remove(&name),
            };
        }
    }

    /// The binding of a name. Constants are bound at their first use.
    pub(super) fn lookup(&mut self, name: &str) -> Option<Binding> {
        if let Some(known) = self.bindings.get(name) {
            return Some(known.clone());
        }
        let value = *self.constants.values.get(name)?;
        let symbol = self.function.symbols.parameter(name);
        self.function.defaults.push((symbol, value));
        let binding = Binding::Integer(symbol.into());
        self.bindings.insert(name.to_owned(), binding.clone());
        Some(binding)
    }

    /// Marks the values of these names as unknown from here on.
    pub(super) fn forget(&mut self, names: &BTreeSet<String>, reason: &str) {
        for name in names {
            self.ranges.remove(name);
            if matches!(self.bindings.get(name), None | Some(Binding::Integer(_) | Binding::Array(_))) {
                self.assign(name, Binding::Changing(format!("{name} {reason}")));
            }
        }
    }

    pub(super) fn loop_variable(&mut self, name: &str) -> Symbol {
        self.function.symbols.add(name, SymbolKind::LoopVariable)
    }
}

/// The names that are assigned below an expression or a block, and its early exits.
#[derive(Default)]
pub(super) struct Assigned {
    pub(super) names: BTreeSet<String>,
    /// `break`, `continue` and `return`, with their reasons.
    pub(super) exits: Vec<(SourcePosition, &'static str)>,
    inner_loops: u32,
    pub(super) has_loops: bool,
    /// Positions of `continue` statements that became branches.
    known: Vec<SourcePosition>,
}

impl Assigned {
    /// The names that are assigned in the body of a loop, and the loop's early exits.
    pub(super) fn in_body(body: &syn::Block) -> Self {
        let known = body.stmts.iter().filter_map(super::body::trailing_continue).map(place).collect();
        let mut assigned = Self { known, ..Self::default() };
        assigned.visit_block(body);
        assigned
    }

    fn target(&mut self, expr: &syn::Expr) {
        if let syn::Expr::Path(_) | syn::Expr::Field(_) = expr {
            self.names.extend(super::integer::path_text(expr));
        }
    }

    fn in_loop(&mut self, visit: impl FnOnce(&mut Self)) {
        self.inner_loops += 1;
        self.has_loops = true;
        visit(self);
        self.inner_loops -= 1;
    }
}

impl<'ast> Visit<'ast> for Assigned {
    fn visit_expr_assign(&mut self, node: &'ast syn::ExprAssign) {
        self.target(&node.left);
        visit::visit_expr_assign(self, node);
    }

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        if super::value::compound(&node.op).is_some() {
            self.target(&node.left);
        }
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_reference(&mut self, node: &'ast syn::ExprReference) {
        if node.mutability.is_some() {
            self.target(&node.expr);
        }
        visit::visit_expr_reference(self, node);
    }

    fn visit_expr_return(&mut self, node: &'ast syn::ExprReturn) {
        self.exits.push((place(node), "return may leave the loop early"));
        visit::visit_expr_return(self, node);
    }

    fn visit_expr_try(&mut self, node: &'ast syn::ExprTry) {
        self.exits.push((place(node), "? may leave the loop early"));
        visit::visit_expr_try(self, node);
    }

    fn visit_expr_break(&mut self, node: &'ast syn::ExprBreak) {
        if self.inner_loops == 0 || node.label.is_some() {
            self.exits.push((place(node), "break may leave the loop early"));
        }
    }

    fn visit_expr_continue(&mut self, node: &'ast syn::ExprContinue) {
        let known = self.known.contains(&place(node));
        if !known && (self.inner_loops == 0 || node.label.is_some()) {
            self.exits.push((place(node), "continue may skip the rest of an iteration"));
        }
    }

    fn visit_expr_for_loop(&mut self, node: &'ast syn::ExprForLoop) {
        self.in_loop(|inner| visit::visit_expr_for_loop(inner, node));
    }

    fn visit_expr_while(&mut self, node: &'ast syn::ExprWhile) {
        self.in_loop(|inner| visit::visit_expr_while(inner, node));
    }

    fn visit_expr_loop(&mut self, node: &'ast syn::ExprLoop) {
        self.in_loop(|inner| visit::visit_expr_loop(inner, node));
    }
}
