//! C types, as far as they are needed to compute addresses.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::source::children;
use crate::nest::{Expr, NumberType};

/// A C type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CType {
    Number(NumberType),
    Pointer(Box<CType>),
    /// Element type and number of elements, if known.
    Array(Box<CType>, Option<Expr>),
    Struct(String),
    Unknown,
}

/// The fields of a struct with their offsets.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StructLayout {
    pub(super) fields: BTreeMap<String, (u32, CType)>,
    pub(super) bytes: u32,
    pub(super) has_arrays: bool,
}

impl CType {
    /// Bytes and alignment, if known.
    pub(super) fn size(&self, structs: &BTreeMap<String, StructLayout>) -> Option<(u32, u32)> {
        match self {
            Self::Number(NumberType::F32) => Some((4, 4)),
            Self::Number(NumberType::F64) | Self::Pointer(_) => Some((8, 8)),
            Self::Number(NumberType::Integer(bytes)) => Some((u32::from(*bytes), u32::from(*bytes))),
            Self::Number(NumberType::Unknown) | Self::Unknown => None,
            Self::Array(element, length) => {
                let (bytes, align) = element.size(structs)?;
                let length = u32::try_from(length.as_ref()?.to_constant()?).ok()?;
                Some((bytes.checked_mul(length)?, align))
            }
            Self::Struct(name) => {
                let layout = structs.get(name)?;
                let aligns = layout.fields.values().filter_map(|(_, field)| field.size(structs));
                Some((layout.bytes, aligns.map(|(_, align)| align).max().unwrap_or(1)))
            }
        }
    }

    /// The type of the element that an index or `*` gives.
    pub(super) fn element(&self) -> Option<&CType> {
        match self {
            Self::Pointer(element) | Self::Array(element, _) => Some(element),
            _ => None,
        }
    }

    pub(super) fn is_integer(&self) -> bool {
        matches!(self, Self::Number(NumberType::Integer(_)))
    }
}

/// The number type with this name, such as `unsigned long`.
pub(super) fn number_type(words: &str) -> CType {
    let has = |word: &str| words.split_whitespace().any(|other| other == word);
    let number = match words.trim() {
        "float" => NumberType::F32,
        "double" => NumberType::F64,
        "char" | "bool" | "_Bool" | "int8_t" | "uint8_t" | "u8" | "uchar" => NumberType::Integer(1),
        "int16_t" | "uint16_t" | "ushort" => NumberType::Integer(2),
        "int" | "int32_t" | "uint32_t" | "unsigned" | "signed" | "uint" => NumberType::Integer(4),
        "size_t" | "ssize_t" | "int64_t" | "uint64_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t" | "off_t" => {
            NumberType::Integer(8)
        }
        _ if has("long") && has("double") => NumberType::Unknown,
        _ if has("long") => NumberType::Integer(8),
        _ if has("short") => NumberType::Integer(2),
        _ if has("char") => NumberType::Integer(1),
        _ if has("int") || has("unsigned") || has("signed") => NumberType::Integer(4),
        _ => return CType::Unknown,
    };
    CType::Number(number)
}

/// The name and type of a declarator, where `base` is the type of the declaration: `double *a[3]` has the base `double` and the
/// declarator `*a[3]`. `size` reads array sizes.
pub(super) fn declared(
    text: &str,
    declarator: Node<'_>,
    base: CType,
    size: &mut dyn FnMut(Node<'_>) -> Option<Expr>,
) -> Option<(String, CType)> {
    match declarator.kind() {
        "identifier" | "field_identifier" | "type_identifier" => {
            Some((text[declarator.byte_range()].to_owned(), base))
        }
        "init_declarator" => declared(text, declarator.child_by_field_name("declarator")?, base, size),
        "pointer_declarator" => {
            let inner = declarator.child_by_field_name("declarator")?;
            declared(text, inner, CType::Pointer(Box::new(base)), size)
        }
        "array_declarator" => {
            let length = declarator.child_by_field_name("size").and_then(&mut *size);
            let inner = declarator.child_by_field_name("declarator")?;
            declared(text, inner, CType::Array(Box::new(base), length), size)
        }
        "parenthesized_declarator" | "attributed_declarator" => {
            declared(text, *children(declarator).first()?, base, size)
        }
        _ => None,
    }
}
