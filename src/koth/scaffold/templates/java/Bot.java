// «title»: a first bot, which plays anything that is allowed.
//
// This page is all there is to write.
// What it is told and may answer stands in Koth.java. What it prints is kept for you, and no answer.

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

public final class Bot extends Koth {
    private Random dice;

    @Override
    protected void begin() {
        dice = new Random(hello.seed());
    }
<% for each in asked %>

    /** «each.doc» */
    @Override
    protected «each.answer.name» «method(each)»(«each.question.name» question) {
<% for member in each.answer.members if kind(member.shape) == "ByNumber" %>
        «type(member.shape)» «field(member.key)» = new TreeMap<>();
        for («type(each.units.shape.item)» «unit(each)» : question.«field(each.units.key)»()) {
            «field(member.key)».put(«unit(each)»«".%s()" % field(each.label) if each.label», «value(member.shape.value, each.example[member.key].values()|first)»);
        }
<% endfor %>
        return new «each.answer.name»(
<%- for member in each.answer.members -%>
<% if not loop.first %>, <% endif -%>
<% if kind(member.shape) == "ByNumber" %>«field(member.key)»<% else %>«value(member.shape, each.example[member.key])»<% endif -%>
<% endfor -%>
);
    }
<% endfor %>

    private <T> T pick(T[] all) {
        return all[dice.nextInt(all.length)];
    }

    public static void main(String[] arguments) throws IOException {
        new Bot().play();
    }
}
