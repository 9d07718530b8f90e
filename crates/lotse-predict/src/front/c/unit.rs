//! The declarations of a translation unit outside of functions: macros, types, globals and function definitions.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::conditional::compiled_children;
use super::source::{CSource, children};
use super::types::{CType, StructLayout, declared, number_type};
use crate::nest::{Expr, NumberType};

/// A macro with parameters.
pub(super) struct FunctionMacro {
    pub(super) parameters: Vec<String>,
    pub(super) body: String,
}

/// All declarations outside of functions.
pub(super) struct TranslationUnit<'t> {
    pub(super) source: &'t CSource,
    pub(super) macros: BTreeMap<String, String>,
    /// Macros without text, such as `#define FAST`.
    empty_macros: BTreeSet<String>,
    pub(super) function_macros: BTreeMap<String, FunctionMacro>,
    pub(super) typedefs: BTreeMap<String, CType>,
    pub(super) structs: BTreeMap<String, StructLayout>,
    pub(super) enums: BTreeMap<String, i64>,
    /// Declarations of variables. They are read when a function uses them, because array sizes may be parameters.
    pub(super) globals: BTreeMap<String, Node<'t>>,
    pub(super) definitions: Vec<Node<'t>>,
}

impl<'t> TranslationUnit<'t> {
    /// Reads all declarations in order, including those inside of `#if` and `extern "C"`.
    pub(super) fn new(source: &'t CSource, root: Node<'t>) -> Self {
        let mut unit = Self {
            source,
            macros: BTreeMap::new(),
            empty_macros: BTreeSet::new(),
            function_macros: BTreeMap::new(),
            typedefs: BTreeMap::new(),
            structs: BTreeMap::new(),
            enums: BTreeMap::new(),
            globals: BTreeMap::new(),
            definitions: Vec::new(),
        };
        let mut pending = children(root);
        pending.reverse();
        while let Some(node) = pending.pop() {
            if !unit.read_item(node) {
                pending.extend(compiled_children(&unit, node).into_iter().rev());
            }
        }
        unit
    }

    /// Whether the file defines a macro of this name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.macros.contains_key(name)
            || self.function_macros.contains_key(name)
            || self.empty_macros.contains(name)
    }

    /// Whether a statement begins with a macro whose body contains a loop.
    pub(super) fn is_loop_macro(&self, statement: &str) -> bool {
        let name = statement.split('(').next().map_or("", str::trim_end);
        let words = |body: &str| {
            body.split(|c: char| !c.is_alphanumeric() && c != '_').any(|it| matches!(it, "for" | "while"))
        };
        self.function_macros.get(name).is_some_and(|known| words(&known.body))
    }

    pub(super) fn text(&self, node: Node<'_>) -> &str {
        &self.source.text[node.byte_range()]
    }

    /// Reads one declaration; `false` if the node is not a declaration, so that its children must be read.
    fn read_item(&mut self, node: Node<'t>) -> bool {
        match node.kind() {
            "preproc_def" => self.define(node),
            "preproc_function_def" => self.define_function(node),
            "function_definition" => self.definitions.push(node),
            "type_definition" => self.typedef(node),
            "declaration" => self.declaration(node),
            "struct_specifier" | "union_specifier" | "enum_specifier" => {
                self.base_type(node);
            }
            // The contents of `extern "C"` and of parts with syntax errors are read like the top level.
            _ => return false,
        }
        true
    }

    fn define(&mut self, node: Node<'t>) {
        let name = node.child_by_field_name("name").map(|name| self.text(name).to_owned());
        let value = node.child_by_field_name("value").map(|value| self.text(value).trim().to_owned());
        match (name, value) {
            (Some(name), Some(value)) => {
                let code = value.split("//").next().and_then(|code| code.split("/*").next());
                self.macros.insert(name, code.unwrap_or("").trim().to_owned());
            }
            (Some(name), None) => {
                self.empty_macros.insert(name);
            }
            (None, _) => {}
        }
    }

    fn define_function(&mut self, node: Node<'t>) {
        let name = node.child_by_field_name("name").map(|name| self.text(name).to_owned());
        let parameters = node.child_by_field_name("parameters").map(children);
        let body = node.child_by_field_name("value").map(|value| self.text(value).replace("\\\n", " "));
        if let (Some(name), Some(parameters), Some(body)) = (name, parameters, body) {
            let parameters = parameters.iter().map(|parameter| self.text(*parameter).to_owned()).collect();
            self.function_macros.insert(name, FunctionMacro { parameters, body });
        }
    }

    fn typedef(&mut self, node: Node<'t>) {
        let Some(base) = node.child_by_field_name("type").map(|base| self.base_type(base)) else { return };
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let mut size = |node: Node<'_>| self.plain_integer(node).map(Expr::Constant);
            if let Some((name, kind)) = declared(&self.source.text, declarator, base.clone(), &mut size) {
                self.typedefs.insert(name, kind);
            }
        }
    }

    fn declaration(&mut self, node: Node<'t>) {
        if let Some(base) = node.child_by_field_name("type") {
            self.base_type(base);
        }
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let name = declared(&self.source.text, declarator, CType::Unknown, &mut |_| None);
            if let Some((name, _)) = name {
                self.define_constant(node, declarator, &name);
                self.globals.insert(name, node);
            }
        }
    }

    /// `static const int N = 300;` is treated like an enumerator.
    fn define_constant(&mut self, node: Node<'t>, declarator: Node<'t>, name: &str) {
        let is_const = children(node)
            .iter()
            .any(|part| part.kind() == "type_qualifier" && matches!(self.text(*part), "const" | "constexpr"));
        let plain = declarator.child_by_field_name("declarator").map(|inner| inner.kind());
        let value = declarator.child_by_field_name("value").and_then(|value| self.plain_integer(value));
        if let Some(value) = value.filter(|_| is_const && plain == Some("identifier")) {
            self.enums.insert(name.to_owned(), value);
        }
    }

    /// The type of a specifier; structs and enumerations that it defines are recorded.
    pub(super) fn base_type(&mut self, node: Node<'t>) -> CType {
        match node.kind() {
            "struct_specifier" | "union_specifier" => self.define_struct(node),
            "enum_specifier" => {
                self.define_enum(node);
                CType::Number(NumberType::Integer(4))
            }
            _ => self.named_type(node),
        }
    }

    /// The type of a specifier whose definitions are already recorded.
    pub(super) fn named_type(&self, node: Node<'_>) -> CType {
        let text = self.text(node);
        match node.kind() {
            "struct_specifier" | "union_specifier" => {
                let name = node.child_by_field_name("name");
                CType::Struct(name.map_or_else(|| anonymous(node), |name| self.text(name).to_owned()))
            }
            "enum_specifier" => CType::Number(NumberType::Integer(4)),
            _ => match self.typedefs.get(text) {
                Some(known) => known.clone(),
                None => match self.macros.get(text) {
                    Some(replaced) if replaced != text => number_type(replaced),
                    _ => number_type(text),
                },
            },
        }
    }

    fn define_struct(&mut self, node: Node<'t>) -> CType {
        let name = node.child_by_field_name("name").map(|name| self.text(name).to_owned());
        let name = name.unwrap_or_else(|| anonymous(node));
        if let Some(body) = node.child_by_field_name("body") {
            let union = node.kind() == "union_specifier";
            if let Some(layout) = self.layout(body, union) {
                self.structs.insert(name.clone(), layout);
            }
        }
        CType::Struct(name)
    }

    /// The layout of a struct or union by the rules of common 64-bit ABIs. If the size of a field is not known, that of the struct
    /// is 0; `None` if a field cannot be read.
    fn layout(&mut self, body: Node<'t>, union: bool) -> Option<StructLayout> {
        let mut layout = StructLayout::default();
        let (mut end, mut widest, mut known) = (0_u32, 1, true);
        for field in children(body) {
            let Some(base) = field.child_by_field_name("type").map(|base| self.base_type(base)) else {
                continue;
            };
            let mut cursor = field.walk();
            for declarator in field.children_by_field_name("declarator", &mut cursor) {
                let mut size = |node: Node<'_>| self.plain_integer(node).map(Expr::Constant);
                let (name, kind) = declared(&self.source.text, declarator, base.clone(), &mut size)?;
                let sized = kind.size(&self.structs);
                known &= sized.is_some();
                let (bytes, align) = sized.unwrap_or((0, 1));
                let start = if union { 0 } else { end.checked_next_multiple_of(align.max(1))? };
                end = end.max(start.checked_add(bytes)?);
                widest = widest.max(align);
                layout.has_arrays |= matches!(kind, CType::Array(..));
                layout.fields.insert(name, (start, kind));
            }
        }
        // Fields can be accessed through a pointer even if the size of the struct is not known.
        layout.bytes = if known { end.checked_next_multiple_of(widest)? } else { 0 };
        Some(layout)
    }

    fn define_enum(&mut self, node: Node<'t>) {
        // `None` after a value that is not understood.
        let mut next = Some(0_i64);
        for entry in node.child_by_field_name("body").map_or_else(Vec::new, children) {
            if let Some(value) = entry.child_by_field_name("value") {
                next = self.plain_integer(value);
            }
            if let Some((name, value)) = entry.child_by_field_name("name").zip(next) {
                self.enums.insert(self.text(name).to_owned(), value);
            }
            next = next.and_then(|value| value.checked_add(1));
        }
    }

    /// The value of a literal, or of a macro or enumerator that is a literal.
    pub(super) fn plain_integer(&self, node: Node<'_>) -> Option<i64> {
        let text = self.text(node);
        integer_literal(text)
            .or_else(|| self.enums.get(text).copied())
            .or_else(|| integer_literal(self.macros.get(text)?))
    }
}

fn anonymous(node: Node<'_>) -> String {
    format!("struct at byte {}", node.start_byte())
}

/// The value of an integer literal of C, which may be in parentheses.
pub(super) fn integer_literal(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        return integer_literal(inner);
    }
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    match hex {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}
