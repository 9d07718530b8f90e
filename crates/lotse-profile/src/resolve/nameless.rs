//! Functions without a symbol. Call frame information says where each begins, also in a stripped binary, so that all addresses of
//! one function are one row. It is named by the object and the address of its start in the object's file, which are the same in
//! every run of one build: `libz.so.1+0x1234`.

use lotse_symbols::Binary;
use lotse_symbols::unwind::UnwindTable;

use super::lookup::{CodeFrames, NamedFrame};
use crate::report::base_name;

/// The functions of one binary by their places.
pub(super) struct NamelessFunctions<'a, 'data> {
    binary: &'a Binary<'data>,
    object: &'a str,
    /// Read when first needed: most binaries have symbols.
    table: Option<Option<UnwindTable>>,
    /// The name found last.
    example: Option<String>,
}

impl<'a, 'data> NamelessFunctions<'a, 'data> {
    pub(super) fn new(binary: &'a Binary<'data>, path: &'a str) -> Self {
        Self { binary, object: base_name(path), table: None, example: None }
    }

    /// The function at an address; `None` if nothing describes it.
    pub(super) fn code(&mut self, address: u64) -> Option<CodeFrames> {
        let table = self.table.get_or_insert_with(|| UnwindTable::of_binary(self.binary));
        let start = table.as_ref()?.function_start(address)?;
        let name = format!("{}+{start:#x}", self.object);
        self.example = Some(name.clone());
        let unknown = (String::new(), 0);
        let frame = NamedFrame { name, defined: unknown.clone(), place: unknown };
        Some(CodeFrames { address, frames: vec![frame] })
    }

    /// A name for messages, if any address has one.
    pub(super) fn example(self) -> Option<String> {
        self.example
    }
}
