// layouts KERNEL SCALE: runs one kernel; SCALE 1.02 lets it do 2 % more.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int insertion(int *a, int n);
int collatz(int most);
int interpret(const unsigned char *code, int rounds);
int words(const char *text, int n);

static unsigned state = 1;
static unsigned next(void) {
    state = state * 1103515245u + 12345u;
    return state >> 8;
}

static int sorted(double scale) {
    static int a[200];
    int sum = 0;
    for (int round = 0; round < (int)(2000 * scale); round++) {
        for (int i = 0; i < 200; i++)
            a[i] = (int)next();
        sum += insertion(a, 200);
    }
    return sum;
}

static int interpreted(double scale) {
    unsigned char code[64];
    for (int i = 0; i < 64; i++)
        code[i] = (unsigned char)(next() % 6);
    return interpret(code, (int)(8e6 * scale));
}

static int counted(double scale) {
    static char text[1 << 12];
    int sum = 0;
    for (int i = 0; i < 1 << 12; i++)
        text[i] = next() % 5 ? 'x' : ' ';
    for (int round = 0; round < (int)(3000 * scale); round++)
        sum += words(text, 1 << 12);
    return sum;
}

int main(int argc, char **argv) {
    const char *kernel = argc > 1 ? argv[1] : "sort";
    double scale = argc > 2 ? atof(argv[2]) : 1;
    int result = 0;
    if (!strcmp(kernel, "sort"))
        result = sorted(scale);
    else if (!strcmp(kernel, "collatz"))
        result = collatz((int)(60000 * scale));
    else if (!strcmp(kernel, "interpret"))
        result = interpreted(scale);
    else
        result = counted(scale);
    printf("%d\n", result);
    return 0;
}
