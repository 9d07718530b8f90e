// seven points in space
// half: judging
// sizes: 12 24 48 80 120
double a[N][N][N];
double b[N][N][N];

void kernel(void) {
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            for (int k = 1; k < N - 1; k++)
                b[i][j][k] = 0.125 * (a[i + 1][j][k] + a[i - 1][j][k] + a[i][j + 1][k] + a[i][j - 1][k]
                                      + a[i][j][k + 1] + a[i][j][k - 1]) + 0.25 * a[i][j][k];
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N) * (N)); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N) * (N) * (N)); i++)
        ((double *)b)[i] = (double)(1 + i % 7);
}
