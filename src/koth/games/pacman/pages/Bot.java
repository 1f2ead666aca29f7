// A first bot: eats what is next to it, walks on, and keeps off ghosts.
//
// What it is told and may answer stands in Koth.java. What it prints is kept for you, and no answer.

import java.io.IOException;
import java.util.Random;

public final class Bot extends Koth {
    private static final Move[] MOVES = {Move.N, Move.E, Move.S, Move.W};
    private static final int[] DOWN = {-1, 0, 1, 0};
    private static final int[] RIGHT = {0, 1, 0, -1};

    private Random dice;

    @Override
    protected void begin() {
        dice = new Random(hello.seed());
    }

    /** Where does the piece go? */
    @Override
    protected MoveAnswer answerMove(MoveQuestion question) {
        int side = hello.side();
        // A hex digit a square, row by row: 1 for a wall in the north, 2 east, 4 south, 8 west.
        int walls = Character.digit(hello.walls().charAt(question.row() * side + question.col()), 16);
        Move best = Move.X;
        double most = 0;
        for (int bit = 0; bit < 4; bit++) {
            int row = (question.row() + DOWN[bit] + side) % side;
            int col = (question.col() + RIGHT[bit] + side) % side;
            int worth = worth(letter(question, row, col));
            double score = worth + dice.nextDouble();
            if ((walls >> bit & 1) == 0 && worth > 0 && score > most) {
                best = MOVES[bit];
                most = score;
            }
        }
        return new MoveAnswer(best);
    }

    private static char letter(MoveQuestion question, int row, int col) {
        for (Square square : question.seen()) {
            if (square.row() == row && square.col() == col) {
                return square.letter();
            }
        }
        return ' ';
    }

    private static int worth(char letter) {
        return switch (letter) {
            case 'o' -> 10; // a pellet
            case 'O' -> 50; // a power pellet
            case 'F' -> 100; // fruit
            case 'G' -> 0; // a ghost
            default -> 1; // P another Pac-Man, X nothing, or out of sight
        };
    }

    public static void main(String[] arguments) throws IOException {
        new Bot().play();
    }
}
