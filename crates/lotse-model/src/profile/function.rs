//! Functions, and addresses that wait for a name.

use crate::id::{FileId, FunctionId, NameId, ObjectId};

/// Functions: name, object and file of the definition are the identity, and in languages where several functions
/// of one file share a name (Python, JavaScript) line and column as well.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Functions {
    /// Names as in the file.
    pub name: Vec<NameId>,
    /// Where they are linked into.
    pub object: Vec<ObjectId>,
    /// Where they are defined.
    pub file: Vec<FileId>,
    /// Line of the definition, 0 where unknown.
    pub line: Vec<u32>,
    /// Column of the definition, from 1; 0 where unknown.
    pub column: Vec<u32>,
}

impl Functions {
    /// How many.
    pub fn len(&self) -> usize {
        self.name.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.name.is_empty()
    }

    /// Appends one, without looking for an equal one. Line and column are those of the definition.
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

/// A function that stands for an address until symbols tell its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unresolved {
    /// The function that stands for it; its object is where the address lies.
    pub function: FunctionId,
    /// The address.
    pub address: u64,
    /// How many bytes from there are meant; 1 for a point.
    pub extent: u64,
    /// What the address is relative to.
    pub space: AddressSpace,
}

/// What an address is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressSpace {
    /// The beginning of the object's file.
    FileOffset,
    /// Addresses as the linker gave them.
    Linked,
    /// Where the object began in the memory of the kernel: its symbol `_text`, or the first byte of a module.
    Kernel,
}
