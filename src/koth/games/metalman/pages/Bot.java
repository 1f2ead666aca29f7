// A first bot: runs for the centre, and captures whoever comes within reach.
//
// What it is told and may answer stands in Koth.java. What it prints is kept for you, and no answer.

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

public final class Bot extends Koth {
    private static final List<Step> STEPS =
            List.of(new Step(-1, 0), new Step(0, 1), new Step(1, 0), new Step(0, -1));

    /** Where a piece gets to, and the steps that lead there. */
    private record Way(Place end, List<Step> steps) {}

    /** The map as far as we have seen it: -1 unknown, 0 wall, 1 floor, 2 highground. */
    private int[][] known;

    private final Set<Place> enemies = new HashSet<>();

    @Override
    protected void begin() {
        known = new int[hello.rows()][hello.columns()];
        for (int[] row : known) {
            Arrays.fill(row, -1);
        }
    }

    /** What do our two pieces do? */
    @Override
    protected ActAnswer answerAct(ActQuestion question) {
        look(question);
        // The spotter moves first. The two must not bump into each other while both live.
        Place partner = question.assasinAlive() ? question.assasinLocation() : null;
        Way spotter = go(question.spotterLocation(), hello.spotterSteps(), partner);
        partner = question.spotterAlive() ? spotter.end() : null;
        Way assassin = go(question.assasinLocation(), hello.assassinSteps(), partner);
        return new ActAnswer(
                new Orders(spotter.steps(), turned(question.spotterDirection())),
                new Orders(assassin.steps(), turned(question.assasinDirection())));
    }

    /** Learns the map, and where enemies stand. */
    private void look(ActQuestion question) {
        enemies.clear();
        for (int r = 0; r < hello.rows(); r++) {
            for (int c = 0; c < hello.columns(); c++) {
                Square square = question.board().get(r).get(c);
                int ground;
                if (square instanceof Enemy enemy) {
                    enemies.add(new Place(r, c));
                    ground = enemy.square();
                } else {
                    ground = ((Ground) square).value();
                }
                int ring = Math.min(Math.min(r, c), Math.min(hello.rows() - 1 - r, hello.columns() - 1 - c));
                if (ring < question.circlesCollapsed()) {
                    ground = 0;
                }
                if (ground != -1) {
                    known[r][c] = ground;
                }
            }
        }
    }

    /** Onto an enemy if it can, else as near to the centre as it can. */
    private Way go(Place start, int most, Place blocked) {
        return reach(start, most, blocked).stream().min(Comparator.comparingInt(way -> score(way.end()))).get();
    }

    private int score(Place at) {
        int away = Math.abs(at.row() - hello.rows() / 2) + Math.abs(at.column() - hello.columns() / 2);
        return enemies.contains(at) ? -1 : away;
    }

    /** All squares within so many steps over known ground. */
    private List<Way> reach(Place start, int most, Place blocked) {
        List<Way> ways = new ArrayList<>(List.of(new Way(start, List.of())));
        Set<Place> seen = new HashSet<>(Set.of(start));
        for (int next = 0; next < ways.size(); next++) {
            Way from = ways.get(next);
            for (Step step : from.steps().size() == most ? List.<Step>of() : STEPS) {
                Place there = new Place(from.end().row() + step.row(), from.end().column() + step.column());
                if (free(there) && !there.equals(blocked) && seen.add(there)) {
                    List<Step> longer = new ArrayList<>(from.steps());
                    longer.add(step);
                    ways.add(new Way(there, longer));
                }
            }
        }
        return ways;
    }

    private boolean free(Place at) {
        boolean inside = at.row() >= 0 && at.row() < hello.rows() && at.column() >= 0 && at.column() < hello.columns();
        return inside && known[at.row()][at.column()] > 0;
    }

    /** A quarter turn to the right, to see more in time. */
    private static Step turned(Step direction) {
        return new Step(direction.column(), -direction.row());
    }

    public static void main(String[] arguments) throws IOException {
        new Bot().play();
    }
}
