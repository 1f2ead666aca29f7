// A first bot: runs for the centre, and captures whoever comes within reach.
//
// What it is told and may answer stands in koth.hpp. Print to stderr (std::cerr): koth reads stdout.

#include "koth.hpp"

#include <algorithm>
#include <cstdlib>

using namespace koth;

using At = std::pair<int, int>; // a row and a column

/// Where a piece gets to, and the steps that lead there.
struct Way {
    At end;
    std::vector<Step> steps;
};

/// A quarter turn to the right, to see more in time.
Step turned(const Step& direction) {
    return {direction.column, -direction.row};
}

class Mine {
public:
    explicit Mine(const Hello& hello)
        : hello(hello), known(hello.rows, std::vector<int>(hello.columns, -1)) {}

    /// What do our two pieces do?
    ActAnswer answer_act(const ActQuestion& question) {
        look(question);
        const At spotter{question.spotter_location.row, question.spotter_location.column};
        const At assassin{question.assasin_location.row, question.assasin_location.column};
        // The spotter moves first. The two must not bump into each other while both live.
        std::optional<At> partner;
        if (question.assasin_alive)
            partner = assassin;
        const Way first = go(spotter, hello.spotter_steps, partner);
        partner.reset();
        if (question.spotter_alive)
            partner = first.end;
        const Way second = go(assassin, hello.assassin_steps, partner);
        return {
            {first.steps, turned(question.spotter_direction)},
            {second.steps, turned(question.assasin_direction)},
        };
    }

private:
    Hello hello;
    std::vector<std::vector<int>> known; // the map as far as seen: -1 unknown, 0 wall, 1 floor, 2 highground
    std::vector<At> enemies;

    /// Learns the map, and where enemies stand.
    void look(const ActQuestion& question) {
        enemies.clear();
        for (int r = 0; r < hello.rows; ++r)
            for (int c = 0; c < hello.columns; ++c) {
                const Square& square = question.board[r][c];
                int ground;
                if (const auto* enemy = std::get_if<Enemy>(&square)) {
                    enemies.emplace_back(r, c);
                    ground = enemy->square;
                } else {
                    ground = std::get<int>(square);
                }
                const int ring = std::min({r, c, hello.rows - 1 - r, hello.columns - 1 - c});
                if (ring < question.circles_collapsed)
                    ground = 0;
                if (ground != -1)
                    known[r][c] = ground;
            }
    }

    /// Onto an enemy if it can, else as near to the centre as it can.
    Way go(At start, int most, std::optional<At> blocked) const {
        const std::vector<Way> ways = reach(start, most, blocked);
        const auto score = [this](const Way& way) {
            if (std::find(enemies.begin(), enemies.end(), way.end) != enemies.end())
                return -1;
            return std::abs(way.end.first - hello.rows / 2) + std::abs(way.end.second - hello.columns / 2);
        };
        return *std::min_element(ways.begin(), ways.end(), [&score](const Way& one, const Way& other) {
            return score(one) < score(other);
        });
    }

    /// All squares within so many steps over known ground.
    std::vector<Way> reach(At start, int most, std::optional<At> blocked) const {
        static const Step steps[] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};
        std::vector<Way> ways{{start, {}}};
        for (std::size_t next = 0; next < ways.size(); ++next) {
            const Way from = ways[next];
            for (const Step& step : steps) {
                const At there{from.end.first + step.row, from.end.second + step.column};
                const bool seen = std::any_of(
                    ways.begin(), ways.end(), [&there](const Way& way) { return way.end == there; });
                if (static_cast<int>(from.steps.size()) == most || seen || !free(there) || blocked == there)
                    continue;
                Way longer{there, from.steps};
                longer.steps.push_back(step);
                ways.push_back(longer);
            }
        }
        return ways;
    }

    bool free(At at) const {
        const auto [row, column] = at;
        return row >= 0 && row < hello.rows && column >= 0 && column < hello.columns && known[row][column] > 0;
    }
};

int main() {
    koth::play<Mine>();
}
