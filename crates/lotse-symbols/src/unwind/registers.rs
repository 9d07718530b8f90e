//! The registers of a thread by their DWARF numbers.

use crate::Architecture;

/// More than any supported processor has.
const MOST: usize = 33;

/// The registers of a thread in one function; those that are not known are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    layout: &'static RegisterLayout,
    values: [Option<u64>; MOST],
}

/// What the calling convention says about registers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RegisterLayout {
    pub(super) stack_pointer: u16,
    pub(super) program_counter: u16,
    /// Those that a function gives back as they were.
    preserved: &'static [u16],
    /// The bits of an address; the others may hold a signature.
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
    /// No register is known yet; `None` for a processor that is not supported.
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

    /// Sets a register; numbers that the processor does not have are ignored.
    pub fn set(&mut self, number: u16, value: u64) {
        self.put(number, Some(value));
    }

    /// A register's value, where known.
    #[must_use]
    pub fn get(&self, number: u16) -> Option<u64> {
        self.values.get(usize::from(number)).copied().flatten()
    }

    /// The next instruction, where known.
    #[must_use]
    pub fn program_counter(&self) -> Option<u64> {
        self.get(self.layout.program_counter)
    }

    /// The end of the stack, where known.
    #[must_use]
    pub fn stack_pointer(&self) -> Option<u64> {
        self.get(self.layout.stack_pointer)
    }

    pub(super) fn put(&mut self, number: u16, value: Option<u64>) {
        if let Some(register) = self.values.get_mut(usize::from(number)) {
            *register = value;
        }
    }

    /// What a caller has in its registers unless rules say otherwise.
    pub(super) fn of_caller(&self, stack_pointer: u64) -> Self {
        let mut caller = Self { layout: self.layout, values: [None; MOST] };
        for &number in self.layout.preserved {
            caller.put(number, self.get(number));
        }
        caller.set(self.layout.stack_pointer, stack_pointer);
        caller
    }

    /// Goes on at a return address.
    pub(super) fn return_to(&mut self, address: u64) {
        self.set(self.layout.program_counter, address & self.layout.address_bits);
    }
}
