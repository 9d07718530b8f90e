//! Loops, statements and touches on their domains.

use std::rc::Rc;

use super::{Domain, Linear};
use crate::nest::{Access, ArrayId, Place, Reference, Refusal, Statement, Symbol};

/// A loop or a statement.
#[derive(Debug, Clone)]
pub enum Item {
    /// A loop.
    Loop(ConcreteLoop),
    /// A statement.
    Statement(ConcreteStatement),
}

/// A loop on one domain. A loop of several cases is several of these.
#[derive(Debug, Clone)]
pub struct ConcreteLoop {
    /// Where it is.
    pub place: Place,
    /// The variable of the source.
    pub source_variable: Symbol,
    /// The variable of the domain that counts iterations.
    pub(crate) variable: Symbol,
    /// One point for every iteration, those of the enclosing loops included.
    pub(crate) domain: Domain,
    /// What every iteration does.
    pub body: Vec<Item>,
    /// Whether `break`, `return` or a condition on data may leave out iterations.
    pub at_most: bool,
    /// Statements that may end it early, with line and reason.
    pub(crate) exits: Vec<Refusal>,
    /// Conditions on data that decide whether it is executed at all, within the loop around it.
    pub(crate) conditions: Vec<Refusal>,
}

/// A statement on one domain.
#[derive(Debug, Clone)]
pub struct ConcreteStatement {
    /// Where it is.
    pub place: Place,
    /// One point for every execution.
    pub(crate) domain: Domain,
    /// What it touches.
    pub touches: Vec<Touch>,
    /// Whether a condition on data may leave out executions.
    pub at_most: bool,
    /// Conditions on data around it, within its innermost loop.
    pub(crate) conditions: Vec<Refusal>,
    /// The statement of the source: its operations.
    pub(crate) source: Rc<Statement>,
}

/// Bytes of an array that a statement touches.
#[derive(Debug, Clone)]
pub struct Touch {
    /// Of which array.
    pub array: ArrayId,
    /// Load or store.
    pub access: Access,
    /// Bytes touched at once.
    pub width_bytes: u32,
    /// When it is touched: the statement's domain and the case of the subscripts.
    pub(crate) domain: Domain,
    /// Distance from the beginning of the array in bytes; `None` where it is not affine.
    pub(crate) address: Option<Linear>,
    /// What is known about the element where the address is not affine.
    pub(crate) scattered: Option<Scattered>,
    /// The position of its reference in the statement of the source.
    pub(crate) reference: usize,
}

/// An element that data select.
#[derive(Debug, Clone)]
pub struct Scattered {
    /// Why the address is not known.
    pub reason: Rc<str>,
    /// Bytes of all elements that can be selected, where the source shows it.
    pub(crate) within: Option<i128>,
    /// Touches of one statement with the same number touch the same element.
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
