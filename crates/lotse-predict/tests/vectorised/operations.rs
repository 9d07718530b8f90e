//! Operations that vector units support, and others that they do not.

use crate::Vectorised;

pub(crate) const LOOPS: &[Vectorised] = &[
    Vectorised {
        name: "square roots",
        source: r"
            #define N 1024
            double sqrt(double);
            double a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = sqrt(b[i] + 2);
            }",
        at: [false, false],
    },
    Vectorised {
        name: "exponentials",
        source: r"
            #define N 1024
            double exp(double);
            double a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = exp(b[i]);
            }",
        at: [false, false],
    },
    Vectorised {
        name: "absolute values",
        source: r"
            #define N 1024
            double fabs(double);
            double a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = fabs(b[i]);
            }",
        at: [true, true],
    },
    Vectorised {
        name: "divided integers",
        source: r"
            #define N 1024
            int a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] / c[i];
            }",
        at: [false, false],
    },
    Vectorised {
        name: "integers divided by a constant",
        source: r"
            #define N 1024
            unsigned a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] / 8;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "remainders",
        source: r"
            #define N 1024
            unsigned a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] % 16;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "integers become doubles",
        source: r"
            #define N 1024
            double a[N]; int b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "a condition on data",
        source: r"
            #define N 1024
            double a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    if (b[i] > 0)
                        a[i] = 1;
            }",
        at: [false, false],
    },
    Vectorised {
        name: "a selection",
        source: r"
            #define N 1024
            double a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] > 0 ? 1.0 : 2.0;
            }",
        at: [true, true],
    },
];
