// «title»: a first bot, whose answers are legal and drawn at random. Write better ones.

#include "koth.hpp"

#include <random>

«choices»

/// A bot in one match. koth reads stdout: print to stderr (std::cerr).
class Bot {
public:
    explicit Bot(const Json& hello) : hello(hello), dice(hello["seed"].whole()) {
        // What holds for the whole match:
        //   «hello»
    }

    Json answer(const std::string& name, const Json& question) {
«questions»
        if (name == "«name»") {
            // «about»
            return «answer»;
        }
«end»
        throw std::runtime_error("no question of this game: " + question.written());
    }

private:
    Json hello;
    std::mt19937_64 dice;

    const Json& pick(const std::vector<Json>& values) { return values[dice() % values.size()]; }
};

int main() {
    play<Bot>();
}
