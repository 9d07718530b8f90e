//! Loops, statements and memory accesses with their domains.

use std::rc::Rc;

use super::{Domain, Linear};
use crate::nest::{Access, ArrayId, Reference, Refusal, SourcePosition, Statement, Symbol};

/// A loop or a statement of an instance.
#[derive(Debug, Clone)]
pub enum ConcreteNode {
    Loop(ConcreteLoop),
    Statement(ConcreteStatement),
}

/// A loop on one domain. A loop whose bounds have several cases becomes several of these.
#[derive(Debug, Clone)]
pub struct ConcreteLoop {
    pub place: SourcePosition,
    /// The loop variable in the source.
    pub source_variable: Symbol,
    /// The variable of the domain that counts iterations.
    pub(crate) variable: Symbol,
    /// One point for every iteration, over all iterations of the enclosing loops.
    pub(crate) domain: Domain,
    pub body: Vec<ConcreteNode>,
    /// Whether the domain is only an upper bound: `break`, `return` or a condition on data may skip iterations.
    pub at_most: bool,
    /// Statements that may end the loop early, with line and reason.
    pub(crate) exits: Vec<Refusal>,
    /// Conditions on data, within the enclosing loop, that decide whether this loop is executed at all.
    pub(crate) conditions: Vec<Refusal>,
}

/// A statement on one domain.
#[derive(Debug, Clone)]
pub struct ConcreteStatement {
    pub place: SourcePosition,
    /// One point for every execution.
    pub(crate) domain: Domain,
    pub touches: Vec<Touch>,
    /// Whether the domain is only an upper bound: a condition on data may skip executions.
    pub at_most: bool,
    /// Conditions on data around it, within its innermost loop.
    pub(crate) conditions: Vec<Refusal>,
    /// The statement in the source, with its operations.
    pub(crate) source: Rc<Statement>,
}

/// An access of a statement to bytes of an array.
#[derive(Debug, Clone)]
pub struct Touch {
    pub array: ArrayId,
    pub access: Access,
    pub width_bytes: u32,
    /// The domain of the statement, restricted to one case of the subscripts.
    pub(crate) domain: Domain,
    /// Bytes from the beginning of the array; `None` if the address is not affine.
    pub(crate) address: Option<Linear>,
    /// What is known about the element if the address is not affine.
    pub(crate) scattered: Option<Scattered>,
    /// The position of its reference in the source statement.
    pub(crate) reference: usize,
}

/// An element whose subscript depends on data, such as `a[p[i]]`.
#[derive(Debug, Clone)]
pub struct Scattered {
    /// Why the address is not known.
    pub reason: Rc<str>,
    /// Size in bytes of all elements that can be selected, if the source shows it.
    pub(crate) within: Option<i128>,
    /// Accesses of one statement with the same number access the same element.
    pub(crate) element: usize,
}

impl Touch {
    pub(super) fn new(reference: &Reference, domain: Domain, address: Result<Linear, Scattered>) -> Self {
        let (array, access, width_bytes) = (reference.array, reference.access, reference.width_bytes);
        let (address, scattered) = match address {
            Ok(address) => (Some(address), None),
            Err(scattered) => (None, Some(scattered)),
        };
        Self { array, access, width_bytes, domain, address, scattered, reference: 0 }
    }
}
