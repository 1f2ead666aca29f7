// A first bot: keep away from zombies, shoot the one that comes too near.
// koth reads stdout: print to stderr (std::cerr), which is kept for you.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// Somebody in sight, so many squares to the east and to the south.
struct Somebody {
    int dx, dy, number;
    int distance() const { return std::max(std::abs(dx), std::abs(dy)); }
};

static int sign(int n) {
    return (n > 0) - (n < 0);
}

// A move, or a shot at a zombie, of one of your 50 players.
static std::string act(int bullets, const std::vector<Somebody>& zombies) {
    static const char* const moves[3][3] = {
        {"NORTHWEST", "NORTH", "NORTHEAST"}, {"WEST", "STAY", "EAST"}, {"SOUTHWEST", "SOUTH", "SOUTHEAST"}};
    if (zombies.empty())
        return R"("STAY")";
    const auto nearest = *std::min_element(zombies.begin(), zombies.end(), [](const Somebody& a, const Somebody& b) {
        return a.distance() < b.distance();
    });
    if (nearest.distance() <= 2 && bullets > 0)
        return R"({"shoot": ["Zombie", )" + std::to_string(nearest.number) + "]}";
    return std::string("\"") + moves[1 - sign(nearest.dy)][1 - sign(nearest.dx)] + '"';
}

// --- JSON: no need to change this part.

// A value: a list's items, an object's members, or a text; numbers, true, false and null are texts as they are written.
struct Json {
    std::string text;
    std::vector<Json> items;
    std::map<std::string, Json> members;

    bool has(const std::string& key) const { return members.count(key) > 0; }
    const Json& operator[](const std::string& key) const { return members.at(key); }
    const Json& operator[](std::size_t place) const { return items.at(place); }
    int number() const { return std::stoi(text); }
};

Json read(std::istream& in) {
    Json value;
    char next = ' ';
    in >> next;
    if (next == '"') {
        while (in.get(next) && next != '"') {
            if (next == '\\')
                in.get(next);
            value.text += next;
        }
    } else if (next == '[' || next == '{') {
        const bool is_object = next == '{';
        while (in >> next && next != ']' && next != '}') {
            if (next != ',')
                in.unget();
            if (is_object) {
                const std::string key = read(in).text;
                in >> next; // the colon
                value.members[key] = read(in);
            } else {
                value.items.push_back(read(in));
            }
        }
    } else {
        for (; in && std::strchr(",]} \n", next) == nullptr; in.get(next))
            value.text += next;
        in.unget();
    }
    return value;
}

// ---

// All that is asked in a turn: a move for each player.
static std::string answer(const Json& question) {
    std::string moves;
    for (const Json& player : question["players"].items) {
        std::vector<Somebody> zombies;
        for (const Json& one : player["seen"].items) // [dx, dy, name, number]
            if (one[2].text == "Zombie")
                zombies.push_back({one[0].number(), one[1].number(), one[3].number()});
        moves += (moves.empty() ? "\"" : ", \"") + player["number"].text + "\": " + act(player["bullets"].number(), zombies);
    }
    return R"({"ask": )" + question["ask"].text + R"(, "moves": {)" + moves + "}}";
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream text(line);
        const Json message = read(text);
        if (message.has("bye"))
            return 0;
        if (message.has("hello")) // message["hello"] has what holds for the whole match
            std::cout << R"({"ready": true})" << std::endl;
        else
            std::cout << answer(message) << std::endl;
    }
}
