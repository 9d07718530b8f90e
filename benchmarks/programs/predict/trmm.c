// triangular matrix times matrix
// half: training
// sizes: 24 48 96 180 320
double a[N][N];
double b[N][N];

void kernel(void) {
    for (int i = 0; i < N; i++)
        for (int k = i + 1; k < N; k++)
            for (int j = 0; j < N; j++)
                b[i][j] += 0.001 * a[k][i] * b[k][j];
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)b)[i] = (double)(1 + i % 7);
}
