// A first bot: keeps away from zombies, and shoots the one that comes too near.
//
// What it is told and may answer stands in koth.go. Print to stderr (println does): koth reads stdout.

package main

// Mine plays one match.
type Mine struct{}

// AnswerAct says what each living player does this turn.
func (mine *Mine) AnswerAct(question ActQuestion) ActAnswer {
	moves := map[int]Move{}
	for _, player := range question.Players {
		moves[player.Number] = decide(player)
	}
	return ActAnswer{Moves: moves}
}

// decide says what one player does: dx grows to the east, dy to the south.
func decide(player Player) Move {
	var nearest *Somebody
	for i, who := range player.Seen {
		if who.Name == "Zombie" && (nearest == nil || distance(who) < distance(*nearest)) {
			nearest = &player.Seen[i]
		}
	}
	if nearest == nil {
		return StepStay
	}
	if distance(*nearest) <= 2 && player.Bullets > 0 {
		return Shoot{&Target{nearest.Name, nearest.Number}}
	}
	return away[[2]int{sign(nearest.Dx), sign(nearest.Dy)}]
}

var away = map[[2]int]Step{
	{1, 1}: StepNorthwest, {0, 1}: StepNorth, {-1, 1}: StepNortheast,
	{1, 0}: StepWest, {0, 0}: StepStay, {-1, 0}: StepEast,
	{1, -1}: StepSouthwest, {0, -1}: StepSouth, {-1, -1}: StepSoutheast,
}

func distance(who Somebody) int {
	dx, dy := who.Dx*sign(who.Dx), who.Dy*sign(who.Dy)
	if dx > dy {
		return dx
	}
	return dy
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
	Play(func(hello Hello) Bot { return &Mine{} })
}
