//! Operations that do not wait for each other: what each occupies.
//!
//! Written in assembler, because a compiler would merge or move such operations. Other processors than x86-64 keep typical values.

use super::{Costs, fastest};

/// Passes of one repetition.
const PASSES: u64 = 4_000;
/// Numbers that loads and stores touch.
const NUMBERS: usize = 16;

/// Measures loops of one kind of operation: lines of assembler for each pass, which may change all registers named here, and read
/// and write the numbers at `{p}`.
macro_rules! pass {
    ($repetitions:expr, $count:expr, $($line:expr),+ $(,)?) => {{
        let mut numbers = [1.5_f64; NUMBERS];
        fastest($repetitions, PASSES * $count, || {
            // SAFETY: the lines touch the registers named below, the flags, and the numbers that `p` points to.
            unsafe {
                std::arch::asm!(
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

/// Eight times the same lines.
macro_rules! eight {
    ($($line:literal),+) => {
        concat!($($line, "\n",)+ $($line, "\n",)+ $($line, "\n",)+ $($line, "\n",)+
                $($line, "\n",)+ $($line, "\n",)+ $($line, "\n",)+ $($line, "\n",)+)
    };
}

const SETUP_FLOAT: &str = "movsd xmm15, [{p}]
    movapd xmm0, xmm15
    movapd xmm1, xmm15
    movapd xmm2, xmm15
    movapd xmm3, xmm15
    movapd xmm8, xmm15
    movapd xmm9, xmm15
    movapd xmm10, xmm15
    movapd xmm11, xmm15";

pub(super) fn costs(repetitions: u32) -> Costs {
    Costs {
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
        integer_divide_latency: pass!(
            repetitions,
            8,
            "mov ecx, 1",
            "mov eax, 123456",
            eight!("cdq", "idiv ecx")
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
        float: pass!(
            repetitions,
            64,
            SETUP_FLOAT,
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
        square_root: pass!(
            repetitions,
            16,
            "movsd xmm15, [{p}]",
            eight!("movapd xmm0, xmm15", "sqrtsd xmm0, xmm15", "movapd xmm1, xmm15", "sqrtsd xmm1, xmm15")
        ),
    }
}

/// Nanoseconds of one execution of a short loop with so many iterations, again and again.
pub(super) fn executions(repetitions: u32, iterations: u64) -> f64 {
    const OUTER: u64 = 2_000;
    let measured = fastest(repetitions, OUTER, || {
        // SAFETY: the lines touch the registers named here and the flags.
        unsafe {
            std::arch::asm!(
                "2:",
                "mov {i}, {t}",
                "3:",
                "add {x}, 3",
                "add {y}, 5",
                "add {x}, {y}",
                "dec {i}",
                "jnz 3b",
                "dec {n}",
                "jnz 2b",
                n = inout(reg) OUTER => _,
                t = in(reg) iterations.max(1),
                i = out(reg) _,
                x = inout(reg) 1_u64 => _,
                y = inout(reg) 1_u64 => _,
                options(nomem, nostack),
            );
        }
    });
    measured.nanoseconds
}
