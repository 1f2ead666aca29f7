// A first bot: eats what is next to it, walks on, and keeps off ghosts.
//
// What it is told and may answer stands in koth.go. Print to stderr (println does): koth reads stdout.

package main

import (
	"math/rand"
	"strconv"
)

// Mine plays one match.
type Mine struct {
	walls string // a hex digit a square, row by row: 1 north, 2 east, 4 south, 8 west
	side  int
	dice  *rand.Rand
}

var steps = []struct {
	move        Move
	down, right int
}{{MoveN, -1, 0}, {MoveE, 0, 1}, {MoveS, 1, 0}, {MoveW, 0, -1}}

// What a square is worth: pellet, power pellet, fruit, ghost; P is another Pac-Man, X nothing.
var worths = map[string]float64{"o": 10, "O": 50, "F": 100, "G": 0}

// AnswerMove says where the piece goes.
func (mine *Mine) AnswerMove(question MoveQuestion) MoveAnswer {
	seen := map[[2]int]string{}
	for _, square := range question.Seen {
		seen[[2]int{square.Row, square.Col}] = square.Letter
	}
	place := question.Row*mine.side + question.Col
	walls, _ := strconv.ParseInt(mine.walls[place:place+1], 16, 0)
	best, most := MoveX, 0.0
	for bit, step := range steps {
		if walls>>bit&1 == 1 {
			continue
		}
		there := [2]int{
			(question.Row + step.down + mine.side) % mine.side,
			(question.Col + step.right + mine.side) % mine.side,
		}
		worth, known := worths[seen[there]]
		if !known {
			worth = 1
		}
		if score := worth + mine.dice.Float64(); worth > 0 && score > most {
			best, most = step.move, score
		}
	}
	return MoveAnswer{best}
}

func main() {
	Play(func(hello Hello) Bot {
		return &Mine{hello.Walls, hello.Side, rand.New(rand.NewSource(hello.Seed))}
	})
}
