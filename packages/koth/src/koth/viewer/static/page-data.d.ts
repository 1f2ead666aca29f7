// The JSON that Python hands to pages: written from koth/viewer/page_data.py, which says what it means.

export interface ContestTitle {
  name: string;
  started: string;
  matches?: number | null;
}

export interface ListedMatch {
  name: string;
  url: string;
  game: string;
  places: number[];
  turns: number | null;
  scores: (number | null)[] | null;
  more: Record<string, number> | null;
  details: boolean;
}

export interface SitePlace {
  home?: string;
  before?: string | null;
  next?: string | null;
  matches?: string;
  bots?: Record<string, string>;
  of?: string | null;
  files?: Record<string, string>;
}

export interface Listing {
  entrants: string[];
  contest: ContestTitle | null;
  matches: ListedMatch[];
  isRun?: boolean;
  isDev?: boolean;
  site?: SitePlace;
}

export interface MatchFault {
  bot: string;
  kind: string;
  count: number;
  turn: number | null;
  text: string;
  stderr: string;
}

export interface MatchDetails {
  faults: MatchFault[];
  stderr: Record<string, any[][]>;
  notes: Record<string, Record<string, any>[]>;
}

export interface PlayingMatch {
  name: string;
  turn: number;
  still: boolean;
}

export interface ScoreHistory {
  matches: number[];
  scores: Record<string, (number | null)[]>;
}

export interface History extends ScoreHistory {
  names: string[];
}

export interface FaultExample {
  text: string;
  match: string;
  turn: number;
}

export interface FaultsOfKind {
  bot: string;
  kind: string;
  count: number;
  matches: number;
  reasons: FaultExample[];
  more: number;
}

export interface MatchEnding {
  text: string;
  match?: string;
  turn?: number;
}

export interface CountedMatches {
  game: string;
  ruleset: string;
  started: string;
  total: number;
  bots: string[];
  others: string[];
  columns: [string, string][];
  standings: Record<string, any>[];
  notes: string[];
  explanations: string[];
  history: History;
  faults: FaultsOfKind[];
}

export interface Knockout {
  rounds: Record<string, any>[];
  winner: string | null;
}

export interface RunState extends CountedMatches {
  done: number;
  counted: number;
  held: boolean | null;
  settled: boolean;
  knockout: Knockout | null;
  playing: PlayingMatch[];
  about: Record<string, string> | null;
}

export interface EmbeddedData {
  listing: Listing;
  details?: MatchDetails | null;
  site?: SitePlace;
  run?: RunState;
  versus?: Record<string, Record<string, number[]>>;
  endings?: MatchEnding[];
}

export interface WorkFault {
  kind: string;
  turn: number;
  count: number;
  text: string;
  remark: string;
}

export interface WorkState {
  round: number;
  state: string;
  text: string;
  turn: number;
  said: string;
  match: string;
  faults: WorkFault[];
  remarks: string[];
  isOver?: boolean;
  transcript?: string;
}
