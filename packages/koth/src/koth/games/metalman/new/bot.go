// A first bot: run for the centre, capture whoever comes within reach.
// koth reads stdout: print to stderr (println does), which is kept for you.

package main

import (
	"bufio"
	"encoding/json"
	"os"
)

// place is a row and a column; a direction is a step: {1, 0} is down.
type place [2]int

var steps = []place{{-1, 0}, {0, 1}, {1, 0}, {0, -1}}

const wall, unseen = 0, -1

// message is everything that koth says.
type message struct {
	Hello *struct {
		Rows, Columns int
		SpotterSteps  int `json:"spotter_steps"`
		AssassinSteps int `json:"assassin_steps"`
	}
	Bye               bool
	Ask               int
	Board             [][]square
	Spotter           place `json:"spotter location"`
	Assassin          place `json:"assasin location"`
	SpotterAlive      bool  `json:"spotter alive"`
	AssassinAlive     bool  `json:"assasin alive"`
	SpotterDirection  place `json:"spotter direction"`
	AssassinDirection place `json:"assasin direction"`
}

// square is a number, or an object where an enemy stands.
type square struct {
	Ground int     `json:"square"`
	Enemy  *string `json:"type"`
}

func (s *square) UnmarshalJSON(data []byte) error {
	type object square
	if data[0] == '{' {
		return json.Unmarshal(data, (*object)(s))
	}
	return json.Unmarshal(data, &s.Ground)
}

// orders are what a piece does.
type orders struct {
	Moves     []place `json:"moves"`
	Direction place   `json:"direction"`
}

type bot struct {
	spotterSteps, assassinSteps int
	centre                      place
	open                        map[place]bool // what it has not seen may be open
	enemies                     map[place]bool
	home                        map[place][]place
}

func (b *bot) answer(m message) (spotter, assassin orders) {
	b.enemies = map[place]bool{}
	for row, line := range m.Board {
		for column, one := range line {
			if one.Ground != unseen {
				b.open[place{row, column}] = one.Ground != wall
			}
			if one.Enemy != nil {
				b.enemies[place{row, column}] = true
			}
		}
	}
	b.home = b.search(b.centre, len(b.open), nil)
	// The spotter moves first. While both live they are in each other's way.
	var blocked *place
	if m.AssassinAlive {
		blocked = &m.Assassin
	}
	end, moves := b.goOn(m.Spotter, b.spotterSteps, blocked)
	spotter = orders{moves, turned(m.SpotterDirection)}
	blocked = nil
	if m.SpotterAlive {
		blocked = &end
	}
	_, moves = b.goOn(m.Assassin, b.assassinSteps, blocked)
	return spotter, orders{moves, turned(m.AssassinDirection)}
}

// turned looks around, clockwise.
func turned(d place) place { return place{d[1], -d[0]} }

// search returns the squares within reach, each with the steps to it.
func (b *bot) search(from place, reach int, blocked *place) map[place][]place {
	found, queue := map[place][]place{from: {}}, []place{from}
	for ; len(queue) > 0; queue = queue[1:] {
		way := found[queue[0]]
		for _, step := range steps {
			next := place{queue[0][0] + step[0], queue[0][1] + step[1]}
			_, known := found[next]
			if len(way) < reach && b.open[next] && !known && (blocked == nil || *blocked != next) {
				found[next] = append(way[:len(way):len(way)], step)
				queue = append(queue, next)
			}
		}
	}
	return found
}

// goOn returns steps to an enemy within reach, else towards the centre.
func (b *bot) goOn(from place, reach int, blocked *place) (end place, moves []place) {
	best := len(b.open) + 1
	for there, way := range b.search(from, reach, blocked) {
		score := len(b.open)
		if home, found := b.home[there]; found {
			score = len(home)
		}
		if b.enemies[there] {
			score = -1
		}
		first := there[0] < end[0] || there[0] == end[0] && there[1] < end[1] // Go's maps have no order
		if score < best || score == best && first {
			best, end, moves = score, there, way
		}
	}
	return end, moves
}

func main() {
	var mine bot
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var told message
		if in.Decode(&told) != nil || told.Bye {
			return
		}
		if hello := told.Hello; hello != nil {
			mine = bot{spotterSteps: hello.SpotterSteps, assassinSteps: hello.AssassinSteps, open: map[place]bool{}}
			mine.centre = place{hello.Rows / 2, hello.Columns / 2}
			for n := 0; n < hello.Rows*hello.Columns; n++ {
				mine.open[place{n / hello.Columns, n % hello.Columns}] = true
			}
			out.Encode(map[string]bool{"ready": true})
			continue
		}
		spotter, assassin := mine.answer(told)
		out.Encode(map[string]any{"ask": told.Ask, "Spotter": spotter, "Assasin": assassin})
	}
}
