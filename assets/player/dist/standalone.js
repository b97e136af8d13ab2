"use strict";
var specviz = (() => {
  var __defProp = Object.defineProperty;
  var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
  var __getOwnPropNames = Object.getOwnPropertyNames;
  var __hasOwnProp = Object.prototype.hasOwnProperty;
  var __export = (target, all) => {
    for (var name in all)
      __defProp(target, name, { get: all[name], enumerable: true });
  };
  var __copyProps = (to, from, except, desc) => {
    if (from && typeof from === "object" || typeof from === "function") {
      for (let key of __getOwnPropNames(from))
        if (!__hasOwnProp.call(to, key) && key !== except)
          __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
    }
    return to;
  };
  var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

  // src/standalone.js
  var standalone_exports = {};
  __export(standalone_exports, {
    open: () => open
  });

  // src/base/dom.js
  var PROPERTIES = /* @__PURE__ */ new Set(["value", "checked", "disabled", "hidden", "open", "selected"]);
  var SVG = "http://www.w3.org/2000/svg";
  function assign(element, name, value) {
    if (value === null || value === void 0 || value === false) return;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (typeof value === "object") {
      for (const [key, text] of Object.entries(value))
        element.style.setProperty(key, text);
    } else if (PROPERTIES.has(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  function nodesOf(children) {
    return children.flatMap((child) => {
      if (child === null || child === void 0 || child === false) return [];
      if (typeof child === "object" && !(child instanceof Node)) return nodesOf(child);
      return [typeof child === "number" ? String(child) : child];
    });
  }
  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) assign(element, name, value);
    element.append(...nodesOf(children));
    return element;
  }
  function el(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
  }
  function svg(tag, attributes, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
  }
  function closest(target, selector) {
    return target instanceof Element ? target.closest(selector) : null;
  }

  // src/base/shared.js
  var shared = {};
  var listeners = /* @__PURE__ */ new Map();
  function publish(name, value) {
    shared[name] = value;
    for (const listener of listeners.get(name) || []) listener(value);
  }
  function subscribe(name, listener) {
    listeners.set(name, [...listeners.get(name) || [], listener]);
    if (name in shared) listener(
      /** @type {Shared[Name]} */
      shared[name]
    );
  }
  function latest(name) {
    return shared[name];
  }

  // src/base/terms.js
  function termsOf(glossary) {
    const about = Object.fromEntries(Object.entries(glossary).map(([term, text]) => [term.toLowerCase(), text]));
    const quoted = Object.keys(about).sort((a, b) => b.length - a.length).map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = quoted.length ? new RegExp(`(?<![\\p{L}\\d“])(${quoted.join("|")})(?![\\p{L}\\d])`, "giu") : null;
    return { about, pattern };
  }
  function explainedParts(text, { about, pattern }) {
    if (!pattern) return [{ text, about: null }];
    const said = /* @__PURE__ */ new Set();
    return text.split(pattern).map((part, at) => {
      const meaning = at % 2 ? about[part.toLowerCase()] : void 0;
      if (!meaning || said.has(meaning)) return { text: part, about: null };
      said.add(meaning);
      return { text: part, about: meaning };
    });
  }
  var known = termsOf({});
  function learn(glossary) {
    known = termsOf(glossary);
  }
  function explained(text) {
    return explainedParts(text, known).map(
      (part) => part.about ? el("span", { class: "sv-term", tabindex: 0, "data-tip": part.about }, part.text) : part.text
    );
  }

  // src/base/theme.js
  var isDark = () => document.body.classList.contains("dark");
  var isPresenting = () => document.documentElement.classList.contains("sv-present");
  var LARGE = 1.25;
  var figureScale = () => isPresenting() ? LARGE : 1;
  function themeButton() {
    const flip = () => document.body.classList.toggle("dark");
    const button4 = el("button", { type: "button", class: "sv-quiet", onclick: flip });
    const name = () => {
      button4.textContent = isDark() ? "☀ Light" : "☾ Dark";
    };
    new MutationObserver(() => {
      name();
      publish("dark", isDark());
    }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    name();
    return button4;
  }

  // src/base/tooltip.js
  var Tooltip = class {
    constructor() {
      this.tip = el("div", { id: "sv-tip", role: "tooltip", hidden: true });
      this.owner = null;
    }
    /** @param {HTMLElement} element */
    show(element) {
      const { tip } = this;
      if (!tip.isConnected) document.body.append(tip);
      this.hide();
      this.owner = element;
      tip.textContent = element.dataset.tip ?? "";
      tip.hidden = false;
      element.setAttribute("aria-describedby", "sv-tip");
      const box = element.getBoundingClientRect();
      const middle = Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2);
      const above = box.top - tip.offsetHeight - 8;
      tip.style.left = `${Math.min(middle, innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${above > 8 ? above : box.bottom + 8}px`;
    }
    hide() {
      this.owner?.removeAttribute("aria-describedby");
      this.owner = null;
      this.tip.hidden = true;
    }
    /** @param {Event} event */
    follow(event) {
      const element = closest(event.target, "[data-tip]");
      if (element) this.show(element);
      else if (this.owner) this.hide();
    }
  };
  function installTooltip() {
    const tooltip = new Tooltip();
    for (const name of ["pointerover", "focusin"]) document.addEventListener(name, (event) => tooltip.follow(event));
    document.addEventListener("focusout", () => tooltip.hide());
    document.addEventListener("scroll", () => tooltip.hide(), true);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") tooltip.hide();
    });
  }

  // src/lesson/progress.js
  var KEY = "specviz-lessons";
  function progress() {
    try {
      const kept = JSON.parse(window.localStorage.getItem(KEY) ?? "{}");
      const shares = Object.entries(kept).filter(([, share3]) => typeof share3 === "number" && share3 >= 0 && share3 <= 1);
      return Object.fromEntries(shares);
    } catch {
      return {};
    }
  }
  function reached(lesson, step, steps) {
    const known2 = progress();
    keepProgress({ ...known2, [lesson]: Math.max(known2[lesson] ?? 0, step / steps) });
  }
  function keepProgress(all) {
    try {
      window.localStorage.setItem(KEY, JSON.stringify(all));
    } catch {
    }
  }
  var progressWords = (share3) => !share3 ? "" : share3 >= 1 ? "✓ done" : `${Math.round(100 * share3)} % read`;

  // src/lesson/score.js
  var KEY2 = "specviz-scores";
  var MOST = 200;
  function soundScores(kept) {
    if (typeof kept !== "object" || kept === null) return {};
    const lessons = Object.entries(kept).filter(([, answers]) => typeof answers === "object" && answers !== null);
    return Object.fromEntries(
      lessons.map(([lesson, answers]) => {
        const sound = Object.entries(answers).filter(([, right]) => typeof right === "boolean");
        return [lesson, Object.fromEntries(sound.slice(0, MOST))];
      })
    );
  }
  function withAnswer(scores2, lesson, asked, right) {
    const known2 = scores2[lesson] ?? {};
    return asked in known2 ? scores2 : { ...scores2, [lesson]: { ...known2, [asked]: right } };
  }
  function tallyOf(answers) {
    const all = Object.values(answers ?? {});
    return { right: all.filter(Boolean).length, asked: all.length };
  }
  var wholeTally = (scores2) => tallyOf(Object.assign({}, ...prefixed(scores2)));
  var prefixed = (scores2) => Object.entries(scores2).map(
    ([lesson, answers]) => Object.fromEntries(Object.entries(answers).map(([asked, right]) => [`${lesson} ${asked}`, right]))
  );
  var tallyWords = ({ right, asked }) => asked ? `${right} of ${asked} right` : "";
  var memory = {};
  function scores() {
    try {
      const kept = window.localStorage.getItem(KEY2);
      return kept === null ? memory : soundScores(JSON.parse(kept));
    } catch {
      return memory;
    }
  }
  function keepScores(changed) {
    memory = changed;
    try {
      window.localStorage.setItem(KEY2, JSON.stringify(changed));
    } catch {
    }
  }
  var answered = (lesson, asked, right) => keepScores(withAnswer(scores(), lesson, asked, right));
  function forgetScore(lesson) {
    keepScores(Object.fromEntries(Object.entries(scores()).filter(([name]) => name !== lesson)));
  }

  // src/lesson/sketch.js
  var [WIDTH, HEIGHT] = [240, 84];
  var LOW = 38;
  var NAMES = 74;
  var FEW = 9;
  function placedBars(bars, height) {
    const line2 = height / Math.max(1, bars.length);
    const longest2 = Math.max(0.01, ...bars.flatMap(({ lengths }) => lengths.map(([, share3]) => share3)));
    return bars.map(({ label, lengths, marked: marked2 }, at) => {
      const thick = line2 * 0.78 / Math.max(1, lengths.length);
      const rects = lengths.map(([kind, share3], number) => ({
        kind,
        x: NAMES,
        y: at * line2 + line2 * 0.11 + number * thick,
        width: Math.max(1, (WIDTH - NAMES - 4) * share3 / longest2),
        height: thick - 0.6
      }));
      return { label, marked: marked2, y: (at + 0.5) * line2, rects };
    });
  }
  function placedNodes(nodes, height) {
    const room = nodes.length > FEW ? 12 : 46;
    const left = nodes.length > FEW ? 12 : 24;
    const x = (share3) => left + share3 * (WIDTH - left - room);
    const y = (share3) => 10 + share3 * (height - 20);
    return nodes.map((node) => {
      const from = node.parent === null ? null : nodes[node.parent];
      const edge = from ? { x1: x(from.x), y1: y(from.y), x2: x(node.x), y2: y(node.y) } : null;
      return { x: x(node.x), y: y(node.y), edge, label: node.label, state: node.state };
    });
  }
  var barShapes = (bars, height) => placedBars(bars, height).flatMap(({ label, marked: marked2, y, rects }) => [
    svg(
      "text",
      { x: NAMES - 5, y: y + 3.5, "text-anchor": "end", class: marked2 ? "marked" : null },
      label.length > 11 ? `${label.slice(0, 10)}…` : label
    ),
    ...rects.map(({ kind, ...place }) => svg("rect", { class: kind, ...place, rx: 1 }))
  ]);
  function treeShapes(nodes, height) {
    const placed = placedNodes(nodes, height);
    const words3 = nodes.length <= FEW;
    return [
      ...placed.flatMap(({ edge }) => edge ? [svg("line", edge)] : []),
      ...placed.flatMap(({ x, y, state, label }) => [
        svg("circle", { class: state, cx: x, cy: y, r: words3 ? 5 : 4 }),
        ...words3 ? [svg("text", { x, y: y + (y > 14 ? -8 : 16), "text-anchor": "middle" }, label)] : []
      ])
    ];
  }
  function sketch({ bars, nodes }) {
    const chain = nodes.every(({ y }) => y === nodes[0].y);
    const height = nodes.length ? chain ? LOW : HEIGHT : Math.min(HEIGHT, 4 + 17 * bars.length);
    const view = { class: "sv-sketch", translate: "no", viewBox: `0 0 ${WIDTH} ${height}`, "aria-hidden": "true" };
    return svg("svg", view, nodes.length ? treeShapes(nodes, height) : barShapes(bars, height));
  }

  // src/lesson/cards.js
  function plainClick(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return false;
    event.preventDefault();
    return true;
  }
  var hrefOf = (name) => `?view=lessons&lesson=${name}`;
  var LessonCards = class {
    /** @param {LessonCard[]} lessons @param {(name: string) => void} onopen */
    constructor(lessons, onopen) {
      this.onopen = onopen;
      this.lessons = lessons;
      this.list = el("ol", { class: "sv-lessons" });
      this.list.append(...lessons.map((one, at) => this.card(one, at + 1)));
      this.said = el("span", { role: "status" });
      const tip = "Forget what was read and answered in this browser";
      const begin = () => this.beginAgain();
      this.again = el("button", { type: "button", class: "sv-chip", "data-tip": tip, onclick: begin });
      this.score = el("p", { class: "sv-own-score", hidden: true }, this.said, this.again);
      this.element = el("div", {}, this.score, this.list);
      this.undo = null;
    }
    /** @param {LessonCard} lesson @param {number} number */
    card({ name, title, asks, goal, minutes, sketch: picture }, number) {
      const onclick = (event) => plainClick(event) && this.onopen(name);
      return el(
        "li",
        {},
        el(
          "a",
          { href: hrefOf(name), "data-lesson": name, onclick },
          el("span", { class: "sv-count-of", "aria-hidden": "true" }, number),
          el("h2", {}, title),
          el("p", { class: "sv-asks" }, asks),
          picture && sketch(picture),
          el("p", { class: "sv-goal" }, el("b", {}, "Goal: "), goal),
          el(
            "p",
            {},
            el("small", {}, `${minutes} minutes`),
            el("small", { class: "sv-read", "data-progress": name }),
            el("small", { class: "sv-read", "data-score": name })
          )
        )
      );
    }
    /** What was read and answered by now. */
    refresh() {
      const [read2, right] = [progress(), scores()];
      for (const { name } of this.lessons) {
        this.mark(`[data-progress="${name}"]`, progressWords(read2[name]));
        this.mark(`[data-score="${name}"]`, tallyWords(tallyOf(right[name])));
      }
      const done = this.lessons.filter(({ name }) => (read2[name] ?? 0) >= 1).length;
      const tally = wholeTally(right);
      this.undo = null;
      this.again.textContent = "Begin again";
      this.score.hidden = tally.asked === 0 && Object.keys(read2).length === 0;
      const answers = tally.asked ? `${tallyWords(tally)}, ` : "";
      this.said.textContent = `You so far: ${answers}${done} of ${this.lessons.length} lessons done.`;
    }
    /** @param {string} selector @param {string} text */
    mark(selector, text) {
      const found = this.list.querySelector(selector);
      if (found) found.textContent = text;
    }
    /** Forget, or, pressed once more, remember again. */
    beginAgain() {
      if (this.undo) {
        this.undo();
        this.refresh();
        return;
      }
      const [read2, right] = [progress(), scores()];
      keepProgress({});
      keepScores({});
      this.refresh();
      this.score.hidden = false;
      this.said.textContent = "Forgotten: all lessons begin anew.";
      this.again.textContent = "Undo";
      this.undo = () => {
        keepProgress(read2);
        keepScores(right);
      };
    }
  };

  // src/lesson/state.js
  var SHOWN = "shown";
  var totalSteps = (lesson) => lesson.steps.length + 1;
  function soundState(lesson, { step = 1, chosen: answer = null, rule = null }) {
    const number = Number(answer);
    const known2 = Number.isInteger(number) && number >= 1 && number <= lesson.question.choices.length;
    const chosen2 = answer === SHOWN ? SHOWN : known2 ? number : null;
    const at = Number.isInteger(step) ? Math.max(1, Math.min(step, totalSteps(lesson))) : 1;
    return { step: at, chosen: at > 1 ? chosen2 ?? SHOWN : chosen2, rule };
  }
  function addressOf({ run, at }) {
    const cut2 = run.indexOf(":");
    const [kind, names] = [run.slice(0, cut2), run.slice(cut2 + 1)];
    const query2 = new URLSearchParams({ view: at ? "microscope" : "race" });
    query2.set(kind === "gallery" ? "recorded" : "shown", kind === "gallery" ? names : run);
    if (at) query2.set("at", at);
    return `?${query2}`;
  }

  // src/lesson/break-it.js
  var METER = "The meter: how far the distribution of what comes out is from the one that the target alone would write with. 0 is the same distribution, that is lossless; 1 is nothing in common.";
  var groups = 0;
  var fixed = (value, digits) => value < 1e-6 ? "0" : value.toFixed(digits);
  function bar(kind, share3) {
    const length = el("span", { class: `sv-length ${kind}`, style: { width: `${100 * share3}%` } });
    return el("td", {}, length, el("b", {}, share3.toFixed(3)));
  }
  function tokenRow({ token, target, broken }) {
    const off = Math.abs(target - broken) > 5e-4 ? "off" : null;
    return el(
      "tr",
      { class: off },
      el("th", { scope: "row", translate: "no" }, token),
      bar("target", target),
      bar("out", broken)
    );
  }
  var Outcome = class {
    constructor() {
      this.about = el("p", {});
      this.needle = el("span", { class: "sv-length" });
      this.distance = el("b", {});
      this.said = el("p", {});
      this.small = el("p", { class: "sv-hint" });
      this.rows = el("tbody", {});
      const meaning = el("p", { class: "sv-hint" }, METER);
      const scale2 = el("span", { class: "sv-scale", "aria-hidden": "true" }, this.needle);
      const title = el("span", {}, "Distance from the target’s distribution");
      this.meter = el("div", { class: "sv-distance" }, title, scale2, this.distance);
      this.status = el("div", { role: "status" }, this.about, this.meter, meaning, this.said);
      const heads = ["Token", "Target", "What comes out"].map((text) => el("th", { scope: "col" }, text));
      this.table = el("table", {}, el("thead", {}, el("tr", {}, heads)), this.rows);
    }
    /** @param {BreakSwitch} one */
    show(one) {
      const reference = fixed(one.reference, 3);
      this.about.textContent = one.about;
      this.needle.style.width = `${100 * one.distance}%`;
      this.distance.textContent = fixed(one.distance, 3);
      this.meter.classList.toggle("off", one.distance > 1e-6);
      this.said.textContent = one.sentence;
      const where = "On a small pair of models, where every coin can be tried,";
      this.small.textContent = `${where} the distance over two tokens is ${reference}.`;
      this.rows.replaceChildren(...one.distribution.map(tokenRow));
    }
  };
  function breakIt(switches, rule, onrule) {
    const name = `sv-break-${++groups}`;
    const outcome = new Outcome();
    const first = switches.find((one) => one.name === rule) || switches[0];
    const input = (one) => {
      const onchange = () => {
        outcome.show(one);
        onrule(one === switches[0] ? null : one.name);
      };
      const radio = el("input", { type: "radio", name, value: one.name, checked: one === first, onchange });
      return el("label", {}, radio, one.title);
    };
    outcome.show(first);
    return el(
      "section",
      { class: "sv-break", "aria-label": "Break it" },
      el("h3", {}, "Break it"),
      el("div", { class: "sv-switches", role: "radiogroup", "aria-label": "The rule" }, switches.map(input)),
      outcome.status,
      outcome.small,
      outcome.table
    );
  }

  // src/microscope/predict.js
  var ANSWERS = [
    ["accepted", "It stays", "S"],
    ["rejected", "It goes", "G"]
  ];
  var Predict = class {
    on = false;
    right = 0;
    asked = 0;
    /** @type {{verdict: Verdict, go: () => void} | null} */
    open = null;
    /**
     * @param {(on: boolean) => void} ontoggle
     * @param {object} [options]
     * @param {boolean} [options.on] from the beginning
     * @param {boolean} [options.quiet] nothing is said before the first guess
     * @param {(right: boolean) => void} [options.onanswer]
     */
    constructor(ontoggle, { on = false, quiet = false, onanswer = () => {
    } } = {}) {
      this.ontoggle = ontoggle;
      this.on = on;
      this.quiet = quiet;
      this.onanswer = onanswer;
      const tip = "Say before each verdict whether the guess stays; keys S and G";
      const attributes = {
        type: "button",
        class: "sv-chip",
        "aria-pressed": String(on),
        "data-tip": tip,
        "data-part": "predict"
      };
      this.button = el("button", { ...attributes, onclick: () => this.toggle() }, "Predict");
      this.question = el("b", {});
      this.buttons = ANSWERS.map(
        ([verdict, label, key]) => el("button", { type: "button", class: "sv-chip", onclick: () => this.answer(verdict) }, `${label} (${key})`)
      );
      this.score = el("span", { class: "sv-score", role: "status" });
      this.element = el("div", { class: "sv-predict", hidden: true }, this.question, this.buttons, this.score);
    }
    toggle() {
      this.on = !this.on;
      this.open = null;
      [this.right, this.asked] = [0, 0];
      this.button.setAttribute("aria-pressed", String(this.on));
      this.ontoggle(this.on);
      this.draw("");
    }
    /**
     * Ask about the step to come, and go there once it is answered. False where nothing is to be asked.
     * @param {Verdict | null} verdict what the step decides
     * @param {string} guess
     * @param {() => void} go
     */
    asks(verdict, guess, go) {
      if (!this.on || !verdict) return false;
      if (this.open) return true;
      this.open = { verdict, go };
      this.question.textContent = `“${guess}”: stays or goes?`;
      this.draw("");
      this.buttons[0].focus();
      return true;
    }
    /** @param {Verdict} said */
    answer(said) {
      const { open: open2 } = this;
      if (!open2) return;
      const right = said === open2.verdict;
      this.asked += 1;
      this.right += Number(right);
      this.open = null;
      this.onanswer(right);
      open2.go();
      this.draw(right ? "Right: " : "No: ", open2.verdict);
    }
    /** Leave the question where the reader went elsewhere. */
    leave() {
      this.open = null;
      this.draw("");
    }
    /** @param {string} said @param {Verdict} [verdict] */
    draw(said, verdict) {
      this.element.hidden = !this.on || this.quiet && !this.open && !said;
      const asking = this.open !== null;
      this.question.hidden = !asking;
      for (const button4 of this.buttons) button4.hidden = !asking;
      const happened = verdict ? `it ${verdict === "accepted" ? "stays" : "goes"}. ` : "";
      const tally = this.asked ? `${this.right} of ${this.asked} right.` : "Step forward: each verdict is asked first.";
      this.score.textContent = asking ? "" : `${said}${happened}${tally}`;
    }
    /** Keys that answer; true where one did. @param {KeyboardEvent} event */
    keys({ key }) {
      const answer = ANSWERS.find(([, , letter]) => letter.toLowerCase() === key.toLowerCase());
      if (!this.open || !answer) return false;
      this.answer(answer[0]);
      return true;
    }
  };

  // src/lesson/guess.js
  var nameOf = (step) => `step-${step}`;
  var GuessFirst = class {
    step = 0;
    // whose guess is to be predicted, from 1; 0: none
    lesson = "";
    /**
     * @param {object} on
     * @param {() => void} on.onleave the question is left without an answer
     * @param {(guess: string | null) => void} on.onguess a guess is to be predicted, or no more
     */
    constructor({ onleave, onguess }) {
      this.onleave = onleave;
      this.onguess = onguess;
      this.predict = new Predict(() => this.leave(), {
        on: true,
        quiet: true,
        onanswer: (right) => {
          answered(this.lesson, nameOf(this.step), right);
          this.end();
        }
      });
    }
    /** Another lesson. @param {LessonWords} lesson */
    load({ name, steps }) {
      this.lesson = name;
      this.leave();
      this.predict.leave();
      Object.assign(this.predict, { right: 0, asked: 0 });
      this.predict.button.hidden = !steps.some(({ predict }) => predict);
    }
    /**
     * Ask before a step, unless it was answered; false where nothing is to be asked.
     * @param {LessonWords} lesson
     * @param {number} step from 1
     * @param {() => void} go
     */
    asks({ name, steps }, step, go) {
      const guess = step > 1 ? steps[step - 2].predict : null;
      if (!guess || nameOf(step) in (scores()[name] ?? {})) return false;
      if (!this.predict.asks(guess.verdict, guess.label, go)) return false;
      this.step = step;
      this.onguess(guess.label);
      return true;
    }
    end() {
      this.step = 0;
      this.onguess(null);
    }
    /** The question is left without an answer. */
    leave() {
      if (!this.step) return;
      this.end();
      this.predict.leave();
      this.onleave();
    }
  };

  // src/base/pieces.js
  var FIRST_LETTER = /\p{L}/u;
  var RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
  var PLAIN = /^[\0-\u02ff]*$/;
  var CURSIVE = "[\\p{M}\\p{sc=Arabic}\\p{sc=Syriac}\\p{sc=Mandaic}\\p{sc=Nko}\\p{sc=Mongolian}\\p{sc=Adlam}]";
  var WRITTEN_ON = new RegExp(`${CURSIVE}$`, "u");
  var GOES_ON = new RegExp(`^${CURSIVE}`, "u");
  var END = "￿";
  var named = (piece) => piece === END ? "end of answer" : piece.trim() === "" ? JSON.stringify(piece) : piece;
  var isRightToLeft = (text) => RIGHT_TO_LEFT.test(FIRST_LETTER.exec(text)?.[0] ?? "");
  var ISOLATE = ["⁨", "⁩"];
  var isolated = (text) => ISOLATE.join(text);
  var characters = (text) => PLAIN.test(text) ? [...text] : Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  function visible(piece) {
    if (piece === "") return [["▯", "mark"]];
    if (piece === END) return [["end of answer", "mark"]];
    const runs = [];
    for (const part of piece.split(/(\n|\t|^ +| +$)/)) {
      if (part === "") continue;
      if (part === "\n") runs.push(["↵", "mark"], ["\n", null]);
      else if (part === "	") runs.push(["⇥", "mark"], ["	", null]);
      else runs.push([part, part.trim() === "" ? "space" : null]);
    }
    return runs;
  }
  function marked(piece, { breaks = true } = {}) {
    return visible(piece).map(([run, mark]) => {
      if (mark === "mark") return el("i", { class: "mark", "data-mark": run });
      if (run === "\n" && !breaks) return el("i", { class: "unbroken" }, run);
      return mark ? el("i", { class: mark }, run) : run;
    });
  }
  function strip(tag, attributes, ...children) {
    const made = el(
      tag,
      { ...attributes, class: `${attributes.class} sv-pieces`, dir: "auto", translate: "no" },
      ...children
    );
    return keepWhole(made);
  }
  var meetsInside = (text, at, starts) => !starts.has(at) || WRITTEN_ON.test(text.slice(0, at).slice(-2)) && GOES_ON.test(text.slice(at, at + 2));
  var startsOf = (text) => new Set(Array.from(new Intl.Segmenter().segment(text), ({ index }) => index));
  function goesOn(before, piece) {
    const text = before + piece;
    return !PLAIN.test(piece) && meetsInside(text, before.length, startsOf(text));
  }
  function keepWhole(element) {
    const text = element.textContent ?? "";
    if (PLAIN.test(text)) return element;
    const starts = startsOf(text);
    let at = 0;
    let before = null;
    for (const piece of element.querySelectorAll("span:not(:has(span))")) {
      if (before && at && meetsInside(text, at, starts)) for (const one of [before, piece]) one.classList.add("joined");
      at += piece.textContent?.length ?? 0;
      before = piece;
    }
    return element;
  }

  // src/parts/call-bars.js
  var milliseconds = (seconds) => `${Number((1e3 * seconds).toPrecision(3))} ms`;
  var tokensWords = (tokens) => `${tokens} token${tokens === 1 ? "" : "s"}`;
  function callBars(calls, marked2 = null) {
    const most = Math.max(0, ...calls.map(({ seconds }) => seconds));
    const bars = calls.map(({ tokens, seconds, calls: times }) => {
      const here2 = tokens === marked2;
      return el(
        "div",
        { role: "listitem", class: here2 ? "here" : null, "data-tip": `the median of ${times} calls` },
        el("span", {}, here2 ? "▸ " : "", tokensWords(tokens)),
        el("i", { style: { width: `${100 * seconds / most}%` }, "aria-hidden": "true" }),
        el("b", {}, milliseconds(seconds))
      );
    });
    return el("div", { class: "sv-calls", role: "list", "aria-label": "Target calls by the tokens they read" }, bars);
  }

  // src/draw/type.js
  var TYPE = 13;
  var SMALL = 11;
  var LINE = 14;
  var NARROW = /[ijltfrI.,:;'|!()[\]{}·’‘‹› ]/;
  var WIDE = /[mwMW@%—…↔∞]/;
  var CAPITAL = /[A-Z0-9+=<>≤≥−×~ρστΣ_&?#$“”]/;
  var LATIN = /[\u0021-\u024f]/;
  var DIRECTION = /[\u2066-\u2069\u200e\u200f]/g;
  function share(letter) {
    if (NARROW.test(letter)) return 0.31;
    if (WIDE.test(letter)) return 0.95;
    if (CAPITAL.test(letter)) return 0.63;
    return LATIN.test(letter) ? 0.56 : 1;
  }
  var letters = (text) => characters(text.replace(DIRECTION, ""));
  var widthOf = (text, size = TYPE) => 1.04 * size * letters(text).reduce((sum2, letter) => sum2 + share(letter), 0);
  var widest = (texts, size = TYPE) => Math.max(0, ...texts.map((text) => widthOf(text, size)));
  function fitted(text, room, size = TYPE) {
    if (widthOf(text, size) <= room) return text;
    const whole2 = letters(text);
    let count = whole2.length;
    while (count > 0 && widthOf(`${whole2.slice(0, count).join("")}…`, size) > room) count--;
    if (count < 1) return "";
    const cut2 = `${whole2.slice(0, count).join("")}…`;
    return text.startsWith(ISOLATE[0]) ? ISOLATE.join(cut2) : cut2;
  }
  function inLines(text, room, size = SMALL) {
    const lines2 = [];
    for (const word of text.split(" ")) {
      const last = lines2.at(-1);
      if (last !== void 0 && widthOf(`${last} ${word}`, size) <= room) lines2[lines2.length - 1] = `${last} ${word}`;
      else lines2.push(word);
    }
    return lines2.map((line2) => fitted(line2, room, size));
  }
  function hatching({ x, y, width, height }, gap = 6) {
    const parts = [];
    const right = x + width;
    for (let sum2 = gap * Math.ceil((x + y) / gap); sum2 < right + y + height; sum2 += gap) {
      const from = Math.max(x, sum2 - y - height);
      const to = Math.min(right, sum2 - y);
      if (to - from > 0.5) parts.push(`M${round(from)} ${round(sum2 - from)}L${round(to)} ${round(sum2 - to)}`);
    }
    return parts.join("");
  }
  var round = (value) => Math.round(100 * value) / 100;

  // src/draw/marks.js
  var rectangle = ({ x, y, width, height }, name, rx = 0) => svg("rect", {
    class: name,
    x: round(x),
    y: round(y),
    width: round(Math.max(0, width)),
    height: round(Math.max(0, height)),
    rx: rx || null
  });
  var words = (text, { x, y, anchor = "start", size = TYPE, name = "" }) => svg(
    "text",
    { class: name || null, x: round(x), y: round(y), "font-size": round(size), "text-anchor": anchor },
    text
  );
  var line = (name, x1, y1, x2, y2) => svg("line", { class: name, x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2) });
  var hatched = (box) => [
    rectangle(box, "outline"),
    svg("path", { class: "hatch", d: hatching({ ...box, x: box.x, width: Math.max(0, box.width) }) })
  ];
  function linked({ node = null, tip = "", frame, badge, name = "" }, ...children) {
    const place = badge.map(round).join(" ");
    return svg(
      "g",
      { class: name || null, "data-node": node, "data-tip": tip || null, "data-badge": node === null ? null : place },
      children,
      node === null ? null : rectangle(frame, "frame", 3)
    );
  }
  function badgeElement(number, place) {
    const [x, y] = place.split(" ").map(Number);
    return svg(
      "g",
      { class: "sv-badge" },
      svg("circle", { cx: x, cy: y, r: 8 }),
      words(String(number), { x, y, anchor: "middle", size: 11 })
    );
  }
  function ticksTo(end, most = 4) {
    const steps = [1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5];
    const step = steps.find((one) => end / one <= most + 1e-6) ?? 0.5;
    return Array.from({ length: Math.floor(end / step + 1e-6) + 1 }, (_, at) => Number((at * step).toFixed(4)));
  }
  function shared2(needs, height) {
    const least = needs.reduce((sum2, one) => sum2 + one.least, 0);
    const more = needs.reduce((sum2, one) => sum2 + one.wanted - one.least, 0);
    const part = more > 0 ? Math.max(0, Math.min(1, (height - least) / more)) : 0;
    return needs.map((one) => one.least + part * (one.wanted - one.least));
  }

  // src/draw/bars.js
  var LEAST = 13;
  var PAIR = 34;
  var ONE = 24;
  var AXIS = 18;
  var TITLE = 20;
  var LEADING = 2;
  var FEW2 = 5;
  var GAP = 8;
  var SHARE = 0.36;
  var APART = " / ";
  var nameOf2 = ({ mark = "", label }) => mark ? `${mark} ${label}` : label;
  var isDouble = ({ rows }) => rows.some(({ bars }) => bars.length > 1);
  var around = ({ title, level }, ticks) => ({
    head: (title ? TITLE : 0) + (level ? LINE + 2 : 0),
    foot: ticks ? AXIS : 2
  });
  function needsOfBars(bars, ticks = true) {
    const { head, foot } = around(bars, ticks);
    const rows = bars.rows.length;
    return { least: head + foot + LEAST * rows, wanted: head + foot + (isDouble(bars) ? PAIR : ONE) * rows };
  }
  function fewer(all) {
    const [{ rows: first }] = all;
    const ends = first.at(-1)?.rest ?? false;
    const free = first.findLastIndex((_, at) => all.every(({ rows }) => !rows[at].mark && !rows[at].rest));
    if (first.length <= FEW2 || free < 0) return null;
    return all.map((bars) => {
      const { rows } = bars;
      const gone = rows[free];
      const kept = rows.filter((_, at) => at !== free);
      if (!ends) return { ...bars, rows: [...kept, { label: "all others", bars: gone.bars, rest: true }] };
      const last = rows[rows.length - 1];
      return {
        ...bars,
        rows: [...kept.slice(0, -1), { ...last, bars: last.bars.map((bar2, at) => sum(bar2, gone.bars[at])) }]
      };
    });
  }
  var solidOf = ({ solid, length }) => solid ?? length;
  function sum(one, other) {
    const length = one.length + other.length;
    return { ...one, length, solid: solidOf(one) + solidOf(other), text: String(Number(length.toPrecision(2))) };
  }
  var labelsOfBars = ({ rows }, width) => Math.min(SHARE * width, widest(rows.map(nameOf2)) + 6);
  function placeBars(bars, { x, y, width, height }, labels = labelsOfBars(bars, width), ticks = true) {
    const { head, foot } = around(bars, ticks);
    const tall = Math.max(LEAST, Math.min(isDouble(bars) ? PAIR : ONE, (height - head - foot) / bars.rows.length));
    const type = tall >= 17 ? TYPE : SMALL;
    const pad = Math.max(2, 0.16 * tall);
    const line2 = (tall - pad) / 2 - LEADING;
    const twoLines = isDouble(bars) && line2 >= SMALL;
    const small = twoLines ? Math.min(TYPE, line2) : type;
    const lines2 = bars.rows.map((row2) => {
      const texts = row2.bars.map(({ text }) => text);
      return twoLines ? texts : [texts.join(APART)];
    });
    const room = widest(lines2.flat(), small) + GAP;
    const left = x + labels + GAP;
    const length = Math.max(10, x + width - room - left);
    const across = (probability) => left + length * Math.min(probability, bars.most) / bars.most;
    const top = y + head;
    const rows = bars.rows.map((row2, at) => {
      const place = { x, y: top + at * tall, width, height: tall };
      const thick = (tall - pad - (row2.bars.length - 1)) / Math.max(1, row2.bars.length);
      const placed = row2.bars.map((bar2, number) => ({
        bar: bar2,
        box: { x: left, y: place.y + pad / 2 + number * (thick + 1), width: across(bar2.length) - left, height: thick },
        solid: across(Math.min(solidOf(bar2), bar2.length)) - left
      }));
      const longest2 = left + Math.max(0, ...placed.map(({ box }) => box.width));
      const end = bars.level ? left + length : longest2;
      const middle = place.y + tall / 2;
      const numbers = lines2[at].map((text, number) => {
        const { box } = placed[number] ?? {};
        return twoLines && box ? { text, x: (bars.level ? end : box.x + box.width) + 5, y: box.y + box.height / 2 } : { text, x: end + 5, y: middle };
      });
      return { row: row2, box: place, label: fitted(nameOf2(row2), labels - (row2.mark ? 6 : 0), type), bars: placed, numbers };
    });
    return { rows, type, small, labels: x + labels, top, bottom: top + tall * rows.length, across };
  }
  function barElement({ bar: bar2, box, solid }) {
    const rest = { ...box, x: box.x + solid, width: box.width - solid };
    const group = svg("g", { class: "bar", "data-tone": bar2.tone }, rectangle({ ...box, width: solid }, "fill"));
    if (rest.width > 0.5) group.append(...hatched(rest));
    return group;
  }
  function rowElement({ row: row2, box, label, bars, numbers }, { type, small, labels }) {
    const middle = box.y + box.height / 2;
    const tip = `${row2.label}: ${row2.bars.map(({ text }) => text).join(APART)}`;
    const frame = { ...box, x: box.x + 1, width: box.width - 2 };
    return linked(
      { node: row2.node, tip, frame, badge: [box.x + box.width - 10, middle], name: row2.mark ? "row judged" : "row" },
      rectangle(box, "band", 4),
      words(label, { x: labels, y: middle, anchor: "end", size: type, name: "label" }),
      bars.map(barElement),
      numbers.map(({ text, x, y }) => words(text, { x, y, size: small, name: "number" }))
    );
  }
  function drawBars(bars, box, labels, ticked = true) {
    const placed = placeBars(bars, box, labels, ticked);
    const { top, bottom, across, rows } = placed;
    const { title, level } = bars;
    const ticks = ticksTo(bars.most);
    const end = box.x + box.width;
    const grid = ticks.map((at) => line("grid", across(at), top, across(at), bottom));
    const numbers = ticks.map(
      (at) => words(String(at), { x: across(at), y: bottom + 9, anchor: "middle", size: SMALL, name: "tick" })
    );
    return svg(
      "g",
      { class: "bars" },
      title ? words(fitted(title, box.width), { x: box.x, y: box.y + TITLE / 2, name: "title" }) : null,
      grid,
      rows.map((row2) => rowElement(row2, placed)),
      level ? levelElement(level, across(level.at), top, bottom, [box.x, end]) : null,
      ticked ? numbers : null
    );
  }
  function levelElement({ words: text, tone = "rejected", stroke = "dashed" }, x, top, bottom, [from, to]) {
    const said = fitted(text, to - from, SMALL + 1);
    const half = widthOf(said, SMALL + 1) / 2;
    const middle = Math.max(from + half, Math.min(to - half, x));
    return svg(
      "g",
      { class: "level", "data-tone": tone, "data-stroke": stroke, "data-tip": said === text ? null : text },
      line("rule", x, top, x, bottom),
      words(said, { x: middle, y: top - LINE / 2 - 1, anchor: "middle", size: SMALL + 1 })
    );
  }

  // src/draw/chart.js
  var SMALLEST = 64;
  var USUAL = 210;
  var ROW = 13;
  var POINT = 10;
  var DOT = 5;
  var FEW3 = 6;
  var TICKS = 18;
  var BRACKET = 26;
  var TITLE2 = 15;
  var SIDE = 0.36;
  var TOLD = 0.27;
  var DOTS = ["●", "○", ""];
  var uprights = ({ levels = [] }) => levels.filter(({ upright }) => upright);
  var crossing = ({ levels = [] }) => levels.filter(({ upright, words: text }) => !upright && text);
  var inTwo = (word) => {
    const [, number = "", rest = ""] = /^(\d+) (.+)$/.exec(word) ?? [];
    return number ? [number, rest] : [word];
  };
  var ticksHeight = ({ ticks }) => !ticks.length ? 0 : TICKS + (ticks.some(({ word }) => inTwo(word).length > 1) ? LINE - 1 : 0);
  function around2(chart) {
    const { x, y, columns = [], points = [], bracket } = chart;
    const over = (y.title ? TITLE2 : 0) + LINE * uprights(chart).length;
    const under = ticksHeight(x) + (bracket ? BRACKET : 0) + (x.title ? TITLE2 : 0);
    return { head: over + (columns.some(({ word }) => word) ? 12 : points.length ? 6 : 4), foot: under + 6 };
  }
  function needsOfChart(chart) {
    const { head, foot } = around2(chart);
    const { tall = 1, y } = chart;
    const rows = y.ticks.length > FEW3 ? ROW * y.ticks.length : 0;
    const least = Math.max(rows, SMALLEST * Math.min(1, tall));
    return { least: head + foot + least, wanted: head + foot + Math.max(1.4 * rows, USUAL * tall) };
  }
  function sidesOf(chart, width) {
    const ticks = widest(
      chart.y.ticks.map(({ word }) => word),
      SMALL
    );
    const told = crossing(chart).map(({ words: text }) => inLines(text, TOLD * width));
    const last = chart.x.ticks.at(-1);
    const over = last ? widthOf(last.word, SMALL) / 2 - 10 : 0;
    return {
      left: Math.max(10, Math.min(SIDE * width, ticks + 8)),
      right: Math.max(8, Math.min(over, 24), told.length ? widest(told.flat(), SMALL) + 8 : 0)
    };
  }
  var scale = ({ low, high }, from, to) => {
    const span = high - low || 1;
    return (value) => from + (value - low) / span * (to - from);
  };
  function placeChart(chart, { x, y, width, height }, sides = sidesOf(chart, width)) {
    const { head, foot } = around2(chart);
    const plot = {
      x: x + sides.left,
      y: y + head,
      width: Math.max(20, width - sides.left - sides.right),
      height: Math.max(20, height - head - foot)
    };
    const across = scale(chart.x, plot.x, plot.x + plot.width);
    const up = scale(chart.y, plot.y + plot.height, plot.y);
    return { plot, across, up };
  }
  function apart(places, none) {
    const sorted = [...new Set(places.map(round))].sort((one, other) => one - other);
    return Math.min(none, ...sorted.slice(1).map((place, at) => place - sorted[at]));
  }
  function radiusOf(points, { across, up }) {
    const near = points.flatMap(
      (one, at) => points.slice(at + 1).map((other) => Math.hypot(across(one.x) - across(other.x), up(one.y) - up(other.y))).filter((distance) => distance > 2)
    );
    return Math.max(4, Math.min(POINT, 0.52 * Math.min(2 * POINT, ...near)));
  }
  function placeTold(levels, up, room, [top, bottom]) {
    const told = levels.map(({ at, words: text }) => ({ lines: inLines(text, room), y: up(at), top: 0 }));
    const tall = ({ lines: lines2 }) => 13 * lines2.length;
    const sorted = [...told].sort((one, other) => one.y - other.y);
    let next = top;
    for (const one of sorted) {
      one.top = Math.max(next, one.y - tall(one) / 2);
      next = one.top + tall(one);
    }
    let end = bottom;
    for (const one of sorted.reverse()) {
      one.top = Math.max(Math.min(one.top, end - tall(one)), top);
      end = one.top;
    }
    return told;
  }
  function placeTicks(ticks, across, plot) {
    const places = ticks.map(({ at }) => across(at));
    const room = apart(places, plot.width) - 6;
    const wide = widest(
      ticks.flatMap(({ word }) => inTwo(word)),
      SMALL
    );
    const step = room >= Math.min(wide, 34) ? 1 : Math.ceil(Math.min(wide + 6, 34) / Math.max(1, room + 6));
    const cut2 = (text) => fitted(text, step * (room + 6) - 6, SMALL);
    return ticks.flatMap(
      ({ word }, at) => at % step ? [] : [{ x: places[at], lines: inTwo(word).map(cut2), whole: word }]
    );
  }
  function acrossElement(axis2, { plot, across }) {
    const { ticks, title } = axis2;
    const foot = plot.y + plot.height;
    const end = title ? fitted(title, plot.width, SMALL) : "";
    return svg(
      "g",
      { class: "axis" },
      line("base", plot.x, foot, plot.x + plot.width, foot),
      placeTicks(ticks, across, plot).map(
        ({ x, lines: lines2, whole: whole2 }) => svg(
          "g",
          { "data-tip": lines2.join(" ") === whole2 ? null : whole2 },
          line("stub", x, foot, x, foot + 4),
          lines2.map(
            (text, at) => words(text, { x, y: foot + 12 + 13 * at, anchor: "middle", size: SMALL, name: "tick" })
          )
        )
      ),
      end && words(end, {
        x: plot.x + plot.width / 2,
        y: foot + ticksHeight(axis2) + 9,
        anchor: "middle",
        size: SMALL,
        name: "tick"
      })
    );
  }
  function uprightElement({ ticks, title }, { plot, up }, from, top) {
    const places = ticks.map(({ at, word }) => ({ y: up(at), word, cut: fitted(word, plot.x - from - 7, SMALL) }));
    const every = Math.ceil(
      (SMALL + 2) / apart(
        places.map(({ y }) => y),
        plot.height
      )
    );
    const shown = places.filter((_, at) => at % every === 0);
    return svg(
      "g",
      { class: "axis" },
      title ? words(title, { x: from, y: top + TITLE2 / 2, size: SMALL, name: "tick" }) : null,
      shown.map(({ y, word, cut: cut2 }) => [
        line("grid", plot.x, y, plot.x + plot.width, y),
        svg(
          "g",
          { "data-tip": cut2 === word ? null : word },
          words(cut2, { x: plot.x - 7, y, anchor: "end", size: SMALL, name: ticks.length > FEW3 ? "" : "tick" })
        )
      ])
    );
  }
  function lineElement({ points, tone, stroke = "solid", steps = false }, { across, up }) {
    const path = points.map(([x, y], at) => {
      const to = `${round(across(x))} ${round(up(y))}`;
      if (at === 0) return `M${to}`;
      return steps ? `H${round(across(x))}V${round(up(y))}` : `L${to}`;
    });
    return svg("path", { class: "line", "data-tone": tone, "data-stroke": stroke, d: path.join("") });
  }
  function columnElements(columns, { plot, across, up }) {
    const space = apart(
      columns.map(({ x }) => across(x)),
      plot.width / 2
    );
    const wide = Math.max(3, Math.min(46, 0.56 * space));
    const told = widest(
      columns.map(({ word = "" }) => word),
      SMALL
    ) <= space - 2;
    return columns.map(({ x, height, tone, word = "", hollow }) => {
      const [middle, top] = [across(x), up(height)];
      const foot = Math.min(up(0), plot.y + plot.height);
      const box = { x: middle - wide / 2, y: top, width: wide, height: foot - top };
      return svg(
        "g",
        { class: "column", "data-tone": tone, "data-tip": word || null },
        hollow ? hatched(box) : rectangle(box, "fill", 1),
        word && told ? words(word, { x: middle, y: top - 8, anchor: "middle", size: SMALL }) : null
      );
    });
  }
  function pointElement(point, { plot, across, up }, radius) {
    const { tone, glyph, words: tip, node, hollow, faint, ringed, beyond = "" } = point;
    const dot = DOTS.includes(glyph);
    const r = dot ? Math.min(DOT, radius) : radius;
    const inside = (at) => Math.max(plot.y + r, Math.min(plot.y + plot.height - r - 1, at));
    const [x, y] = [across(point.x), beyond ? inside(up(point.y)) : up(point.y)];
    const box = { x: x - r, y: y - r, width: 2 * r, height: 2 * r };
    const corner = tone === "rejected" && !dot ? 3 : r;
    const wide = { x: x - r - 3, y: y - r - 3, width: 2 * r + 6, height: 2 * r + 6 };
    const ring = svg("rect", { class: "ring", ...wide, rx: corner + 3 });
    const kind = `point${hollow || glyph === "○" ? " hollow" : ""}${faint ? " faint" : ""}`;
    const group = linked(
      { node, tip, frame: wide, badge: [x - r - 5, y - r - 3], name: kind },
      ringed ? ring : null,
      rectangle(box, "body", corner),
      dot || r < 6 ? null : words(glyph, { x, y, anchor: "middle", size: 1.25 * r, name: "glyph" }),
      beyond ? words(beyond, { x: x + r + 5, y, size: TYPE }) : null
    );
    group.setAttribute("data-tone", tone);
    return group;
  }
  function bracketElement({ start, end, word }, { plot, across }, over) {
    const y = plot.y + plot.height + over + 3;
    const [from, to] = [across(start), across(end)];
    const half = widthOf(word) / 2;
    const middle = Math.max(plot.x + half, Math.min(plot.x + plot.width - half, (from + to) / 2));
    return svg(
      "g",
      { class: "bracket" },
      svg("path", { d: `M${round(from)} ${y}v6H${round(to)}v-6` }),
      words(word, { x: middle, y: y + 15, anchor: "middle" })
    );
  }
  function crossingElement({ at, tone = "rejected", stroke = "dashed", words: text }, { plot, up }, told) {
    const end = plot.x + plot.width;
    const said = told?.lines.map(
      (one, number) => words(one, { x: end + 6, y: told.top + 13 * (number + 0.5), size: SMALL })
    );
    const about = { class: "level", "data-tone": tone, "data-stroke": stroke, "data-tip": text || null };
    return svg("g", about, line("rule", plot.x, up(at), end, up(at)), said);
  }
  function standingElement({ at, tone = "rejected", stroke = "dashed", words: text }, { plot, across }, y, [from, to]) {
    const said = fitted(text, to - from, SMALL);
    const half = widthOf(said, SMALL) / 2;
    const x = Math.max(from + half, Math.min(to - half, across(at)));
    const about = { class: "level", "data-tone": tone, "data-stroke": stroke, "data-tip": text || null };
    return svg(
      "g",
      about,
      line("rule", across(at), y + LINE / 2, across(at), plot.y + plot.height),
      words(said, { x, y, anchor: "middle", size: SMALL })
    );
  }
  function drawChart(chart, box, sides = sidesOf(chart, box.width)) {
    const frame = placeChart(chart, box, sides);
    const { plot, up } = frame;
    const { columns = [], lines: lines2 = [], points = [], levels = [], bracket } = chart;
    const told = crossing(chart);
    const placed = placeTold(told, up, sides.right - 7, [box.y, plot.y + plot.height + 8]);
    const within3 = (
      /** @type {[number, number]} */
      [box.x, box.x + box.width]
    );
    const first = box.y + (chart.y.title ? TITLE2 : 0) + LINE / 2;
    const standing = uprights(chart);
    const radius = radiusOf(points, frame);
    return svg(
      "g",
      { class: "chart" },
      uprightElement(chart.y, frame, box.x, box.y),
      acrossElement(bracket ? { ...chart.x, title: "" } : chart.x, frame),
      columnElements(columns, frame),
      levels.filter(({ upright }) => !upright).map((one) => crossingElement(one, frame, placed[told.indexOf(one)])),
      standing.map((one, at) => standingElement(one, frame, first + LINE * at, within3)),
      lines2.map((one) => lineElement(one, frame)),
      points.map((one) => pointElement(one, frame, radius)),
      bracket ? bracketElement(bracket, frame, ticksHeight(chart.x)) : null,
      bracket && chart.x.title ? words(chart.x.title, {
        x: plot.x + plot.width,
        y: plot.y + plot.height + ticksHeight(chart.x) + 18,
        anchor: "end",
        size: SMALL,
        name: "tick"
      }) : null
    );
  }

  // src/draw/lists.js
  var HEAD = 22;
  var LEAST2 = 15;
  var USUAL2 = 30;
  var MIDDLE = 0.2;
  var GLYPH = 20;
  function needsOfLists({ left, right }) {
    const rows = Math.max(left.length, right.length, 1);
    return { least: HEAD + LEAST2 * rows, wanted: HEAD + USUAL2 * rows };
  }
  function placeLists({ left, right }, { x, y, width, height }) {
    const rows = Math.max(left.length, right.length, 1);
    const tall = Math.max(LEAST2, Math.min(USUAL2, (height - HEAD) / rows));
    const type = tall >= 19 ? TYPE : SMALL;
    const wide = (1 - MIDDLE) / 2 * width - 1;
    const inset = Math.max(1, 0.12 * tall);
    const column = (entries, from) => entries.map((entry, at) => ({
      entry,
      box: { x: from, y: y + HEAD + tall * at + inset, width: wide, height: tall - 2 * inset },
      text: fitted(entry.text, wide - GLYPH - 10, type)
    }));
    return { left: column(left, x + 1), right: column(right, x + width - wide - 1), type, wide };
  }
  function entryElement({ entry, box, text }, type) {
    const middle = box.y + box.height / 2;
    const { node, found } = entry;
    const badge = (
      /** @type {[number, number]} */
      [box.x + box.width - 8, middle]
    );
    const group = linked(
      { node, tip: entry.text, frame: box, badge, name: found ? "entry found" : "entry" },
      rectangle(box, "pill", Math.min(8, box.height / 2)),
      words(found ? "✓" : "✗", { x: box.x + 12, y: middle, anchor: "middle", size: type, name: "glyph" }),
      words(text, { x: box.x + GLYPH + 3, y: middle, size: type })
    );
    group.setAttribute("data-tone", found ? "accepted" : "rejected");
    return group;
  }
  function drawLists(lists, box) {
    const { left, right, type, wide } = placeLists(lists, box);
    const ends = [box.x + 2, box.x + box.width - wide];
    const titles = lists.titles.map(
      (title, at) => words(fitted(title, wide), { x: ends[at], y: box.y + HEAD / 2 - 2, name: "title" })
    );
    const joins = lists.joins.map(([from, to]) => {
      const [one, other] = [left[from].box, right[to].box];
      const [x1, x2] = [one.x + one.width, other.x].map(round);
      const [y1, y2] = [one.y + one.height / 2, other.y + other.height / 2].map(round);
      const bend = round((x1 + x2) / 2);
      return svg("path", { class: "join", d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}` });
    });
    return svg(
      "g",
      { class: "lists" },
      titles,
      joins,
      [...left, ...right].map((one) => entryElement(one, type))
    );
  }

  // src/draw/mask.js
  var LEAST3 = 4;
  var USUAL3 = 27;
  var WIDEST = 40;
  var NAMED = 12;
  var GLYPHED = 14;
  var TILTED = 40;
  var SIN = Math.sin(TILTED * Math.PI / 180);
  var COS = Math.cos(TILTED * Math.PI / 180);
  var MANY = 22;
  var MOST2 = 74;
  var SHARE2 = 0.3;
  var FATE = 42;
  var GLYPHS = ["", "○", "●", "■", "·"];
  var SEEN = ["hidden", "context", "ancestor", "self", "left"];
  var placeName = ({ position }) => position === null ? "" : `pos ${position}`;
  var fateOf = ({ stays = null }) => stays === null ? "" : stays ? "stays" : "freed";
  function aroundMask(mask, width, whole2) {
    const { rows, columns } = mask;
    const places = widest(rows.map(placeName), SMALL) + 8;
    const names = whole2 ? Math.min(SHARE2 * width, widest(rows.map(({ label }) => label)) + 8) : 0;
    const fates = whole2 && rows.some((row2) => fateOf(row2)) ? FATE : 4;
    const room = width - names - places - fates;
    const long = widest(columns, SMALL);
    const tilted = room / columns.length >= 24;
    if (!whole2) return { names, places, room, heads: (
      /** @type {Heads} */
      "few"
    ), head: 18 };
    if (!tilted)
      return { names, places, room, heads: (
        /** @type {Heads} */
        "upright"
      ), head: Math.min(MOST2, long + 8) };
    const over = Math.min(MOST2, widest(columns.slice(-1), SMALL) * COS) - fates;
    const head = Math.min(MOST2, long * SIN + 14);
    return { names, places, room: room - Math.max(0, over - 14), heads: (
      /** @type {Heads} */
      "tilted"
    ), head };
  }
  function needsOfMask(mask, width) {
    const { length } = mask.rows;
    const whole2 = length <= MANY;
    const { head } = aroundMask(mask, width, whole2);
    return { least: head + (whole2 ? NAMED : LEAST3) * length + 4, wanted: head + (whole2 ? USUAL3 : NAMED) * length + 4 };
  }
  function placeMask(mask, { x, y, width, height }) {
    const { rows, columns } = mask;
    const named2 = aroundMask(mask, width, true);
    const whole2 = (height - named2.head - 4) / rows.length >= NAMED;
    const { names, places, room, heads, head } = whole2 ? named2 : aroundMask(mask, width, false);
    const tall = Math.max(LEAST3, Math.min(USUAL3, (height - head - 4) / rows.length));
    const wide = Math.max(2, Math.min(WIDEST, 2 * tall, room / columns.length));
    return {
      grid: { x: x + names + places, y: y + head, width: wide * columns.length, height: tall * rows.length },
      wide,
      tall,
      gap: tall >= 8 ? 2 : 1,
      whole: whole2,
      left: x,
      names: x + names - 8,
      places: x + names + places - 8,
      heads
    };
  }
  function namedRows(rows, tall) {
    const found = [];
    const known2 = /* @__PURE__ */ new Set();
    rows.forEach(({ position }, at) => {
      const far = !found.length || (at - found[found.length - 1]) * tall >= NAMED;
      if (position !== null && !known2.has(position) && far) found.push(at);
      known2.add(position);
    });
    return found;
  }
  function cellsPath(cells, kind, { grid, wide, tall, gap }) {
    const [w, h] = [wide - gap, tall - gap].map((size) => round(Math.max(0.5, size)));
    return [...cells].flatMap((cell, at) => Number(cell) === kind ? [`M${round(grid.x + at * wide)} 0h${w}v${h}h${-w}z`] : []).join("");
  }
  function glyphElements(cells, y, { grid, wide, tall, gap }) {
    if (Math.min(wide, tall) < GLYPHED) return [];
    const size = Math.min(15, 0.6 * tall);
    return [...cells].flatMap((cell, at) => {
      const x = grid.x + at * wide + (wide - gap) / 2;
      const glyph = GLYPHS[Number(cell)];
      return glyph ? [words(glyph, { x, y, anchor: "middle", size, name: "glyph" })] : [];
    });
  }
  function rowElement2({ rows, columns }, at, placed, named2) {
    const row2 = rows[at];
    const { grid, wide, tall, gap, whole: whole2, left, names, places } = placed;
    const top = grid.y + at * tall;
    const middle = top + (tall - gap) / 2;
    const size = tall >= 17 ? TYPE : SMALL;
    const fate = fateOf(row2);
    const own = grid.x + (columns.length - rows.length + at) * wide;
    const cells = SEEN.map((name, kind) => {
      const d = cellsPath(row2.cells, kind, placed);
      return d && svg("path", { class: name, d, transform: `translate(0 ${round(top)})` });
    });
    const frame = { x: grid.x - gap, y: top - gap, width: grid.width + gap, height: tall + gap };
    const column = { x: own - gap, y: grid.y - gap, width: wide + gap, height: grid.height + gap };
    const group = linked(
      {
        node: row2.node,
        tip: [row2.label, placeName(row2), fate].filter(Boolean).join(", "),
        frame,
        badge: [grid.x + grid.width - 10, middle],
        name: `row ${fate}`.trim()
      },
      rectangle({ x: left, y: top, width: grid.x + grid.width - left, height: tall }, "band"),
      whole2 && words(fitted(row2.label, names - left, size), { x: names, y: middle, anchor: "end", size }),
      named2 && words(placeName(row2), { x: places, y: middle, anchor: "end", size: SMALL, name: "tick" }),
      cells,
      glyphElements(row2.cells, middle, placed),
      typeof row2.node === "number" && rectangle(column, "column", 3),
      line("new", grid.x - 4, top, grid.x - 4, top + tall - gap),
      whole2 && fate && words(fate, { x: grid.x + grid.width + 6, y: middle, size: SMALL, name: "fate" })
    );
    group.setAttribute("data-row", String(at));
    return group;
  }
  function headElement(text, at, { grid, wide, gap, heads }) {
    const x = round(grid.x + at * wide + (wide - gap) / 2 + (heads === "upright" ? 0 : 2));
    const y = round(grid.y - 7);
    const room = heads === "tilted" ? (MOST2 - 14) / SIN : MOST2 - 6;
    const said = fitted(text, room, SMALL);
    const turned = `translate(${x} ${y}) rotate(${heads === "upright" ? -90 : -TILTED})`;
    const tip = { "data-tip": said === text ? null : text };
    return svg("g", { ...tip, transform: turned }, words(said, { x: 0, y: 0, size: SMALL, name: "tick" }));
  }
  function drawMask(mask, box) {
    const placed = placeMask(mask, box);
    const { grid, wide, tall, gap, whole: whole2, heads } = placed;
    const { rows, columns, framed } = mask;
    const named2 = new Set(whole2 ? rows.keys() : namedRows(rows, tall));
    const before = columns.length - rows.length;
    const few = before > 0 && words(fitted(columns[0], grid.width, SMALL), { x: grid.x, y: grid.y - 9, size: SMALL, name: "tick" });
    const slice = framed && {
      x: grid.x + before * wide - gap,
      y: grid.y - gap,
      width: framed * wide + gap,
      height: framed * tall + gap
    };
    return svg(
      "g",
      { class: "mask" },
      heads === "few" ? few : columns.map((text, at) => headElement(text, at, placed)),
      rows.map((_, at) => rowElement2(mask, at, placed, named2.has(at))),
      slice && rectangle(slice, "slice", 3)
    );
  }

  // src/draw/strip.js
  var BAR = 28;
  var HEAD2 = 20;
  var TICKS2 = 17;
  var EDGE = 8;
  var CLEAR = 15;
  var QUARTERS = [0, 0.25, 0.5, 0.75, 1];
  var GLYPHS2 = { accepted: "✓", rejected: "✗" };
  function needsOfStrip({ uniform = null }, ticks = true) {
    const height = (uniform === null ? 4 : HEAD2) + BAR + (ticks ? TICKS2 : 4);
    return { least: height, wanted: height };
  }
  function labelsOfStrips(strips, width) {
    const wide = widest(strips.map(({ label = "" }) => label));
    return wide ? Math.min(0.3 * width, wide + 10) : 0;
  }
  var saidOf = ({ words: said, name }) => said ?? `“${name}”`;
  function nameOf3({ name, fate = "other" }) {
    const glyph = GLYPHS2[fate];
    return glyph && !name.includes(glyph) ? `${glyph} ${name}` : name;
  }
  function placedName(part, { x, width }, needle) {
    const end = x + width;
    const hit = needle !== null && needle > x - CLEAR && needle < end + CLEAR;
    const free = hit ? [
      [x, Math.min(end, needle - CLEAR)],
      [Math.max(x, needle + CLEAR), end]
    ].sort(([a, b], [c, d]) => d - c - (b - a))[0] : [x, end];
    const room = free[1] - free[0] - 8;
    const name = nameOf3(part);
    const shown = [name, GLYPHS2[part.fate ?? ""] ?? ""].find((one) => widthOf(one, TYPE) <= room) ?? "";
    const cut2 = shown || room < 42 ? shown : fitted(name, room);
    return { name: cut2, at: (free[0] + free[1]) / 2 };
  }
  function placeStrip({ parts, uniform = null, called = "", text = "" }, { x, y, width }, labels = 0) {
    const left = x + labels + EDGE;
    const long = x + width - EDGE - left;
    const top = y + (uniform === null ? 4 : HEAD2);
    const across = (value) => left + long * Math.max(0, Math.min(1, value));
    const needle = uniform === null ? null : across(uniform);
    let start = left;
    const placed = parts.map((part) => {
      const end = Math.max(start, across(part.end));
      const box = { x: start, y: top, width: end - start, height: BAR };
      start = end;
      return { part, box, ...placedName(part, box, needle) };
    });
    const said = `${called} ${text}`.trim();
    const half = widthOf(said) / 2 + 2;
    const at = needle === null ? 0 : Math.max(x + half, Math.min(x + width - half, needle));
    return {
      parts: placed,
      stretch: { left, width: long, top, bottom: top + BAR },
      needle: needle === null ? null : { x: needle, text: said, at }
    };
  }
  function partElement({ part, box, name, at }, number) {
    const { fate = "other", tone = "target", node } = part;
    const body = fate === "rejected" ? hatched(box) : rectangle(box, "fill");
    const about = { node, tip: saidOf(part), frame: box, badge: (
      /** @type {[number, number]} */
      [at, box.y]
    ) };
    const group = linked(
      { ...about, name: `part ${fate}${number % 2 ? " odd" : ""}` },
      fate === "rejected" ? rectangle(box, "ground") : null,
      body,
      name ? words(name, { x: at, y: box.y + box.height / 2, anchor: "middle", name: "name" }) : null
    );
    group.setAttribute("data-tone", tone);
    return group;
  }
  function drawStrip(strip2, box, labels = 0, ticks = true) {
    const { parts, stretch, needle } = placeStrip(strip2, box, labels);
    const { left, width, top, bottom } = stretch;
    const label = fitted(strip2.label ?? "", labels - 6);
    const hit = parts.filter(({ part }) => part.fate === "drawn");
    const element = svg(
      "g",
      { class: "strip" },
      label ? words(label, { x: left - EDGE - 2, y: top + BAR / 2, anchor: "end", name: "label" }) : null,
      rectangle({ x: left, y: top, width, height: BAR }, "rest"),
      parts.map(partElement),
      hit.map((one) => rectangle(one.box, "hit")),
      ticks ? QUARTERS.map((at) => tickElement(at, left + at * width, bottom)) : null,
      needle && [
        line("needle", needle.x, top - 5, needle.x, bottom + 4),
        words(needle.text, { x: needle.at, y: top - LINE / 2 - 5, anchor: "middle", name: "said" })
      ]
    );
    return { element, stretch };
  }
  var tickElement = (at, x, bottom) => [
    line("stub", x, bottom, x, bottom + 4),
    words(String(at), { x, y: bottom + 11, anchor: "middle", size: SMALL, name: "tick" })
  ];

  // src/draw/picture.js
  var GAP2 = 12;
  var EDGE2 = 3;
  var LISTED = 3;
  function isTicked(shapes, at) {
    const [one, next] = [shapes[at], shapes[at + 1]];
    if (one.kind === "bars") return next?.kind !== "bars" || next.most !== one.most;
    return one.kind !== next?.kind;
  }
  var needsOf = (shapes, width) => shapes.map((shape, at) => {
    if (shape.kind === "bars") return needsOfBars(shape, isTicked(shapes, at));
    if (shape.kind === "strip") return needsOfStrip(shape, isTicked(shapes, at));
    if (shape.kind === "chart") return needsOfChart(shape);
    return shape.kind === "lists" ? needsOfLists(shape) : needsOfMask(shape, width);
  });
  function needsOfShapes(shapes, width) {
    const around3 = GAP2 * (shapes.length - 1) + 2 * EDGE2;
    const needs = needsOf(shapes, width - 2 * EDGE2);
    const sum2 = (key) => needs.reduce((all, one) => all + one[key], around3);
    return { least: Math.ceil(sum2("least")), wanted: Math.ceil(sum2("wanted")) };
  }
  function less(shapes) {
    const bars = shapes.filter((one) => one.kind === "bars");
    const fewerRows = bars.length ? fewer(bars) : null;
    if (fewerRows) return shapes.map((one) => one.kind === "bars" ? fewerRows[bars.indexOf(one)] : one);
    const strips = shapes.filter((one) => one.kind === "strip" && one.uniform === void 0);
    const gone = bars.length > 1 ? bars[0] : strips.length > LISTED ? strips.at(-1) : null;
    return gone ? shapes.filter((one) => one !== gone) : null;
  }
  function fitting(shapes, width, height) {
    let shown = shapes;
    while (needsOfShapes(shown, width).least > height) {
      const next = less(shown);
      if (!next) return shown;
      shown = next;
    }
    return shown;
  }
  function needsOfPicture({ shapes }, width) {
    const { least } = needsOfShapes(fitting(shapes, width, 0), width);
    return { least, wanted: needsOfShapes(shapes, width).wanted };
  }
  function placePicture(picture, width, height) {
    const inner = width - 2 * EDGE2;
    const shapes = fitting(picture.shapes, width, height);
    const heights = shared2(needsOf(shapes, inner), height - GAP2 * (shapes.length - 1) - 2 * EDGE2);
    let y = EDGE2;
    const boxes = heights.map((tall) => {
      const box = { x: EDGE2, y, width: inner, height: tall };
      y += tall + GAP2;
      return box;
    });
    return { shapes, boxes };
  }
  var stripOf = (picture) => (
    /** @type {Strip | null} */
    picture?.shapes.findLast((shape) => shape.kind === "strip" && typeof shape.uniform === "number") ?? null
  );
  function sidesAmong({ x }, shapes, width) {
    const all = shapes.filter((one) => one.kind === "chart");
    const same2 = all.filter((one) => one.x.low === x.low && one.x.high === x.high).map((one) => sidesOf(one, width));
    return {
      left: Math.max(...same2.map(({ left }) => left)),
      right: Math.max(...same2.map(({ right }) => right))
    };
  }
  function drawPicture(picture, { width, height, scale: scale2 = 1 }, said = "") {
    const [wide, tall] = [width / scale2, height / scale2];
    const { shapes, boxes } = placePicture(picture, wide, tall);
    const inner = wide - 2 * EDGE2;
    const labels = Math.max(0, ...shapes.map((one) => one.kind === "bars" ? labelsOfBars(one, inner) : 0));
    const beside = labelsOfStrips(
      shapes.filter((one) => one.kind === "strip"),
      inner
    );
    const movable = stripOf(picture);
    let stretch = null;
    const elements = shapes.map((shape, at) => {
      const box = boxes[at];
      if (shape.kind === "bars") return drawBars(shape, box, labels, isTicked(shapes, at));
      if (shape.kind === "chart") return drawChart(shape, box, sidesAmong(shape, shapes, inner));
      if (shape.kind === "lists") return drawLists(shape, box);
      if (shape.kind === "mask") return drawMask(shape, box);
      const drawn2 = drawStrip(shape, box, beside, isTicked(shapes, at));
      if (shape === movable) ({ stretch } = drawn2);
      return drawn2.element;
    });
    const last = boxes[boxes.length - 1];
    const full = Math.ceil(scale2 * (last ? last.y + last.height + EDGE2 : 0));
    const look = { class: "sv-drawn", width, height: full, role: "img", "aria-label": said };
    const grown = { transform: scale2 === 1 ? null : `scale(${scale2})` };
    const left = picture.shapes.length - shapes.length;
    const hidden = left ? `${left} ${shapes[0].kind === "bars" ? "earlier" : "more"} not shown` : "";
    return { drawing: svg("svg", look, svg("g", grown, elements)), height: full, stretch, hidden };
  }

  // src/player/lookup.js
  function phaseSpans(scenes) {
    const spans = [];
    scenes.forEach(({ phase }, at) => {
      const last = spans[spans.length - 1];
      if (last && last.phase === phase) last.to = at;
      else spans.push({ phase, from: at, to: at });
    });
    return spans;
  }
  function startIndex(scenes, at) {
    if (typeof at === "number") return at < 0 ? scenes.length - 1 : at;
    return Math.max(
      0,
      scenes.findIndex((scene) => scene.key === at)
    );
  }
  function wantedScenes(scenes, only) {
    const found = scenes.filter((scene) => !only || only.includes(scene.key));
    return found.length ? found : scenes;
  }
  var pictureOf = (payload, scene, panel) => payload.pictures[scene.panels[panel]] ?? null;
  var wordsOf = ({ texts, lines: lines2 }, scene, panel) => (texts[scene.panels[panel]] ?? []).map((at) => lines2[at]).join("\n");
  var stageOf = (payload, scene) => payload.stages[scene.panels.tree] ?? null;
  var stateOf = (payload, scene, node) => stageOf(payload, scene)?.states[payload.nodes.findIndex((record) => record.node === node)] ?? null;
  var hasPanel = (payload, scene, panel) => Boolean(panel === "tree" ? stageOf(payload, scene) : pictureOf(payload, scene, panel));
  function outcomeOf(payload, scene, node) {
    const state = stateOf(payload, scene, node);
    return state === null ? "" : payload.outcomes[state][2];
  }
  var VERDICTS = ["accepted", "rejected"];
  function verdictOf(payload, scene) {
    const { phase, focus } = scene;
    if (phase !== "verify" || focus === null || focus < 0) return null;
    return VERDICTS[stateOf(payload, scene, focus) ?? -1] ?? null;
  }
  var nextVerdict = (payload, scenes, index, verdict) => scenes.findIndex((scene, at) => at > index && verdictOf(payload, scene) === verdict);
  function isTold(scenes, index, record) {
    if (scenes[index].phase === "commit") return true;
    if (!record) return scenes[index].phase === "draw";
    const at = scenes.findIndex((scene) => scene.key === record.scene);
    return at >= 0 && at <= index;
  }
  function decidedFormula(scenes, index, record) {
    const told = scenes.findIndex((scene) => scene.key === record.scene) <= index;
    return told ? record.formula || "" : "";
  }
  var nodeWords = (payload, scene, record) => [record.text, record.node >= 0 && outcomeOf(payload, scene, record.node)].filter(Boolean).join(", ");
  function pathWords(records, record) {
    const name = (node) => records.get(node)?.label ?? (node < 0 ? "context" : `node ${node}`);
    return [...record.ancestors].reverse().concat(record.node).map(name).join(" → ");
  }
  function comesWords(payload, scenes, index, panel) {
    const at = scenes.findIndex((scene, number) => number > index && hasPanel(payload, scene, panel));
    return at < 0 ? "Nothing to show at this step." : `Comes at step ${at + 1}.`;
  }
  var togglePin = (pins, record, most) => pins.includes(record) ? pins.filter((one) => one !== record) : [...pins, record].slice(-most);
  var samePins = (pins, records) => pins.flatMap((pin) => {
    const record = records.get(pin.node);
    return record && record.text === pin.text ? [record] : [];
  });

  // src/player/changed.js
  var NEWS = ["mask", "probabilities", "decision"];
  var unchanged = () => ({ nodes: /* @__PURE__ */ new Set(), rows: /* @__PURE__ */ new Set(), tokens: /* @__PURE__ */ new Set(), panels: /* @__PURE__ */ new Set() });
  function changedNodes(payload, before, after) {
    const [old, now] = [before, after].map((scene) => stageOf(payload, scene)?.states);
    if (!old || !now) return [];
    return payload.nodes.filter((_, at) => now[at] !== null && now[at] !== old[at]);
  }
  function maskRows(payload, scene) {
    const mask = pictureOf(payload, scene, "mask")?.shapes.find(({ kind }) => kind === "mask");
    return mask?.kind === "mask" ? mask.rows.map(({ cells, stays = null }) => `${cells} ${stays}`) : [];
  }
  function changedRows(payload, before, after, nodes) {
    const [old, now] = [before, after].map((scene) => maskRows(payload, scene));
    if (!old.length || old.length !== now.length) return [];
    const own = nodes.flatMap(({ row: row2 }) => row2 === null ? [] : [row2]);
    return [...own, ...now.flatMap((row2, at) => row2 === old[at] ? [] : [at])];
  }
  function changedBetween(payload, scenes, from, to, records) {
    const [before, after] = [scenes[from], scenes[to]];
    if (!before || !after || from === to) return unchanged();
    const nodes = changedNodes(payload, before, after);
    const told = (index, node) => isTold(scenes, index, node === null ? void 0 : records.get(node));
    const tokens = (payload.text?.emitted ?? []).flatMap(
      ({ node }, at) => told(to, node) && !told(from, node) ? [at] : []
    );
    return {
      nodes: new Set(nodes.map(({ node }) => node)),
      rows: new Set(changedRows(payload, before, after, nodes)),
      tokens: new Set(tokens),
      panels: new Set(NEWS.filter((name) => after.panels[name] && after.panels[name] !== before.panels[name]))
    };
  }

  // src/player/chance.js
  var LARGEST = 1 - 2 ** -32;
  var FINE = 0.01;
  var COARSE = 0.1;
  var GLYPHS3 = { accepted: "✓ ", rejected: "✗ " };
  var outcomeAt = ({ parts }, uniform) => parts.find(({ end }) => Math.min(uniform, LARGEST) < end) ?? parts[parts.length - 1];
  var chanceName = ({ called = "" }) => called || "number";
  function chanceWords(strip2, uniform) {
    const part = outcomeAt(strip2, uniform);
    const { fate = "other" } = part;
    const what = fate === "drawn" || fate === "other" ? `${saidOf(part)} is drawn` : saidOf(part);
    return `${GLYPHS3[fate] ?? ""}${chanceName(strip2)} ${written(uniform)}: ${what}`;
  }
  var written = (uniform) => String(Number(uniform.toFixed(3)));
  var withinChance = (value) => Math.max(0, Math.min(1, Math.round(1e3 * value) / 1e3));
  function keyedChance(key, uniform) {
    const moves = {
      ArrowRight: uniform + FINE,
      ArrowUp: uniform + FINE,
      ArrowLeft: uniform - FINE,
      ArrowDown: uniform - FINE,
      PageUp: uniform + COARSE,
      PageDown: uniform - COARSE,
      Home: 0,
      End: 1
    };
    return key in moves ? withinChance(moves[key]) : null;
  }

  // src/player/coin-handle.js
  var QUIET = 350;
  var NEAR = 5e-4;
  var UNMOVED = "As recorded: drag ↔ to try another.";
  var ALONE = "Only this verdict follows your hand here; the Microscope of a running page works out what follows.";
  var UNKNOWN = "Only this verdict follows your hand: the record does not hold what would come of it.";
  var CoinHandle = class {
    /** @type {Strip | null} */
    chance = null;
    // the strip of the step on screen
    /** @type {Stretch | null} */
    stretch = null;
    // where it is drawn
    scene = "";
    at = 0;
    scale = 1;
    timer = 0;
    // 0: no key was just pressed
    held = false;
    /** @type {number | null} */
    top = null;
    // of the handle on screen when it was let go
    grip = el("span", { class: "sv-chance-grip", role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-valuemax": 1 });
    layer = el("div", { class: "sv-chance", "data-part": "coin", hidden: true }, this.grip);
    verdict = el("b", { class: "sv-chance-verdict" });
    hint = el("span", { class: "sv-chance-hint" });
    back = el("button", { type: "button", class: "sv-chip", onclick: () => this.restore() });
    said = el(
      "div",
      { class: "sv-chance-said", "data-part": "coin", hidden: true },
      this.verdict,
      this.hint,
      this.back
    );
    /** @param {CoinOwner | null} owner */
    constructor(owner) {
      this.owner = owner;
      const { grip } = this;
      grip.addEventListener("pointerdown", (event) => this.grab(event));
      grip.addEventListener("pointermove", (event) => this.held && this.move(this.under(event)));
      for (const name of ["pointerup", "pointercancel"]) grip.addEventListener(name, () => this.release());
      grip.addEventListener("keydown", (event) => this.key(event));
    }
    /** The number that the record has here; null where nothing can be put in its place. */
    recorded() {
      return this.owner?.recorded(this.scene) ?? null;
    }
    /** A step with a number, or without one, is on screen. @param {string} scene @param {Strip | null} chance */
    show(scene, chance) {
      const same2 = scene === this.scene && this.chance !== null;
      Object.assign(this, { scene, chance });
      this.layer.hidden = this.said.hidden = !chance;
      if (!chance) this.held = false;
      if (!chance || same2 && (this.held || this.timer)) return;
      clearTimeout(this.timer);
      Object.assign(this, { timer: 0, held: false, at: chance.uniform ?? 0 });
      this.tell();
    }
    /** The number as the picture has it. */
    reset() {
      if (this.chance) this.move(this.chance.uniform ?? 0);
    }
    /** The picture with the strip has been drawn. @param {Stretch | null} stretch @param {number} scale of it */
    place(stretch, scale2) {
      Object.assign(this, { stretch, scale: scale2 });
      this.stand();
      if (this.top === null || !stretch || this.held) return;
      const down = this.grip.getBoundingClientRect().top - this.top;
      this.top = null;
      if (Math.abs(down) > 1) window.scrollBy({ top: down, behavior: "instant" });
    }
    stand() {
      const { stretch, scale: scale2, grip, at } = this;
      if (!stretch) return;
      const { left, width, top, bottom } = stretch;
      const px = (value) => `${scale2 * value}px`;
      Object.assign(grip.style, { left: px(left + at * width), top: px(top), height: px(bottom - top) });
    }
    tell() {
      const { chance, at } = this;
      if (!chance) return;
      const recorded = this.recorded();
      const usual = recorded ?? chance.uniform ?? 0;
      const moved = Math.abs(at - usual) > NEAR;
      const words3 = chanceWords(chance, at);
      this.verdict.textContent = words3;
      this.verdict.dataset.kind = outcomeAt(chance, at).fate ?? "other";
      const after = recorded !== null ? "" : this.owner ? UNKNOWN : ALONE;
      this.hint.textContent = moved ? after : UNMOVED;
      this.hint.classList.toggle("moved", moved);
      this.grip.dataset.tip = UNMOVED;
      this.back.hidden = !moved;
      this.back.textContent = `Back to the recorded ${chanceName(chance)}, ${written(usual)}`;
      this.grip.setAttribute("aria-label", `The ${chanceName(chance)} of this step`);
      this.grip.setAttribute("aria-valuenow", written(at));
      this.grip.setAttribute("aria-valuetext", words3);
      this.layer.classList.toggle("moved", moved || this.held);
    }
    /** @param {number} at */
    move(at) {
      this.at = at;
      this.stand();
      this.tell();
    }
    /** The number under a pointer. @param {PointerEvent} event */
    under({ clientX }) {
      const { stretch, scale: scale2 } = this;
      if (!stretch) return this.at;
      const x = (clientX - this.layer.getBoundingClientRect().left) / scale2;
      return withinChance((x - stretch.left) / stretch.width);
    }
    /** @param {PointerEvent} event */
    grab(event) {
      if (event.button !== 0) return;
      event.preventDefault();
      this.grip.focus({ preventScroll: true });
      this.grip.setPointerCapture(event.pointerId);
      this.held = true;
      this.tell();
    }
    /** Let go: the step is judged again with this number. */
    release() {
      if (!this.held) return;
      this.held = false;
      this.send();
    }
    /** @param {KeyboardEvent} event */
    key(event) {
      const next = event.altKey || event.ctrlKey || event.metaKey ? null : keyedChance(event.key, this.at);
      if (next === null) return;
      event.preventDefault();
      event.stopPropagation();
      this.move(next);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.timer = 0;
        this.send();
      }, QUIET);
    }
    send() {
      const { at, chance, scene } = this;
      this.tell();
      if (!chance || !this.owner || this.recorded() === null || Math.abs(at - (chance.uniform ?? 0)) <= NEAR) return;
      this.top = this.grip.getBoundingClientRect().top;
      this.owner.put(scene, at);
    }
    /** The recorded number again. */
    restore() {
      const recorded = this.recorded();
      this.move(recorded ?? this.chance?.uniform ?? 0);
      this.grip.focus({ preventScroll: true });
      if (recorded !== null) this.owner?.put(this.scene, null);
    }
  };

  // src/draw/formula.js
  var MATH = "http://www.w3.org/1998/Math/MathML";
  var TOKEN = /“[^”]*”|[−-]?(?:\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?|∞)|[+−×=<>≤≥≠/^(),|]|[^\s“”+−×=<>≤≥≠/^(),|]+/gu;
  var SIGNS = new Set("+−×=<>≤≥≠");
  var COUNTED = /target call/;
  var Reader = class {
    at = 0;
    /** @param {string[]} tokens */
    constructor(tokens) {
      this.tokens = tokens;
    }
    get next() {
      return this.tokens[this.at];
    }
    /** Terms and signs, up to a bracket that closes. @returns {Row} */
    row() {
      const parts = [];
      while (this.next !== void 0 && this.next !== ")") {
        if (SIGNS.has(this.next) || this.next === "," || this.next === "|") {
          parts.push({ kind: "sign", text: this.tokens[this.at++] });
        } else parts.push(...this.product());
      }
      return { kind: "row", parts };
    }
    /** Factors in a row, over what they are divided by. @returns {Term[]} */
    product() {
      const over = this.factors();
      while (this.next === "×") {
        over.push({ kind: "sign", text: this.tokens[this.at++] }, ...this.factors());
      }
      if (this.next !== "/") return over;
      this.at += 1;
      return [{ kind: "fraction", parts: [bare(over), bare(this.factors())] }];
    }
    /** What stands side by side. @returns {Term[]} */
    factors() {
      const found = [];
      while (this.next !== void 0 && !SIGNS.has(this.next) && !",)|/".includes(this.next))
        found.push(...this.factor());
      if (!found.length) throw new SyntaxError(`nothing before ${this.next}`);
      return found;
    }
    /** @returns {Term[]} */
    factor() {
      const token = this.tokens[this.at++];
      let found;
      if (token === "(") {
        const inner = this.row();
        if (this.next !== ")") throw new SyntaxError("a bracket stays open");
        this.at += 1;
        found = [{ kind: "sign", text: "(" }, ...inner.parts, { kind: "sign", text: ")" }];
      } else found = [{ kind: /^[−-]?(\d|∞)/u.test(token) ? "number" : "words", text: token }];
      if (this.next !== "^") return found;
      this.at += 1;
      return [
        {
          kind: "power",
          parts: [
            { kind: "row", parts: found },
            { kind: "row", parts: this.factor() }
          ]
        }
      ];
    }
  };
  function bare(parts) {
    const [first, last] = [parts[0], parts[parts.length - 1]];
    let open2 = 0;
    const whole2 = parts.every((part, at) => {
      if (part.kind === "sign" && part.text === "(") open2 += 1;
      if (part.kind === "sign" && part.text === ")") open2 -= 1;
      return open2 > 0 || at === parts.length - 1;
    });
    const around3 = first.kind === "sign" && first.text === "(" && last.kind === "sign" && last.text === ")";
    return { kind: "row", parts: around3 && whole2 ? parts.slice(1, -1) : parts };
  }
  function read(text) {
    if (!/[=<>≤≥≠×]|\d \/ /u.test(text) || COUNTED.test(text)) return null;
    const reader = new Reader(text.match(TOKEN) ?? []);
    try {
      const row2 = reader.row();
      return reader.next === void 0 ? row2 : null;
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }
  function statementsOf(formula) {
    return formula.split("; ").filter(Boolean).map((text) => {
      const parts = text.split(": ");
      const at = parts.findIndex((part) => read(part));
      if (at < 0) return { said: text, term: null, verdict: "" };
      const [before, after] = [parts.slice(0, at), parts.slice(at + 1)];
      return {
        said: before.length ? `${before.join(": ")}:` : "",
        term: read(parts[at]),
        verdict: after.join(": ")
      };
    });
  }
  function math(tag, ...children) {
    const element = document.createElementNS(MATH, tag);
    element.append(...children);
    return element;
  }
  function termElement(term) {
    if (term.kind === "row") return math("mrow", ...spaced(term.parts));
    if (!("text" in term)) return math(term.kind === "fraction" ? "mfrac" : "msup", ...term.parts.map(termElement));
    if (term.kind === "number") return math("mn", term.text);
    if (term.kind === "words") return math("mtext", ...explained(term.text));
    const sign = math("mo", term.text);
    if ("()".includes(term.text)) sign.setAttribute("stretchy", "false");
    return sign;
  }
  function spaced(parts) {
    return parts.flatMap((part, at) => {
      const before = parts[at - 1];
      const beside = before && part.kind !== "sign" && before.kind !== "sign";
      if (!beside) return [termElement(part)];
      const space = math("mspace");
      space.setAttribute("width", "0.3em");
      return [space, termElement(part)];
    });
  }
  function typeset(box, formula) {
    box.hidden = !formula;
    box.setAttribute("aria-label", formula);
    box.setAttribute("role", "math");
    box.replaceChildren(
      ...statementsOf(formula).map(
        ({ said, term, verdict }) => el(
          "span",
          { class: "sv-statement" },
          explained(said),
          term && math("math", ...spaced(term.parts)),
          verdict && el("b", { class: "sv-verdict-word" }, explained(verdict))
        )
      )
    );
  }

  // src/player/console.js
  var VERDICTS2 = [
    ["accepted", "✓", "A"],
    ["rejected", "✗", "R"]
  ];
  var PHASES = {
    context: "Context",
    draft: "Draft",
    target: "Target call",
    verify: "Judge",
    draw: "Draw",
    commit: "Commit"
  };
  var ICONS = {
    first: "M4 4h2v12H4zM16 4v12L7 10z",
    back: "M14 4v12L5 10z",
    play: "M5 3v14l12-7z",
    pause: "M4 3h4v14H4zM12 3h4v14h-4z",
    forward: "M6 4v12l9-6z",
    last: "M14 4h2v12h-2zM4 4v12l9-6z"
  };
  var SPEEDS = [
    ["slow", 5e3],
    ["normal", 2500],
    ["fast", 1e3]
  ];
  var PAST_THE_END = 1e9;
  var icon = (name) => svg(
    "svg",
    { viewBox: "0 0 20 20", width: 16, height: 16, "aria-hidden": "true" },
    svg("path", { d: ICONS[name], fill: "currentColor" })
  );
  var button = (name, label, action) => el(
    "button",
    { type: "button", "data-act": name, "aria-label": label, "data-tip": label, onclick: action },
    icon(name)
  );
  var PlayerBar = class {
    /** @param {BarActions} act */
    constructor({ show, back, forward, toggle, verdict }) {
      this.show = show;
      this.play = button("play", "Play", toggle);
      this.phases = el("div", { class: "sv-phases", role: "group", "aria-label": "Phases of this iteration" });
      const slide = () => {
        show(Number(this.range.value));
      };
      const range = { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Step", oninput: slide };
      this.range = el("input", range);
      this.count = el("span", { class: "sv-step-count" });
      this.verdicts = VERDICTS2.map(([name, glyph, key]) => {
        const label = `Next ${name} (${key})`;
        const attributes = {
          type: "button",
          class: "sv-next",
          "data-act": name,
          "aria-label": label,
          "data-tip": label
        };
        return el("button", { ...attributes, onclick: () => verdict(name) }, `${glyph}›`);
      });
      this.now = el("b", { class: "sv-now", "aria-hidden": "true", hidden: true });
      const speeds = SPEEDS.map(([name, wait]) => el("option", { value: wait, selected: name === "normal" }, name));
      this.speed = el("select", { "aria-label": "Speed", title: "Speed" }, speeds);
      this.element = el(
        "div",
        { class: "sv-bar", "data-part": "player-bar" },
        button("first", "First step", () => show(0)),
        button("back", "Step back", back),
        this.play,
        button("forward", "Step forward", forward),
        button("last", "Last step", () => show(PAST_THE_END)),
        this.verdicts,
        el("div", { class: "sv-slider" }, this.phases, this.range),
        this.count,
        this.now,
        this.speed
      );
    }
    /** Which verdicts are still to come. @param {(verdict: Verdict) => boolean} comes */
    offer(comes) {
      VERDICTS2.forEach(([name], at) => {
        this.verdicts[at].disabled = !comes(name);
      });
    }
    wait() {
      return Number(this.speed.value);
    }
    /** New scenes: a mark for every phase, as wide as it has steps. @param {Scene[]} scenes */
    build(scenes) {
      this.range.max = String(scenes.length - 1);
      this.phases.replaceChildren(...phaseSpans(scenes).map((span) => this.phaseMark(span)));
    }
    /** @param {Span} span */
    phaseMark({ phase, from, to }) {
      const attributes = {
        type: "button",
        tabindex: -1,
        class: `sv-phase ${phase}`,
        "data-phase": phase,
        "data-from": from,
        "data-to": to,
        style: { "flex-grow": String(to - from + 1) },
        onclick: () => this.show(from)
      };
      return el("button", attributes, PHASES[phase] || phase);
    }
    /** @param {number} index @param {Scene[]} scenes @param {number} [first] of the steps that it stands for */
    step(index, scenes, first = index) {
      const { title } = scenes[index];
      const [at, said] = first < index ? [`${first + 1}–${index + 1}`, `${first + 1} to ${index + 1}`] : [];
      this.range.value = String(index);
      this.range.setAttribute("aria-valuetext", `${said ?? index + 1} of ${scenes.length}: ${title}`);
      this.count.textContent = `${at ?? index + 1} / ${scenes.length}`;
      this.now.textContent = title;
      for (const mark of this.phases.querySelectorAll("button")) {
        const here2 = index >= Number(mark.dataset.from) && index <= Number(mark.dataset.to);
        mark.setAttribute("aria-current", here2 ? "step" : "false");
      }
    }
    /** Say the step's title here, too: while the story is out of sight. @param {boolean} on */
    title(on) {
      this.now.hidden = !on;
    }
    /** @param {boolean} on */
    playing(on) {
      const label = on ? "Pause" : "Play";
      this.play.replaceChildren(icon(on ? "pause" : "play"));
      this.play.setAttribute("aria-label", label);
      this.play.dataset.tip = label;
      this.play.setAttribute("aria-pressed", String(on));
    }
  };
  var PlayerStory = class {
    /** @param {() => void} onfold opens the steps that one stands for, or folds them again */
    constructor(onfold) {
      this.title = el("h2", {});
      this.folded = el("button", { type: "button", class: "sv-chip sv-fold", hidden: true, onclick: onfold });
      this.sentence = el("p", { class: "sv-sentence", "data-part": "sentence" });
      this.formula = el("p", { class: "sv-formula", "data-part": "formula" });
      this.more = el("button", { type: "button", class: "sv-chip sv-more-words", onclick: () => this.open() });
      const label = "The end of the text, and the tokens that this iteration writes";
      this.strip = strip("div", { class: "sv-strip", role: "group", "data-part": "strip", "aria-label": label });
      const story = { class: "sv-story", "aria-live": "polite" };
      const head = el("div", { class: "sv-story-head" }, this.title, this.folded, this.more);
      this.element = el("div", story, head, this.sentence, this.formula);
    }
    /** See every word, over the tree, or as much as there is space for. @param {boolean} [on] */
    open(on = !this.element.classList.contains("whole")) {
      this.element.classList.toggle("whole", on);
      this.fit();
    }
    /** The sentence gets the lines that there is space for; the rest is offered. */
    fit() {
      const { element, sentence, more } = this;
      const whole2 = element.classList.contains("whole");
      const line2 = parseFloat(getComputedStyle(sentence).lineHeight);
      sentence.style.removeProperty("--lines");
      const over = element.scrollHeight - element.clientHeight;
      const lines2 = Math.max(1, Math.floor((sentence.clientHeight - over) / line2));
      if (over > 0 && !whole2) sentence.style.setProperty("--lines", String(lines2));
      more.hidden = !whole2 && over <= 0;
      more.textContent = whole2 ? "Less" : "More";
      more.setAttribute("aria-expanded", String(whole2));
    }
    /** @param {TextStrip | null} text @param {number | null} root the node that the last token of the context is */
    build(text, root) {
      this.strip.hidden = !text;
      if (!text) return;
      const piece = (one, more) => el("span", more, marked(one, { breaks: false }));
      const last = text.context.length - 1;
      const context = text.context.map(
        (one, at) => piece(one, at === last && root !== null ? { class: "sv-link", "data-node": root } : {})
      );
      const emitted = text.emitted.map(
        ({ piece: one, origin, node }) => piece(one, { class: `sv-token ${origin}${node === null ? "" : " sv-link"}`, "data-node": node })
      );
      this.strip.replaceChildren(el("span", { class: "sv-tail" }, context), ...emitted);
      this.strip.classList.toggle("goes-on", context.length > 0);
      keepWhole(this.strip);
    }
    /** @param {Fold | undefined} closed that the step stands for @param {Fold | undefined} around open, with the step */
    fold(closed, around3) {
      this.folded.hidden = !closed && !around3;
      this.folded.setAttribute("aria-expanded", String(Boolean(around3)));
      if (closed) this.folded.textContent = `+${closed.to - closed.from} like this`;
      else if (around3) this.folded.textContent = `Fold these ${around3.to - around3.from + 1} again`;
      this.folded.dataset.tip = closed ? "Steps in which nearly the same happens: step through each of them" : "Make one step of them again";
    }
    /** Tokens that have just become known. @param {Set<number>} tokens from 0 */
    markNew(tokens) {
      [...this.strip.querySelectorAll(".sv-token")].forEach((token, at) => {
        token.classList.toggle("changed", tokens.has(at));
      });
    }
    /** @param {Scene} scene @param {(node: number | null) => boolean} told whether a token written is known by now */
    step(scene, told) {
      this.title.textContent = scene.title;
      this.sentence.replaceChildren(...explained(scene.sentence));
      typeset(this.formula, scene.formula);
      this.open(false);
      this.strip.classList.toggle("open", scene.phase !== "commit");
      this.strip.scrollLeft = this.strip.scrollWidth;
      for (const token of this.strip.querySelectorAll(".sv-token")) {
        const node = token.getAttribute("data-node");
        const later = !told(node === null ? null : Number(node));
        token.classList.toggle("later", later);
        token.setAttribute("aria-hidden", String(later));
      }
    }
  };

  // src/player/folds.js
  var LEAST4 = 6;
  function sortOf(payload, scene) {
    const { phase, panels } = scene;
    const shown = Object.keys(panels).sort().join();
    if (phase === "draft" && scene.key.startsWith("draft-")) return `draft ${shown}`;
    const verdict = verdictOf(payload, scene);
    return verdict && `${verdict} ${shown}`;
  }
  function foldsOf(payload, scenes) {
    const sorts = scenes.map((scene) => sortOf(payload, scene));
    const folds = [];
    for (let first = 0; first < sorts.length; ) {
      let next = first + 1;
      while (next < sorts.length && sorts[next] === sorts[first]) next++;
      if (sorts[first] !== null && next - first >= LEAST4) folds.push({ from: first + 1, to: next - 1, open: false });
      first = next;
    }
    return folds;
  }
  var hiding = (folds, index) => folds.find(({ from, to, open: open2 }) => !open2 && index >= from && index < to);
  var foldAt = (folds, index) => folds.find(({ to, open: open2 }) => !open2 && index === to);
  var openAround = (folds, index) => folds.find(({ from, to, open: open2 }) => open2 && index >= from && index <= to);
  var stepOn = (folds, index) => hiding(folds, index + 1)?.to ?? index + 1;
  function stepBack(folds, index) {
    const fold = hiding(folds, index - 1);
    return fold ? fold.from - 1 : index - 1;
  }
  function opened(folds, index) {
    const hidden = hiding(folds, index);
    return folds.map((fold) => fold === hidden ? { ...fold, open: true } : fold);
  }

  // src/player/kinds.js
  var PANELS = {
    tree: {
      heading: ["Draft tree", "The guesses, left to right; thicker is likelier. What this step changed is underlined."],
      most: 0,
      undrafted: ["What was written", "The target’s own choices, left to right."]
    },
    mask: {
      heading: ["Attention mask", "In the one target call each guess sees its own ancestors only."],
      most: 500,
      undrafted: ["Attention mask", "In the target call each row sees its own past only."]
    },
    probabilities: {
      heading: ["Probabilities", "Of the next token here; the key says whose."],
      most: 560
    },
    decision: { heading: ["The decision", "The rule, with this step’s numbers."], most: 420 }
  };

  // src/player/mini-mask.js
  function maskCells({ nodes, roots }) {
    const records = [...roots, ...nodes];
    const rows = new Map(records.map(({ node, row: row2 }) => [node, row2]));
    return records.flatMap(
      ({ node, row: row2, ancestors }) => row2 === null ? [] : [node, ...ancestors].flatMap((seen) => {
        const column = rows.get(seen) ?? null;
        return column === null ? [] : [
          /** @type {[number, number]} */
          [row2, column]
        ];
      })
    );
  }
  var MiniMask = class {
    /** @param {() => void} onpress */
    constructor(onpress) {
      this.cells = svg("path", { class: "sv-mini-cells" });
      this.drawing = svg("svg", { width: 54, height: 54, "aria-hidden": "true" }, this.cells);
      const label = "Attention mask, large (M)";
      const attributes = {
        type: "button",
        class: "sv-mini-mask",
        "aria-label": label,
        "data-tip": label,
        hidden: true
      };
      this.element = el("button", { ...attributes, "aria-pressed": "false", onclick: onpress }, this.drawing);
    }
    /** @param {IterationPayload} payload */
    load(payload) {
      const rows = payload.mask_rows;
      this.element.hidden = rows < 2;
      this.drawing.setAttribute("viewBox", `-0.5 -0.5 ${rows + 1} ${rows + 1}`);
      const paths = maskCells(payload).map(([row2, column]) => `M${column} ${row2}h1v1h-1z`);
      this.cells.setAttribute("d", paths.join(""));
    }
    /** @param {boolean} on whether it is seen large */
    press(on) {
      this.element.setAttribute("aria-pressed", String(on));
    }
  };

  // src/draw/image.js
  var SHARP = 1400;
  var PAD = 10;
  var LINE2 = 18;
  var MARK = 18;
  var KEPT = [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linejoin",
    "stroke-opacity",
    "opacity",
    "font-family",
    "font-size",
    "font-weight",
    "text-anchor",
    "dominant-baseline",
    "paint-order"
  ];
  function wrapped(text, most) {
    const lines2 = [""];
    for (const word of text.split(" ")) {
      const last = lines2[lines2.length - 1];
      if (last && last.length + word.length >= most) lines2.push(word);
      else lines2[lines2.length - 1] += (last ? " " : "") + word;
    }
    return lines2;
  }
  function plain(colour) {
    const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    if (!pen || !colour.includes("(") || colour.startsWith("url")) return colour;
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
    return alpha === 255 ? `rgb(${red}, ${green}, ${blue})` : colour;
  }
  function dress(from, to) {
    const style = getComputedStyle(from);
    if (style.display === "none" || style.visibility === "hidden") {
      to.remove();
      return;
    }
    for (const name of KEPT) {
      const value = style.getPropertyValue(name);
      if (value) to.setAttribute(name, name === "fill" || name === "stroke" ? plain(value) : value);
    }
    to.removeAttribute("class");
    const copies = [...to.children];
    [...from.children].forEach((child, at) => dress(child, copies[at]));
  }
  function keyEntries(key, width, ink) {
    let [x, y] = [0, LINE2 / 2];
    const entries = [...key.children].map((item) => {
      const mark = item.querySelector("i");
      const said = (item.textContent ?? "").slice(mark?.textContent?.length ?? 0);
      const wide = (mark ? MARK + 5 : 0) + widthOf(said, 12) + 14;
      if (x > 0 && x + wide > width) [x, y] = [0, y + LINE2];
      const at = x;
      x += wide;
      const colour = mark ? plain(getComputedStyle(mark).borderTopColor) : ink;
      const box = { x: at + 1, y: y - 8, width: MARK - 2, height: 16, rx: 4, fill: "none", stroke: colour };
      const glyph = words(mark?.textContent ?? "", { x: at + MARK / 2, y: y + 4, anchor: "middle", size: 12 });
      const text = words(said, { x: at + (mark ? MARK + 5 : 0), y: y + 4, size: 12 });
      glyph.setAttribute("fill", colour);
      text.setAttribute("fill", ink);
      return [mark && svg("rect", box), mark && glyph, text];
    });
    return { entries, height: key.children.length ? y + LINE2 / 2 : 0 };
  }
  function sheetOf(drawing, title, key) {
    const { clientWidth: width, clientHeight: height } = drawing;
    const style = getComputedStyle(drawing);
    const paper = plain(style.getPropertyValue("--sv-paper").trim() || "white");
    const ink = plain(style.getPropertyValue("--sv-ink").trim() || "black");
    const lines2 = wrapped(title, width / 8);
    const top = PAD + LINE2 * lines2.length;
    const below = keyEntries(key, width, ink);
    const foot = below.height ? below.height + PAD : 0;
    const size = { width: width + 2 * PAD, height: height + top + foot + 2 * PAD };
    const type = { fill: ink, "font-family": "sans-serif", "font-size": 14, "font-weight": 700 };
    const copy = (
      /** @type {SVGElement} */
      drawing.cloneNode(true)
    );
    dress(drawing, copy);
    return svg(
      "svg",
      { xmlns: "http://www.w3.org/2000/svg", ...size, viewBox: `0 0 ${size.width} ${size.height}` },
      svg("rect", { ...size, fill: paper }),
      lines2.map((line2, at) => svg("text", { x: PAD, y: PAD + LINE2 * at + 13, ...type }, line2)),
      svg("svg", { x: PAD, y: top + PAD, width, height, overflow: "hidden" }, [...copy.childNodes]),
      svg(
        "g",
        { transform: `translate(${PAD} ${top + height + 2 * PAD})`, "font-family": "sans-serif" },
        below.entries
      )
    );
  }
  async function drawingAsImage(drawing, format, title, key) {
    const sheet = sheetOf(drawing, title, key);
    const written2 = new Blob([new XMLSerializer().serializeToString(sheet)], { type: "image/svg+xml" });
    return format === "svg" ? written2 : raster(written2, Number(sheet.getAttribute("width")));
  }
  async function raster(written2, width) {
    const url = URL.createObjectURL(written2);
    const image = new Image();
    image.src = url;
    await image.decode();
    const times = Math.max(2, SHARP / width);
    const canvas = document.createElement("canvas");
    canvas.width = image.width * times;
    canvas.height = image.height * times;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(url);
    const made = await new Promise((resolve) => {
      canvas.toBlob(resolve, "image/png");
    });
    if (!made) throw new Error("This browser cannot write the picture.");
    return made;
  }

  // src/draw/key.js
  var markItem = ({ tone, state, glyph, word }) => el("li", { "data-tone": tone, "data-state": state }, el("i", { "aria-hidden": "true" }, glyph), word);
  var DrawingKey = class {
    element = el("ul", { class: "sv-tones" });
    /** @param {readonly KeyMark[]} marks @param {readonly string[]} notes how it is read */
    show(marks, notes) {
      this.element.replaceChildren(...marks.map(markItem), ...notes.map((note) => el("li", {}, note)));
    }
  };

  // src/player/panel.js
  var SCROLLED = 12;
  var same = (one, other) => one.picture === other.picture && one.width === other.width && one.height === other.height && one.scale === other.scale;
  var standsFor = (part, { node, row: row2 }, nodes) => nodes.has(node) ? Number(part.node) === node : row2 !== null && Number(part.row ?? NaN) === row2;
  var Panel = class {
    /** @type {Picture | null | undefined} */
    picture = void 0;
    // of the step on screen; undefined before the first
    /** @type {SVGSVGElement | null} */
    drawing = null;
    /** @type {Drawn | null} */
    drawn = null;
    // what it was drawn from
    hidden = "";
    // what of the picture there was no space for
    width = 0;
    /** @type {Common} */
    common = { record: null, pins: [], changed: unchanged() };
    /** @type {CoinHandle | null} */
    handle = null;
    title = el("h3", {});
    help = el("p", {});
    stage = el("div", { class: "sv-stage", translate: "no" });
    key = new DrawingKey();
    words = el("p", {});
    nothing = el("p", { class: "sv-nothing" }, "");
    more = el("details", { class: "sv-words", "data-part": "words" }, el("summary", {}, "In words"), this.words);
    /** @param {string} name */
    constructor(name) {
      this.name = name;
      const caption = el("figcaption", {}, this.title, this.help);
      this.element = el("figure", { class: `sv-panel sv-panel-${name}`, "data-panel": name, "data-part": name }, [
        caption,
        this.stage,
        this.key.element,
        this.nothing,
        this.more
      ]);
      this.about({ ever: true, drafted: true });
    }
    /** Put a handle over the picture, and what it says above it. @param {CoinHandle} handle */
    hold(handle) {
      this.handle = handle;
      this.stage.append(handle.layer);
      this.stage.before(handle.said);
    }
    /**
     * Whether this iteration ever has something to show here, and whether there are drafted tokens in it.
     * @param {{ever: boolean, drafted: boolean}} iteration
     */
    about({ ever, drafted }) {
      const { heading, undrafted = heading } = PANELS[this.name];
      [this.title.textContent, this.help.textContent] = drafted ? heading : undrafted;
      this.element.classList.toggle("never", !ever);
    }
    /** Whether there is a picture to be had now, seen or not. */
    get filled() {
      return Boolean(this.picture);
    }
    /**
     * The picture of a step, to be drawn by `draw`, with its words; null: say with `without` that there is nothing yet.
     * @param {Picture | null} picture @param {string} words @param {string} without
     */
    show(picture, words3, without) {
      this.nothing.textContent = picture ? "" : without;
      if (picture === this.picture) return;
      this.picture = picture;
      this.element.classList.toggle("empty", !picture);
      this.nothing.hidden = Boolean(picture);
      this.stage.hidden = this.more.hidden = !picture;
      this.words.textContent = words3;
      this.hidden = "";
      this.key.show(picture?.key ?? [], picture?.notes ?? []);
    }
    /**
     * The heights its picture takes in the space there is; null where there is nothing to draw.
     * @param {number} scale of the type
     * @returns {Needs | null}
     */
    measure(scale2) {
      const style = getComputedStyle(this.element);
      this.width = this.element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      if (!this.picture || this.width <= 0) return null;
      const { least, wanted } = needsOfPicture(this.picture, this.width / scale2);
      return { least: least * scale2, wanted: wanted * scale2 };
    }
    /**
     * Draw the picture so high, unless that is done; after `measure`.
     * @param {number} wanted @param {number} scale
     * @returns {boolean} whether its key has become another, and with it the space for pictures
     */
    draw(wanted, scale2) {
      const { picture, width, drawn: drawn2, stage } = this;
      const height = Math.floor(wanted);
      if (!picture || width <= 0) return false;
      const wish = { picture, width, height, scale: scale2 };
      if (drawn2 && same(drawn2, wish)) return false;
      this.drawn = wish;
      const said = this.words.textContent ?? "";
      let made = drawPicture(picture, wish, said);
      const scrolled = made.height > height + 1;
      if (scrolled) made = drawPicture(picture, { ...wish, width: width - SCROLLED }, said);
      const told = this.hidden !== made.hidden;
      this.hidden = made.hidden;
      if (told) this.key.show(picture.key ?? [], [...picture.notes ?? [], ...made.hidden ? [made.hidden] : []]);
      this.drawing?.remove();
      this.drawing = made.drawing;
      stage.prepend(made.drawing);
      stage.style.height = `${scrolled ? height : made.height}px`;
      stage.classList.toggle("scrolled", scrolled);
      stage.scrollTop = 0;
      const judged = scrolled ? made.drawing.querySelector(".judged") : null;
      if (judged) stage.scrollTop = judged.getBoundingClientRect().bottom + 2 - stage.getBoundingClientRect().bottom;
      this.mark(this.common);
      this.handle?.place(made.stretch, scale2);
      return told;
    }
    /** Light what the views have in common. @param {Common} common */
    mark(common) {
      this.common = common;
      const { record, pins, changed } = common;
      const kin = new Set(record?.ancestors);
      for (const badge of this.drawing?.querySelectorAll(".sv-badge") ?? []) badge.remove();
      const found = [...this.drawing?.querySelectorAll("[data-node]") ?? []];
      const groups2 = found.filter((one) => one instanceof SVGElement);
      const nodes = new Set(groups2.map(({ dataset }) => Number(dataset.node)));
      for (const group of groups2) {
        const { dataset, classList } = group;
        const pin = pins.findIndex((one) => standsFor(dataset, one, nodes));
        classList.toggle("lit", record !== null && standsFor(dataset, record, nodes));
        classList.toggle("kin", kin.has(Number(dataset.node)));
        classList.toggle("changed", changed.rows.has(Number(dataset.row ?? NaN)));
        if (pin < 0) delete dataset.pin;
        else dataset.pin = String(pin + 1);
        if (pin >= 0) group.append(badgeElement(pin + 1, dataset.badge ?? ""));
      }
    }
    /** What is drawn, or would be, as a file. @param {'png' | 'svg'} format @param {string} title */
    async image(format, title) {
      const { element } = this;
      element.classList.add("measuring");
      try {
        const { picture, drawn: drawn2 } = this;
        const known2 = drawn2?.picture === picture ? drawn2 : null;
        const scale2 = known2?.scale ?? figureScale();
        const needs = this.measure(scale2);
        if (needs) this.draw(known2?.height ?? needs.wanted, scale2);
        const { drawing } = this;
        return needs && drawing ? await drawingAsImage(drawing, format, title, this.key.element) : null;
      } finally {
        element.classList.remove("measuring");
      }
    }
  };

  // src/player/pins.js
  function facts(record, { path, rows }) {
    return [
      ["Path", path],
      ["Draft probability", record.draft || "from the target"],
      ["Target probability", record.target || "not in the record"],
      ["Position id", String(record.position)],
      ["Mask row", record.row === null ? "not sent to the target" : `${record.row + 1} of ${rows}`]
    ];
  }
  var PinBoard = class {
    /** @param {{ongo: (scene: string) => void, onunpin: (node: number) => void}} on */
    constructor({ ongo, onunpin }) {
      this.ongo = ongo;
      this.onunpin = onunpin;
      this.shown = [];
      this.cards = el("div", { class: "sv-cards" });
      const attributes = { class: "sv-pins", "aria-label": "Pinned nodes", hidden: true };
      this.element = el("section", attributes, this.cards);
    }
    /** @param {AnyRecord} record @param {number} at @param {Said} said */
    card(record, at, said) {
      const { scene } = record;
      const fact = ([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { translate: name === "Path" ? "no" : null }, value));
      const outcome = el("dd", { "data-fact": "outcome" }, said.outcome);
      const formula = el("p", { class: "sv-formula", "data-fact": "formula" });
      typeset(formula, said.formula);
      const go = { type: "button", class: "sv-go", onclick: () => scene && this.ongo(scene) };
      return el(
        "article",
        { class: "sv-card", "data-node": record.node, "aria-label": `Pin ${at + 1}` },
        this.cardHead(record, at),
        el("dl", {}, facts(record, said).map(fact), el("div", {}, el("dt", {}, "Outcome so far"), outcome)),
        formula,
        scene ? el("button", go, "Go to the step that judges it") : el("p", { class: "sv-never" }, "No decision judges it.")
      );
    }
    /** @param {AnyRecord} record @param {number} at */
    cardHead(record, at) {
      const label = `Unpin “${record.label}”`;
      const unpin = { "aria-label": label, "data-tip": "Unpin", onclick: () => this.onunpin(record.node) };
      return el(
        "header",
        {},
        el("b", { class: "sv-number" }, at + 1),
        el("strong", { translate: "no" }, `“${record.label}”`),
        el("span", {}, `node ${record.node}`),
        el("button", { type: "button", class: "sv-quiet", ...unpin }, "×")
      );
    }
    /**
     * Show records; `say` gives what a card says of one at the present step. Cards stay while their records do.
     * @param {AnyRecord[]} records
     * @param {(record: AnyRecord) => Said} say
     */
    show(records, say) {
      this.element.hidden = records.length === 0;
      const same2 = records.length === this.shown.length && records.every((record, at) => record === this.shown[at]);
      this.shown = [...records];
      if (!same2) this.cards.replaceChildren(...records.map((record, at) => this.card(record, at, say(record))));
      else for (const [at, card] of [...this.cards.children].entries()) this.renew(card, say(records[at]));
    }
    /** @param {Element} card @param {Said} said */
    renew(card, { outcome, formula }) {
      const [told, worked] = ["outcome", "formula"].map((name) => card.querySelector(`[data-fact="${name}"]`));
      if (told) told.textContent = outcome;
      if (worked instanceof HTMLElement) typeset(worked, formula);
    }
  };

  // src/player/room.js
  var SMALLEST2 = 90;
  function divided(needs, height) {
    const least = needs.reduce((sum2, one) => sum2 + one.least, 0);
    if (least <= height) return shared2(needs, height);
    const heights = needs.map((one) => one.least);
    const order = [...needs.keys()].sort((one, other) => needs[one].least - needs[other].least);
    let left = height;
    order.forEach((at, before) => {
      const part = Math.max(SMALLEST2, left / (order.length - before));
      heights[at] = Math.min(needs[at].least, part);
      left -= heights[at];
    });
    return heights;
  }

  // src/draw/arrange.js
  var HEIGHT2 = 116;
  var MARGIN = 2;
  var ROOT_SHARE = 0.17;
  var TALLEST = 27;
  var WIDEST2 = 128;
  var NARROW2 = 84;
  var LETTER = 0.62;
  var CORNERS = { chain: 10, tree: 5, forks: 5, heads: 5, beams: 0 };
  var lettersOf = (label) => characters(label.replace(/[\u2068\u2069]/g, ""));
  var cut = (text, most) => {
    const letters2 = lettersOf(text);
    return letters2.length > most ? `${letters2.slice(0, Math.max(1, most - 1)).join("")}…` : text;
  };
  function packedRows({ roots, guesses }, most) {
    const children = /* @__PURE__ */ new Map();
    for (const guess of [...guesses].sort((one, other) => one.y - other.y)) {
      children.set(guess.parent, [...children.get(guess.parent) ?? [], guess]);
    }
    const places = /* @__PURE__ */ new Map();
    let rows = 0;
    const place = (name) => {
      let slot = -1;
      const below = (children.get(name) ?? []).map((guess) => {
        if (children.has(guess.name)) {
          slot = -1;
          return place(guess.name);
        }
        slot = slot < 0 || slot + 1 >= most(guess.x) ? 0 : slot + 1;
        rows += slot === 0 ? 1 : 0;
        places.set(guess.name, { y: rows - 1, slot });
        return rows - 1;
      });
      const y = below.length ? (Math.min(...below) + Math.max(...below)) / 2 : rows++;
      places.set(name, { y, slot: 0 });
      return y;
    };
    for (const { name } of roots) place(String(name));
    return { places, rows };
  }
  function arrange(forest, look, width, room = {}) {
    const { height = HEIGHT2, head = 0, tallest = TALLEST, least = 0, widest: widest2 = WIDEST2, slim = 0, scale: scale2 = 1 } = room;
    const inner = height - head - 2 * MARGIN;
    const root = Math.min(120 * scale2, ROOT_SHARE * width);
    const fitting2 = Math.min(widest2 * scale2, (width - root - 30) / Math.max(1, forest.depth));
    const column = Math.max(slim * scale2, fitting2);
    const narrow = column < NARROW2 * scale2;
    const columnAt2 = (depth) => root + (depth - 1) * column + 18;
    const right = root + column * forest.depth + 14;
    const slot = (room.slot ?? 0) * scale2;
    const crowded = slot > 0 && least * scale2 * forest.rows > inner;
    const most = (depth) => Math.max(1, Math.floor((Math.max(width, right) - columnAt2(depth)) / slot));
    const packed = crowded ? packedRows(forest, most) : null;
    const rows = packed?.rows ?? forest.rows;
    const row2 = Math.max(least * scale2, Math.min(tallest * scale2, inner / rows));
    const tall = Math.max(inner, row2 * rows);
    const type = Math.min((narrow ? 11 : 13) * scale2, row2 - 4);
    const letter = LETTER * type;
    const [apart2, glyph] = narrow ? [8, 19 * scale2] : [16, 22 * scale2];
    const top = head + MARGIN + (tall - row2 * rows) / 2 + row2 / 2;
    const pill = Math.min(22 * scale2, row2 - 2);
    const rowOf = (name, y) => top + (packed?.places.get(name)?.y ?? y) * row2;
    const boxes = /* @__PURE__ */ new Map();
    const roots = forest.roots.map(({ name, label, y }) => {
      const place = { x: root, y: rowOf(String(name), y) };
      boxes.set(String(name), { ...place, width: 0 });
      return { name: String(name), x: root - 11, y: place.y, text: cut(label, Math.floor((root - 12) / letter)) };
    });
    const guesses = forest.guesses.map((guess) => {
      const at = packed?.places.get(guess.name)?.slot ?? 0;
      const space = packed && (at || !forest.guesses.some(({ parent: parent2 }) => parent2 === guess.name)) ? slot : column;
      const label = narrow && guess.label.length > 1 ? guess.label.replace(/^(\u2068?)·/, "$1") : guess.label;
      const tail = guess.tail ?? "";
      const text = cut(label, Math.floor((space - apart2 - glyph) / letter) - tail.length) + tail;
      const size = Math.min(space - apart2, Math.max(26, letter * lettersOf(text).length + glyph + 2));
      const box = { x: columnAt2(guess.x) + at * slot, y: rowOf(guess.name, guess.y), width: size };
      const parent = boxes.get(guess.parent) ?? box;
      boxes.set(guess.name, box);
      const from = parent.x + parent.width;
      const bend = from + (Math.min(box.x, columnAt2(guess.x)) - from) / 2;
      const curve = `M${from} ${parent.y} C${bend} ${parent.y} ${bend} ${box.y} ${box.x} ${box.y}`;
      return { guess, box, text, curve, stroke: 1 + 4 * guess.weight };
    });
    return {
      roots,
      guesses,
      type,
      pill,
      corner: Math.min(CORNERS[look] ?? 5, pill / 2),
      reach: [root + 8, right],
      column: columnAt2,
      width: Math.max(width, right),
      height: head + tall + 2 * MARGIN
    };
  }

  // src/draw/elements.js
  function rootElement({ x, y, text }, { type }) {
    const label = svg("text", { class: "sv-root-label", x, y, "font-size": type, "text-anchor": "end" }, text);
    const mark = svg("rect", { class: "sv-root", x: x + 5, y: y - 3, width: 6, height: 6 });
    return svg("g", { class: "sv-root-token" }, label, mark);
  }
  function guessElement({ box, text, curve, stroke }, { type, pill, corner }) {
    const { width } = box;
    const middle = { y: 0, "text-anchor": "middle" };
    const glyph = svg("text", { ...middle, class: "sv-glyph", x: 10, "font-size": type - 1 });
    const frame = svg("rect", { class: "sv-pill", x: 0, y: -pill / 2, width, height: pill, rx: corner });
    const label = svg("text", { ...middle, class: "sv-label", x: (width + 14) / 2, "font-size": type }, text);
    const inner = svg("g", {}, frame, glyph, label);
    const body = svg("g", { class: "sv-guess", transform: `translate(${box.x} ${box.y})` }, inner);
    const edge = svg("path", { class: "sv-edge", d: curve, "stroke-width": stroke.toFixed(1) });
    return { body, edge, glyph, label, frame };
  }

  // src/draw/view.js
  var MOST3 = 4;
  var within = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));
  function whole(picture, space) {
    const scale2 = Math.min(1, space.width / picture.width, space.height / picture.height);
    return clamped({ scale: scale2, x: 0, y: 0 }, picture, space);
  }
  function clamped({ scale: scale2, x, y }, picture, space) {
    const [wide, high] = [picture.width * scale2, picture.height * scale2];
    return {
      scale: scale2,
      x: wide <= space.width ? 0 : within(x, space.width - wide, 0),
      y: high <= space.height ? (space.height - high) / 2 : within(y, space.height - high, 0)
    };
  }
  function zoomed(view, times, at, picture, space) {
    const least = whole(picture, space).scale;
    const scale2 = within(view.scale * times, least, MOST3 * least);
    const grown = scale2 / view.scale;
    return clamped({ scale: scale2, x: at.x - (at.x - view.x) * grown, y: at.y - (at.y - view.y) * grown }, picture, space);
  }
  function showing(view, box, picture, space) {
    const { scale: scale2 } = view;
    const moved = (from, size, at, room) => {
      const start = from * scale2 + at;
      const end = start + size * scale2;
      if (start >= 0 && end <= room) return at;
      return start < 0 || end - start > room ? at - start : at - (end - room);
    };
    const x = moved(box.x, box.width, view.x, space.width);
    return clamped({ scale: scale2, x, y: moved(box.y, box.height, view.y, space.height) }, picture, space);
  }

  // src/player/tree.js
  var ROOM = { head: 20, tallest: 34, least: 15, slim: 62, widest: 150, slot: 72 };
  var NARROW3 = { ...ROOM, slim: 54 };
  var FITS = 95;
  var LARGEST2 = 1.6;
  var STEP = 1.4;
  var spare = ({ depth, rows }, { width, height }) => Math.min(LARGEST2, Math.max(1, Math.min((width - 30) / (FITS * (depth + 0.8)), height / (2 * ROOM.tallest * rows))));
  var ForestPanel = class {
    name = "tree";
    /** @type {ForestPicture | null} */
    forest = null;
    /** @type {[state: string, glyph: string, word: string][]} */
    outcomes = [];
    /** @type {ForestStage | null} */
    wanted = null;
    /** @type {Common} */
    common = { record: null, pins: [], changed: unchanged() };
    /** @type {Map<string, DrawnToken>} */
    tokens = /* @__PURE__ */ new Map();
    /** @type {Arrangement<ForestGuess> | null} */
    placed = null;
    /** @type {Size} */
    space = { width: 0, height: 0 };
    /** @type {View} */
    view = { scale: 1, x: 0, y: 0 };
    larger = false;
    // than fits
    /** @type {((node: number) => string) | null} */
    called = null;
    title = el("h3", {});
    help = el("p", {});
    picture = svg("g", {});
    drawing = svg("svg", { class: "sv-grown", translate: "no", role: "group" }, this.picture);
    fitting = el("button", { type: "button", class: "sv-chip", "aria-label": "Fit the tree", hidden: true }, "Fit");
    zoom = el(
      "div",
      { class: "sv-zoom", role: "group", "aria-label": "Size of the tree" },
      this.fitting,
      el(
        "button",
        { type: "button", class: "sv-chip", "aria-label": "Smaller", onclick: () => this.press(1 / STEP) },
        "−"
      ),
      el("button", { type: "button", class: "sv-chip", "aria-label": "Larger", onclick: () => this.press(STEP) }, "+")
    );
    corner = el("div", { class: "sv-corner" }, this.zoom);
    stage = el("div", { class: "sv-forest-room" }, this.drawing, this.corner);
    key = new DrawingKey();
    words = el("p", {});
    nothing = el("p", { class: "sv-nothing", hidden: true }, "");
    more = el("details", { class: "sv-words", "data-part": "words" }, el("summary", {}, "In words"), this.words);
    foot = el("div", { class: "sv-forest-foot" }, el("div", {}, this.key.element, this.more), this.corner);
    element = el(
      "figure",
      { class: "sv-panel sv-panel-tree", "data-panel": "tree", "data-part": "tree" },
      el("figcaption", {}, this.title, this.help),
      this.stage,
      this.nothing,
      this.foot
    );
    constructor() {
      this.about({ ever: true, drafted: true });
      this.fitting.addEventListener("click", () => this.whole());
      this.listen();
      new ResizeObserver(() => this.fit()).observe(this.stage);
    }
    listen() {
      const { stage } = this;
      const wheel = (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const box = stage.getBoundingClientRect();
        const at = { x: event.clientX - box.left, y: event.clientY - box.top };
        this.enlarge(Math.exp(-event.deltaY / 240), at);
      };
      stage.addEventListener("wheel", wheel, { passive: false });
      stage.addEventListener("pointerdown", (event) => {
        if (this.larger && event.button === 0) this.drag(event);
      });
    }
    /** Move the picture with the pointer, until it is let go. @param {PointerEvent} start */
    drag(start) {
      const { stage } = this;
      const from = { ...this.view };
      let moved = false;
      const move = (event) => {
        const [dx, dy] = [event.clientX - start.clientX, event.clientY - start.clientY];
        if (!moved && Math.hypot(dx, dy) < 5) return;
        moved = true;
        stage.classList.add("dragged");
        this.see(zoomed({ ...from, x: from.x + dx, y: from.y + dy }, 1, { x: 0, y: 0 }, this.size(), this.space));
      };
      const end = () => {
        stage.removeEventListener("pointermove", move);
        stage.classList.remove("dragged");
        if (moved) stage.addEventListener("click", (event) => event.stopPropagation(), { once: true, capture: true });
      };
      stage.addEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
        stage.addEventListener(name, end, { once: true });
      }
    }
    /** @param {{ever: boolean, drafted: boolean}} iteration */
    about({ ever, drafted }) {
      const { heading, undrafted = heading } = PANELS.tree;
      [this.title.textContent, this.help.textContent] = drafted ? heading : undrafted;
      this.element.classList.toggle("never", !ever);
    }
    get filled() {
      return Boolean(this.wanted && this.placed);
    }
    /** Another iteration's forest. @param {IterationPayload} payload */
    load({ forest, outcomes }) {
      this.forest = forest;
      this.outcomes = outcomes;
      this.wanted = null;
      this.placed = null;
      this.called = null;
      const { marks, notes } = forest.key;
      this.key.show(
        marks.map(([state, glyph, word]) => ({ state, glyph, word })),
        notes
      );
      this.build();
    }
    /** @returns {Size} of the picture */
    size() {
      const { width = 1, height = 1 } = this.placed ?? {};
      return { width, height };
    }
    /** Draw everything that any stage shows, for the space there is. */
    build() {
      const { forest, stage } = this;
      if (!forest) return;
      const scale2 = figureScale();
      const room = stage.clientWidth < 480 ? NARROW3 : ROOM;
      stage.style.setProperty("--tall", `${scale2 * (ROOM.head + forest.rows * ROOM.tallest + 6)}px`);
      this.space = { width: stage.clientWidth, height: stage.clientHeight };
      if (!this.space.width || !this.space.height) return;
      const { width, height } = this.space;
      const grown = scale2 * spare(forest, { width: width / scale2, height: height / scale2 });
      const first = arrange(forest, forest.look, width, { ...room, height, scale: grown });
      const smaller = whole(first, this.space).scale;
      const placed = smaller < 1 ? arrange(forest, forest.look, width / smaller, { ...room, height, scale: scale2 }) : first;
      this.placed = placed;
      const focused = [...this.tokens.values()].find(({ body }) => body === document.activeElement)?.name;
      const heads = this.heads(placed, scale2);
      const roots = placed.roots.map((root) => {
        const body = rootElement(root, placed);
        const box = { x: root.x - 60, y: root.y - placed.pill / 2, width: 76, height: placed.pill };
        return this.token(root.name, Number(root.name), { body, box, placed });
      });
      const guesses = placed.guesses.map((one) => this.guess(one, placed));
      this.tokens = new Map([...roots, ...guesses].map((token) => [token.name, token]));
      this.picture.setAttribute("class", forest.look);
      this.picture.replaceChildren(
        ...heads,
        ...guesses.flatMap(({ edge }) => edge ?? []),
        ...[...roots, ...guesses].map(({ body }) => body)
      );
      this.view = whole(this.size(), this.space);
      this.larger = false;
      this.restage();
      if (this.called) this.say(this.called);
      if (focused) this.tokens.get(focused)?.body.focus();
    }
    /** What stands over the columns. @param {Arrangement<ForestGuess>} placed @param {number} scale */
    heads(placed, scale2) {
      const { depth } = (
        /** @type {ForestPicture} */
        this.forest
      );
      return Array.from({ length: depth }, (_, at) => {
        const place = { class: "sv-depth", x: placed.column(at + 1), y: 9 * scale2, "font-size": 11 * scale2 };
        return svg("text", { ...place, "data-depth": at + 1 }, `depth ${at + 1}`);
      });
    }
    /** @param {PlacedGuess<ForestGuess>} one @param {Arrangement<ForestGuess>} placed */
    guess(one, placed) {
      const { name, node, words: words3 } = one.guess;
      const { body, edge, glyph } = guessElement(one, placed);
      if (node === null) body.setAttribute("data-tip", words3);
      else
        for (const [key, value] of [
          ["role", "button"],
          ["tabindex", "-1"]
        ])
          body.setAttribute(key, value);
      const box = { x: one.box.x, y: one.box.y - placed.pill / 2, width: one.box.width, height: placed.pill };
      return this.token(name, node, { body, edge, glyph, box, placed });
    }
    /**
     * @param {string} name @param {number | null} node
     * @param {{body: SVGElement, edge?: SVGElement | null, glyph?: SVGElement | null, box: DrawnToken['box'],
     *   placed: Arrangement<ForestGuess>}} drawn
     * @returns {DrawnToken}
     */
    token(name, node, { body, edge = null, glyph = null, box, placed }) {
      const [x, y] = edge ? [box.width + 3, 0] : [box.x + box.width - 6, box.y + box.height + 4];
      const more = svg("text", { class: "sv-more", x, y, "font-size": placed.type - 2 });
      body.append(more);
      if (node !== null) body.setAttribute("data-node", String(node));
      return { name, node, body, edge, glyph, more, box };
    }
    /**
     * See a stage with its words; null: say with `without` that there is nothing yet.
     * @param {ForestStage | null} stage @param {string} words @param {string} without
     */
    show(stage, words3, without) {
      this.wanted = stage;
      this.element.classList.toggle("empty", !stage);
      this.nothing.hidden = Boolean(stage);
      this.nothing.textContent = without;
      this.stage.hidden = this.foot.hidden = !stage;
      this.words.textContent = words3;
      if (stage && !this.placed) this.build();
      else this.restage();
    }
    /** Everything as it stands at the stage on screen. */
    restage() {
      const { forest, wanted, tokens } = this;
      if (!forest || !wanted || !this.placed) return;
      const glyphs = Object.fromEntries(
        [...this.outcomes, ...forest.key.marks].map(([state, glyph]) => [state, glyph])
      );
      const { drawn: drawn2, folded, ends, widths, states } = wanted;
      forest.guesses.forEach(({ name, node }, at) => {
        const number = node === null ? null : states[at];
        const state = node === null ? drawn2[name]?.[0] : number === null ? void 0 : this.outcomes[number][0];
        const token = tokens.get(name);
        if (token) this.stand(token, state, glyphs);
      });
      for (const [name, token] of tokens) {
        const count = drawn2[name]?.[1] ?? 0;
        token.more.textContent = folded[name] ? `+${folded[name]}` : count > 1 ? `×${count}` : "";
        token.body.classList.toggle("end", ends.includes(name));
      }
      const over = new Map(widths);
      for (const head of this.picture.querySelectorAll(".sv-depth")) {
        const depth = Number(head.getAttribute("data-depth"));
        head.textContent = over.get(depth) ?? `depth ${depth}`;
        head.classList.toggle("decided", over.has(depth));
      }
      this.relight();
    }
    /** @param {DrawnToken} token @param {string | undefined} state @param {Record<string, string>} glyphs */
    stand({ body, edge, glyph }, state, glyphs) {
      for (const part of [body, edge]) {
        if (!part) continue;
        part.classList.toggle("later", state === void 0);
        if (state !== void 0) part.dataset.state = state;
      }
      if (glyph) glyph.textContent = glyphs[state ?? ""] ?? "";
    }
    /** Light what the views have in common. @param {Common} common */
    mark(common) {
      this.common = common;
      this.relight();
    }
    relight() {
      const { record, pins, changed } = this.common;
      const kin = new Set(record?.ancestors);
      for (const { node, body, edge } of this.tokens.values()) {
        const lit = node !== null && node === record?.node;
        const above = node !== null && kin.has(node);
        const pin = pins.findIndex((one) => one.node === node);
        body.classList.toggle("lit", lit);
        body.classList.toggle("kin", above);
        body.classList.toggle("changed", node !== null && changed.nodes.has(node));
        edge?.classList.toggle("way", lit || above);
        if (pin >= 0) body.dataset.pin = String(pin + 1);
        else delete body.dataset.pin;
        if (body.hasAttribute("role")) body.setAttribute("aria-pressed", String(pin >= 0));
      }
      this.see(this.view);
      const inFocus = record && [...this.tokens.values()].find(({ node }) => node === record.node);
      if (this.larger && inFocus) this.see(showing(this.view, inFocus.box, this.size(), this.space));
    }
    /** What each guess is called, also where they are drawn anew. @param {(node: number) => string} words */
    say(words3) {
      this.called = words3;
      const named2 = [...this.tokens.values()].filter(({ node }) => node !== null);
      for (const { node, body } of named2) {
        const said = words3(Number(node));
        body.dataset.tip = said;
        body.setAttribute("aria-label", said);
      }
      const guesses = named2.filter(({ body }) => body.hasAttribute("role") && !body.classList.contains("later"));
      const first = guesses.find(({ body }) => body === document.activeElement) ?? guesses[0];
      for (const { body } of guesses) body.setAttribute("tabindex", body === first?.body ? "0" : "-1");
    }
    /**
     * From a guess to the one beside it.
     * @param {number} node @param {string} key
     * @returns {boolean} whether the key is one that does so
     */
    walk(node, key) {
      const shown = [...this.tokens.values()].filter(
        ({ body }) => body.hasAttribute("role") && !body.classList.contains("later")
      );
      const guesses = new Map((this.forest?.guesses ?? []).map((one) => [one.name, one]));
      const here2 = guesses.get(String(node));
      if (!here2) return false;
      const wanted = {
        ArrowRight: (one) => one.parent === here2.name,
        ArrowLeft: (one) => one.name === here2.parent,
        ArrowUp: (one) => one.x === here2.x && one.y < here2.y,
        ArrowDown: (one) => one.x === here2.x && one.y > here2.y
      };
      const fits = wanted[key];
      if (!fits) return false;
      const distance = ({ name }) => Math.abs((guesses.get(name)?.y ?? 0) - here2.y);
      const found = shown.filter(({ name }) => {
        const one = guesses.get(name);
        return one && fits(one);
      });
      const next = found.sort((one, other) => distance(one) - distance(other))[0];
      next?.body.focus();
      return true;
    }
    /** @param {View} view */
    see(view) {
      this.view = view;
      const { scale: scale2, x, y } = view;
      this.picture.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale2.toFixed(4)})`);
      this.larger = scale2 > whole(this.size(), this.space).scale * 1.001;
      this.fitting.hidden = !this.larger;
      this.stage.classList.toggle("larger", this.larger);
    }
    whole() {
      this.see(whole(this.size(), this.space));
    }
    /** @param {number} times @param {{x: number, y: number}} at */
    enlarge(times, at) {
      if (this.placed) this.see(zoomed(this.view, times, at, this.size(), this.space));
    }
    /** A press of a button: around what is in focus, or the middle. @param {number} times */
    press(times) {
      const { record } = this.common;
      const token = record && [...this.tokens.values()].find(({ node }) => node === record.node);
      const { scale: scale2, x, y } = this.view;
      const { width, height } = this.space;
      const at = token ? { x: (token.box.x + token.box.width / 2) * scale2 + x, y: (token.box.y + token.box.height / 2) * scale2 + y } : { x: width / 2, y: height / 2 };
      this.enlarge(times, at);
    }
    /** Take a new size, or large type, into account; whether there is one. */
    fit() {
      const { clientWidth: width, clientHeight: height } = this.stage;
      if (!width || !height || width === this.space.width && height === this.space.height) return false;
      this.build();
      return true;
    }
    /** What is on screen as a file. @param {'png' | 'svg'} format @param {string} title */
    async image(format, title) {
      return this.filled ? drawingAsImage(this.drawing, format, title, this.key.element) : null;
    }
  };

  // src/player/player.js
  var MOST_PINS = 2;
  var SHARE3 = 0.62;
  var nothing = () => {
  };
  var APART2 = 8;
  var LABEL = "Step player: arrow keys step, space plays";
  var Player = class {
    /** @type {IterationPayload | null} */
    payload = null;
    /** @type {Scene[]} */
    scenes = [];
    /** @type {Map<number, AnyRecord>} */
    records = /* @__PURE__ */ new Map();
    // roots included
    index = 0;
    timer = 0;
    // 0: not playing
    /** @type {Fold[]} */
    folds = [];
    folding = true;
    // long runs of steps that are alike are one
    changed = unchanged();
    // by the step on screen
    /** @type {AnyRecord | null} */
    held = null;
    // in focus when it is not the scene's own
    /** @type {AnyRecord[]} */
    pins = [];
    bar = new PlayerBar({
      show: (index) => this.show(index),
      back: () => this.back(),
      forward: () => this.forward(),
      toggle: () => this.playOrPause(),
      verdict: (verdict) => this.toVerdict(verdict)
    });
    story = new PlayerStory(() => this.toggleFold());
    board = new PinBoard({ ongo: (key) => this.goTo(key), onunpin: (node) => this.toggle(node) });
    mask = new MiniMask(() => this.toggleMask());
    right = el("div", { class: "sv-right" });
    heard = el("p", { class: "sv-hidden", role: "status" });
    sizes = new ResizeObserver(() => this.fit());
    /** @param {HTMLElement} root @param {PlayerOptions} [options] */
    constructor(root, options = {}) {
      const {
        onscene = nothing,
        onedge = nothing,
        onpins = nothing,
        holds = () => false,
        panels = Object.keys(PANELS),
        coins = null,
        compact
      } = options;
      this.onscene = onscene;
      this.onedge = onedge;
      this.onpins = onpins;
      this.holds = holds;
      this.panels = panels.map((name) => name === "tree" ? new ForestPanel() : new Panel(name));
      this.coin = new CoinHandle(coins);
      this.plots.find(({ name }) => name === "decision")?.hold(this.coin);
      this.folding = !compact;
      this.element = this.build(Boolean(compact));
      root.replaceChildren(this.element);
      this.listen();
    }
    /** @param {boolean} compact */
    build(compact) {
      const whole2 = !compact && this.panels.length === Object.keys(PANELS).length;
      const kind = `${whole2 ? " staged" : ""}${compact ? " compact" : ""}`;
      const element = (name) => this.panel(name)?.element;
      this.tree?.corner.append(this.mask.element);
      if (whole2)
        this.right.append(
          this.board.element,
          ...["probabilities", "decision", "mask"].flatMap((n) => element(n) ?? [])
        );
      return el(
        "div",
        { class: `sv-player${kind}`, role: "group", tabindex: 0, "aria-label": LABEL },
        compact ? null : this.bar.element,
        el("div", { class: "sv-console" }, this.story.element, this.story.strip),
        el(
          "div",
          { class: `sv-panels${whole2 ? "" : " few"}` },
          whole2 ? [element("tree"), this.right] : this.panels.map((one) => one.element)
        ),
        whole2 ? null : this.board.element,
        this.heard
      );
    }
    /** The draft tree, if it is one of the panels. */
    get tree() {
      return this.panels.find((one) => one instanceof ForestPanel);
    }
    /** See the mask large, in place of the right column, or the column again. @param {boolean} [on] */
    toggleMask(on = !this.element.classList.contains("masked")) {
      this.element.classList.toggle("masked", on);
      this.mask.press(on);
      this.fit();
    }
    listen() {
      const { element } = this;
      element.addEventListener("keydown", (event) => this.keys(event));
      element.addEventListener("click", (event) => this.click(event));
      for (const name of ["pointerover", "focusin"]) {
        element.addEventListener(name, ({ target }) => {
          const node = this.linked(target);
          if (node !== null) this.focus(node);
        });
      }
      for (
        const name of
        /** @type {('pointerout' | 'focusout')[]} */
        ["pointerout", "focusout"]
      ) {
        element.addEventListener(name, ({ target, relatedTarget }) => {
          if (this.linked(target) !== null && this.linked(relatedTarget) === null) this.light(null);
        });
      }
      new IntersectionObserver(([title]) => this.bar.title(!title.isIntersecting)).observe(this.story.title);
      for (const part of [element, this.board.element, this.coin.said]) this.sizes.observe(part);
      for (const { more } of this.panels) more.addEventListener("toggle", () => this.fit());
      subscribe("present", () => this.fit());
      const staged = element.classList.contains("staged");
      window.addEventListener("beforeprint", () => {
        for (const one of element.querySelectorAll("details")) one.open = true;
        element.classList.remove("staged");
        this.fit();
      });
      window.addEventListener("afterprint", () => {
        element.classList.toggle("staged", staged);
        this.fit();
      });
    }
    /** The node that something in the page stands for, or null. @param {EventTarget | null} target */
    linked(target) {
      const owner = closest(target, "[data-node]");
      return owner && this.element.contains(owner) ? Number(owner.dataset.node) : null;
    }
    /** @param {MouseEvent} event */
    click({ target }) {
      const node = this.linked(target);
      if (node === null || !(target instanceof Element) || target.closest(".sv-card")) return;
      const { top } = target.getBoundingClientRect();
      this.toggle(node);
      const down = target.getBoundingClientRect().top - top;
      window.scrollBy({ top: down, behavior: "instant" });
    }
    /** The panels beside the tree. */
    get plots() {
      return this.panels.filter((one) => one instanceof Panel);
    }
    /** Draw what is on screen for the space there is. */
    fit() {
      this.story.fit();
      if (this.tree?.fit()) this.relight();
      this.draw();
    }
    /**
     * Draw the pictures of the step on screen that are not yet, in the largest type with which they are whole.
     * @param {boolean} [again] where a key has grown
     */
    draw(again = true) {
      const [wished, middle] = [figureScale(), (1 + figureScale()) / 2];
      const tries = [.../* @__PURE__ */ new Set([wished, middle, 1])].map((scale3) => this.measured(scale3));
      const fits = ({ shown: shown2, heights: heights2 }) => shown2.every(({ needs }, at) => heights2[at] > needs.least - 1);
      const { shown, heights, scale: scale2 } = tries.find(fits) ?? tries[tries.length - 1];
      const grown = shown.map(({ panel }, at) => panel.draw(heights[at], scale2));
      if (again && grown.some(Boolean)) this.draw(false);
    }
    /** The pictures there are and how high they are to be, with type so large. @param {number} scale */
    measured(scale2) {
      const shown = this.plots.flatMap((panel) => {
        const needs = panel.measure(scale2);
        return needs ? [{ panel, needs }] : [];
      });
      return { shown, heights: this.heights(shown), scale: scale2 };
    }
    /** How high each picture is to be. @param {{panel: Panel, needs: Needs}[]} shown */
    heights(shown) {
      const { right } = this;
      if (!right.isConnected || getComputedStyle(right).display !== "flex") {
        return shown.map(
          ({ panel: { name }, needs: { least, wanted } }) => Math.max(least, Math.min(wanted, figureScale() * PANELS[name].most, SHARE3 * window.innerHeight))
        );
      }
      const parts = [...right.children].filter((one) => one instanceof HTMLElement && one.offsetHeight > 0);
      const taken = parts.reduce((sum2, one) => sum2 + /** @type {HTMLElement} */
      one.offsetHeight + APART2, 0);
      const pictures = shown.reduce((sum2, { panel }) => sum2 + panel.stage.offsetHeight, 0);
      return divided(
        shown.map(({ needs }) => needs),
        right.clientHeight - taken + pictures
      );
    }
    /** Put parts of another's above the pictures. @param {...HTMLElement} parts */
    aside(...parts) {
      this.right.prepend(...parts);
      for (const part of parts) this.sizes.observe(part);
    }
    /** @param {number} wanted */
    show(wanted) {
      const { payload, scenes } = this;
      if (!payload) return;
      const before = this.index;
      this.index = Math.max(0, Math.min(wanted, scenes.length - 1));
      this.folds = opened(this.folds, this.index);
      const scene = scenes[this.index];
      this.changed = changedBetween(payload, scenes, stepBack(this.folds, this.index), this.index, this.records);
      this.story.step(scene, (node) => isTold(scenes, this.index, node === null ? void 0 : this.records.get(node)));
      const fold = foldAt(this.folds, this.index);
      this.bar.step(this.index, scenes, fold?.from);
      this.story.fold(fold, openAround(this.folds, this.index));
      this.bar.offer((verdict) => nextVerdict(payload, scenes, this.index, verdict) >= 0);
      for (const one of this.panels) {
        const [words3, without] = [wordsOf(payload, scene, one.name), comesWords(payload, scenes, this.index, one.name)];
        if (one instanceof ForestPanel) one.show(stageOf(payload, scene), words3, without);
        else one.show(pictureOf(payload, scene, one.name), words3, without);
      }
      this.coin.show(scene.key, stripOf(pictureOf(payload, scene, "decision")));
      this.draw();
      this.element.dataset.scene = scene.key;
      this.held = null;
      this.nameGuesses();
      this.markChanges(this.index > before);
      this.relight();
      this.onscene(scene, this.index);
    }
    /** What the step changed is marked while it is on screen. @param {boolean} forward it has just been made */
    markChanges(forward) {
      const { tokens, panels } = this.changed;
      const { element } = this;
      element.classList.toggle("arrived", forward);
      element.classList.toggle("again");
      this.story.markNew(tokens);
      for (const { name, element: panel } of this.panels) panel.classList.toggle("changed", panels.has(name));
    }
    /** Open the steps that the one on screen stands for, or fold those around it again. */
    toggleFold() {
      const closed = foldAt(this.folds, this.index);
      if (closed) {
        this.show(closed.from);
        return;
      }
      const around3 = openAround(this.folds, this.index);
      this.folds = this.folds.map((fold) => fold === around3 ? { ...fold, open: false } : fold);
      if (around3) this.show(around3.to);
    }
    /** Fold long runs of steps that are alike, or show every step. @param {boolean} on */
    fold(on) {
      this.folding = on;
      const { payload, scenes } = this;
      this.folds = on && payload ? foldsOf(payload, scenes) : [];
      if (payload) this.show(this.index);
    }
    /** @param {string} key */
    goTo(key) {
      const at = this.scenes.findIndex((scene) => scene.key === key);
      if (at >= 0) this.show(at);
    }
    /**
     * One focus for all views: the node under the pointer, under the keyboard, or the one the scene is about.
     * @param {AnyRecord | null} record
     */
    light(record) {
      if (!this.payload || this.held === record) return;
      this.held = record;
      this.relight();
    }
    relight() {
      const { payload, scenes, index, pins } = this;
      if (!payload) return;
      const own = scenes[index].focus;
      const record = this.held ?? (own === null ? void 0 : this.records.get(own)) ?? null;
      this.lightTexts(record);
      const { changed } = this;
      for (const one of this.panels) {
        const own2 = one instanceof ForestPanel || one.name === "mask" ? changed : unchanged();
        one.mark({ record, pins, changed: own2 });
      }
      this.board.show(pins, (pin) => ({
        path: pathWords(this.records, pin),
        outcome: outcomeOf(payload, scenes[index], pin.node) || "not drafted yet",
        formula: decidedFormula(scenes, index, pin),
        rows: payload.mask_rows
      }));
    }
    /** The node in focus and its ancestors, in the text. @param {AnyRecord | null} record */
    lightTexts(record) {
      const kin = new Set(record ? record.ancestors : []);
      for (const one of this.story.strip.querySelectorAll("[data-node]")) {
        const node = Number(one.getAttribute("data-node"));
        one.classList.toggle("lit", record !== null && node === record.node);
        one.classList.toggle("kin", kin.has(node));
      }
    }
    /** What every guess is, as far as the step knows. */
    nameGuesses() {
      const { payload, scenes, index, tree } = this;
      if (!payload) return;
      tree?.say((node) => {
        const record = this.records.get(node);
        if (!record) return "";
        const formula = decidedFormula(scenes, index, record);
        return [nodeWords(payload, scenes[index], record), formula].filter(Boolean).join(". ");
      });
    }
    /** Pin a drafted node, or let it go. @param {number | null} node */
    toggle(node) {
      const record = node === null || node < 0 ? void 0 : this.records.get(node);
      if (!record) return;
      const was = this.pins.includes(record);
      this.setPins(togglePin(this.pins, record, MOST_PINS));
      this.heard.textContent = was ? `Unpinned ${record.label}` : `Pinned ${this.pins.length}: ${record.label}`;
      this.onpins(this.pins.map((one) => one.node));
    }
    /** @param {AnyRecord[]} pins */
    setPins(pins) {
      this.pins = pins;
      this.relight();
    }
    back() {
      if (this.index > 0) this.show(stepBack(this.folds, this.index));
      else this.onedge(-1);
    }
    forward() {
      if (!this.payload || this.index >= this.scenes.length - 1) {
        this.pause();
        this.onedge(1);
        return;
      }
      const next = stepOn(this.folds, this.index);
      if (!this.holds(this.scenes[next], () => this.show(next))) this.show(next);
    }
    /** To the next step that accepts, or rejects, a guess. @param {Verdict} verdict */
    toVerdict(verdict) {
      const at = this.payload ? nextVerdict(this.payload, this.scenes, this.index, verdict) : -1;
      if (at >= 0) this.show(at);
    }
    pause() {
      clearTimeout(this.timer);
      this.timer = 0;
      this.bar.playing(false);
    }
    playOn() {
      this.timer = setTimeout(() => {
        if (this.index >= this.scenes.length - 1) this.pause();
        else {
          this.show(stepOn(this.folds, this.index));
          this.playOn();
        }
      }, this.bar.wait());
    }
    playOrPause() {
      if (this.timer) this.pause();
      else if (this.payload) {
        if (this.index >= this.scenes.length - 1) this.show(0);
        this.bar.playing(true);
        this.playOn();
      }
    }
    /**
     * A key pressed elsewhere on the page: it steps, too, unless something there wants it.
     * @param {KeyboardEvent} event
     */
    keysElsewhere(event) {
      const { target } = event;
      if (event.defaultPrevented || target instanceof Node && this.element.contains(target)) return;
      if (closest(target, "input, select, textarea, dialog")) return;
      const presses = [" ", "Enter"].includes(event.key);
      if (!presses || !closest(target, "button, a, summary, [role=button]")) this.keys(event);
    }
    /** @param {KeyboardEvent} event */
    keys(event) {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const { key, target } = event;
      const guess = closest(target, ".sv-guess");
      if (guess && this.onGuess(key, Number(guess.dataset.node))) {
        event.preventDefault();
        return;
      }
      const own = closest(target, "select, summary, .sv-right input");
      if (own || key === " " && closest(target, "button")) return;
      const action = this.keyAction(key);
      if (!action) return;
      event.preventDefault();
      action();
    }
    /** A key on a guess: arrows walk through the tree, Enter and space pin. @param {string} key @param {number} node */
    onGuess(key, node) {
      if (key === "Enter" || key === " ") {
        this.toggle(node);
        return true;
      }
      return Boolean(this.tree?.walk(node, key));
    }
    /** @param {string} key @returns {(() => void) | null} */
    keyAction(key) {
      const unpin = () => {
        this.setPins([]);
        this.onpins([]);
      };
      const actions = {
        ArrowRight: () => this.forward(),
        ArrowLeft: () => this.back(),
        PageDown: () => this.forward(),
        PageUp: () => this.back(),
        a: () => this.toVerdict("accepted"),
        r: () => this.toVerdict("rejected"),
        m: () => this.toggleMask(),
        Home: () => this.show(0),
        End: () => this.show(PAST_THE_END),
        " ": () => this.playOrPause()
      };
      const masked = this.element.classList.contains("masked");
      if (key === "Escape" && masked) return () => this.toggleMask(false);
      if (key === "Escape") return this.pins.length ? unpin : null;
      return actions[key] ?? null;
    }
    /**
     * Show a payload from `at`: a scene key, an index, or -1 for the last scene; `only`: keys of the scenes to step
     * through.
     * @param {IterationPayload} next
     * @param {string | number} [at]
     * @param {{only?: string[] | null}} [options]
     */
    load(next, at = 0, { only = null } = {}) {
      if (this.timer && this.payload && next.iteration !== this.payload.iteration) this.pause();
      const before = this.pins;
      const same2 = this.payload?.iteration === next.iteration;
      const wasOpen = this.folds.flatMap(({ from, open: open2 }) => open2 && same2 ? [this.scenes[from].key] : []);
      this.payload = next;
      this.scenes = wantedScenes(next.scenes, only);
      this.folds = (this.folding && !only ? foldsOf(next, this.scenes) : []).map((fold) => ({
        ...fold,
        open: wasOpen.includes(this.scenes[fold.from].key)
      }));
      this.records = new Map([...next.roots, ...next.nodes].map((record) => [record.node, record]));
      Object.assign(this, { index: 0, held: null, pins: [] });
      this.frame(next, only);
      this.show(startIndex(this.scenes, at));
      const pins = samePins(before, this.records);
      if (pins.length) this.setPins(pins);
      if (pins.length < before.length) this.onpins(pins.map((pin) => pin.node));
    }
    /**
     * What stays while the scenes of a payload pass by.
     * @param {IterationPayload} payload
     * @param {string[] | null} only
     */
    frame(payload, only) {
      const { scenes } = this;
      this.bar.build(scenes);
      const entire = !only || scenes.some((scene) => scene.phase === "commit");
      const { roots } = payload;
      this.story.build(entire ? payload.text : null, roots.length === 1 ? roots[0].node : null);
      this.mask.load(payload);
      for (const one of this.panels) {
        one.about({
          ever: scenes.some((scene) => hasPanel(payload, scene, one.name)),
          drafted: payload.nodes.length > 0
        });
        if (one instanceof ForestPanel) one.load(payload);
      }
    }
    /** The scene on screen, or null. */
    scene() {
      return this.payload ? this.scenes[this.index] : null;
    }
    /**
     * Pin these nodes, at most two; those that do not exist are left out. Does not call `onpins`.
     * @param {number[]} nodes
     */
    pin(nodes) {
      if (!this.payload) return;
      const found = [...new Set(nodes)].flatMap((node) => node >= 0 && this.records.get(node) || []);
      this.setPins(found.slice(-MOST_PINS));
    }
    /**
     * Light a node in all views until the pointer or a step says otherwise; null: the scene's own.
     * @param {number | null} node
     */
    focus(node) {
      this.light((node === null ? void 0 : this.records.get(node)) ?? null);
    }
    /** A panel by its name. @param {string} name */
    panel(name) {
      return this.panels.find((one) => one.name === name);
    }
  };

  // src/lesson/parts.js
  var PlayerRack = class {
    /** @param {HTMLElement} stage @param {(direction: number) => void} onedge */
    constructor(stage, onedge) {
      this.stage = stage;
      this.onedge = onedge;
      this.rack = /* @__PURE__ */ new Map();
    }
    /** @param {string[]} panels */
    playerFor(panels) {
      const name = panels.join();
      const known2 = this.rack.get(name);
      if (known2) return known2;
      const spot = el("div", { "data-panels": name });
      this.stage.append(spot);
      const made = { spot, player: new Player(spot, { panels, compact: true, onedge: this.onedge }) };
      this.rack.set(name, made);
      return made;
    }
    /**
     * Show one scene of a payload with some panels, and a node lit; no payload: nothing.
     * @param {IterationPayload | null} payload
     * @param {LessonLook} look
     */
    show(payload, { scene, panels, light }) {
      const chosen2 = payload && this.playerFor(panels);
      for (const one of this.rack.values()) one.spot.hidden = one !== chosen2;
      if (!payload || !chosen2 || scene === null) return;
      chosen2.player.load(payload, scene, { only: [scene] });
      if (light !== null) chosen2.player.focus(light);
    }
  };
  function measure({ label, text, unit, help, share: share3 }) {
    const bar2 = el("span", { class: "sv-length", style: { width: `${100 * share3}%` } });
    const value = el("dd", {}, bar2, el("b", {}, `${text} ${unit}`.trim()));
    return el("div", { class: "sv-measure" }, el("dt", { "data-tip": help, tabindex: 0 }, label), value);
  }
  function lanes(views, meter) {
    const token = ([piece, origin]) => el("span", { class: `sv-token ${origin}` }, marked(piece));
    const lane = ({ method, title, options, tokens, numbers }) => {
      const heading = el("h3", {}, title, options ? el("small", {}, ` ${options}`) : null);
      return el(
        "section",
        { class: "sv-lesson-lane" },
        el("div", { class: "sv-lesson-method" }, heading, meter && meter(method)),
        strip("p", { class: "sv-wrote" }, tokens.map(token)),
        el("dl", {}, numbers.map(measure))
      );
    };
    return el("div", { class: "sv-lesson-lanes" }, views.map(lane));
  }
  var costs = ({ calls, source }) => el("figure", { class: "sv-lesson-costs" }, callBars(calls), el("figcaption", { class: "sv-hint" }, source));
  var misconception = ({ think, but }) => el(
    "aside",
    { class: "sv-think", "aria-label": "People often think" },
    el("h3", {}, "People often think"),
    el("blockquote", {}, `“${think}”`),
    el("p", {}, explained(but))
  );
  function printedStep({ say, misconceptions, look }) {
    const thoughts = misconceptions.map(
      ({ think, but }) => el("p", {}, el("b", {}, `People often think: “${think}” `), but)
    );
    return el("li", {}, el("p", {}, say), look.where && el("p", { class: "sv-hint" }, look.where.words), thoughts);
  }
  function printed({ lesson }) {
    const choices = lesson.question.choices.map(
      ({ text, answer, right }) => el("li", {}, el("b", {}, `${right ? "✓" : "✗"} ${text} `), answer)
    );
    return el(
      "section",
      { class: "sv-printed" },
      el("h2", {}, "The whole lesson"),
      el("p", {}, el("b", {}, lesson.question.text)),
      el("ol", { type: "A" }, choices),
      el("ol", {}, lesson.steps.map(printedStep)),
      el("p", {}, el("b", {}, lesson.takeaway))
    );
  }

  // src/lesson/view.js
  var button2 = (words3, onclick, main = false) => el("button", { type: "button", class: main ? "sv-do main" : "sv-do", onclick }, words3);
  var START = { step: 1, chosen: null, rule: null };
  var GUESS = "The draft has guessed this token. Here is what draft and target say of it. What becomes of the guess?";
  var QUESTION = "question";
  var LessonView = class {
    /** @param {HTMLElement} root @param {LessonOptions} [options] */
    constructor(root, options = {}) {
      const { onmove = () => {
      }, onpredict = () => {
      }, onopen = null, onnext = null, meter = null } = options;
      this.onmove = onmove;
      this.onopen = onopen;
      this.onnext = onnext;
      this.meter = meter;
      this.data = null;
      this.now = START;
      this.guess = new GuessFirst({ onleave: () => this.draw(), onguess: (guess2) => onpredict(guess2) });
      this.after = null;
      this.progress = el("ol", { class: "sv-progress", "aria-label": "Steps of this lesson" });
      this.heading = el("h2", { class: "sv-kicker", tabindex: -1 });
      this.said = el("p", { class: "sv-say" });
      this.runs = el("div", {});
      this.stage = el("div", { class: "sv-lesson-stage" });
      this.choices = el("ol", { class: "sv-choices" });
      this.more = el("div", {});
      this.foot = el("div", { class: "sv-lesson-foot", "data-part": "lesson-buttons" });
      this.paper = el("div", {});
      const { button: asks, element: guess } = this.guess.predict;
      const bar2 = el("div", { class: "sv-lesson-bar", "data-part": "lesson-bar" }, this.heading, asks, this.progress);
      const parts = [bar2, this.said, guess, this.runs, this.choices, this.stage, this.more, this.foot, this.paper];
      this.element = el("article", { class: "sv-lesson" }, parts);
      root.replaceChildren(this.element);
      this.rack = new PlayerRack(this.stage, (direction) => this.move(this.now.step + direction));
    }
    draw() {
      const { data, now, element } = this;
      if (!data) return;
      if (this.guess.step) {
        this.drawGuess(data, data.lesson.steps[this.guess.step - 2].look);
        return;
      }
      const { question, steps } = data.lesson;
      const revealed = now.chosen !== null;
      const asking = now.step === 1;
      const scene = asking ? question : steps[now.step - 2];
      const { look } = scene;
      const total = totalSteps(data.lesson);
      this.heading.textContent = asking ? revealed ? "The answer" : "The question" : `Step ${now.step} of ${total}`;
      element.dataset.step = String(now.step);
      element.classList.toggle("asking", asking);
      element.classList.toggle("revealed", revealed);
      this.said.replaceChildren(...explained("say" in scene ? scene.say : scene.text));
      const whole2 = look.lanes.length ? [lanes(look.lanes, revealed ? this.meter : null)] : [];
      this.runs.replaceChildren(...whole2, ...look.costs ? [costs(look.costs)] : []);
      this.rack.show(look.picture === null ? null : data.pictures[look.picture], look);
      (asking ? this.choices : this.more).after(this.foot);
      this.choices.hidden = !asking;
      if (asking) this.choices.replaceChildren(...question.choices.map((choice, at) => this.choice(choice, at + 1)));
      this.more.replaceChildren(..."say" in scene ? this.stepParts(data, scene) : []);
      this.foot.replaceChildren(...this.footParts(scene, total));
      this.progress.replaceChildren(...Array.from({ length: total }, (_, at) => this.progressMark(at + 1, total)));
    }
    /**
     * What is known of a guess before it is judged, and nothing of the verdict.
     * @param {LessonData} data
     * @param {LessonLook} look of the step that judges it
     */
    drawGuess(data, look) {
      this.heading.textContent = "Your guess";
      this.element.classList.add("asking");
      this.said.replaceChildren(...explained(GUESS));
      for (const part of [this.runs, this.more]) part.replaceChildren();
      this.choices.hidden = true;
      const picture = look.picture === null ? null : data.pictures[look.picture];
      this.rack.show(picture, { ...look, panels: ["probabilities"] });
      const pass = button2("Show me", () => this.move(this.guess.step, false), true);
      this.foot.replaceChildren(
        button2("‹ Back", () => this.guess.leave()),
        pass
      );
    }
    /** @param {number} step @param {number} total */
    progressMark(step, total) {
      const { now } = this;
      const attributes = {
        type: "button",
        disabled: step > 1 && now.chosen === null,
        "aria-current": step === now.step ? "step" : null,
        "aria-label": step === 1 ? "The question" : `Step ${step} of ${total}`,
        onclick: () => this.move(step)
      };
      return el("li", {}, el("button", attributes, step));
    }
    /** @param {LessonChoice} choice @param {number} number */
    choice({ text, answer, right }, number) {
      const { chosen: chosen2 } = this.now;
      const mine = chosen2 === number;
      const told = chosen2 !== null && (mine || right);
      const attributes = {
        type: "button",
        class: "sv-choice",
        "aria-pressed": chosen2 === null ? null : String(mine),
        disabled: chosen2 !== null && !mine,
        onclick: () => this.choose(number)
      };
      const verdict = told ? el("em", {}, right ? "✓ right" : "✗ not so") : null;
      const key = el("kbd", { "aria-hidden": "true" }, number);
      const status = mine || right && chosen2 === SHOWN ? "status" : null;
      return el(
        "li",
        { class: told ? right ? "right" : "wrong" : null },
        el("button", attributes, key, el("span", {}, text), verdict),
        told ? el("p", { class: "sv-answer", role: status }, explained(answer)) : null
      );
    }
    /** @param {LessonData} data @param {LessonStep} scene */
    stepParts(data, scene) {
      const { step, rule } = this.now;
      const broken = data.breaks[String(step - 2)];
      const parts = broken ? [breakIt(broken, rule, (name) => this.breakRule(name))] : [];
      const last = step === totalSteps(data.lesson);
      return [...parts, ...scene.misconceptions.map(misconception), ...last ? [this.ending(data)] : []];
    }
    /** @param {string | null} rule */
    breakRule(rule) {
      this.now = { ...this.now, rule };
      this.onmove(this.now);
    }
    /** @param {LessonData} data */
    ending({ lesson: { takeaway, tries } }) {
      const { onopen } = this;
      const links = tries.map(({ text, link }) => el("li", {}, onopen ? el("a", { href: link }, text) : text));
      const more = [el("h3", {}, onopen ? "Try it" : "Try it in specviz"), el("ul", {}, links)];
      const lead = el("h3", {}, "To take away");
      return el(
        "section",
        { class: "sv-takeaway" },
        lead,
        el("p", {}, explained(takeaway)),
        links.length ? more : null
      );
    }
    /** The way to a step on the other pages; where there are none, its name. @param {Where} where */
    wayTo(where) {
      const { onopen } = this;
      if (!onopen) return el("span", { class: "sv-hint" }, `In specviz: ${where.words}`);
      const onclick = (event) => onopen(where, event);
      const words3 = where.at ? "Open this step in the Microscope" : "Open these runs on the Race page";
      return el("a", { class: "sv-open", href: addressOf(where), onclick }, words3);
    }
    /** @param {LessonQuestion | LessonStep} scene @param {number} total */
    footParts({ look }, total) {
      const { step, chosen: chosen2 } = this.now;
      const parts = [];
      if (chosen2 === null) parts.push(button2("Show me", () => this.reveal(), true));
      if (step > 1) parts.push(button2("‹ Back", () => this.move(step - 1)));
      if (chosen2 === null) return parts;
      if (step < total) parts.push(button2(step === 1 ? "See why ›" : "Go on ›", () => this.move(step + 1), true));
      else if (this.onnext) parts.push(button2(this.after ? `Next: ${this.after} ›` : "All lessons", this.onnext, true));
      if (look.where) parts.push(this.wayTo(look.where));
      parts.push(button2("Start again", () => this.restart()));
      return parts;
    }
    /** @param {Partial<LessonState>} change */
    settle(change) {
      this.now = { ...this.now, ...change };
      this.draw();
      this.onmove(this.now);
    }
    focusHeading() {
      this.heading.focus({ preventScroll: true });
    }
    /** @param {number} number of an answer, from 1 */
    choose(number) {
      const { data, now } = this;
      if (!data || now.chosen !== null || now.step !== 1 || number > data.lesson.question.choices.length) return;
      answered(data.lesson.name, QUESTION, data.lesson.question.choices[number - 1].right);
      this.settle({ chosen: number });
      const mine = this.choices.querySelector('[aria-pressed="true"]');
      if (mine instanceof HTMLElement) mine.focus({ preventScroll: true });
    }
    reveal() {
      if (this.now.chosen !== null) return;
      this.settle({ chosen: SHOWN });
      this.focusHeading();
    }
    /** @param {number} to @param {boolean} [asks] for a guess, where there is one to be predicted */
    move(to, asks = true) {
      const { data, now } = this;
      if (!data || now.chosen === null || to < 1 || to > totalSteps(data.lesson) || to === now.step) return;
      const next = asks && to === now.step + 1;
      if (next && this.guess.asks(data.lesson, to, () => this.move(to))) {
        this.draw();
        return;
      }
      this.guess.leave();
      this.guess.predict.leave();
      this.settle({ step: to, rule: null });
      this.focusHeading();
      this.element.scrollIntoView({ block: "start", behavior: "instant" });
    }
    restart() {
      if (this.data) forgetScore(this.data.lesson.name);
      this.guess.predict.leave();
      this.settle(START);
      this.focusHeading();
    }
    /**
     * Keys of a lesson: 1 to 4 choose, Enter reveals, arrows step, Home starts at the question, S and G predict.
     * @param {KeyboardEvent} event
     */
    keys(event) {
      const { key, target } = event;
      if (!this.data || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      if (closest(target, "input, select, textarea, dialog")) return;
      if (key === "Enter" && closest(target, "button, a, summary")) return;
      if (this.guess.predict.keys(event)) return;
      const action = this.keyAction(key);
      if (!action) return;
      event.preventDefault();
      action();
    }
    /** @param {string} key @returns {(() => void) | undefined} */
    keyAction(key) {
      if (/^[1-4]$/.test(key)) return () => this.choose(Number(key));
      const { step } = this.now;
      const actions = {
        Enter: () => this.reveal(),
        ArrowRight: () => this.move(step + 1),
        ArrowLeft: () => this.move(step - 1),
        Home: () => this.move(1)
      };
      return actions[key];
    }
    /**
     * Show a lesson from a state (`next`: the title of the one after it); what it asks for and cannot be is left out.
     * @param {LessonData} data
     * @param {{step?: number, chosen?: unknown, rule?: string | null, next?: string | null}} [wanted]
     */
    load(data, { next = null, ...wanted } = {}) {
      this.guess.load(data.lesson);
      this.data = data;
      this.after = next;
      this.now = soundState(data.lesson, wanted);
      this.paper.replaceChildren(printed(data));
      this.draw();
    }
  };

  // src/lesson/all.js
  async function unpacked(packed) {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }
  var AllLessons = class {
    /** @type {string | null} */
    open = null;
    /** @param {HTMLElement} root @param {LessonsDocument} data @param {LessonData[]} lessons */
    constructor(root, { cards }, lessons) {
      this.lessons = lessons;
      this.cards = new LessonCards(cards, (name) => this.show(name));
      this.back = el("button", { type: "button", class: "sv-chip", onclick: () => this.show(null) }, "‹ All lessons");
      this.title = el("h2", { tabindex: -1 });
      this.top = el("div", { class: "sv-lesson-top" }, this.back, this.title);
      this.stage = el("div", {});
      this.view = new LessonView(this.stage, {
        onmove: ({ step, chosen: chosen2 }) => {
          const known2 = this.known();
          if (known2 && chosen2 !== null) reached(known2.lesson.name, step, totalSteps(known2.lesson));
        },
        onnext: () => this.show(this.next()?.lesson.name ?? null)
      });
      root.replaceChildren(this.cards.element, this.top, this.stage);
      document.addEventListener("keydown", (event) => this.open && this.view.keys(event));
      window.addEventListener("hashchange", () => this.show(window.location.hash.slice(1)));
      this.show(window.location.hash.slice(1));
    }
    known() {
      return this.lessons.find(({ lesson }) => lesson.name === this.open) ?? null;
    }
    next() {
      const known2 = this.known();
      return known2 ? this.lessons[this.lessons.indexOf(known2) + 1] : void 0;
    }
    /** @param {string | null} name of a lesson; another or none: the list */
    show(name) {
      this.open = this.lessons.some(({ lesson }) => lesson.name === name) ? name : null;
      const known2 = this.known();
      this.cards.element.hidden = known2 !== null;
      this.top.hidden = this.stage.hidden = known2 === null;
      if (window.location.hash.slice(1) !== (this.open ?? "")) window.location.hash = this.open ?? "";
      this.cards.refresh();
      if (!known2) return;
      this.title.textContent = known2.lesson.title;
      this.view.load(known2, { next: this.next()?.lesson.title });
      this.title.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
  };
  async function showLessons(root, data) {
    root.replaceChildren(el("p", { class: "sv-empty", role: "status" }, "Opening the lessons …"));
    new AllLessons(root, data, await unpacked(data.packed));
  }

  // src/base/files.js
  var TYPES = {
    html: "text/html",
    json: "application/json",
    pdf: "application/pdf",
    csv: "text/csv",
    jsonl: "application/jsonl",
    parquet: "application/vnd.apache.parquet"
  };
  function download(name, content, type = "application/json") {
    const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    el("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 6e4);
  }
  var bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  function saveAnswer({ name, text = "", base64 }) {
    download(name, base64 === void 0 ? text : bytesOf(base64), TYPES[name.split(".").pop() ?? ""]);
  }

  // src/lesson/class-files.js
  function stepsWords(steps) {
    const names = steps.map((step) => step === 1 ? "the question" : `step ${step}`);
    const row2 = steps.every((step, at) => at === 0 || step === steps[at - 1] + 1);
    if (steps.length > 2 && row2) return `${names[0]} to ${names[names.length - 1]}`;
    return names.join(", ");
  }
  var clock = (minutes) => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;

  // src/lesson/paper.js
  var KEY3 = "Where two bars stand together, the upper one is the target’s probability and the lower one the draft’s; the token in bold is the guess.";
  var lines = (count) => Array.from({ length: count }, () => el("div", { class: "sv-line", "aria-hidden": "true" }));
  var figure = (picture) => picture ? el("figure", {}, sketch(picture)) : null;
  function questionParts({ text, choices }, answers) {
    const items = choices.map(({ text: choice, answer, right }) => {
      const mark = el("span", { class: "sv-tick", "aria-hidden": "true" }, answers ? right ? "☑" : "☐" : "☐");
      const told = answers ? el("p", { class: "sv-told-answer" }, el("b", {}, right ? "Right. " : "No. "), answer) : null;
      return el("li", {}, mark, choice, told);
    });
    return [el("p", { class: "sv-asked-on-paper" }, text), el("ul", {}, items)];
  }
  var thought = ({ think, but }, answers) => el(
    "div",
    { class: "sv-thought" },
    el("p", {}, el("b", {}, "Somebody says: "), `“${think}” `, answers ? "" : "What do you answer?"),
    answers ? el("p", { class: "sv-told-answer" }, but) : lines(3)
  );
  function stepParts({ say, predict, misconceptions }, picture, answers) {
    const guess = predict ? el(
      "p",
      {},
      `The draft guessed “${predict.label}”. `,
      answers ? el("b", {}, predict.verdict === "accepted" ? "It stays." : "It goes.") : "☐ It stays.  ☐ It goes."
    ) : null;
    const told = answers ? el("p", {}, say) : null;
    const thoughts = misconceptions.map((one) => thought(one, answers));
    if (!guess && !told && !thoughts.length) return null;
    return el("li", {}, answers || guess ? figure(picture) : null, guess, told, thoughts);
  }
  function lessonPart({ words: words3, question, steps }, number, answers) {
    const items = words3.steps.map((step, at) => stepParts(step, steps[at], answers)).filter((item) => item !== null);
    const end = answers ? el("p", { class: "sv-told-answer" }, el("b", {}, "To take away: "), words3.takeaway) : el("div", {}, el("p", {}, el("b", {}, "In one sentence, what I take away:")), lines(2));
    return el(
      "section",
      {},
      el("h2", {}, `${number}. ${words3.title}`),
      el("p", { class: "sv-goal" }, el("b", {}, "Goal: "), words3.goal),
      figure(question),
      questionParts(words3.question, answers),
      el("ol", {}, items),
      end
    );
  }
  function handout({ answers, lessons }) {
    const name = answers ? null : el("p", { class: "sv-name" }, "Name: ", el("span", { class: "sv-line" }));
    const parts = lessons.map((lesson, at) => lessonPart(lesson, at + 1, answers));
    return el("article", { class: "sv-handout" }, name, el("p", { class: "sv-goal" }, KEY3), parts);
  }
  function notedPart({ begins, minutes, title, lesson, steps, say, ask: ask2, wrong }) {
    const said = [
      ["Say", say],
      ["Ask", ask2],
      ["They will get wrong", wrong]
    ].flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]);
    const where = lesson === null ? null : el("p", { class: "sv-goal" }, `Lesson “${lesson}”: ${stepsWords(steps)}`);
    const time = el("span", { class: "sv-when" }, `${clock(begins)} – ${clock(begins + minutes)} `);
    return el("section", {}, el("h2", {}, time, title), where, el("dl", {}, said));
  }
  var speakerNotes = ({ about, parts }) => el("article", { class: "sv-handout sv-notes" }, el("p", {}, about), parts.map(notedPart));

  // src/stage/moment.js
  var FACTORS = [1, 2, 5, 10, 20, 50, 100, 200];
  var WATCHABLE = 25;
  var TAIL = 0.3;
  var share2 = (value) => Math.min(1, Math.max(0, value));
  var within2 = (at, [from, to]) => to > from ? share2((at - from) / (to - from)) : at >= to ? 1 : 0;
  var eased = (at) => at * at * (3 - 2 * at);
  var startOf = ({ phases }) => phases.draft[0];
  var endOf = ({ phases }) => phases.verify[1];
  function tailOf(all, index) {
    const next = all[index + 1] ?? all[index];
    return TAIL * Math.min(endOf(all[index]) - startOf(all[index]), endOf(next) - startOf(next));
  }
  function lengthOf({ iterations }) {
    const last = iterations.length - 1;
    return last < 0 ? 0 : endOf(iterations[last]) + tailOf(iterations, last);
  }
  function iterationAt({ iterations }, moment) {
    let low = 0;
    let high = iterations.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (startOf(iterations[middle]) <= moment) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  function settledAt(lane, moment) {
    const { iterations } = lane;
    const last = iterationAt(lane, moment);
    const before = Math.max(0, last - 1);
    for (let index = before; index <= last; index++) {
      if (moment < endOf(iterations[index]) + tailOf(iterations, index)) return index;
    }
    return last + 1;
  }
  function phaseAt({ phases }, moment) {
    if (moment < phases.draft[1]) return "draft";
    if (moment < phases.target[1]) return "target";
    return moment < phases.verify[1] ? "verify" : "commit";
  }
  function guessAt({ appears, settles, fate }, moment, { fade, called, away }) {
    const there = within2(moment, [appears - fade, appears]);
    if (moment >= settles) return { there, state: fate, away };
    return { there, state: moment < called ? "ghost" : "pending", away };
  }
  function frameOf(iteration, moment, tail) {
    const { phases, guesses, depth } = iteration;
    const away = within2(moment, [endOf(iteration), endOf(iteration) + tail]);
    const fade = (phases.draft[1] - phases.draft[0]) / Math.max(1, depth);
    const at = { fade, called: phases.target[0], away };
    return {
      phase: phaseAt(iteration, moment),
      sweep: within2(moment, phases.target),
      away,
      guesses: guesses.map((guess) => guessAt(guess, moment, at))
    };
  }
  function judgedAt({ decisions, phases }, moment) {
    return Math.min(decisions, Math.floor(within2(moment, phases.verify) * (decisions + 1)));
  }
  var many = (count, one, several) => count === 1 ? `1 ${one}` : `${count} ${several}`;
  function happening(iteration, moment, before) {
    const { asked, decisions, guesses, tokens } = iteration;
    switch (phaseAt(iteration, moment)) {
      case "draft": {
        const there = guesses.filter(({ appears }) => appears <= moment).length;
        return there ? `drafting: ${many(there, "guess", "guesses")}` : "drafting";
      }
      case "target":
        if (!asked) return "one target call, for one token";
        return `one target call reads ${asked === 1 ? "the guess" : `all ${asked} guesses at once`}`;
      case "verify":
        return decisions ? `deciding: ${judgedAt(iteration, moment)} of ${decisions}` : "deciding";
      default:
        return tokens > before ? `${many(tokens - before, "token joins", "tokens join")} the text` : "the beams go on";
    }
  }
  function words2(all, index, moment) {
    const said = happening(all[index], moment, all[index - 1]?.tokens ?? 0);
    const { folded } = all[index];
    return folded ? `${said} · +${many(folded, "guess", "guesses")} not drawn` : said;
  }
  function phaseEnds(lanes2) {
    const ends = lanes2.flatMap(
      ({ iterations }) => iterations.flatMap(({ phases }) => [phases.draft[1], phases.target[1], phases.verify[1]])
    );
    return [...new Set(ends)].sort((a, b) => a - b);
  }
  function iterationEnds(lanes2) {
    return [...new Set(lanes2.flatMap(({ iterations }) => iterations.map(endOf)))].sort((a, b) => a - b);
  }
  function watchable(seconds) {
    const off = (factor) => Math.abs(Math.log(factor * seconds / WATCHABLE));
    return seconds > 0 ? FACTORS.reduce((best, factor) => off(factor) < off(best) ? factor : best) : 1;
  }

  // src/stage/forest.js
  var FALL = 16;
  var BAND = 34;
  var TAKEN = ["accepted", "root", "resampled", "bonus", "target"];
  function moveBy(body, dx, dy) {
    const inner = (
      /** @type {SVGElement} */
      body.firstElementChild
    );
    inner.style.transform = `translate(${dx.toFixed(1)}px, ${dy.toFixed(1)}px)`;
  }
  var Drawing = class {
    /** @param {Arrangement} arrangement @param {string} look @param {Record<string, string>} glyphs by state */
    constructor(arrangement, look, glyphs) {
      const [from, to] = this.reach = arrangement.reach;
      this.glyphs = glyphs;
      this.aimed = false;
      this.band = svg("rect", { class: "sv-band", x: 0, y: 0, width: BAND, height: HEIGHT2, rx: 6 });
      this.glow = svg("rect", { class: "sv-glow", x: from, y: 0, width: to - from, height: HEIGHT2, rx: 6 });
      this.guesses = arrangement.guesses.map((placed) => ({
        placed,
        ...guessElement(placed, arrangement),
        flight: null,
        shown: ""
      }));
      this.roots = svg(
        "g",
        {},
        arrangement.roots.map((root) => rootElement(root, arrangement))
      );
      this.element = svg(
        "g",
        { class: `sv-iteration ${look}` },
        this.glow,
        this.guesses.map(({ edge }) => edge),
        this.roots,
        this.guesses.map(({ body }) => body),
        this.band
      );
    }
    /** Measure where survivors go: once, before they move. @param {DOMRect} frame @param {PlaceOf} placeOf */
    aim(frame, placeOf) {
      this.aimed = true;
      for (const one of this.guesses) {
        const { guess, box } = one.placed;
        const place = guess.slot === null ? null : placeOf(guess.slot);
        if (!place) continue;
        const copy = (
          /** @type {SVGElement} */
          one.body.cloneNode(true)
        );
        const down = place.top + place.height / 2 - frame.top;
        one.flight = { copy, by: [place.left - frame.left - box.x, down - box.y] };
        one.shown = "";
        this.element.append(copy);
      }
    }
    /** @param {Frame} frame @param {boolean} stays whether the verdict stays to be seen */
    draw(frame, stays) {
      this.guesses.forEach((one, at) => this.drawGuess(one, frame.guesses[at], stays));
      const calling = frame.phase === "target";
      const [from, to] = this.reach;
      this.band.style.opacity = this.glow.style.opacity = calling ? "1" : "0";
      const along = from + (to - from - BAND) * frame.sweep;
      if (calling) this.band.style.transform = `translateX(${along.toFixed(1)}px)`;
      this.roots.style.opacity = stays || frame.away === 0 ? "1" : "0";
    }
    /** @param {DrawnGuess} one @param {GuessFrame} frame @param {boolean} stays */
    drawGuess(one, { there, state, away }, stays) {
      const { body, edge, glyph, flight } = one;
      const key = `${state} ${there.toFixed(2)} ${away.toFixed(3)}`;
      if (key === one.shown) return;
      one.shown = key;
      if (body.dataset.state !== state) {
        body.dataset.state = edge.dataset.state = state;
        glyph.textContent = this.glyphs[state] ?? "";
      }
      const moved = eased(away);
      const gone = stays ? 0 : moved;
      if (!TAKEN.includes(state)) moveBy(body, 0, FALL * gone);
      body.style.opacity = edge.style.opacity = String(there * (1 - gone));
      if (!flight) return;
      moveBy(flight.copy, flight.by[0] * moved, flight.by[1] * moved);
      flight.copy.style.opacity = away > 0 && away < 1 ? "1" : "0";
    }
  };
  var LaneForest = class {
    /** @param {Record<string, string>} glyphs by state @param {PlaceOf} placeOf */
    constructor(glyphs, placeOf) {
      this.glyphs = glyphs;
      this.placeOf = placeOf;
      this.drawing = svg("svg", { class: "sv-forest-strip", translate: "no", height: HEIGHT2, "aria-hidden": "true" });
      this.caption = el("p", { class: "sv-happening" });
      this.element = el("div", { class: "sv-lane-stage", "data-part": "stage" }, this.drawing, this.caption);
      this.drawn = /* @__PURE__ */ new Map();
      this.lane = null;
      this.moment = 0;
      this.width = 0;
      new ResizeObserver(() => this.fit()).observe(this.drawing);
    }
    fit() {
      const width = this.drawing.clientWidth;
      if (width === this.width || !width) return;
      this.width = width;
      this.forget();
      if (this.lane) this.draw(this.lane, this.moment);
    }
    forget() {
      this.drawn.clear();
      this.drawing.replaceChildren();
    }
    clear() {
      this.lane = null;
      this.caption.textContent = "";
      this.forget();
    }
    /** @param {LaneMotion} lane @param {number} moment */
    draw(lane, moment) {
      if (lane !== this.lane) this.forget();
      this.lane = lane;
      this.moment = moment;
      if (!this.width) return;
      const { iterations } = lane;
      const now = iterationAt(lane, moment);
      const falling = now > 0 && moment < iterations[now - 1].phases.verify[1] + tailOf(iterations, now - 1);
      const wanted = now < 0 ? [] : falling ? [now - 1, now] : [now];
      for (const [at, drawing] of this.drawn) {
        if (wanted.includes(at)) continue;
        drawing.element.remove();
        this.drawn.delete(at);
      }
      for (const at of wanted) this.drawIteration(lane, at, moment);
      const over = moment >= lengthOf(lane);
      const said = now < 0 || over ? "" : words2(iterations, now, moment);
      if (this.caption.textContent !== said) this.caption.textContent = said;
    }
    /** @param {LaneMotion} lane @param {number} at @param {number} moment */
    drawIteration({ iterations, look }, at, moment) {
      let drawing = this.drawn.get(at);
      if (!drawing) {
        drawing = new Drawing(arrange(iterations[at], look, this.width), look, this.glyphs);
        this.drawn.set(at, drawing);
        this.drawing.append(drawing.element);
      }
      const frame = frameOf(iterations[at], moment, tailOf(iterations, at));
      const stays = at === iterations.length - 1;
      drawing.draw(frame, stays);
      if (frame.away === 0 || drawing.aimed) return;
      drawing.aim(this.drawing.getBoundingClientRect(), this.placeOf);
      drawing.draw(frame, stays);
    }
  };

  // src/race/dials.js
  var KEY4 = "specviz-numbers";
  var chosenOnes = (kept) => kept === null ? null : kept.split(",").filter(Boolean);
  function remembered() {
    try {
      return chosenOnes(window.localStorage.getItem(KEY4));
    } catch {
      return null;
    }
  }
  var chosen;
  function isShown({ key, usual }) {
    if (chosen === void 0) chosen = remembered();
    return chosen ? chosen.includes(key) : usual;
  }

  // src/race/lane-result.js
  var HEIGHTS = { draft: [0.5, 0.5], target: [0, 1], verify: [0.75, 0.25] };
  var PENDING = "Not settled yet: the likeliest beam says this, and the beams still differ here.";
  var probabilityWords = (logprob) => logprob === null ? "the target gives it no probability" : `target probability ${Number(Math.exp(logprob).toPrecision(2))}`;
  function tokenElement([piece, origin, iteration, logprob], words3, beams, opens) {
    const when = `${beams ? "settled in " : ""}iteration ${iteration + 1}`;
    const attributes = {
      class: `sv-token ${origin}`,
      role: opens ? "button" : "note",
      tabindex: -1,
      "data-iteration": iteration,
      "aria-label": `${named(piece)}, ${words3[origin]}`,
      "data-tip": `${words3[origin]} · ${when} · ${probabilityWords(logprob)}${opens ? " · click to look inside" : ""}`
    };
    return el("span", attributes, marked(piece));
  }
  function pendingElement(view) {
    const attributes = {
      class: "sv-token pending",
      role: "button",
      tabindex: -1,
      "data-iteration": view.iterations - 1,
      "aria-label": `${view.pending.join("")}, not settled`,
      "data-tip": `${PENDING} Click to look inside the newest iteration.`
    };
    return el(
      "span",
      attributes,
      view.pending.map((piece) => marked(piece))
    );
  }
  var dialValue = (text, unit) => unit === "%" ? [`${text} %`] : [text, unit ? el("small", {}, unit) : null];
  function dialElement(dial) {
    const value = el("dd", {}, dialValue(dial.text, dial.unit));
    const about = { class: "sv-dial", tabindex: 0, "data-tip": dial.help, hidden: !isShown(dial) };
    return el("div", about, el("dt", {}, dial.label), value);
  }
  var LaneResult = class {
    /**
     * @param {number} number the lane's, from 1
     * @param {{words: Record<string, string>, glyphs: Record<string, string>}} key words of the origins, and what stands
     * for origins and outcomes
     * @param {((iteration: number, token: number | null) => void) | null} onopen null: nothing is to be looked into
     */
    constructor(number, { words: words3, glyphs }, onopen) {
      this.words = words3;
      this.onopen = onopen;
      this.shown = "";
      this.view = null;
      this.settled = -1;
      this.seconds = 1;
      this.forest = new LaneForest(glyphs, (slot) => this.placeOf(slot));
      this.tokens = 0;
      this.segments = 0;
      const label = `Text of lane ${number}: arrow keys walk its tokens${onopen ? ", Enter looks inside" : ""}`;
      this.text = strip("p", { class: "sv-text", role: "group", "aria-label": label });
      this.note = el("p", { class: "sv-note" });
      this.dials = el("dl", { class: "sv-dials", "data-part": "dials" });
      const drawing = { class: "sv-track", viewBox: "0 0 1 1", preserveAspectRatio: "none", role: "img" };
      this.drawing = svg("svg", drawing);
      this.clock = el("span", { class: "sv-clock" });
      this.future = el("div", { class: "sv-future" });
      this.playhead = el("div", { class: "sv-playhead" });
      const moving = el("div", { class: "sv-moving", "aria-hidden": "true" }, this.future, this.playhead);
      const time = el("div", { class: "sv-time", "data-part": "timeline" }, this.drawing, moving, this.clock);
      this.element = el("div", { class: "sv-result" }, this.note, this.text, this.forest.element, this.dials, time);
      this.listen();
    }
    listen() {
      this.text.addEventListener("click", (event) => this.open(event.target));
      this.drawing.addEventListener("click", (event) => this.open(event.target));
      this.text.addEventListener("keydown", (event) => this.walk(event));
      for (const name of ["pointerover", "pointerleave", "focusin"]) {
        this.element.addEventListener(name, (event) => this.light(event));
      }
    }
    /** Which of its iteration's tokens a token is; null for something else. @param {HTMLElement} token */
    positionOf(token) {
      const same2 = `.sv-token:not(.pending)[data-iteration="${token.dataset.iteration}"]`;
      const at = [...this.text.querySelectorAll(same2)].indexOf(token);
      return at < 0 ? null : at;
    }
    /** @param {EventTarget | null} target */
    open(target) {
      const at = closest(target, "[data-iteration]");
      if (at) this.onopen?.(Number(at.dataset.iteration), this.positionOf(at));
    }
    /** Arrow keys walk the tokens, Enter looks inside. @param {KeyboardEvent} event */
    walk(event) {
      const here2 = closest(event.target, ".sv-token");
      if (!here2) return;
      const [on, back] = this.text.matches(":dir(rtl)") ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
      const ways = {
        [on]: here2.nextElementSibling,
        [back]: here2.previousElementSibling,
        Home: this.text.firstElementChild,
        End: this.text.lastElementChild
      };
      const next = ways[event.key];
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.open(here2);
      } else if (next instanceof HTMLElement) {
        event.preventDefault();
        here2.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      }
    }
    /** What belongs to one iteration lights up together. @param {Event} event */
    light(event) {
      const at = closest(event.target, "[data-iteration]");
      for (const lit of this.element.querySelectorAll(".lit")) lit.classList.remove("lit");
      if (!at || event.type === "pointerleave") return;
      const same2 = this.element.querySelectorAll(`[data-iteration="${at.dataset.iteration}"]`);
      for (const one of same2) one.classList.add("lit");
    }
    /** @param {LaneView} view */
    grow(view) {
      const { text } = this;
      text.querySelector(".pending")?.remove();
      for (; this.tokens < view.tokens.length; this.tokens++) {
        text.append(tokenElement(view.tokens[this.tokens], this.words, view.beams, this.onopen !== null));
      }
      if (view.pending.length) text.append(pendingElement(view));
      keepWhole(text);
      const first = text.firstElementChild;
      if (first instanceof HTMLElement && !text.querySelector('[tabindex="0"]')) first.tabIndex = 0;
      for (; this.segments < view.segments.length; this.segments++) this.addSegment(view.segments[this.segments]);
    }
    /** @param {LaneView['segments'][number]} segment */
    addSegment([phase, start, end, iteration]) {
      let group = (
        /** @type {SVGElement | null} */
        this.drawing.lastElementChild
      );
      if (!group || group.dataset.iteration !== String(iteration)) {
        group = svg("g", { "data-iteration": iteration, "data-tip": "" });
        this.drawing.append(group);
      }
      const [y, height] = HEIGHTS[phase];
      group.append(svg("rect", { class: phase, x: start, y, width: Math.max(0, end - start), height }));
      const before = group.dataset.tip || `iteration ${iteration + 1}`;
      group.dataset.tip = `${before} · ${phase} ${((end - start) * 1e3).toFixed(1)} ms`;
    }
    clear() {
      this.shown = "";
      this.tokens = 0;
      this.segments = 0;
      for (const part of [this.text, this.drawing, this.dials]) part.replaceChildren();
      this.note.textContent = "";
      delete this.text.dataset.model;
      this.clock.textContent = "";
      this.settled = -1;
      this.forest.clear();
    }
    /**
     * @param {string} run
     * @param {LaneView} view
     * @param {boolean} stale whether the lane is set to something else now
     */
    update(run, view, stale) {
      const key = [run, view.method, JSON.stringify(view.options)].join();
      if (this.shown !== key || view.tokens.length < this.tokens) this.clear();
      this.shown = key;
      const clock3 = view.clock.toFixed(2);
      const label = `Timeline: ${view.iterations} iterations in ${clock3} seconds of this lane's own clock`;
      this.note.textContent = stale ? `Result of ${view.title}: run the race to see the lane as it is set now.` : "";
      this.text.dataset.model = view.model;
      this.grow(view);
      this.dials.replaceChildren(...view.dials.map(dialElement));
      this.clock.textContent = `${clock3} s`;
      this.drawing.setAttribute("aria-label", label);
      this.element.classList.toggle("finished", view.finished);
      this.view = view;
      this.settled = -1;
      if (view.newest) this.forest.draw(view.newest, endOf(view.newest.iterations[0]));
    }
    /** Show the numbers that the reader has chosen. */
    choose() {
      this.view?.dials.forEach((dial, at) => this.dials.children[at].toggleAttribute("hidden", !isShown(dial)));
    }
    /** The lane as it was at a moment of its clock. @param {LaneMotion} motion @param {number} moment */
    showMoment(motion, moment) {
      const settled = settledAt(motion, moment);
      if (settled !== this.settled) this.settle(motion, settled);
      this.forest.draw(motion, moment);
      const share3 = Math.min(1, moment / this.seconds);
      this.future.style.transform = `scaleX(${1 - share3})`;
      this.playhead.style.transform = `translateX(${100 * share3}%)`;
    }
    /** Show what so many iterations wrote. @param {LaneMotion} motion @param {number} settled */
    settle(motion, settled) {
      this.settled = settled;
      const whole2 = settled >= motion.iterations.length;
      const tokens = settled ? motion.iterations[settled - 1].tokens : 0;
      [...this.text.children].forEach((token, at) => token.classList.toggle("ahead", !whole2 && at >= tokens));
      const newest = this.text.children[Math.max(0, tokens - 1)];
      if (newest instanceof HTMLElement && !whole2) this.scrollTo(newest);
      const then = motion.dials[settled - 1] ?? [];
      this.view?.dials.forEach((dial, at) => {
        const [text, unit] = whole2 ? [dial.text, dial.unit] : then[at] ?? ["–", ""];
        this.dials.children[at].querySelector("dd")?.replaceWith(el("dd", {}, dialValue(text, unit)));
      });
    }
    /** @param {HTMLElement} token */
    scrollTo(token) {
      const { text } = this;
      const low = token.offsetTop - text.offsetTop + token.offsetHeight - text.clientHeight;
      const high = token.offsetTop - text.offsetTop;
      text.scrollTop = Math.min(high, Math.max(low, text.scrollTop));
    }
    /** Where an output token stands on screen. @param {number} slot */
    placeOf(slot) {
      const token = this.text.children[slot];
      if (!(token instanceof HTMLElement)) return null;
      this.scrollTo(token);
      return token.getBoundingClientRect();
    }
    /** @param {number} seconds of the whole axis @param {LaneView | null} view */
    axis(seconds, view) {
      this.seconds = seconds;
      this.drawing.setAttribute("viewBox", `0 0 ${seconds} 1`);
      this.clock.style.left = `${100 * (view ? view.clock : 0) / seconds}%`;
    }
  };

  // src/race/theory.js
  var COLUMNS = [
    ["Lane", "Lanes whose guesses form a chain and are judged one by one: what the theory is about."],
    ["γ", "Tokens guessed in an iteration."],
    [
      "α, acceptance",
      "The probability that a guess is accepted where it is judged: the sum of min(target, draft), averaged. The acceptance rate also counts the guesses after a rejection, which are never judged, so it is lower."
    ],
    ["c, a draft call", "What guessing one token costs, in target calls on one token; measured in this race."],
    ["v, the target call", "What judging all guesses costs, in the same unit; the paper takes it as 1."],
    [
      "Tokens an iteration",
      "Expected: (1 - α^(γ + 1)) / (1 - α), Equation 1 of the paper. Beside it what the lane did."
    ],
    [
      "Speed-up",
      "Over plain decoding in this race. Expected: those tokens / (γ c + v), Theorem 3.8 with the measured v."
    ],
    ["Best γ", "The number of guesses, from 1 to 16, with the highest expected speed-up at this α, c and v."]
  ];
  var both = ([expected, measured]) => [el("b", {}, measured), el("span", {}, ` expected ${expected}`)];
  function row({ name, gamma, alpha, draft_cost: draft, verify_cost: verify, tokens, speed, best_gamma: best }) {
    const cells = [gamma, alpha, draft, verify, both(tokens), speed[0] === "–" ? "–" : both(speed), best];
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, name),
      cells.map((cell) => el("td", {}, cell))
    );
  }
  function theoryTable(lanes2) {
    const heads = COLUMNS.map(
      ([word, help]) => el("th", { scope: "col" }, el("span", { tabindex: 0, "data-tip": help }, word))
    );
    const table = el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, lanes2.map(row)));
    const name = "What theory expected";
    const about = lanes2.map(
      ({ name: lane, why }) => el("p", {}, lanes2.length > 1 ? el("b", {}, `${lane}. `) : null, explained(why))
    );
    return [el("h3", {}, name), el("div", { role: "region", tabindex: 0, "aria-label": name }, table), about].flat();
  }

  // src/race/outcome.js
  function keyOf({ origins, outcomes }) {
    const words3 = Object.fromEntries(origins.map(({ name, word }) => [name, word]));
    const glyphs = Object.fromEntries([...outcomes, ...origins].map(({ name, glyph }) => [name, glyph]));
    return { words: words3, glyphs };
  }
  function legendElement({ origins, phases }) {
    const token = ({ name, glyph, word, help }) => {
      const sample = el("i", { class: `sv-token ${name}`, "aria-hidden": "true" }, glyph);
      return el("span", { class: "sv-key", tabindex: 0, "data-tip": help }, sample, word);
    };
    const phase = ({ name, word }) => el("span", { class: "sv-key" }, el("i", { class: `sv-swatch ${name}`, "aria-hidden": "true" }), word);
    const tokens = { role: "group", "aria-label": "Where a token came from" };
    const time = { role: "group", "aria-label": "What the clock was spent on" };
    return el(
      "div",
      { class: "sv-legend", "data-part": "legend" },
      el("div", tokens, el("b", {}, "Tokens"), origins.map(token)),
      el("div", time, el("b", {}, "Time"), phases.map(phase))
    );
  }
  var PACE_MARKS = { faster: "▲ ", slower: "▼ ", disturbed: "⚠ " };
  function showPace(element, pace) {
    element.hidden = !pace;
    if (!pace) return;
    element.className = `sv-pace ${pace.kind}`;
    const mark = el("b", { "aria-hidden": "true" }, PACE_MARKS[pace.kind]);
    element.replaceChildren(mark, ...explained(pace.text));
  }
  var Summary = class {
    /** @param {((lesson: string) => void) | null} toLesson opens a lesson; null where there are none */
    constructor(toLesson = null) {
      this.toLesson = toLesson;
      this.verdict = el("ul", {});
      this.calls = el("div", {});
      this.aboutCalls = el("p", {});
      this.cost = el(
        "div",
        { class: "sv-call-costs" },
        el("h3", {}, "What a target call cost"),
        this.calls,
        this.aboutCalls
      );
      this.theory = el("div", { class: "sv-theory" });
      this.lesson = el("p", { hidden: true });
      this.care = el("p", { class: "sv-care", hidden: true });
      this.element = el(
        "section",
        { class: "sv-verdict", hidden: true, "data-part": "verdict" },
        el("h2", {}, "What this race showed"),
        this.care,
        this.verdict,
        this.lesson,
        this.cost,
        this.theory
      );
    }
    /** @param {RaceMessage} race */
    show(race) {
      const { verdict, care, lesson } = race;
      this.element.hidden = verdict.length === 0;
      this.care.hidden = !care;
      this.care.textContent = care || "";
      this.lesson.hidden = !lesson || !this.toLesson;
      this.lesson.replaceChildren(this.lessonLink(lesson));
      this.showCalls(race);
      this.theory.hidden = !race.theory?.length;
      this.theory.replaceChildren(...race.theory?.length ? theoryTable(race.theory) : []);
      this.verdict.replaceChildren(...verdict.map((sentence) => el("li", {}, explained(sentence))));
    }
    /** @param {string} lesson */
    lessonLink(lesson) {
      const onclick = (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.toLesson?.(lesson);
      };
      return el(
        "a",
        { href: `?view=lessons&lesson=${lesson}`, onclick },
        "Why lossless texts may differ: the lesson ›"
      );
    }
    /** @param {RaceMessage} race */
    showCalls({ calls, about_calls: about }) {
      this.cost.hidden = !about;
      this.aboutCalls.replaceChildren(...explained(about));
      this.calls.replaceChildren(callBars(calls));
    }
  };

  // src/base/link.js
  var NUMBERS = ["max_new_tokens", "seed"];
  var LONGEST = 8e3;
  var RACE = /* @__PURE__ */ new Set(["prompt", "pair", "turns", "system", "lane", "at", "recorded", "shown", "beside", ...NUMBERS]);
  function assign2(query2, changes) {
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === void 0) query2.delete(name);
      else query2.set(name, String(value));
    }
  }
  var here = "";
  var query = () => new URL(window.location.href).searchParams;
  function replace(change, how = "replaceState") {
    const url = new URL(window.location.href);
    change(url.searchParams);
    if (url.href !== window.location.href && url.href.length < LONGEST) {
      window.history[how](window.history.state, "", url);
    }
    remember();
  }
  function remember() {
    here = window.location.href;
    publish("address", window.location.search);
  }
  var get = (name) => query().get(name);
  var set = (changes) => replace((old) => assign2(old, changes));

  // src/stage/position.js
  function positionFromText(text, positions) {
    if (text === null || positions < 1) return { position: null, wrong: "" };
    const allowed = `a whole number from 0, the first token, to ${positions - 1}, the last one`;
    const asked = text.slice(0, 30);
    const wrong = `The address asks for beside=${asked}: that is no position in this text. Write ${allowed}.`;
    const position = /^\d{1,6}$/.test(text) ? Number(text) : positions;
    return position < positions ? { position, wrong: "" } : { position: null, wrong };
  }
  var positionsOf = (lanes2) => Math.max(0, ...lanes2.map(({ view }) => view.tokens.length));
  function columnAt(lane, wanted) {
    const { view, motion } = lane;
    const position = Math.min(wanted, view.tokens.length - 1);
    const index = motion.iterations.findIndex(({ tokens }) => tokens > position);
    if (position < 0 || index < 0) return null;
    const before = motion.iterations[index - 1]?.tokens ?? 0;
    const written2 = view.tokens.slice(before, motion.iterations[index].tokens).map(([piece]) => piece);
    return { lane, position, index, iteration: motion.iterations[index], written: written2, at: position - before };
  }
  var secondsOf = (iteration) => endOf(iteration) - iteration.phases.draft[0];
  var milliseconds2 = (seconds) => `${Number((1e3 * seconds).toPrecision(2))} ms`;
  var SHOWN2 = ["tokens_per_second", "tokens_per_target_call", "acceptance_rate", "perplexity"];
  var many2 = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  var largest = (values) => Math.max(0, ...values.map((value) => value ?? 0));
  var longest = (lanes2) => largest(lanes2.flatMap(({ motion }) => motion.iterations.map(secondsOf)));
  var writtenBy = ({ motion: { iterations } }) => iterations.map(({ tokens }, at) => tokens - (iterations[at - 1]?.tokens ?? 0));
  function gaugesOf({ lane, index, iteration, written: written2 }, lanes2) {
    const { offered, accepted } = iteration;
    const own = [
      {
        label: "tokens from this call",
        text: String(written2.length),
        value: written2.length,
        most: largest(lanes2.flatMap(writtenBy))
      },
      {
        label: "guesses kept",
        text: offered ? `${accepted} of ${offered}` : "–",
        value: offered ? accepted / offered : null,
        most: 1
      }
    ];
    const far = lane.view.dials.flatMap(({ key, label }, at) => {
      if (!SHOWN2.includes(key)) return [];
      const [text, unit, value] = lane.motion.dials[index][at];
      const all = lanes2.flatMap(({ motion }) => motion.dials.map((dials) => dials[at]?.[2]));
      return [{ label, text: `${text} ${unit}`.trim(), value, most: largest(all) }];
    });
    return [...own, ...far];
  }
  function wordsOf2(column, lanes2) {
    const { lane, index, iteration, written: written2 } = column;
    const { asked, folded, guesses, reads } = iteration;
    const drafted = guesses.filter(({ name }) => /^\d/.test(name)).length + folded;
    const made = drafted ? `${drafted} guesses drafted, ${asked} of them read` : "nothing drafted, one token asked for";
    const gauges = gaugesOf(column, lanes2).map(({ label, text }) => `${label} ${text}`);
    const time = milliseconds2(secondsOf(iteration));
    const wrote = written2.map((piece) => piece.trim() || "␣").join(" · ");
    const where = `${lane.view.title}, iteration ${index + 1} of ${lane.view.iterations}`;
    const call = `${made} in one target call of ${many2(reads.length, "row")}`;
    return `${where}: ${call}; ${time}. It wrote “${isolated(wrote)}”. ${gauges.join(", ")}.`;
  }

  // src/stage/sheet.js
  var GAP3 = 14;
  var PAD2 = 10;
  var HEAD3 = 66;
  var MASK = 150;
  var GAUGE = 24;
  var LABELS = 152;
  var TALL = HEAD3 + HEIGHT2 + MASK + 2 * GAP3 + 7 * GAUGE + PAD2;
  var PHASES2 = ["draft", "target", "verify"];
  var FATE_COLOURS = {
    accepted: "accepted",
    dropped: "accepted",
    rejected: "rejected",
    unjudged: "rejected",
    resampled: "resampled",
    bonus: "bonus",
    target: "target",
    root: "target",
    spare: "target"
  };
  var HOLLOW = ["ghost", "dropped", "unjudged", "pruned", "spare"];
  var Sheet = class {
    /** @param {Colour} colour @param {Record<string, string>} glyphs by state @param {Lane[]} lanes all of them */
    constructor(colour, glyphs, lanes2) {
      this.colour = colour;
      this.glyphs = glyphs;
      this.lanes = lanes2;
      this.longest = longest(lanes2);
    }
    /** @param {string} text @param {number} x @param {number} y @param {Record<string, string | number>} [more] */
    words(text, x, y, more = {}) {
      const { size = 13, colour = "ink", ...rest } = more;
      const fill2 = this.colour(String(colour));
      return svg("text", { x, y, fill: fill2, "font-size": size, "dominant-baseline": "central", ...rest }, text);
    }
    /** @param {Column | null} column @param {number} number of the lane @param {string} title @param {number} width */
    column(column, number, title, width) {
      const inside = width - 2 * PAD2;
      const ground = svg("rect", {
        width,
        height: TALL,
        rx: 10,
        fill: this.colour("paper"),
        stroke: this.colour("line")
      });
      const name = this.words(`${number}  ${title}`, PAD2, 20, { size: 15, "font-weight": 700 });
      if (!column) return [ground, name, this.words("wrote nothing", PAD2, 44, { colour: "muted" })];
      const down = (y, parts) => svg("g", { transform: `translate(${PAD2} ${y})` }, parts);
      return [
        ground,
        name,
        this.words(`iteration ${column.index + 1} of ${column.lane.view.iterations}`, width - PAD2, 20, {
          colour: "muted",
          "text-anchor": "end"
        }),
        this.written(column),
        down(HEAD3, this.forest(column, inside)),
        down(HEAD3 + HEIGHT2 + GAP3, this.mask(column, inside)),
        down(HEAD3 + HEIGHT2 + MASK + 2 * GAP3, this.gauges(column, inside))
      ];
    }
    /** What the iteration wrote, the token in question in bold. @param {Column} column */
    written({ written: written2, at }) {
      const before = written2.slice(0, at).join("");
      const alone = !goesOn(before, written2[at]) && !goesOn(before + written2[at], written2[at + 1] ?? "");
      const now = { "font-weight": alone ? 800 : null, "text-decoration": "underline" };
      const tokens = written2.map((piece, index) => {
        const text = piece.replaceAll(" ", "·").replaceAll("\n", "↵");
        return svg("tspan", index === at ? now : {}, text);
      });
      const clip = { x: PAD2, y: 46, fill: this.colour("ink"), "font-size": 14, "dominant-baseline": "central" };
      const [begin, end] = ISOLATE;
      return svg("text", clip, svg("tspan", { fill: this.colour("muted") }, "writes "), begin, tokens, end);
    }
    /** @param {Column} column @param {number} width */
    forest({ iteration, lane }, width) {
      const arrangement = arrange(iteration, lane.motion.look, width);
      const roots = arrangement.roots.map(
        ({ x, y, text }) => svg(
          "g",
          {},
          this.words(text, x, y, { size: arrangement.type, colour: "muted", "text-anchor": "end" }),
          this.block(x + 5, y - 3, 6, 6, "ink")
        )
      );
      const edges = arrangement.guesses.map(
        ({ curve, stroke, guess }) => svg("path", {
          d: curve,
          fill: "none",
          stroke: this.fate(guess.fate),
          "stroke-width": stroke.toFixed(1),
          "stroke-opacity": 0.55
        })
      );
      const folded = iteration.folded ? [
        this.words(`+${iteration.folded} guesses not drawn`, width, HEIGHT2 + 4, {
          size: 11.5,
          colour: "muted",
          "text-anchor": "end"
        })
      ] : [];
      return [...edges, ...roots, ...arrangement.guesses.map((one) => this.guess(one, arrangement)), ...folded];
    }
    /** @param {string} fate */
    fate(fate) {
      return this.colour(FATE_COLOURS[fate] ?? "muted");
    }
    /** @param {PlacedGuess} placed @param {Arrangement} like */
    guess({ box, text, guess }, { pill, corner, type }) {
      const stroke = this.fate(guess.fate);
      const hollow = HOLLOW.includes(guess.fate);
      const frame = { width: box.width, height: pill, y: -pill / 2, rx: corner, stroke, "stroke-width": 1.5 };
      const dashes = hollow && guess.fate !== "dropped" ? { "stroke-dasharray": "3 3" } : {};
      return svg(
        "g",
        { transform: `translate(${box.x} ${box.y})`, "data-node": guess.name },
        svg("rect", { ...frame, fill: this.colour("paper") }),
        svg("rect", { ...frame, ...dashes, fill: stroke, "fill-opacity": hollow ? 0 : 0.16 }),
        svg(
          "text",
          {
            x: 10,
            fill: stroke,
            "font-size": type - 1,
            "font-weight": 700,
            "text-anchor": "middle",
            "dominant-baseline": "central"
          },
          this.glyphs[guess.fate] ?? ""
        ),
        this.words(text, (box.width + 14) / 2, 0, { size: type, "text-anchor": "middle" })
      );
    }
    /**
     * @param {number} x @param {number} y @param {number} width @param {number} height
     * @param {string} colour @param {number} [opacity]
     */
    block(x, y, width, height, colour, opacity = 1) {
      return svg("rect", {
        x,
        y,
        width: Math.max(0, width),
        height,
        fill: this.colour(colour),
        "fill-opacity": opacity
      });
    }
    /**
     * Rows of the target call, and what each sees: the context, those before it, itself.
     * @param {Column} column @param {number} width
     */
    mask({ iteration }, width) {
      const { reads } = iteration;
      const tall = MASK - 20;
      const cell = Math.min(14, tall / reads.length, width * 0.6 / (reads.length + 2));
      const across = (row2) => (row2 + 2) * cell + 3;
      const lines2 = reads.map(([name, follows], row2) => {
        const seen = [];
        for (let at = follows; at >= 0; at = reads[at][1]) seen.push(at);
        return svg(
          "g",
          { "data-node": name },
          this.block(0, row2 * cell, 2 * cell, cell - 0.6, "muted", 0.45),
          this.block(across(0), row2 * cell, cell * reads.length - 0.6, cell - 0.6, "soft"),
          seen.map((at) => this.block(across(at), row2 * cell, cell - 0.6, cell - 0.6, "accepted", 0.7)),
          this.block(across(row2), row2 * cell, cell - 0.6, cell - 0.6, "ink")
        );
      });
      return [...lines2, ...this.maskKey(reads.length, across(reads.length) + 10)];
    }
    /** What its marks mean. @param {number} count of the rows @param {number} left */
    maskKey(count, left) {
      if (count === 1)
        return [this.words("1 row is read: it sees the context", left, 8, { size: 12, colour: "muted" })];
      const key = [
        [`${count} rows in one call, each sees`, null, 0],
        ["the context", "muted", 0.45],
        ["what it follows", "accepted", 0.7],
        ["itself", "ink", 1]
      ];
      return key.flatMap(([text, colour, opacity], at) => {
        const said = this.words(text, left + (colour ? 15 : 0), 8 + 20 * at, { size: 12, colour: "muted" });
        return colour ? [this.block(left, 3 + 20 * at, 10, 10, colour, opacity), said] : [said];
      });
    }
    /** @param {Column} column @param {number} width */
    gauges(column, width) {
      const left = LABELS;
      const room = Math.max(30, width - left - 92);
      const lines2 = gaugesOf(column, this.lanes).map((gauge, at) => this.gauge(gauge, at * GAUGE, left, room, width));
      const top = lines2.length * GAUGE;
      const { phases } = column.iteration;
      const scale2 = room / (this.longest || 1);
      let x = left;
      const time = PHASES2.map((phase) => {
        const wide = (phases[phase][1] - phases[phase][0]) * scale2;
        const block = this.block(x, top + 5, wide, 13, phase);
        x += wide;
        return block;
      });
      const text = `${Number((1e3 * secondsOf(column.iteration)).toPrecision(2))} ms`;
      const more = { size: 12.5 };
      return [
        ...lines2.flat(),
        this.words("time of this iteration", 0, top + 12, { ...more, colour: "muted" }),
        this.block(left, top + 5, room, 13, "soft"),
        ...time,
        this.words(text, width, top + 12, { ...more, "text-anchor": "end", "font-weight": 650 })
      ];
    }
    /** @param {Gauge} gauge @param {number} top @param {number} left @param {number} room @param {number} width */
    gauge({ label, text, value, most }, top, left, room, width) {
      const share3 = value === null || !most ? 0 : value / most;
      return [
        this.words(label, 0, top + 12, { size: 12.5, colour: "muted" }),
        this.block(left, top + 5, room, 13, "soft"),
        this.block(left, top + 5, room * share3, 13, "accent"),
        this.words(text, width, top + 12, { size: 12.5, "text-anchor": "end", "font-weight": 650 })
      ];
    }
  };

  // src/stage/beside.js
  var Beside = class {
    /** @type {Lane[]} */
    lanes = [];
    position = 0;
    /** @type {Map<number, number>} */
    pinned = /* @__PURE__ */ new Map();
    // lanes that stay at a position
    slider = el("input", {
      type: "range",
      class: "sv-scrub",
      min: 0,
      step: 1,
      "aria-label": "Position in the text",
      oninput: () => this.slide()
    });
    where = el("output", { class: "sv-moment" });
    pins = el("div", { class: "sv-beside-pins" });
    drawing = svg("svg", {
      class: "sv-beside-drawing",
      translate: "no",
      role: "img",
      "aria-label": "Forest, mask and gauges of every lane; in words below"
    });
    words = el("ul", {});
    /** @param {{glyphs: Record<string, string>, onmove: (position: number) => void}} options */
    constructor({ glyphs, onmove }) {
      this.glyphs = glyphs;
      this.onmove = onmove;
      const bar2 = el(
        "div",
        { class: "sv-beside-bar" },
        this.button("◀", "One token back", -1),
        this.button("▶", "One token on", 1),
        this.slider,
        this.where
      );
      const words3 = el("details", { class: "sv-words" }, el("summary", {}, "In words"), this.words);
      const attributes = { class: "sv-beside", "aria-label": "Side by side", "data-part": "beside", hidden: true };
      this.element = el("section", attributes, bar2, this.pins, this.drawing, words3);
      this.element.addEventListener("pointerover", (event) => this.light(event.target));
      new ResizeObserver(() => this.draw()).observe(this.element);
    }
    /** @param {string} text @param {string} label @param {number} by */
    button(text, label, by) {
      const onclick = () => this.goTo(this.position + by);
      return el("button", { type: "button", class: "sv-quiet", "aria-label": label, onclick }, text);
    }
    slide() {
      this.goTo(this.slider.valueAsNumber);
    }
    /** @param {Lane[]} lanes @param {number} position */
    load(lanes2, position) {
      this.lanes = lanes2;
      this.pinned.clear();
      this.slider.max = String(Math.max(0, positionsOf(lanes2) - 1));
      this.goTo(position);
    }
    /** @param {number} position */
    goTo(position) {
      this.position = Math.max(0, Math.min(position, Number(this.slider.max)));
      this.slider.value = String(this.position);
      this.where.textContent = `token ${this.position + 1} of ${Number(this.slider.max) + 1}`;
      this.onmove(this.position);
      this.draw();
    }
    columns() {
      return this.lanes.map((lane, at) => columnAt(lane, this.pinned.get(at) ?? this.position));
    }
    draw() {
      const width = this.element.clientWidth;
      if (!width || this.element.hidden) return;
      const sheet = new Sheet((name) => `var(--sv-${name})`, this.glyphs, this.lanes);
      const columns = this.columns();
      const wide = Math.max(300, (width - GAP3 * (columns.length - 1)) / columns.length);
      const whole2 = wide * columns.length + GAP3 * (columns.length - 1);
      const height = TALL;
      for (const [name, value] of Object.entries({ viewBox: `0 0 ${whole2} ${height}`, width: whole2, height }))
        this.drawing.setAttribute(name, String(value));
      this.drawing.style.fontFamily = "var(--sv-sans)";
      this.drawing.replaceChildren(
        ...columns.map(
          (column, at) => svg(
            "g",
            { transform: `translate(${at * (wide + GAP3)} 0)`, "data-lane": at },
            sheet.column(column, at + 1, this.lanes[at].view.title, wide)
          )
        )
      );
      this.pins.replaceChildren(...this.lanes.map((lane, at) => this.pinButton(lane, at)));
      this.words.replaceChildren(
        ...columns.flatMap((column) => column ? [el("li", {}, wordsOf2(column, this.lanes))] : [])
      );
    }
    /** @param {Lane} lane @param {number} at */
    pinButton({ view }, at) {
      const pinned = this.pinned.get(at);
      const onclick = () => {
        if (pinned === void 0) this.pinned.set(at, this.position);
        else this.pinned.delete(at);
        this.draw();
        this.pins.querySelectorAll("button")[at]?.focus();
      };
      const text = pinned === void 0 ? `Pin ${view.title} here` : `${view.title} is pinned at token ${pinned + 1}: let go`;
      return el(
        "button",
        { type: "button", class: "sv-chip", "aria-pressed": String(pinned !== void 0), onclick },
        text
      );
    }
    /** A guess and its row of the mask light up together. @param {EventTarget | null} target */
    light(target) {
      const at = target instanceof Element ? target.closest("[data-node]") : null;
      for (const lit of this.drawing.querySelectorAll(".lit")) lit.classList.remove("lit");
      const lane = at?.closest("[data-lane]");
      if (!at || !lane) return;
      const name = at.getAttribute("data-node");
      for (const one of lane.querySelectorAll("[data-node]"))
        one.classList.toggle("lit", one.getAttribute("data-node") === name);
    }
    /** The drawing as the text of an SVG file. */
    svgFile() {
      const copy = (
        /** @type {SVGElement} */
        this.drawing.cloneNode(true)
      );
      copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      copy.prepend(svg("rect", { width: "100%", height: "100%", fill: "var(--sv-ground)" }));
      const style = getComputedStyle(this.element);
      const value = (given) => given.replace(/var\((--[\w-]+)\)/, (_, name) => style.getPropertyValue(name).trim());
      for (const one of copy.querySelectorAll("*"))
        for (const name of ["fill", "stroke"])
          if (one.hasAttribute(name)) one.setAttribute(name, value(one.getAttribute(name) ?? ""));
      copy.style.fontFamily = value(this.drawing.style.fontFamily);
      return new XMLSerializer().serializeToString(copy);
    }
    /** The same as a picture of twice the size. @returns {Promise<Blob>} */
    async pngFile() {
      const image = new Image();
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(this.svgFile())}`;
      await image.decode();
      const canvas = el("canvas", { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
      canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
      return new Promise((resolve, reject) => {
        canvas.toBlob((blob) => blob ? resolve(blob) : reject(new Error("The browser could not draw the picture.")));
      });
    }
  };

  // src/stage/film-lines.js
  var drawn = (piece) => visible(piece).filter(([run]) => run !== "\n").map(([run, mark]) => mark === "space" ? run.replaceAll(" ", "·") : run).join("");
  function linesOf(tokens, widthOf2, most) {
    const empty = () => ({ text: "", pieces: (
      /** @type {string[]} */
      []
    ) });
    const paragraphs = [[empty()]];
    for (const token of tokens) {
      const piece = drawn(token);
      const lines2 = paragraphs[paragraphs.length - 1];
      const { text } = lines2[lines2.length - 1];
      if (text && widthOf2(text + piece) > most && !goesOn(text, piece)) lines2.push(empty());
      const line2 = lines2[lines2.length - 1];
      line2.text += piece;
      line2.pieces.push(piece);
      if (token.includes("\n")) paragraphs.push([empty()]);
    }
    return paragraphs.flatMap((lines2) => {
      const rightToLeft = isRightToLeft(lines2.map(({ text }) => text).join(""));
      return lines2.map((line2) => ({ ...line2, rightToLeft }));
    });
  }
  function placesIn(lines2, font, width) {
    const rows = lines2.map(({ pieces, rightToLeft }) => {
      const spans = pieces.map((piece) => el("span", {}, piece));
      return { spans, row: el("div", { dir: rightToLeft ? "rtl" : "ltr" }, spans) };
    });
    const style = { font, width: `${width}px`, "white-space": "pre", position: "fixed", visibility: "hidden" };
    const box = el(
      "div",
      { style: { ...style, "inset-block-start": "0", left: "0" } },
      rows.map(({ row: row2 }) => row2)
    );
    document.body.append(box);
    const places = rows.map(
      ({ spans }) => spans.map((span) => Array.from(span.getClientRects(), ({ left, width: wide }) => ({ x: left, width: wide })))
    );
    box.remove();
    return places;
  }

  // src/stage/film.js
  var WIDTH2 = 1280;
  var HEAD4 = 44;
  var LANE = { height: 216, pad: 14, name: 30, track: 18 };
  var TEXT = { width: 430, line: 26, size: 16 };
  var FRAMES = 30;
  var BITS = 5e6;
  var LINGER = 1.5;
  var SHARES = { draft: 0.5, target: 1, verify: 0.25 };
  var canFilm = () => "MediaRecorder" in window && MediaRecorder.isTypeSupported("video/webm");
  var Film = class {
    /**
     * @param {string} title
     * @param {{view: LaneView, motion: LaneMotion}[]} lanes
     * @param {Record<string, string>} glyphs by state
     * @param {Element} styled where the page's colours apply
     */
    constructor(title, lanes2, glyphs, styled) {
      this.canvas = document.createElement("canvas");
      this.canvas.width = WIDTH2;
      this.canvas.height = HEAD4 + LANE.height * lanes2.length + 8;
      this.pen = /** @type {CanvasRenderingContext2D} */
      this.canvas.getContext("2d");
      this.title = title;
      this.glyphs = glyphs;
      const style = getComputedStyle(styled);
      this.colour = (name) => style.getPropertyValue(`--sv-${name}`).trim();
      this.font = style.getPropertyValue("--sv-sans").trim();
      this.length = Math.max(...lanes2.map(({ motion }) => lengthOf(motion)));
      this.clock = Math.max(...lanes2.map(({ view }) => view.clock));
      this.lanes = lanes2.map(({ view, motion }) => ({ view, motion, tokens: this.wrap(view), arranged: /* @__PURE__ */ new Map() }));
    }
    /** @param {number} size @param {number} [weight] */
    type(size, weight = 400) {
      this.pen.font = `${weight} ${size}px ${this.font}`;
    }
    /**
     * @param {string} text @param {number} x @param {number} y
     * @param {string} colour @param {CanvasTextAlign} [align]
     */
    write(text, x, y, colour, align = "left") {
      const { pen } = this;
      pen.fillStyle = this.colour(colour);
      pen.textAlign = align;
      pen.textBaseline = "middle";
      pen.fillText(text, x, y);
    }
    /** The lane's tokens in lines. @param {LaneView} view @returns {PlacedToken[]} */
    wrap({ tokens }) {
      this.type(TEXT.size);
      const pieces = tokens.map(([piece]) => piece);
      const lines2 = linesOf(pieces, (text) => this.pen.measureText(text).width, TEXT.width);
      const places = placesIn(lines2, this.pen.font, TEXT.width);
      return lines2.flatMap((line2, at) => places[at].map((stretches) => ({ y: at * TEXT.line, stretches, line: line2 }))).map((placed, at) => ({ ...placed, origin: tokens[at][1] }));
    }
    /** Draw everything as it was. @param {number} moment */
    paint(moment) {
      const { pen, canvas } = this;
      pen.globalAlpha = 1;
      pen.fillStyle = this.colour("ground");
      pen.fillRect(0, 0, canvas.width, canvas.height);
      this.type(19, 700);
      this.write("specviz", 20, HEAD4 / 2, "ink");
      this.type(15);
      this.write(isolated(this.title), 110, HEAD4 / 2, "muted");
      this.write(`${Math.min(moment, this.clock).toFixed(3)} s`, WIDTH2 - 20, HEAD4 / 2, "muted", "right");
      this.lanes.forEach((lane, index) => {
        pen.save();
        pen.translate(12, HEAD4 + index * LANE.height);
        this.lane(lane, moment);
        pen.restore();
      });
    }
    /** @param {FilmLane} lane @param {number} moment */
    lane(lane, moment) {
      const { pen } = this;
      const { view, motion } = lane;
      const width = WIDTH2 - 24;
      pen.fillStyle = this.colour("paper");
      pen.beginPath();
      pen.roundRect(0, 0, width, LANE.height - 8, 10);
      pen.fill();
      const settled = settledAt(motion, moment);
      this.head(view, motion.dials[settled - 1], width);
      this.text(lane, settled ? motion.iterations[settled - 1].tokens : 0);
      this.track(view, moment, width);
      const left = LANE.pad + TEXT.width + 20;
      pen.translate(left, LANE.name + 6);
      this.forest(lane, moment, width - left - LANE.pad, [LANE.pad - left, TEXT.line / 2 + 4]);
    }
    /** @param {LaneView} view @param {LaneMotion["dials"][number] | undefined} dials @param {number} width */
    head(view, dials, width) {
      this.type(16, 700);
      this.write(view.title, LANE.pad, 20, "ink");
      this.type(14);
      const shown = view.dials.flatMap((dial, at) => {
        const [text, unit] = dials?.[at] ?? ["–", ""];
        return isShown(dial) ? [`${text} ${unit || dial.label}`] : [];
      });
      this.write(shown.slice(0, 3).join("   ·   "), width - LANE.pad, 20, "muted", "right");
    }
    /** The end of the text, as much as there is room for. @param {FilmLane} lane @param {number} count */
    text({ tokens }, count) {
      const all = tokens.slice(0, count);
      const up = this.scrolled(all[all.length - 1]);
      const shown = all.filter(({ y }) => y >= up);
      for (const line2 of new Set(shown.map((token) => token.line))) {
        this.line(
          shown.filter((token) => token.line === line2),
          tokens.filter((token) => token.line === line2),
          LANE.name + 10 + TEXT.line / 2 - up
        );
      }
    }
    /** The tokens of a line that are there by now, each where it will stand in the whole line.
     * @param {PlacedToken[]} shown @param {PlacedToken[]} whole @param {number} down */
    line(shown, whole2, down) {
      const { pen } = this;
      const middle = down + shown[0].y;
      const written2 = new Path2D();
      for (const { stretches, origin } of shown) {
        pen.fillStyle = this.colour(origin);
        for (const { x, width } of stretches) {
          pen.globalAlpha = 0.16;
          pen.fillRect(LANE.pad + x, middle - 10, width - 1, 20);
          pen.globalAlpha = 1;
          pen.fillRect(LANE.pad + x, middle + 10, width - 1, 2);
          written2.rect(LANE.pad + x, middle - TEXT.line / 2, width, TEXT.line);
        }
      }
      const { line: line2 } = shown[0];
      const left = Math.min(...whole2.flatMap(({ stretches }) => stretches.map(({ x }) => x)));
      pen.save();
      if (shown.length < whole2.length) pen.clip(written2);
      this.type(TEXT.size);
      pen.direction = line2.rightToLeft ? "rtl" : "ltr";
      this.write(line2.text, LANE.pad + left, middle, "ink");
      pen.restore();
    }
    /** How far the text has moved up. @param {PlacedToken | undefined} newest */
    scrolled(newest) {
      const lines2 = Math.floor((LANE.height - LANE.name - LANE.track - 34) / TEXT.line);
      return Math.max(0, (newest?.y ?? 0) - (lines2 - 1) * TEXT.line);
    }
    /** @param {LaneView} view @param {number} moment @param {number} width */
    track(view, moment, width) {
      const { pen } = this;
      const [left, top, wide] = [LANE.pad, LANE.height - LANE.track - 20, width - 2 * LANE.pad];
      const across = (at) => left + wide * at / this.clock;
      pen.fillStyle = this.colour("soft");
      pen.fillRect(left, top, wide, LANE.track);
      for (const [phase, start, end] of view.segments) {
        if (start >= moment) break;
        const tall = LANE.track * SHARES[phase];
        pen.fillStyle = this.colour(phase);
        pen.fillRect(across(start), top + LANE.track - tall, across(Math.min(end, moment)) - across(start), tall);
      }
      pen.fillStyle = this.colour("ink");
      pen.fillRect(across(Math.min(moment, this.clock)), top, 2, LANE.track);
    }
    /**
     * @param {FilmLane} lane @param {number} moment @param {number} width
     * @param {[number, number]} text where the text begins, seen from here
     */
    forest(lane, moment, width, text) {
      const { iterations, look } = lane.motion;
      const now = iterationAt(lane.motion, moment);
      for (const at of [now - 1, now]) {
        if (at < 0) continue;
        const frame = frameOf(iterations[at], moment, tailOf(iterations, at));
        if (at < now && frame.away >= 1) continue;
        if (!lane.arranged.has(at)) lane.arranged.set(at, arrange(iterations[at], look, width));
        const arrangement = (
          /** @type {Arrangement} */
          lane.arranged.get(at)
        );
        this.iteration(arrangement, frame, at === iterations.length - 1);
        this.flights(lane, arrangement, frame, text);
      }
      if (now < 0 || moment >= lengthOf(lane.motion)) return;
      this.pen.globalAlpha = 1;
      this.type(13);
      this.write(words2(iterations, now, moment), width, HEIGHT2 + 10, "muted", "right");
    }
    /** @param {Arrangement} arrangement @param {Frame} frame @param {boolean} stays */
    iteration(arrangement, frame, stays) {
      const { pen } = this;
      const [from, to] = arrangement.reach;
      if (frame.phase === "target") {
        pen.fillStyle = this.colour("target");
        pen.globalAlpha = 0.1;
        pen.fillRect(from, 0, to - from, HEIGHT2);
        pen.globalAlpha = 0.28;
        pen.fillRect(from + (to - from - BAND) * frame.sweep, 0, BAND, HEIGHT2);
      }
      pen.globalAlpha = stays || frame.away === 0 ? 1 : 0;
      this.type(arrangement.type);
      for (const { x, y, text } of arrangement.roots) {
        this.write(text, x, y, "muted", "right");
        pen.fillStyle = this.colour("ink");
        pen.fillRect(x + 5, y - 3, 6, 6);
      }
      arrangement.guesses.forEach((placed, at) => {
        const one = frame.guesses[at];
        const gone = stays ? 0 : eased(one.away);
        pen.globalAlpha = one.there * (1 - gone);
        this.edge(placed, one.state);
        this.guess(placed, one, arrangement, [0, TAKEN.includes(one.state) ? 0 : FALL * gone]);
      });
    }
    /** @param {string} state */
    stateColour(state) {
      return this.colour(FATE_COLOURS[state] ?? "muted");
    }
    /** @param {PlacedGuess} placed @param {string} state */
    edge({ curve, stroke }, state) {
      const { pen } = this;
      const alpha = pen.globalAlpha;
      pen.globalAlpha = alpha * 0.55;
      pen.lineWidth = stroke;
      pen.strokeStyle = this.stateColour(state);
      pen.stroke(new Path2D(curve));
      pen.globalAlpha = alpha;
    }
    /** @param {PlacedGuess} placed @param {GuessFrame} frame @param {Arrangement} like @param {[number, number]} by */
    guess({ box, text }, { state }, { pill, corner, type }, [dx, dy]) {
      const { pen } = this;
      const [x, y] = [box.x + dx, box.y + dy];
      const alpha = pen.globalAlpha;
      pen.beginPath();
      pen.roundRect(x, y - pill / 2, box.width, pill, corner);
      pen.fillStyle = this.colour("paper");
      pen.fill();
      pen.globalAlpha = HOLLOW.includes(state) ? 0 : alpha * 0.16;
      pen.fillStyle = this.stateColour(state);
      pen.fill();
      pen.globalAlpha = alpha;
      pen.strokeStyle = this.stateColour(state);
      pen.lineWidth = 1.5;
      pen.setLineDash(HOLLOW.includes(state) && state !== "dropped" ? [3, 3] : []);
      pen.stroke();
      pen.setLineDash([]);
      this.type(type, 700);
      pen.fillStyle = this.stateColour(state);
      pen.textAlign = "center";
      pen.fillText(this.glyphs[state] ?? "", x + 10, y);
      this.type(type);
      this.write(text, x + (box.width + 14) / 2, y, "ink", "center");
    }
    /**
     * Survivors on their way into the text.
     * @param {FilmLane} lane @param {Arrangement} arrangement @param {Frame} frame @param {[number, number]} text
     */
    flights({ tokens, motion }, arrangement, frame, [left, top]) {
      if (frame.away <= 0 || frame.away >= 1) return;
      const moved = eased(frame.away);
      arrangement.guesses.forEach((placed, at) => {
        const { slot } = placed.guess;
        if (slot === null) return;
        const after = motion.iterations.find((one) => one.tokens > slot)?.tokens ?? tokens.length;
        const { y, stretches } = tokens[slot];
        const up = this.scrolled(tokens[after - 1]);
        this.pen.globalAlpha = 1;
        const by = [(left + (stretches[0]?.x ?? 0) - placed.box.x) * moved, (top + y - up - placed.box.y) * moved];
        this.guess(placed, frame.guesses[at], arrangement, [by[0], by[1]]);
      });
    }
    /**
     * A video of the whole race.
     * @param {Recording} how
     * @returns {Promise<Blob>}
     */
    record({ factor, onprogress }) {
      const stream = this.canvas.captureStream(FRAMES);
      const recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond: BITS });
      const parts = [];
      recorder.ondataavailable = ({ data }) => parts.push(data);
      const seconds = this.length * factor;
      return new Promise((resolve, reject) => {
        recorder.onerror = () => reject(new Error("The browser could not record the video."));
        recorder.onstop = () => resolve(new Blob(parts, { type: "video/webm" }));
        const began = performance.now();
        const step = () => {
          const at = (performance.now() - began) / 1e3;
          this.paint(Math.min(this.length, at / factor));
          onprogress(Math.min(1, at / seconds));
          if (at > seconds + LINGER) recorder.stop();
          else requestAnimationFrame(step);
        };
        this.paint(0);
        recorder.start();
        requestAnimationFrame(step);
      });
    }
  };

  // src/stage/playback.js
  var NOTCHES = 2e3;
  var STILL = 900;
  var PLAY = "▶ Play it slowly";
  var still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  var clock2 = (seconds) => `${seconds.toFixed(seconds < 10 ? 3 : 1)} s`;
  var factorWords = (factor) => factor === 1 ? "as measured" : `${factor} times slower`;
  var button3 = (text, label, onclick) => el("button", { type: "button", class: "sv-quiet", "aria-label": label, "data-tip": label, onclick }, text);
  var Playback = class {
    length = 0;
    // seconds
    moment = 0;
    factor = 1;
    frame = 0;
    // 0: not playing
    before = 0;
    // when the last frame was drawn
    /** @type {number[]} */
    stops = [];
    // where an iteration of some lane is decided
    /** @type {number[]} */
    ends = [];
    // where a phase of some lane is over
    play = el("button", { type: "button", class: "sv-play", onclick: () => this.toggle() }, PLAY);
    scrubber = el("input", {
      type: "range",
      class: "sv-scrub",
      min: 0,
      max: NOTCHES,
      step: 1,
      "aria-label": "Moment of the race",
      oninput: () => this.scrub()
    });
    speed = el(
      "select",
      { "aria-label": "How much slower", onchange: () => this.setSpeed() },
      FACTORS.map((factor) => el("option", { value: factor }, factorWords(factor)))
    );
    time = el("output", { class: "sv-moment" });
    element = el(
      "div",
      { class: "sv-playback", role: "group", "aria-label": "Slow motion", "data-part": "playback", hidden: true },
      this.play,
      button3("|◀", "To the start", () => this.goTo(0)),
      button3("◀", "One iteration back", () => this.step(-1)),
      button3("▶", "One iteration on", () => this.step(1)),
      this.scrubber,
      this.time,
      this.speed
    );
    /** @param {{ondraw: Draw, onplay: () => void, onend: () => void}} on drawing a moment, its begin and its end */
    constructor({ ondraw, onplay, onend }) {
      this.ondraw = ondraw;
      this.onplay = onplay;
      this.onend = onend;
      this.element.addEventListener("keydown", (event) => this.keys(event));
      subscribe("seek", (moment) => this.seek(moment));
    }
    scrub() {
      this.goTo(this.scrubber.valueAsNumber / NOTCHES * this.length);
    }
    setSpeed() {
      this.factor = Number(this.speed.value);
    }
    /**
     * Take a race, at its end, where everything is to be seen, or at the moment asked for.
     * @param {LaneMotion[]} lanes
     */
    load(lanes2) {
      this.pause();
      this.length = Math.max(0, ...lanes2.map(lengthOf));
      this.factor = watchable(this.length);
      this.speed.value = String(this.factor);
      this.stops = iterationEnds(lanes2);
      this.ends = phaseEnds(lanes2);
      this.element.hidden = this.length === 0;
      if (this.length) this.goTo(latest("seek") ?? this.length);
    }
    /** To the moment that somebody else wants to be seen. @param {number | null} moment */
    seek(moment) {
      if (moment === null || !this.length) return;
      this.pause();
      this.goTo(moment);
    }
    /** Nothing to play. */
    leave() {
      this.pause();
      this.length = 0;
      this.element.hidden = true;
    }
    get playing() {
      return this.frame !== 0;
    }
    get atEnd() {
      return this.moment >= this.length;
    }
    /** @param {number} moment */
    goTo(moment) {
      this.moment = Math.min(Math.max(0, moment), this.length);
      this.draw();
    }
    draw() {
      const { moment, length } = this;
      this.scrubber.value = String(Math.round(moment / length * NOTCHES));
      this.scrubber.setAttribute("aria-valuetext", clock2(moment));
      this.time.textContent = `${clock2(moment)} of ${clock2(length)}`;
      this.ondraw(moment, this.playing);
      publish("moment", moment);
    }
    /** To the next moment at which some lane's iteration is decided, or the one before. @param {number} direction */
    step(direction) {
      this.pause();
      const { stops, moment } = this;
      const near = 1e-9;
      const next = direction > 0 ? stops.find((at) => at > moment + near) : stops.findLast((at) => at < moment - near);
      this.goTo(next ?? (direction > 0 ? this.length : 0));
    }
    toggle() {
      if (this.playing) this.pause();
      else this.start();
    }
    start() {
      if (!this.length) return;
      if (this.atEnd) this.moment = 0;
      this.play.textContent = "❚❚ Pause";
      this.before = performance.now();
      this.frame = requestAnimationFrame((now) => this.tick(now));
      this.onplay();
      this.draw();
    }
    pause() {
      cancelAnimationFrame(this.frame);
      const was = this.playing;
      this.frame = 0;
      this.play.textContent = PLAY;
      if (was) this.draw();
    }
    /** @param {number} now milliseconds */
    tick(now) {
      const next = still() ? this.next(now) : this.moment + Math.max(0, now - this.before) / 1e3 / this.factor;
      if (next !== this.moment) this.before = now;
      this.frame = next < this.length ? requestAnimationFrame((then) => this.tick(then)) : 0;
      if (next !== this.moment) this.goTo(next);
      if (this.frame) return;
      this.pause();
      this.onend();
    }
    /** The moment to be seen where nothing may move: one phase end after the other. @param {number} now */
    next(now) {
      if (now - this.before < STILL) return this.moment;
      return this.ends.find((at) => at > this.moment + 1e-9) ?? this.length;
    }
    /** @param {KeyboardEvent} event */
    keys(event) {
      if (event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
      const ways = {
        ArrowLeft: () => this.step(-1),
        ArrowRight: () => this.step(1),
        PageUp: () => this.step(-1),
        PageDown: () => this.step(1),
        Home: () => this.goTo(0),
        End: () => this.goTo(this.length)
      };
      if (!(event.target instanceof HTMLButtonElement)) ways[" "] = () => this.toggle();
      const way = ways[event.key];
      if (!way) return;
      event.preventDefault();
      way();
    }
  };

  // src/base/server.js
  var NO_ANSWER = "The server did not answer. Try again.";
  async function ask(server, name, request, { silent = NO_ANSWER, empty = silent } = {}) {
    try {
      return JSON.parse(await server[name](request)) || { error: empty };
    } catch {
      return { error: silent };
    }
  }

  // src/parts/save-box.js
  var SILENT = "The server did not answer. Try again.";
  var SaveBox = class {
    /** @param {{tell: (text: string) => void, onopen?: () => void}} on what says what went wrong; before it is seen */
    constructor({ tell, onopen = () => {
    } }) {
      this.tell = tell;
      this.progress = el("p", { class: "sv-saving", role: "status" });
      this.items = el("div", { class: "sv-save-items" });
      const summary = el("summary", { class: "sv-chip" }, "Save");
      const ontoggle = () => {
        if (!this.element.open || this.busyNow) return;
        this.progress.textContent = "";
        onopen();
      };
      this.element = el("details", { class: "sv-save", "data-part": "save", ontoggle }, summary, this.items);
      this.element.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !this.element.open) return;
        this.element.open = false;
        summary.focus();
      });
      document.addEventListener("pointerdown", ({ target }) => {
        if (target instanceof Node && !this.element.contains(target)) this.element.open = false;
      });
    }
    get busyNow() {
      return this.element.hasAttribute("aria-busy");
    }
    /** What can be saved, from top to bottom; how far it is stands below. @param {(Node | null)[]} items */
    fill(...items) {
      this.items.replaceChildren(...items.filter((item) => item !== null), this.progress);
    }
    /** @param {(event: Event) => void} onclick @param {string} label @param {string} [about] */
    item(onclick, label, about = "") {
      return el("button", { type: "button", class: "sv-item", onclick }, label, about ? el("small", {}, about) : null);
    }
    /**
     * Do the work of a button, one at a time.
     * @param {Event} event @param {string} text @param {() => Promise<void>} work
     */
    async busy({ currentTarget }, text, work) {
      if (this.busyNow || !(currentTarget instanceof Element)) return;
      this.element.setAttribute("aria-busy", "true");
      currentTarget.classList.add("busy");
      this.progress.textContent = text;
      this.tell("");
      try {
        await work();
        this.progress.textContent = "Saved.";
      } catch (error) {
        this.progress.textContent = "";
        this.tell(error instanceof Error && error.message || SILENT);
      }
      currentTarget.classList.remove("busy");
      this.element.removeAttribute("aria-busy");
    }
  };

  // src/race/save.js
  var RaceSave = class {
    /** @param {SaveRace} options */
    constructor(options) {
      this.on = options;
      this.box = new SaveBox({ tell: options.tell, onopen: () => this.refresh() });
      this.element = this.box.element;
      const { box } = this;
      const page = box.item(
        (event) => box.busy(event, "Writing the HTML file …", () => this.writePage()),
        "This race as one HTML file",
        "Plays offline, in slow motion"
      );
      const video = box.item(
        (event) => box.busy(event, "Recording the video …", () => this.writeVideo()),
        "As a video (WebM)",
        "Takes as long as it plays at the chosen speed"
      );
      const picture = (format) => {
        const work = () => this.writePicture(format);
        const label = format.toUpperCase();
        return box.item((event) => box.busy(event, `Drawing the ${label} …`, work), `Side by side as ${label}`);
      };
      this.pictures = [picture("svg"), picture("png")];
      box.fill(options.server ? page : null, canFilm() ? video : null, ...this.pictures);
    }
    refresh() {
      for (const one of this.pictures) one.hidden = !this.on.beside();
    }
    async writePage() {
      if (!this.on.server) return;
      const answer = await ask(this.on.server, "save", this.on.run());
      if ("error" in answer) throw new Error(answer.error);
      saveAnswer(answer);
    }
    /** @param {'svg' | 'png'} format */
    async writePicture(format) {
      const beside = this.on.beside();
      if (!beside) return;
      const content = format === "svg" ? beside.svgFile() : await beside.pngFile();
      download(`specviz-side-by-side.${format}`, content, "image/svg+xml");
    }
    async writeVideo() {
      const onprogress = (share3) => {
        this.box.progress.textContent = `Recording the video: ${Math.round(100 * share3)} %. Keep this page in view.`;
      };
      download("specviz-race.webm", await this.on.film().record({ factor: this.on.factor(), onprogress }));
    }
  };

  // src/race/replay.js
  var RaceReplay = class {
    /** @type {RaceMessage | null} */
    race = null;
    /** @type {(LaneMotion | null)[]} */
    motion = [];
    /** @param {ReplayOptions} options */
    constructor({ deck, results, glyphs, server, tell, onend = () => {
    } }) {
      this.results = results;
      this.tell = tell;
      this.glyphs = glyphs;
      this.deck = deck;
      this.playback = new Playback({
        ondraw: (moment, playing) => this.showMoment(moment, playing),
        onplay: () => this.makeRoom(),
        onend
      });
      this.beside = new Beside({ glyphs, onmove: (position) => this.remember(position) });
      const save = new RaceSave({
        server,
        run: () => this.race?.run ?? "",
        film: () => new Film(this.race?.prompt ?? "", this.lanes(), this.glyphs, this.deck),
        factor: () => this.playback.factor,
        beside: () => this.isBeside ? this.beside : null,
        tell
      });
      const words3 = "What every lane did at one position of the text: forest, mask and gauges";
      const attributes = { type: "button", class: "sv-chip", "aria-pressed": "false", "data-tip": words3 };
      this.toggle = el("button", { ...attributes, onclick: () => this.showBeside(!this.isBeside) }, "Side by side");
      this.playback.element.append(this.toggle, save.element);
      this.element = el("div", { class: "sv-replay" }, this.playback.element, deck, this.beside.element);
      document.addEventListener("keydown", (event) => {
        const mid = this.element.classList.contains("replayed") && this.element.checkVisibility();
        if (mid && event.target === document.body) this.playback.keys(event);
      });
      subscribe("seek", () => {
        if (this.race && (get("beside") !== null || this.isBeside)) this.readAddress();
      });
    }
    lanes() {
      return (this.race?.lanes ?? []).flatMap((view, index) => {
        const motion = this.motion[index];
        return view && motion ? [{ view, motion }] : [];
      });
    }
    get isBeside() {
      return !this.beside.element.hidden;
    }
    /** The lanes beside each other at a position, or as a race. @param {boolean} on @param {number} [position] */
    showBeside(on, position = 0) {
      this.playback.pause();
      this.toggle.setAttribute("aria-pressed", String(on));
      this.element.classList.toggle("beside", on);
      this.deck.hidden = on;
      this.beside.element.hidden = !on;
      if (on) {
        this.beside.load(this.lanes(), position);
        this.makeRoom();
      } else set({ beside: null });
    }
    /** @param {number} position */
    remember(position) {
      if (this.isBeside && this.race) set({ beside: position });
    }
    /**
     * @param {RaceMessage} race
     * @param {(LaneMotion | null)[]} motion how every lane moves; null for one that has nothing
     */
    load(race, motion) {
      this.race = race;
      this.motion = motion;
      this.playback.load(motion.filter((lane) => lane !== null));
      this.readAddress();
    }
    /** Side by side at the position in the address, or not. */
    readAddress() {
      const { position, wrong } = positionFromText(get("beside"), positionsOf(this.lanes()));
      this.showBeside(position !== null, position ?? 0);
      if (wrong) this.tell(wrong);
    }
    /** Nothing is to be played, for now. */
    leave() {
      this.playback.leave();
      this.deck.hidden = false;
      this.beside.element.hidden = true;
      this.element.classList.remove("beside");
      this.element.classList.remove("replayed");
    }
    /** @param {number} moment @param {boolean} playing */
    showMoment(moment, playing) {
      this.element.classList.toggle("replayed", playing || !this.playback.atEnd);
      this.results().forEach((result, index) => {
        const lane = this.motion[index];
        if (lane) result.showMoment(lane, moment);
      });
    }
    /** Bring all lanes into view. */
    makeRoom() {
      const shown = this.isBeside ? this.beside.element : this.deck;
      if (shown.getBoundingClientRect().bottom > window.innerHeight) this.element.scrollIntoView({ block: "start" });
    }
  };

  // src/race/ticks.js
  function ticksFor(clock3) {
    if (!(clock3 > 0)) return [0, 0.5, 1];
    const unit = 10 ** Math.floor(Math.log10(clock3 / 5));
    const step = [1, 2, 2.5, 5, 10].map((k) => k * unit).find((size) => size >= clock3 / 5) ?? 10 * unit;
    return Array.from({ length: Math.ceil(clock3 * 1.01 / step) + 1 }, (_, k) => k * step);
  }
  function axis() {
    const element = el("div", { class: "sv-axis", "aria-hidden": "true", "data-part": "timeline" });
    const tick = (mark, end) => el("span", { style: { left: `${100 * mark / end}%` } }, `${Number(mark.toPrecision(3))} s`);
    return {
      element,
      /** @param {number[]} marks */
      draw(marks) {
        const end = marks[marks.length - 1];
        element.replaceChildren(...marks.map((mark) => tick(mark, end)));
      }
    };
  }

  // src/race/show.js
  function laneHead({ title, summary, guarantee }, number) {
    const badge = el(
      "span",
      { class: `sv-told${guarantee.exact ? "" : " lossy"}`, "data-tip": guarantee.help, tabindex: 0 },
      guarantee.name
    );
    const name = el(
      "h2",
      { class: "sv-pick" },
      el("span", { class: "sv-number", "aria-hidden": "true" }, number),
      title
    );
    return el("div", { class: "sv-settings" }, name, el("p", { class: "sv-caption" }, explained(summary)), badge);
  }
  function raceElement({ race, legend, motion }) {
    const key = keyOf(legend);
    const views = race.lanes.filter((view) => view !== null);
    const results = views.map((_, index) => new LaneResult(index + 1, key, null));
    const marks = ticksFor(Math.max(0, ...views.map(({ clock: clock3 }) => clock3)));
    const lanes2 = views.map((view, index) => {
      const pace = el("p", { class: "sv-pace" });
      showPace(pace, view.pace);
      results[index].update(race.run, view, false);
      results[index].axis(marks[marks.length - 1], view);
      const outcome = el("div", { class: "sv-outcome" }, results[index].element, pace);
      return el("article", { class: "sv-lane", "aria-label": `Lane ${index + 1}` }, laneHead(view, index + 1), outcome);
    });
    const alert = el("div", { class: "sv-alert", role: "alert" });
    const deck = el("div", { class: "sv-deck" }, lanes2);
    const tell = (text) => alert.textContent = text;
    const replay = new RaceReplay({ deck, results: () => results, glyphs: key.glyphs, server: null, tell });
    replay.load(
      { ...race, lanes: views },
      motion.filter((_, index) => race.lanes[index])
    );
    const scale2 = axis();
    scale2.draw(marks);
    const summary = new Summary();
    summary.show(race);
    const asked = race.prompt === null ? null : el("blockquote", { class: "sv-asked", dir: "auto", translate: "no" }, race.prompt);
    const headline = el("div", { class: "sv-headline" }, legendElement(legend), asked);
    const foot = el("div", { class: "sv-foot" }, el("span", {}), scale2.element);
    return el(
      "section",
      { class: "sv-results", "aria-label": "The race" },
      headline,
      alert,
      replay.element,
      foot,
      summary.element
    );
  }

  // src/standalone.js
  var ABOUT = "This file holds recorded steps and shows nothing else: no model runs in it, and it asks nothing of any server.";
  function printedScenes(scenes) {
    const items = scenes.map(({ title, sentence, formula }) => {
      const worked = formula ? el("p", { class: "sv-formula" }, formula) : null;
      return el("li", {}, el("h3", {}, title), el("p", {}, sentence), worked);
    });
    return el("section", { class: "sv-printed" }, el("h2", {}, "All steps"), el("ol", {}, items));
  }
  function showStep(root, data) {
    const stage = el("div", {});
    const player = new Player(stage);
    root.replaceChildren(stage, printedScenes(data.payload.scenes));
    player.load(data.payload, data.at || 0);
    player.pin(data.pins || []);
    document.addEventListener("keydown", (event) => player.keysElsewhere(event));
  }
  function showLesson(root, data) {
    const lesson = new LessonView(root);
    lesson.load(data);
    document.addEventListener("keydown", (event) => lesson.keys(event));
  }
  function open(root, whole2) {
    const { glossary, data } = whole2;
    document.body.classList.toggle("dark", window.matchMedia("(prefers-color-scheme: dark)").matches);
    publish("glossary", glossary);
    publish("dark", isDark());
    const stage = el("div", {});
    const onPaper = whole2.kind === "handout" || whole2.kind === "notes";
    const note = el("p", { class: "sv-note" }, onPaper ? "" : ABOUT, data.note ? ` ${data.note}` : "");
    const cover = el("header", { class: "sv-cover" }, el("h1", {}, data.title), themeButton());
    root.replaceChildren(cover, el("main", { class: "sv-page" }, stage, note));
    if (whole2.kind === "step") showStep(stage, whole2.data);
    else if (whole2.kind === "race") stage.replaceChildren(raceElement(whole2.data));
    else if (whole2.kind === "lessons") showLessons(stage, whole2.data);
    else if (whole2.kind === "handout") stage.replaceChildren(handout(whole2.data));
    else if (whole2.kind === "notes") stage.replaceChildren(speakerNotes(whole2.data));
    else showLesson(stage, whole2.data);
  }
  subscribe("glossary", learn);
  installTooltip();
  return __toCommonJS(standalone_exports);
})();
