//! Loops of C.

use lotse_predict::question::Language;

use crate::Form;

pub(crate) const FORMS: &[Form] = &[
    Form {
        name: "counting up",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "up to and including",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 1; i <= n; ++i)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "not equal",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i != n; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "the bound on the left",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; n > i; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "down to zero",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = n - 1; i >= 0; i--)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "down, tested before it is stepped",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = n; i-- > 0;)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "down to above zero",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = n; i > 0; i -= 1)
                    a[i - 1] = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a step",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i += 5)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[3.0],
        arrays: &["a"],
    },
    Form {
        name: "a step as a sum",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i = i + 5)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[3.0],
        arrays: &["a"],
    },
    Form {
        name: "a step as a parameter",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i += m)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[3.0],
        arrays: &["a"],
    },
    Form {
        name: "a step down",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = n - 1; i >= 0; i -= 5)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[3.0],
        arrays: &["a"],
    },
    Form {
        name: "two variables",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0, j = n - 1; i < n; i++, j--)
                    a[i] = a[j];
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "two bounds",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n && i < m; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[5.0],
        arrays: &["a"],
    },
    Form {
        name: "a variable declared before",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                int i;
                for (i = 2; i < n; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[10.0],
        arrays: &["a"],
    },
    Form {
        name: "a type of the library",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (size_t i = 0; i < (size_t)n; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "while",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                int i = 0;
                while (i < n) {
                    a[i] = 0;
                    i++;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "while with a step",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                int i = 1;
                while (i <= n) {
                    a[i] = 0;
                    i += 3;
                }
            }",
        values: &[],
        iterations: &[4.0],
        arrays: &["a"],
    },
    Form {
        name: "without braces, nested",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < m; j++)
                        a[i * m + j] = 0;
            }",
        values: &[],
        iterations: &[12.0, 60.0],
        arrays: &["a"],
    },
    Form {
        name: "lower triangle",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i++)
                    for (int j = 0; j <= i; j++)
                        a[i * n + j] = 0;
            }",
        values: &[],
        iterations: &[12.0, 78.0],
        arrays: &["a"],
    },
    Form {
        name: "upper triangle",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i++)
                    for (int j = i + 1; j < n; j++)
                        a[i * n + j] = 0;
            }",
        values: &[],
        iterations: &[12.0, 66.0],
        arrays: &["a"],
    },
    Form {
        name: "a band",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = k; i < n - k; i++)
                    for (int j = i - k; j <= i + k; j++)
                        a[i * n + j] = 0;
            }",
        values: &[],
        iterations: &[6.0, 42.0],
        arrays: &["a"],
    },
    Form {
        name: "three loops of an elimination",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int p = 0; p < n; p++)
                    for (int i = p + 1; i < n; i++)
                        for (int j = p + 1; j < n; j++)
                            a[i * n + j] -= a[p * n + j];
            }",
        values: &[],
        iterations: &[12.0, 66.0, 506.0],
        arrays: &["a"],
    },
    Form {
        name: "an imperfect nest",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i++) {
                    a[i] = 0;
                    for (int j = 0; j < m; j++)
                        a[i] += j;
                    a[i] /= m;
                }
            }",
        values: &[],
        iterations: &[12.0, 60.0],
        arrays: &["a"],
    },
    Form {
        name: "several nests",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i++)
                    a[i] = 0;
                for (int j = 0; j < m; j++)
                    a[j] = 1;
                for (int l = 0; l < k; l++)
                    a[l] = 2;
            }",
        values: &[],
        iterations: &[12.0, 5.0, 3.0],
        arrays: &["a"],
    },
    Form {
        name: "a branch on the index",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i++) {
                    if (i < m)
                        a[i] = 0;
                    else
                        a[i] = 1;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a branch on two bounds",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i++)
                    if (i > 0 && i < n - 1)
                        a[i] = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "the rest of an iteration is skipped",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i++) {
                    if (i == m)
                        continue;
                    a[i] = 0;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "tiles with a minimum",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int t = 0; t < n; t += m)
                    for (int i = t; i < (t + m < n ? t + m : n); i++)
                        a[i] = 0;
            }",
        values: &[],
        iterations: &[3.0, 12.0],
        arrays: &["a"],
    },
    Form {
        name: "tiles with two conditions",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int t = 0; t < n; t += m)
                    for (int i = t; i < t + m && i < n; i++)
                        a[i] = 0;
            }",
        values: &[],
        iterations: &[3.0, 12.0],
        arrays: &["a"],
    },
    Form {
        name: "a maximum below",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i++)
                    for (int j = (i - 2 > 0 ? i - 2 : 0); j <= i; j++)
                        a[j] = i;
            }",
        values: &[],
        iterations: &[12.0, 33.0],
        arrays: &["a"],
    },
    Form {
        name: "half of the bound",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n / 2; i++)
                    a[i] = a[n - 1 - i];
            }",
        values: &[],
        iterations: &[6.0],
        arrays: &["a"],
    },
    Form {
        name: "bound shifted",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n >> 2; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[3.0],
        arrays: &["a"],
    },
    Form {
        name: "an integer that follows",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                int p = 0;
                for (int i = 0; i < n; i++) {
                    a[p] = 0;
                    p += 2;
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a number computed before",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                int last = n - m;
                for (int i = 0; i < last; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[7.0],
        arrays: &["a"],
    },
    Form {
        name: "a number computed in the loop",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                for (int i = 0; i < n; i++) {
                    int p = i * m;
                    a[p] = a[p + 1];
                }
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a constant of the file",
        language: Language::C,
        source: r"
            #define WIDTH 9
            void f(double *a) {
                for (int i = 0; i < WIDTH; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[9.0],
        arrays: &["a"],
    },
    Form {
        name: "an enumerator",
        language: Language::C,
        source: r"
            enum { WIDTH = 9 };
            void f(double *a) {
                for (int i = 0; i < WIDTH; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[9.0],
        arrays: &["a"],
    },
    Form {
        name: "a macro of a macro",
        language: Language::C,
        source: r"
            #define WIDTH 10
            #define HALF (WIDTH / 2)
            void f(double *a) {
                for (int i = 0; i < HALF; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[5.0],
        arrays: &["a"],
    },
    Form {
        name: "a macro around an element",
        language: Language::C,
        source: r"
            #define A(i, j) a[(i) * m + (j)]
            void f(int n, int m, double *a) {
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < m; j++)
                        A(i, j) = 0;
            }",
        values: &[],
        iterations: &[12.0, 60.0],
        arrays: &["a"],
    },
    Form {
        name: "a comma in the step",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                int j = 0;
                for (int i = 0; i < n; i++, j += 2)
                    a[j] = i;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a sum in a local variable",
        language: Language::C,
        source: r"
            void f(int n, int m, int k, double *a) {
                double s = 0;
                for (int i = 0; i < n; i++)
                    s += a[i];
                a[0] = s;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
];
