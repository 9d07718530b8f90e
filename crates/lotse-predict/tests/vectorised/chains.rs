//! Loops with loop-carried dependences.

use crate::Vectorised;

pub(crate) const LOOPS: &[Vectorised] = &[
    Vectorised {
        name: "running sums",
        source: r"
            #define N 1024
            double a[N], b[N];
            void f(void) {
                for (int i = 1; i < N; i++)
                    a[i] = a[i - 1] + b[i];
            }",
        at: [false, false],
    },
    Vectorised {
        name: "two back",
        source: r"
            #define N 1024
            double a[N], b[N];
            void f(void) {
                for (int i = 2; i < N; i++)
                    a[i] = a[i - 2] + b[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "eight back",
        source: r"
            #define N 1024
            double a[N], b[N];
            void f(void) {
                for (int i = 8; i < N; i++)
                    a[i] = a[i - 8] + b[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "one ahead",
        source: r"
            #define N 1024
            double a[N], b[N];
            void f(void) {
                for (int i = 0; i < N - 1; i++)
                    a[i] = a[i + 1] + b[i];
            }",
        at: [false, true],
    },
    Vectorised {
        name: "a filter",
        source: r"
            #define N 1024
            double a[N], b[N];
            void f(void) {
                for (int i = 1; i < N; i++)
                    a[i] = 0.5 * a[i - 1] + b[i];
            }",
        at: [false, false],
    },
    Vectorised {
        name: "integers that run",
        source: r"
            #define N 1024
            int a[N], b[N];
            void f(void) {
                for (int i = 1; i < N; i++)
                    a[i] = a[i - 1] + b[i];
            }",
        at: [false, false],
    },
    Vectorised {
        name: "Horner's rule",
        source: r"
            double f(int n, double x, const double *a) {
                double y = 0;
                for (int i = 0; i < n; i++)
                    y = y * x + a[i];
                return y;
            }",
        at: [false, false],
    },
    Vectorised {
        name: "an index that follows",
        source: r"
            int f(int n, const int *next) {
                int j = 0;
                for (int i = 0; i < n; i++)
                    j = next[j];
                return j;
            }",
        at: [false, false],
    },
];
