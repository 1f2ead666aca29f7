// A first bot: keeps away from zombies, and shoots the one that comes too near.
//
// What it is told and may answer stands in koth.hpp. Print to stderr (std::cerr): koth reads stdout.

#include "koth.hpp"

#include <algorithm>
#include <cstdlib>

using namespace koth;

/// dx grows to the east, dy to the south.
int distance(const Somebody& who) {
    return std::max(std::abs(who.dx), std::abs(who.dy));
}

Step away(int dx, int dy) {
    static const Step steps[3][3] = {
        {Step::Southeast, Step::South, Step::Southwest},
        {Step::East, Step::Stay, Step::West},
        {Step::Northeast, Step::North, Step::Northwest},
    };
    const auto place = [](int number) { return 1 + (number > 0) - (number < 0); };
    return steps[place(dy)][place(dx)];
}

/// What one player does.
Move decide(const Player& player) {
    const Somebody* nearest = nullptr;
    for (const Somebody& who : player.seen)
        if (who.name == "Zombie" && (!nearest || distance(who) < distance(*nearest)))
            nearest = &who;
    if (!nearest)
        return Step::Stay;
    if (distance(*nearest) <= 2 && player.bullets > 0)
        return Shoot{Target{nearest->name, nearest->number}};
    return away(nearest->dx, nearest->dy);
}

class Mine {
public:
    explicit Mine(const Hello&) {}

    /// What does each living player do this turn?
    ActAnswer answer_act(const ActQuestion& question) {
        ActAnswer answer;
        for (const Player& player : question.players)
            answer.moves[player.number] = decide(player);
        return answer;
    }
};

int main() {
    koth::play<Mine>();
}
