// The contract between the viewer and a game's draw.js and play.js, for tsc alone: docs/draw-js.md says what it means.

export interface Match {
  game: string;
  version: number;
  ruleset: string;
  settings: Record<string, any>;
  seed: string | number;
  bots: {name: string; hash: string; given?: string}[]; // `given`: the name before it was made fit to be shown
  facts: Record<string, any>;
  /** The game's `frame_spec` in Python: the names of codes, and who sees what. */
  spec: Record<string, any>;
  /** Codes by their names, as in `codes.terrain.wall`. */
  codes: Record<string, Record<string, number>>;
  /** Squares of a board such as `board` gives. */
  grid(board: {width: number; height?: number; wraps?: boolean}): Grid;
}

/** What the game's `frame` returned in Python, and `turn`; arrays of integers are flat Int32Arrays. */
export type Frame = {turn: number} & Record<string, any>;

export interface Board {
  width: number;
  height: number;
  wraps?: boolean;
  reach?: number;
}

export interface Theme {
  dark: boolean;
  ground: string;
  paper: string;
  ink: string;
  muted: string;
  soft: string;
  faint: string;
  accent: string;
  danger: string;
  fog: string;
}

export interface Look {
  colors: string[];
  theme: Theme;
}

export type Brush = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;
export type Paint = (ctx: Brush) => void;
export interface Sprite {
  picture: ImageBitmap;
  margin: number;
  side: number;
  box: {x: number; y: number; width: number; height: number};
  pixels: Int32Array;
}
export interface Places {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
}

export type Place = {x: number; y: number};

/** Squares of a torus or a box (grid.js). */
export interface Grid {
  width: number;
  height: number;
  wraps: boolean;
  /** [dx, dy] of each way. */
  ways: Record<string, number[]>;
  /** Names of the ways, such as "NORTH". */
  names: Record<string, string>;
  /** The place, put back onto a torus. */
  at(x: number, y: number): Place;
  /** A square's number, row by row; -1 off the board. */
  square(x: number, y: number): number;
  place(square: number): Place;
  /** [dx, dy], on a torus the short way round. */
  between(from: Place, to: Place): [number, number];
  /** Steps from one to the other, with diagonals. */
  apart(from: Place, to: Place): number;
  /** Steps from one to the other, without diagonals. */
  steps(from: Place, to: Place): number;
  /** One of the eight ways "N", "NE" ..., or null. */
  towards(from: Place, to: Place): string | null;
  step(from: Place, way: string | null): Place;
  /** Squares from the edge. */
  ring(x: number, y: number): number;
  /** Write a value for all squares within reach: what a unit sees. */
  fill(array: Uint8Array | Int32Array, x: number, y: number, reach: number, value: number): void;
}

export interface Scene extends Look {
  match: Match;
  frame: Frame;
  previous: Frame | null;
  progress: number;
  size: number;
  visible: {left: number; top: number; right: number; bottom: number};
  focus: number | string | null;
  patterns: number[];
  /** Of the board. */
  grid: Grid;
  memory?: Memory;
  stamp(sprite: Sprite, x: number, y: number, fromX?: number, fromY?: number): void;
  /** Stamp many: copies pixels. `which` is undefined where there is none, `from` null without a way. */
  crowd(sprites: (Sprite | undefined)[], which: ArrayLike<number>, at: Places | Frame, from?: Places | Frame | null): void;
  glide(x: number, y: number, fromX: number, fromY: number): [number, number];
  /** The place on a way of several steps, of which `part` is done (without it: `progress`). */
  along(path: [number, number][] | number[][], part?: number): number[];
  /** Paint a bot's pattern around (0.5, 0.5) with radius 0.4, if these are left out. */
  paintPattern(ctx: Brush, team: number, x?: number, y?: number, radius?: number): void;
  sprite(key: string, paint: Paint): Sprite;
  layer(key: string, paint: Paint): void;
  once<T>(key: string, make: () => T): T;
}

export interface Memory {
  what: Int32Array;
  when: Int32Array;
}

export interface Actor {
  id: number | string;
  x: number;
  y: number;
  team: number | null;
}
export interface About {
  title: string;
  rows: (string | number)[][];
}
export interface LegendEntry {
  label: string;
  paint(ctx: Brush, look: Look): void;
}
/** A game's draw.js. */
export interface Picture {
  board(match: Match, frame: Frame): Board;
  draw(ctx: Brush, scene: Scene): void;
  series(frame: Frame, match: Match): Record<string, (number | null)[]>;
  others?(match: Match): string[];
  actors?(frame: Frame, match: Match): Actor[];
  about?(frame: Frame, id: any, match: Match): About | null;
  legend?(match: Match, frame: Frame): LegendEntry[];
  caption?(frame: Frame, match: Match, team: number | null): string;
  aboutSquare?(frame: Frame, x: number, y: number, match: Match): About;
  /** Where the square is that bots call (a, b): [x, y]; without it they are x and y. */
  squareOf?(a: number, b: number, match: Match): [number, number];
  drawAboveFog?(ctx: Brush, scene: Scene): void;
  drawMemory?(ctx: Brush, scene: Scene): void;
  memorySquares?(frame: Frame, team: number, match: Match): Int32Array;
  /** One unit's answer to a question in words; fields with names hold names. */
  answers?: Record<string, (answer: Record<string, any>, match: Match) => string>;
}

/** What a person does: `go` a way, `face` one, `tap` a square, `press` a key or a button. */
export type Command =
  | {go: string; face?: undefined; tap?: undefined; press?: undefined}
  | {face: string; go?: undefined; tap?: undefined; press?: undefined}
  | {tap: {x: number; y: number}; go?: undefined; face?: undefined; press?: undefined}
  | {press: string; go?: undefined; face?: undefined; tap?: undefined};

export interface Status {
  headline: string;
  alarm?: boolean;
  rows: [string, string | number, boolean?][];
  hint?: string;
  notice?: string | null;
  buttons?: {press: string; label: string; pressed?: boolean; first?: boolean}[];
}

/** What the seat of a person knows of the board (sight.js). */
export interface Sight {
  match: Match;
  frame: Frame;
  /** For each square 2 in view, 1 seen before, 0 never. */
  known: Uint8Array;
  center: Place | null;
  cameFrom: Place | null;
  /** Let the view follow a unit; `from` is where it was, if that is not where the view was. */
  follow(place: Place, from?: Place): void;
}

/** A person's plan, in a game's play.js. */
export interface Player {
  /** Whether a question needs no decision: it is answered at once. */
  isDecided?(ask: any): boolean;
  see(ask: any): void;
  act(command: Command, waits: boolean): string | null | undefined | false;
  answer(): Record<string, any>;
  status(): Status;
  overlay?(ctx: Brush, scene: Scene): void;
}

/** A game's play.js. */
export interface Controls {
  play: {
    title: string;
    /** Sentences shown before the match; {bullets} is replaced by the value of this name in the match info. */
    goal: string[];
    /** What keys do, for people: [[["N", "E"], "a step"], [["Enter"], "say it"]]. */
    keys: [string[], string][];
    /** The number of ways, or null where there is nowhere to go. */
    pad: 4 | 8 | null;
    /** What stands in the middle of the pad. */
    middle: string | null;
    /** Keys that come as `press`: "f", " ", "Enter"; arrows are `go`, with eight ways Q W E, A D, Z X C, too. */
    taken?: string[];
    /** Turns a second; 0: a turn waits for the person. */
    pace: number;
    /** How many squares of a large board are in view at least. */
    squares: number;
    /** How much squares of level 0 and 1 are covered, from 0 to 1. */
    fog: [number, number];
    /** What the level `practice` teaches, a sentence after the other. */
    lessons?: string[];
  };
  Player: new (sight: Sight) => Player;
}

declare const picture: Picture;
export default picture;
