//! Kinds of work, by the names of instructions.

/// The kind of work that an instruction is, apart from touching memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationClass {
    /// Nothing but moving a value.
    Move,
    /// Integers, addresses, comparisons, bits of one number.
    Integer,
    IntegerMultiply,
    IntegerDivide,
    /// Sum, difference and comparison of floating-point numbers.
    FloatAdd,
    /// The smaller or the larger of two floating-point numbers.
    FloatSelect,
    FloatMultiply,
    /// A floating-point product and a sum in one.
    FloatFused,
    /// A quotient of floating-point numbers of 32 bits.
    FloatDivide32,
    /// A quotient of floating-point numbers of 64 bits.
    FloatDivide64,
    SquareRoot,
    /// Sums and bits of vectors of integers.
    VectorInteger,
    /// Products of vectors of integers.
    VectorMultiply,
    /// Numbers that change their place in a vector.
    Shuffle,
    /// A number of another type.
    Convert,
    Branch,
    /// A call, a return.
    Call,
    /// No operation.
    Nothing,
}

use OperationClass::{
    Branch, Call, Convert, FloatAdd, FloatDivide32, FloatDivide64, FloatFused, FloatMultiply, FloatSelect,
    Integer, IntegerDivide, IntegerMultiply, Move, Nothing, Shuffle, SquareRoot, VectorInteger,
    VectorMultiply,
};

/// Beginnings of names without the `v` of the newer encodings; the first that fits decides.
#[rustfmt::skip]
const BEGINNINGS: &[(&[&str], OperationClass)] = &[
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

/// Names that have an ending for the type of number: `addsd`, `addps`.
const NUMBERED: &[(&str, OperationClass)] = &[
    ("add", FloatAdd),
    ("sub", FloatAdd),
    ("min", FloatSelect),
    ("max", FloatSelect),
    ("cmp", FloatAdd),
    ("mul", FloatMultiply),
    ("dp", FloatMultiply),
];
const NUMBER_ENDINGS: &[&str] = &["ss", "sd", "ps", "pd"];

/// The kind of work by the name of an instruction in lower case.
pub(super) fn class_of(name: &str) -> OperationClass {
    let plain = plain(name);
    if let Some(stem) = NUMBER_ENDINGS.iter().find_map(|ending| plain.strip_suffix(ending))
        && let Some((_, class)) = NUMBERED.iter().find(|(known, _)| *known == stem)
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
    let begins = |list: &[&str]| list.iter().any(|beginning| plain.starts_with(beginning));
    BEGINNINGS.iter().find(|(list, _)| begins(list)).map_or(Integer, |(_, class)| *class)
}

/// Bytes of one number of a vector that the name tells; nothing for scalars.
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

/// Whether operands may be combined in any order.
pub(super) fn combines(name: &str) -> bool {
    const STEMS: &[&str] =
        &["add", "sub", "mul", "imul", "min", "max", "or", "and", "xor", "adc", "sbb", "inc", "dec"];
    const PACKED: &[&str] =
        &["padd", "psub", "pand", "por", "pxor", "pmin", "pmax", "pmull", "fmadd", "fnmadd"];
    let plain = plain(name);
    let stem = NUMBER_ENDINGS.iter().find_map(|ending| plain.strip_suffix(ending)).unwrap_or(plain);
    STEMS.contains(&stem) || PACKED.iter().any(|beginning| plain.starts_with(beginning))
}

fn plain(name: &str) -> &str {
    name.strip_prefix('v').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_kind_of_work() {
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
    fn names_tell_numbers_and_order() {
        let numbers = ["addsd", "vmulps", "paddd", "movapd", "add", "pmullw"].map(number_of);
        assert_eq!(numbers, [None, Some(4), Some(4), Some(8), None, Some(2)]);
        let orderless = ["addsd", "add", "divsd", "pmaxsd", "xor", "shl", "vfmadd231sd", "lea"].map(combines);
        assert_eq!(orderless, [true, true, false, true, true, false, true, false]);
    }
}
