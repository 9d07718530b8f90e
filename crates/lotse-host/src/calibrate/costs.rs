//! Reciprocal throughputs: operations that do not depend on each other.
//!
//! Written in assembler, because a compiler would merge or move such operations. Only for x86-64; other processors use typical values.

use std::time::Duration;

use super::{MeasuredConstant, OperationCosts, chains, fastest};

/// Loop iterations per repetition.
const PASSES: u64 = 4_000;
/// How many numbers loads and stores access.
const NUMBERS: usize = 16;

/// Measures a loop of one kind of operation, given as the assembler lines of one iteration. They may change all registers named here,
/// and read and write the numbers at `{p}`.
macro_rules! pass {
    ($repetitions:expr, $count:expr, $($line:expr),+ $(,)?) => {{
        let mut numbers = [1.234_567_89_f64; NUMBERS];
        fastest($repetitions, PASSES * $count, || {
            // SAFETY: the lines touch the registers named below, the flags, and the numbers that `p` points to.
            unsafe {
                std::arch::asm!(
                    "/* {p} */",
                    "2:",
                    $($line,)+
                    "dec {n}",
                    "jnz 2b",
                    n = inout(reg) PASSES => _,
                    p = in(reg) numbers.as_mut_ptr(),
                    out("rax") _, out("rcx") _, out("rdx") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nostack),
                );
            }
        })
    }};
}

/// Repeats lines eight times.
macro_rules! eight {
    ($($line:literal),+) => {
        concat!($($line, "\n",)+ $($line, "\n",)+ $($line, "\n",)+ $($line, "\n",)+
                $($line, "\n",)+ $($line, "\n",)+ $($line, "\n",)+ $($line, "\n",)+)
    };
}

/// Sets the registers that are added and multiplied to equal numbers.
macro_rules! equal_numbers {
    () => {
        concat!(
            "movsd xmm15, [{p}]\n",
            "movapd xmm0, xmm15\nmovapd xmm1, xmm15\nmovapd xmm2, xmm15\nmovapd xmm3, xmm15\n",
            "movapd xmm8, xmm15\nmovapd xmm9, xmm15\nmovapd xmm10, xmm15\nmovapd xmm11, xmm15\n",
        )
    };
}

/// Number of rounds; the minimum over the rounds counts. A program on the other hardware thread of the core, which takes half of
/// its throughput, often runs for longer than one measurement.
const ROUNDS: u32 = 12;
/// Pause between two rounds.
const PAUSE: Duration = Duration::from_millis(30);

pub(super) fn operation_costs(repetitions: u32) -> OperationCosts {
    let mut best = one_round(repetitions);
    for _ in 1..ROUNDS {
        std::thread::sleep(PAUSE);
        best = best.minimum(&one_round(repetitions));
    }
    best
}

fn one_round(repetitions: u32) -> OperationCosts {
    // The clock rate varies, so the cycle is measured right before the operations.
    let cycle = chains::cycle(repetitions);
    OperationCosts { cycle, ..nanoseconds(repetitions).divided(cycle.nanoseconds.max(1e-3)) }
}

fn nanoseconds(repetitions: u32) -> OperationCosts {
    OperationCosts {
        cycle: MeasuredConstant { nanoseconds: 1.0, spread: 0.0 },
        issue: pass!(repetitions, 48, eight!("nop", "nop", "nop", "nop", "nop", "nop")),
        integer: pass!(
            repetitions,
            48,
            eight!("add rax, 1", "add rcx, 1", "add rdx, 1", "add r8, 1", "add r9, 1", "add r10, 1")
        ),
        integer_multiply: pass!(
            repetitions,
            32,
            eight!("imul rax, rax, 3", "imul rcx, rcx, 3", "imul r8, r8, 3", "imul r9, r9, 3")
        ),
        integer_divide: pass!(repetitions, 8, "mov ecx, 7", eight!("mov eax, 1000", "cdq", "idiv ecx")),
        // Large quotients, because small ones are computed faster; the two other instructions take one cycle each. An iteration depends
        // on the previous one, else the core would overlap them.
        integer_divide_latency: pass!(
            repetitions,
            8,
            "mov ecx, 7",
            "and eax, 1073741823",
            "or eax, 123456789",
            eight!("cdq", "idiv ecx", "add eax, 900000000")
        ),
        load: pass!(
            repetitions,
            32,
            eight!("mov rax, [{p}]", "mov rcx, [{p} + 8]", "mov r8, [{p} + 16]", "mov r9, [{p} + 24]")
        ),
        store: pass!(
            repetitions,
            32,
            eight!("mov [{p}], rax", "mov [{p} + 8], rax", "mov [{p} + 16], rax", "mov [{p} + 24], rax")
        ),
        ..floating_point(repetitions)
    }
}

/// Measures the operations on floating-point numbers; all others are 0.
fn floating_point(repetitions: u32) -> OperationCosts {
    let none = MeasuredConstant { nanoseconds: 0.0, spread: 0.0 };
    OperationCosts {
        cycle: none,
        issue: none,
        integer: none,
        integer_multiply: none,
        integer_divide: none,
        integer_divide_latency: none,
        load: none,
        store: none,
        float: pass!(
            repetitions,
            64,
            equal_numbers!(),
            eight!(
                "addsd xmm0, xmm15",
                "mulsd xmm8, xmm15",
                "addsd xmm1, xmm15",
                "mulsd xmm9, xmm15",
                "addsd xmm2, xmm15",
                "mulsd xmm10, xmm15",
                "addsd xmm3, xmm15",
                "mulsd xmm11, xmm15"
            )
        ),
        divide32: pass!(
            repetitions,
            16,
            "cvtsd2ss xmm15, [{p}]",
            eight!("movaps xmm0, xmm15", "divss xmm0, xmm15", "movaps xmm1, xmm15", "divss xmm1, xmm15")
        ),
        divide64: pass!(
            repetitions,
            16,
            "movsd xmm15, [{p}]",
            eight!("movapd xmm0, xmm15", "divsd xmm0, xmm15", "movapd xmm1, xmm15", "divsd xmm1, xmm15")
        ),
        square_root: pass!(
            repetitions,
            16,
            "movsd xmm15, [{p}]",
            eight!("movapd xmm0, xmm15", "sqrtsd xmm0, xmm15", "movapd xmm1, xmm15", "sqrtsd xmm1, xmm15")
        ),
    }
}

impl OperationCosts {
    /// Combines two results field by field.
    fn combined_with(
        &self,
        other: &Self,
        change: impl Fn(MeasuredConstant, MeasuredConstant) -> MeasuredConstant,
    ) -> Self {
        Self {
            cycle: change(self.cycle, other.cycle),
            issue: change(self.issue, other.issue),
            integer: change(self.integer, other.integer),
            integer_multiply: change(self.integer_multiply, other.integer_multiply),
            integer_divide: change(self.integer_divide, other.integer_divide),
            integer_divide_latency: change(self.integer_divide_latency, other.integer_divide_latency),
            load: change(self.load, other.load),
            store: change(self.store, other.store),
            float: change(self.float, other.float),
            divide32: change(self.divide32, other.divide32),
            divide64: change(self.divide64, other.divide64),
            square_root: change(self.square_root, other.square_root),
        }
    }

    fn divided(&self, cycle: f64) -> Self {
        self.combined_with(self, |own, _| MeasuredConstant { nanoseconds: own.nanoseconds / cycle, ..own })
    }

    fn minimum(&self, other: &Self) -> Self {
        self.combined_with(other, |own, other| if other.nanoseconds < own.nanoseconds { other } else { own })
    }
}
