// «title»: what a bot is told and may answer, as types, and the loop of messages.
//
// Made by `koth new` from the game's declaration. It need not be changed: the page to write is bot.cpp.

#pragma once

#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace koth {

// --- what is told and answered
<% for shape in named %>

<% for line in doc(shape) %>
/// «line»
<% endfor %>
<% if kind(shape) == "Enum" %>
enum class «shape.name» {
<% for value in shape.values %>
    «pascal(value)»,
<% endfor %>
};

/// All of them.
inline constexpr std::array<«shape.name», «shape.values|length»> all_«snake(shape.name)»{
<% for value in shape.values %>
    «shape.name»::«pascal(value)»,
<% endfor %>
};

/// What it is called in messages.
inline std::string name(«shape.name» value) {
    static const char* const names[] = {
<% for value in shape.values %>
        "«value»",
<% endfor %>
    };
    return names[static_cast<std::size_t>(value)];
}
<% elif kind(shape) == "Record" %>
struct «shape.name» {
<% for member in shape.members %>
<% if member.doc %>
    /// «sentence(member.doc)»
<% endif %>
    «type(member.shape)» «field(member.key)»{};
<% endfor %>
};
<% else %>
using «shape.name» = std::variant<
<%- for case in shape.cases %>«", " if not loop.first»«type(case.shape)»<% endfor %>
>;
<% endif %>
<% endfor %>

// --- JSON

/// A JSON value.
class Json {
public:
    enum class Kind { Null, Boolean, Number, String, Array, Object };

    Kind kind = Kind::Null;
    std::string text;                                  // of a string; of a number its digits; "true" or "false"
    std::vector<Json> items;                           // of an array
    std::vector<std::pair<std::string, Json>> members; // of an object

    static Json parse(const std::string& line) {
        std::size_t at = 0;
        return value(line, at);
    }

    bool has(const std::string& key) const { return (*this)[key].kind != Kind::Null; }

    const Json& operator[](const std::string& key) const {
        static const Json nothing;
        for (const auto& [name, value] : members)
            if (name == key)
                return value;
        return nothing;
    }

private:
    static char peek(const std::string& line, std::size_t& at) {
        at = line.find_first_not_of(" \t\r\n", at);
        if (at == std::string::npos)
            throw std::runtime_error("the message ends too early: " + line);
        return line[at];
    }

    static Json value(const std::string& line, std::size_t& at) {
        Json found;
        const char first = peek(line, at);
        if (first == '{' || first == '[') {
            found.kind = first == '{' ? Kind::Object : Kind::Array;
            for (++at; peek(line, at) != '}' && line[at] != ']';) {
                std::string key;
                if (first == '{') {
                    key = string(line, at);
                    peek(line, at);
                    ++at; // the colon
                    found.members.emplace_back(key, value(line, at));
                } else {
                    found.items.push_back(value(line, at));
                }
                if (peek(line, at) == ',') {
                    ++at;
                    peek(line, at);
                }
            }
            ++at;
        } else if (first == '"') {
            found.kind = Kind::String;
            found.text = string(line, at);
        } else {
            const std::size_t start = at;
            at = line.find_first_of(",]} \t\r\n", at);
            found.text = line.substr(start, at == std::string::npos ? at : at - start);
            const bool boolean = found.text == "true" || found.text == "false";
            found.kind = boolean ? Kind::Boolean : found.text == "null" ? Kind::Null : Kind::Number;
        }
        return found;
    }

    static std::string string(const std::string& line, std::size_t& at) {
        std::string found;
        for (++at; line.at(at) != '"'; ++at) {
            if (line[at] != '\\') {
                found += line[at];
                continue;
            }
            switch (line.at(++at)) {
            case 'n': found += '\n'; break;
            case 't': found += '\t'; break;
            case 'r': found += '\r'; break;
            case 'b': found += '\b'; break;
            case 'f': found += '\f'; break;
            case 'u': // koth writes only control characters so
                found += static_cast<char>(std::stoi(line.substr(at + 1, 4), nullptr, 16));
                at += 4;
                break;
            default: found += line[at];
            }
        }
        ++at;
        return found;
    }
};

inline void read(const Json& json, int& value) { value = std::stoi(json.text); }
inline void read(const Json& json, std::int64_t& value) { value = std::stoll(json.text); }
inline void read(const Json& json, double& value) { value = std::stod(json.text); }
inline void read(const Json& json, bool& value) { value = json.text == "true"; }
inline void read(const Json& json, std::string& value) { value = json.text; }
inline void read(const Json& json, char& value) { value = json.text.at(0); }
<% for shape in named if shape.name in told %>
inline void read(const Json& json, «shape.name»& value);
<% endfor %>

template <class T> void read(const Json& json, std::vector<T>& value) {
    value.resize(json.items.size());
    for (std::size_t i = 0; i < value.size(); ++i)
        read(json.items[i], value[i]);
}

template <class T> void read(const Json& json, std::optional<T>& value) {
    if (json.kind == Json::Kind::Null)
        value.reset();
    else
        read(json, value.emplace());
}
<% for shape in named if shape.name in told %>

inline void read(const Json& json, «shape.name»& value) {
<% if kind(shape) == "Enum" %>
    for (const «shape.name» one : all_«snake(shape.name)»)
        if (name(one) == json.text)
            value = one;
<% elif kind(shape) == "Record" %>
<% for member in shape.members %>
    read(json«".items.at(%d)" % loop.index0 if shape.row else '["%s"]' % member.key», value.«field(member.key)»);
<% endfor %>
<% else %>
    switch (json.kind) {
<% for case in shape.cases %>
    case Json::Kind::«pascal(in_json(case.shape))»: read(json, value.emplace<«loop.index0»>()); break;
<% endfor %>
    default: throw std::runtime_error("no «shape.name»: " + json.text);
    }
<% endif %>
}
<% endfor %>

inline void write(std::ostream& out, int value) { out << value; }
inline void write(std::ostream& out, std::int64_t value) { out << value; }
inline void write(std::ostream& out, double value) { out << value; }
inline void write(std::ostream& out, bool value) { out << (value ? "true" : "false"); }

inline void write(std::ostream& out, const std::string& value) {
    out << '"';
    for (const char letter : value) {
        if (letter == '"' || letter == '\\')
            out << '\\';
        out << letter;
    }
    out << '"';
}
<% for shape in named if shape.name in said and kind(shape) != "Choice" %>
inline void write(std::ostream& out, const «shape.name»& value);
<% endfor %>

template <class T> void write(std::ostream& out, const std::vector<T>& value) {
    out << '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
        out << (i ? "," : "");
        write(out, value[i]);
    }
    out << ']';
}

template <class T> void write(std::ostream& out, const std::optional<T>& value) {
    if (value)
        write(out, *value);
    else
        out << "null";
}

template <class... T> void write(std::ostream& out, const std::variant<T...>& value) {
    std::visit([&out](const auto& one) { write(out, one); }, value);
}

template <class T> void write(std::ostream& out, const std::map<int, T>& value) {
    const char* before = "{";
    for (const auto& [number, one] : value) {
        out << before << '"' << number << "\":";
        write(out, one);
        before = ",";
    }
    out << (value.empty() ? "{}" : "}");
}
<% for shape in named if shape.name in said and kind(shape) != "Choice" %>

inline void write(std::ostream& out, const «shape.name»& value) {
<% if kind(shape) == "Enum" %>
    write(out, name(value));
<% else %>
<% for member in shape.members %>
<% if shape.row %>
    out << '«"[" if loop.first else ","»';
<% else %>
    out << "«'{' if loop.first and shape.name not in answers else ','»\"«member.key»\":";
<% endif %>
    write(out, value.«field(member.key)»);
<% endfor %>
    out << '«"]" if shape.row else "}"»';
<% endif %>
}
<% endfor %>

// --- a match

/// Plays one match, from koth's hello to its goodbye. A Bot is made of a Hello, and answers each question.
template <class Bot> void play() {
    std::optional<Bot> bot;
    std::string line;
    while (std::getline(std::cin, line)) {
        const Json message = Json::parse(line);
        std::ostringstream out;
        out.precision(17);
        if (message.has("hello")) {
            Hello hello;
            read(message["hello"], hello);
            bot.emplace(hello);
            out << "{\"ready\":true}";
<% for each in asked %>
        } else if (message["question"].text == "«each.name»") {
            «each.question.name» question;
            read(message, question);
            out << "{\"ask\":" << message["ask"].text;
            write(out, bot.value().«method(each)»(question));
<% endfor %>
        } else if (message.has("bye")) {
            return;
        } else {
            throw std::runtime_error("no question of this game: " + line);
        }
        std::cout << out.str() << std::endl;
    }
}

} // namespace koth
