/* Made from Python's types by `python -m tests.player.typescript`: change those, not this. */

export type Tone = 'target' | 'draft' | 'accepted' | 'rejected' | 'resampled' | 'bonus' | 'hand' | 'root' | 'muted' | 'waiting';

export type Stroke = 'solid' | 'dashed' | 'dotted';

/** A mark of the key and what it means. */
export interface KeyEntry {
  tone: 'target' | 'draft' | 'accepted' | 'rejected' | 'resampled' | 'bonus' | 'hand' | 'root' | 'muted' | 'waiting';
  glyph: string;
  word: string;
}

/** A probability, 0 to 1, as a bar with its number: from 0 to ``solid`` filled, from there on hatched. None: all of
it is filled. */
export interface Bar {
  tone: 'target' | 'draft' | 'accepted' | 'rejected' | 'resampled' | 'bonus' | 'hand' | 'root' | 'muted' | 'waiting';
  length: number;
  text: string;
  solid?: number | null;
}

/** A token, or a beam and its next token, with a bar, or one for the target over one for the draft. */
export interface BarRow {
  label: string;
  bars: Bar[];
  mark?: string;
  node?: number | null;
  rest?: boolean;
}

/** The option of a method that a line stands for: at its value, or at that one's natural logarithm. */
export interface LevelOption {
  name: string;
  log?: boolean;
}

/** A line across a picture, or upright in it, and the words at its end. One across, with a ``setting``, can be moved
by a reader to try another value. */
export interface Level {
  at: number;
  words: string;
  tone?: 'target' | 'draft' | 'accepted' | 'rejected' | 'resampled' | 'bonus' | 'hand' | 'root' | 'muted' | 'waiting';
  stroke?: 'solid' | 'dashed' | 'dotted';
  upright?: boolean;
  setting?: LevelOption | null;
}

/** Rows of horizontal bars, likeliest first. ``most``: the probability at the right end, up to 1. */
export interface Bars {
  rows: BarRow[];
  most: number;
  title?: string;
  level?: Level | null;
  kind: 'bars';
}

/** What a number up to ``end``, 0 to 1, leads to: its name on the strip, and in words; "": the name, quoted. */
export interface StripPart {
  end: number;
  name: string;
  words?: string;
  fate?: 'accepted' | 'rejected' | 'drawn' | 'other';
  tone?: 'target' | 'draft' | 'accepted' | 'rejected' | 'resampled' | 'bonus' | 'hand' | 'root' | 'muted' | 'waiting';
  node?: number | null;
}

/** 0 to 1 in parts, end to end, each beginning where the one before ends; the last may end before 1. With
``uniform``, the random number that fell on it, a reader can move it. */
export interface Strip {
  parts: StripPart[];
  label?: string;
  uniform?: number | null;
  called?: string;
  text?: string;
  kind: 'strip';
}

/** A place on an axis. */
export interface Tick {
  at: number;
  word: string;
}

/** ``low`` is left, or at the bottom, ``high`` right, or at the top; one may be larger than the other. */
export interface Axis {
  low: number;
  high: number;
  ticks: Tick[];
  title?: string;
}

/** Through points; ``steps``: level from each to the next, then upright. */
export interface Line {
  tone: 'target' | 'draft' | 'accepted' | 'rejected' | 'resampled' | 'bonus' | 'hand' | 'root' | 'muted' | 'waiting';
  points: [number, number][];
  stroke?: 'solid' | 'dashed' | 'dotted';
  steps?: boolean;
}

/** An upright bar from 0, with a word over it; hollow where it does not count. */
export interface Column {
  x: number;
  height: number;
  tone: 'target' | 'draft' | 'accepted' | 'rejected' | 'resampled' | 'bonus' | 'hand' | 'root' | 'muted' | 'waiting';
  word?: string;
  hollow?: boolean;
}

/** A test, or something ranked, where it stands. ``beyond``: outside the axis, so at its edge, with this sign. */
export interface Point {
  x: number;
  y: number;
  tone: 'target' | 'draft' | 'accepted' | 'rejected' | 'resampled' | 'bonus' | 'hand' | 'root' | 'muted' | 'waiting';
  glyph: string;
  words: string;
  node?: number | null;
  hollow?: boolean;
  faint?: boolean;
  ringed?: boolean;
  beyond?: string;
}

/** Under the axis, from here to there. */
export interface Bracket {
  start: number;
  end: number;
  word: string;
}

/** Points, lines and columns over two axes. */
export interface Chart {
  x: Axis;
  y: Axis;
  columns?: Column[];
  lines?: Line[];
  points?: Point[];
  levels?: Level[];
  bracket?: Bracket | null;
  tall?: number;
  kind: 'chart';
}

/** An entry of a list, and whether the other list has it. */
export interface ListEntry {
  text: string;
  found: boolean;
  node?: number | null;
}

/** Two lists from top to bottom; ``joins`` are pairs of entries that are the same. */
export interface Lists {
  titles: [string, string];
  left: ListEntry[];
  right: ListEntry[];
  joins: [number, number][];
  kind: 'lists';
}

/** A token of a target call, its position id, and what it sees: of each column a character, an index of
``SEEN``. ``stays``: whether its row stays in the cache, None where that is not told yet. */
export interface MaskRow {
  label: string;
  position: number | null;
  cells: string;
  node?: number | null;
  stays?: boolean | null;
}

/** An attention mask. Columns are the earlier context and the beams' own, where there are such, then the rows'. */
export interface Mask {
  rows: MaskRow[];
  columns: string[];
  framed?: number | null;
  kind: 'mask';
}

/** Shapes from top to bottom, the key to their marks, notes on how they are read, and all of it in sentences.
``title``: over its panel, where that has another one than usual. */
export interface Picture {
  shapes: (Bars | Strip | Chart | Lists | Mask)[];
  words?: string;
  key?: KeyEntry[];
  notes?: string[];
  title?: string;
}

export type ScenePhase = 'context' | 'draft' | 'target' | 'verify' | 'draw' | 'commit';

/** One step of the story of an iteration. */
export interface Scene {
  key: string;
  phase: 'context' | 'draft' | 'target' | 'verify' | 'draw' | 'commit';
  title: string;
  sentence: string;
  formula: string;
  focus: number | null;
  panels: Record<string, string>;
}

/** A mark of a figure: colour, glyph, what it means; all plain text. */
export interface LegendEntry {
  color: string;
  glyph: string;
  word: string;
}

/** What a figure's marks mean. */
export interface Legend {
  entries: LegendEntry[];
  notes: string[];
  lines: number;
}

/** A figure with its traces. */
export interface DrawnFigure {
  data: Record<string, any>[];
  layout: Record<string, any>;
  legend: Legend | null;
}

/** What all panels share about a prefix that the forest grows from: the last context token, or an input beam. */
export interface PrefixRecord {
  node: number;
  label: string;
  ancestors: number[];
  position: number;
  row: number | null;
  text: string;
}

/** The same of a drafted node that the tree shows. */
export interface NodeRecord {
  node: number;
  label: string;
  ancestors: number[];
  position: number;
  row: number | null;
  text: string;
  token: number;
  parent: number;
  depth: number;
  draft: string;
  target: string;
  scene: string | null;
  formula: string;
}

/** A token that the iteration wrote. */
export interface EmittedPiece {
  piece: string;
  origin: string;
  node: number | null;
}

/** Pieces of text: the end of the context, and what this iteration wrote. */
export interface TextStrip {
  context: string[];
  emitted: EmittedPiece[];
}

/** What a forest grows from: the end of the text, or of a beam; ``y`` in rows from the top. */
export interface ForestRoot {
  name: number;
  label: string;
  y: number;
}

/** A drafted or drawn token of a forest, and where it stands. */
export interface PlacedToken {
  name: string;
  label: string;
  parent: string;
  x: number;
  y: number;
  weight: number;
}

/** One of the Microscope's, or of Same forest's. */
export interface ForestGuess {
  name: string;
  label: string;
  parent: string;
  x: number;
  y: number;
  weight: number;
  node: number | null;
  tail: string;
  words: string;
}

/** What the marks of a forest mean. */
export interface ForestKey {
  marks: [string, string, string][];
  notes: string[];
}

/** The forest of an iteration, with all that any stage shows (``views/drafts/forest.py``). */
export interface ForestPicture {
  look: string;
  depth: number;
  rows: number;
  roots: ForestRoot[];
  guesses: ForestGuess[];
  below?: string;
  key: ForestKey;
}

/** How a forest stands in a scene. */
export interface ForestStage {
  states: (number | null)[];
  drawn: Record<string, [string, number]>;
  folded: Record<string, number>;
  ends: string[];
  widths: [number, string][];
  kept?: [number, string][];
}

/** One iteration: everything a player needs to step through it (``scenes.py``). */
export interface IterationPayload {
  iteration: number;
  scenes: Scene[];
  pictures: Record<string, any[]>;
  fields: string[][];
  texts: Record<string, number[]>;
  phrases: string[];
  nodes: NodeRecord[];
  roots: PrefixRecord[];
  outcomes: [string, string, string][];
  forest: ForestPicture;
  stages: Record<string, ForestStage>;
  mask_rows: number;
  rows_read: number;
  text: TextStrip;
}

/** The same step on the other pages, and its name for a reader without them. */
export interface Where {
  run: string;
  at: string | null;
  words: string;
}

/** A number of a whole run; ``share`` of the largest, 0 to 1. */
export interface LaneNumber {
  key: string;
  label: string;
  text: string;
  unit: string;
  help: string;
  share: number;
}

/** A whole run of a lesson. */
export interface LessonLane {
  method: string;
  title: string;
  options: string;
  tokens: [string, string][];
  numbers: LaneNumber[];
}

/** The median seconds of target calls that read so many tokens, and how many calls that were. */
export interface CallCost {
  tokens: number;
  seconds: number;
  calls: number;
}

/** Where a lane stands among the theory's curves, all measured; null where there is no such number. */
export interface TheoryNumbers {
  alpha: number;
  c: number | null;
  v: number | null;
  gamma: number;
  operations: number | null;
  tokens: number;
  speed: number | null;
  arithmetic: number | null;
}

/** What theory expects of a lane beside what was measured, as text; an en dash where there is no such number.
``numbers`` has them for a drawing. */
export interface LaneTheory {
  name: string;
  alpha: string;
  draft_cost: string;
  verify_cost: string;
  gamma: string;
  tokens: [string, string];
  speed: [string, string];
  best_gamma: string;
  why: string;
  numbers: TheoryNumbers;
}

/** What calls cost by the tokens they read, and where and when that was measured. */
export interface MeasuredCosts {
  calls: CallCost[];
  source: string;
}

/** What a step of a lesson shows. */
export interface LessonLook {
  picture: number | null;
  scene: string | null;
  panels: string[];
  light: number | null;
  lanes: LessonLane[];
  costs: MeasuredCosts | null;
  where: Where | null;
}

/** A drafted token that a step judges, to be predicted before the step is shown. */
export interface Guess {
  label: string;
  verdict: 'accepted' | 'rejected';
}

/** An answer to choose, and what is said about it. */
export interface LessonChoice {
  text: string;
  answer: string;
  right: boolean;
}

/** What a lesson asks first. */
export interface LessonQuestion {
  text: string;
  look: LessonLook;
  choices: LessonChoice[];
}

/** What people often think, and what this step says to that. */
export interface Misconception {
  think: string;
  but: string;
}

/** A step that answers the question. */
export interface LessonStep {
  say: string;
  look: LessonLook;
  misconceptions: Misconception[];
  breaks: boolean;
  predict: Guess | null;
}

/** Something to try on the other pages. */
export interface LessonTry {
  text: string;
  link: string;
}

/** A line of a small picture: bars by what they stand for (target, draft, accepted), 0 to 1. */
export interface SketchBar {
  label: string;
  lengths: [string, number][];
  marked: boolean;
}

/** A token of a small tree: where it stands, 0 to 1, after which other of the list, and what has come of it. */
export interface SketchNode {
  x: number;
  y: number;
  parent: number | null;
  label: string;
  state: string;
}

/** A small picture (``views/lessons/sketch.py``): bars, or a tree. */
export interface Sketch {
  bars: SketchBar[];
  nodes: SketchNode[];
}

/** A lesson's name and what it is about. */
export interface LessonAbout {
  name: string;
  title: string;
  minutes: number;
  asks: string;
  goal: string;
}

/** A lesson in the list of all. */
export interface LessonCard {
  name: string;
  title: string;
  minutes: number;
  asks: string;
  goal: string;
  steps: number;
  asked: number;
  sketch: Sketch | null;
}

/** What a lesson says. */
export interface LessonWords {
  name: string;
  title: string;
  minutes: number;
  asks: string;
  goal: string;
  takeaway: string;
  question: LessonQuestion;
  steps: LessonStep[];
  tries: LessonTry[];
}

/** A token's probability, and how often it comes out when the rule is broken. */
export interface BrokenToken {
  token: string;
  target: number;
  broken: number;
}

/** A way to break the rule of a step; distances are total variations from the target's distribution. */
export interface BreakSwitch {
  name: string;
  title: string;
  about: string;
  sentence: string;
  distance: number;
  reference: number;
  distribution: BrokenToken[];
}

/** A whole lesson, with the iterations that its steps show by number. */
export interface LessonData {
  lesson: LessonWords;
  breaks: Record<string, BreakSwitch[]>;
  pictures: IterationPayload[];
}

/** What exported steps show: one of ``payloads`` at a time, beginning with the ``first`` (default 0), ``at`` a
scene's key. */
export interface StepDocument {
  title: string;
  payloads: IterationPayload[];
  note?: string;
  first?: number;
  at?: string;
  pins?: number[];
}

/** What an exported lesson shows. */
export interface LessonDocument {
  lesson: LessonWords;
  breaks: Record<string, BreakSwitch[]>;
  pictures: IterationPayload[];
  title: string;
  note?: string;
}

/** What an exported file with all lessons shows. */
export interface LessonsDocument {
  title: string;
  note: string;
  cards: LessonCard[];
  lessons: LessonData[];
}

/** An answer to choose, on paper; what is said about it and whether it is right only for the teacher. */
export interface PaperChoice {
  text: string;
  answer: string | null;
  right: boolean | null;
}

/** What people often think, on paper; what is said to that (``but``) only for the teacher. */
export interface PaperThought {
  think: string;
  but: string | null;
}

/** A step on paper: a ``guess`` to predict and things to think about; the rest only for the teacher. */
export interface PaperStep {
  picture: Sketch | null;
  guess: string | null;
  verdict: 'accepted' | 'rejected' | null;
  say: string | null;
  thoughts: PaperThought[];
}

/** A lesson on paper; ``picture`` is of its question; goal and takeaway only for the teacher, since they tell. */
export interface PaperLesson {
  title: string;
  goal: string | null;
  picture: Sketch | null;
  question: string;
  choices: PaperChoice[];
  steps: PaperStep[];
  takeaway: string | null;
}

/** A handout; with the ``answers``, or without any in the file. */
export interface PaperDocument {
  title: string;
  note: string;
  answers: boolean;
  lessons: PaperLesson[];
}

/** A part of a way through several lessons: minutes it takes and begins at, and the steps of a lesson (from 1, the
question) that are shown; none for a part without the page. */
export interface PathPart {
  begins: number;
  minutes: number;
  title: string;
  lesson: string | null;
  steps: number[];
}

/** The same with the speaker's notes; ``screen``: what each step shows. */
export interface NotedPart {
  begins: number;
  minutes: number;
  title: string;
  lesson: string | null;
  steps: number[];
  screen: string[];
  say: string;
  ask: string;
  wrong: string;
}

/** A way through several lessons for a class. */
export interface TeachingPath {
  title: string;
  minutes: number;
  about: string;
  parts: PathPart[];
}

/** A printable page of speaker's notes. */
export interface NotesDocument {
  title: string;
  note: string;
  about: string;
  parts: NotedPart[];
}

/** One of the film's: when, on the lane's own clock, it appears and its fate is settled. */
export interface GuessMotion {
  name: string;
  label: string;
  parent: string;
  x: number;
  y: number;
  weight: number;
  appears: number;
  settles: number;
  fate: string;
  slot: number | null;
}

/** One iteration, as it moves (``views/race/motion.py``). */
export interface IterationMotion {
  phases: Record<string, [number, number]>;
  depth: number;
  rows: number;
  roots: ForestRoot[];
  guesses: GuessMotion[];
  folded: number;
  asked: number;
  offered: number;
  accepted: number;
  reads: [string, number][];
  decisions: number;
  tokens: number;
}

/** A lane, as it moves. ``dials``: by iteration the text, the unit and the value of each dial once it is over. */
export interface LaneMotion {
  look: string;
  iterations: IterationMotion[];
  dials: (([string, string, number | null])[])[];
}

/** The data of an exported file with a step. */
export interface StandaloneStep {
  kind: 'step';
  glossary: Record<string, string>;
  data: StepDocument;
}

/** The data of an exported file with a lesson. */
export interface StandaloneLesson {
  kind: 'lesson';
  glossary: Record<string, string>;
  data: LessonDocument;
}

/** The data of an exported file with all lessons. */
export interface StandaloneLessons {
  kind: 'lessons';
  glossary: Record<string, string>;
  data: LessonsDocument;
}

/** The data of a handout. */
export interface StandaloneHandout {
  kind: 'handout';
  glossary: Record<string, string>;
  data: PaperDocument;
}

/** The data of a page of notes. */
export interface StandaloneNotes {
  kind: 'notes';
  glossary: Record<string, string>;
  data: NotesDocument;
}

/** A number of a lane, as a person reads it. */
export interface Dial {
  key: string;
  label: string;
  value: number | null;
  unit: string;
  text: string;
  help: string;
  usual: boolean;
}

/** A lane against the autoregressive one; or disturbed, and not to be compared. */
export interface Pace {
  kind: 'faster' | 'slower' | 'disturbed';
  text: string;
}

/** What the distribution of a method's text is. */
export interface GuaranteeBadge {
  kind: string;
  name: string;
  help: string;
  exact: boolean;
}

/** The fingerprints of a pair of models; ``draft`` is null where a method asks none. */
export interface ModelPrints {
  target: string | null;
  draft: string | null;
}

/** Where a token came from: its look and what it means. */
export interface OriginKey {
  name: string;
  glyph: string;
  word: string;
  help: string;
}

/** A phase of the clock. */
export interface PhaseKey {
  name: string;
  word: string;
}

/** What the colours of a race mean; ``outcomes`` are those of guesses. */
export interface RaceLegend {
  origins: OriginKey[];
  outcomes: OriginKey[];
  phases: PhaseKey[];
}

/** A lane of a race. */
export interface LaneView {
  method: string;
  title: string;
  summary: string;
  guarantee: GuaranteeBadge;
  pair: ModelPrints;
  options: Record<string, any>;
  tokens: ([string, string, number, number | null])[];
  beams: boolean;
  pending: string[];
  segments: [string, number, number, number][];
  iterations: number;
  clock: number;
  finished: boolean;
  model: string;
  dials: Dial[];
  pace: Pace | null;
  newest: LaneMotion | null;
}

/** Where a lane, here called by its ``name``, leaves another one: numbers of lanes from 0, the output tokens that
they share, what was changed, in a few words, and what came of it, in a sentence or two ("" as long as it is being
written). */
export interface ForkView {
  name: string;
  lane: number;
  of: number;
  position: number;
  change: string;
  said: string;
}

/** A race as it stands: recorded, running, finished, stopped or opened. */
export interface RaceMessage {
  kind: 'race';
  run: string;
  state: string;
  prompt: string | null;
  seed: number | null;
  pair: string | null;
  lanes: (LaneView | null)[];
  verdict: string[];
  calls: CallCost[];
  about_calls: string;
  theory: LaneTheory[];
  care: string;
  lesson: string;
  forks: ForkView[];
  branches?: Record<string, any>[];
  turns?: [string, string][];
  system?: string;
  unfamiliar?: string;
  note?: string;
  form?: string;
  update?: number;
}

/** What an exported race shows. */
export interface RaceDocument {
  title: string;
  race: RaceMessage;
  legend: RaceLegend;
  motion: (LaneMotion | null)[];
  note?: string;
}

/** The data of an exported file with a race. */
export interface StandaloneRace {
  kind: 'race';
  glossary: Record<string, string>;
  data: RaceDocument;
}

export type StandaloneDocument = StandaloneStep | StandaloneLesson | StandaloneLessons | StandaloneHandout | StandaloneNotes | StandaloneRace;

/** An option of the catalog, as a field of a form. */
export interface OptionSetup {
  name: string;
  label: string;
  kind: string;
  default: any;
  low: number | null;
  high: number | null;
  choices: any[];
  optional: boolean;
  off: number | null;
  used_by: string[];
  help: string;
}

/** A button of a form: its label, the prompt it types, what it shows, and the name of the models that it is for
(None: those that have no examples of their own). */
export interface ExampleSetup {
  label: string;
  prompt: string;
  about: string;
  pair: string | null;
}

/** A page of the navigation. */
export interface PageName {
  name: string;
  title: string;
}

/** A measured number with its 95 % interval. */
export interface Interval {
  low: number;
  value: number;
  high: number;
}

/** What a guarantee meter says of its marks. */
export interface MeterWords {
  exact: string;
  measured: string;
  distance: string;
  made: string;
  short: string;
}

/** What a guarantee meter shows of a method; ``exact`` and ``measured`` are distances, 0 to 1. */
export interface MeterEntry {
  title: string;
  guarantee: GuaranteeBadge;
  word: string;
  number: string;
  exact: number;
  measured: Interval;
  says: MeterWords;
  defaults: Record<string, any>;
  pair: ModelPrints;
}

export type Guarantees = Record<string, MeterEntry[]>;

/** Of the top of the page; the ``pairs`` of models by name, the usual one first; ``offers``: whether models may be
got from here; ``public``: the address that links begin with, empty for the one that the page is seen at. */
export interface HeaderSetup {
  pages: PageName[];
  pairs: string[];
  offers: boolean;
  glossary: Record<string, string>;
  guarantees: Record<string, MeterEntry[]>;
  public: string;
}

/** How far the models are, which ones, and whether they take turns; the ``pairs`` there are by now. */
export interface Status {
  state: string;
  text: string;
  pair: ModelPrints | null;
  chats: boolean;
  pairs: string[];
}

/** A model that may be got: ``bytes`` from a source into ``folder``. Its ``state`` is away, getting, here or failed
(for a ``reason``); ``done`` of ``total`` bytes of what it is ``doing`` (0 of 0: none to count); ``kept`` bytes of
an interrupted fetch go on from there. */
export interface ModelOffer {
  name: string;
  title: string;
  licence: string;
  bytes: number;
  folder: string;
  state: string;
  doing: string;
  done: number;
  total: number;
  kept: number;
  reason: string;
}

/** All that may be got, and the pairs there are by now. */
export interface ModelOffers {
  offers: ModelOffer[];
  pairs: string[];
}

/** A method of the catalog. */
export interface MethodSetup {
  name: string;
  title: string;
  summary: string;
  options: OptionSetup[];
}

/** Methods by family. */
export interface FamilySetup {
  title: string;
  methods: string[];
}

/** A lane: its method with the options that are set. */
export interface LaneForm {
  method: string;
  options: Record<string, any>;
}

/** What the form of a race holds when the page opens. */
export interface RaceStart {
  prompt: string;
  lanes: LaneForm[];
  shared: Record<string, any>;
  seed?: number;
  max_new_tokens?: number;
  pair?: string;
}

/** A recorded race that the page can open with; "": the gallery's. */
export interface OpeningSetup {
  name: string;
  label: string;
}

/** Of a race. */
export interface RaceLimits {
  prompt: number;
  min_lanes: number;
  max_lanes: number;
}

/** Of the Race page. */
export interface RaceSetup {
  families: FamilySetup[];
  methods: MethodSetup[];
  shared: OptionSetup[];
  numbers: OptionSetup[];
  intro: string;
  legend: RaceLegend;
  examples: ExampleSetup[];
  start: RaceStart;
  recorded: boolean;
  openings: OpeningSetup[];
  limits: RaceLimits;
}

/** The lanes of a race, as they move; null for a lane that has none. */
export interface RaceMotion {
  lanes: (LaneMotion | null)[];
}

/** A run or a draft waits for the models or for the device. */
export interface WaitingMessage {
  kind: 'waiting';
  form: string;
  queue_position: number;
  text: string;
}

/** A form cannot be run, and which field is at fault. */
export interface RefusedMessage {
  kind: 'refused';
  form: string | null;
  field: string;
  code?: string;
  message: string;
}

/** A coin of a step that a replay may change. */
export interface CoinSetup {
  decision: number;
  scene: string;
  uniform: number;
  label: string;
  help?: string;
}

/** An option of a step that a replay may change. */
export interface ChangeableOption {
  name: string;
  value: any;
  low: number | null;
  high: number | null;
  help: string;
  kind: string;
  whole: boolean;
  optional: boolean;
  choices: any[];
  label?: string;
}

/** Temperature, top-k or top-p of a recorded forest. */
export interface WarpOption {
  name: string;
  value: any;
  low: number | null;
  high: number | null;
  help: string;
  kind: string;
  whole: boolean;
  optional: boolean;
  choices: any[];
  label?: string;
}

/** What a replay may change of a step, and why nothing. */
export interface Changeable {
  coins: CoinSetup[];
  options: ChangeableOption[];
  reason: string | null;
}

/** A token of the text that another one can be put in place of: how many of its iteration's come before it, and the
likeliest there under the target, as [id, text, probability before temperature, top-k and top-p]. */
export interface TokenPlace {
  at: number;
  label: string;
  likeliest: [number, string, number][];
}

/** An iteration with what a replay may change of it, and where another token can be put (none: several texts are
kept). */
export interface MicroscopePayload {
  iteration: number;
  scenes: Scene[];
  pictures: Record<string, any[]>;
  fields: string[][];
  texts: Record<string, number[]>;
  phrases: string[];
  nodes: NodeRecord[];
  roots: PrefixRecord[];
  outcomes: [string, string, string][];
  forest: ForestPicture;
  stages: Record<string, ForestStage>;
  mask_rows: number;
  rows_read: number;
  text: TextStrip;
  changeable: Changeable;
  places: TokenPlace[];
}

/** A step judged again; lines are [piece, origin], one line or one for each beam. */
export interface ReplayAnswer {
  payload: IterationPayload;
  said: string;
  recorded: (([string, string | null])[])[];
  now: (([string, string | null])[])[];
  coins: CoinSetup[];
}

/** A file to save: text, or bytes in base64. */
export interface FileAnswer {
  name: string;
  text?: string;
  base64?: string;
}

/** A forest was drafted, and is kept under an id. */
export interface DraftedMessage {
  kind: 'drafted';
  form: string;
  id: string;
}

/** The id of a forest that was drafted before. */
export interface KeptDraft {
  id: string;
}

/** A recorded run, and its steps that have a forest. */
export interface RecordedForest {
  run: string;
  method: string;
  title: string;
  steps: number[];
}

/** The recorded step that the page opens with. */
export interface ForestStart {
  run: string;
  lane: number;
  step: number;
}

/** A drafter to choose. */
export interface DrafterSetup {
  name: string;
  about: string;
}

/** Of a drafted forest. */
export interface ForestLimits {
  seed: number;
}

/** Of the Same forest page. */
export interface ForestSetup {
  intro: string;
  recorded: RecordedForest[];
  start: ForestStart | null;
  pair: [string, string];
  coins: number;
  drafters: DrafterSetup[];
  options: OptionSetup[];
  seed: OptionSetup;
  examples: ExampleSetup[];
  limits: ForestLimits;
}

/** A verifier, and why it cannot judge these guesses. */
export interface ForestRow {
  name: string;
  title: string;
  rule: string;
  method: string | null;
  options: OptionSetup[];
  refused: string | null;
}

/** What can be changed of how the guesses were drawn, and why nothing. */
export interface WarpSetup {
  options: WarpOption[];
  reason: string | null;
}

/** A forest before any verdict. */
export interface OpenedForest {
  before: string[];
  drawn: string;
  forest: ForestPicture;
  outcomes: [string, string, string][];
  rows: ForestRow[];
  limit: number | null;
  title: string;
  steps: number[];
  warp: WarpSetup;
}

/** A token that some coins write. */
export interface WrittenToken {
  piece: string;
  origin: string;
}

/** One row of the table: with these coins, and exact numbers over all coins. */
export interface VerdictAnswer {
  guarantee: GuaranteeBadge;
  emitted: WrittenToken[];
  words: string;
  accepted: number;
  tokens: number;
  lengths: number[];
  distance: number | null;
  distance_words: string;
  first: number | null;
  stage: ForestStage;
  emits: ForestGuess | null;
  marks: [string, string, string][];
  lead: string;
  said: Record<string, string>;
}

/** The distribution of the first token, and how far each verifier's is from the target's, in words. */
export interface FirstTokenPicture {
  picture: Picture;
  distances: string[];
}

/** Two verifiers side by side; ``free`` over all guesses, ``frozen`` with these guesses only. */
export interface ComparedVerdicts {
  counts: Picture;
  free: FirstTokenPicture | null;
  frozen: FirstTokenPicture;
  notes: string[];
}

/** What a paper says, its number, the numbers here, and whether it holds. */
export interface LabPromise {
  card: string;
  says: string;
  paper: string;
  number: string;
  here: string[];
  verdict: string;
  clear: boolean;
  words: string;
}

/** A card in the list. */
export interface LabEntry {
  name: string;
  title: string;
  paper: string;
}

/** Of the Lab. */
export interface LabSetup {
  cards: LabEntry[];
  sweeps: SweepSetup;
}

/** Of all cards. */
export interface LabPromises {
  promises: LabPromise[];
  made: string;
}

/** A setting of a card, for the theory to be held against: agreement, guesses, and medians of what was measured
(costs of a draft call ``c`` and of a target call on a draft ``v``, speed and arithmetic, all in those of plain
decoding; None where that was not timed). */
export interface TheoryPoint {
  name: string;
  card: string;
  alpha: number;
  gamma: number;
  c: number | null;
  v: number | null;
  tokens: number;
  speed: number | null;
  arithmetic: number | null;
}

/** A chart of one number, with words. */
export interface LabFigure {
  key: string;
  label: string;
  help: string;
  figure: DrawnFigure;
  words: string;
}

/** A setting: a value with its interval ("" where there is none) for every column. */
export interface LabPoint {
  number: number;
  name: string;
  best: boolean;
  runs: number;
  left_out: number;
  values: [string, string][];
}

/** What the rows of a card, or of a sweep of one's own, say, on all prompts or those of a ``category`` ("": all);
``categories``: those there are, none where all prompts are of one. Promises are about all prompts. */
export interface LabView {
  title: string;
  paper: string;
  asks: string;
  say: string;
  grid: string;
  seconds: number;
  category: string;
  categories: string[];
  figures: LabFigure[];
  columns: string[];
  points: LabPoint[];
  promises: LabPromise[];
  made: string;
}

/** What tells whether a run that is made again is the one that was recorded. */
export interface RunMade {
  tokens: number;
  tokens_per_target_call: number | null;
  perplexity: number | null;
}

/** A run behind a point, and the race whose first lane makes it again. */
export interface LabRun {
  prompt: string;
  text: string;
  category: string;
  seed: number;
  disturbed: string | null;
  values: string[];
  made: RunMade;
  form: Record<string, any>;
}

/** The runs behind a point. */
export interface LabRuns {
  name: string;
  columns: string[];
  rows: LabRun[];
  left_out: number;
}

/** Of the Lessons page. */
export interface LessonsSetup {
  lessons: LessonCard[];
  path: TeachingPath | null;
}

/** Of the Library page. */
export interface LibrarySetup {
  intro: string;
  largest: number;
  most: number;
  help: Record<string, string>;
}

/** One lane in the Library's list. */
export interface ShelfRow {
  run: string;
  lane: number;
  method: string;
  title: string;
  guarantee: GuaranteeBadge;
  pair: ModelPrints;
  options: Record<string, any>;
  set: string;
  prompt: string;
  numbers: Record<string, [number | null, string]>;
}

/** Rows of the Library, and the runs that are gone. */
export interface Shelf {
  rows: ShelfRow[];
  gone: string[];
}

/** Lanes as a race. */
export interface ShownRace {
  race: RaceMessage;
}

/** A file that was opened: its race, its rows, and where it was looked at. */
export interface OpenedFile {
  race: RaceMessage;
  rows: ShelfRow[];
  screen: Record<string, string>;
}

/** A file of the Library. */
export interface SavedFile {
  name: string;
  text: string;
  note?: string;
}

/** A figure of a race as JSON text, with words; or a file in base64. */
export interface RaceFigure {
  figure?: string;
  text?: string;
  file?: string;
}

/** What a class looks at. */
export interface ClassScreen {
  address: string;
  moment: number | null;
}

/** A question to a class. */
export interface ClassPoll {
  number: number;
  question: string;
  choices: string[];
  about: string;
  votes: number;
  tally: number[] | null;
  right: number | null;
}

/** The first message to a page that joins a class. */
export interface ClassWelcome {
  kind: 'welcome';
  code: string;
  member: string;
  students: number;
  screen: ClassScreen | null;
  poll: ClassPoll | null;
}

/** The teacher looks at something else. */
export interface ClassMoved {
  kind: 'screen';
  screen: ClassScreen;
}

/** Who is there, and what is asked. */
export interface ClassState {
  kind: 'room';
  students: number;
  poll: ClassPoll | null;
}

/** The last message. */
export interface ClassEnded {
  kind: 'ended';
  text: string;
}

export type ClassMessage = ClassWelcome | ClassMoved | ClassState | ClassEnded;

/** A new class. */
export interface OpenedClass {
  code: string;
  token: string;
  address: string;
  picture: string;
  unreachable: string;
  restart: string;
}

/** Built-in prompts of one kind. ``scored``: questions with answers; ``usual``: run where none are chosen. */
export interface PromptSet {
  name: string;
  prompts: number;
  scored: boolean;
  usual: boolean;
}

/** Of a sweep on the page. */
export interface SweepLimits {
  prompts: number;
  seeds: number;
  tokens: number;
  file: number;
  charts: number;
}

/** A number that a sweep of one's own can draw. ``usual``: it is drawn where nobody chose. */
export interface SweepNumber {
  name: string;
  label: string;
  help: string;
  usual: boolean;
}

/** Of the form for a sweep of one's own. */
export interface SweepSetup {
  grid: string;
  seeds: number;
  tokens: number;
  sets: PromptSet[];
  numbers: SweepNumber[];
  limits: SweepLimits;
}

/** A sweep that could be started. */
export interface SweepChecked {
  settings: string[];
  prompts: number;
  seeds: number;
  runs: number;
  seconds: number | null;
  recorded: boolean;
}

/** How far a sweep is. */
export interface SweepState {
  id: string;
  title: string;
  card: string;
  state: 'waiting' | 'running' | 'done' | 'stopped' | 'failed';
  done: number;
  total: number;
  setting: string;
  seconds_left: number | null;
  others: number;
  message: string;
  lasts: boolean;
}

/** The state of a sweep that was just begun. */
export interface SweepBegun {
  id: string;
  title: string;
  card: string;
  state: 'waiting' | 'running' | 'done' | 'stopped' | 'failed';
  done: number;
  total: number;
  setting: string;
  seconds_left: number | null;
  others: number;
  message: string;
  lasts: boolean;
  key: string;
}
