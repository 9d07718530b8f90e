//! Ranges, bounds and arrays of Rust.

use lotse_predict::question::Language;

use crate::Form;

pub(crate) const FORMS: &[Form] = &[
    Form {
        name: "a range",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 0..n {
                    a[i] = 0.0;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a closed range",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 1..=m {
                    a[i] = 0.0;
                }
            }",
        values: &[],
        iterations: &[5.0],
        arrays: &["a"],
    },
    Form {
        name: "the length as the end",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 0..a.len() {
                    a[i] = 0.0;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a step",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in (0..n).step_by(5) {
                    a[i] = 0.0;
                }
            }",
        values: &[],
        iterations: &[3.0],
        arrays: &["a"],
    },
    Form {
        name: "backwards",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in (0..n).rev() {
                    a[i] = 0.0;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a step backwards",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in (0..n).rev().step_by(5) {
                    a[i] = 0.0;
                }
            }",
        values: &[],
        iterations: &[3.0],
        arrays: &["a"],
    },
    Form {
        name: "flattened",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 0..n {
                    for j in 0..m {
                        a[i * m + j] = 0.0;
                    }
                }
            }",
        values: &[],
        iterations: &[12.0, 60.0],
        arrays: &["a"],
    },
    Form {
        name: "a triangle",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 0..n {
                    for j in 0..=i {
                        a[i * n + j] = 0.0;
                    }
                }
            }",
        values: &[],
        iterations: &[12.0, 78.0],
        arrays: &["a"],
    },
    Form {
        name: "the rest of a row",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 0..n {
                    for j in i + 1..n {
                        a[i * n + j] = 0.0;
                    }
                }
            }",
        values: &[],
        iterations: &[12.0, 66.0],
        arrays: &["a"],
    },
    Form {
        name: "the smaller of two",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 0..n.min(m) {
                    a[i] = 0.0;
                }
            }",
        values: &[],
        iterations: &[5.0],
        arrays: &["a"],
    },
    Form {
        name: "tiles",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for t in (0..n).step_by(m) {
                    for i in t..(t + m).min(n) {
                        a[i] = 0.0;
                    }
                }
            }",
        values: &[],
        iterations: &[3.0, 12.0],
        arrays: &["a"],
    },
    Form {
        name: "while",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                let mut i = 0;
                while i < n {
                    a[i] = 0.0;
                    i += 1;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "while with a step",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                let mut i = 0;
                while i < n {
                    a[i] = 0.0;
                    i += 5;
                }
            }",
        values: &[],
        iterations: &[3.0],
        arrays: &["a"],
    },
    Form {
        name: "a name for the index",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 0..n {
                    let k = i * m;
                    a[k] = a[k + 1];
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a number computed before",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                let last = n - m;
                for i in 0..last {
                    a[i] = 0.0;
                }
            }",
        values: &[],
        iterations: &[7.0],
        arrays: &["a"],
    },
    Form {
        name: "a branch on the index",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 0..n {
                    if i < m {
                        a[i] = 0.0;
                    } else {
                        a[i] = 1.0;
                    }
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "the rest of an iteration is skipped",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 0..n {
                    if i == m {
                        continue;
                    }
                    a[i] = 0.0;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "an imperfect nest",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 0..n {
                    let mut s = 0.0;
                    for j in 0..m {
                        s += a[i * m + j];
                    }
                    a[i] = s;
                }
            }",
        values: &[],
        iterations: &[12.0, 60.0],
        arrays: &["a"],
    },
    Form {
        name: "a constant",
        language: Language::Rust,
        source: r"
            const WIDTH: usize = 9;
            fn f(a: &mut [f64]) {
                for i in 0..WIDTH {
                    a[i] = 0.0;
                }
            }",
        values: &[],
        iterations: &[9.0],
        arrays: &["a"],
    },
    Form {
        name: "a constant generic",
        language: Language::Rust,
        source: r"
            fn f<const R: usize, const C: usize>(a: &mut [[f64; C]; R]) {
                for i in 0..R {
                    for j in 0..C {
                        a[i][j] = 0.0;
                    }
                }
            }",
        values: &[("R", 3), ("C", 4)],
        iterations: &[3.0, 12.0],
        arrays: &["a"],
    },
    Form {
        name: "an array",
        language: Language::Rust,
        source: r"
            fn f(a: &mut [u32; 16]) {
                for i in 0..16 {
                    a[i] += 1;
                }
            }",
        values: &[],
        iterations: &[16.0],
        arrays: &["a"],
    },
    Form {
        name: "a matrix of arrays",
        language: Language::Rust,
        source: r"
            fn f(a: &mut [[f32; 8]; 4]) {
                for i in 0..4 {
                    for j in 0..8 {
                        a[i][j] = 0.0;
                    }
                }
            }",
        values: &[],
        iterations: &[4.0, 32.0],
        arrays: &["a"],
    },
    Form {
        name: "a vector of vectors",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut Vec<Vec<f64>>) {
                for i in 0..n {
                    for j in 0..m {
                        a[i][j] = 0.0;
                    }
                }
            }",
        values: &[],
        iterations: &[12.0, 60.0],
        arrays: &["a"],
    },
    Form {
        name: "an array of the function",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                let mut b = [0.0; 32];
                for i in 0..n {
                    b[i] = a[i];
                }
                for i in 0..n {
                    a[i] = b[i] * 2.0;
                }
            }",
        values: &[],
        iterations: &[12.0, 12.0],
        arrays: &["a", "b"],
    },
    Form {
        name: "a vector of the function",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                let mut b = vec![0.0; n];
                for i in 0..n {
                    b[i] = a[i];
                }
                a[0] = b[n - 1];
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a", "b"],
    },
    Form {
        name: "an unsafe block",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                for i in 0..n {
                    unsafe {
                        *a.get_unchecked_mut(i) = 0.0;
                    }
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "assertions are no work",
        language: Language::Rust,
        source: r"
            fn f(n: usize, m: usize, a: &mut [f64]) {
                assert!(a.len() >= n);
                for i in 0..n {
                    debug_assert!(i < n);
                    a[i] = 0.0;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
];
