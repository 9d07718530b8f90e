//! What a compiler is assumed to make of a loop, where the compiled loop is not there to be read.

/// A compiler with its options. All are for x86-64 without `-march`: vectors of 16 bytes, no fused multiply and add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// gcc 12 or newer with -O2: vectorises only loops whose count it knows to be a multiple of the vector, and never adds
    /// checks of aliasing at run time.
    GccO2,
    /// gcc with -O3: vectorises with checks and remainders.
    GccO3,
    /// rustc with -O (opt-level 3): vectorises with checks and remainders, unrolls; checks of bounds stay where
    /// the loop's limit is not the length of the slice.
    RustcO,
}

/// Bytes of one vector without `-march`.
pub(super) const VECTOR_BYTES: f64 = 16.0;

impl Compiler {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::GccO2, Self::GccO3, Self::RustcO];

    /// The name that users give and read.
    pub fn name(self) -> &'static str {
        match self {
            Self::GccO2 => "gcc -O2",
            Self::GccO3 => "gcc -O3",
            Self::RustcO => "rustc -O",
        }
    }

    /// Whether a loop is vectorised although its count or the aliasing of its arrays is known only at run time.
    pub(super) fn checks_at_run_time(self) -> bool {
        self != Self::GccO2
    }

    /// How often a loop that is not vectorised is unrolled.
    pub(super) fn unrolled(self) -> f64 {
        if self == Self::RustcO { 4.0 } else { 1.0 }
    }

    /// Whether accesses are checked against bounds.
    pub(super) fn checks_bounds(self) -> bool {
        self == Self::RustcO
    }
}
