//! Slices, arrays and iterators of Rust.

use crate::{Kernel, rust};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel {
        iterations: 1000.0,
        limit: "chain",
        values: &[("a.len()", 1000)],
        ..rust(
            "sum over a slice",
            r"
            fn sum(a: &[f64]) -> f64 {
                let mut s = 0.0;
                for x in a {
                    s += x;
                }
                s
            }",
        )
    },
    Kernel {
        iterations: 1000.0,
        limit: "stores",
        lanes: 2.0,
        values: &[("a.len()", 1000)],
        ..rust(
            "scaling a slice",
            r"
            fn scale(a: &mut [f64], by: f64) {
                for x in a.iter_mut() {
                    *x *= by;
                }
            }",
        )
    },
    Kernel {
        iterations: 10_000.0,
        limit: "front-end",
        values: &[("n", 100), ("a.len()", 10_000), ("b.len()", 10_000)],
        ..rust(
            "adding flattened matrices",
            r"
            fn add(n: usize, a: &mut [f64], b: &[f64]) {
                for i in 0..n {
                    for j in 0..n {
                        a[i * n + j] += b[i * n + j];
                    }
                }
            }",
        )
    },
];
