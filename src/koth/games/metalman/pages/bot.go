// A first bot: runs for the centre, and captures whoever comes within reach.
//
// What it is told and may answer stands in koth.go. Print to stderr (println does): koth reads stdout.

package main

// Mine plays one match.
type Mine struct {
	hello Hello
	known [][]int // the map as far as we have seen it: -1 unknown, 0 wall, 1 floor, 2 highground
}

// A way is where a piece gets to, and the steps that lead there.
type way struct {
	end   Place
	steps []Step
}

// AnswerAct says what our two pieces do.
func (mine *Mine) AnswerAct(question ActQuestion) ActAnswer {
	enemies := mine.look(question)
	// The spotter moves first. The two must not bump into each other while both live.
	var partner *Place
	if question.AssasinAlive {
		partner = &question.AssasinLocation
	}
	spotter := mine.goFrom(question.SpotterLocation, mine.hello.SpotterSteps, partner, enemies)
	partner = nil
	if question.SpotterAlive {
		partner = &spotter.end
	}
	assassin := mine.goFrom(question.AssasinLocation, mine.hello.AssassinSteps, partner, enemies)
	return ActAnswer{
		Spotter: Orders{spotter.steps, turned(question.SpotterDirection)},
		Assasin: Orders{assassin.steps, turned(question.AssasinDirection)},
	}
}

// look learns the map, and says where enemies stand.
func (mine *Mine) look(question ActQuestion) map[Place]bool {
	enemies := map[Place]bool{}
	for r, row := range question.Board {
		for c, square := range row {
			ground := -1
			if square.Ground != nil {
				ground = *square.Ground
			} else {
				ground = square.Enemy.Square
				enemies[Place{r, c}] = true
			}
			ring := least(least(r, c), least(len(question.Board)-1-r, len(row)-1-c))
			if ring < question.CirclesCollapsed {
				ground = 0
			}
			if ground != -1 {
				mine.known[r][c] = ground
			}
		}
	}
	return enemies
}

// goFrom captures if it can, else gets as near to the centre as it can.
func (mine *Mine) goFrom(start Place, most int, blocked *Place, enemies map[Place]bool) way {
	ways := mine.reach(start, most, blocked)
	best := ways[0]
	for _, one := range ways {
		if enemies[one.end] {
			return one
		}
		if mine.toCentre(one.end) < mine.toCentre(best.end) {
			best = one
		}
	}
	return best
}

// reach finds all squares within so many steps over known ground.
func (mine *Mine) reach(start Place, most int, blocked *Place) []way {
	ways := []way{{start, []Step{}}}
	seen := map[Place]bool{start: true}
	for next := 0; next < len(ways); next++ {
		from := ways[next]
		if len(from.steps) == most {
			continue
		}
		for _, step := range []Step{{-1, 0}, {0, 1}, {1, 0}, {0, -1}} {
			there := Place{from.end.Row + step.Row, from.end.Column + step.Column}
			if seen[there] || !mine.free(there) || (blocked != nil && there == *blocked) {
				continue
			}
			seen[there] = true
			ways = append(ways, way{there, append(append([]Step{}, from.steps...), step)})
		}
	}
	return ways
}

func (mine *Mine) free(at Place) bool {
	inside := 0 <= at.Row && at.Row < mine.hello.Rows && 0 <= at.Column && at.Column < mine.hello.Columns
	return inside && mine.known[at.Row][at.Column] > 0
}

func (mine *Mine) toCentre(at Place) int {
	rows, columns := at.Row-mine.hello.Rows/2, at.Column-mine.hello.Columns/2
	return -least(rows, -rows) - least(columns, -columns)
}

// turned makes a quarter turn to the right, to see more in time.
func turned(direction Step) Step {
	return Step{direction.Column, -direction.Row}
}

func least(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func newBot(hello Hello) Bot {
	known := make([][]int, hello.Rows)
	for r := range known {
		known[r] = make([]int, hello.Columns)
		for c := range known[r] {
			known[r][c] = -1
		}
	}
	return &Mine{hello, known}
}

func main() {
	Play(newBot)
}
