//! Dynamic programming, integers, bytes.

use crate::{Kernel, c};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel {
        iterations: 1000.0,
        limit: "front-end",
        lanes: 4.0,
        ..c(
            "sum of integers",
            r"
            #define N 1000
            int a[N];
            int sum(void) {
                int s = 0;
                for (int i = 0; i < N; i++)
                    s += a[i];
                return s;
            }",
        )
    },
    Kernel {
        iterations: 1000.0,
        limit: "chain",
        values: &[("n", 1000)],
        ..c(
            "polynomial by Horner's rule",
            r"
            double horner(int n, double x, const double *a) {
                double y = 0;
                for (int i = n - 1; i >= 0; i--)
                    y = y * x + a[i];
                return y;
            }",
        )
    },
    Kernel {
        iterations: 1_000_000.0,
        limit: "front-end",
        ..c(
            "shortest paths",
            r"
            #define N 100
            #define MIN(a, b) ((a) < (b) ? (a) : (b))
            int d[N][N];
            void paths(void) {
                for (int k = 0; k < N; k++)
                    for (int i = 0; i < N; i++)
                        for (int j = 0; j < N; j++)
                            d[i][j] = MIN(d[i][j], d[i][k] + d[k][j]);
            }",
        )
    },
    Kernel {
        iterations: 1000.0,
        limit: "chain",
        values: &[("n", 1000)],
        ..c(
            "running sums",
            r"
            void scan(int n, const double *restrict a, double *restrict s) {
                s[0] = 0;
                for (int i = 1; i <= n; i++)
                    s[i] = s[i - 1] + a[i];
            }",
        )
    },
];
