/* What the panels of the player are called, and how each is read. */

/**
 * @typedef {[title: string, help: string]} Heading
 * @typedef {object} PanelKind
 * @property {Heading} heading how to read it
 * @property {number} most its picture’s height, where nothing else limits it
 * @property {Heading} [undrafted] where nothing was drafted
 */

/** @type {Record<string, PanelKind>} */
export const PANELS = {
  tree: {
    heading: ['Draft tree', 'The guesses, left to right; thicker is likelier. What this step changed is underlined.'],
    most: 0,
    undrafted: ['What was written', 'The target’s own choices, left to right.'],
  },
  mask: {
    heading: ['Attention mask', 'In the one target call each guess sees its own ancestors only.'],
    most: 500,
    undrafted: ['Attention mask', 'In the target call each row sees its own past only.'],
  },
  probabilities: {
    heading: ['Probabilities', 'Of the next token here; the key says whose.'],
    most: 560,
  },
  decision: { heading: ['The decision', 'The rule, with this step’s numbers.'], most: 420 },
};
