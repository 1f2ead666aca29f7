// JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is bot.cpp.

#pragma once

#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// A JSON value.
class Json {
public:
    enum class Kind { Null, Word, Text, List, Object };

    Kind kind = Kind::Null;
    std::string text;              ///< a text; a number, true or false as it is written
    std::vector<std::string> keys; ///< of an object
    std::vector<Json> items;       ///< of a list; of an object those of its keys

    Json() = default;
    Json(const char* text) : kind(Kind::Text), text(text) {}
    Json(std::string text) : kind(Kind::Text), text(std::move(text)) {}
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> Json(T number) : kind(Kind::Word) {
        std::ostringstream out;
        out.precision(17);
        out << std::boolalpha << number;
        text = out.str();
    }

    static Json list(std::vector<Json> items) {
        Json made;
        made.kind = Kind::List;
        made.items = std::move(items);
        return made;
    }

    static Json object(const std::vector<std::pair<std::string, Json>>& members) {
        Json made;
        made.kind = Kind::Object;
        for (const auto& [key, value] : members)
            made.add(key, value);
        return made;
    }

    // A value as a whole number, any number, or a truth; texts are in `text`, and message["key"] throws without the key.
    long long whole() const { return std::stoll(text); }
    double real() const { return std::stod(text); }
    bool truth() const { return text == "true"; }
    bool has(const std::string& key) const { return find(key) != nullptr; }

    const Json& operator[](const std::string& key) const {
        if (const Json* found = find(key))
            return *found;
        throw std::runtime_error("no " + key + " in " + written());
    }

    void add(const std::string& key, Json value) {
        keys.push_back(key);
        items.push_back(std::move(value));
    }

    std::string written() const {
        if (kind == Kind::Null || kind == Kind::Word)
            return kind == Kind::Null ? "null" : text;
        if (kind == Kind::Text)
            return quoted(text);
        std::string out;
        for (std::size_t i = 0; i < items.size(); ++i)
            out += (i ? "," : "") + (kind == Kind::List ? "" : quoted(keys[i]) + ":") + items[i].written();
        return kind == Kind::List ? "[" + out + "]" : "{" + out + "}";
    }

    /// Read the value that begins at a place of a JSON text, and move the place behind it.
    static Json read(const std::string& line, std::size_t& at) {
        Json found;
        at = line.find_first_not_of(" ,:\t\r\n", at);
        const char first = line.at(at);
        if (first == '"') {
            return string(line, at);
        } else if (first == '{' || first == '[') {
            found.kind = first == '{' ? Kind::Object : Kind::List;
            for (++at; at = line.find_first_not_of(" ,\t\r\n", at), line.at(at) != '}' && line[at] != ']';) {
                if (first == '{')
                    found.keys.push_back(string(line, at));
                found.items.push_back(read(line, at));
            }
            ++at;
        } else {
            const std::size_t start = at;
            at = line.find_first_of(",]} \t\r\n", at);
            found.text = line.substr(start, at - start);
            found.kind = found.text == "null" ? Kind::Null : Kind::Word;
        }
        return found;
    }

private:
    const Json* find(const std::string& key) const {
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (keys[i] == key)
                return &items[i];
        return nullptr;
    }

    static std::string quoted(const std::string& text) {
        std::string out = "\"";
        for (const char letter : text)
            out += letter == '"' || letter == '\\' ? std::string{'\\', letter} : std::string{letter};
        return out + '"';
    }

    static std::string string(const std::string& line, std::size_t& at) {
        std::string found;
        for (++at; line.at(at) != '"'; ++at) {
            if (line[at] != '\\') {
                found += line[at];
            } else if (line.at(++at) == 'u') { // koth writes only control characters so
                found += static_cast<char>(std::stoi(line.substr(at + 1, 4), nullptr, 16));
                at += 4;
            } else {
                const char* escape = std::strchr("n\nr\rt\tb\bf\f", line[at]);
                found += escape ? escape[1] : line[at];
            }
        }
        ++at;
        return found;
    }
};

/// Make an answer for each unit of a list, by the unit's number.
template <class Number, class Answer> Json each(const Json& units, Number number, Answer answer) {
    Json answers = Json::object({});
    for (const Json& unit : units.items)
        answers.add(number(unit).text, answer());
    return answers;
}

/// Play one match with a Bot that is made of hello.
template <class Bot> void play() {
    std::unique_ptr<Bot> bot;
    for (std::string line; std::getline(std::cin, line);) {
        std::size_t at = 0;
        const Json message = Json::read(line, at);
        Json answer = Json::object({{"ready", true}});
        if (message.has("bye"))
            return;
        if (message.has("hello")) {
            bot = std::make_unique<Bot>(message["hello"]);
        } else {
            answer = bot->answer(message["question"].text, message);
            answer.add("ask", message["ask"]);
        }
        std::cout << answer.written() << std::endl;
    }
}
