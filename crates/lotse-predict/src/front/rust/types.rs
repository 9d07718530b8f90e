//! Rust types, as far as they are needed to compute addresses.

use crate::nest::{Expr, NumberType};

/// A Rust type; references, boxes and mutability are ignored.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RType {
    Number(NumberType),
    /// `[T]`, `[T; N]` or `Vec<T>`, with the number of elements if it is known.
    Slice(Box<RType>, Option<Expr>),
    /// A type parameter, or a name that looks like one.
    Generic(String),
    Other,
}

impl RType {
    /// The type with 8-byte numbers in place of type parameters, whose names are added to `found`.
    pub(super) fn assumed(&self, found: &mut Vec<String>) -> Self {
        match self {
            Self::Generic(name) => {
                found.push(name.clone());
                Self::Number(NumberType::F64)
            }
            Self::Slice(inner, length) => Self::Slice(Box::new(inner.assumed(found)), length.clone()),
            other => other.clone(),
        }
    }

    /// Bytes of one array element of this type.
    pub(super) fn bytes(&self) -> Option<u32> {
        match self {
            Self::Number(NumberType::F32) => Some(4),
            Self::Number(NumberType::F64) => Some(8),
            Self::Number(NumberType::Integer(bytes)) => Some(u32::from(*bytes)),
            _ => None,
        }
    }
}

/// Reads a type; `length` reads the lengths of arrays.
pub(super) fn read(kind: &syn::Type, length: &mut dyn FnMut(&syn::Expr) -> Option<Expr>) -> RType {
    match kind {
        syn::Type::Reference(inner) => read(&inner.elem, length),
        syn::Type::Paren(inner) => read(&inner.elem, length),
        syn::Type::Group(inner) => read(&inner.elem, length),
        syn::Type::Slice(inner) => RType::Slice(Box::new(read(&inner.elem, length)), None),
        syn::Type::Array(inner) => {
            let element = read(&inner.elem, length);
            RType::Slice(Box::new(element), length(&inner.len))
        }
        syn::Type::Path(path) => type_by_name(path, length),
        _ => RType::Other,
    }
}

/// The type that a path denotes: a number, `Vec`, a smart pointer (which is ignored), or a type parameter.
fn type_by_name(path: &syn::TypePath, length: &mut dyn FnMut(&syn::Expr) -> Option<Expr>) -> RType {
    let Some(last) = path.path.segments.last() else { return RType::Other };
    let argument = || match &last.arguments {
        syn::PathArguments::AngleBracketed(list) => list.args.iter().find_map(|argument| match argument {
            syn::GenericArgument::Type(inner) => Some(inner),
            _ => None,
        }),
        _ => None,
    };
    let number = match last.ident.to_string().as_str() {
        "f32" => NumberType::F32,
        "f64" => NumberType::F64,
        "u8" | "i8" | "bool" => NumberType::Integer(1),
        "u16" | "i16" => NumberType::Integer(2),
        "u32" | "i32" | "char" => NumberType::Integer(4),
        "u64" | "i64" | "usize" | "isize" => NumberType::Integer(8),
        "u128" | "i128" => NumberType::Integer(16),
        "Vec" => {
            let element = argument().map_or(RType::Other, |inner| read(inner, length));
            return RType::Slice(Box::new(element), None);
        }
        "Box" | "Rc" | "Arc" => return argument().map_or(RType::Other, |inner| read(inner, length)),
        name if name.len() <= 2 && name.chars().all(|letter| letter.is_ascii_uppercase()) => {
            return RType::Generic(name.to_owned());
        }
        _ => return RType::Other,
    };
    RType::Number(number)
}
