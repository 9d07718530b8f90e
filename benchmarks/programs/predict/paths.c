// shortest paths between all pairs
// half: training
// sizes: 24 48 96 180 320
int d[N][N];

void kernel(void) {
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((int *)d)[i] = (int)(1 + i % 7);
}
