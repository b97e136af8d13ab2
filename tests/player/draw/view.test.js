import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST, anew, clamped, showing, whole, zoomed } from '../../../assets/player/src/draw/view.js';

const SPACE = { width: 400, height: 300 };
const WIDE = { width: 800, height: 300 };
const SMALL = { width: 200, height: 100 };
const CORNER = { x: 0, y: 0 };

test('a picture is whole at first, and no larger than it was made', () => {
  assert.deepEqual(whole(WIDE, SPACE), { scale: 0.5, x: 0, y: 75 });
  assert.deepEqual(whole(SMALL, SPACE), { scale: 1, x: 0, y: 100 });
});

test('the point under the pointer stays where it is', () => {
  const at = { x: 200, y: 150 };
  const before = whole(WIDE, SPACE);
  const after = zoomed(before, 2, at, WIDE, SPACE);
  assert.equal(after.scale, 1);
  const point = (view) => [(at.x - view.x) / view.scale, (at.y - view.y) / view.scale];
  assert.deepEqual(point(after), point(before));
});

test('it is never smaller than whole and never larger than some times that', () => {
  assert.deepEqual(zoomed(whole(WIDE, SPACE), 0.1, CORNER, WIDE, SPACE), whole(WIDE, SPACE));
  assert.equal(zoomed(whole(WIDE, SPACE), 99, CORNER, WIDE, SPACE).scale, 0.5 * MOST);
});

test('no space is left that the picture could fill', () => {
  assert.deepEqual(clamped({ scale: 1, x: 50, y: 40 }, WIDE, SPACE), { scale: 1, x: 0, y: 0 });
  assert.deepEqual(clamped({ scale: 1, x: -900, y: -40 }, WIDE, SPACE), { scale: 1, x: -400, y: 0 });
});

test('drawn anew, it is as much larger than whole, with the same place in the middle', () => {
  const view = zoomed(whole(WIDE, SPACE), 3, { x: 300, y: 150 }, WIDE, SPACE);
  const before = { picture: WIDE, space: SPACE };
  assert.deepEqual(anew(view, before, WIDE, SPACE), view);
  const [picture, space] = [
    { width: 1600, height: 600 },
    { width: 500, height: 200 },
  ];
  const other = anew(view, before, picture, space);
  assert.ok(Math.abs(other.scale / whole(picture, space).scale - 3) < 1e-9);
  const middle = (one, { width }, of) => (width / 2 - one.x) / one.scale / of.width;
  assert.ok(Math.abs(middle(other, space, picture) - middle(view, SPACE, WIDE)) < 1e-9);
  assert.deepEqual(anew(whole(WIDE, SPACE), before, picture, space), whole(picture, space));
});

test('what is to be in sight is brought there by the shortest way, and what is there stays', () => {
  const view = { scale: 2, x: 0, y: 0 };
  const box = { x: 500, y: 10, width: 50, height: 20 };
  const moved = showing(view, box, WIDE, SPACE);
  assert.equal(moved.x, 400 - 1100);
  assert.equal(moved.y, 0);
  assert.deepEqual(showing(moved, box, WIDE, SPACE), moved);
});
