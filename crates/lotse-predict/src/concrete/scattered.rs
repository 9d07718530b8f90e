//! Elements whose subscripts depend on data: the size of the range they are in, and which accesses share an element.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::instance::Lowering;
use super::lower::Bindings;
use super::node::{Scattered, Touch};
use crate::nest::{Array, Irregular, Statement, Subscripts};

impl Lowering<'_> {
    /// What is known about an element with irregular subscripts.
    pub(super) fn scattered(&mut self, irregular: &Irregular, array: &Array) -> Scattered {
        let choices = irregular.choices.as_ref();
        let choices = choices.and_then(|choices| self.scope.constant(choices, &Bindings::new()).ok());
        // That an index has 32 bits says nothing about the size of the table.
        let choices = choices.filter(|choices| *choices < 1 << 32);
        let selected = choices.and_then(|choices| choices.checked_mul(i128::from(array.element_bytes)));
        let whole = self.array_bytes(array);
        let within = match (selected, whole) {
            (Some(selected), Some(whole)) => Some(selected.min(whole)),
            (selected, whole) => selected.or(whole),
        };
        Scattered { within, ..self.unknown_element(&irregular.reason) }
    }

    /// An element about which nothing is known but the reason.
    pub(super) fn unknown_element(&mut self, reason: &str) -> Scattered {
        self.elements += 1;
        Scattered { reason: Rc::from(reason), within: None, element: self.elements }
    }

    /// Gives accesses of one statement with the same text the same element number: `h[a[i]]++` loads and stores one element.
    pub(super) fn join_elements(statement: &Statement, touches: &mut [Touch]) {
        let mut known: BTreeMap<(usize, &str), usize> = BTreeMap::new();
        for touch in touches {
            let (Some(scattered), Some(reference)) =
                (&mut touch.scattered, statement.references.get(touch.reference))
            else {
                continue;
            };
            if let Subscripts::Irregular(irregular) = &reference.subscripts {
                let key = (touch.array.0, irregular.text.as_str());
                scattered.element = *known.entry(key).or_insert(scattered.element);
            }
        }
    }
}
