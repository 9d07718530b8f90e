// nine points in place
// half: training
// sizes: 50 120 300 700 1500
double a[N][N];

void kernel(void) {
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1]
                       + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) / 9.0;
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
}
