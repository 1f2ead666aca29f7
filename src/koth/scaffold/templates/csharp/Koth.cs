// JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is Bot.cs.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

/// <summary>A JSON value: an object, a list, or a text, number or truth as it is written.</summary>
public sealed class Json
{
    private readonly object value;

    private Json(object value)
    {
        this.value = value;
    }

    /// <summary>The value of a key; null if it is not there.</summary>
    public Json this[string key]
    {
        get
        {
            Json found;
            ((Dictionary<string, Json>)value).TryGetValue(key, out found);
            return found;
        }
    }

    // A value as what it is known to be; each throws for other kinds.
    public bool IsObject { get { return value is Dictionary<string, Json>; } }
    public List<Json> Items { get { return (List<Json>)value; } }
    public string Text { get { return (string)value; } }
    public long Whole { get { return long.Parse(Text, CultureInfo.InvariantCulture); } }
    public double Real { get { return double.Parse(Text, CultureInfo.InvariantCulture); } }
    public bool Truth { get { return Text == "true"; } }

    /// <summary>Write texts, numbers, truths, null, lists, and dictionaries with any keys.</summary>
    public static string Written(object value)
    {
        if (value == null)
            return "null";
        if (value is bool)
            return (bool)value ? "true" : "false";
        if (value is string)
            return "\"" + ((string)value).Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";
        var pairs = value as IDictionary;
        if (pairs != null)
            return "{" + string.Join(",", pairs.Keys.Cast<object>().Select(key => Written(key.ToString()) + ":" + Written(pairs[key]))) + "}";
        if (value is IEnumerable)
            return "[" + string.Join(",", ((IEnumerable)value).Cast<object>().Select(Written)) + "]";
        return Convert.ToString(value, CultureInfo.InvariantCulture);
    }

    /// <summary>Read the value that begins at a place of a text, and move the place behind it.</summary>
    public static Json Read(string text, ref int at)
    {
        char first = Peek(text, ref at);
        if (first == '"')
            return new Json(String(text, ref at));
        if (first != '{' && first != '[')
        {
            int start = at;
            while (at < text.Length && ",]} \t\r\n".IndexOf(text[at]) < 0)
                at++;
            string word = text.Substring(start, at - start);
            return word == "null" ? null : new Json(word);
        }
        var members = new Dictionary<string, Json>();
        var items = new List<Json>();
        for (at++; Peek(text, ref at) != '}' && text[at] != ']';)
        {
            if (first == '{')
            {
                string key = String(text, ref at);
                members[key] = Read(text, ref at);
            }
            else
            {
                items.Add(Read(text, ref at));
            }
        }
        at++;
        return first == '{' ? new Json(members) : new Json(items);
    }

    /// <summary>Skip what separates values, and return the next character.</summary>
    private static char Peek(string text, ref int at)
    {
        while (" ,:\t\r\n".IndexOf(text[at]) >= 0)
            at++;
        return text[at];
    }

    private static string String(string text, ref int at)
    {
        var found = new StringBuilder();
        for (at++; text[at] != '"'; at++)
        {
            char letter = text[at];
            if (letter == '\\')
            {
                letter = text[++at];
                if (letter == 'u')
                {
                    letter = (char)Convert.ToInt32(text.Substring(at + 1, 4), 16);
                    at += 4;
                }
                else if ("nrtbf".IndexOf(letter) >= 0)
                {
                    letter = "\n\r\t\b\f"["nrtbf".IndexOf(letter)];
                }
            }
            found.Append(letter);
        }
        at++;
        return found.ToString();
    }
}

/// <summary>A bot for one match.</summary>
public interface IBot
{
    Dictionary<string, object> Answer(string name, Json question);
}

public static class Koth
{
    /// <summary>Play one match with a bot that is made of hello.</summary>
    public static void Play(Func<Json, IBot> newBot)
    {
        IBot bot = null;
        var utf8 = new UTF8Encoding(false);
        var input = new StreamReader(Console.OpenStandardInput(), utf8);
        var output = new StreamWriter(Console.OpenStandardOutput(), utf8) { AutoFlush = true, NewLine = "\n" };
        Console.SetOut(Console.Error); // what a bot prints is no answer
        for (string line = input.ReadLine(); line != null; line = input.ReadLine())
        {
            int at = 0;
            Json message = Json.Read(line, ref at);
            if (message["bye"] != null)
                return;
            var answer = new Dictionary<string, object> { { "ready", true } };
            if (message["hello"] != null)
            {
                bot = newBot(message["hello"]);
            }
            else
            {
                answer = bot.Answer(message["question"].Text, message);
                answer["ask"] = message["ask"].Whole;
            }
            output.WriteLine(Json.Written(answer));
        }
    }
}
