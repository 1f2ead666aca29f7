// A first bot: eats what is next to it, walks on, and keeps off ghosts.
//
// What it is told and may answer stands in koth.hpp. Print to stderr (std::cerr): koth reads stdout.

#include "koth.hpp"

using namespace koth;

int worth(char letter) {
    switch (letter) {
    case 'o': return 10;  // a pellet
    case 'O': return 50;  // a power pellet
    case 'F': return 100; // fruit
    case 'G': return 0;   // a ghost
    default: return 1;    // P another Pac-Man, X nothing, or out of sight
    }
}

class Mine {
public:
    explicit Mine(const Hello& hello) : walls(hello.walls), side(hello.side), dice(hello.seed) {}

    /// Where does the piece go?
    MoveAnswer answer_move(const MoveQuestion& question) {
        static const Move moves[] = {Move::N, Move::E, Move::S, Move::W};
        static const int down[] = {-1, 0, 1, 0}, right[] = {0, 1, 0, -1};
        std::map<std::pair<int, int>, char> seen;
        for (const Square& square : question.seen)
            seen[{square.row, square.col}] = square.letter;

        Move best = Move::X;
        double most = 0;
        for (int bit = 0; bit < 4; ++bit) {
            if (walls_around(question) >> bit & 1)
                continue;
            const int row = (question.row + down[bit] + side) % side;
            const int col = (question.col + right[bit] + side) % side;
            const auto there = seen.find({row, col});
            const int value = worth(there == seen.end() ? ' ' : there->second);
            const double score = value + std::uniform_real_distribution<>()(dice);
            if (value > 0 && score > most) {
                best = moves[bit];
                most = score;
            }
        }
        return {best};
    }

private:
    std::string walls;
    int side;
    std::mt19937_64 dice;

    /// A bit for each side of our square that is a wall: 1 north, 2 east, 4 south, 8 west.
    int walls_around(const MoveQuestion& question) const {
        return std::stoi(walls.substr(question.row * side + question.col, 1), nullptr, 16);
    }
};

int main() {
    koth::play<Mine>();
}
