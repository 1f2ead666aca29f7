// A first bot: run for the centre, capture whoever comes within reach.
// koth reads stdout: print to stderr (std::cerr), which is kept for you.

#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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

using Place = std::pair<int, int>; // a row and a column; a direction is a step: {1, 0} is down
using Ways = std::map<Place, std::vector<Place>>;

static const Place STEPS[] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};
static const int UNSEEN = -1, WALL = 0;

static Place place(const Json& pair) {
    return {pair[0].number(), pair[1].number()};
}

static std::string written(Place pair) {
    return "[" + std::to_string(pair.first) + ", " + std::to_string(pair.second) + "]";
}

class Bot {
public:
    explicit Bot(const Json& hello)
        : spotter_steps(hello["spotter_steps"].number()), assassin_steps(hello["assassin_steps"].number()),
          centre{hello["rows"].number() / 2, hello["columns"].number() / 2} {
        for (int row = 0; row < hello["rows"].number(); row++)
            for (int column = 0; column < hello["columns"].number(); column++)
                open.insert({row, column});
    }

    // All that is asked in a turn: what its two pieces do.
    std::string answer(const Json& question) {
        look(question["board"].items);
        home = search(centre, open.size(), nullptr);
        // The spotter moves first. While both live they are in each other's way.
        const Place spotter = place(question["spotter location"]), assassin = place(question["assasin location"]);
        const auto first = go(spotter, spotter_steps, question["assasin alive"].text == "true" ? &assassin : nullptr);
        const auto second = go(assassin, assassin_steps, question["spotter alive"].text == "true" ? &first.first : nullptr);
        return R"({"ask": )" + question["ask"].text + R"(, "Spotter": )" + orders(first.second, place(question["spotter direction"])) + R"(, "Assasin": )"
               + orders(second.second, place(question["assasin direction"])) + "}";
    }

private:
    const std::size_t spotter_steps, assassin_steps;
    const Place centre;
    std::set<Place> open; // what it has not seen may be open
    std::set<Place> enemies;
    Ways home;

    void look(const std::vector<Json>& board) {
        enemies.clear();
        for (int row = 0; row < int(board.size()); row++)
            for (int column = 0; column < int(board[row].items.size()); column++) {
                const Json& square = board[row][column];
                const bool is_enemy = square.has("playerId"); // {playerId, direction, type, square}
                const int ground = (is_enemy ? square["square"] : square).number();
                if (is_enemy)
                    enemies.insert({row, column});
                if (ground == WALL)
                    open.erase({row, column});
                else if (ground != UNSEEN)
                    open.insert({row, column});
            }
    }

    // The squares within reach, each with the steps to it.
    Ways search(Place from, std::size_t reach, const Place* blocked) const {
        Ways found = {{from, {}}};
        for (std::queue<Place> queue({from}); !queue.empty(); queue.pop())
            for (const Place& step : STEPS) {
                const Place next = {queue.front().first + step.first, queue.front().second + step.second};
                std::vector<Place> way = found[queue.front()];
                way.push_back(step);
                if (way.size() <= reach && open.count(next) && !found.count(next) && !(blocked && next == *blocked)) {
                    found[next] = way;
                    queue.push(next);
                }
            }
        return found;
    }

    // The way to an enemy within reach, else towards the centre: its end, and its steps.
    std::pair<Place, std::vector<Place>> go(Place from, std::size_t reach, const Place* blocked) const {
        const auto score = [this](Place there) {
            const auto rest = home.find(there);
            return enemies.count(there) ? -1 : rest == home.end() ? int(open.size()) : int(rest->second.size());
        };
        std::pair<Place, std::vector<Place>> best = {from, {}};
        for (const auto& way : search(from, reach, blocked))
            if (score(way.first) < score(best.first))
                best = way;
        return best;
    }

    // These steps, and a look around: a quarter turn clockwise.
    static std::string orders(const std::vector<Place>& steps, Place facing) {
        std::string moves;
        for (const Place& step : steps)
            moves += (moves.empty() ? "" : ", ") + written(step);
        return R"({"moves": [)" + moves + R"(], "direction": )" + written({facing.second, -facing.first}) + "}";
    }
};

int main() {
    std::optional<Bot> bot;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream text(line);
        const Json message = read(text);
        if (message.has("bye"))
            return 0;
        if (message.has("hello")) {
            bot.emplace(message["hello"]); // what holds for the whole match
            std::cout << R"({"ready": true})" << std::endl;
        } else {
            std::cout << bot->answer(message) << std::endl;
        }
    }
}
