// A first bot: walks up to prey, and fights what looks weaker.
//
// What it is told and may answer stands in koth.go. Print to stderr (println does): koth reads stdout.

package main

import (
	"math/rand"
	"strings"
)

// Mine plays one match.
type Mine struct {
	dice *rand.Rand
}

// AnswerPoints gives life, strength, defense, vision, cleverness: at most 10 together, for each instance.
func (mine *Mine) AnswerPoints(question PointsQuestion) PointsAnswer {
	points := map[int][]float64{}
	for _, number := range question.Instances {
		points[number] = []float64{3, 4, 0, 3, 0}
	}
	return PointsAnswer{points}
}

// AnswerMove says where each living instance goes this round.
func (mine *Mine) AnswerMove(question MoveQuestion) MoveAnswer {
	moves := map[int]Move{}
	for _, alien := range question.Aliens {
		dx, dy, found := prey(alien)
		if !found {
			dx, dy = mine.dice.Intn(3)-1, mine.dice.Intn(3)-1
		}
		moves[alien.Number] = towards[[2]int{sign(dx), sign(dy)}]
	}
	return MoveAnswer{moves}
}

// AnswerMeet says who wants to fight. Levels are life, strength, defense, vision, cleverness; an enemy's look
// higher than they are.
func (mine *Mine) AnswerMeet(question MeetQuestion) MeetAnswer {
	fights := map[int]bool{}
	for _, alien := range question.Aliens {
		fights[alien.Number] = alien.Enemy[1] < alien.Levels[1] && alien.Enemy[0] < 10
	}
	return MeetAnswer{fights}
}

// prey says how far prey in sight is to the east and the south.
func prey(alien Alien) (dx, dy int, found bool) {
	for x, column := range alien.Fields {
		for y, letter := range column {
			dx, dy := x-alien.Sight, y-alien.Sight
			if strings.ContainsRune("WTEH", letter) && (dx != 0 || dy != 0) {
				return dx, dy, true
			}
		}
	}
	return 0, 0, false
}

var towards = map[[2]int]Move{
	{-1, -1}: MoveNorthwest, {0, -1}: MoveNorth, {1, -1}: MoveNortheast,
	{-1, 0}: MoveWest, {0, 0}: MoveStay, {1, 0}: MoveEast,
	{-1, 1}: MoveSouthwest, {0, 1}: MoveSouth, {1, 1}: MoveSoutheast,
}

func sign(number int) int {
	switch {
	case number > 0:
		return 1
	case number < 0:
		return -1
	}
	return 0
}

func main() {
	Play(func(hello Hello) Bot { return &Mine{rand.New(rand.NewSource(hello.Seed))} })
}
