//! Nests over slices in Rust.

use lotse_predict::question::Language;

use crate::Nest;

pub(crate) const NESTS: &[Nest] = &[
    // 8000 bytes in a row.
    Nest {
        name: "sum of a slice",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64]) -> f64 {
                let mut s = 0.0;
                for x in a {
                    s += x;
                }
                s
            }",
        values: &[("a.len()", 1000)],
        bytes: &[8.0 * 1000.0],
        lines: (125.0, 1.0),
        iterations: &[1000.0],
        misses: [125.0, 125.0],
        tolerance: 0.02,
    },
    // The shorter one ends the loop.
    Nest {
        name: "two slices",
        language: Language::Rust,
        source: r"
            fn f(a: &[f32], b: &mut [f32]) {
                for (x, y) in a.iter().zip(b.iter_mut()) {
                    *y += x;
                }
            }",
        values: &[("a.len()", 1600), ("b.len()", 800)],
        bytes: &[2.0 * 4.0 * 800.0],
        lines: (100.0, 2.0),
        iterations: &[800.0],
        misses: [100.0, 100.0],
        tolerance: 0.03,
    },
    // 100 rows of 100 numbers.
    Nest {
        name: "chunks",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64], s: &mut [f64]) {
                for (row, out) in a.chunks_exact(100).zip(s.iter_mut()) {
                    for x in row {
                        *out += x;
                    }
                }
            }",
        values: &[("a.len()", 10000), ("s.len()", 100)],
        bytes: &[8.0 * 10100.0, 8.0 * 101.0],
        lines: (1262.5, 3.0),
        iterations: &[100.0, 10000.0],
        misses: [1262.5, 1262.5],
        tolerance: 0.02,
    },
    // As three points in C.
    Nest {
        name: "windows",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64], b: &mut [f64]) {
                for (w, y) in a.windows(3).zip(b.iter_mut()) {
                    *y = w[0] + w[1] + w[2];
                }
            }",
        values: &[("a.len()", 1002), ("b.len()", 1000)],
        bytes: &[8.0 * (1002.0 + 1000.0)],
        lines: (250.25, 3.0),
        iterations: &[1000.0],
        misses: [250.25, 250.25],
        tolerance: 0.03,
    },
    // 32 bytes apart: all 200 lines.
    Nest {
        name: "every fourth",
        language: Language::Rust,
        source: r"
            fn f(a: &mut [f64]) {
                for i in (0..a.len()).step_by(4) {
                    a[i] = 0.0;
                }
            }",
        values: &[("a.len()", 1600)],
        bytes: &[8.0 * 400.0],
        lines: (200.0, 1.0),
        iterations: &[400.0],
        misses: [200.0, 200.0],
        tolerance: 0.02,
    },
    // Columns, as in C.
    Nest {
        name: "a matrix of arrays",
        language: Language::Rust,
        source: r"
            fn f(a: &[[f64; 100]; 100], y: &mut [f64; 100]) {
                for j in 0..100 {
                    for i in 0..100 {
                        y[j] += a[i][j];
                    }
                }
            }",
        values: &[],
        bytes: &[8.0 * 10100.0, 8.0 * 101.0],
        lines: (1262.5, 3.0),
        iterations: &[100.0, 10000.0],
        misses: [10012.5, 1262.5],
        tolerance: 0.04,
    },
    // 64 * 65 / 2 elements; at the middle index 24 a row has 24.
    Nest {
        name: "a flattened triangle",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &[f64], x: &mut [f64]) {
                for i in 0..n {
                    for j in 0..i {
                        x[i] += a[i * n + j];
                    }
                }
            }",
        values: &[("n", 65)],
        bytes: &[8.0 * (2080.0 + 64.0), 8.0 * (24.0 + 1.0)],
        lines: (330.0, 30.0),
        iterations: &[65.0, 2080.0],
        misses: [330.0, 330.0],
        tolerance: 0.1,
    },
    // The direction changes nothing.
    Nest {
        name: "from the end",
        language: Language::Rust,
        source: r"
            fn f(a: &mut [f64]) {
                for i in (0..a.len()).rev() {
                    a[i] += 1.0;
                }
            }",
        values: &[("a.len()", 1000)],
        bytes: &[8.0 * 1000.0],
        lines: (125.0, 1.0),
        iterations: &[1000.0],
        misses: [125.0, 125.0],
        tolerance: 0.02,
    },
];
