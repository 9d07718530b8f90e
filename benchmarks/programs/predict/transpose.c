// transposition
// half: training
// sizes: 50 120 300 700 1500
double a[N][N];
double b[N][N];

void kernel(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[j][i] = a[i][j];
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)b)[i] = (double)(1 + i % 7);
}
