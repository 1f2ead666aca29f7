/* A first bot: eats what is next to it, walks on, and keeps off ghosts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char walls[1 << 20]; /* a hex digit a square, row by row: 1 north, 2 east, 4 south, 8 west */
static char line[1 << 18];

int main(void)
{
    const int down[] = {-1, 0, 1, 0}, right[] = {0, 1, 0, -1};
    const char *seed = getenv("KOTH_SEED");
    int side = 0;
    srand(seed ? (unsigned)strtoull(seed, NULL, 10) : 1);
    if (!fgets(walls, sizeof walls, stdin))
        return 1;
    while (side * side < (int)strcspn(walls, "\r\n"))
        side++;
    while (fgets(line, sizeof line, stdin) && line[0] != 'Q') { /* Q: the game is over */
        /* "3,7X 2,7o 3,8G": squares as row,column and what is there; the first one is our own. */
        int worth[4] = {1, 1, 1, 1}, own_row = -1, own_col = 0, row, col, best = 4, most = 0;
        char what;
        for (char *word = strtok(line, " \r\n"); word; word = strtok(NULL, " \r\n")) {
            if (sscanf(word, "%d,%d%c", &row, &col, &what) != 3)
                continue;
            if (own_row < 0) {
                own_row = row;
                own_col = col;
            }
            for (int d = 0; d < 4; d++)
                if (row == (own_row + down[d] + side) % side && col == (own_col + right[d] + side) % side)
                    worth[d] = what == 'o' ? 10 : what == 'O' ? 50 : what == 'F' ? 100 : what == 'G' ? 0 : 1;
        }
        char digit = walls[own_row * side + own_col];
        int closed = digit <= '9' ? digit - '0' : digit - 'A' + 10;
        for (int d = 0; d < 4; d++) {
            int value = worth[d] * 8 + rand() % 8;
            if (!(closed >> d & 1) && worth[d] > 0 && value >= most) {
                best = d;
                most = value;
            }
        }
        printf("%c\n", "NESWX"[best]);
        fflush(stdout);
    }
    return 0;
}
