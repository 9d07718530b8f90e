//! Classes of instructions, by mnemonic.

/// The class of an instruction, apart from its memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationClass {
    /// Copies, loads and stores.
    Move,
    /// Scalar integer arithmetic, addresses, comparisons, bit operations.
    Integer,
    IntegerMultiply,
    IntegerDivide,
    /// Floating-point addition, subtraction and comparison.
    FloatAdd,
    /// Floating-point minimum and maximum.
    FloatSelect,
    FloatMultiply,
    /// Fused multiply-add.
    FloatFused,
    /// Single-precision division.
    FloatDivide32,
    /// Double-precision division.
    FloatDivide64,
    SquareRoot,
    /// Vector integer addition and bit operations.
    VectorInteger,
    /// Vector integer multiplication.
    VectorMultiply,
    /// Permutations of vector elements.
    Shuffle,
    /// Conversions between types of numbers.
    Convert,
    Branch,
    /// Calls and returns.
    Call,
    /// No operation.
    Nothing,
}

use OperationClass::{
    Branch, Call, Convert, FloatAdd, FloatDivide32, FloatDivide64, FloatFused, FloatMultiply, FloatSelect,
    Integer, IntegerDivide, IntegerMultiply, Move, Nothing, Shuffle, SquareRoot, VectorInteger,
    VectorMultiply,
};

/// Classes by the prefix of the mnemonic, without the `v` of the newer encodings; the first match counts.
#[rustfmt::skip]
const PREFIXES: &[(&[&str], OperationClass)] = &[
    (&["cvt", "pmovsx", "pmovzx", "round", "rndscale"], Convert),
    (&["movmsk", "pmovmsk", "movbe", "prefetch", "cmov"], Integer),
    (&["movddup", "movshdup", "movsldup", "movhlps", "movlhps", "movhp", "movlp"], Shuffle),
    (&["mov", "lddqu"], Move),
    (&["fm", "fnm"], FloatFused),
    (&["rsqrt", "rcp"], FloatMultiply),
    (&["unpck", "punpck", "pack", "pshuf", "shuf", "perm", "palignr", "align", "broadcast", "pbroadcast"], Shuffle),
    (&["insert", "extract", "pinsr", "pextr", "pslldq", "psrldq", "gather", "pgather"], Shuffle),
    (&["kmov", "kunpck", "kortest", "kand", "kor", "kxor", "kxnor", "knot", "kshift", "ktest", "kadd"], Shuffle),
    (&["pmul", "pmadd", "psadbw"], VectorMultiply),
    (&["blend", "pblend", "padd", "psub", "pand", "por", "pxor", "pcmp", "ptest", "pmin", "pmax"], VectorInteger),
    (&["pabs", "pavg", "psll", "psrl", "psra", "ptern", "andp", "andnp", "orp", "xorp"], VectorInteger),
    (&["sqrt"], SquareRoot),
    (&["ucomis", "comis", "addsub", "hadd", "hsub"], FloatAdd),
    (&["zeroupper", "zeroall", "nop", "endbr"], Nothing),
    (&["imul"], IntegerMultiply),
    (&["idiv"], IntegerDivide),
    (&["call", "ret", "syscall"], Call),
    (&["loop"], Branch),
];

/// Classes of mnemonics with a suffix for the type of number: `addsd`, `addps`.
const TYPED: &[(&str, OperationClass)] = &[
    ("add", FloatAdd),
    ("sub", FloatAdd),
    ("min", FloatSelect),
    ("max", FloatSelect),
    ("cmp", FloatAdd),
    ("mul", FloatMultiply),
    ("dp", FloatMultiply),
];
const TYPE_SUFFIXES: &[&str] = &["ss", "sd", "ps", "pd"];

/// The class of a mnemonic in lower case.
pub(super) fn class_of(name: &str) -> OperationClass {
    let plain = plain(name);
    if let Some(stem) = TYPE_SUFFIXES.iter().find_map(|suffix| plain.strip_suffix(suffix))
        && let Some((_, class)) = TYPED.iter().find(|(known, _)| *known == stem)
    {
        return *class;
    }
    match plain {
        "divss" | "divps" => return FloatDivide32,
        "divsd" | "divpd" => return FloatDivide64,
        "mul" | "mulx" => return IntegerMultiply,
        "div" => return IntegerDivide,
        _ if plain.starts_with('j') => return Branch,
        _ => {}
    }
    let matches = |prefixes: &[&str]| prefixes.iter().any(|prefix| plain.starts_with(prefix));
    PREFIXES.iter().find(|(prefixes, _)| matches(prefixes)).map_or(Integer, |(_, class)| *class)
}

/// The size of a vector element in bytes by the mnemonic; `None` for scalar instructions.
pub(super) fn number_of(name: &str) -> Option<u32> {
    let plain = plain(name);
    if plain.ends_with("ps") {
        return Some(4);
    }
    if plain.ends_with("pd") {
        return Some(8);
    }
    let last = plain.bytes().last().filter(|_| plain.starts_with('p'))?;
    match last {
        b'b' => Some(1),
        b'w' => Some(2),
        b'd' => Some(4),
        b'q' => Some(8),
        _ => None,
    }
}

/// Whether the operation is associative and commutative (or a subtraction, which accumulates in the same way).
pub(super) fn combines(name: &str) -> bool {
    const STEMS: &[&str] =
        &["add", "sub", "mul", "imul", "min", "max", "or", "and", "xor", "adc", "sbb", "inc", "dec"];
    const PACKED: &[&str] =
        &["padd", "psub", "pand", "por", "pxor", "pmin", "pmax", "pmull", "fmadd", "fnmadd"];
    let plain = plain(name);
    let stem = TYPE_SUFFIXES.iter().find_map(|suffix| plain.strip_suffix(suffix)).unwrap_or(plain);
    STEMS.contains(&stem) || PACKED.iter().any(|prefix| plain.starts_with(prefix))
}

/// A mnemonic without the `v` of VEX and EVEX encodings.
fn plain(name: &str) -> &str {
    name.strip_prefix('v').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_work_is_known_from_names() {
        let cases = [
            ("addsd", FloatAdd),
            ("vaddps", FloatAdd),
            ("add", Integer),
            ("mulpd", FloatMultiply),
            ("imul", IntegerMultiply),
            ("mul", IntegerMultiply),
            ("vfmadd231pd", FloatFused),
            ("divss", FloatDivide32),
            ("vdivpd", FloatDivide64),
            ("idiv", IntegerDivide),
            ("div", IntegerDivide),
            ("sqrtsd", SquareRoot),
            ("paddd", VectorInteger),
            ("pmulld", VectorMultiply),
            ("cvtsi2sd", Convert),
            ("movapd", Move),
            ("vmovupd", Move),
            ("movss", Move),
            ("unpcklpd", Shuffle),
            ("jne", Branch),
            ("lea", Integer),
            ("cmp", Integer),
            ("cmpsd", FloatAdd),
            ("maxss", FloatSelect),
            ("kmovw", Shuffle),
            ("kortestq", Shuffle),
            ("vminpd", FloatSelect),
            ("ucomisd", FloatAdd),
            ("cmovg", Integer),
            ("nop", Nothing),
            ("xorps", VectorInteger),
        ];
        for (name, expected) in cases {
            assert_eq!(class_of(name), expected, "{name}");
        }
    }

    #[test]
    fn numbers_and_order_are_known_from_names() {
        let numbers = ["addsd", "vmulps", "paddd", "movapd", "add", "pmullw"].map(number_of);
        assert_eq!(numbers, [None, Some(4), Some(4), Some(8), None, Some(2)]);
        let orderless = ["addsd", "add", "divsd", "pmaxsd", "xor", "shl", "vfmadd231sd", "lea"].map(combines);
        assert_eq!(orderless, [true, true, false, true, true, false, true, false]);
    }
}
