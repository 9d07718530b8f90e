//! Which memory layouts were drawn.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What may differ between memory layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LayoutPart {
    /// The size of the environment, and with it where the stack begins.
    Environment,
    /// The length of the program's name, which moves the stack too.
    Name,
    /// The addresses of heap blocks.
    Heap,
}

impl LayoutPart {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Environment, Self::Name, Self::Heap];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Name => "name",
            Self::Heap => "heap",
        }
    }
}

/// The memory layouts of a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LayoutRecord {
    /// How many there are.
    pub count: u32,
    /// What differs between them.
    pub parts: Vec<LayoutPart>,
    /// Programs whose heap could not be varied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed_heaps: Vec<FixedHeap>,
}

/// A program whose heap is the same in all layouts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FixedHeap {
    /// The name of the program.
    pub program: String,
    /// Why its heap cannot be moved.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::LayoutPart;

    #[test]
    fn names_are_those_of_files() {
        for part in LayoutPart::ALL {
            assert_eq!(serde_json::to_value(part).unwrap(), part.name());
        }
    }
}
