//! Nests over matrices.

use crate::Vectorised;

pub(crate) const LOOPS: &[Vectorised] = &[
    Vectorised {
        name: "rows are added",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        a[i][j] += b[i][j];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "a vector is added to rows",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        a[i][j] += x[j];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "a number is added to a row",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        a[i][j] += x[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "product by rows",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int k = 0; k < N; k++)
                        for (int j = 0; j < N; j++)
                            c[i][j] += a[i][k] * b[k][j];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "product of a row and a row",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        for (int k = 0; k < N; k++)
                            c[i][j] += a[i][k] * b[j][k];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "transposition",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        b[j][i] = a[i][j];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "matrix times vector",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        y[i] += a[i][j] * x[j];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "transposed matrix times vector",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        y[j] += a[i][j] * x[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "outer product",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        a[i][j] = x[i] * y[j];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "five points",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 1; i < N - 1; i++)
                    for (int j = 1; j < N - 1; j++)
                        b[i][j] = a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "five points in place",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 1; i < N - 1; i++)
                    for (int j = 1; j < N - 1; j++)
                        a[i][j] = a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j];
            }",
        at: [false, false],
    },
    Vectorised {
        name: "the row above",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 1; i < N; i++)
                    for (int j = 0; j < N; j++)
                        a[i][j] += a[i - 1][j];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "the column before",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 1; j < N; j++)
                        a[i][j] += a[i][j - 1];
            }",
        at: [false, false],
    },
    Vectorised {
        name: "lower triangle",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j <= i; j++)
                        a[i][j] *= 2;
            }",
        at: [false, true],
    },
    Vectorised {
        name: "elimination",
        source: r"
            #define N 128
            double a[N][N], b[N][N], c[N][N], x[N], y[N];
            void f(void) {
                for (int k = 0; k < N; k++)
                    for (int i = k + 1; i < N; i++)
                        for (int j = k + 1; j < N; j++)
                            a[i][j] -= a[i][k] * a[k][j];
            }",
        at: [false, true],
    },
    Vectorised {
        name: "shortest paths",
        source: r"
            #define N 128
            int d[N][N];
            void f(void) {
                for (int k = 0; k < N; k++)
                    for (int i = 0; i < N; i++)
                        for (int j = 0; j < N; j++)
                            d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
            }",
        at: [false, true],
    },
];
