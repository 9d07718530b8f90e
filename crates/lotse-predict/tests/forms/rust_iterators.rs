//! Iterators of Rust.

use lotse_predict::question::Language;

use crate::Form;

pub(crate) const FORMS: &[Form] = &[
    Form {
        name: "elements",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64]) -> f64 {
                let mut s = 0.0;
                for x in a {
                    s += x;
                }
                s
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "iter",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64]) -> f64 {
                let mut s = 0.0;
                for x in a.iter() {
                    s += *x;
                }
                s
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "iter_mut",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for x in a.iter_mut() {
                    *x *= 2.0;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "copied",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64]) -> f64 {
                let mut s = 0.0;
                for x in a.iter().copied() {
                    s += x;
                }
                s
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a pattern with a reference",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64]) -> f64 {
                let mut s = 0.0;
                for &x in a {
                    s += x;
                }
                s
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "enumerate",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for (i, x) in a.iter_mut().enumerate() {
                    *x = i as f64;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "zip",
        language: Language::Rust,
        source: r"
            fn f(a: &mut [f64], b: &[f64]) {
                for (x, y) in a.iter_mut().zip(b) {
                    *x += y;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a", "b"],
    },
    Form {
        name: "zip of different lengths",
        language: Language::Rust,
        source: r"
            fn f(a: &mut [f64], b: &[f64]) {
                for (x, y) in a.iter_mut().zip(b.iter()) {
                    *x += y;
                }
            }",
        values: &[("b.len()", 4)],
        iterations: &[4.0],
        arrays: &["a", "b"],
    },
    Form {
        name: "zip and enumerate",
        language: Language::Rust,
        source: r"
            fn f(a: &mut [f64], b: &[f64]) {
                for (i, (x, y)) in a.iter_mut().zip(b).enumerate() {
                    *x += y * i as f64;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a", "b"],
    },
    Form {
        name: "rev",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for x in a.iter_mut().rev() {
                    *x += 1.0;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "step_by",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for x in a.iter_mut().step_by(5) {
                    *x += 1.0;
                }
            }",
        values: &[],
        iterations: &[3.0],
        arrays: &["a"],
    },
    Form {
        name: "skip",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for x in a.iter_mut().skip(2) {
                    *x += 1.0;
                }
            }",
        values: &[],
        iterations: &[10.0],
        arrays: &["a"],
    },
    Form {
        name: "take",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for x in a.iter_mut().take(5) {
                    *x += 1.0;
                }
            }",
        values: &[],
        iterations: &[5.0],
        arrays: &["a"],
    },
    Form {
        name: "chunks_exact_mut",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for row in a.chunks_exact_mut(3) {
                    for x in row.iter_mut() {
                        *x += 1.0;
                    }
                }
            }",
        values: &[],
        iterations: &[4.0, 12.0],
        arrays: &["a"],
    },
    Form {
        name: "chunks with a rest",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for row in a.chunks_mut(5) {
                    for x in row.iter_mut() {
                        *x += 1.0;
                    }
                }
            }",
        values: &[],
        iterations: &[3.0, 12.0],
        arrays: &["a"],
    },
    Form {
        name: "rows of n",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for row in a.chunks_exact_mut(n) {
                    for x in row.iter_mut() {
                        *x += 1.0;
                    }
                }
            }",
        values: &[("n", 3)],
        iterations: &[4.0, 12.0],
        arrays: &["a"],
    },
    Form {
        name: "windows",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64], b: &mut [f64]) {
                for (w, y) in a.windows(3).zip(b.iter_mut()) {
                    *y = w[0] + w[2];
                }
            }",
        values: &[],
        iterations: &[10.0],
        arrays: &["a", "b"],
    },
    Form {
        name: "a part of a slice",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for x in a[2..8].iter_mut() {
                    *x += 1.0;
                }
            }",
        values: &[],
        iterations: &[6.0],
        arrays: &["a"],
    },
    Form {
        name: "a part with a name",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                let half = &mut a[..6];
                for x in half.iter_mut() {
                    *x += 1.0;
                }
            }",
        values: &[],
        iterations: &[6.0],
        arrays: &["a"],
    },
    Form {
        name: "integers",
        language: Language::Rust,
        source: r"
            fn f(a: &[u8]) -> u32 {
                let mut s = 0_u32;
                for x in a {
                    s = s.wrapping_add(*x as u32);
                }
                s
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "methods of numbers",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for x in a.iter_mut() {
                    *x = x.sqrt().max(1.0).abs();
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a vector",
        language: Language::Rust,
        source: r"
            fn f(a: &mut Vec<f64>) {
                for x in a.iter_mut() {
                    *x += 1.0;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
];
