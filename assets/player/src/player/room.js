/* How high the pictures beside the tree are: together as high as their column. Data only. */
import { shared } from '../draw/marks.js';

/** @import { Needs } from '../draw/marks.js' */

const SMALLEST = 90; // pixels of a picture that is scrolled

/**
 * The height of each picture. Where not all have the least they need, the small ones have it first, and the others are
 * scrolled.
 * @param {Needs[]} needs @param {number} height
 */
export function divided(needs, height) {
  const least = needs.reduce((sum, one) => sum + one.least, 0);
  if (least <= height) return shared(needs, height);
  const heights = needs.map((one) => one.least);
  const order = [...needs.keys()].sort((one, other) => needs[one].least - needs[other].least);
  let left = height;
  order.forEach((at, before) => {
    const part = Math.max(SMALLEST, left / (order.length - before));
    heights[at] = Math.min(needs[at].least, part);
    left -= heights[at];
  });
  return heights;
}
