/* Small loops whose speed depends on where they begin, and functions of odd sizes between them. */
int insertion(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i;
        while (j > 0 && a[j - 1] > x) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
    return a[n / 2];
}
int collatz(int most) {
    int longest = 0;
    for (int start = 1; start < most; start++) {
        long n = start;
        int steps = 0;
        while (n != 1) {
            n = n & 1 ? 3 * n + 1 : n / 2;
            steps++;
        }
        longest = steps > longest ? steps : longest;
    }
    return longest;
}
int interpret(const unsigned char *code, int rounds) {
    int a = 0, b = 1, at = 0;
    for (int round = 0; round < rounds; round++) {
        switch (code[at]) {
        case 0: a += b; break;
        case 1: b ^= a; break;
        case 2: a -= 3; break;
        case 3: b += a & 7; break;
        case 4: a = b; break;
        default: b++; break;
        }
        at = (at + 1) & 63;
    }
    return a + b;
}
int words(const char *text, int n) {
    int words = 0, inside = 0;
    for (int i = 0; i < n; i++) {
        if (text[i] == ' ') inside = 0;
        else if (!inside) { inside = 1; words++; }
    }
    return words;
}
