// A first bot: walks up to prey, and fights what looks weaker.
// koth reads stdout: print to stderr (println does), which is kept for you.

package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
)

var moves = [3][3]string{{"NORTHWEST", "NORTH", "NORTHEAST"}, {"WEST", "STAY", "EAST"}, {"SOUTHWEST", "SOUTH", "SOUTHEAST"}}

// message is everything that koth says.
type message struct {
	Hello     *struct{ Points int } // what holds for the whole match
	Bye       bool
	Ask       int
	Question  string
	Instances []int
	Aliens    []alien
}

// alien is one of your instances; Fields are columns of what it sees, Enemy what it sees of whom it meets.
type alien struct {
	Number, Hp, Sight int
	Levels            [5]int // life, strength, defense, vision, cleverness
	Fields            []string
	Enemy             [4]int // life, strength, defense, vision: each may look higher than it is
}

// points returns an instance's points for its abilities: at most 10 together.
func points() []float64 { return []float64{3, 4, 0, 3, 0} }

// move walks up to prey; Fields[Sight][Sight] is where it stands, Fields[Sight+1][Sight] the square to the east.
func move(a alien) string {
	for x, column := range a.Fields {
		for y, letter := range column {
			if strings.ContainsRune("WTEH", letter) && (x != a.Sight || y != a.Sight) {
				return moves[1+sign(y-a.Sight)][1+sign(x-a.Sight)]
			}
		}
	}
	return moves[a.Number%2*2][a.Number%3] // straight on, each its own way
}

func fights(a alien) bool { return a.Enemy[1] < a.Levels[1] && a.Enemy[0] < 10 }

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}

func main() {
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var told message
		if in.Decode(&told) != nil || told.Bye {
			return
		}
		if told.Hello != nil {
			out.Encode(map[string]bool{"ready": true})
			continue
		}
		chosen := map[int]any{}
		for _, number := range told.Instances {
			chosen[number] = points()
		}
		for _, one := range told.Aliens {
			if told.Question == "move" {
				chosen[one.Number] = move(one)
			} else {
				chosen[one.Number] = fights(one)
			}
		}
		key := map[string]string{"points": "points", "move": "moves", "meet": "fights"}[told.Question]
		out.Encode(map[string]any{"ask": told.Ask, key: chosen})
	}
}
