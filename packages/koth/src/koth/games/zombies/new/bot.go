// A first bot: keep away from zombies, shoot the one that comes too near.
// koth reads stdout: print to stderr (println does), which is kept for you.

package main

import (
	"bufio"
	"encoding/json"
	"os"
)

var moves = [3][3]string{{"NORTHWEST", "NORTH", "NORTHEAST"}, {"WEST", "STAY", "EAST"}, {"SOUTHWEST", "SOUTH", "SOUTHEAST"}}

// message is everything that koth says.
type message struct {
	Hello   *struct{ Side int } // what holds for the whole match
	Bye     bool
	Ask     int
	Players []player
}

// player is one of your 50, which are all asked at once.
type player struct {
	Number, Bullets int
	Seen            []somebody
}

// somebody is in sight, so many squares to the east and to the south.
type somebody struct {
	dx, dy int
	name   string
	number int
}

func (s *somebody) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&s.dx, &s.dy, &s.name, &s.number})
}

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}

func (s somebody) distance() int {
	dx, dy := s.dx*sign(s.dx), s.dy*sign(s.dy)
	if dx > dy {
		return dx
	}
	return dy
}

// act returns a move, or a shot at somebody.
func act(p player) any {
	var nearest *somebody
	for i, one := range p.Seen {
		if one.name == "Zombie" && (nearest == nil || one.distance() < nearest.distance()) {
			nearest = &p.Seen[i]
		}
	}
	if nearest == nil {
		return "STAY"
	}
	if nearest.distance() <= 2 && p.Bullets > 0 {
		return map[string]any{"shoot": []any{nearest.name, nearest.number}}
	}
	return moves[1-sign(nearest.dy)][1-sign(nearest.dx)]
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
		for _, one := range told.Players {
			chosen[one.Number] = act(one)
		}
		out.Encode(map[string]any{"ask": told.Ask, "moves": chosen})
	}
}
