// JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is Bot.cs.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

/// <summary>A JSON value out of a message.</summary>
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

    public Json this[int place] { get { return Items[place]; } }
    public List<Json> Items { get { return (List<Json>)value; } }
    public bool IsObject { get { return value is Dictionary<string, Json>; } }
    public bool IsText { get { return value is string; } }
    public string Text { get { return (string)value; } }
    public bool Truth { get { return (bool)value; } }
    public long Long { get { return Convert.ToInt64(value); } }
    public int Int { get { return Convert.ToInt32(value); } }
    public double Real { get { return Convert.ToDouble(value); } }

    public static Json Parse(string text)
    {
        int at = 0;
        return Value(text, ref at);
    }

    /// <summary>Texts, numbers, truths, null, lists, and dictionaries with any keys, as JSON.</summary>
    public static string Written(object value)
    {
        if (value == null)
            return "null";
        if (value is bool)
            return (bool)value ? "true" : "false";
        if (value is string)
            return Quoted((string)value);
        if (value is IDictionary)
        {
            var pairs = ((IDictionary)value).Keys.Cast<object>();
            return "{" + string.Join(",", pairs.Select(key => Pair(key, ((IDictionary)value)[key]))) + "}";
        }
        if (value is IEnumerable)
            return "[" + string.Join(",", ((IEnumerable)value).Cast<object>().Select(Written)) + "]";
        return Convert.ToString(value, CultureInfo.InvariantCulture);
    }

    private static string Pair(object key, object value)
    {
        return Quoted(key.ToString()) + ":" + Written(value);
    }

    private static string Quoted(string text)
    {
        return "\"" + text.Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";
    }

    private static char Peek(string text, ref int at)
    {
        while (char.IsWhiteSpace(text[at]))
            at++;
        return text[at];
    }

    private static Json Value(string text, ref int at)
    {
        char first = Peek(text, ref at);
        if (first == '"')
            return new Json(String(text, ref at));
        if (first != '{' && first != '[')
            return new Json(Word(text, ref at));
        var members = new Dictionary<string, Json>();
        var items = new List<Json>();
        for (at++; Peek(text, ref at) != '}' && text[at] != ']';)
        {
            if (first == '{')
            {
                string key = String(text, ref at);
                Peek(text, ref at);
                at++; // the colon
                members[key] = Value(text, ref at);
            }
            else
            {
                items.Add(Value(text, ref at));
            }
            if (Peek(text, ref at) == ',')
            {
                at++;
                Peek(text, ref at);
            }
        }
        at++;
        return first == '{' ? new Json(members) : new Json(items);
    }

    private static object Word(string text, ref int at)
    {
        int start = at;
        while (at < text.Length && ",]} \t\r\n".IndexOf(text[at]) < 0)
            at++;
        string word = text.Substring(start, at - start);
        if (word == "true" || word == "false")
            return word == "true";
        if (word == "null")
            return null;
        long whole;
        if (long.TryParse(word, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out whole))
            return whole;
        return double.Parse(word, CultureInfo.InvariantCulture);
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

/// <summary>A bot for one match: made of what it is told first, it answers each question by its name.</summary>
public interface IBot
{
    Dictionary<string, object> Answer(string name, Json question);
}

public static class Koth
{
    /// <summary>Plays one match, from koth's hello to its goodbye.</summary>
    public static void Play(Func<Json, IBot> newBot)
    {
        IBot bot = null;
        var utf8 = new UTF8Encoding(false);
        var input = new StreamReader(Console.OpenStandardInput(), utf8);
        var output = new StreamWriter(Console.OpenStandardOutput(), utf8) { AutoFlush = true, NewLine = "\n" };
        Console.SetOut(Console.Error); // what a bot prints is no answer
        for (string line = input.ReadLine(); line != null; line = input.ReadLine())
        {
            Json message = Json.Parse(line);
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
                answer["ask"] = message["ask"].Long;
            }
            output.WriteLine(Json.Written(answer));
        }
    }
}
