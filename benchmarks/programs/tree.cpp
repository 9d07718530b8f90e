// Builds, looks through and deletes trees of small blocks, strings among them, as programs with many objects do.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

int main() {
    unsigned state = 1, sum = 0;
    auto next = [&state] { return (state = state * 1103515245u + 12345u) >> 8; };
    for (int round = 0; round < 12; round++) {
        std::map<unsigned, std::string> tree;
        std::vector<std::vector<int>> rows;
        for (int i = 0; i < 20000; i++) {
            tree[next()] = std::string(next() % 60, 'x');
            if (i % 4 == 0)
                rows.emplace_back(next() % 50, i);
        }
        for (const auto &entry : tree)
            sum = sum * 31 + entry.first + entry.second.size();
        for (const auto &row : rows)
            sum += row.empty() ? 0 : row.back();
    }
    std::printf("%u\n", sum);
}
