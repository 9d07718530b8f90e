// matrix product, as kerncraft takes it
// half: judging
// sizes: 24 48 96 180 320
double a[N][N];
double b[N][N];
double c[N][N];

void kernel(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
}

void prepare(void) {
    for (long i = 0; i < (long)(N * N); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)(N * N); i++)
        ((double *)b)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)(N * N); i++)
        ((double *)c)[i] = (double)(1 + i % 7);
}
