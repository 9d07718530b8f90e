// transposition by tiles
// half: judging
// sizes: 64 128 320 704 1536
float a[N][N];
float b[N][N];

#define B 16
void kernel(void) {
    for (int it = 0; it < N; it += B)
        for (int jt = 0; jt < N; jt += B)
            for (int i = it; i < it + B; i++)
                for (int j = jt; j < jt + B; j++)
                    b[j][i] = a[i][j];
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((float *)a)[i] = (float)(1 + i % 7);
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((float *)b)[i] = (float)(1 + i % 7);
}
