//! The registers of a thread by their DWARF numbers.

use crate::Architecture;

/// The number of registers; no supported architecture has more.
const MOST: usize = 33;

/// The registers of a thread in one stack frame; unknown ones are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    layout: &'static RegisterLayout,
    values: [Option<u64>; MOST],
}

/// The roles of registers in the calling convention.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RegisterLayout {
    pub(super) stack_pointer: u16,
    pub(super) program_counter: u16,
    /// Callee-saved registers.
    preserved: &'static [u16],
    /// The bits of an address; the others may contain a signature.
    address_bits: u64,
}

const X86_64: RegisterLayout = RegisterLayout {
    stack_pointer: 7,
    program_counter: 16,
    preserved: &[3, 6, 12, 13, 14, 15],
    address_bits: u64::MAX,
};

/// Pointer authentication signs return addresses in the bits above the 48 of a program's addresses.
const AARCH64: RegisterLayout = RegisterLayout {
    stack_pointer: 31,
    program_counter: 32,
    preserved: &[19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30],
    address_bits: (1 << 48) - 1,
};

impl Registers {
    /// Registers that are all unknown; `None` if the architecture is not supported.
    #[must_use]
    pub fn new(architecture: Architecture) -> Option<Self> {
        Some(Self { layout: Self::layout(architecture)?, values: [None; MOST] })
    }

    pub(super) fn layout(architecture: Architecture) -> Option<&'static RegisterLayout> {
        match architecture {
            Architecture::X86_64 => Some(&X86_64),
            Architecture::Aarch64 => Some(&AARCH64),
            Architecture::X86 | Architecture::Other(_) => None,
        }
    }

    /// Sets a register; numbers beyond those of the architecture are ignored.
    pub fn set(&mut self, number: u16, value: u64) {
        self.put(number, Some(value));
    }

    /// A register's value, where known.
    #[must_use]
    pub fn get(&self, number: u16) -> Option<u64> {
        self.values.get(usize::from(number)).copied().flatten()
    }

    /// The program counter, if known.
    #[must_use]
    pub fn program_counter(&self) -> Option<u64> {
        self.get(self.layout.program_counter)
    }

    /// The stack pointer, if known.
    #[must_use]
    pub fn stack_pointer(&self) -> Option<u64> {
        self.get(self.layout.stack_pointer)
    }

    pub(super) fn put(&mut self, number: u16, value: Option<u64>) {
        if let Some(register) = self.values.get_mut(usize::from(number)) {
            *register = value;
        }
    }

    /// The registers of the caller before rules are applied: callee-saved registers are unchanged, the others unknown.
    pub(super) fn of_caller(&self, stack_pointer: u64) -> Self {
        let mut caller = Self { layout: self.layout, values: [None; MOST] };
        for &number in self.layout.preserved {
            caller.put(number, self.get(number));
        }
        caller.set(self.layout.stack_pointer, stack_pointer);
        caller
    }

    /// Sets the program counter to a return address, without its signature.
    pub(super) fn return_to(&mut self, address: u64) {
        self.set(self.layout.program_counter, address & self.layout.address_bits);
    }
}
