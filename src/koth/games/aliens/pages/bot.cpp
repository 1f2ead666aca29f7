// A first bot: walks up to prey, and fights what looks weaker.
//
// What it is told and may answer stands in koth.hpp. Print to stderr (std::cerr): koth reads stdout.

#include "koth.hpp"

using namespace koth;

/// The move so far to the east and to the south.
Move towards(int dx, int dy) {
    static const Move moves[3][3] = {
        {Move::Northwest, Move::North, Move::Northeast},
        {Move::West, Move::Stay, Move::East},
        {Move::Southwest, Move::South, Move::Southeast},
    };
    const auto place = [](int number) { return 1 + (number > 0) - (number < 0); };
    return moves[place(dy)][place(dx)];
}

/// Towards prey in sight, if there is some: fields[sight][sight] is where the alien stands.
std::optional<Move> prey(const Alien& alien) {
    const int size = static_cast<int>(alien.fields.size());
    for (int x = 0; x < size; ++x)
        for (int y = 0; y < size; ++y) {
            const bool eatable = std::string("WTEH").find(alien.fields[x][y]) != std::string::npos;
            if (eatable && (x != alien.sight || y != alien.sight))
                return towards(x - alien.sight, y - alien.sight);
        }
    return std::nullopt;
}

class Mine {
public:
    explicit Mine(const Hello& hello) : dice(hello.seed) {}

    /// Life, strength, defense, vision, cleverness: at most 10 together, for each instance.
    PointsAnswer answer_points(const PointsQuestion& question) {
        PointsAnswer answer;
        for (const int number : question.instances)
            answer.points[number] = {3, 4, 0, 3, 0};
        return answer;
    }

    /// Where does each living instance go this round?
    MoveAnswer answer_move(const MoveQuestion& question) {
        MoveAnswer answer;
        for (const Alien& alien : question.aliens)
            answer.moves[alien.number] = prey(alien).value_or(all_move[dice() % all_move.size()]);
        return answer;
    }

    /// Who wants to fight? Levels are life, strength, defense, vision, cleverness; an enemy's look higher than
    /// they are.
    MeetAnswer answer_meet(const MeetQuestion& question) {
        MeetAnswer answer;
        for (const Meeting& alien : question.aliens)
            answer.fights[alien.number] = alien.enemy[1] < alien.levels[1] && alien.enemy[0] < 10;
        return answer;
    }

private:
    std::mt19937_64 dice;
};

int main() {
    koth::play<Mine>();
}
