// A first bot: walks up to prey, and fights what looks weaker.
// koth reads stdout: print to stderr (std::cerr), which is kept for you.

#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// Points for life, strength, defense, vision and cleverness of an instance: at most 10 together.
static const char* points() {
    return "[3, 4, 0, 3, 0]";
}

static int sign(int n) {
    return (n > 0) - (n < 0);
}

// Where an instance goes: fields[sight][sight] is where it stands, fields[sight + 1][sight] the square to the east.
static std::string move(int number, int sight, const std::vector<std::string>& fields) {
    static const char* const moves[3][3] = {
        {"NORTHWEST", "NORTH", "NORTHEAST"}, {"WEST", "STAY", "EAST"}, {"SOUTHWEST", "SOUTH", "SOUTHEAST"}};
    for (int x = 0; x <= 2 * sight; x++)
        for (int y = 0; y <= 2 * sight; y++)
            if (std::strchr("WTEH", fields[x][y]) && (x != sight || y != sight))
                return moves[1 + sign(y - sight)][1 + sign(x - sight)];
    return moves[number % 2 * 2][number % 3]; // straight on, each its own way
}

// Whether an instance of this strength wants to fight; each level of its enemy may look higher than it is.
static bool fights(int own_strength, int life, int strength) {
    return strength < own_strength && life < 10;
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

// All that is asked at once: an answer for each instance, by its number.
static std::string answer(const Json& question) {
    const std::string name = question["question"].text;
    std::map<std::string, std::string> chosen;
    if (name == "points")
        for (const Json& number : question["instances"].items)
            chosen[number.text] = points();
    else
        for (const Json& alien : question["aliens"].items) {
            if (name == "move") {
                std::vector<std::string> fields;
                for (const Json& column : alien["fields"].items)
                    fields.push_back(column.text);
                chosen[alien["number"].text] = '"' + move(alien["number"].number(), alien["sight"].number(), fields) + '"';
            } else {
                const Json& enemy = alien["enemy"]; // life, strength, defense, vision
                const bool fight = fights(alien["levels"][1].number(), enemy[0].number(), enemy[1].number());
                chosen[alien["number"].text] = fight ? "true" : "false";
            }
        }
    std::string members;
    for (const auto& [number, said] : chosen)
        members += (members.empty() ? "\"" : ", \"") + number + "\": " + said;
    const std::string key = name == "points" ? "points" : name == "move" ? "moves" : "fights";
    return R"({"ask": )" + question["ask"].text + ", \"" + key + "\": {" + members + "}}";
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
