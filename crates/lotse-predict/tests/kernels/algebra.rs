//! Vectors and matrices.

use crate::{Kernel, c};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel {
        iterations: 1000.0,
        limit: "chain",
        values: &[("n", 1000)],
        ..c(
            "dot product",
            r"
            double dot(int n, const double *x, const double *y) {
                double s = 0;
                for (int i = 0; i < n; i++)
                    s += x[i] * y[i];
                return s;
            }",
        )
    },
    Kernel {
        iterations: 1000.0,
        limit: "front-end",
        values: &[("n", 1000)],
        ..c(
            "axpy through pointers",
            r"
            void axpy(int n, double alpha, const double *x, double *y) {
                for (int i = 0; i < n; i++)
                    y[i] += alpha * x[i];
            }",
        )
    },
    Kernel {
        iterations: 1000.0,
        limit: "front-end",
        lanes: 4.0,
        ..c(
            "axpy of arrays",
            r"
            #define N 1000
            float x[N], y[N];
            void axpy(float alpha) {
                for (int i = 0; i < N; i++)
                    y[i] += alpha * x[i];
            }",
        )
    },
    Kernel {
        iterations: 40_000.0,
        limit: "chain",
        ..c(
            "matrix times vector",
            r"
            #define N 200
            double a[N][N], x[N], y[N];
            void times(void) {
                for (int i = 0; i < N; i++) {
                    double s = 0;
                    for (int j = 0; j < N; j++)
                        s += a[i][j] * x[j];
                    y[i] = s;
                }
            }",
        )
    },
    Kernel {
        iterations: 40_000.0,
        limit: "front-end",
        lanes: 2.0,
        ..c(
            "transposed matrix times vector",
            r"
            #define N 200
            double a[N][N], x[N], y[N];
            void times(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        y[j] += a[i][j] * x[i];
            }",
        )
    },
    Kernel {
        iterations: 1_000_000.0,
        limit: "front-end",
        lanes: 2.0,
        ..c(
            "product by rows",
            r"
            #define N 100
            double a[N][N], b[N][N], c[N][N];
            void product(void) {
                for (int i = 0; i < N; i++)
                    for (int k = 0; k < N; k++)
                        for (int j = 0; j < N; j++)
                            c[i][j] += a[i][k] * b[k][j];
            }",
        )
    },
    Kernel {
        iterations: 10_000.0,
        limit: "front-end",
        lanes: 2.0,
        ..c(
            "outer product",
            r"
            #define N 100
            double a[N][N], x[N], y[N];
            void outer(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        a[i][j] += x[i] * y[j];
            }",
        )
    },
    Kernel {
        iterations: 19_900.0,
        limit: "chain",
        ..c(
            "forward substitution",
            r"
            #define N 200
            double l[N][N], x[N], b[N];
            void solve(void) {
                for (int i = 0; i < N; i++) {
                    double s = b[i];
                    for (int j = 0; j < i; j++)
                        s -= l[i][j] * x[j];
                    x[i] = s / l[i][i];
                }
            }",
        )
    },
    Kernel {
        iterations: 1_000_000.0,
        // Four columns at once: each line is fetched once for all of them.
        limit: "transfer-from-L3",
        lanes: 4.0,
        ..c(
            "column sums",
            r"
            #define N 1000
            float a[N][N], s[N];
            void sums(void) {
                for (int j = 0; j < N; j++)
                    for (int i = 0; i < N; i++)
                        s[j] += a[i][j] * a[i][j] / 3;
            }",
        )
    },
    Kernel {
        iterations: 16_000_000.0,
        limit: "transfer-from-memory",
        lanes: 2.0,
        ..c(
            "sum of big arrays",
            r"
            #define N 16000000
            double a[N], b[N], c[N];
            void add(void) {
                for (long i = 0; i < N; i++)
                    a[i] = b[i] + c[i];
            }",
        )
    },
];
