//! The state while one function is read.

use std::collections::{BTreeMap, BTreeSet};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::types::{self, RType};
use crate::front::reason::Reason;
use crate::nest::{
    Array, ArrayId, Expr, Function, Layout, Node, NumberType, Place, Refusal, RefusedPart, Symbol, SymbolKind,
};

/// Constants and fields of a file.
#[derive(Default)]
pub(super) struct Constants {
    pub(super) values: BTreeMap<String, i64>,
    /// Types of fields, by name; `None` where two structs have different fields of one name.
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

/// What a name means at one place.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Binding {
    Integer(Expr),
    Changing(String),
    Scalar(NumberType),
    /// An array, a part of one, or one element.
    Array(Part),
}

/// A part of an array: the elements below `subscripts`, from `start` on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) id: ArrayId,
    /// An error once one of them is not affine.
    pub(super) subscripts: Result<Vec<Expr>, Reason>,
    /// At most so many different elements, where data select one.
    pub(super) choices: Option<Expr>,
    /// Added to the next subscript.
    pub(super) start: Expr,
    pub(super) kind: RType,
    /// Number of elements.
    pub(super) length: Expr,
}

pub(super) struct Reader<'c> {
    pub(super) constants: &'c Constants,
    pub(super) function: Function,
    bindings: BTreeMap<String, Binding>,
    blocks: Vec<BTreeMap<String, Option<Binding>>>,
    /// How many different values an integer may have whose value is not known.
    pub(super) ranges: BTreeMap<String, Expr>,
    pub(super) depth: u32,
    pub(super) refusals: Vec<Refusal>,
}

/// The function of a signature and a body.
pub(super) fn read(constants: &Constants, signature: &syn::Signature, block: &syn::Block) -> Function {
    let function =
        Function { name: signature.ident.to_string(), place: place(signature), ..Function::default() };
    let (bindings, ranges, refusals) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let mut reader =
        Reader { constants, function, bindings, blocks: vec![BTreeMap::new()], ranges, depth: 0, refusals };
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

pub(super) fn place(node: &impl Spanned) -> Place {
    let start = node.span().start();
    let number = |value: usize| u32::try_from(value).unwrap_or(0);
    Place { line: number(start.line), column: number(start.column + 1) }
}

impl Reader<'_> {
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

    /// A variable of a type whose value is not known.
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

    /// A new array of the nest.
    pub(super) fn array(&mut self, name: &str, kind: &RType, unaliased: bool) -> Option<Part> {
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
        Some(Part { id, subscripts, choices: None, start, kind: kind.clone(), length })
    }

    /// The array that a path such as `self.data` names, one for all of its uses.
    pub(super) fn field_array(&mut self, path: &str, field: &str) -> Option<Part> {
        if let Some(Binding::Array(part)) = self.bindings.get(path) {
            return Some(part.clone());
        }
        let kind = self.constants.fields.get(field)?.clone()?;
        let part = matches!(kind, RType::Slice(..)).then(|| self.array(path, &kind, false))??;
        self.bindings.insert(path.to_owned(), Binding::Array(part.clone()));
        Some(part)
    }

    pub(super) fn bind(&mut self, name: &str, binding: Binding) {
        let hidden = self.bindings.insert(name.to_owned(), binding);
        if let Some(block) = self.blocks.last_mut() {
            block.entry(name.to_owned()).or_insert(hidden);
        }
    }

    pub(super) fn assign(&mut self, name: &str, binding: Binding) {
        self.bindings.insert(name.to_owned(), binding);
    }

    /// Whether the statements that are read are those of the function itself, and not of a block in it.
    pub(super) fn is_whole_body(&self) -> bool {
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

    /// Names that were assigned somewhere and are not known any more.
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

/// Names that are assigned below an expression or a block.
#[derive(Default)]
pub(super) struct Assigned {
    pub(super) names: BTreeSet<String>,
    /// `break`, `continue` and `return`, with their reasons.
    pub(super) exits: Vec<(Place, &'static str)>,
    inner_loops: u32,
    /// Whether there is a loop.
    pub(super) has_loops: bool,
    /// Where `continue` became a branch.
    known: Vec<Place>,
}

impl Assigned {
    /// What is assigned in the body of a loop.
    pub(super) fn in_body(body: &syn::Block) -> Self {
        let known = body.stmts.iter().filter_map(super::body::skip_of).map(place).collect();
        let mut assigned = Self { known, ..Self::default() };
        assigned.visit_block(body);
        assigned
    }

    fn target(&mut self, expr: &syn::Expr) {
        if let syn::Expr::Path(_) | syn::Expr::Field(_) = expr {
            self.names.extend(super::integer::path_of(expr));
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
