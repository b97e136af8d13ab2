/* What part of a picture is in sight: all of it, unless a reader zooms. Data only. */

/**
 * @typedef {{width: number, height: number}} Size
 * @typedef {{scale: number, x: number, y: number}} View a point p of the picture is seen at p * scale + (x, y)
 * @typedef {{x: number, y: number, width: number, height: number}} Rectangle of the picture
 */

export const MOST = 4; // times larger than whole

/** @param {number} value @param {number} low @param {number} high */
const within = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));

/** All of a picture, no larger than it was made. @param {Size} picture @param {Size} space @returns {View} */
export function whole(picture, space) {
  const scale = Math.min(1, space.width / picture.width, space.height / picture.height);
  return clamped({ scale, x: 0, y: 0 }, picture, space);
}

/**
 * A view that leaves no space empty which the picture could fill, and has what is smaller in its middle.
 * @param {View} view @param {Size} picture @param {Size} space @returns {View}
 */
export function clamped({ scale, x, y }, picture, space) {
  const [wide, high] = [picture.width * scale, picture.height * scale];
  return {
    scale,
    x: wide <= space.width ? 0 : within(x, space.width - wide, 0),
    y: high <= space.height ? (space.height - high) / 2 : within(y, space.height - high, 0),
  };
}

/**
 * `times` larger, the point under (x, y) staying where it is; never smaller than whole.
 * @param {View} view
 * @param {number} times
 * @param {{x: number, y: number}} at
 * @param {Size} picture
 * @param {Size} space
 * @returns {View}
 */
export function zoomed(view, times, at, picture, space) {
  const least = whole(picture, space).scale;
  const scale = within(view.scale * times, least, MOST * least);
  const grown = scale / view.scale;
  return clamped({ scale, x: at.x - (at.x - view.x) * grown, y: at.y - (at.y - view.y) * grown }, picture, space);
}

/**
 * The nearest view that has a rectangle in sight.
 * @param {View} view @param {Rectangle} box @param {Size} picture @param {Size} space @returns {View}
 */
export function showing(view, box, picture, space) {
  const { scale } = view;
  /** @type {(from: number, size: number, at: number, room: number) => number} */
  const moved = (from, size, at, room) => {
    const start = from * scale + at;
    const end = start + size * scale;
    if (start >= 0 && end <= room) return at;
    return start < 0 || end - start > room ? at - start : at - (end - room);
  };
  const x = moved(box.x, box.width, view.x, space.width);
  return clamped({ scale, x, y: moved(box.y, box.height, view.y, space.height) }, picture, space);
}

/**
 * The view of a picture that is drawn anew, or for another space: as much larger than whole as it was, with the same
 * place in the middle.
 * @param {View} view @param {{picture: Size, space: Size}} before
 * @param {Size} picture @param {Size} space @returns {View}
 */
export function anew(view, before, picture, space) {
  const scale = (whole(picture, space).scale * view.scale) / whole(before.picture, before.space).scale;
  /** @type {(at: number, side: 'width' | 'height') => number} */
  const moved = (at, side) => {
    const share = (before.space[side] / 2 - at) / (view.scale * before.picture[side]);
    return space[side] / 2 - share * scale * picture[side];
  };
  return clamped({ scale, x: moved(view.x, 'width'), y: moved(view.y, 'height') }, picture, space);
}
