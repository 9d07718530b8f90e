/* Products of matrices in three orders of loops: the sources of the tutorial "How long will it take?". */

#ifndef N
#define N 500
#endif
#ifndef TILE
#define TILE 32
#endif

double a[N][N], b[N][N], c[N][N];

static int min(int x, int y) { return x < y ? x : y; }

/* The innermost loop walks down the columns of b. */
void product(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
}

/* The innermost loop walks along rows. */
void product_by_rows(void) {
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += a[i][k] * b[k][j];
}

/* In tiles that stay in the cache. */
void product_tiled(void) {
    for (int it = 0; it < N; it += TILE)
        for (int kt = 0; kt < N; kt += TILE)
            for (int jt = 0; jt < N; jt += TILE)
                for (int i = it; i < min(it + TILE, N); i++)
                    for (int k = kt; k < min(kt + TILE, N); k++)
                        for (int j = jt; j < min(jt + TILE, N); j++)
                            c[i][j] += a[i][k] * b[k][j];
}
