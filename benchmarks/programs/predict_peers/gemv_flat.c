// matrix times vector, as kerncraft takes it
// half: judging
// sizes: 50 120 300 700 1500
double a[N][N];
double x[N];
double y[N];

void kernel(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            y[i] += a[i][j] * x[j];
}

void prepare(void) {
    for (long i = 0; i < (long)(N * N); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)(N); i++)
        ((double *)x)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)(N); i++)
        ((double *)y)[i] = (double)(1 + i % 7);
}
