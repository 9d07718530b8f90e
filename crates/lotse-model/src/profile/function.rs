//! The functions of a profile, and addresses that are not resolved to functions yet.

use crate::id::{FileId, FunctionId, NameId, ObjectId};

/// Functions, as columns. A function is identified by its name, its object and the file of its definition; in languages
/// where several functions of a file can share a name (Python, JavaScript) also by line and column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Functions {
    /// The name as in the file.
    pub name: Vec<NameId>,
    /// The executable or library that contains the function.
    pub object: Vec<ObjectId>,
    /// The source file of the definition.
    pub file: Vec<FileId>,
    /// Line of the definition, 0 where unknown.
    pub line: Vec<u32>,
    /// Column of the definition, from 1; 0 where unknown.
    pub column: Vec<u32>,
}

impl Functions {
    /// The number of functions.
    pub fn len(&self) -> usize {
        self.name.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.name.is_empty()
    }

    /// Appends a function, even if an equal one exists. Line and column are those of the definition.
    pub fn push(
        &mut self,
        name: NameId,
        object: ObjectId,
        file: FileId,
        (line, column): (u32, u32),
    ) -> FunctionId {
        self.name.push(name);
        self.object.push(object);
        self.file.push(file);
        self.line.push(line);
        self.column.push(column);
        FunctionId::from(self.len() - 1)
    }

    /// All ids.
    pub fn ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.len()).map(FunctionId::from)
    }
}

/// A function that is a placeholder for an address until symbols are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unresolved {
    /// The placeholder; its object contains the address.
    pub function: FunctionId,
    pub address: u64,
    /// The number of bytes, from the address on, that the placeholder stands for; 1 for a single address.
    pub extent: u64,
    pub space: AddressSpace,
}

/// What an address is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressSpace {
    /// The start of the object's file.
    FileOffset,
    /// Nothing: the address is the one that the linker assigned.
    Linked,
    /// The load address of the kernel (its symbol `_text`) or of a kernel module (its first byte).
    Kernel,
}
