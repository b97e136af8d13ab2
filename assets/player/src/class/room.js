/* A class on this page: none, as its teacher, or as a student. Everything that belongs to it is in the header's
   island: the button, the dialog, the bar at the bottom and the card of a question. */
import { closest, el, pushButton } from '../base/dom.js';
import { keep, keptData } from '../base/kept.js';
import * as link from '../base/link.js';
import { pageNow } from '../base/navigation.js';
import { latest, publish, subscribe } from '../base/shared.js';
import { StudentBar, TeacherBar } from './bar.js';
import { ClassDialog } from './dialog.js';
import { Following } from './follow.js';
import { PollCard } from './poll.js';
import { LESSON, differ, partsOf } from './screen.js';
import { RoomStream, post } from './stream.js';
import { Teaching } from './teach.js';

/**
 * @import { ClassMessage, ClassPoll, OpenedClass } from '../payload.js'
 * @typedef {{students: number, poll: ClassPoll | null}} Stated
 */

const KEPT = 'specviz-class'; // of this tab, so that a teacher may load the page again

export class ClassRoom {
  /** @type {OpenedClass | null} */
  taught = null;
  code = ''; // '': in no class
  member = '';
  students = 0;
  lost = false;
  trouble = '';
  /** @type {ClassPoll | null} */
  poll = null;
  /** @type {RoomStream | null} */
  stream = null;
  /** @type {TeacherBar | StudentBar | null} */
  tools = null;
  bar = el('div', { class: 'sv-class-bar', role: 'group', 'aria-label': 'Class' });
  card = new PollCard((poll, choice) => this.vote(poll, choice));
  teaching = new Teaching((screen) => this.tell('publish', screen));

  /** @param {string[]} pages */
  constructor(pages) {
    this.following = new Following(pages, () => this.update());
    this.dialog = new ClassDialog({
      onopen: () => this.open(),
      onjoin: (code) => this.join(code),
      onend: () => this.end(),
    });
    const about = { 'data-tip': 'Let a class follow this page, or follow one', 'data-part': 'class' };
    const more = { class: 'sv-quiet', 'aria-haspopup': 'dialog', ...about };
    this.button = pushButton('Class', () => this.dialog.open(), more);
    this.stack = el('div', { class: 'sv-class', 'data-part': 'class', hidden: true }, this.bar);
    this.element = el('div', {}, this.card.element, this.stack, this.dialog.element);
    this.dialog.outside();
  }

  /** What the address or this tab has of a class, and from now on what happens on the page. */
  begin() {
    const asked = link.get('room');
    /** @type {OpenedClass | null} */
    const kept = asked ? null : keptData(KEPT, 'sessionStorage');
    if (asked) this.join(asked.slice(0, 8).toUpperCase());
    else if (kept) this.teach(kept);
    for (const name of /** @type {const} */ (['address', 'race', 'moment', 'page'])) {
      subscribe(name, () => this.taught && this.teaching.changed());
    }
    const race = () => this.attends && !this.following.touched && this.following.apply();
    subscribe('race', () => queueMicrotask(race));
    subscribe('show', (race) => this.noticeMissing('missing' in race));
    for (const name of /** @type {const} */ (['asking', 'page', 'address'])) subscribe(name, () => this.update());
    for (const name of ['click', 'keydown', 'input']) {
      document.addEventListener(name, ({ isTrusted }) => (this.following.touched ||= isTrusted), true);
    }
    document.addEventListener('keydown', (event) => this.keys(event));
  }

  get attends() {
    return this.code !== '' && !this.taught;
  }

  async open() {
    const { origin, pathname } = window.location;
    /** @type {OpenedClass | {error: string}} */
    const room = await post(null, { address: origin + pathname });
    if ('error' in room) this.dialog.tell(room.error);
    else this.teach(room);
  }

  /** @param {OpenedClass} room */
  teach(room) {
    keep(KEPT, JSON.stringify(room), 'sessionStorage');
    this.taught = room;
    this.dialog.teaching(room);
    this.enter(room.code, room.token);
    const bar = new TeacherBar(
      {
        oncode: () => this.dialog.open(),
        onask: () => this.ask(),
        onshow: () => this.tell('show'),
        onanswer: () => this.tell('answer'),
        onclose: () => this.tell('close'),
      },
      room.code,
    );
    this.show(bar);
    this.teaching.told = '';
    this.teaching.changed();
  }

  /** @param {string} code */
  join(code) {
    this.dialog.attending(code);
    this.dialog.close();
    this.enter(code, null);
    link.set({ room: code });
    const on = {
      onstop: () => this.following.stop(),
      onback: () => this.following.begin(),
      onleave: () => this.end(),
    };
    this.show(new StudentBar(on, code));
    this.following.begin();
  }

  /** @param {string} code @param {string | null} token */
  enter(code, token) {
    this.code = code;
    const onlost = () => {
      this.lost = true;
      this.update();
    };
    this.stream = new RoomStream(code, token, { onmessage: (message) => this.hear(message), onlost });
  }

  /** @param {TeacherBar | StudentBar} tools */
  show(tools) {
    this.tools = tools;
    this.bar.replaceChildren(...tools.parts);
    this.stack.hidden = false;
    document.documentElement.classList.add('sv-in-class');
    document.documentElement.classList.toggle('sv-attends', this.attends);
    this.update();
  }

  /** @param {ClassMessage} message */
  hear(message) {
    this.lost = false;
    if (message.kind === 'ended') {
      this.leave(message.text);
      return;
    }
    if (message.kind === 'welcome') this.member = message.member;
    if (message.kind !== 'screen') this.take(message);
    if (message.kind !== 'room' && this.attends) {
      this.trouble = '';
      this.following.show(message.screen);
    }
    const { mine } = this.card;
    if (message.kind === 'welcome' && mine && mine.poll === this.poll?.number) this.vote(mine.poll, mine.choice);
    this.update();
  }

  /**
   * Who is there and what is asked; a new question brings those who follow to its evidence.
   * @param {Stated} message
   */
  take({ students, poll }) {
    const another = poll !== null && poll.number !== this.poll?.number;
    Object.assign(this, { students, poll });
    publish('poll', poll);
    if (another && this.attends) this.following.apply();
  }

  /** @param {boolean} missing whether the race asked for is not kept */
  noticeMissing(missing) {
    if (!this.attends) return;
    this.trouble = missing ? 'The class looks at a race that this server no longer has.' : '';
    this.update();
  }

  get asking() {
    const asking = latest('asking');
    return asking && asking.page === pageNow() ? asking : null;
  }

  update() {
    const { tools, poll } = this;
    if (!tools) return;
    if (tools instanceof TeacherBar) tools.update(this.students, poll, this.asking !== null, this.lost);
    else tools.update(this.following.on, this.following.aside, this.lost, this.trouble);
    this.card.show(poll, Boolean(this.taught), this.students);
    document.documentElement.classList.toggle('sv-asked', this.hasEvidence());
  }

  /** Whether what the question is about is on this page: the question then stands beside it. */
  hasEvidence() {
    if (!this.poll) return false;
    const about = partsOf(this.poll.about);
    const here = partsOf(window.location.search);
    return about.view === pageNow() && (about.view !== 'lessons' || !differ(about, here, LESSON.slice(0, 1)));
  }

  ask() {
    const { asking } = this;
    if (!asking) return;
    const { question, choices, right, about } = asking;
    this.tell('ask', { question, choices, right, about });
  }

  /** What only a teacher may; whether it was done. @param {string} name @param {object} [more] */
  async tell(name, more = {}) {
    if (!this.taught) return true; // nobody is there any more
    const { code, token } = this.taught;
    return !('error' in (await post(code, { do: name, token, ...more })));
  }

  /** @param {number} poll @param {number} choice */
  vote(poll, choice) {
    post(this.code, { do: 'vote', member: this.member, poll, choice });
  }

  /** The teacher ends the class; a student leaves it. */
  async end() {
    await this.tell('end');
    this.leave('');
    this.dialog.close();
  }

  /** In no class any more. @param {string} text why */
  leave(text) {
    const { attends } = this;
    this.stream?.close();
    keep(KEPT, null, 'sessionStorage');
    if (attends) {
      link.set({ room: null });
      this.following.stop();
    }
    Object.assign(this, { taught: null, code: '', stream: null, tools: null, poll: null, trouble: '' });
    this.following.screen = null;
    this.card.mine = null;
    this.card.show(null, false, 0);
    publish('poll', null);
    this.stack.hidden = true;
    document.documentElement.classList.remove('sv-in-class', 'sv-attends', 'sv-asked');
    this.dialog.outside(text);
    if (text) this.dialog.open();
  }

  /** F: back to the class. @param {KeyboardEvent} event */
  keys(event) {
    const typing = closest(event.target, 'input:not([type="range"]), textarea, select, [contenteditable], dialog');
    if (!this.attends || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.toLowerCase() !== 'f') return;
    event.preventDefault();
    this.following.begin();
  }
}
