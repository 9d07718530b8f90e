//! The state while one function is translated: the bindings of names, and the nest built so far.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tree_sitter::Node as Syntax;

use super::source::{children, deeper_than, parse};
use super::types::{CType, declared};
use super::unit::{TranslationUnit, integer_literal};
use super::width::IntegerWidth;
use crate::nest::{
    Array, ArrayId, Expr, Function, Layout, Node, NumberType, Refusal, RefusedPart, SourcePosition, Symbol,
    SymbolKind,
};

/// Deeper syntax trees are refused, because reading them is recursive.
const DEEPEST: usize = 250;
/// Upper limit on nested macro expansions.
const MOST_EXPANSIONS: u32 = 16;

/// What a name stands for at the current position.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Binding {
    /// An integer whose value is known as an expression.
    Integer(Expr),
    /// An integer or pointer whose value is not known, with the reason.
    Changing(String),
    /// A scalar variable that is not an integer.
    Scalar(NumberType),
    /// An array or a pointer to elements.
    Array(ArrayBinding),
    /// A struct, or an unchanging pointer to one.
    Struct(CType),
}

/// A name of an array, or of a pointer into one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ArrayBinding {
    pub(super) id: ArrayId,
    /// The type of the name itself.
    pub(super) kind: CType,
    /// For a pointer into an array: the subscripts of the element that it points to. An index is added to the last one.
    pub(super) start: Option<Vec<Expr>>,
    /// There is only one subscript, which counts bytes, because the elements are structs that contain arrays.
    pub(super) bytewise: bool,
}

/// Translates one function.
pub(super) struct CReader<'u, 't> {
    pub(super) unit: &'u TranslationUnit<'t>,
    pub(super) function: Function,
    bindings: BTreeMap<String, Binding>,
    /// For each open block, the names declared in it and the bindings that they hide.
    blocks: Vec<BTreeMap<String, Option<Binding>>>,
    text: Rc<str>,
    /// The position of the macro call that is being expanded.
    expanded_at: Option<SourcePosition>,
    expansions: u32,
    /// How often each name was assigned an unknown value.
    unknowns: BTreeMap<String, u32>,
    /// Upper bounds on the number of different values of integers whose value is not known.
    pub(super) ranges: BTreeMap<String, Expr>,
    /// The types of integer variables.
    pub(super) widths: BTreeMap<String, IntegerWidth>,
    /// Number of loops around the current statement.
    pub(super) depth: u32,
    /// Refused parts of the current statement.
    pub(super) refusals: Vec<Refusal>,
}

/// Translates a function definition.
pub(super) fn read(unit: &TranslationUnit<'_>, definition: Syntax<'_>) -> Function {
    let place = unit.source.place(definition);
    let mut reader = CReader {
        unit,
        function: Function { place, ..Function::default() },
        bindings: BTreeMap::new(),
        blocks: vec![BTreeMap::new()],
        text: Rc::from(unit.source.text.as_str()),
        expanded_at: None,
        expansions: 0,
        unknowns: BTreeMap::new(),
        ranges: BTreeMap::new(),
        widths: BTreeMap::new(),
        depth: 0,
        refusals: Vec::new(),
    };
    reader.definition(definition);
    reader.function
}

impl CReader<'_, '_> {
    /// Reads name, parameters and body of the definition. A definition that is nested too deeply is refused as a whole.
    fn definition(&mut self, definition: Syntax<'_>) {
        let mut declarator = definition.child_by_field_name("declarator");
        while let Some(inner) = declarator.filter(|node| node.kind() != "function_declarator") {
            declarator = inner.child_by_field_name("declarator");
        }
        let Some(declarator) = declarator else { return };
        if let Some(name) = declarator.child_by_field_name("declarator") {
            self.function.name = self.text(name);
        }
        if deeper_than(definition, DEEPEST) {
            let place = self.function.place;
            let reason = format!("its source is nested more than {DEEPEST} levels deep");
            self.function.body = vec![Node::Refused(Refusal { place, reason, part: RefusedPart::Loop })];
            return;
        }
        for parameter in declarator.child_by_field_name("parameters").map_or_else(Vec::new, children) {
            self.parameter(parameter);
        }
        if let Some(body) = definition.child_by_field_name("body") {
            self.function.body = self.block(body);
        }
    }

    fn parameter(&mut self, parameter: Syntax<'_>) {
        let base = parameter.child_by_field_name("type").map(|base| self.unit.named_type(base));
        let (Some(base), Some(declarator)) = (base, parameter.child_by_field_name("declarator")) else {
            return;
        };
        if let Some((name, kind)) = self.declared(declarator, base) {
            let restrict = self.text(parameter).contains("restrict");
            self.set_width(&name, &kind, parameter);
            self.bind_variable(&name, &kind, restrict);
        }
    }

    pub(super) fn declared(&mut self, declarator: Syntax<'_>, base: CType) -> Option<(String, CType)> {
        let text = Rc::clone(&self.text);
        declared(&text, declarator, base, &mut |size| self.integer(size).ok())
    }

    pub(super) fn text(&self, node: Syntax<'_>) -> String {
        self.text[node.byte_range()].to_owned()
    }

    pub(super) fn place(&self, node: Syntax<'_>) -> SourcePosition {
        self.expanded_at.unwrap_or_else(|| self.unit.source.place(node))
    }

    pub(super) fn refusal(&self, node: Syntax<'_>, reason: impl Into<String>) -> Refusal {
        let whole = matches!(node.kind(), "for_statement" | "while_statement" | "do_statement")
            || node.kind() == "switch_statement" && has_loop(node);
        let part = if whole { RefusedPart::Loop } else { RefusedPart::Other };
        Refusal { place: self.place(node), reason: reason.into(), part }
    }

    /// A variable without a known value: a parameter of the function, a global, or a local array.
    pub(super) fn bind_variable(&mut self, name: &str, kind: &CType, unaliased: bool) {
        let binding = match kind {
            CType::Number(NumberType::Integer(_)) => {
                Binding::Integer(self.function.symbols.parameter(name).into())
            }
            CType::Number(number) => Binding::Scalar(*number),
            CType::Struct(_) => Binding::Struct(kind.clone()),
            CType::Pointer(target) if matches!(**target, CType::Struct(_) | CType::Unknown) => {
                self.array(name, kind, unaliased).map_or(Binding::Struct((**target).clone()), Binding::Array)
            }
            CType::Pointer(_) | CType::Array(..) => {
                let unaliased = unaliased || matches!(kind, CType::Array(..)) && self.blocks.len() > 1;
                match self.array(name, kind, unaliased) {
                    Some(array) => Binding::Array(array),
                    None => Binding::Changing(format!("the size of the elements of {name} is not known")),
                }
            }
            // A type from a header that was not read. Where it bounds a loop or is a subscript, it is an integer.
            CType::Unknown => Binding::Integer(self.function.symbols.parameter(name).into()),
        };
        self.bind(name, binding);
    }

    /// Adds an array of this type to the nest; `None` if the size of its elements is not known. Structs that contain arrays are
    /// described as an array of bytes.
    pub(super) fn array(&mut self, name: &str, kind: &CType, unaliased: bool) -> Option<ArrayBinding> {
        let mut extents = Vec::new();
        let mut element = kind;
        let mut pointers = 0;
        while let Some(inner) = element.element() {
            extents.push(match element {
                CType::Array(_, length) => length.clone(),
                _ => None,
            });
            pointers += usize::from(matches!(element, CType::Pointer(_)));
            element = inner;
        }
        let (mut element_bytes, _) = element.size(&self.unit.structs).filter(|(bytes, _)| *bytes > 0)?;
        let has_arrays = match element {
            CType::Struct(name) => self.unit.structs.get(name).is_some_and(|layout| layout.has_arrays),
            _ => false,
        };
        let layout = match pointers {
            0 | 1 if has_arrays => {
                element_bytes = 1;
                Layout::RowMajor { extents: vec![None] }
            }
            0 | 1 => Layout::RowMajor { extents },
            _ => Layout::Rows { row: None },
        };
        let id = ArrayId(self.function.arrays.len());
        self.function.arrays.push(Array { name: name.to_owned(), element_bytes, layout, unaliased });
        Some(ArrayBinding { id, kind: kind.clone(), start: None, bytewise: has_arrays })
    }

    /// The array of a path such as `image->pixels`; all uses of a path share one array.
    pub(super) fn array_of_path(&mut self, path: &str, kind: &CType) -> Option<ArrayBinding> {
        match self.bindings.get(path) {
            Some(Binding::Array(array)) => Some(array.clone()),
            _ => {
                let array = self.array(path, kind, false)?;
                self.bindings.insert(path.to_owned(), Binding::Array(array.clone()));
                Some(array)
            }
        }
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

    /// Marks the values of these names as unknown from here on.
    pub(super) fn forget(&mut self, names: &BTreeSet<String>, reason: &str) {
        for name in names {
            self.ranges.remove(name);
            let known = self.lookup(name);
            if matches!(known, None | Some(Binding::Integer(_) | Binding::Array(_) | Binding::Struct(_))) {
                let pointer = !matches!(known, None | Some(Binding::Integer(_)));
                let binding = self.unknown(name, format!("{name} {reason}"));
                self.assign(
                    name,
                    if pointer { Binding::Changing(format!("{name} {reason}")) } else { binding },
                );
            }
        }
    }

    /// The binding of a name. Globals and macros are bound at their first use.
    pub(super) fn lookup(&mut self, name: &str) -> Option<Binding> {
        if let Some(known) = self.bindings.get(name) {
            return Some(known.clone());
        }
        if let Some(value) = self.unit.enums.get(name) {
            return Some(Binding::Integer((*value).into()));
        }
        if let Some(value) = self.unit.macros.get(name).and_then(|text| integer_literal(text)) {
            let symbol = self.function.symbols.parameter(name);
            self.function.defaults.push((symbol, value));
            self.bindings.insert(name.to_owned(), Binding::Integer(symbol.into()));
        } else if let Some(declaration) = self.unit.globals.get(name).copied() {
            self.global(name, declaration);
        }
        self.bindings.get(name).cloned()
    }

    /// Binds a global variable by its declaration.
    fn global(&mut self, name: &str, declaration: Syntax<'_>) {
        let base = declaration.child_by_field_name("type").map(|base| self.unit.named_type(base));
        let Some(base) = base else { return };
        // The declaration is in the source file, not in the text of the macro that is being expanded.
        let outer = std::mem::replace(&mut self.text, Rc::from(self.unit.source.text.as_str()));
        let blocks = std::mem::take(&mut self.blocks);
        let mut cursor = declaration.walk();
        for declarator in declaration.children_by_field_name("declarator", &mut cursor) {
            match self.declared(declarator, base.clone()) {
                Some((declared, kind)) if declared == name => self.bind_variable(name, &kind, true),
                _ => {}
            }
        }
        (self.text, self.blocks) = (outer, blocks);
    }

    /// The binding of an integer whose value is not known. Outside of loops it has a single value, so it becomes a parameter, whose
    /// value the user may give.
    pub(super) fn unknown(&mut self, name: &str, reason: String) -> Binding {
        if self.depth > 0 {
            return Binding::Changing(reason);
        }
        let symbols = &mut self.function.symbols;
        let number = self.unknowns.entry(name.to_owned()).or_insert(0);
        *number += 1;
        let taken = *number > 1 || symbols.find_parameter(name).is_some();
        let fresh = if taken { format!("{name}#{number}") } else { name.to_owned() };
        Binding::Integer(symbols.add(&fresh, SymbolKind::Parameter).into())
    }

    /// Whether the current statements are at the top level of the function, not in an inner block.
    pub(super) fn is_at_top_level(&self) -> bool {
        self.depth == 0 && self.blocks.len() == 2
    }

    pub(super) fn loop_variable(&mut self, name: &str) -> Symbol {
        self.function.symbols.add(name, SymbolKind::LoopVariable)
    }

    /// Expands a macro and reads its text as an expression; `None` if the name is not a macro or expansions are nested too deeply.
    pub(super) fn expand<T>(
        &mut self,
        node: Syntax<'_>,
        read: impl FnOnce(&mut Self, Syntax<'_>) -> T,
    ) -> Option<T> {
        let text = self.expansion(node)?;
        if self.expansions >= MOST_EXPANSIONS {
            return None;
        }
        let wrapped: Rc<str> = Rc::from(format!("void f(void) {{ ({text}); }}"));
        let tree = parse(&wrapped).ok()?;
        if deeper_than(tree.root_node(), DEEPEST) || tree.root_node().has_error() {
            return None;
        }
        let body = children(tree.root_node()).first()?.child_by_field_name("body")?;
        let expression = *children(*children(body).first()?).first()?;
        let place = self.place(node);
        let outer_text = std::mem::replace(&mut self.text, wrapped);
        let outer_place = self.expanded_at.replace(place);
        self.expansions += 1;
        let result = read(self, expression);
        self.expansions -= 1;
        (self.text, self.expanded_at) = (outer_text, outer_place);
        Some(result)
    }

    /// The text of a macro call with its arguments substituted.
    fn expansion(&self, node: Syntax<'_>) -> Option<String> {
        if node.kind() == "identifier" {
            let name = self.text(node);
            return self.unit.macros.get(&name).filter(|text| **text != name).cloned();
        }
        let name = self.text(node.child_by_field_name("function")?);
        let definition = self.unit.function_macros.get(&name)?;
        let arguments: Vec<String> =
            children(node.child_by_field_name("arguments")?).iter().map(|node| self.text(*node)).collect();
        let same = arguments.len() == definition.parameters.len();
        same.then(|| substituted(&definition.body, &definition.parameters, &arguments))
    }
}

/// Whether there is a loop below a node.
pub(super) fn has_loop(node: Syntax<'_>) -> bool {
    let is_loop = |kind: &str| matches!(kind, "for_statement" | "while_statement" | "do_statement");
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        if is_loop(node.kind()) {
            return true;
        }
        pending.extend(children(node));
    }
    false
}

/// A macro's body with arguments in place of its parameters.
fn substituted(body: &str, parameters: &[String], arguments: &[String]) -> String {
    let mut result = String::new();
    let mut word = String::new();
    let flush = |word: &mut String, result: &mut String| {
        let found = parameters.iter().position(|parameter| parameter == word);
        result.push_str(found.map_or(word.as_str(), |index| &arguments[index]));
        word.clear();
    };
    for letter in body.chars() {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
        } else {
            flush(&mut word, &mut result);
            result.push(letter);
        }
    }
    flush(&mut word, &mut result);
    result
}
