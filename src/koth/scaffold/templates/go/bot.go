// «title»: a first bot, whose answers are legal and drawn at random. Write better ones.

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
)

// JSON: an object is a map, a list a []any, a number a float64.
type object = map[string]any

«choices»

// bot plays one match. koth reads stdout: print to stderr (println does).
type bot struct {
	hello object
	dice  *rand.Rand
}

func newBot(hello object) *bot {
	// What holds for the whole match:
	//   «hello»
	return &bot{hello, rand.New(rand.NewSource(int64(hello["seed"].(float64) / 2)))}
}

func (b *bot) answer(question object) object {
	switch question["question"] {
«questions»
	case "«name»":
		// «about»
		return «answer»
«end»
	}
	panic(fmt.Sprint("no question of this game: ", question["question"]))
}

func (b *bot) pick(values []any) any {
	return values[b.dice.Intn(len(values))]
}

// each makes an answer for each unit of a list, by the unit's number.
func each(units any, number func(unit any) any, answer func() any) object {
	answers := object{}
	for _, unit := range units.([]any) {
		answers[fmt.Sprint(number(unit))] = answer()
	}
	return answers
}

func main() {
	var mine *bot
	out := json.NewEncoder(os.Stdout)
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	for {
		var message object
		if in.Decode(&message) != nil || message["bye"] != nil {
			return
		}
		answer := object{"ready": true}
		if hello, ok := message["hello"].(object); ok {
			mine = newBot(hello)
		} else {
			answer = mine.answer(message)
			answer["ask"] = message["ask"]
		}
		if err := out.Encode(answer); err != nil {
			panic(err)
		}
	}
}
