// A first bot: eats what is next to it, keeps off ghosts, and walks where it has been least.
// koth reads stdout: print to stderr (println does), which is kept for you.

package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// Pellet, power pellet, fruit, ghost; P: a Pac-Man, X: nothing.
var worth = map[byte]int{'o': 10, 'O': 50, 'F': 100, 'G': -1000}

var ways = []struct {
	move        string
	down, right int
}{{"N", -1, 0}, {"E", 0, 1}, {"S", 1, 0}, {"W", 0, -1}}

type bot struct {
	walls  string // a hex digit a square, row by row: 1 is a wall in the north, 2 east, 4 south, 8 west
	side   int    // the maze is square, and its opposite edges touch
	visits []int
}

// act says where it goes; seen has what squares show, by row * side + col.
func (b *bot) act(here int, seen map[int]byte) string {
	row, col := here/b.side, here%b.side
	b.visits[here]++
	walls, _ := strconv.ParseInt(b.walls[here:here+1], 16, 8)
	best, most := "X", math.MinInt
	for bit, way := range ways {
		if walls>>bit&1 == 1 {
			continue
		}
		there := (row+way.down+b.side)%b.side*b.side + (col+way.right+b.side)%b.side
		if score := worth[seen[there]] - b.visits[there]; score > most {
			best, most = way.move, score
		}
	}
	return best
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	in.Scan()
	walls := in.Text()
	mine := bot{walls, int(math.Sqrt(float64(len(walls)))), make([]int, len(walls))}
	for in.Scan() && in.Text() != "Q" {
		seen, here := map[int]byte{}, -1                 // its own square comes first
		for _, word := range strings.Fields(in.Text()) { // like 23,70X
			var row, col int
			var letter byte
			fmt.Sscanf(word, "%d,%d%c", &row, &col, &letter)
			seen[row*mine.side+col] = letter
			if here < 0 {
				here = row*mine.side + col
			}
		}
		fmt.Println(mine.act(here, seen))
	}
}
