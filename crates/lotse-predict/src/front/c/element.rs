//! The array element that an expression such as `a[i][j]`, `*(p + i)` or `s->x[k].y` denotes.

use tree_sitter::Node as Syntax;

use super::reader::{ArrayBinding, Binding, CReader};
use super::source::children;
use super::types::CType;
use crate::front::reason::Reason;
use crate::nest::{ArrayId, Expr, Irregular, Subscripts};

/// An element of an array, or a sub-array while only some of the subscripts are known.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) array: ArrayId,
    /// See [`ArrayBinding::bytewise`].
    bytewise: bool,
    /// One expression for each index so far; an error if one of them is not affine.
    subscripts: Result<Vec<Expr>, Reason>,
    /// The next index is added to the last subscript instead of becoming a new one, as in `(p + i)[j]`.
    open: bool,
    /// Upper bound on the number of different elements, if the index depends on data.
    choices: Option<Expr>,
    pub(super) offset_bytes: u32,
    /// The type of the element.
    pub(super) kind: CType,
}

impl Element {
    fn new(binding: ArrayBinding) -> Self {
        let ArrayBinding { id, kind, start, bytewise } = binding;
        let open = start.is_some() || bytewise;
        let begin = if bytewise { vec![Expr::Constant(0)] } else { Vec::new() };
        let subscripts = Ok(start.unwrap_or(begin));
        Self { array: id, bytewise, subscripts, open, choices: None, offset_bytes: 0, kind }
    }

    /// The subscripts of the element; `text` is its expression in the source.
    pub(super) fn subscripts(&self, text: &str) -> Subscripts {
        match &self.subscripts {
            Ok(list) => Subscripts::Affine(list.clone()),
            Err(reason) => Subscripts::Irregular(Irregular {
                reason: reason.to_string(),
                text: text.to_owned(),
                choices: self.choices.clone(),
            }),
        }
    }

    /// The binding of a pointer to this element, if its position is known.
    pub(super) fn to_binding(&self, kind: CType) -> Option<ArrayBinding> {
        let start = self.subscripts.clone().ok()?;
        let whole = start.is_empty();
        let start = (!whole).then_some(start);
        (self.offset_bytes == 0).then_some(ArrayBinding {
            id: self.array,
            kind,
            start,
            bytewise: self.bytewise,
        })
    }
}

impl CReader<'_, '_> {
    /// The element that an expression denotes; `None` if it is not an element of a known array.
    pub(super) fn element(&mut self, node: Syntax<'_>) -> Option<Element> {
        match node.kind() {
            "identifier" => match self.lookup(&self.text(node))? {
                Binding::Array(array) => Some(Element::new(array)),
                _ => None,
            },
            "parenthesized_expression" => self.element(*children(node).first()?),
            "cast_expression" => self.cast_pointer(node),
            "subscript_expression" => {
                let mut element = self.element(node.child_by_field_name("argument")?)?;
                let index = node.child_by_field_name("index")?;
                let position = self.integer(index);
                let first = element.subscripts.as_ref().is_ok_and(Vec::is_empty) && !element.bytewise;
                if position.is_err() {
                    element.choices = if first { self.choices(index) } else { None };
                }
                self.indexed(element, position)
            }
            "pointer_expression" => {
                let argument = node.child_by_field_name("argument")?;
                match self.text(node.child_by_field_name("operator")?).as_str() {
                    "*" => {
                        let element = self.element(argument)?;
                        self.indexed(element, Ok(0.into()))
                    }
                    _ => self.address(argument),
                }
            }
            "binary_expression" => self.moved_pointer(node),
            "field_expression" => self.field_element(node),
            "call_expression" => self.expand(node, |reader, inner| reader.element(inner))?,
            _ => None,
        }
    }

    /// `(float *) p`: if the type that p points to is unknown (`void *`), it is the one of the cast.
    fn cast_pointer(&mut self, node: Syntax<'_>) -> Option<Element> {
        let mut value = node.child_by_field_name("value")?;
        if let Some(element) = self.element(value) {
            return Some(element);
        }
        while value.kind() == "parenthesized_expression" {
            value = *children(value).first()?;
        }
        let unknown = matches!(self.lookup(&self.text(value))?, Binding::Struct(CType::Unknown));
        let descriptor =
            node.child_by_field_name("type").filter(|_| unknown && value.kind() == "identifier")?;
        let base = self.unit.named_type(descriptor.child_by_field_name("type")?);
        let stars = self.text(descriptor).matches('*').count();
        let kind = (stars == 1).then(|| CType::Pointer(Box::new(base)))?;
        let path = format!("({}) {}", self.text(descriptor).replace("const ", ""), self.text(value));
        self.array_of_path(&path, &kind).map(Element::new)
    }

    /// `&a[i]`: a pointer to the element, to which an index may be added.
    fn address(&mut self, argument: Syntax<'_>) -> Option<Element> {
        let mut element = self.element(argument)?;
        element.kind = CType::Pointer(Box::new(element.kind));
        element.open = true;
        Some(element)
    }

    /// `a + i` and `a - i`.
    fn moved_pointer(&mut self, node: Syntax<'_>) -> Option<Element> {
        let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
        let operator = self.text(node.child_by_field_name("operator")?);
        let (element, distance) = match (self.element(left), operator.as_str()) {
            (Some(element), "+") => (element, self.integer(right)),
            (Some(element), "-") => (element, self.integer(right).map(|by| by.times((-1).into()))),
            (None, "+") => (self.element(right)?, self.integer(left)),
            _ => return None,
        };
        let kind = element.kind.clone();
        let mut moved = self.indexed(element, distance)?;
        (moved.kind, moved.open) = (kind, true);
        Some(moved)
    }

    /// `element[index]`: adds a subscript. With bytewise subscripts, the index times the element size is added to the only one.
    fn indexed(&mut self, mut element: Element, index: Result<Expr, Reason>) -> Option<Element> {
        let target = element.kind.element()?.clone();
        let size = target.size(&self.unit.structs).map(|(bytes, _)| i64::from(bytes));
        element.subscripts = match (element.subscripts, index) {
            (Err(reason), _) | (_, Err(reason)) => Err(reason),
            (Ok(mut list), Ok(index)) => {
                let index = match (element.bytewise, size) {
                    (true, None) => return None,
                    (true, Some(size)) => index.times(size.into()),
                    (false, _) => index,
                };
                match list.pop() {
                    Some(last) if element.open => list.push(last.plus(index)),
                    last => list.extend(last.into_iter().chain([index])),
                }
                Ok(list)
            }
        };
        element.open = element.bytewise;
        element.kind = target;
        Some(element)
    }

    /// `s.x` and `p->x`: a field of an element, or the array that the field of a struct points to.
    fn field_element(&mut self, node: Syntax<'_>) -> Option<Element> {
        let argument = node.child_by_field_name("argument")?;
        let arrow =
            node.child_by_field_name("operator").map(|operator| self.text(operator)) == Some("->".into());
        let name = self.text(node.child_by_field_name("field")?);
        let element = self.element(argument);
        let pointer = |element: &Element| matches!(element.kind, CType::Pointer(_) | CType::Array(..));
        if let Some(element) = element.filter(|element| arrow == pointer(element)) {
            let plain = argument.kind() == "identifier" && arrow;
            let element = if arrow { self.indexed(element, Ok(0.into()))? } else { element };
            let CType::Struct(structure) = &element.kind else { return None };
            let (offset, kind) = self.unit.structs.get(structure)?.fields.get(&name)?.clone();
            // `p->rows` is an array of its own, if the pointer p does not change.
            if matches!(kind, CType::Pointer(_)) {
                return if plain {
                    self.array_of_path(&self.text(node), &kind).map(Element::new)
                } else {
                    None
                };
            }
            return Some(Element { offset_bytes: element.offset_bytes + offset, kind, ..element });
        }
        let kind = self.fields_type(node)?;
        kind.element()?;
        self.array_of_path(&self.text(node), &kind).map(Element::new)
    }

    /// The type of `s.x` or `p->x`, where s is a struct and p a pointer to one.
    pub(super) fn fields_type(&mut self, node: Syntax<'_>) -> Option<CType> {
        let argument = node.child_by_field_name("argument")?;
        let kind = match argument.kind() {
            "identifier" => match self.lookup(&self.text(argument))? {
                Binding::Struct(kind) => kind,
                Binding::Array(array) => array.kind.element()?.clone(),
                _ => return None,
            },
            "field_expression" => match self.fields_type(argument)? {
                CType::Pointer(target) => *target,
                other => other,
            },
            _ => return None,
        };
        let CType::Struct(name) = kind else { return None };
        let field = self.text(node.child_by_field_name("field")?);
        self.unit.structs.get(&name)?.fields.get(&field).map(|(_, kind)| kind.clone())
    }
}
