//! The assumed optimisations of compilers, used if the compiled code is not given.

/// A compiler with its options. All are for x86-64 without `-march`: vectors of 16 bytes, no fused multiply and add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// gcc 12 or newer with -O2: vectorises a loop only if its trip count is known to be a multiple of the vector length, and never
    /// adds run-time checks for aliasing.
    GccO2,
    /// gcc with -O3: vectorises with run-time checks and remainder loops.
    GccO3,
    /// rustc with -O (opt-level 3): vectorises with run-time checks and remainder loops, and unrolls; bounds checks remain unless
    /// the loop's limit is the length of the slice.
    RustcO,
}

/// Bytes of one vector without `-march`.
pub(super) const VECTOR_BYTES: f64 = 16.0;

impl Compiler {
    /// All compilers.
    pub const ALL: [Self; 3] = [Self::GccO2, Self::GccO3, Self::RustcO];

    /// The name in options and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::GccO2 => "gcc -O2",
            Self::GccO3 => "gcc -O3",
            Self::RustcO => "rustc -O",
        }
    }

    /// Whether a loop is vectorised with run-time checks if its trip count or the aliasing of its arrays is not known.
    pub(super) fn checks_at_run_time(self) -> bool {
        self != Self::GccO2
    }

    /// The factor by which a loop without a dependence chain is unrolled.
    pub(super) fn unroll_factor(self) -> f64 {
        if self == Self::RustcO { 4.0 } else { 1.0 }
    }

    /// Whether accesses are checked against the bounds of slices.
    pub(super) fn checks_bounds(self) -> bool {
        self == Self::RustcO
    }
}
