// tiled matrix product of floats, as in the paper
// half: training
// sizes: 64 128 192 256 384
float a[N][N];
float b[N][N];
float c[N][N];

#define B 32
#define MIN(x, y) ((x) < (y) ? (x) : (y))
void kernel(void) {
    for (int it = 0; it < N; it += B)
        for (int jt = 0; jt < N; jt += B)
            for (int kt = 0; kt < N; kt += B)
                for (int i = it; i < MIN(it + B, N); i++)
                    for (int j = jt; j < MIN(jt + B, N); j++)
                        for (int k = kt; k < MIN(kt + B, N); k++)
                            c[i][j] += a[i][k] * b[k][j];
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((float *)a)[i] = (float)(1 + i % 7);
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((float *)b)[i] = (float)(1 + i % 7);
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((float *)c)[i] = (float)(1 + i % 7);
}
