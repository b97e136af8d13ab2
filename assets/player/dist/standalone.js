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
    const button3 = el("button", { type: "button", class: "sv-quiet", onclick: flip });
    const name = () => {
      button3.textContent = isDark() ? "☀ Light" : "☾ Dark";
    };
    new MutationObserver(() => {
      name();
      publish("dark", isDark());
    }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    name();
    return button3;
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

  // src/lesson/break-it.js
  var groups = 0;
  var fixed = (value, digits) => value < 1e-6 ? "0" : value.toFixed(digits);
  function bar(kind, share) {
    const length = el("span", { class: `sv-length ${kind}`, style: { width: `${100 * share}%` } });
    return el("td", {}, length, el("b", {}, share.toFixed(3)));
  }
  function tokenRow({ token, target, broken }) {
    const off = Math.abs(target - broken) > 5e-4 ? "off" : null;
    return el("tr", { class: off }, el("th", { scope: "row" }, token), bar("target", target), bar("out", broken));
  }
  var Outcome = class {
    constructor() {
      this.about = el("p", {});
      this.needle = el("span", { class: "sv-length" });
      this.distance = el("b", {});
      this.said = el("p", {});
      this.small = el("p", { class: "sv-hint" });
      this.rows = el("tbody", {});
      const scale = el("span", { class: "sv-scale", "aria-hidden": "true" }, this.needle);
      const title = el("span", {}, "Distance from the target’s distribution");
      this.meter = el("div", { class: "sv-distance" }, title, scale, this.distance);
      this.status = el("div", { role: "status" }, this.about, this.meter, this.said);
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

  // src/base/pieces.js
  function visible(piece) {
    if (piece === "") return [["▯", "mark"]];
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
    return visible(piece).filter(([run]) => breaks || run !== "\n").map(([run, mark]) => mark ? el("i", { class: mark }, run) : run);
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
    return at < 0 ? "Nothing to show at this step." : `Comes at step ${at + 1}: ${scenes[at].title}.`;
  }
  var togglePin = (pins, record, most) => pins.includes(record) ? pins.filter((one) => one !== record) : [...pins, record].slice(-most);
  var samePins = (pins, records) => pins.flatMap((pin) => {
    const record = records.get(pin.node);
    return record && record.text === pin.text ? [record] : [];
  });

  // src/player/console.js
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
    /** @param {{show: (index: number) => void, back: () => void, forward: () => void, toggle: () => void}} act */
    constructor({ show, back, forward, toggle }) {
      this.show = show;
      this.play = button("play", "Play", toggle);
      this.phases = el("div", { class: "sv-phases", role: "group", "aria-label": "Phases of this iteration" });
      const slide = () => {
        show(Number(this.range.value));
      };
      const range = { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Step", oninput: slide };
      this.range = el("input", range);
      this.count = el("span", { class: "sv-step-count" });
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
        el("div", { class: "sv-slider" }, this.phases, this.range),
        this.count,
        this.now,
        this.speed
      );
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
    /** @param {number} index @param {Scene[]} scenes */
    step(index, scenes) {
      const { title } = scenes[index];
      this.range.value = String(index);
      this.range.setAttribute("aria-valuetext", `${index + 1} of ${scenes.length}: ${title}`);
      this.count.textContent = `${index + 1} / ${scenes.length}`;
      this.now.textContent = title;
      for (const mark of this.phases.querySelectorAll("button")) {
        const here = index >= Number(mark.dataset.from) && index <= Number(mark.dataset.to);
        mark.setAttribute("aria-current", here ? "step" : "false");
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
    constructor() {
      this.title = el("h2", {});
      this.sentence = el("p", { class: "sv-sentence", "data-part": "sentence" });
      this.formula = el("p", { class: "sv-formula", "data-part": "formula" });
      const label = "The end of the text, and the tokens that this iteration writes";
      this.strip = el("div", { class: "sv-strip", role: "group", "data-part": "strip", "aria-label": label });
      const story = { class: "sv-story", "aria-live": "polite" };
      this.element = el("div", story, this.title, this.sentence, this.formula);
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
      this.strip.replaceChildren(el("span", { class: "sv-tail" }, context.length ? "… " : "", context), ...emitted);
    }
    /** @param {Scene} scene */
    step(scene) {
      this.title.textContent = scene.title;
      this.sentence.replaceChildren(...explained(scene.sentence));
      this.formula.replaceChildren(...explained(scene.formula));
      this.formula.hidden = !scene.formula;
      this.strip.classList.toggle("open", scene.phase !== "commit");
    }
  };

  // src/player/focus.js
  function spotsOfTrace(trace) {
    const axes = { xaxis: trace.xaxis || "x", yaxis: trace.yaxis || "y" };
    if (trace.type === "heatmap") {
      const [rows, columns] = [trace.z.length, trace.z[0].length];
      const row = (at) => ({ kind: "row", y: at, x: columns - rows + at, rows, columns, ...axes });
      return trace.customdata.map((cells, at) => [cells[0], row(at)]);
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
  function spotsOf(figure) {
    const before = known2.get(figure);
    if (before) return before;
    const found = /* @__PURE__ */ new Map();
    for (const [node, spot] of figure.data.flatMap(spotsOfTrace)) {
      if (typeof node !== "number") continue;
      const spots = found.get(node) ?? [];
      if (!spots.some((one) => sameSpot(one, spot))) found.set(node, [...spots, spot]);
    }
    known2.set(figure, found);
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
    const row = box(kind, node, between(at.x(-0.5), at.x(spot.columns - 0.5)), down);
    const across = between(at.x(spot.x - 0.5), at.x(spot.x + 0.5));
    const column = box(`${kind} sv-column`, node, across, between(at.y(-0.5), at.y(spot.rows - 0.5)));
    return [column, row];
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
  function marksOn(plot, figure, { record, pins }) {
    const found = spotsOf(figure);
    const held = pins.flatMap(
      (pin, at2) => ownSpots(found, pin).flatMap((spot) => [
        ...around(plot, spot, "sv-held", pin.node),
        badge(plot, spot, at2 + 1, pin.node)
      ])
    );
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
    const lines = [];
    let room = 0;
    for (const { shown, size } of legendParts(legend)) {
      const taken = LETTER * (size + 3);
      if (!lines.length || taken > room) {
        lines.push(shown);
        room = width - 12 - taken;
      } else {
        lines[lines.length - 1] += `   ${shown}`;
        room -= taken;
      }
    }
    return lines;
  }
  function addLegend(layout, legend, width) {
    const lines = legendLines(legend, width);
    const below = { l: 6, b: 5 + LINE * (lines.length - 1) };
    layout.title = {
      text: lines.join("<br>"),
      font: { size: 12 },
      xref: "container",
      x: 0,
      xanchor: "left",
      pad: below,
      yref: "container",
      y: 0,
      yanchor: "bottom"
    };
    let more = LINE * (lines.length - legend.lines);
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
  function layoutFor(figure, { width, most, family: family2 }) {
    const from = (
      /** @type {PlotLayout} */
      figure.layout
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
    if (figure.legend) addLegend(layout, figure.legend, width);
    return layout;
  }

  // src/player/panel.js
  var KEPT = 7;
  var CONFIG = { responsive: false, displaylogo: false, displayModeBar: false, showSendToCloud: false };
  var PANELS = {
    tree: {
      heading: ["Draft tree", "The guesses, left to right; thicker is likelier."],
      most: 1180,
      undrafted: ["What was drawn", "The target’s own draws, left to right."]
    },
    mask: {
      heading: ["Attention mask", "In the one target call each guess sees its own ancestors only."],
      most: 500,
      undrafted: ["Attention mask", "In the target call each row sees its own past only."]
    },
    probabilities: {
      heading: ["Target and draft", "Filled: both agree. Hatched: what only one of them wants."],
      most: 720
    },
    decision: { heading: ["The decision", "The rule, with this step’s numbers."], most: 400 }
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
      this.stage = el("div", { class: "sv-stage" }, this.marks);
      this.words = el("p", {});
      this.nothing = el("p", { class: "sv-nothing" }, "");
      const more = { class: "sv-words", "data-part": "words" };
      this.more = el("details", more, el("summary", {}, "In words"), this.words);
      this.title = el("h3", {});
      this.help = el("p", {});
      const attributes = { class: `sv-panel sv-panel-${name}`, "data-panel": name, "data-part": name };
      const caption = el("figcaption", {}, this.title, this.help);
      this.element = el("figure", attributes, caption, this.stage, this.nothing, this.more);
      this.kept = [];
      this.wanted = void 0;
      this.seen = null;
      this.common = { record: null, pins: [] };
      this.width = 0;
      this.scale = 1;
      this.about({ ever: true, drafted: true });
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
    /** The plotly element that is seen, or null. */
    gd() {
      return this.seen ? this.seen.plot : null;
    }
    /** @param {Box} box */
    fits(box2) {
      return box2.width === this.width && box2.scale === this.scale;
    }
    /** @param {WholeFigure} figure */
    find(figure) {
      return this.kept.find((box2) => box2.figure === figure && this.fits(box2));
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
    free(figure) {
      const unseen = this.kept.filter((box2) => box2 !== this.seen);
      const spare = unseen.find((box2) => !this.fits(box2)) ?? (this.kept.length < KEPT ? void 0 : unseen[0]);
      const { width, scale } = this;
      if (spare) return this.use(Object.assign(spare, { figure, width, scale }));
      const plot = (
        /** @type {PlotElement} */
        /** @type {unknown} */
        el("div", { class: "sv-kept" })
      );
      this.stage.insertBefore(plot, this.marks);
      return this.use({ plot, figure, width, scale, height: 0 });
    }
    /** @param {WholeFigure} figure */
    draw(figure) {
      const box2 = this.free(figure);
      const { plot } = box2;
      const known3 = box2.height > 0;
      const { most } = PANELS[this.name];
      const layout = layoutFor(figure, { width: Math.floor(this.width / this.scale), most, family: family() });
      box2.height = layout.height;
      plot.classList.add("drawing");
      const data = figure.data.map((trace) => ({ ...trace }));
      Plotly.react(plot, data, layout, CONFIG).then(() => {
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
        if (box2) {
          box2.plot.classList.replace("sv-kept", "sv-plot");
          this.stage.prepend(box2.plot);
        }
        this.seen = box2;
      }
      const size = `${Math.ceil(box2 ? box2.height * this.scale : 0)}px`;
      if (this.stage.style.height !== size) this.stage.style.height = size;
    }
    drawMarks() {
      const { seen } = this;
      this.marks.replaceChildren(...seen ? marksOn(seen.plot, seen.figure, this.common) : []);
    }
    update() {
      if (!this.wanted) this.see(null);
      else if (this.width) this.see(this.use(this.find(this.wanted) ?? this.draw(this.wanted)));
    }
    /**
     * See a figure with its words; null: say with `without` that there is nothing yet.
     * @param {WholeFigure | null} figure
     * @param {string} text
     * @param {string} without
     */
    show(figure, text, without) {
      if (!figure) this.nothing.textContent = without;
      if (figure === this.wanted) return;
      this.wanted = figure;
      this.element.classList.toggle("empty", !figure);
      this.nothing.hidden = Boolean(figure);
      this.stage.hidden = this.more.hidden = !figure;
      this.words.textContent = text;
      this.update();
    }
    /**
     * Draw a figure ahead; false when that is done already, or there is no space to draw in.
     * @param {WholeFigure} figure
     */
    ahead(figure) {
      if (!this.width || this.find(figure)) return false;
      this.draw(figure);
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
      this.common = common;
      this.drawMarks();
    }
  };

  // src/player/pins.js
  function facts(record, { path, rows }) {
    return [
      ["Path", path],
      ["Draft probability", record.draft || "drawn from the target"],
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
      const fact = ([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
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
        el("strong", {}, `“${record.label}”`),
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
  function whole({ parts }, figure) {
    if (!figure) return null;
    const known3 = wholes.get(figure);
    if (known3) return known3;
    const made = { ...figure, data: figure.data.map((number) => (
      /** @type {PlotTrace} */
      parts[number]
    )) };
    wholes.set(figure, made);
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
    /** @type {AnyRecord | null} */
    held = null;
    // in focus when it is not the scene's own
    /** @type {AnyRecord[]} */
    pins = [];
    bar = new PlayerBar({
      show: (index) => this.show(index),
      back: () => this.back(),
      forward: () => this.forward(),
      toggle: () => this.playOrPause()
    });
    story = new PlayerStory();
    board = new PinBoard({ ongo: (key) => this.goTo(key), onunpin: (node) => this.toggle(node) });
    chips = el("div", { class: "sv-nodes", role: "group", "aria-label": CHIPS });
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
      const { onscene = nothing, onedge = nothing, onpins = nothing, panels = Object.keys(PANELS), compact } = options;
      this.onscene = onscene;
      this.onedge = onedge;
      this.onpins = onpins;
      const onhover = (node) => this.focus(node);
      const onpick = (node) => this.toggle(node);
      this.panels = panels.map((name) => new Panel(name, { onhover, onpick }));
      this.element = this.build(Boolean(compact));
      root.replaceChildren(this.element);
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
      this.index = Math.max(0, Math.min(wanted, scenes.length - 1));
      const scene = scenes[this.index];
      this.story.step(scene);
      this.bar.step(this.index, scenes);
      for (const one of this.panels) {
        const without = comesWords(payload, scenes, this.index, one.name);
        one.show(this.figure(scene, one), payload.texts[scene.panels[one.name]] || "", without);
      }
      this.element.dataset.scene = scene.key;
      this.held = null;
      this.nameChips();
      this.relight();
      this.plan();
      this.onscene(scene, this.index);
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
          const figure = this.figure(scene, panel);
          return figure !== null && panel.ahead(figure);
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
      for (const one of this.panels) one.mark({ record, pins });
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
        const said = [nodeWords(payload, scenes[index], record), decidedFormula(scenes, index, record)];
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
      if (this.index > 0) this.show(this.index - 1);
      else this.onedge(-1);
    }
    forward() {
      if (this.payload && this.index < this.scenes.length - 1) this.show(this.index + 1);
      else {
        this.pause();
        this.onedge(1);
      }
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
          this.show(this.index + 1);
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
      this.payload = next;
      this.scenes = wantedScenes(next.scenes, only);
      this.records = new Map([...next.roots, ...next.nodes].map((record) => [record.node, record]));
      Object.assign(this, { index: 0, held: null, pins: [] });
      this.frame(next, only);
      this.show(startIndex(this.scenes, at));
      const same = samePins(before, this.records);
      if (same.length) this.setPins(same);
      if (same.length < before.length) this.onpins(same.map((pin) => pin.node));
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
    /** The plotly element that a panel shows, or null. @param {string} name */
    gd(name) {
      return this.panels.find((one) => one.name === name)?.gd() ?? null;
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
      const chosen = payload && this.playerFor(panels);
      for (const one of this.rack.values()) one.spot.hidden = one !== chosen;
      if (!payload || !chosen || scene === null) return;
      chosen.player.load(payload, scene, { only: [scene] });
      if (light !== null) chosen.player.focus(light);
    }
  };
  function measure({ label, text, unit, help, share }) {
    const bar2 = el("span", { class: "sv-length", style: { width: `${100 * share}%` } });
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
        el("p", { class: "sv-wrote" }, tokens.map(token)),
        el("dl", {}, numbers.map(measure))
      );
    };
    return el("div", { class: "sv-lesson-lanes" }, views.map(lane));
  }
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

  // src/lesson/state.js
  var SHOWN = "shown";
  var totalSteps = (lesson) => lesson.steps.length + 1;
  function soundState(lesson, { step = 1, chosen: answer = null, rule = null }) {
    const number = Number(answer);
    const known3 = Number.isInteger(number) && number >= 1 && number <= lesson.question.choices.length;
    const chosen = answer === SHOWN ? SHOWN : known3 ? number : null;
    const at = Number.isInteger(step) ? Math.max(1, Math.min(step, totalSteps(lesson))) : 1;
    return { step: at, chosen: at > 1 ? chosen ?? SHOWN : chosen, rule };
  }
  function addressOf({ run, at }) {
    const cut = run.indexOf(":");
    const [kind, names] = [run.slice(0, cut), run.slice(cut + 1)];
    const query = new URLSearchParams({ view: at ? "microscope" : "race" });
    query.set(kind === "gallery" ? "recorded" : "shown", kind === "gallery" ? names : run);
    if (at) query.set("at", at);
    return `?${query}`;
  }

  // src/lesson/view.js
  var button2 = (words, onclick, main = false) => el("button", { type: "button", class: main ? "sv-do main" : "sv-do", onclick }, words);
  var START = { step: 1, chosen: null, rule: null };
  var LessonView = class {
    /** @param {HTMLElement} root @param {LessonOptions} [options] */
    constructor(root, { onmove = () => {
    }, onopen = null, onnext = null, meter = null } = {}) {
      this.onmove = onmove;
      this.onopen = onopen;
      this.onnext = onnext;
      this.meter = meter;
      this.data = null;
      this.now = START;
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
      const bar2 = el("div", { class: "sv-lesson-bar", "data-part": "lesson-bar" }, this.heading, this.progress);
      const parts = [bar2, this.said, this.runs, this.choices, this.stage, this.more, this.foot, this.paper];
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
      this.runs.replaceChildren(...look.lanes.length ? [lanes(look.lanes, revealed ? this.meter : null)] : []);
      this.rack.show(look.picture === null ? null : this.pictures(data)[look.picture], look);
      (asking ? this.choices : this.more).after(this.foot);
      this.choices.hidden = !asking;
      if (asking) this.choices.replaceChildren(...question.choices.map((choice, at) => this.choice(choice, at + 1)));
      this.more.replaceChildren(..."say" in scene ? this.stepParts(data, scene) : []);
      this.foot.replaceChildren(...this.footParts(scene, total));
      this.progress.replaceChildren(...Array.from({ length: total }, (_, at) => this.progressMark(at + 1, total)));
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
      const { chosen } = this.now;
      const mine = chosen === number;
      const told = chosen !== null && (mine || right);
      const attributes = {
        type: "button",
        class: "sv-choice",
        "aria-pressed": chosen === null ? null : String(mine),
        disabled: chosen !== null && !mine,
        onclick: () => this.choose(number)
      };
      const verdict = told ? el("em", {}, right ? "✓ right" : "✗ not so") : null;
      const key = el("kbd", { "aria-hidden": "true" }, number);
      const status = mine || right && chosen === SHOWN ? "status" : null;
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
      const words = where.at ? "Open this step in the Microscope" : "Open these runs on the Race page";
      return el("a", { class: "sv-open", href: addressOf(where), onclick }, words);
    }
    /** @param {LessonQuestion | LessonStep} scene @param {number} total */
    footParts({ look }, total) {
      const { step, chosen } = this.now;
      const parts = [];
      if (chosen === null) parts.push(button2("Show me", () => this.reveal(), true));
      if (step > 1) parts.push(button2("‹ Back", () => this.move(step - 1)));
      if (chosen === null) return parts;
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
      this.settle({ chosen: number });
      const mine = this.choices.querySelector('[aria-pressed="true"]');
      if (mine instanceof HTMLElement) mine.focus({ preventScroll: true });
    }
    reveal() {
      if (this.now.chosen !== null) return;
      this.settle({ chosen: SHOWN });
      this.focusHeading();
    }
    /** @param {number} to */
    move(to) {
      const { data, now } = this;
      if (!data || now.chosen === null || to < 1 || to > totalSteps(data.lesson) || to === now.step) return;
      this.settle({ step: to, rule: null });
      this.focusHeading();
      this.element.scrollIntoView({ block: "start", behavior: "instant" });
    }
    restart() {
      this.settle(START);
      this.focusHeading();
    }
    /**
     * Keys of a lesson: 1 to 4 choose, Enter reveals, arrows step, Home starts at the question.
     * @param {KeyboardEvent} event
     */
    keys(event) {
      const { key, target } = event;
      if (!this.data || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      if (closest(target, "input, select, textarea, dialog")) return;
      if (key === "Enter" && closest(target, "button, a, summary")) return;
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
    subscribe("dark", () => {
      const scene = player.scene();
      if (scene) player.load(payload(), scene.key);
    });
  }
  function showLesson(root, data) {
    const lesson = new LessonView(root);
    lesson.load(data);
    document.addEventListener("keydown", (event) => lesson.keys(event));
    let drawn = isDark();
    subscribe("dark", (dark) => {
      if (dark === drawn) return;
      drawn = dark;
      lesson.repaint(data);
    });
  }
  function open(root, whole2) {
    const { glossary, data } = whole2;
    document.body.classList.toggle("dark", window.matchMedia("(prefers-color-scheme: dark)").matches);
    publish("glossary", glossary);
    publish("dark", isDark());
    const stage = el("div", {});
    const note = el("p", { class: "sv-note" }, ABOUT, data.note ? ` ${data.note}` : "");
    const cover = el("header", { class: "sv-cover" }, el("h1", {}, data.title), themeButton());
    root.replaceChildren(cover, el("main", { class: "sv-page" }, stage, note));
    if (whole2.kind === "step") showStep(stage, whole2.data);
    else showLesson(stage, whole2.data);
  }
  subscribe("glossary", learn);
  installTooltip();
  return __toCommonJS(standalone_exports);
})();
