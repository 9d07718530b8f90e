// two fields that change each other
// half: training
// sizes: 50 120 300 700 1500
double e[N][N];
double h[N][N];

void kernel(void) {
    for (int i = 1; i < N; i++)
        for (int j = 0; j < N; j++)
            e[i][j] -= 0.5 * (h[i][j] - h[i - 1][j]);
    for (int i = 0; i < N - 1; i++)
        for (int j = 0; j < N; j++)
            h[i][j] -= 0.7 * (e[i + 1][j] - e[i][j]);
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)e)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)h)[i] = (double)(1 + i % 7);
}
