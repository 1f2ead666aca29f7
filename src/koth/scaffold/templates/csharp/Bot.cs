// «title»: a first bot, which plays anything that is allowed.
//
// This page is all there is to write.
// What can be asked of a Json stands in Koth.cs. What the bot prints is kept for you, and no answer.

using System;
using System.Collections.Generic;

public sealed class Bot : IBot
{
<% for shape in picked %>
    private static readonly string[] «pascal(shape.name)»s =
    {
<% for value in shape.values %>
        "«value»",
<% endfor %>
    };

<% endfor %>
    private readonly Json hello;
    private readonly Random dice;

    /// <summary>
    /// hello tells what is the same for the whole match:
    /// <code>
<% for row in match_info %>
    /// «xml(row)»
<% endfor %>
    /// </code>
    /// </summary>
    public Bot(Json hello)
    {
        this.hello = hello;
        dice = new Random((int)(hello["seed"].Long % int.MaxValue));
    }

    public Dictionary<string, object> Answer(string name, Json question)
    {
        switch (name)
        {
<% for each in asked %>
            case "«each.name»": return «method(each)»(question);
<% endfor %>
            default: throw new ArgumentException("no question of this game: " + name);
        }
    }
<% for each in asked %>

    /// <summary>
    /// «xml(each.doc)»
<% for title, rows in tables(each) %>
    /// «title»:
    /// <code>
<% for row in rows %>
    /// «xml(row)»
<% endfor %>
    /// </code>
<% endfor %>
    /// </summary>
    private Dictionary<string, object> «method(each)»(Json question)
    {
        var answer = new Dictionary<string, object>();
<% for member in each.answer.members %>
<% if kind(member.shape) == "ByNumber" %>
        var «field(member.key)» = new Dictionary<int, object>();
        foreach (Json «unit(each)» in question["«each.units.key»"].Items)
            «field(member.key)»[«unit(each)»«'["%s"]' % each.label if each.label».Int] = «value(member.shape.value, each.example[member.key].values()|first)»;
        answer["«member.key»"] = «field(member.key)»;
<% else %>
        answer["«member.key»"] = «value(member.shape, each.example[member.key])»;
<% endif %>
<% endfor %>
        return answer;
    }
<% endfor %>

    private T Pick<T>(T[] all)
    {
        return all[dice.Next(all.Length)];
    }

    public static void Main()
    {
        Koth.Play(hello => new Bot(hello));
    }
}
