// «title»: a first bot, which plays anything that is allowed.
//
// This page is all there is to write.
// What it is told and may answer stands in koth.hpp. Print to stderr (std::cerr): koth reads stdout.

#include "koth.hpp"

using namespace koth;

class Mine {
public:
    explicit Mine(const Hello& hello) : hello(hello), dice(hello.seed) {}
<% for each in asked %>

    /// «each.doc»
    «each.answer.name» «method(each)»(const «each.question.name»&«" question" if each.units») {
        «each.answer.name» answer;
<% for member in each.answer.members %>
<% if kind(member.shape) == "ByNumber" %>
        for (const auto& «unit(each)» : question.«field(each.units.key)»)
            answer.«field(member.key)»[«unit(each)»«"." + field(each.label) if each.label»] = «value(member.shape.value, each.example[member.key].values()|first)»;
<% else %>
        answer.«field(member.key)» = «value(member.shape, each.example[member.key])»;
<% endif %>
<% endfor %>
        return answer;
    }
<% endfor %>

private:
    Hello hello;
    std::mt19937_64 dice;
};

int main() {
    koth::play<Mine>();
}
