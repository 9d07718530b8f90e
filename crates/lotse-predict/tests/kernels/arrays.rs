//! Stencils, filters, transpositions, structs.

use crate::{Kernel, c};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel {
        iterations: 998.0,
        limit: "front-end",
        lanes: 2.0,
        ..c(
            "stencil of three points",
            r"
            #define N 1000
            double a[N], b[N];
            void stencil(void) {
                for (int i = 1; i < N - 1; i++)
                    b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
            }",
        )
    },
    Kernel {
        iterations: 998.0,
        limit: "chain",
        ..c(
            "stencil in place",
            r"
            #define N 1000
            double a[N];
            void stencil(void) {
                for (int i = 1; i < N - 1; i++)
                    a[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
            }",
        )
    },
    Kernel {
        iterations: 9604.0,
        limit: "front-end",
        lanes: 2.0,
        ..c(
            "stencil of five points",
            r"
            #define N 100
            double a[N][N], b[N][N];
            void stencil(void) {
                for (int i = 1; i < N - 1; i++)
                    for (int j = 1; j < N - 1; j++)
                        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
            }",
        )
    },
    Kernel {
        iterations: 1000.0,
        limit: "chain",
        values: &[("n", 1000)],
        ..c(
            "recursive filter",
            r"
            void filter(int n, float alpha, const float *restrict x, float *restrict y) {
                for (int i = 1; i <= n; i++)
                    y[i] = alpha * y[i - 1] + x[i];
            }",
        )
    },
    Kernel {
        iterations: 1000.0,
        limit: "division",
        lanes: 2.0,
        ..c(
            "reciprocals",
            r"
            #define N 1000
            double a[N];
            void reciprocals(void) {
                for (int i = 0; i < N; i++)
                    a[i] = 1.0 / a[i];
            }",
        )
    },
    Kernel {
        iterations: 1000.0,
        limit: "calls",
        ..c(
            "exponentials",
            r"
            #define N 1000
            double a[N], b[N];
            void exponentials(void) {
                for (int i = 0; i < N; i++)
                    b[i] = exp(-a[i]);
            }",
        )
    },
    Kernel {
        iterations: 4000.0,
        // Five operations at two a cycle.
        limit: "floating-point",
        values: &[("n", 4000)],
        ..c(
            "lengths of vectors in structs",
            r"
            struct point { float x, y, z, length; };
            void lengths(int n, struct point *p) {
                for (int i = 0; i < n; i++)
                    p[i].length = p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z;
            }",
        )
    },
    Kernel {
        iterations: 4_000_000.0,
        limit: "transfer-from-L2",
        values: &[("n", 2000)],
        ..c(
            "transposition of a flattened matrix",
            r"
            void transpose(int n, const float *restrict a, float *restrict b) {
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        b[j * n + i] = a[i * n + j];
            }",
        )
    },
];
