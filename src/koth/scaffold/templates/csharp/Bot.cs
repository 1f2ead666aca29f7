// «title»: a first bot, whose answers are legal and drawn at random. Write better ones.

using System;
using System.Collections.Generic;
using System.Linq;

/// <summary>A bot in one match. What it prints is kept for its author.</summary>
public sealed class Bot : IBot
{
    «choices»
    private readonly Json hello;
    private readonly Random dice;

    public Bot(Json hello)
    {
        // What holds for the whole match:
        //   «hello»
        this.hello = hello;
        dice = new Random((int)(hello["seed"].Whole % int.MaxValue));
    }

    public Dictionary<string, object> Answer(string name, Json question)
    {
        switch (name)
        {
«questions»
            case "«name»":
                // «about»
                return «answer»;
«end»
            default:
                throw new ArgumentException("no question of this game: " + name);
        }
    }

    private T Pick<T>(T[] values)
    {
        return values[dice.Next(values.Length)];
    }

    public static void Main()
    {
        Koth.Play(hello => new Bot(hello));
    }
}
