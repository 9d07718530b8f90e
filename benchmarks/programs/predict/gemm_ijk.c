// matrix product, sums in the innermost loop
// half: training
// sizes: 24 48 96 180 320
double a[N][N];
double b[N][N];
double c[N][N];

void kernel(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++)
                s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)b)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)c)[i] = (double)(1 + i % 7);
}
