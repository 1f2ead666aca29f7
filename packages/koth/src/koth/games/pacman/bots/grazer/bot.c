/* Grazes: walks to the nearest square that may still hold a pellet, round the ghosts that it sees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1000000

static char walls[MOST + 2];
static char bare[MOST];   /* seen without anything to eat */
static char ghost[MOST];  /* a ghost is there now */
static int from[MOST], queue[MOST];
static int side, squares;

static int next_to(int square, int direction)
{
    int row = square / side, col = square % side;
    switch (direction) {
    case 0: return (row + side - 1) % side * side + col;
    case 1: return row * side + (col + 1) % side;
    case 2: return (row + 1) % side * side + col;
    default: return row * side + (col + side - 1) % side;
    }
}

static int closed(int square, int direction)
{
    char digit = walls[square];
    return (digit <= '9' ? digit - '0' : digit - 'A' + 10) >> direction & 1;
}

/* The first direction of a shortest way to food, 4 without one. Ghosts, and what is next to them, are shunned. */
static int graze(int start)
{
    int head = 0, tail = 0;
    memset(from, -1, squares * sizeof *from);
    from[start] = 4;
    queue[tail++] = start;
    while (head < tail) {
        int square = queue[head++];
        if (square != start && !bare[square])
            return from[square];
        for (int d = 0; d < 4; d++) {
            int there = next_to(square, d), danger = ghost[there];
            if (closed(square, d) || from[there] >= 0)
                continue;
            for (int e = 0; e < 4; e++)
                danger |= !closed(there, e) && ghost[next_to(there, e)];
            if (danger)
                continue;
            from[there] = square == start ? d : from[square];
            queue[tail++] = there;
        }
    }
    return 4;
}

int main(void)
{
    static char line[1 << 18];
    if (!fgets(walls, sizeof walls, stdin))
        return 1;
    squares = (int)strcspn(walls, "\r\n");
    while (side * side < squares)
        side++;
    while (fgets(line, sizeof line, stdin) && line[0] != 'Q') {
        int start = -1, row, col;
        char what;
        memset(ghost, 0, squares);
        for (char *word = strtok(line, " \r\n"); word; word = strtok(NULL, " \r\n")) {
            if (sscanf(word, "%d,%d%c", &row, &col, &what) != 3)
                continue;
            int square = row * side + col;
            if (start < 0)
                start = square;
            else
                ghost[square] = what == 'G';
            bare[square] |= what == 'X' || what == 'P';
        }
        int d = graze(start);
        for (int e = 0; d == 4 && e < 4; e++)
            if (!closed(start, e) && !ghost[next_to(start, e)])
                d = e;
        printf("%c\n", "NESWX"[d]);
        fflush(stdout);
    }
    return 0;
}
