// The paper's tiled matrix product; sizes are arguments, so that one program serves all of them.
#define MIN(x, y) ((x) < (y) ? (x) : (y))
// The program that measures it calls it for one row of tiles after the other.
#ifdef ROWS_BEGIN
extern int rows[2];
#else
#define ROWS_BEGIN 0
#define ROWS_END n
#endif

void tiled(int n, int b, const float *restrict e, const float *restrict f, float *restrict d) {
    for (int it = ROWS_BEGIN; it < ROWS_END; it += b)
        for (int jt = 0; jt < n; jt += b)
            for (int kt = 0; kt < n; kt += b)
                for (int i = it; i < MIN(it + b, n); i++)
                    for (int j = jt; j < MIN(jt + b, n); j++)
                        for (int k = kt; k < MIN(kt + b, n); k++)
                            d[i * n + j] += e[i * n + k] * f[k * n + j];
}
