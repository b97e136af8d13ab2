/* The parts that a teacher can take away from a page (data-part), by their names. */

/** @type {Record<string, string>} */
export const PART_NAMES = {
  header: 'Top bar',
  intro: 'Introduction',
  welcome: 'First minute',
  form: 'Prompt and settings',
  actions: 'Buttons of the form',
  chooser: 'Lanes and iterations',
  predict: 'Predict',
  replay: 'What if?',
  judge: 'To the Same forest page',
  save: 'Save',
  share: 'Link',
  'player-bar': 'Step buttons and slider',
  story: 'Title, sentence and formula',
  sentence: 'Sentence',
  formula: 'Formula',
  strip: 'End of the text',
  panels: 'All panels',
  tree: 'Draft tree',
  decision: 'Decision',
  costs: 'Cost of a target call',
  coin: 'Handle of the coin',
  mask: 'Attention mask',
  probabilities: 'Probabilities',
  words: 'In words',
  legend: 'Legend',
  dials: 'Numbers of a lane',
  timeline: 'Timeline',
  verdict: 'Verdict',
  playback: 'Slow motion',
  beside: 'Side by side',
  class: 'Class',
  teach: 'For a class',
  source: 'Where the guesses come from',
  draft: 'Drafter',
  warp: 'Temperature, top-k and top-p',
  options: 'Options',
  table: 'Table',
  stage: 'Drawing of the guesses',
  compare: 'Two rules side by side',
  coins: 'Coins',
  'lesson-bar': 'Bar of the lesson',
  'lesson-buttons': 'Buttons of the lesson',
  links: 'Links',
  screen: 'What is on screen',
  open: 'Open a file',
  shelves: 'Shelves',
  figures: 'Figures',
  runs: 'Runs behind a point',
  theory: 'Theory playground',
  sweep: 'Sweep of one’s own',
};

/** The words of a list in an address. @param {string | null} text */
export const wordsOf = (text) => (text || '').split(',').filter((word) => /^[a-z-]+$/.test(word));

/** A list with a word put in, or taken out; null: an empty one. @param {string[]} words @param {string} word */
export function toggledWords(words, word) {
  const now = words.includes(word) ? words.filter((one) => one !== word) : [...words, word];
  return now.join() || null;
}

/** Of the words of some elements those with a name, each once, in their order. @param {(string | null)[]} found */
export const namedParts = (found) =>
  [...new Set(found.flatMap((words) => (words ?? '').split(' ')))].filter((word) => word in PART_NAMES);
