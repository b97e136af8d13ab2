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
      const box2 = element.getBoundingClientRect();
      const middle = Math.max(8, box2.left + box2.width / 2 - tip.offsetWidth / 2);
      const above = box2.top - tip.offsetHeight - 8;
      tip.style.left = `${Math.min(middle, innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${above > 8 ? above : box2.bottom + 8}px`;
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
      const shares = Object.entries(kept).filter(([, share2]) => typeof share2 === "number" && share2 >= 0 && share2 <= 1);
      return Object.fromEntries(shares);
    } catch {
      return {};
    }
  }
  function reached(lesson, step, steps) {
    const known3 = progress();
    keepProgress({ ...known3, [lesson]: Math.max(known3[lesson] ?? 0, step / steps) });
  }
  function keepProgress(all) {
    try {
      window.localStorage.setItem(KEY, JSON.stringify(all));
    } catch {
    }
  }
  var progressWords = (share2) => !share2 ? "" : share2 >= 1 ? "✓ done" : `${Math.round(100 * share2)} % read`;

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
    const known3 = scores2[lesson] ?? {};
    return asked in known3 ? scores2 : { ...scores2, [lesson]: { ...known3, [asked]: right } };
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
    const line = height / Math.max(1, bars.length);
    const longest2 = Math.max(0.01, ...bars.flatMap(({ lengths }) => lengths.map(([, share2]) => share2)));
    return bars.map(({ label, lengths, marked: marked2 }, at) => {
      const thick = line * 0.78 / Math.max(1, lengths.length);
      const rects = lengths.map(([kind, share2], number) => ({
        kind,
        x: NAMES,
        y: at * line + line * 0.11 + number * thick,
        width: Math.max(1, (WIDTH - NAMES - 4) * share2 / longest2),
        height: thick - 0.6
      }));
      return { label, marked: marked2, y: (at + 0.5) * line, rects };
    });
  }
  function placedNodes(nodes, height) {
    const room = nodes.length > FEW ? 12 : 46;
    const left = nodes.length > FEW ? 12 : 24;
    const x = (share2) => left + share2 * (WIDTH - left - room);
    const y = (share2) => 10 + share2 * (height - 20);
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
    const words2 = nodes.length <= FEW;
    return [
      ...placed.flatMap(({ edge }) => edge ? [svg("line", edge)] : []),
      ...placed.flatMap(({ x, y, state, label }) => [
        svg("circle", { class: state, cx: x, cy: y, r: words2 ? 5 : 4 }),
        ...words2 ? [svg("text", { x, y: y + (y > 14 ? -8 : 16), "text-anchor": "middle" }, label)] : []
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
      const [read, right] = [progress(), scores()];
      for (const { name } of this.lessons) {
        this.mark(`[data-progress="${name}"]`, progressWords(read[name]));
        this.mark(`[data-score="${name}"]`, tallyWords(tallyOf(right[name])));
      }
      const done = this.lessons.filter(({ name }) => (read[name] ?? 0) >= 1).length;
      const tally = wholeTally(right);
      this.undo = null;
      this.again.textContent = "Begin again";
      this.score.hidden = tally.asked === 0 && Object.keys(read).length === 0;
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
      const [read, right] = [progress(), scores()];
      keepProgress({});
      keepScores({});
      this.refresh();
      this.score.hidden = false;
      this.said.textContent = "Forgotten: all lessons begin anew.";
      this.again.textContent = "Undo";
      this.undo = () => {
        keepProgress(read);
        keepScores(right);
      };
    }
  };

  // src/lesson/state.js
  var SHOWN = "shown";
  var totalSteps = (lesson) => lesson.steps.length + 1;
  function soundState(lesson, { step = 1, chosen: answer = null, rule = null }) {
    const number = Number(answer);
    const known3 = Number.isInteger(number) && number >= 1 && number <= lesson.question.choices.length;
    const chosen2 = answer === SHOWN ? SHOWN : known3 ? number : null;
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
  function bar(kind, share2) {
    const length = el("span", { class: `sv-length ${kind}`, style: { width: `${100 * share2}%` } });
    return el("td", {}, length, el("b", {}, share2.toFixed(3)));
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
      const scale = el("span", { class: "sv-scale", "aria-hidden": "true" }, this.needle);
      const title = el("span", {}, "Distance from the target’s distribution");
      this.meter = el("div", { class: "sv-distance" }, title, scale, this.distance);
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
  var figureOf = (payload, scene, panel) => payload.figures[scene.panels[panel]] || null;
  function outcomeOf(payload, scene, node) {
    const states = payload.states[scene.panels.tree];
    const state = states?.[payload.nodes.findIndex((record) => record.node === node)];
    return typeof state === "number" ? payload.outcomes[state] : "";
  }
  var VERDICTS = ["accepted", "rejected"];
  function verdictOf({ states, nodes }, { phase, focus, panels }) {
    if (phase !== "verify" || focus === null || focus < 0) return null;
    const state = states[panels.tree]?.[nodes.findIndex(({ node }) => node === focus)];
    return VERDICTS[state ?? -1] ?? null;
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
    const at = scenes.findIndex((scene, number) => number > index && figureOf(payload, scene, panel));
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
  function changedNodes({ nodes, states }, before, after) {
    const [old, now] = [before, after].map(({ panels }) => states[panels.tree]);
    if (!old || !now) return [];
    return nodes.filter((_, at) => now[at] !== null && now[at] !== old[at]);
  }
  function maskRows(payload, scene) {
    const drawn2 = figureOf(payload, scene, "mask")?.data.map((number) => payload.parts[number]);
    const rows = drawn2?.find(({ type }) => type === "heatmap")?.z ?? [];
    return rows.map((row2) => JSON.stringify(row2));
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
  var CUMULATIVE = [8, 26];
  var GLYPHS = { accepted: "✓ ", rejected: "✗ " };
  var outcomeAt = ({ outcomes }, uniform) => outcomes.find(({ end }) => Math.min(uniform, LARGEST) < end) ?? outcomes[outcomes.length - 1];
  var isCoin = ({ outcomes }) => outcomes[0].kind === "accepted";
  var chanceName = (chance) => isCoin(chance) ? "coin" : "random number";
  function chanceWords(chance, uniform) {
    const { word, kind } = outcomeAt(chance, uniform);
    const what = isCoin(chance) ? word : `${word} is drawn`;
    return `${GLYPHS[kind] ?? ""}${chanceName(chance)} ${written(uniform)}: ${what}`;
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
  function stripOf({ _fullLayout: layout }, axis2) {
    if (axis2 === "paper") {
      const { l, t, w } = layout._size;
      return { left: l, width: w, top: t - CUMULATIVE[1], bottom: t - CUMULATIVE[0] };
    }
    const number = axis2.slice(1);
    const [x, y] = [layout[`xaxis${number}`], layout[`yaxis${number}`]];
    const left = x._offset + x.d2p(0);
    return { left, width: x.d2p(1) - x.d2p(0), top: y._offset, bottom: y._offset + y._length };
  }

  // src/player/coin-handle.js
  var QUIET = 350;
  var NEAR = 5e-4;
  var ALONE = "Only this verdict follows your hand here; the Microscope of a running page works out what follows.";
  var UNKNOWN = "Only this verdict follows your hand: the record does not hold what would come of it.";
  var CoinHandle = class {
    /** @type {Chance | null} */
    chance = null;
    /** @type {Strip | null} */
    strip = null;
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
    hint = el("span", {});
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
    /** A step with a number, or without one, is on screen. @param {string} scene @param {Chance | null} chance */
    show(scene, chance) {
      const same = scene === this.scene && this.chance !== null;
      Object.assign(this, { scene, chance });
      this.layer.hidden = this.said.hidden = !chance;
      if (!chance) this.held = false;
      if (!chance || same && (this.held || this.timer)) return;
      clearTimeout(this.timer);
      Object.assign(this, { timer: 0, held: false, at: chance.uniform });
      this.tell();
    }
    /** The number as the figure has it. */
    reset() {
      if (this.chance) this.move(this.chance.uniform);
    }
    /** The figure with the strip has been drawn. @param {Box | null} box */
    place(box2) {
      this.strip = box2 && this.chance && stripOf(box2.plot, this.chance.axis);
      this.scale = box2?.scale ?? 1;
      this.stand();
      if (this.top === null || !this.strip || this.held) return;
      const down = this.grip.getBoundingClientRect().top - this.top;
      this.top = null;
      if (Math.abs(down) > 1) window.scrollBy({ top: down, behavior: "instant" });
    }
    stand() {
      const { strip: strip2, grip, at } = this;
      if (!strip2) return;
      const [left, top] = [strip2.left + at * strip2.width, strip2.top];
      Object.assign(grip.style, { left: `${left}px`, top: `${top}px`, height: `${strip2.bottom - top}px` });
    }
    tell() {
      const { chance, at } = this;
      if (!chance) return;
      const recorded = this.recorded();
      const usual = recorded ?? chance.uniform;
      const moved = Math.abs(at - usual) > NEAR;
      const words2 = chanceWords(chance, at);
      this.verdict.textContent = words2;
      this.verdict.dataset.kind = outcomeAt(chance, at).kind;
      const after = recorded !== null ? "" : this.owner ? UNKNOWN : ALONE;
      this.hint.textContent = moved ? after : "As recorded: drag ↔ to try another.";
      this.back.hidden = !moved;
      this.back.textContent = `Back to the recorded ${chanceName(chance)}, ${written(usual)}`;
      this.grip.setAttribute("aria-label", `The ${chanceName(chance)} of this step`);
      this.grip.setAttribute("aria-valuenow", written(at));
      this.grip.setAttribute("aria-valuetext", words2);
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
      const { strip: strip2, scale } = this;
      if (!strip2) return this.at;
      const x = (clientX - this.layer.getBoundingClientRect().left) / scale;
      return withinChance((x - strip2.left) / strip2.width);
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
      if (!chance || !this.owner || this.recorded() === null || Math.abs(at - chance.uniform) <= NEAR) return;
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
      const label = "The end of the text, and the tokens that this iteration writes";
      this.strip = strip("div", { class: "sv-strip", role: "group", "data-part": "strip", "aria-label": label });
      const story = { class: "sv-story", "aria-live": "polite" };
      const head = el("div", { class: "sv-story-head" }, this.title, this.folded);
      this.element = el("div", story, head, this.sentence, this.formula);
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
    fold(closed, around2) {
      this.folded.hidden = !closed && !around2;
      this.folded.setAttribute("aria-expanded", String(Boolean(around2)));
      if (closed) this.folded.textContent = `+${closed.to - closed.from} like this`;
      else if (around2) this.folded.textContent = `Fold these ${around2.to - around2.from + 1} again`;
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
      this.formula.replaceChildren(...explained(scene.formula));
      this.formula.hidden = !scene.formula;
      this.strip.classList.toggle("open", scene.phase !== "commit");
      for (const token of this.strip.querySelectorAll(".sv-token")) {
        const node = token.getAttribute("data-node");
        const later = !told(node === null ? null : Number(node));
        token.classList.toggle("later", later);
        token.setAttribute("aria-hidden", String(later));
      }
    }
  };

  // src/player/drawers.js
  var NAMES2 = ["mask", "probabilities"];
  var KEY3 = "specviz-drawers";
  var LEAST = 180;
  var ONE_SCREEN = "(min-width: 1081px) and (max-height: 900px)";
  var openOnes = (kept) => (kept ?? "").split(",").filter((name) => NAMES2.includes(name));
  function remembered() {
    try {
      return openOnes(window.localStorage.getItem(KEY3));
    } catch {
      return [];
    }
  }
  function remember(names) {
    try {
      window.localStorage.setItem(KEY3, names.join());
    } catch {
    }
  }
  var scrollBy = (top) => top > 0 && window.scrollBy({ top, behavior: "instant" });
  var Drawers = class {
    /** @param {HTMLElement} player @param {Panel[]} panels @param {boolean} wanted whether there are to be any */
    constructor(player, panels, wanted) {
      this.player = player;
      this.panels = wanted ? panels.filter(({ name }) => NAMES2.includes(name)) : [];
      this.open = remembered();
      this.screen = window.matchMedia(ONE_SCREEN);
      this.screen.addEventListener("change", () => this.arrange());
      for (const panel of this.panels) panel.tab.addEventListener("click", () => this.toggle(panel.name));
      player.addEventListener("keydown", (event) => this.escape(event));
      window.addEventListener("beforeprint", () => this.arrange(false));
      window.addEventListener("afterprint", () => this.arrange());
      this.arrange();
      const sizes = new ResizeObserver(() => this.uncover());
      if (this.panels.length) for (const part of this.above()) sizes.observe(part);
    }
    get on() {
      return this.screen.matches && this.panels.length > 0;
    }
    /** Drawers or panels, open or closed. */
    arrange(on = this.on) {
      this.player.classList.toggle("drawers", on);
      for (const panel of this.panels) panel.drawer(on, this.open.includes(panel.name));
    }
    /** Open a drawer, or close it; false where there are none. @param {string} name */
    toggle(name) {
      if (!this.on) return false;
      const before = this.open;
      this.open = before.includes(name) ? before.filter((one) => one !== name) : [...before, name];
      remember(this.open);
      this.arrange();
      if (this.open.length > before.length) this.makeRoom();
      return true;
    }
    /** The player at the top of the window, so that an open drawer covers no more than it has to. */
    makeRoom() {
      const { top } = this.player.getBoundingClientRect();
      if (this.on && this.open.length) scrollBy(top);
      this.uncover(true);
    }
    /** What stands above the drawer of the bars, and is to be seen beside it. */
    above() {
      return [".sv-story", ".sv-panel-decision"].flatMap((part) => this.player.querySelector(part) ?? []);
    }
    /** Where the sentence has pushed the decision down to its drawer, the page is scrolled until the sentence is at its
     * top, then the drawer gets lower; only below the least height the sentence goes. Later, as steps come and go, only
     * the drawer changes. @param {boolean} [opened] whether it was opened just now */
    uncover(opened2 = false) {
      const bars = this.panels.find(({ name }) => name === "probabilities")?.element;
      const [story, decision] = this.above();
      if (!bars || !decision || !this.on || !this.open.includes("probabilities")) return;
      const room = () => bars.getBoundingClientRect().bottom - decision.getBoundingClientRect().bottom;
      bars.style.removeProperty("--sv-room");
      if (opened2) {
        const tallest = parseFloat(getComputedStyle(bars).maxHeight);
        scrollBy(Math.min(tallest - room(), Math.floor(story.getBoundingClientRect().top)));
        scrollBy(LEAST - room());
      }
      bars.style.setProperty("--sv-room", `${Math.floor(room())}px`);
    }
    /** Escape closes the drawer with the focus. @param {KeyboardEvent} event */
    escape(event) {
      const { target } = event;
      const inside = this.panels.find(({ element }) => target instanceof Node && element.contains(target));
      if (event.key !== "Escape" || !inside || !this.on || !this.open.includes(inside.name)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      this.toggle(inside.name);
      inside.tab.focus();
    }
  };

  // src/player/folds.js
  var LEAST2 = 6;
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
      if (sorts[first] !== null && next - first >= LEAST2) folds.push({ from: first + 1, to: next - 1, open: false });
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

  // src/base/plotly.js
  var coming = null;
  var isHere = () => "Plotly" in window;
  function fetched() {
    return new Promise((resolve, reject) => {
      const link = document.querySelector("link[data-plotly]");
      const script = document.createElement("script");
      script.src = link instanceof HTMLLinkElement ? link.href : "";
      script.onload = () => resolve();
      script.onerror = () => {
        coming = null;
        reject(new Error("The figures cannot be drawn: the server did not hand out plotly.js. Reload the page."));
      };
      document.head.append(script);
    });
  }
  function plotly() {
    coming ??= isHere() ? Promise.resolve() : fetched();
    return coming;
  }
  function withPlotly(draw) {
    if (isHere()) draw();
    else plotly().then(draw);
  }

  // src/player/focus.js
  function spotsOfTrace(trace) {
    const axes = { xaxis: trace.xaxis || "x", yaxis: trace.yaxis || "y" };
    if (trace.type === "heatmap") {
      const [rows, columns] = [trace.z.length, trace.z[0].length];
      const row2 = (at) => ({ kind: "row", y: at, x: columns - rows + at, rows, columns, ...axes });
      return trace.customdata.map((cells, at) => [cells[0], row2(at)]);
    }
    if (trace.type === "bar") {
      return (trace.meta?.nodes || []).map((node, at) => [node, { kind: "bar", y: trace.y[at], ...axes }]);
    }
    return (trace.customdata || []).map((node, at) => [
      node,
      { kind: "point", x: trace.x[at], y: trace.y[at], ...axes }
    ]);
  }
  var sameSpot = (one, other) => one.kind === other.kind && one.y === other.y && one.yaxis === other.yaxis && ("x" in one ? one.x : null) === ("x" in other ? other.x : null);
  var known2 = /* @__PURE__ */ new WeakMap();
  function spotsOf(figure2) {
    const before = known2.get(figure2);
    if (before) return before;
    const found = /* @__PURE__ */ new Map();
    for (const [node, spot] of figure2.data.flatMap(spotsOfTrace)) {
      if (typeof node !== "number") continue;
      const spots = found.get(node) ?? [];
      if (!spots.some((one) => sameSpot(one, spot))) found.set(node, [...spots, spot]);
    }
    known2.set(figure2, found);
    return found;
  }
  function nodeUnder(points) {
    for (const { data, pointNumber, customdata } of points) {
      const node = data.type === "bar" ? data.meta?.nodes?.[pointNumber] : customdata;
      if (typeof node === "number") return node;
    }
    return null;
  }
  function scales(plot, { xaxis, yaxis }) {
    const [x, y] = [xaxis, yaxis].map((name) => plot._fullLayout[`${name[0]}axis${name.slice(1)}`]);
    return {
      x: (value) => x._offset + x.d2p(value),
      y: (value) => y._offset + y.d2p(value),
      left: x._offset,
      right: x._offset + x._length
    };
  }
  var between = (a, b) => [Math.min(a, b), Math.abs(a - b)];
  var box = (kind, node, [x, width], [y, height]) => svg("rect", { class: kind, "data-node": node, x, y, width, height, rx: 3 });
  function around(plot, spot, kind, node) {
    const at = scales(plot, spot);
    if (spot.kind === "point") {
      const r = kind === "sv-kin" ? 13 : 15.5;
      return [svg("circle", { class: kind, "data-node": node, cx: at.x(spot.x), cy: at.y(spot.y), r })];
    }
    const down = between(at.y(spot.y - 0.5), at.y(spot.y + 0.5));
    if (spot.kind === "bar") return [box(kind, node, [at.left, at.right - at.left], down)];
    const row2 = box(kind, node, between(at.x(-0.5), at.x(spot.columns - 0.5)), down);
    const across = between(at.x(spot.x - 0.5), at.x(spot.x + 0.5));
    const column = box(`${kind} sv-column`, node, across, between(at.y(-0.5), at.y(spot.rows - 0.5)));
    return [column, row2];
  }
  function badge(plot, spot, number, node) {
    const at = scales(plot, spot);
    const point = spot.kind === "point";
    const [x, y] = point ? [at.x(spot.x) - 14, at.y(spot.y) - 12] : [at.right - 4, at.y(spot.y)];
    const text = svg("text", { x, y: y + 4 }, String(number));
    return svg("g", { class: "sv-badge", "data-node": node }, svg("circle", { cx: x, cy: y, r: 8 }), text);
  }
  function pathPoints(found, record) {
    const isPoint = (spot) => spot.kind === "point";
    const points = [record.node, ...record.ancestors].map((node) => found.get(node)?.find(isPoint));
    const whole2 = points.filter((point) => point !== void 0);
    return points.length > 1 && whole2.length === points.length ? whole2 : [];
  }
  function ownSpots(found, record) {
    const own = found.get(record.node);
    if (own || record.row === null) return own ?? [];
    return [...found.values()].flat().filter((spot) => spot.kind === "row" && spot.y === record.row);
  }
  function newMark(plot, spot, node, { nodes, rows }) {
    const at = scales(plot, spot);
    const bar2 = (x, y, half) => svg("line", { class: "sv-new", x1: x, x2: x, y1: y - half, y2: y + half });
    if (spot.kind === "point") return nodes.has(node) ? bar2(at.x(spot.x) - 20, at.y(spot.y), 8) : null;
    if (spot.kind !== "row" || !rows.has(spot.y)) return null;
    return bar2(at.left - 3, at.y(spot.y), Math.abs(at.y(spot.y + 0.4) - at.y(spot.y)));
  }
  var newMarks = (plot, found, changed) => [...found].flatMap(([node, spots]) => spots.flatMap((spot) => newMark(plot, spot, node, changed) ?? []));
  function marksOn(plot, figure2, { record, pins, changed }) {
    const found = spotsOf(figure2);
    const held = [
      ...newMarks(plot, found, changed),
      ...pins.flatMap(
        (pin, at2) => ownSpots(found, pin).flatMap((spot) => [
          ...around(plot, spot, "sv-held", pin.node),
          badge(plot, spot, at2 + 1, pin.node)
        ])
      )
    ];
    if (!record) return held;
    const lit = ownSpots(found, record).flatMap((spot) => around(plot, spot, "sv-lit", record.node));
    const points = pathPoints(found, record);
    if (!points.length) return [...held, ...lit];
    const at = scales(plot, points[0]);
    const line = points.map((one) => "x" in one ? `${at.x(one.x)},${at.y(one.y)}` : "").join(" ");
    const kin = record.ancestors.flatMap(
      (node) => (found.get(node) ?? []).flatMap((spot) => around(plot, spot, "sv-kin", node))
    );
    return [svg("polyline", { class: "sv-way", points: line }), ...kin, ...held, ...lit];
  }

  // src/player/layout.js
  var LETTER = 6.3;
  var LINE = 15;
  var NARROW = 480;
  var markup = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  function legendParts({ entries, notes }) {
    return [
      ...entries.map(({ color, glyph, word }) => {
        const text = ` ${glyph} ${word}`;
        return { shown: `<span style="color:${color}">■</span>${markup(text)}`, size: text.length + 1 };
      }),
      ...notes.map((note) => ({ shown: markup(note), size: note.length }))
    ];
  }
  function legendLines(legend, width) {
    const lines2 = [];
    let room = 0;
    for (const { shown, size } of legendParts(legend)) {
      const taken = LETTER * (size + 3);
      if (!lines2.length || taken > room) {
        lines2.push(shown);
        room = width - 12 - taken;
      } else {
        lines2[lines2.length - 1] += `   ${shown}`;
        room -= taken;
      }
    }
    return lines2;
  }
  function addLegend(layout, legend, width) {
    const lines2 = legendLines(legend, width);
    const below = { l: 6, b: 5 + LINE * (lines2.length - 1) };
    layout.title = {
      text: lines2.join("<br>"),
      font: { size: 12 },
      xref: "container",
      x: 0,
      xanchor: "left",
      pad: below,
      yref: "container",
      y: 0,
      yanchor: "bottom"
    };
    let more = LINE * (lines2.length - legend.lines);
    if (width < NARROW && layout.xaxis?.ticktext && layout.xaxis.side !== "top") more += 30;
    layout.margin.b += more;
    layout.height += more;
  }
  function makeRoom(layout, width) {
    const { xaxis } = layout;
    const labels = layout.meta?.labels;
    if (!xaxis?.range || !labels?.length) return;
    const [from, to] = xaxis.range;
    const space = width - layout.margin.l - layout.margin.r;
    const ends = labels.map(([x, length]) => from + space * (x - from) / Math.max(60, space - 24 - 7 * length));
    xaxis.range = [from, Math.max(to, ...ends)];
  }
  function layoutFor(figure2, { width, most, family: family2 }) {
    const from = (
      /** @type {PlotLayout} */
      figure2.layout
    );
    const layout = {
      ...from,
      width,
      height: Math.min(from.height || most, most),
      margin: { ...from.margin },
      font: { ...from.font, family: family2 },
      annotations: [...from.annotations || []]
    };
    for (const key of Object.keys(layout)) if (/^[xy]axis\d*$/.test(key)) layout[key] = { ...layout[key] };
    makeRoom(layout, width);
    if (figure2.legend) addLegend(layout, figure2.legend, width);
    return layout;
  }

  // src/player/panel.js
  var KEPT = 7;
  var CONFIG = { responsive: false, displaylogo: false, displayModeBar: false, showSendToCloud: false };
  var PANELS = {
    tree: {
      heading: [
        "Draft tree",
        "The guesses, left to right; thicker is likelier. What this step changed has a bar at its left."
      ],
      most: 1180,
      undrafted: ["What was written", "The target’s own choices, left to right."]
    },
    mask: {
      heading: ["Attention mask", "In the one target call each guess sees its own ancestors only."],
      most: 500,
      undrafted: ["Attention mask", "In the target call each row sees its own past only."]
    },
    probabilities: {
      heading: ["Probabilities", "Of the next token here; the key says whose."],
      most: 720
    },
    decision: { heading: ["The decision", "The rule, with this step’s numbers."], most: 240 }
  };
  var family = () => getComputedStyle(document.documentElement).getPropertyValue("--sv-sans").trim();
  var Panel = class {
    /**
     * @param {string} name
     * @param {Record<'onhover' | 'onpick', (node: number | null) => void>} on what the pointer does in its plots
     */
    constructor(name, { onhover, onpick }) {
      this.name = name;
      this.onhover = onhover;
      this.onpick = onpick;
      this.marks = svg("svg", { class: "sv-marks", "aria-hidden": "true" });
      this.stage = el("div", { class: "sv-stage", translate: "no" }, this.marks);
      this.words = el("p", {});
      this.nothing = el("p", { class: "sv-nothing" }, "");
      const more = { class: "sv-words", "data-part": "words" };
      this.more = el("details", more, el("summary", {}, "In words"), this.words);
      this.title = el("h3", {});
      this.help = el("p", {});
      const attributes = { class: `sv-panel sv-panel-${name}`, "data-panel": name, "data-part": name };
      this.tab = el("button", { type: "button", class: "sv-drawer-tab", hidden: true });
      this.closed = false;
      const caption = el("figcaption", {}, this.title, this.help, this.tab);
      this.element = el("figure", attributes, caption, this.stage, this.nothing, this.more);
      this.kept = [];
      this.wanted = void 0;
      this.seen = null;
      this.common = { record: null, pins: [], changed: unchanged() };
      this.width = 0;
      this.scale = 1;
      this.handle = null;
      this.about({ ever: true, drafted: true });
    }
    /** Put a handle over the plots, and what it says above them. @param {CoinHandle} handle */
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
      this.tab.textContent = this.title.textContent;
      this.element.classList.toggle("never", !ever);
    }
    /** @param {boolean} on whether it is a drawer @param {boolean} open */
    drawer(on, open2) {
      this.closed = on && !open2;
      this.element.classList.toggle("drawer", on);
      this.element.classList.toggle("open", on && open2);
      this.tab.hidden = !on;
      this.tab.setAttribute("aria-expanded", String(open2));
      if (!this.closed && !this.fit()) this.update();
    }
    /** The plotly element that is seen, or null. */
    gd() {
      return this.seen ? this.seen.plot : null;
    }
    /** Whether there is a figure to be had now, seen or in a closed drawer. */
    get filled() {
      return Boolean(this.wanted && this.width);
    }
    /** The plotly element of the figure, drawn for it where its drawer is closed; null without a figure. */
    async drawn() {
      const { wanted } = this;
      if (!wanted || this.seen || !this.filled) return this.gd();
      await plotly();
      this.element.classList.add("measuring");
      const box2 = this.find(wanted) ?? this.draw(wanted);
      try {
        await box2.done;
      } finally {
        this.element.classList.remove("measuring");
      }
      return box2.plot;
    }
    /** @param {Box} box */
    fits(box2) {
      return box2.width === this.width && box2.scale === this.scale;
    }
    /** @param {WholeFigure} figure */
    find(figure2) {
      return this.kept.find((box2) => box2.figure === figure2 && this.fits(box2));
    }
    /** @param {Box} box */
    use(box2) {
      this.kept = [...this.kept.filter((one) => one !== box2), box2];
      return box2;
    }
    /**
     * A free box for a figure: one that no longer fits, a new one, or the one not seen for longest.
     * @param {WholeFigure} figure
     */
    free(figure2) {
      const unseen = this.kept.filter((box2) => box2 !== this.seen);
      const spare = unseen.find((box2) => !this.fits(box2)) ?? (this.kept.length < KEPT ? void 0 : unseen[0]);
      const { width, scale } = this;
      if (spare) return this.use(Object.assign(spare, { figure: figure2, width, scale }));
      const plot = (
        /** @type {PlotElement} */
        /** @type {unknown} */
        el("div", { class: "sv-kept" })
      );
      this.stage.insertBefore(plot, this.marks);
      return this.use({ plot, figure: figure2, width, scale, height: 0, done: Promise.resolve() });
    }
    /** @param {WholeFigure} figure */
    draw(figure2) {
      const box2 = this.free(figure2);
      const { plot } = box2;
      const known3 = box2.height > 0;
      const { most } = PANELS[this.name];
      const layout = layoutFor(figure2, { width: Math.floor(this.width / this.scale), most, family: family() });
      box2.height = layout.height;
      plot.classList.add("drawing");
      const data = figure2.data.map((trace) => ({ ...trace }));
      box2.done = Plotly.react(plot, data, layout, CONFIG).then(() => {
        if (box2 !== this.seen) plot.getBoundingClientRect();
        plot.classList.remove("drawing");
        if (box2 === this.seen) this.drawMarks();
      });
      if (known3) return box2;
      plot.on("plotly_hover", ({ points }) => this.onhover(nodeUnder(points)));
      plot.on("plotly_unhover", () => this.onhover(null));
      plot.on("plotly_click", ({ points }) => this.onpick(nodeUnder(points)));
      return box2;
    }
    /** @param {Box | null} box */
    see(box2) {
      if (box2 !== this.seen) {
        this.seen?.plot.classList.replace("sv-plot", "sv-kept");
        box2?.plot.classList.replace("sv-kept", "sv-plot");
        this.seen = box2;
      }
      const size = `${Math.ceil(box2 ? box2.height * this.scale : 0)}px`;
      if (this.stage.style.height !== size) this.stage.style.height = size;
    }
    drawMarks() {
      const { seen } = this;
      this.marks.replaceChildren(...seen ? marksOn(seen.plot, seen.figure, this.common) : []);
      this.handle?.place(seen);
      if (this.name === "tree") requestAnimationFrame(() => this.keepInSight());
    }
    /** Scroll to the lit node, what the step changed, or what was drawn, where the plot takes more space than it has. */
    keepInSight() {
      const { stage } = this;
      const half = stage.clientHeight / 2;
      const at = stage.scrollHeight <= 2 * half + 1 ? null : this.sight();
      const off = at === null ? 0 : at - stage.getBoundingClientRect().top - half;
      if (Math.abs(off) > half / 2) stage.scrollTop += off;
    }
    /** The height on screen of what is to be in sight; null: of nothing. */
    sight() {
      const { marks, seen, scale } = this;
      const mark = (marks.querySelector(".sv-lit") ?? marks.querySelector(".sv-new"))?.getBoundingClientRect();
      if (mark) return mark.top + mark.height / 2;
      const last = seen?.figure.layout.meta?.last;
      if (!seen || last === void 0) return null;
      const { yaxis } = seen.plot._fullLayout;
      return seen.plot.getBoundingClientRect().top + scale * (yaxis._offset + yaxis.d2p(last));
    }
    seeWanted() {
      const { wanted } = this;
      if (wanted && this.width && !this.closed) this.see(this.use(this.find(wanted) ?? this.draw(wanted)));
    }
    update() {
      if (!this.wanted || this.closed) this.see(null);
      else if (this.width) withPlotly(() => this.seeWanted());
    }
    /**
     * See a figure with its words; null: say with `without` that there is nothing yet.
     * @param {WholeFigure | null} figure
     * @param {string} text
     * @param {string} without
     */
    show(figure2, text, without) {
      if (!figure2) this.nothing.textContent = without;
      if (figure2 === this.wanted) return;
      this.wanted = figure2;
      this.element.classList.toggle("empty", !figure2);
      this.nothing.hidden = Boolean(figure2);
      this.stage.hidden = this.more.hidden = !figure2;
      this.words.textContent = text;
      this.update();
    }
    /**
     * Draw a figure ahead; false when that is done already, or there is no space to draw in.
     * @param {WholeFigure} figure
     */
    ahead(figure2) {
      if (!this.seen || this.find(figure2)) return false;
      this.draw(figure2);
      return true;
    }
    /** Take a new width, or large type, into account. */
    fit() {
      const style = getComputedStyle(this.element);
      const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
      const width = Math.floor(this.element.clientWidth - padding);
      const scale = figureScale();
      if (width <= 0 || width === this.width && scale === this.scale) return false;
      Object.assign(this, { width, scale });
      this.stage.style.setProperty("--sv-scale", String(scale));
      this.update();
      return true;
    }
    /** Light what the views have in common. @param {Common} common */
    mark(common) {
      const own = this.name === "tree" || this.name === "mask" ? common.changed : unchanged();
      this.common = { ...common, changed: own };
      this.drawMarks();
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
      const go = { type: "button", class: "sv-go", onclick: () => scene && this.ongo(scene) };
      return el(
        "article",
        { class: "sv-card", "data-node": record.node, "aria-label": `Pin ${at + 1}` },
        this.cardHead(record, at),
        el("dl", {}, facts(record, said).map(fact), el("div", {}, el("dt", {}, "Outcome so far"), outcome)),
        el("p", { class: "sv-formula", "data-fact": "formula", hidden: !said.formula }, said.formula),
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
      const same = records.length === this.shown.length && records.every((record, at) => record === this.shown[at]);
      this.shown = [...records];
      if (!same) this.cards.replaceChildren(...records.map((record, at) => this.card(record, at, say(record))));
      else for (const [at, card] of [...this.cards.children].entries()) this.renew(card, say(records[at]));
    }
    /** @param {Element} card @param {Said} said */
    renew(card, { outcome, formula }) {
      for (const [name, text] of Object.entries({ outcome, formula })) {
        const fact = card.querySelector(`[data-fact="${name}"]`);
        if (!(fact instanceof HTMLElement)) continue;
        fact.textContent = text;
        if (name === "formula") fact.hidden = !text;
      }
    }
  };

  // src/player/player.js
  var AHEAD = [1, 2, -1, 3];
  var MOST_PINS = 2;
  var nothing = () => {
  };
  var CHIPS = "Drafted tokens: arrow keys move, Enter pins";
  var LABEL = "Step player: arrow keys step, space plays";
  function whenIdle(work) {
    const idle = () => {
      if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 1e3 });
      else setTimeout(work, 30);
    };
    requestAnimationFrame(() => requestAnimationFrame(idle));
  }
  var wholes = /* @__PURE__ */ new WeakMap();
  function whole({ parts }, figure2) {
    if (!figure2) return null;
    const known3 = wholes.get(figure2);
    if (known3) return known3;
    const made = { ...figure2, data: figure2.data.map((number) => (
      /** @type {PlotTrace} */
      parts[number]
    )) };
    wholes.set(figure2, made);
    return made;
  }
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
    waiting = false;
    // for a moment to draw ahead
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
    chips = el("div", { class: "sv-nodes", role: "group", translate: "no", "aria-label": CHIPS });
    about = el("p", { class: "sv-about", "aria-hidden": "true" });
    // every chip says the same as its name
    reason = el("p", {
      class: "sv-reason sv-formula",
      "data-part": "formula",
      "aria-hidden": "true",
      hidden: true
    });
    drafted = el("div", { class: "sv-drafted", "data-part": "nodes" }, this.chips, this.about, this.reason);
    heard = el("p", { class: "sv-hidden", role: "status" });
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
      const onhover = (node) => this.focus(node);
      const onpick = (node) => this.toggle(node);
      this.panels = panels.map((name) => new Panel(name, { onhover, onpick }));
      this.coin = new CoinHandle(coins);
      this.panels.find(({ name }) => name === "decision")?.hold(this.coin);
      this.folding = !compact;
      this.element = this.build(Boolean(compact));
      root.replaceChildren(this.element);
      this.drawers = new Drawers(
        this.element,
        this.panels,
        !compact && this.panels.length === Object.keys(PANELS).length
      );
      this.listen();
    }
    /** @param {boolean} compact */
    build(compact) {
      const few = this.panels.length < 4 ? " few" : "";
      return el(
        "div",
        { class: `sv-player${compact ? " compact" : ""}`, role: "group", tabindex: 0, "aria-label": LABEL },
        compact ? null : this.bar.element,
        el("div", { class: "sv-console" }, this.story.element, this.story.strip),
        el(
          "div",
          { class: `sv-panels${few}` },
          this.panels.map((one) => one.element)
        ),
        this.board.element,
        this.drafted,
        this.heard
      );
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
      new ResizeObserver(() => {
        if (this.fit()) this.plan();
      }).observe(element);
      subscribe("present", () => this.fit());
      window.addEventListener("beforeprint", () => {
        for (const one of element.querySelectorAll("details")) one.open = true;
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
    /** Whether a panel took a new width. */
    fit() {
      const changed = this.panels.map((one) => one.fit()).some(Boolean);
      if (changed) this.relight();
      return changed;
    }
    /** @param {Scene} scene @param {Panel} panel */
    figure(scene, panel) {
      return this.payload && whole(this.payload, figureOf(this.payload, scene, panel.name));
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
        const without = comesWords(payload, scenes, this.index, one.name);
        one.show(this.figure(scene, one), payload.texts[scene.panels[one.name]] || "", without);
      }
      this.showCoin(scene);
      this.element.dataset.scene = scene.key;
      this.held = null;
      this.nameChips();
      this.markChanges(this.index > before);
      this.relight();
      this.plan();
      this.onscene(scene, this.index);
    }
    /** What the step changed is marked while it is on screen. @param {boolean} forward it has just been made */
    markChanges(forward) {
      const { tokens, nodes, panels } = this.changed;
      const { element } = this;
      element.classList.toggle("arrived", forward);
      element.classList.toggle("again");
      this.story.markNew(tokens);
      for (const chip of this.chipButtons()) chip.classList.toggle("changed", nodes.has(Number(chip.dataset.node)));
      for (const { name, element: panel } of this.panels) panel.classList.toggle("changed", panels.has(name));
    }
    /** Open the steps that the one on screen stands for, or fold those around it again. */
    toggleFold() {
      const closed = foldAt(this.folds, this.index);
      if (closed) {
        this.show(closed.from);
        return;
      }
      const around2 = openAround(this.folds, this.index);
      this.folds = this.folds.map((fold) => fold === around2 ? { ...fold, open: false } : fold);
      if (around2) this.show(around2.to);
    }
    /** Fold long runs of steps that are alike, or show every step. @param {boolean} on */
    fold(on) {
      this.folding = on;
      const { payload, scenes } = this;
      this.folds = on && payload ? foldsOf(payload, scenes) : [];
      if (payload) this.show(this.index);
    }
    /** The number of the step under the hand, where its figure has one. @param {Scene} scene */
    showCoin(scene) {
      const panel = this.panels.find(({ name }) => name === "decision");
      const layout = (
        /** @type {PlotLayout | undefined} */
        panel && this.figure(scene, panel)?.layout
      );
      this.coin.show(scene.key, layout?.meta?.chance ?? null);
    }
    /** @param {string} key */
    goTo(key) {
      const at = this.scenes.findIndex((scene) => scene.key === key);
      if (at >= 0) this.show(at);
    }
    /** While nothing else is to do, the figures of the neighbouring steps are drawn, one at a time. */
    plan() {
      if (this.waiting) return;
      this.waiting = true;
      whenIdle(() => {
        this.waiting = false;
        if (this.drawAhead()) this.plan();
      });
    }
    /** Draw one figure of a neighbouring step; false where all are drawn. */
    drawAhead() {
      const near = AHEAD.map((step) => this.scenes[this.index + step]).filter(Boolean);
      return near.some(
        (scene) => this.panels.some((panel) => {
          const figure2 = this.figure(scene, panel);
          return figure2 !== null && panel.ahead(figure2);
        })
      );
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
      const formula = record ? decidedFormula(scenes, index, record) : "";
      this.about.textContent = record ? nodeWords(payload, scenes[index], record) : "";
      this.reason.textContent = formula;
      this.reason.hidden = !formula || formula === scenes[index].formula;
      const { changed } = this;
      for (const one of this.panels) one.mark({ record, pins, changed });
      this.board.show(pins, (pin) => ({
        path: pathWords(this.records, pin),
        outcome: outcomeOf(payload, scenes[index], pin.node) || "not drafted yet",
        formula: decidedFormula(scenes, index, pin),
        rows: payload.mask_rows
      }));
    }
    /** The node in focus and its ancestors, in the chips and in the text. @param {AnyRecord | null} record */
    lightTexts(record) {
      const kin = new Set(record ? record.ancestors : []);
      for (const group of [this.chips, this.story.strip]) {
        for (const one of group.querySelectorAll("[data-node]")) {
          const node = Number(one.getAttribute("data-node"));
          one.classList.toggle("lit", record !== null && node === record.node);
          one.classList.toggle("kin", kin.has(node));
        }
      }
    }
    chipButtons() {
      return [...this.chips.querySelectorAll("button")];
    }
    buildChips({ nodes }) {
      const chip = ({ node, label }, at) => {
        const common = { type: "button", class: "sv-node", "data-node": node, "aria-pressed": "false" };
        return el("button", { ...common, tabindex: at === 0 ? 0 : -1 }, label);
      };
      this.chips.replaceChildren(...nodes.map(chip));
      this.drafted.hidden = nodes.length === 0;
    }
    nameChips() {
      const { payload, scenes, index } = this;
      for (const chip of this.chipButtons()) {
        const record = this.records.get(Number(chip.dataset.node));
        if (!payload || !record) continue;
        const news = this.changed.nodes.has(record.node) ? "changed by this step" : "";
        const said = [nodeWords(payload, scenes[index], record), decidedFormula(scenes, index, record), news];
        chip.setAttribute("aria-label", said.filter(Boolean).join(". "));
      }
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
      for (const chip of this.chipButtons()) {
        const at = pins.findIndex((one) => one.node === Number(chip.dataset.node));
        chip.setAttribute("aria-pressed", String(at >= 0));
        if (at >= 0) chip.dataset.pin = String(at + 1);
        else delete chip.dataset.pin;
      }
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
      const chip = closest(target, ".sv-node");
      if (chip && (key === "ArrowRight" || key === "ArrowLeft")) {
        this.walkChips(event, chip);
        return;
      }
      if (closest(target, "select, summary") || key === " " && closest(target, "button")) return;
      const action = this.keyAction(key);
      if (!action) return;
      event.preventDefault();
      action();
    }
    /** @param {KeyboardEvent} event @param {HTMLElement} chip */
    walkChips(event, chip) {
      const next = event.key === "ArrowRight" ? chip.nextElementSibling : chip.previousElementSibling;
      if (!(next instanceof HTMLElement)) return;
      event.preventDefault();
      chip.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
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
        m: () => void this.drawers.toggle("mask"),
        p: () => void this.drawers.toggle("probabilities"),
        Home: () => this.show(0),
        End: () => this.show(PAST_THE_END),
        " ": () => this.playOrPause()
      };
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
      const same = this.payload?.iteration === next.iteration;
      const wasOpen = this.folds.flatMap(({ from, open: open2 }) => open2 && same ? [this.scenes[from].key] : []);
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
      const tall = Object.entries(payload.figures).some(
        ([key, { layout }]) => key.startsWith("tree") && layout.height > 300
      );
      this.element.classList.toggle("tall", tall);
      this.bar.build(scenes);
      const entire = !only || scenes.some((scene) => scene.phase === "commit");
      const { roots } = payload;
      this.story.build(entire ? payload.text : null, roots.length === 1 ? roots[0].node : null);
      this.buildChips(payload);
      for (const one of this.panels) {
        one.about({
          ever: scenes.some((scene) => figureOf(payload, scene, one.name)),
          drafted: payload.nodes.length > 0
        });
        one.fit();
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
      const known3 = this.rack.get(name);
      if (known3) return known3;
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
  function measure({ label, text, unit, help, share: share2 }) {
    const bar2 = el("span", { class: "sv-length", style: { width: `${100 * share2}%` } });
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
  var button2 = (words2, onclick, main = false) => el("button", { type: "button", class: main ? "sv-do main" : "sv-do", onclick }, words2);
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
    /** @param {LessonData} data */
    pictures({ light, dark }) {
      return (isDark() ? dark || light : light || dark) || [];
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
      this.rack.show(look.picture === null ? null : this.pictures(data)[look.picture], look);
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
      const picture = look.picture === null ? null : this.pictures(data)[look.picture];
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
      const words2 = where.at ? "Open this step in the Microscope" : "Open these runs on the Race page";
      return el("a", { class: "sv-open", href: addressOf(where), onclick }, words2);
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
    /** The same step with other pictures: another theme. @param {LessonData} data */
    repaint(data) {
      this.data = data;
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
          const known3 = this.known();
          if (known3 && chosen2 !== null) reached(known3.lesson.name, step, totalSteps(known3.lesson));
        },
        onnext: () => this.show(this.next()?.lesson.name ?? null)
      });
      root.replaceChildren(this.cards.element, this.top, this.stage);
      document.addEventListener("keydown", (event) => this.open && this.view.keys(event));
      let drawn2 = isDark();
      subscribe("dark", (dark) => {
        const known3 = this.known();
        if (dark === drawn2 || !known3) return;
        drawn2 = dark;
        this.view.repaint(known3);
      });
      window.addEventListener("hashchange", () => this.show(window.location.hash.slice(1)));
      this.show(window.location.hash.slice(1));
    }
    known() {
      return this.lessons.find(({ lesson }) => lesson.name === this.open) ?? null;
    }
    next() {
      const known3 = this.known();
      return known3 ? this.lessons[this.lessons.indexOf(known3) + 1] : void 0;
    }
    /** @param {string | null} name of a lesson; another or none: the list */
    show(name) {
      this.open = this.lessons.some(({ lesson }) => lesson.name === name) ? name : null;
      const known3 = this.known();
      this.cards.element.hidden = known3 !== null;
      this.top.hidden = this.stage.hidden = known3 === null;
      if (window.location.hash.slice(1) !== (this.open ?? "")) window.location.hash = this.open ?? "";
      this.cards.refresh();
      if (!known3) return;
      this.title.textContent = known3.lesson.title;
      this.view.load(known3, { next: this.next()?.lesson.title });
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
  var KEY4 = "Where two bars stand together, the upper one is the target’s probability and the lower one the draft’s; the token in bold is the guess.";
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
  function lessonPart({ words: words2, question, steps }, number, answers) {
    const items = words2.steps.map((step, at) => stepParts(step, steps[at], answers)).filter((item) => item !== null);
    const end = answers ? el("p", { class: "sv-told-answer" }, el("b", {}, "To take away: "), words2.takeaway) : el("div", {}, el("p", {}, el("b", {}, "In one sentence, what I take away:")), lines(2));
    return el(
      "section",
      {},
      el("h2", {}, `${number}. ${words2.title}`),
      el("p", { class: "sv-goal" }, el("b", {}, "Goal: "), words2.goal),
      figure(question),
      questionParts(words2.question, answers),
      el("ol", {}, items),
      end
    );
  }
  function handout({ answers, lessons }) {
    const name = answers ? null : el("p", { class: "sv-name" }, "Name: ", el("span", { class: "sv-line" }));
    const parts = lessons.map((lesson, at) => lessonPart(lesson, at + 1, answers));
    return el("article", { class: "sv-handout" }, name, el("p", { class: "sv-goal" }, KEY4), parts);
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

  // src/stage/arrange.js
  var HEIGHT2 = 116;
  var MARGIN = 2;
  var ROOT_SHARE = 0.17;
  var TALLEST = 27;
  var WIDEST = 128;
  var NARROW2 = 84;
  var LETTER2 = 0.62;
  var CORNERS = { chain: 10, tree: 5, forks: 5, heads: 5, beams: 0 };
  var lettersOf = (label) => characters(label.replace(/[\u2068\u2069]/g, ""));
  var cut = (text, most) => {
    const letters = lettersOf(text);
    return letters.length > most ? `${letters.slice(0, Math.max(1, most - 1)).join("")}…` : text;
  };
  function arrange(iteration, look, width) {
    const row2 = Math.min(TALLEST, (HEIGHT2 - 2 * MARGIN) / iteration.rows);
    const root = Math.min(120, ROOT_SHARE * width);
    const column = Math.min(WIDEST, (width - root - 30) / Math.max(1, iteration.depth));
    const narrow = column < NARROW2;
    const type = Math.min(narrow ? 11 : 13, row2 - 4);
    const letter = LETTER2 * type;
    const [apart, glyph] = narrow ? [8, 19] : [16, 22];
    const top = (HEIGHT2 - row2 * iteration.rows) / 2 + row2 / 2;
    const pill = Math.min(22, row2 - 2);
    const boxes = /* @__PURE__ */ new Map();
    const roots = iteration.roots.map(({ name, label, y }) => {
      boxes.set(String(name), { x: root, y: top + y * row2, width: 0 });
      return { x: root - 11, y: top + y * row2, text: cut(label, Math.floor((root - 12) / letter)) };
    });
    const guesses = iteration.guesses.map((guess) => {
      const label = narrow && guess.label.length > 1 ? guess.label.replace(/^(\u2068?)·/, "$1") : guess.label;
      const text = cut(label, Math.floor((column - apart - glyph) / letter));
      const size = Math.min(column - apart, Math.max(26, letter * lettersOf(text).length + glyph + 2));
      const box2 = { x: root + (guess.x - 1) * column + 18, y: top + guess.y * row2, width: size };
      const parent = boxes.get(guess.parent) ?? box2;
      boxes.set(guess.name, box2);
      const from = parent.x + parent.width;
      const bend = from + (box2.x - from) / 2;
      const curve = `M${from} ${parent.y} C${bend} ${parent.y} ${bend} ${box2.y} ${box2.x} ${box2.y}`;
      return { guess, box: box2, text, curve, stroke: 1 + 4 * guess.weight };
    });
    const reach = [root + 8, Math.min(width, root + column * iteration.depth + 14)];
    return { roots, guesses, type, pill, corner: Math.min(CORNERS[look] ?? 5, pill / 2), reach };
  }

  // src/stage/moment.js
  var FACTORS = [1, 2, 5, 10, 20, 50, 100, 200];
  var WATCHABLE = 25;
  var TAIL = 0.3;
  var share = (value) => Math.min(1, Math.max(0, value));
  var within = (at, [from, to]) => to > from ? share((at - from) / (to - from)) : at >= to ? 1 : 0;
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
    const there = within(moment, [appears - fade, appears]);
    if (moment >= settles) return { there, state: fate, away };
    return { there, state: moment < called ? "ghost" : "pending", away };
  }
  function frameOf(iteration, moment, tail) {
    const { phases, guesses, depth } = iteration;
    const away = within(moment, [endOf(iteration), endOf(iteration) + tail]);
    const fade = (phases.draft[1] - phases.draft[0]) / Math.max(1, depth);
    const at = { fade, called: phases.target[0], away };
    return {
      phase: phaseAt(iteration, moment),
      sweep: within(moment, phases.target),
      away,
      guesses: guesses.map((guess) => guessAt(guess, moment, at))
    };
  }
  function judgedAt({ decisions, phases }, moment) {
    return Math.min(decisions, Math.floor(within(moment, phases.verify) * (decisions + 1)));
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
  function words(all, index, moment) {
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
  function rootElement({ x, y, text }, type) {
    const label = svg("text", { class: "sv-root-label", x, y, "font-size": type, "text-anchor": "end" }, text);
    return svg("g", {}, label, svg("rect", { class: "sv-root", x: x + 5, y: y - 3, width: 6, height: 6 }));
  }
  function guessElement(placed, { type, pill, corner }) {
    const { box: box2, text, curve, stroke } = placed;
    const { width } = box2;
    const middle = { y: 0, "text-anchor": "middle" };
    const glyph = svg("text", { ...middle, class: "sv-glyph", x: 10, "font-size": type - 1 });
    const frame = svg("rect", { class: "sv-pill", x: 0, y: -pill / 2, width, height: pill, rx: corner });
    const label = svg("text", { ...middle, class: "sv-label", x: (width + 14) / 2, "font-size": type }, text);
    const inner = svg("g", {}, frame, glyph, label);
    const body = svg("g", { class: "sv-guess", transform: `translate(${box2.x} ${box2.y})` }, inner);
    const edge = svg("path", { class: "sv-edge", d: curve, "stroke-width": stroke.toFixed(1) });
    return { placed, body, edge, glyph, flight: null, shown: "" };
  }
  var Drawing = class {
    /** @param {Arrangement} arrangement @param {string} look @param {Record<string, string>} glyphs by state */
    constructor(arrangement, look, glyphs) {
      const [from, to] = this.reach = arrangement.reach;
      this.glyphs = glyphs;
      this.aimed = false;
      this.band = svg("rect", { class: "sv-band", x: 0, y: 0, width: BAND, height: HEIGHT2, rx: 6 });
      this.glow = svg("rect", { class: "sv-glow", x: from, y: 0, width: to - from, height: HEIGHT2, rx: 6 });
      this.guesses = arrangement.guesses.map((placed) => guessElement(placed, arrangement));
      this.roots = svg(
        "g",
        {},
        arrangement.roots.map((root) => rootElement(root, arrangement.type))
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
        const { guess, box: box2 } = one.placed;
        const place = guess.slot === null ? null : placeOf(guess.slot);
        if (!place) continue;
        const copy = (
          /** @type {SVGElement} */
          one.body.cloneNode(true)
        );
        const down = place.top + place.height / 2 - frame.top;
        one.flight = { copy, by: [place.left - frame.left - box2.x, down - box2.y] };
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
      const said = now < 0 || over ? "" : words(iterations, now, moment);
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
  var KEY5 = "specviz-numbers";
  var chosenOnes = (kept) => kept === null ? null : kept.split(",").filter(Boolean);
  function remembered2() {
    try {
      return chosenOnes(window.localStorage.getItem(KEY5));
    } catch {
      return null;
    }
  }
  var chosen;
  function isShown({ key, usual }) {
    if (chosen === void 0) chosen = remembered2();
    return chosen ? chosen.includes(key) : usual;
  }

  // src/race/lane-result.js
  var HEIGHTS = { draft: [0.5, 0.5], target: [0, 1], verify: [0.75, 0.25] };
  var PENDING = "Not settled yet: the likeliest beam says this, and the beams still differ here.";
  var probabilityWords = (logprob) => logprob === null ? "the target gives it no probability" : `target probability ${Number(Math.exp(logprob).toPrecision(2))}`;
  function tokenElement([piece, origin, iteration, logprob], words2, beams, opens) {
    const when = `${beams ? "settled in " : ""}iteration ${iteration + 1}`;
    const attributes = {
      class: `sv-token ${origin}`,
      role: opens ? "button" : "note",
      tabindex: -1,
      "data-iteration": iteration,
      "aria-label": `${named(piece)}, ${words2[origin]}`,
      "data-tip": `${words2[origin]} · ${when} · ${probabilityWords(logprob)}${opens ? " · click to look inside" : ""}`
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
    constructor(number, { words: words2, glyphs }, onopen) {
      this.words = words2;
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
      const same = `.sv-token:not(.pending)[data-iteration="${token.dataset.iteration}"]`;
      const at = [...this.text.querySelectorAll(same)].indexOf(token);
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
      const same = this.element.querySelectorAll(`[data-iteration="${at.dataset.iteration}"]`);
      for (const one of same) one.classList.add("lit");
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
      const share2 = Math.min(1, moment / this.seconds);
      this.future.style.transform = `scaleX(${1 - share2})`;
      this.playhead.style.transform = `translateX(${100 * share2}%)`;
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
    const words2 = Object.fromEntries(origins.map(({ name, word }) => [name, word]));
    const glyphs = Object.fromEntries([...outcomes, ...origins].map(({ name, glyph }) => [name, glyph]));
    return { words: words2, glyphs };
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
    remember2();
  }
  function remember2() {
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
  function wordsOf(column, lanes2) {
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
  var GAP = 14;
  var PAD = 10;
  var HEAD = 66;
  var MASK = 150;
  var GAUGE = 24;
  var LABELS = 152;
  var TALL = HEAD + HEIGHT2 + MASK + 2 * GAP + 7 * GAUGE + PAD;
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
      const inside = width - 2 * PAD;
      const ground = svg("rect", {
        width,
        height: TALL,
        rx: 10,
        fill: this.colour("paper"),
        stroke: this.colour("line")
      });
      const name = this.words(`${number}  ${title}`, PAD, 20, { size: 15, "font-weight": 700 });
      if (!column) return [ground, name, this.words("wrote nothing", PAD, 44, { colour: "muted" })];
      const down = (y, parts) => svg("g", { transform: `translate(${PAD} ${y})` }, parts);
      return [
        ground,
        name,
        this.words(`iteration ${column.index + 1} of ${column.lane.view.iterations}`, width - PAD, 20, {
          colour: "muted",
          "text-anchor": "end"
        }),
        this.written(column),
        down(HEAD, this.forest(column, inside)),
        down(HEAD + HEIGHT2 + GAP, this.mask(column, inside)),
        down(HEAD + HEIGHT2 + MASK + 2 * GAP, this.gauges(column, inside))
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
      const clip = { x: PAD, y: 46, fill: this.colour("ink"), "font-size": 14, "dominant-baseline": "central" };
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
    guess({ box: box2, text, guess }, { pill, corner, type }) {
      const stroke = this.fate(guess.fate);
      const hollow = HOLLOW.includes(guess.fate);
      const frame = { width: box2.width, height: pill, y: -pill / 2, rx: corner, stroke, "stroke-width": 1.5 };
      const dashes = hollow && guess.fate !== "dropped" ? { "stroke-dasharray": "3 3" } : {};
      return svg(
        "g",
        { transform: `translate(${box2.x} ${box2.y})`, "data-node": guess.name },
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
        this.words(text, (box2.width + 14) / 2, 0, { size: type, "text-anchor": "middle" })
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
      const scale = room / (this.longest || 1);
      let x = left;
      const time = PHASES2.map((phase) => {
        const wide = (phases[phase][1] - phases[phase][0]) * scale;
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
      const share2 = value === null || !most ? 0 : value / most;
      return [
        this.words(label, 0, top + 12, { size: 12.5, colour: "muted" }),
        this.block(left, top + 5, room, 13, "soft"),
        this.block(left, top + 5, room * share2, 13, "accent"),
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
      const words2 = el("details", { class: "sv-words" }, el("summary", {}, "In words"), this.words);
      const attributes = { class: "sv-beside", "aria-label": "Side by side", "data-part": "beside", hidden: true };
      this.element = el("section", attributes, bar2, this.pins, this.drawing, words2);
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
      const wide = Math.max(300, (width - GAP * (columns.length - 1)) / columns.length);
      const whole2 = wide * columns.length + GAP * (columns.length - 1);
      const height = TALL;
      for (const [name, value] of Object.entries({ viewBox: `0 0 ${whole2} ${height}`, width: whole2, height }))
        this.drawing.setAttribute(name, String(value));
      this.drawing.style.fontFamily = "var(--sv-sans)";
      this.drawing.replaceChildren(
        ...columns.map(
          (column, at) => svg(
            "g",
            { transform: `translate(${at * (wide + GAP)} 0)`, "data-lane": at },
            sheet.column(column, at + 1, this.lanes[at].view.title, wide)
          )
        )
      );
      this.pins.replaceChildren(...this.lanes.map((lane, at) => this.pinButton(lane, at)));
      this.words.replaceChildren(
        ...columns.flatMap((column) => column ? [el("li", {}, wordsOf(column, this.lanes))] : [])
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
  function linesOf(tokens, widthOf, most) {
    const empty = () => ({ text: "", pieces: (
      /** @type {string[]} */
      []
    ) });
    const paragraphs = [[empty()]];
    for (const token of tokens) {
      const piece = drawn(token);
      const lines2 = paragraphs[paragraphs.length - 1];
      const { text } = lines2[lines2.length - 1];
      if (text && widthOf(text + piece) > most && !goesOn(text, piece)) lines2.push(empty());
      const line = lines2[lines2.length - 1];
      line.text += piece;
      line.pieces.push(piece);
      if (token.includes("\n")) paragraphs.push([empty()]);
    }
    return paragraphs.flatMap((lines2) => {
      const rightToLeft = isRightToLeft(lines2.map(({ text }) => text).join(""));
      return lines2.map((line) => ({ ...line, rightToLeft }));
    });
  }
  function placesIn(lines2, font, width) {
    const rows = lines2.map(({ pieces, rightToLeft }) => {
      const spans = pieces.map((piece) => el("span", {}, piece));
      return { spans, row: el("div", { dir: rightToLeft ? "rtl" : "ltr" }, spans) };
    });
    const style = { font, width: `${width}px`, "white-space": "pre", position: "fixed", visibility: "hidden" };
    const box2 = el(
      "div",
      { style: { ...style, "inset-block-start": "0", left: "0" } },
      rows.map(({ row: row2 }) => row2)
    );
    document.body.append(box2);
    const places = rows.map(
      ({ spans }) => spans.map((span) => Array.from(span.getClientRects(), ({ left, width: wide }) => ({ x: left, width: wide })))
    );
    box2.remove();
    return places;
  }

  // src/stage/film.js
  var WIDTH2 = 1280;
  var HEAD2 = 44;
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
      this.canvas.height = HEAD2 + LANE.height * lanes2.length + 8;
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
      return lines2.flatMap((line, at) => places[at].map((stretches) => ({ y: at * TEXT.line, stretches, line }))).map((placed, at) => ({ ...placed, origin: tokens[at][1] }));
    }
    /** Draw everything as it was. @param {number} moment */
    paint(moment) {
      const { pen, canvas } = this;
      pen.globalAlpha = 1;
      pen.fillStyle = this.colour("ground");
      pen.fillRect(0, 0, canvas.width, canvas.height);
      this.type(19, 700);
      this.write("specviz", 20, HEAD2 / 2, "ink");
      this.type(15);
      this.write(isolated(this.title), 110, HEAD2 / 2, "muted");
      this.write(`${Math.min(moment, this.clock).toFixed(3)} s`, WIDTH2 - 20, HEAD2 / 2, "muted", "right");
      this.lanes.forEach((lane, index) => {
        pen.save();
        pen.translate(12, HEAD2 + index * LANE.height);
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
      for (const line of new Set(shown.map((token) => token.line))) {
        this.line(
          shown.filter((token) => token.line === line),
          tokens.filter((token) => token.line === line),
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
      const { line } = shown[0];
      const left = Math.min(...whole2.flatMap(({ stretches }) => stretches.map(({ x }) => x)));
      pen.save();
      if (shown.length < whole2.length) pen.clip(written2);
      this.type(TEXT.size);
      pen.direction = line.rightToLeft ? "rtl" : "ltr";
      this.write(line.text, LANE.pad + left, middle, "ink");
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
      this.write(words(iterations, now, moment), width, HEIGHT2 + 10, "muted", "right");
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
    guess({ box: box2, text }, { state }, { pill, corner, type }, [dx, dy]) {
      const { pen } = this;
      const [x, y] = [box2.x + dx, box2.y + dy];
      const alpha = pen.globalAlpha;
      pen.beginPath();
      pen.roundRect(x, y - pill / 2, box2.width, pill, corner);
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
      this.write(text, x + (box2.width + 14) / 2, y, "ink", "center");
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
      const { box: box2 } = this;
      const page = box2.item(
        (event) => box2.busy(event, "Writing the HTML file …", () => this.writePage()),
        "This race as one HTML file",
        "Plays offline, in slow motion"
      );
      const video = box2.item(
        (event) => box2.busy(event, "Recording the video …", () => this.writeVideo()),
        "As a video (WebM)",
        "Takes as long as it plays at the chosen speed"
      );
      const picture = (format) => {
        const work = () => this.writePicture(format);
        const label = format.toUpperCase();
        return box2.item((event) => box2.busy(event, `Drawing the ${label} …`, work), `Side by side as ${label}`);
      };
      this.pictures = [picture("svg"), picture("png")];
      box2.fill(options.server ? page : null, canFilm() ? video : null, ...this.pictures);
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
      const onprogress = (share2) => {
        this.box.progress.textContent = `Recording the video: ${Math.round(100 * share2)} %. Keep this page in view.`;
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
      const words2 = "What every lane did at one position of the text: forest, mask and gauges";
      const attributes = { type: "button", class: "sv-chip", "aria-pressed": "false", "data-tip": words2 };
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
    const badge2 = el(
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
    return el("div", { class: "sv-settings" }, name, el("p", { class: "sv-caption" }, explained(summary)), badge2);
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
    const scale = axis();
    scale.draw(marks);
    const summary = new Summary();
    summary.show(race);
    const asked = race.prompt === null ? null : el("blockquote", { class: "sv-asked", dir: "auto", translate: "no" }, race.prompt);
    const headline = el("div", { class: "sv-headline" }, legendElement(legend), asked);
    const foot = el("div", { class: "sv-foot" }, el("span", {}), scale.element);
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
    root.replaceChildren(stage, printedScenes(data.light.scenes));
    const payload = () => isDark() ? data.dark : data.light;
    player.load(payload(), data.at || 0);
    player.pin(data.pins || []);
    document.addEventListener("keydown", (event) => player.keysElsewhere(event));
    subscribe("dark", () => {
      const scene = player.scene();
      if (scene) player.load(payload(), scene.key);
    });
  }
  function showLesson(root, data) {
    const lesson = new LessonView(root);
    lesson.load(data);
    document.addEventListener("keydown", (event) => lesson.keys(event));
    let drawn2 = isDark();
    subscribe("dark", (dark) => {
      if (dark === drawn2) return;
      drawn2 = dark;
      lesson.repaint(data);
    });
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
