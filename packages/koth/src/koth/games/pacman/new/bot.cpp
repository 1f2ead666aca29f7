// A first bot: eats what is next to it, keeps off ghosts, and walks where it has been least.
// koth reads stdout: print to stderr (std::cerr), which is kept for you.

#include <cmath>
#include <climits>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// Pellet, power pellet, fruit, ghost; P: a Pac-Man, X: nothing.
static const std::map<char, int> WORTH = {{'o', 10}, {'O', 50}, {'F', 100}, {'G', -1000}};
static const std::string MOVES = "NESW";
static const int DOWN[] = {-1, 0, 1, 0}, RIGHT[] = {0, 1, 0, -1};

class Bot {
public:
    const int side; // the maze is square, and its opposite edges touch

    explicit Bot(std::string walls)
        : side(std::lround(std::sqrt(walls.size()))), walls(std::move(walls)), visits(side * side) {}

    // Where it goes; `seen` has what squares show, by row * side + col.
    char act(int row, int col, const std::map<int, char>& seen) {
        const int here = row * side + col;
        visits[here]++;
        char best = 'X';
        int most = INT_MIN;
        for (int way = 0; way < 4; way++) {
            if (std::stoi(walls.substr(here, 1), nullptr, 16) >> way & 1)
                continue;
            const int there = (row + DOWN[way] + side) % side * side + (col + RIGHT[way] + side) % side;
            const auto shown = seen.find(there);
            const auto worth = WORTH.find(shown == seen.end() ? 'X' : shown->second);
            const int score = (worth == WORTH.end() ? 0 : worth->second) - visits[there];
            if (score > most) {
                best = MOVES[way];
                most = score;
            }
        }
        return best;
    }

private:
    const std::string walls; // a hex digit a square, row by row: 1 is a wall in the north, 2 east, 4 south, 8 west
    std::vector<int> visits;
};

int main() {
    std::string line;
    std::getline(std::cin, line);
    Bot bot(line);
    while (std::getline(std::cin, line) && line != "Q") {
        std::map<int, char> seen;
        int row, col, here = -1; // its own square comes first
        char comma, letter;
        for (std::istringstream squares(line); squares >> row >> comma >> col >> letter;) { // like 23,70X
            seen[row * bot.side + col] = letter;
            here = here < 0 ? row * bot.side + col : here;
        }
        std::cout << bot.act(here / bot.side, here % bot.side, seen) << std::endl;
    }
}
