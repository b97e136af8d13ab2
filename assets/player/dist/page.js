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

  // src/page.js
  var page_exports = {};
  __export(page_exports, {
    go: () => go,
    latest: () => latest,
    link: () => link_exports,
    mount: () => mount,
    publish: () => publish,
    subscribe: () => subscribe
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

  // src/base/link.js
  var link_exports = {};
  __export(link_exports, {
    assign: () => assign2,
    forgetRace: () => forgetRace,
    formFromQuery: () => formFromQuery,
    formToFields: () => formToFields,
    get: () => get,
    read: () => read,
    returned: () => returned,
    set: () => set,
    shortcomings: () => shortcomings,
    visit: () => visit,
    writeAt: () => writeAt,
    writeForm: () => writeForm,
    writeRecorded: () => writeRecorded,
    writeShown: () => writeShown
  });

  // src/base/values.js
  var isNumber = (text) => text.trim() !== "" && Number.isFinite(Number(text));
  function parseValue(text) {
    if (text === "off") return null;
    if (text === "true" || text === "false") return text === "true";
    return isNumber(text) ? Number(text) : text;
  }
  var writeValue = (value) => value === null ? "off" : String(value);
  var short = (value) => typeof value === "number" ? String(Number(value.toPrecision(4))) : writeValue(value);
  var sameValue = (a, b) => a === b || typeof a === "number" && typeof b === "number" && Math.abs(a - b) < 1e-12;
  function laneToText(lane) {
    return [lane.method, ...Object.entries(lane.options).map(([name, value]) => `${name}=${writeValue(value)}`)].join(
      ";"
    );
  }
  function laneFromText(text) {
    const [method, ...pairs] = text.split(";");
    const options = {};
    for (const pair of pairs) {
      const cut = pair.indexOf("=");
      if (cut > 0) options[pair.slice(0, cut)] = parseValue(pair.slice(cut + 1));
    }
    return { method, options };
  }
  function changesToText({ coins, options }) {
    const flipped = Object.entries(coins).map(([decision, uniform]) => `decision-${decision}:${short(uniform)}`);
    const set2 = Object.entries(options).map(([name, value]) => `${name}:${short(value)}`);
    return [...flipped, ...set2].join(";") || null;
  }
  function changesFromText(text) {
    const changes = { coins: {}, options: {} };
    for (const entry2 of (text || "").slice(0, 500).split(";")) {
      const found = entry2.match(/^([\w-]+):(.*)$/);
      if (!found) continue;
      const [, name, written] = found;
      const decision = name.match(/^decision-(\d+)$/);
      if (decision) changes.coins[decision[1]] = parseValue(written);
      else changes.options[name] = parseValue(written);
    }
    return changes;
  }
  var countChanges = ({ coins, options }) => Object.keys(coins).length + Object.keys(options).length;
  var MOST_PINS = 2;
  var pinsFromText = (text) => (text || "").split(",").filter((one) => /^-?\d{1,5}$/.test(one)).map(Number).slice(0, MOST_PINS);
  function stepFromText(text) {
    const found = (text || "").match(/^(\d+)\.(\d+)(?:\.([\w-]+))?$/);
    return found && [Number(found[1]), Number(found[2]), found[3] || null];
  }
  function valuesUnder(query2, prefix) {
    const named = [...query2].filter(([name]) => name.startsWith(prefix));
    return Object.fromEntries(named.map(([name, text]) => [name.slice(prefix.length), parseValue(text)]));
  }

  // src/base/link.js
  var NUMBERS = ["max_new_tokens", "seed"];
  var LONGEST = 8e3;
  var RACE = /* @__PURE__ */ new Set(["prompt", "lane", "at", "recorded", "shown", ...NUMBERS]);
  var LESSON = ["lesson", "step", "answer", "rule"];
  function formToFields(form) {
    return [
      ["prompt", form.prompt],
      .../** @type {[string, string][]} */
      form.lanes.map((lane) => ["lane", laneToText(lane)]),
      .../** @type {[string, string][]} */
      Object.entries(form.shared).map(([name, value]) => [`o.${name}`, writeValue(value)]),
      .../** @type {[string, string][]} */
      NUMBERS.map((name) => [name, String(form[name])])
    ];
  }
  function formFromQuery(query2) {
    const prompt = query2.get("prompt");
    if (prompt === null) return null;
    const form = { prompt, lanes: query2.getAll("lane").map(laneFromText), shared: {} };
    for (const [key, value] of query2) {
      if (key.startsWith("o.")) form.shared[key.slice(2)] = parseValue(value);
      for (const name of NUMBERS) if (key === name) form[name] = parseValue(value);
    }
    return form;
  }
  function assign2(query2, changes) {
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === void 0) query2.delete(name);
      else query2.set(name, String(value));
    }
  }
  function forgetRace(query2) {
    for (const key of [...query2.keys()]) if (RACE.has(key) || key.startsWith("o.")) query2.delete(key);
  }
  var incomplete = "";
  var here = "";
  var query = () => new URL(window.location.href).searchParams;
  function replace(change, how = "replaceState") {
    const url = new URL(window.location.href);
    change(url.searchParams);
    if (url.href !== window.location.href && url.href.length < LONGEST) {
      window.history[how](window.history.state, "", url);
    }
    here = window.location.href;
  }
  function returned() {
    const old = query();
    const page = old.get("view");
    if (!page) return null;
    const url = new URL(here || window.location.href);
    const names = ["view", ...page === "lessons" ? LESSON : []];
    assign2(url.searchParams, Object.fromEntries(names.map((name) => [name, old.get(name)])));
    window.history.replaceState(window.history.state, "", url);
    here = url.href;
    return page;
  }
  var get = (name) => query().get(name);
  var set = (changes) => replace((old) => assign2(old, changes));
  var visit = (changes) => replace((old) => assign2(old, changes), "pushState");
  function read() {
    const now = query();
    return {
      page: now.get("view"),
      form: formFromQuery(now),
      recorded: now.get("recorded")?.split(",") ?? null,
      shown: now.get("shown"),
      at: stepFromText(now.get("at"))
    };
  }
  function writeRecorded(names) {
    incomplete = "";
    set({ recorded: names.join(",") });
  }
  var writeAt = (lane, iteration, scene) => set({ at: [lane, iteration, scene].join(".") });
  function writeForm(form) {
    incomplete = "";
    replace((old) => {
      forgetRace(old);
      const fields = formToFields(form);
      const address = `${window.location.origin}${window.location.pathname}?${new URLSearchParams(fields)}`;
      if (address.length > LONGEST - 500) {
        incomplete = "The prompt is too long for a link.";
        return;
      }
      for (const [name, value] of fields) old.append(name, value);
    });
  }
  function writeShown(run) {
    incomplete = "";
    replace((old) => {
      if (run && old.get("shown") === run) return;
      forgetRace(old);
      if (run) old.set("shown", run);
    });
  }
  function shortcomings() {
    if (incomplete) return { reason: incomplete, useless: true };
    const kept = query().has("shown");
    return {
      reason: kept ? "A link to opened or picked runs works only while this server keeps them." : "",
      useless: false
    };
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

  // src/base/navigation.js
  var rules = () => {
    const known3 = document.getElementById("sv-cover");
    if (known3) return known3;
    const made = el("style", { id: "sv-cover" });
    document.head.append(made);
    return made;
  };
  var wordsOf = (text) => (text || "").split(",").filter((word) => /^[a-z-]+$/.test(word));
  var pageNow = () => document.documentElement.dataset.page;
  var isPresented = () => get("present") === "1";
  function cover() {
    const hidden = wordsOf(get("hide")).map((part) => `.sv-island [data-part~="${part}"]`);
    const others = `.sv-host[id^="sv-"]:not(#sv-header, #sv-${pageNow()})`;
    rules().textContent = [others, ...hidden].map((one) => `${one} { display: none !important; }`).join("\n");
    document.documentElement.classList.toggle("sv-present", isPresented());
  }
  function go(page) {
    const first = !pageNow();
    document.documentElement.dataset.page = page;
    link_exports[first ? "set" : "visit"]({ view: page });
    cover();
    const heading = document.querySelector(`#sv-${page} h1`);
    if (heading && !document.activeElement?.checkVisibility()) {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
    publish("page", page);
    window.scrollTo(0, 0);
  }
  function present(on) {
    set({ present: on ? "1" : null });
    cover();
    publish("present", on);
  }
  function installHistory() {
    window.addEventListener("popstate", () => {
      const page = returned();
      if (page) go(page);
    });
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

  // src/base/server.js
  var NO_ANSWER = "The server did not answer. Try again.";
  var SILENCE = 5e3;
  async function ask(server, name, request, { silent = NO_ANSWER, empty = silent } = {}) {
    try {
      return JSON.parse(await server[name](request)) || { error: empty };
    } catch {
      return { error: silent };
    }
  }
  var Lifeline = class {
    /** @param {() => void} lost called once it is gone */
    constructor(lost) {
      this.lost = lost;
      this.timer = 0;
    }
    /** Ask once it has been silent, and again. */
    wait() {
      this.rest();
      const mine = setTimeout(() => {
        const answered = () => this.timer === mine && this.wait();
        const failed = () => {
          if (this.timer !== mine) return;
          this.rest();
          this.lost();
        };
        fetch("?", { method: "HEAD", cache: "no-store" }).then(answered, failed);
      }, SILENCE);
      this.timer = mine;
    }
    rest() {
      clearTimeout(this.timer);
      this.timer = 0;
    }
  };

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

  // src/race/settings.js
  var newRun = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  var isMadeHere = (run) => /^[0-9a-f]{32}$/.test(run);
  function startLanes(setup, form, recorded) {
    const { methods, limits } = setup;
    const chosen = recorded ? { lanes: recorded.map((method) => ({ method, options: {} })) } : setup.start;
    const start = form || chosen;
    const isKnown = (lane) => methods.some(({ name }) => name === lane.method);
    const known3 = start.lanes.filter(isKnown);
    const enough = known3.length >= (recorded ? 1 : limits.min_lanes);
    const lanes2 = enough ? known3.slice(0, limits.max_lanes) : setup.start.lanes;
    const unknown = start.lanes.filter((lane) => !isKnown(lane));
    return { lanes: lanes2, unknown, form: { ...setup.start, ...start } };
  }
  function optionsOf(race, form) {
    const { options = {} } = race.lanes.find((lane) => lane !== null) ?? {};
    const asked = { ...form, shared: { ...form.shared } };
    if (race.prompt !== null) asked.prompt = race.prompt;
    if (race.seed !== null) asked.seed = race.seed;
    for (const name of Object.keys(asked.shared)) if (name in options) asked.shared[name] = options[name];
    if (options.max_new_tokens) asked.max_new_tokens = options.max_new_tokens;
    return asked;
  }

  // src/player/layout.js
  var LETTER = 6.3;
  var LINE = 15;
  var NARROW = 480;
  var markup = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  var entryWords = ({ glyph, word }) => `${glyph} ${word}`.trim();
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
    for (const { shown: shown3, size } of legendParts(legend)) {
      const taken = LETTER * (size + 3);
      if (!lines.length || taken > room) {
        lines.push(shown3);
        room = width - 12 - taken;
      } else {
        lines[lines.length - 1] += `   ${shown3}`;
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
      const { width, scale: scale2 } = this;
      if (spare) return this.use(Object.assign(spare, { figure, width, scale: scale2 }));
      const plot = (
        /** @type {PlotElement} */
        /** @type {unknown} */
        el("div", { class: "sv-kept" })
      );
      this.stage.insertBefore(plot, this.marks);
      return this.use({ plot, figure, width, scale: scale2, height: 0 });
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
      const scale2 = figureScale();
      if (width <= 0 || width === this.width && scale2 === this.scale) return false;
      Object.assign(this, { width, scale: scale2 });
      this.stage.style.setProperty("--sv-scale", String(scale2));
      this.update();
      return true;
    }
    /** Light what the views have in common. @param {Common} common */
    mark(common) {
      this.common = common;
      this.drawMarks();
    }
  };

  // src/forest/picture.js
  var LINE2 = 16;
  function legendItems(legend) {
    if (!legend) return [];
    const swatch = (color) => el("i", { "aria-hidden": "true", style: { background: color } });
    const entries = legend.entries.map((entry2) => el("li", {}, swatch(entry2.color), entryWords(entry2)));
    return [...entries, ...legend.notes.map((note) => el("li", {}, note))];
  }
  var Picture = class {
    /** @param {string} name @param {string} title */
    constructor(name, title) {
      this.plot = el("div", { class: "sv-drawing" });
      this.box = el("div", { class: "sv-scroll", tabindex: 0, role: "group", "aria-label": title }, this.plot);
      this.legend = el("ul", { class: "sv-marks-key", "data-part": "legend" });
      this.words = el("p", {});
      const words = el("details", { class: "sv-words" }, el("summary", {}, "In words"), this.words);
      const attributes = { class: `sv-panel sv-forest-${name}` };
      this.element = el("figure", attributes, this.box, this.legend, words);
      this.shown = null;
      this.fresh = false;
      this.width = 0;
      new ResizeObserver(() => {
        if (this.box.clientWidth !== this.width) this.fit();
      }).observe(this.element);
    }
    /**
     * @param {DrawnFigure} figure
     * @param {string} text
     * @param {number} [least] pixels it needs, a narrower box scrolls
     * @param {number} [most] pixels it takes
     */
    show(figure, text, least = 0, most = Infinity) {
      this.fresh = this.shown?.figure.layout.height !== figure.layout.height;
      this.shown = { figure, least, most };
      this.words.textContent = text;
      this.fit();
    }
    /** Draw what is shown for the space there is. */
    fit() {
      const { shown: shown3, box: box2, plot } = this;
      const scale2 = figureScale();
      const room = Math.floor(box2.clientWidth / scale2);
      if (!shown3 || !room) return;
      this.width = box2.clientWidth;
      const { figure, least, most } = shown3;
      const layout = (
        /** @type {PlotLayout} */
        structuredClone(figure.layout)
      );
      const below = LINE2 * (figure.legend?.lines ?? 0);
      layout.margin.b -= below;
      layout.height -= below;
      layout.width = Math.max(Math.min(room, most), least);
      layout.font.family = getComputedStyle(this.element).fontFamily;
      plot.style.zoom = String(scale2);
      plot.style.height = `${layout.height}px`;
      plot.style.width = `${layout.width}px`;
      this.legend.replaceChildren(...legendItems(figure.legend));
      Plotly.react(plot, structuredClone(figure.data), layout, CONFIG);
      const over = box2.scrollHeight - box2.clientHeight;
      if (this.fresh && over > 0) box2.scrollTop = over / 2;
      this.fresh = false;
    }
  };

  // src/forest/beside.js
  var FREE = "The draft draws its guesses at random, too. Over everything that it could have drawn, a lossless rule gives exactly the target’s distribution.";
  var FROZEN = "With the guesses fixed, even a lossless rule favours them. That is no error: other draws of the draft favour other tokens, and averaged over all of them the result is the target’s distribution.";
  var Beside = class {
    /** @param {(guesses: string) => void} onguesses */
    constructor(onguesses) {
      this.pair = null;
      this.titles = [];
      this.counts = new Picture("counts", "How many guesses each rule keeps");
      this.first = new Picture("first", "The distribution of the first token");
      this.notes = el("div", { class: "sv-forest-notes" });
      const button3 = (name, title) => el("button", { type: "button", "data-guesses": name, onclick: () => onguesses(name) }, title);
      this.all = button3("", "Over all guesses");
      this.these = button3("frozen", "With these guesses only");
      const choice = { class: "sv-forest-choice", role: "group", "aria-label": "Over which guesses" };
      this.title = el("h2", {});
      this.element = el(
        "section",
        { class: "sv-forest-pair", "data-part": "compare", hidden: true },
        this.title,
        el("div", {}, el("h3", {}, "How many guesses are kept, over all coins"), this.counts.element),
        el(
          "div",
          {},
          el("h3", {}, "Which token comes first, over all coins"),
          el("div", choice, this.all, this.these),
          this.first.element,
          this.notes
        )
      );
    }
    /** @param {ComparedVerdicts | null} pair @param {string[]} titles @param {string} guesses */
    show(pair, titles, guesses) {
      this.pair = pair;
      this.titles = titles;
      this.element.hidden = !pair;
      if (!pair) return;
      this.title.textContent = titles.join(" beside ");
      this.counts.show(pair.counts.figure, pair.counts.text);
      this.showFirst(guesses);
    }
    /** The distribution of the first token. @param {string} guesses 'frozen': with these guesses only */
    showFirst(guesses) {
      if (!this.pair) return;
      const { free, frozen, notes } = this.pair;
      const shown3 = guesses === "frozen" || !free ? frozen : free;
      this.all.setAttribute("aria-pressed", String(shown3 !== frozen));
      this.these.setAttribute("aria-pressed", String(shown3 === frozen));
      this.all.disabled = !free;
      this.first.show(shown3.figure, shown3.text);
      const told2 = shown3 === frozen ? frozen.distances.map((words, at) => `${this.titles[at]} follows ${words}.`) : notes;
      const caption = el("p", { class: "sv-caption" }, shown3 === frozen ? FROZEN : FREE);
      this.notes.replaceChildren(...told2.map((text) => el("p", {}, explained(text))), caption);
    }
    fit() {
      this.counts.fit();
      this.first.fit();
    }
  };

  // src/forest/link.js
  var LONGEST2 = 6e3;
  function sourceFrom(query2) {
    const drafter = query2.get("drafter");
    if (drafter !== null) {
      const seed = parseValue(query2.get("dice") || "0");
      return { form: { prompt: query2.get("prompt") || "", drafter, options: valuesUnder(query2, "o."), seed } };
    }
    const [lane, step] = ["lane", "step"].map((name) => wholeNumber(query2, name));
    return { run: query2.get("run") || "", lane, step, warp: valuesUnder(query2, "w.") };
  }
  var wholeNumber = (query2, name) => Math.max(0, Math.floor(Number(query2.get(name)) || 0));
  function stateFromText(text) {
    const query2 = new URLSearchParams(text.slice(0, LONGEST2));
    const options = {};
    for (const [name, value] of Object.entries(valuesUnder(query2, "v."))) {
      const [verifier, option] = name.split(".");
      options[verifier] = { ...options[verifier], [option]: value };
    }
    return {
      source: sourceFrom(query2),
      seed: wholeNumber(query2, "seed"),
      options,
      a: query2.get("a"),
      b: query2.get("b"),
      guesses: query2.get("guesses") || query2.get("law")
    };
  }
  function sourceFields(source) {
    const under = (prefix, values) => Object.entries(values).map(
      ([name, value]) => (
        /** @type {[string, string]} */
        [prefix + name, writeValue(value)]
      )
    );
    if ("form" in source) {
      const { prompt, drafter, options, seed } = source.form;
      return [["prompt", prompt], ["drafter", drafter], ...under("o.", options), ["dice", String(seed)]];
    }
    const { run, lane, step, warp } = source;
    return [["run", run], ["lane", String(lane)], ["step", String(step)], ...under("w.", warp)];
  }
  function stateToText({ source, seed, options, a, b, guesses }) {
    const query2 = new URLSearchParams([...sourceFields(source), ["seed", String(seed)], ["a", a], ["b", b]]);
    if (guesses) query2.set("guesses", guesses);
    for (const [verifier, values] of Object.entries(options)) {
      for (const [name, value] of Object.entries(values)) query2.set(`v.${verifier}.${name}`, writeValue(value));
    }
    return query2.toString();
  }
  function readForest() {
    const text = get("forest");
    return text ? stateFromText(text) : null;
  }
  function writeForest(state) {
    const { source } = state;
    const here2 = "run" in source && isMadeHere(source.run) && latest("race")?.run === source.run;
    set({ forest: stateToText(here2 ? { ...state, source: { ...source, run: "here" } } : state) });
  }

  // src/parts/field.js
  var typed = (value) => value === null || value === void 0 ? "" : String(value);
  function valueOf(option, text) {
    if (option.kind === "choice") return option.choices.find((choice) => typed(choice) === text) ?? (text || null);
    if (option.kind === "integers") return text;
    if (text === "") return option.optional ? null : "";
    return Number.isFinite(Number(text)) ? Number(text) : text;
  }
  function choiceField(option, common) {
    const choices = option.optional ? [null, ...option.choices] : option.choices;
    const item = (choice) => el("option", { value: typed(choice), selected: choice === option.default }, choice ?? "off");
    return el("select", common, choices.map(item));
  }
  function textField(option, common) {
    const words = option.choices.filter((choice) => typeof choice === "string");
    const items = words.map((word) => el("option", { value: word }));
    const list = words.length ? el("datalist", { id: `${common.id}-list` }, items) : null;
    const several = option.kind === "integers";
    const input = el("input", {
      ...common,
      type: words.length || several ? "text" : "number",
      inputmode: several ? "text" : "decimal",
      "data-list": several,
      value: typed(option.default),
      min: option.low,
      max: option.high,
      step: option.kind === "integer" ? 1 : "any",
      placeholder: option.optional ? "off" : null,
      list: list ? list.id : null,
      autocomplete: "off"
    });
    return { input, list };
  }
  var OptionField = class _OptionField {
    /** @param {OptionSetup} option @param {string} where the form's name, for ids */
    constructor(option, where) {
      const id = `sv-${where}-${option.name}`;
      const empty = option.optional && option.kind !== "choice" ? "Leave empty to switch it off." : "";
      const help = [option.help, empty].join(" ").trim();
      const { input, list } = _OptionField.control(option, { id, "aria-describedby": `${id}-help` });
      this.option = option;
      this.name = option.name;
      this.usedBy = option.used_by;
      this.input = input;
      const label = el("label", { for: id }, option.label || option.name);
      const about = el("span", { id: `${id}-help`, hidden: true }, help);
      const attributes = { class: "sv-field", "data-tip": help || null, "data-field": `${where}-${option.name}` };
      this.element = el("div", attributes, label, input, list, about);
    }
    /**
     * @param {OptionSetup} option
     * @param {Record<string, string>} common
     * @returns {{input: HTMLInputElement | HTMLSelectElement, list?: HTMLElement | null}}
     */
    static control(option, common) {
      if (option.kind === "flag") {
        return { input: el("input", { ...common, type: "checkbox", checked: Boolean(option.default) }) };
      }
      return option.kind === "choice" ? { input: choiceField(option, common) } : textField(option, common);
    }
    /** @returns {any} */
    read() {
      const { input } = this;
      if (input instanceof HTMLInputElement && this.option.kind === "flag") return input.checked;
      return valueOf(this.option, input.value.trim());
    }
    /** @param {any} value */
    write(value) {
      const { input } = this;
      if (input instanceof HTMLInputElement && this.option.kind === "flag") input.checked = Boolean(value);
      else input.value = typed(value);
    }
  };
  var readAll = (fields) => Object.fromEntries(fields.map((field) => [field.name, field.read()]));

  // src/parts/meter-reading.js
  var sameData = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  var placeOf = (distance) => Math.sqrt(Math.min(1, Math.max(0, distance)));
  function changedOptions(entry2, options = {}) {
    const { defaults } = entry2;
    return Object.keys(options).filter((name) => name in defaults && String(options[name]) !== String(defaults[name]));
  }
  function aboutOthers(names) {
    if (!names.length) return "";
    const differ = names.length > 1 ? "differ" : "differs";
    return `The numbers below are for the default options; here ${names.join(", ")} ${differ}.`;
  }
  function guaranteeLine(entry2, known3) {
    if (!known3) return "What it guarantees with these options is said once it has run.";
    return known3.kind === entry2.guarantee.kind ? entry2.guarantee.help : known3.help;
  }
  var NOT_MEASURED = "Not measured on this pair of models: the numbers of runs are those of the embedded pair only.";
  function reading(name, { options, guarantee: guarantee2 }, guarantees, pair) {
    const entry2 = Object.hasOwn(guarantees, name) ? guarantees[name] : void 0;
    if (!entry2) return guarantee2 ? { word: guarantee2.name, exact: guarantee2.exact, lines: [guarantee2.help] } : null;
    const other = changedOptions(entry2, options);
    const known3 = guarantee2 || (other.length ? null : entry2.guarantee);
    const kept = Boolean(known3 && known3.kind === entry2.guarantee.kind && (known3.exact || !other.length));
    const measured = !pair || sameData(pair, entry2.pair);
    const { says } = entry2;
    const lines = [guaranteeLine(entry2, known3), aboutOthers(other), says.exact];
    lines.push(measured ? says.measured : NOT_MEASURED, says.distance, measured ? says.made : "");
    return {
      entry: entry2,
      title: entry2.title,
      stale: !kept,
      measured,
      word: kept ? entry2.word : known3 ? known3.name : "other options",
      number: kept ? entry2.number : "",
      exact: known3 ? known3.exact : null,
      lines: lines.filter(Boolean)
    };
  }

  // src/parts/meter.js
  var TICKS = [0, 0.01, 0.1, 0.25, 0.5, 1];
  function measuredMark({ value, low, high }, x, y, r) {
    const whisker = high > low ? svg("line", { class: "whisker", x1: x(low), x2: x(high), y1: y, y2: y }) : null;
    return [whisker, svg("circle", { class: "measured", cx: x(value), cy: y, r })];
  }
  function scale(entry2, { wide, measured, stale }) {
    const [width, height, edge] = wide ? [300, 46, 12] : [64, 16, 5];
    const x = (distance) => edge + placeOf(distance) * (width - 2 * edge);
    const [top, middle, low] = wide ? [9, 16, 23] : [4.5, 8, 11.5];
    const mark2 = wide ? 6 : 4;
    const ticks = TICKS.map((tick) => [
      svg("line", { class: "scale", x1: x(tick), x2: x(tick), y1: middle - 2, y2: middle + 2 }),
      wide ? svg("text", { x: x(tick), y: 43 }, String(tick).replace(/^0\./, ".")) : null
    ]);
    const exact = `M${x(entry2.exact)} ${middle} l${-mark2} ${top - middle - mark2 / 2} h${2 * mark2} z`;
    return svg(
      "svg",
      {
        class: `sv-meter-scale${stale ? " stale" : ""}`,
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        "aria-hidden": "true"
      },
      svg("line", { class: "scale", x1: edge, x2: width - edge, y1: middle, y2: middle }),
      ticks,
      measured ? measuredMark(entry2.measured, x, low, mark2 - 1) : null,
      svg("path", { class: "exact", d: exact })
    );
  }
  var keyEntry = (shapes, text) => el("span", {}, svg("svg", { class: "sv-meter-scale", viewBox: "0 0 14 14", width: 14, height: 14 }, shapes), text);
  function keys(read2) {
    const exact = svg("path", { class: "exact", d: "M7 12 l-5 -8 h10 z" });
    const whisker = svg("line", { class: "whisker", x1: 0, x2: 14, y1: 7, y2: 7 });
    const measured = svg("circle", { class: "measured", cx: 7, cy: 7, r: 4 });
    return el(
      "p",
      { class: "sv-meter-keys" },
      keyEntry([exact], "exact, on tiny models"),
      read2.measured && keyEntry([whisker, measured], "measured on this pair of models")
    );
  }
  var Popover = class {
    constructor() {
      this.element = el("div", { id: "sv-meter-more", class: "sv-meter-more", role: "tooltip", hidden: true });
      this.owner = null;
      this.closing = 0;
      this.element.addEventListener("pointerenter", () => clearTimeout(this.closing));
      this.element.addEventListener("pointerleave", () => this.closeSoon());
      this.element.addEventListener("focusin", () => clearTimeout(this.closing));
      this.element.addEventListener("focusout", () => this.closeSoon());
      document.addEventListener("keydown", (event) => {
        if (event.key === "Escape") this.close();
      });
      const outside = (event) => {
        const target = (
          /** @type {Node} */
          event.target
        );
        return this.owner && !this.element.contains(target) ? { owner: this.owner, target } : null;
      };
      document.addEventListener("pointerdown", (event) => {
        const found = outside(event);
        if (found && !found.owner.contains(found.target)) this.close();
      });
      document.addEventListener("scroll", (event) => outside(event) && this.place(), true);
      window.addEventListener("resize", () => this.place());
    }
    /** @param {HTMLElement} button @param {Reading} read */
    open(button3, read2) {
      clearTimeout(this.closing);
      if (this.owner === button3) return;
      this.close();
      this.owner = button3;
      const { element } = this;
      if (!element.isConnected) document.body.append(element);
      const said = [read2.word, read2.number].filter(Boolean).join(" ");
      element.replaceChildren(
        el("p", { class: "sv-meter-title" }, [read2.title, said].filter(Boolean).join(": ")),
        ...read2.entry ? [scale(read2.entry, { ...read2, wide: true }), keys(read2)] : [],
        ...read2.lines.map((line) => el("p", {}, line))
      );
      element.dataset.exact = String(read2.exact);
      element.hidden = false;
      button3.setAttribute("aria-expanded", "true");
      button3.setAttribute("aria-describedby", element.id);
      this.place();
    }
    /** Beside its owner, or away with it. */
    place() {
      if (!this.owner) return;
      const { element } = this;
      const box2 = this.owner.getBoundingClientRect();
      if (box2.bottom < 0 || box2.top > window.innerHeight) {
        this.close();
        return;
      }
      const below = box2.bottom + 6;
      const above = box2.top - element.offsetHeight - 6;
      const fits2 = below + element.offsetHeight < window.innerHeight - 8;
      element.style.left = `${Math.min(Math.max(8, box2.left), window.innerWidth - element.offsetWidth - 8)}px`;
      element.style.top = `${fits2 ? below : Math.max(8, above)}px`;
      element.tabIndex = element.scrollHeight > element.clientHeight ? 0 : -1;
    }
    close() {
      clearTimeout(this.closing);
      this.owner?.setAttribute("aria-expanded", "false");
      this.owner?.removeAttribute("aria-describedby");
      this.owner = null;
      this.element.hidden = true;
    }
    closeSoon() {
      clearTimeout(this.closing);
      this.closing = setTimeout(() => this.close(), 200);
    }
  };
  var shared2 = null;
  var popover = () => shared2 ??= new Popover();
  var Meter = class {
    /** @param {string} name @param {Given} given */
    constructor(name, given) {
      this.name = name;
      this.given = given;
      this.read = null;
      this.pressed = false;
      this.button = el("button", { type: "button", class: "sv-meter", "aria-expanded": "false" });
      this.listen();
      this.fill();
    }
    listen() {
      const { button: button3 } = this;
      const more = popover();
      button3.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && this.open());
      button3.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && more.closeSoon());
      button3.addEventListener("pointerdown", () => {
        this.pressed = true;
      });
      button3.addEventListener("focus", () => {
        if (!this.pressed) this.open();
      });
      button3.addEventListener("blur", () => more.closeSoon());
      button3.addEventListener("keydown", (event) => {
        const down = { ArrowDown: 60, ArrowUp: -60 }[event.key];
        if (down && more.owner === button3) {
          event.preventDefault();
          more.element.scrollBy(0, down);
        }
      });
      button3.addEventListener("click", (event) => {
        const touched = (
          /** @type {PointerEvent} */
          event.pointerType !== "mouse"
        );
        if (more.owner === button3 && touched) more.close();
        else this.open();
        this.pressed = false;
      });
    }
    open() {
      if (this.read) popover().open(this.button, this.read);
    }
    fill() {
      const { button: button3 } = this;
      const read2 = reading(this.name, this.given, latest("guarantees") || {}, latest("models")?.pair);
      if (sameData(read2, this.read)) return;
      this.read = read2;
      button3.hidden = !read2;
      if (!read2) return;
      const said = [read2.word, read2.number].filter(Boolean).join(" ");
      const whose = read2.title ? `, the guarantee of ${read2.title}` : "";
      const how = read2.entry && !read2.stale ? `. ${read2.entry.says.short}` : "";
      button3.dataset.exact = String(read2.exact);
      button3.setAttribute("aria-label", `${said}${whose}${how}`);
      button3.replaceChildren(
        read2.entry ? scale(read2.entry, read2) : "",
        el("span", { class: "sv-guarantee" }, read2.word),
        read2.number ? el("span", {}, read2.number) : ""
      );
      if (popover().owner === button3) popover().close();
    }
  };
  var buttons = /* @__PURE__ */ new Set();
  var meters = /* @__PURE__ */ new WeakMap();
  function refill() {
    for (const known3 of buttons) {
      const button3 = known3.deref();
      if (button3) meters.get(button3)?.fill();
      else buttons.delete(known3);
    }
  }
  function meter(name, given = {}) {
    const made = new Meter(name, given);
    queueMicrotask(() => {
      const more = popover();
      if (more.owner && !more.owner.isConnected) more.close();
    });
    meters.set(made.button, made);
    buttons.add(new WeakRef(made.button));
    return made.button;
  }
  subscribe("guarantees", refill);
  subscribe("models", refill);

  // src/race/lane-settings.js
  var matters = (usedBy, chosen) => usedBy.length === 0 || usedBy.some((choice) => chosen.includes(choice));
  var LaneSettings = class {
    /**
     * @param {RaceSetup} setup
     * @param {number} number the lane's, from 1
     * @param {Lane} chosen
     * @param {{onremove: () => void, onchange: () => void}} on
     */
    constructor(setup, number, chosen, { onremove, onchange }) {
      this.setup = setup;
      this.number = number;
      this.fields = [];
      this.result = null;
      this.told = "";
      this.caption = el("p", { class: "sv-caption" });
      this.options = el("div", { class: "sv-options", onchange: () => this.changed() });
      this.meter = el("span", { class: "sv-lane-meter" });
      this.more = el("details", { class: "sv-more" }, el("summary", {}, "Options"), this.options);
      this.picker = this.methodPicker(onchange);
      const label = `Remove lane ${number}`;
      const attributes = { type: "button", class: "sv-quiet sv-remove", "aria-label": label, onclick: onremove };
      this.remove = el("button", attributes, "×");
      this.element = el(
        "div",
        { class: "sv-settings", "data-field": `lane-${number}-method` },
        el(
          "div",
          { class: "sv-pick" },
          el("span", { class: "sv-number", "aria-hidden": "true" }, number),
          this.picker,
          this.remove
        ),
        this.caption,
        el("div", { class: "sv-badges" }, this.meter, this.more)
      );
      this.picker.value = chosen.method;
      this.build(chosen.options || {});
    }
    /** @param {() => void} onchange */
    methodPicker(onchange) {
      const title = (name) => this.setup.methods.find((method) => method.name === name)?.title;
      const option = (name) => el("option", { value: name }, title(name));
      const change = () => {
        this.build({});
        onchange();
      };
      const families = this.setup.families.map(
        (family2) => el("optgroup", { label: family2.title }, family2.methods.map(option))
      );
      return el("select", { "aria-label": `Lane ${this.number}: method`, onchange: change }, families);
    }
    /** Fields for the method that is picked. @param {Record<string, any>} values */
    build(values) {
      const { methods } = this.setup;
      const method = methods.find(({ name }) => name === this.picker.value) || methods[0];
      this.picker.value = method.name;
      this.caption.textContent = method.summary;
      this.fields = method.options.map((option) => new OptionField(option, `lane-${this.number}`));
      for (const field of this.fields) if (field.name in values) field.write(values[field.name]);
      this.options.replaceChildren(...this.fields.map((field) => field.element));
      this.hideIrrelevant();
      this.showGuarantee(null);
      this.more.hidden = this.fields.length === 0;
    }
    changed() {
      this.hideIrrelevant();
      this.showGuarantee(this.result);
    }
    /** Hide the fields that matter for other choices only. */
    hideIrrelevant() {
      const chosen = this.fields.map((field) => field.read());
      for (const { element, usedBy } of this.fields) element.hidden = !matters(usedBy, chosen);
    }
    chosenOptions() {
      return readAll(this.fields.filter((field) => !field.element.hidden));
    }
    /**
     * The guarantee meter: of the result, or of the method as it is set while there is none.
     * @param {LaneView | null} view
     */
    showGuarantee(view) {
      this.result = view;
      const about = view ? { options: view.options, guarantee: view.guarantee } : { options: this.chosenOptions() };
      const key = JSON.stringify([this.picker.value, about]);
      if (this.told !== key) this.meter.replaceChildren(meter(this.picker.value, about));
      this.told = key;
    }
    /** @param {boolean} on */
    removable(on) {
      this.remove.hidden = !on;
    }
    get method() {
      return this.picker.value;
    }
    /** @returns {Lane} */
    read() {
      return { method: this.picker.value, options: this.chosenOptions() };
    }
  };

  // src/forest/source.js
  var ForestSteps = class {
    /** @param {ForestSetup} setup @param {(source: Recorded) => void} onchoose */
    constructor(setup, onchoose) {
      this.setup = setup;
      this.now = null;
      this.other = el("option", { value: "", hidden: true, disabled: true });
      const methods = setup.recorded.map(({ run, title }) => el("option", { value: run }, title));
      const chooseMethod = () => {
        const one = setup.recorded.find(({ run }) => run === this.method.value);
        if (one) onchoose({ run: one.run, lane: 0, step: one.steps[0], warp: {} });
      };
      const chooseStep = () => {
        if (this.now) onchoose({ ...this.now, step: Number(this.step.value), warp: {} });
      };
      this.method = el("select", { id: "sv-forest-method", onchange: chooseMethod }, this.other, methods);
      this.step = el("select", { "aria-label": "Recorded step", onchange: chooseStep });
      const label = el("label", { for: "sv-forest-method" }, "Forest of");
      this.element = el("span", { class: "sv-field sv-pick" }, label, this.method, this.step);
    }
    /** @param {Recorded | null} source null: drafted @param {string} title @param {number[]} steps */
    show(source, title, steps) {
      this.now = source;
      const listed = this.setup.recorded.some(({ run }) => run === source?.run);
      this.other.textContent = title;
      this.method.value = listed && source ? source.run : "";
      this.step.hidden = !steps.length;
      const item = (at) => el("option", { value: at, selected: at === source?.step }, `step ${at + 1}`);
      this.step.replaceChildren(...steps.map(item));
    }
  };
  var ForestForm = class {
    /** @param {ForestSetup} setup @param {(form: Draft) => void} onsend */
    constructor(setup, onsend) {
      this.setup = setup;
      this.onsend = onsend;
      const text = { id: "sv-forest-prompt", rows: 2, dir: "auto", spellcheck: "false" };
      this.prompt = el("textarea", { ...text, "aria-describedby": "sv-forest-wrong" });
      const drafters = setup.drafters.map(({ name, about }) => el("option", { value: name }, `${name}: ${about}`));
      const onchange = () => this.hideIrrelevant();
      this.drafter = el("select", { id: "sv-forest-drafter", onchange }, drafters);
      this.fields = setup.options.map((option) => new OptionField(option, "forest"));
      this.seed = new OptionField(setup.seed, "forest");
      this.send = el("button", { type: "submit", class: "sv-run" }, "Draft it");
      this.status = el("p", { class: "sv-caption", role: "status" });
      this.wrong = el("p", { id: "sv-forest-wrong", class: "sv-alert", role: "alert" });
      this.element = this.build();
      this.prompt.value = setup.examples[0].prompt;
      this.drafter.value = "tree";
      this.hideIrrelevant();
    }
    build() {
      const onsubmit = (event) => {
        event.preventDefault();
        this.accept();
        this.onsend(this.read());
      };
      const take = (text) => {
        this.prompt.value = text;
        this.prompt.focus();
      };
      const examples = this.setup.examples.map(
        ({ label, prompt: prompt2 }) => el("button", { type: "button", class: "sv-chip", onclick: () => take(prompt2) }, label)
      );
      const about = { for: "sv-forest-prompt", class: "sv-caption" };
      const prompt = el("label", about, "Text that the guesses continue");
      const drafter = el("label", { for: "sv-forest-drafter" }, "Drafter");
      const fields = [...this.fields, this.seed].map((field) => field.element);
      return el(
        "form",
        { class: "sv-form sv-forest-form", "data-part": "draft", hidden: true, onsubmit },
        el("div", { class: "sv-prompt", "data-field": "prompt" }, prompt, this.prompt),
        el("div", { class: "sv-actions" }, this.send),
        el(
          "div",
          { class: "sv-settle" },
          el("div", { class: "sv-examples", role: "group", "aria-label": "Example texts" }, examples),
          el(
            "div",
            { class: "sv-shared" },
            el("span", { class: "sv-field", "data-field": "forest-drafter" }, drafter, this.drafter),
            fields
          )
        ),
        el("div", { class: "sv-settle" }, this.status),
        this.wrong
      );
    }
    hideIrrelevant() {
      for (const field of this.fields) field.element.hidden = !matters(field.usedBy, [this.drafter.value]);
    }
    /** @returns {Draft} */
    read() {
      const shown3 = this.fields.filter((field) => !field.element.hidden);
      const { prompt, drafter, seed } = this;
      return { prompt: prompt.value, drafter: drafter.value, options: readAll(shown3), seed: seed.read() };
    }
    /** @param {Draft} form */
    write(form) {
      this.prompt.value = form.prompt;
      if (this.setup.drafters.some(({ name }) => name === form.drafter)) this.drafter.value = form.drafter;
      this.hideIrrelevant();
      this.seed.write(form.seed);
      for (const field of this.fields) if (field.name in form.options) field.write(form.options[field.name]);
    }
    accept() {
      this.wrong.textContent = "";
      for (const one of this.element.querySelectorAll("[aria-invalid]")) one.removeAttribute("aria-invalid");
    }
    /** @param {{field: string, message: string}} refusal */
    refuse({ field, message }) {
      this.status.textContent = "";
      this.wrong.textContent = message;
      const selector = `[data-field="${CSS.escape(field)}"] :is(input, select, textarea)`;
      const at = this.element.querySelector(selector);
      if (!(at instanceof HTMLElement)) return;
      at.setAttribute("aria-invalid", "true");
      at.focus();
    }
    /** @param {string} text '' once it is done */
    busy(text) {
      this.status.textContent = text;
      this.send.disabled = Boolean(text);
    }
  };

  // src/forest/stage.js
  var WARPS = { temperature: "Temperature", top_k: "Top-k", top_p: "Top-p" };
  var ForestFacts = class {
    /** @param {(name: string, value: number | null) => void} onwarp */
    constructor(onwarp) {
      this.onwarp = onwarp;
      this.about = el("p", { class: "sv-forest-about" });
      this.context = el("span", { class: "sv-forest-before", dir: "auto" });
      this.warp = el("div", { class: "sv-forest-warp", "data-part": "warp" });
      this.element = el("div", { class: "sv-forest-facts" }, this.about, this.warp);
    }
    /** @param {OpenedForest} forest */
    show({ before, drawn, warp }) {
      const last = before.length - 1;
      const pieces = before.map(
        (piece, at) => el("span", { class: at === last ? "last" : "" }, piece.replaceAll("\n", "↵"))
      );
      this.context.replaceChildren("… ", ...pieces);
      const words = el("b", {}, `${drawn[0].toUpperCase()}${drawn.slice(1)}`);
      this.about.replaceChildren(words, ", after ", this.context);
      this.showWarp(warp);
    }
    /** @param {OpenedForest['warp']} warp */
    showWarp({ options, reason }) {
      const { activeElement } = document;
      const focused = this.warp.contains(activeElement) ? activeElement?.id : null;
      const lead = options.length ? [el("span", {}, "The same guesses at:")] : [];
      const fields = options.map((option) => this.warpField(option));
      this.warp.replaceChildren(...lead, ...fields, reason ? el("span", {}, reason) : "");
      if (focused) document.getElementById(focused)?.focus();
    }
    /** @param {OpenedForest['warp']['options'][number]} option */
    warpField({ name, value, low, high, help }) {
      const id = `sv-forest-at-${name}`;
      const onchange = () => {
        this.onwarp(name, input.value === "" ? null : Number(input.value));
      };
      const bounds = { min: low, max: high, step: name === "top_k" ? 1 : 0.05, placeholder: "off" };
      const input = el("input", { id, type: "number", ...bounds, value: value ?? "", onchange });
      const label = el("label", { for: id }, WARPS[name]);
      return el("span", { class: "sv-field", "data-tip": help || null }, label, input);
    }
  };
  var ForestStage = class {
    /** @param {(name: string) => void} onrule */
    constructor(onrule) {
      this.onrule = onrule;
      this.heading = el("h2", { class: "sv-hidden" });
      const rules2 = { role: "group", "aria-label": "Rule shown", "data-part": "rules" };
      this.rules = el("div", { class: "sv-forest-choice", ...rules2 });
      this.rule = el("p", { class: "sv-forest-rule" });
      this.said = el("p", { class: "sv-forest-said", role: "status" });
      this.tree = new Picture("tree", "The frozen forest");
      const parts = [this.heading, this.rules, this.rule, this.said, this.tree.element];
      this.element = el("section", { class: "sv-forest-stage", "aria-label": "The forest" }, parts);
    }
    /** The rules that can judge this forest. @param {ForestRow[]} rows */
    build(rows) {
      const button3 = ({ name, title }) => el("button", { type: "button", "data-rule": name, onclick: () => this.onrule(name) }, title);
      this.rules.replaceChildren(...rows.map(button3));
    }
    /** @param {ForestRow} row @param {VerdictAnswer | Failure} answer @param {OpenedForest['width']} width */
    show(row, answer, { least, most }) {
      this.heading.textContent = `The forest, judged by: ${row.title}`;
      for (const button3 of this.rules.querySelectorAll("button")) {
        button3.setAttribute("aria-pressed", String(button3.dataset.rule === row.name));
      }
      this.rule.replaceChildren(...explained(row.rule));
      const failed = "error" in answer;
      this.said.textContent = failed ? answer.error : answer.words;
      this.tree.element.hidden = failed;
      if (!failed) this.tree.show(answer.figure, answer.text, least, most);
    }
  };

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
    return visible(piece).filter(([run]) => breaks || run !== "\n").map(([run, mark2]) => mark2 ? el("i", { class: mark2 }, run) : run);
  }

  // src/forest/words.js
  var twoDigits = (value) => value === 0 ? "0" : value.toFixed(2);
  var percent = (value) => value > 1e-7 && value < 5e-3 ? "<1%" : `${Math.round(100 * value)}%`;
  function distanceWords(distance) {
    if (distance === null) return "not known";
    return distance < 1e-6 ? "= target" : `${twoDigits(distance)} away`;
  }
  var lengthsWords = (lengths) => lengths.map((probability, at) => probability > 1e-7 ? `${at}: ${percent(probability)}` : "").filter(Boolean).join(", ");
  function best(judged) {
    const most = Math.max(...judged.map(({ answer }) => answer.accepted));
    return judged.filter(({ answer }) => answer.accepted > most - 1e-9);
  }
  var told = (judged) => `${judged.map(({ title }) => title).join(" and ")} (${judged[0].answer.accepted.toFixed(2)} on average)`;
  function summaryWords(judged) {
    if (!judged.length) return "";
    const most = best(judged);
    const lossless = judged.filter(({ answer }) => answer.guarantee.kind === "target");
    const lead = `Keeps the most of these guesses: ${told(most)}. `;
    if (!lossless.length) return `${lead}No rule here keeps the target’s distribution for guesses drawn like these.`;
    const [first] = best(lossless);
    if (most.length === 1 && first === most[0]) return `${lead}And it is lossless.`;
    return `${lead}Of the lossless ones: ${told([first])}.`;
  }

  // src/forest/table.js
  var COLUMNS = [
    ["Show", "Show this rule in the forest.", "58px"],
    ["Compare", "Set this rule beside the one that is shown.", "76px"],
    ["Rule", "What decides which guesses are kept.", "auto"],
    [
      "With these coins",
      "The tokens that come out with the coins of this draw: kept guesses, then one more token.",
      "27%"
    ],
    ["Guesses kept", "How many guesses are kept on average, over all coins: exact, nothing is sampled.", "96px"],
    [
      "Tokens per target call",
      "How many tokens one target call gives on average, over all coins: kept guesses and the token after them.",
      "106px"
    ],
    ["How many it keeps", "How often it keeps none, one, two … of the guesses, over all coins.", "124px"],
    [
      "First token",
      "How far the distribution of the first token is from the target’s own, as total variation: 0 is the same distribution.",
      "112px"
    ]
  ];
  var OPEN_END = 10;
  var cell = (at, ...children) => el("td", { "data-label": COLUMNS[at][0] }, ...children);
  function bars(lengths) {
    const width = 17;
    const [all, height, full] = [width * lengths.length, 46, 32];
    const bar2 = (share, at) => {
      const place = { x: at * width + 1, width: width - 3 };
      return svg(
        "g",
        {},
        svg("rect", { class: "room", ...place, y: 0, height: full }),
        svg("rect", { class: "bar", ...place, y: full * (1 - share), height: full * share }),
        svg("text", { x: at * width + width / 2 - 0.5, y: 44 }, at)
      );
    };
    const label = `Guesses kept: ${lengthsWords(lengths)}`;
    const attributes = { class: "sv-lengths", role: "img", "aria-label": label, width: all, height };
    return svg("svg", { ...attributes, viewBox: `0 0 ${all} ${height}` }, lengths.map(bar2));
  }
  function dial(option, verifier, value, onchange) {
    const out = el("output", {}, String(value));
    let timer = 0;
    const oninput = () => {
      out.textContent = range.value;
      clearTimeout(timer);
      timer = setTimeout(() => onchange(Number(range.value)), 150);
    };
    const high = option.name === "rollback" ? Math.min(option.high ?? OPEN_END, OPEN_END) : option.high;
    const label = `${option.label} of ${verifier}`;
    const bounds = { min: option.low, max: high, step: 0.01, value };
    const range = el("input", { type: "range", ...bounds, "aria-label": label, oninput });
    const attributes = { class: "sv-dialled", "data-tip": option.help, "data-part": "options" };
    return el("label", attributes, el("span", {}, option.label), range, out);
  }
  function guarantee(row, answer, options) {
    if (row.method) return meter(row.method, { options, guarantee: answer.guarantee });
    const { exact, help, name } = answer.guarantee;
    return el("span", { class: `sv-guarantee${exact ? " exact" : ""}`, tabindex: 0, "data-tip": help }, name);
  }
  var VerdictTable = class {
    /** @param {TableEvents} events */
    constructor(events) {
      this.on = events;
      this.lines = /* @__PURE__ */ new Map();
      const heads = COLUMNS.map(
        ([title, help]) => el("th", { scope: "col" }, el("span", { tabindex: 0, "data-tip": help }, title))
      );
      this.element = el(
        "table",
        { class: "sv-verdicts" },
        el("caption", { class: "sv-hidden" }, "What each verifier keeps of the same forest"),
        el(
          "colgroup",
          {},
          COLUMNS.map(([, , width]) => el("col", { style: { width } }))
        ),
        el("thead", {}, el("tr", {}, heads))
      );
    }
    /** @param {ForestRow[]} rows @param {Record<string, Options>} options those set, by verifier */
    build(rows, options) {
      const lines = rows.map((row) => this.line(row, options[row.name] ?? {}));
      this.lines = new Map(lines.map((line) => [line.row.name, line]));
      for (const old of this.element.querySelectorAll("tbody")) old.remove();
      this.element.append(...lines.map((line) => line.body));
    }
    /** @param {Side} side @param {ForestRow} row */
    radio(side2, row) {
      return el("input", {
        type: "radio",
        name: `sv-forest-${side2}`,
        value: row.name,
        disabled: Boolean(row.refused),
        "aria-label": `${side2 === "a" ? "Show" : "Compare with"} ${row.title}`,
        onchange: () => this.on.onpick(side2, row.name)
      });
    }
    /** @param {ForestRow} row @param {Options} options @returns {Line} */
    line(row, options) {
      const badge2 = el("span", { class: "sv-badges" });
      const cells = [3, 4, 5, 6, 7].map((at) => cell(at));
      const radios = { a: this.radio("a", row), b: this.radio("b", row) };
      const title = el("th", { scope: "rowgroup" }, el("b", {}, row.title), " ", badge2);
      const refused = row.refused && el("td", { colspan: 5, class: "sv-reason" }, row.refused);
      const onclick = (event) => {
        if (row.refused || closest(event.target, "input, label, a, button, [data-tip]")) return;
        radios.a.checked = true;
        this.on.onpick("a", row.name);
      };
      const body = el(
        "tbody",
        { "data-verifier": row.name, class: row.refused ? "refused" : "", onclick },
        el("tr", {}, cell(0, radios.a), cell(1, radios.b), title, refused || cells),
        this.ruleLine(row, options)
      );
      return { row, body, badge: badge2, cells, radios };
    }
    /** The rule in a sentence, with its dials. @param {ForestRow} row @param {Options} options */
    ruleLine(row, options) {
      const dials = row.options.map((option) => {
        const changed = (value) => this.on.onoption(row.name, option.name, value);
        return dial(option, row.title, options[option.name] ?? option.default, changed);
      });
      const rule = el("p", {}, explained(row.rule));
      const about = el("td", { colspan: 6 }, rule, row.refused ? null : dials);
      return el("tr", { class: "sv-rule" }, el("td", { colspan: 2 }), about);
    }
    /**
     * A row's numbers, or why there are none.
     * @param {string} name
     * @param {VerdictAnswer | Failure} answer
     * @param {Options} options those set for it
     */
    fill(name, answer, options) {
      const line = this.lines.get(name);
      if (!line) return;
      const { row, body, badge: badge2, cells } = line;
      body.classList.remove("waiting");
      if ("error" in answer) {
        badge2.replaceChildren();
        badge2.dataset.says = "";
        for (const one of cells) one.replaceChildren();
        cells[0].replaceChildren(el("span", { class: "sv-reason" }, answer.error));
        return;
      }
      const says = JSON.stringify([answer.guarantee.name, options]);
      if (badge2.dataset.says !== says) badge2.replaceChildren(guarantee(row, answer, options));
      badge2.dataset.says = says;
      this.fillCells(cells, answer);
    }
    /** @param {HTMLElement[]} cells @param {VerdictAnswer} answer */
    fillCells([out, kept, tokens, lengths, first], answer) {
      const written = answer.emitted.map(
        ({ piece, origin }) => el("span", { class: `sv-token ${origin}` }, marked(piece))
      );
      out.replaceChildren(el("span", { class: "sv-out", "aria-label": answer.words }, written));
      kept.replaceChildren(el("b", {}, twoDigits(answer.accepted)), ` of ${answer.lengths.length - 1}`);
      tokens.replaceChildren(el("b", {}, twoDigits(answer.tokens)));
      lengths.replaceChildren(bars(answer.lengths));
      const about = { tabindex: 0, "data-tip": answer.distance_words };
      first.replaceChildren(el("span", about, distanceWords(answer.distance)));
    }
    /** @param {string} name */
    wait(name) {
      this.lines.get(name)?.body.classList.add("waiting");
    }
    /** @param {string} a shown @param {string} b beside it */
    picked(a, b) {
      for (const [name, { body, radios }] of this.lines) {
        radios.a.checked = name === a;
        radios.b.checked = name === b;
        body.classList.toggle("shown", name === a);
        body.classList.toggle("beside", name === b);
      }
    }
  };

  // src/forest/page.js
  var NOTHING = "No forest to show yet: choose a recorded step, or draft a new one.";
  var GONE = "The server does not answer any more. What you typed is still here: draft it again once the server is back.";
  var RUN_AGAIN = "This race is not on screen any more: run it again on the Race page.";
  var COINS = "Every rule gets the same coins. Another number is another set of coins; the forest stays.";
  var requestOf = (source) => "form" in source ? { id: source.id } : source;
  var ForestPage = class {
    alert = el("div", { class: "sv-alert", role: "alert" });
    summary = el("p", { class: "sv-forest-summary", role: "status" });
    empty = el("p", { class: "sv-empty", role: "status" }, "Opening the forest …");
    facts = new ForestFacts((name, value) => this.warp(name, value));
    stage = new ForestStage((name) => this.pick("a", name));
    table = new VerdictTable({
      onpick: (side2, name) => this.pick(side2, name),
      onoption: (name, option, value) => this.setOption(name, option, value)
    });
    beside = new Beside((guesses) => this.chooseGuesses(guesses));
    whole = el("div", { class: "sv-forest", hidden: true }, this.stage.element, this.verdicts());
    toggle = el(
      "button",
      {
        type: "button",
        class: "sv-chip",
        "aria-expanded": "false",
        "data-part": "draft",
        onclick: () => this.unfold(Boolean(this.form.element.hidden))
      },
      "Draft a new forest"
    );
    inside = el(
      "button",
      { type: "button", class: "sv-chip", "data-part": "links", onclick: () => this.lookInside() },
      "Look at this step in the Microscope"
    );
    /** @type {OpenedForest | null} */
    forest = null;
    /** @type {Source | null} */
    framed = null;
    // where that one comes from
    /** @type {Map<string, VerdictAnswer | Failure>} */
    answers = /* @__PURE__ */ new Map();
    // by verifier, for the forest, coins and theme on screen
    turn = 0;
    // answers to older questions are dropped
    compared = 0;
    // answers to older comparisons, too
    /** @type {(Draft & {form: string}) | null} */
    sent = null;
    // the drafting form on its way
    /** @type {Recorded | null} */
    waiting = null;
    // a source in a race that is not on screen yet
    mounted = false;
    line = new Lifeline(() => this.lost());
    linked = readForest();
    /** @param {HTMLElement} root @param {Island} island */
    constructor(root, { props, server, triggers }) {
      this.setup = JSON.parse(props.setup);
      this.root = root;
      this.props = props;
      this.server = server;
      this.triggers = triggers;
      const { coins, pair } = this.setup;
      this.state = { source: null, seed: coins, options: {}, a: pair[0], b: pair[1], guesses: "" };
      this.steps = new ForestSteps(this.setup, (source) => this.open(source));
      this.form = new ForestForm(this.setup, (form) => this.send(form));
      const bounds = { min: 0, max: this.setup.limits.seed, step: 1, value: 0, id: "sv-forest-coins" };
      const onchange = () => {
        this.flip(Number(this.seed.value));
      };
      this.seed = el("input", { type: "number", ...bounds, onchange });
      this.page = this.build();
      this.listen();
    }
    verdicts() {
      const attributes = { class: "sv-forest-rows", "aria-label": "Every verdict", "data-part": "table" };
      return el("section", attributes, this.table.element, this.summary);
    }
    build() {
      return el(
        "div",
        { class: "sv-page" },
        el("h1", { class: "sv-hidden" }, "Same forest, every verdict"),
        el("p", { class: "sv-intro", "data-part": "intro" }, explained(this.setup.intro)),
        this.sourceBar(),
        this.form.element,
        this.alert,
        this.facts.element,
        this.empty,
        this.whole,
        this.beside.element
      );
    }
    /** Which forest, and which coins. */
    sourceBar() {
      const again = { type: "button", class: "sv-run", onclick: () => this.flip(this.state.seed + 1) };
      const label = el("label", { for: "sv-forest-coins" }, "Coins no.");
      const coins = el(
        "div",
        { class: "sv-forest-coins", "data-part": "coins" },
        el("button", again, "Flip the coins again"),
        el("span", { class: "sv-field", "data-tip": COINS }, label, this.seed)
      );
      const parts = [this.steps.element, this.inside, this.toggle, coins];
      return el("div", { class: "sv-forest-bar", "data-part": "source" }, parts);
    }
    /** @param {string} guesses */
    chooseGuesses(guesses) {
      this.state.guesses = guesses;
      this.save();
      this.beside.showFirst(guesses);
    }
    listen() {
      const fit = () => {
        this.stage.tree.fit();
        this.beside.fit();
      };
      subscribe("page", (name) => {
        if (name !== "forest") return;
        if (this.mounted) fit();
        else this.start();
      });
      subscribe("forest-from", ({ run, lane, iteration }) => {
        this.mounted = true;
        if (!this.page.isConnected) this.root.replaceChildren(this.page);
        this.waiting = null;
        this.open({ run, lane, step: iteration, warp: {} });
        if (pageNow() !== "forest") go("forest");
      });
      subscribe("race", (race) => {
        const { source } = this.state;
        if (source && "run" in source) this.save();
        this.fromRace(race);
      });
      subscribe("dark", () => {
        if (this.forest) this.judge();
      });
      subscribe("present", fit);
    }
    /** The page is shown for the first time. */
    start() {
      this.mounted = true;
      this.root.replaceChildren(this.page);
      const { linked, state, setup } = this;
      if (linked) {
        const { seed, options, guesses } = linked;
        Object.assign(state, { seed, options, guesses: guesses === "frozen" ? "frozen" : "" });
        state.a = linked.a || state.a;
        state.b = linked.b || state.b;
      }
      if (linked) this.begin(linked.source);
      else if (setup.start) this.begin({ ...setup.start, warp: {} });
      else {
        this.unfold(true);
        this.empty.textContent = "No recorded step here: draft a forest.";
      }
    }
    /** @param {Source} source */
    begin(source) {
      if ("form" in source) {
        this.state.source = source;
        this.form.write(source.form);
        this.send(source.form);
      } else if (source.run !== "here") this.open(source);
      else {
        this.waiting = source;
        this.empty.textContent = "Waiting for the race of this link to be run again …";
        this.fromRace(latest("race"));
      }
    }
    /** The race of the link, once it has come to the step. @param {RaceMessage | undefined} race */
    fromRace(race) {
      const { waiting } = this;
      if (!waiting || !race || !isMadeHere(race.run)) return;
      const lane = race.lanes[waiting.lane];
      if (!lane || lane.iterations <= waiting.step) return;
      this.waiting = null;
      this.open({ ...waiting, run: race.run });
    }
    save() {
      const { source } = this.state;
      if (source) writeForest({ ...this.state, source });
    }
    /** @param {boolean} on */
    unfold(on) {
      this.form.element.hidden = !on;
      this.toggle.setAttribute("aria-expanded", String(on));
    }
    /** @param {string} name @param {number | null} value */
    warp(name, value) {
      const { source } = this.state;
      if (source !== this.framed) return;
      if (source && "run" in source) this.open({ ...source, warp: { ...source.warp, [name]: value } });
    }
    /** Show a forest: a recorded step, or one that is drafted. @param {Source} source */
    async open(source) {
      const before = this.forest ? this.state.source : null;
      this.state.source = source;
      const mine = ++this.turn;
      this.save();
      this.empty.hidden = Boolean(this.forest);
      const answer = await ask(this.server, "open_forest", { source: requestOf(source) });
      if (mine !== this.turn) return;
      this.empty.hidden = true;
      this.alert.textContent = "error" in answer ? answer.error : "";
      if (!("error" in answer)) {
        this.forest = answer;
        this.frame(answer, source);
        this.judge();
      } else if (before) {
        this.state.source = before;
        this.save();
        this.judge();
      } else {
        this.empty.hidden = false;
        this.empty.textContent = NOTHING;
      }
    }
    /** What stays while the verdicts come in. @param {OpenedForest} forest @param {Source} source */
    frame(forest, source) {
      const { state } = this;
      this.framed = source;
      const able = forest.rows.filter((row) => !row.refused);
      const names = able.map((row) => row.name);
      if (!names.includes(state.a)) state.a = names[0];
      if (!names.includes(state.b) || state.b === state.a) state.b = names.find((name) => name !== state.a) || state.a;
      const recorded = "run" in source ? source : null;
      this.steps.show(recorded, forest.title, forest.steps);
      this.inside.hidden = !recorded;
      this.facts.show(forest);
      this.stage.build(able);
      this.whole.hidden = false;
      this.answers = /* @__PURE__ */ new Map();
      this.table.build(forest.rows, state.options);
      this.table.picked(state.a, state.b);
      this.seed.value = String(state.seed);
      this.save();
    }
    able() {
      return (this.forest?.rows ?? []).flatMap((row) => row.refused ? [] : [row.name]);
    }
    /**
     * Ask for verdicts one after the other: those shown first, then the others.
     * @param {string[]} [names] default: all
     */
    async judge(names) {
      const mine = names ? this.turn : ++this.turn;
      const able = this.able();
      const order = names || [.../* @__PURE__ */ new Set([this.state.a, this.state.b, ...able])];
      for (const name of order) this.table.wait(name);
      if (!names) this.answers = new Map([...this.answers].filter(([name]) => able.includes(name)));
      for (const name of order) {
        const going = await this.judgeOne(name, mine);
        if (!going) return;
      }
      if (able.every((name) => this.answers.has(name))) this.summary.textContent = summaryWords(this.judged(able));
    }
    /** One verdict; false where no others are wanted any more. @param {string} name @param {number} mine the turn */
    async judgeOne(name, mine) {
      const { source, seed } = this.state;
      if (!source) return false;
      const options = this.optionsOf(name);
      const request = { source: requestOf(source), verifier: name, options, seed, dark: isDark() };
      const answer = await ask(this.server, "judge_forest", request);
      if (mine !== this.turn) return false;
      if (this.state.options[name] && this.state.options[name] !== options) return true;
      if ("error" in answer && answer.code === "gone" && "form" in source) {
        this.send(source.form);
        return false;
      }
      this.answers.set(name, answer);
      this.table.fill(name, answer, options);
      const { a, b } = this.state;
      if (name === a) this.showTree();
      if (name === a || name === b) this.compareIfKnown();
      return true;
    }
    /** @param {string} name */
    optionsOf(name) {
      return this.state.options[name] ?? {};
    }
    /** @param {string[]} names */
    judged(names) {
      return names.flatMap((name) => {
        const answer = this.answers.get(name);
        return answer && !("error" in answer) ? [{ title: this.titleOf(name), answer }] : [];
      });
    }
    /** @param {string} name */
    rowOf(name) {
      return this.forest?.rows.find((row) => row.name === name);
    }
    /** @param {string} name */
    titleOf(name) {
      return this.rowOf(name)?.title ?? name;
    }
    showTree() {
      const answer = this.answers.get(this.state.a);
      const row = this.rowOf(this.state.a);
      if (answer && row && this.forest) this.stage.show(row, answer, this.forest.width);
    }
    compareIfKnown() {
      if (this.answers.has(this.state.a) && this.answers.has(this.state.b)) this.compare();
    }
    async compare() {
      const { source, a, b, seed } = this.state;
      if (!source) return;
      const mine = ++this.compared;
      const before = this.turn;
      const names = [.../* @__PURE__ */ new Set([a, b])];
      const pair = names.map((name) => ({ verifier: name, options: this.optionsOf(name) }));
      const request = { source: requestOf(source), pair, seed, dark: isDark() };
      const answer = await ask(this.server, "compare_verdicts", request);
      if (mine !== this.compared || before !== this.turn) return;
      const titles = names.map((name) => this.titleOf(name));
      this.beside.show("error" in answer ? null : answer, titles, this.state.guesses);
    }
    /** @param {string} name @param {string} option @param {number} value */
    setOption(name, option, value) {
      this.state.options[name] = { ...this.state.options[name], [option]: value };
      this.save();
      this.judge([name]);
    }
    /** @param {Side} side @param {string} name */
    pick(side2, name) {
      const { state } = this;
      const other = side2 === "a" ? "b" : "a";
      if (state[other] === name) state[other] = state[side2];
      state[side2] = name;
      this.table.picked(state.a, state.b);
      this.save();
      this.showTree();
      this.compareIfKnown();
    }
    /** @param {number} next */
    flip(next) {
      const known3 = Number.isInteger(next) && next >= 0 && next <= this.setup.limits.seed;
      if (known3) this.state.seed = next;
      this.seed.value = String(this.state.seed);
      if (!known3) return;
      this.save();
      if (this.forest) this.judge();
    }
    lost() {
      this.sent = null;
      this.form.busy("");
      this.unfold(true);
      this.form.refuse({ field: "form", message: GONE });
      if (!this.forest) this.empty.textContent = NOTHING;
    }
    /** @param {Draft} asking */
    send(asking) {
      this.sent = { ...asking, form: String(Math.random()).slice(2) };
      this.alert.textContent = "";
      this.form.busy("Drafting …");
      this.triggers.draft(this.sent);
      this.line.wait();
    }
    receive() {
      const message = this.props.value ? JSON.parse(this.props.value) : null;
      if (!message || !this.sent || message.form !== this.sent.form) return;
      this.line.wait();
      if (message.kind === "waiting") {
        this.form.busy(message.text);
        this.empty.textContent = message.text;
        return;
      }
      const { prompt, drafter, options, seed } = this.sent;
      const asking = { prompt, drafter, options, seed };
      this.sent = null;
      this.line.rest();
      this.form.busy("");
      if (message.kind === "drafted") this.drafted(asking, message.id);
      else {
        this.unfold(true);
        this.form.refuse(message);
        if (!this.forest) this.empty.textContent = NOTHING;
      }
    }
    /** @param {Draft} form @param {string} id */
    drafted(form, id) {
      if (this.form.element.contains(document.activeElement)) this.toggle.focus();
      this.unfold(false);
      this.open({ form, id });
    }
    async lookInside() {
      const { source } = this.state;
      if (!source || !("run" in source)) return;
      const { run, lane, step } = source;
      if (latest("race")?.run !== run) {
        const race = await this.raceOf(run);
        if (!race) {
          this.alert.textContent = RUN_AGAIN;
          return;
        }
        publish("show", race);
      }
      go("microscope");
      publish("open", { lane, iteration: step });
    }
    /** A recorded race; null for any other. @param {string} run */
    async raceOf(run) {
      if (!run.startsWith("gallery:")) return null;
      const race = await ask(this.server, "race_of", { methods: run.slice("gallery:".length).split(",") });
      return "error" in race ? null : race;
    }
  };
  function mountForest(root, island) {
    const page = new ForestPage(root, island);
    island.watch("value", () => page.receive());
  }

  // src/base/files.js
  function download(name, content, type = "application/json") {
    const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    el("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 6e4);
  }
  var bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  var megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

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
      const scale2 = el("span", { class: "sv-scale", "aria-hidden": "true" }, this.needle);
      const title = el("span", {}, "Distance from the target’s distribution");
      this.meter = el("div", { class: "sv-distance" }, title, scale2, this.distance);
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
  function nearestScene(scenes, key, old) {
    if (scenes.some((scene) => scene.key === key)) return key;
    const before = old.find((scene) => scene.key === key);
    const phase = before ? before.phase : key.startsWith("draw") ? "draw" : "verify";
    const kin = scenes.filter((scene) => scene.phase === phase);
    return (kin.at(-1) || scenes[scenes.length - 1]).key;
  }
  function sceneOfToken(payload, token) {
    const one = payload.text.emitted[token];
    const judged = one && payload.nodes.find((record) => record.node === one.node);
    return judged && judged.scene || payload.scenes.find((scene) => scene.phase === "draw")?.key || 0;
  }
  var figureOf = (payload, scene, panel) => payload.figures[scene.panels[panel]] || null;
  function outcomeOf(payload, scene, node) {
    const states = payload.states[scene.panels.tree];
    const state = states?.[payload.nodes.findIndex((record) => record.node === node)];
    return typeof state === "number" ? payload.outcomes[state] : "";
  }
  function decidedFormula(scenes, index, record) {
    const told2 = scenes.findIndex((scene) => scene.key === record.scene) <= index;
    return told2 ? record.formula || "" : "";
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
      for (const mark2 of this.phases.querySelectorAll("button")) {
        const here2 = index >= Number(mark2.dataset.from) && index <= Number(mark2.dataset.to);
        mark2.setAttribute("aria-current", here2 ? "step" : "false");
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
      const go2 = { type: "button", class: "sv-go", onclick: () => scene && this.ongo(scene) };
      return el(
        "article",
        { class: "sv-card", "data-node": record.node, "aria-label": `Pin ${at + 1}` },
        this.cardHead(record, at),
        el("dl", {}, facts(record, said).map(fact), el("div", {}, el("dt", {}, "Outcome so far"), outcome)),
        el("p", { class: "sv-formula", "data-fact": "formula", hidden: !said.formula }, said.formula),
        scene ? el("button", go2, "Go to the step that judges it") : el("p", { class: "sv-never" }, "No decision judges it.")
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
  var MOST_PINS2 = 2;
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
    show(wanted2) {
      const { payload, scenes } = this;
      if (!payload) return;
      this.index = Math.max(0, Math.min(wanted2, scenes.length - 1));
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
      this.setPins(togglePin(this.pins, record, MOST_PINS2));
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
      this.setPins(found.slice(-MOST_PINS2));
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
  function lanes(views, meter2) {
    const token = ([piece, origin]) => el("span", { class: `sv-token ${origin}` }, marked(piece));
    const lane = ({ method, title, options, tokens, numbers }) => {
      const heading = el("h3", {}, title, options ? el("small", {}, ` ${options}`) : null);
      return el(
        "section",
        { class: "sv-lesson-lane" },
        el("div", { class: "sv-lesson-method" }, heading, meter2 && meter2(method)),
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
    const query2 = new URLSearchParams({ view: at ? "microscope" : "race" });
    query2.set(kind === "gallery" ? "recorded" : "shown", kind === "gallery" ? names : run);
    if (at) query2.set("at", at);
    return `?${query2}`;
  }

  // src/lesson/view.js
  var button2 = (words, onclick, main = false) => el("button", { type: "button", class: main ? "sv-do main" : "sv-do", onclick }, words);
  var START = { step: 1, chosen: null, rule: null };
  var LessonView = class {
    /** @param {HTMLElement} root @param {LessonOptions} [options] */
    constructor(root, { onmove = () => {
    }, onopen = null, onnext = null, meter: meter2 = null } = {}) {
      this.onmove = onmove;
      this.onopen = onopen;
      this.onnext = onnext;
      this.meter = meter2;
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
      const told2 = chosen !== null && (mine || right);
      const attributes = {
        type: "button",
        class: "sv-choice",
        "aria-pressed": chosen === null ? null : String(mine),
        disabled: chosen !== null && !mine,
        onclick: () => this.choose(number)
      };
      const verdict = told2 ? el("em", {}, right ? "✓ right" : "✗ not so") : null;
      const key = el("kbd", { "aria-hidden": "true" }, number);
      const status = mine || right && chosen === SHOWN ? "status" : null;
      return el(
        "li",
        { class: told2 ? right ? "right" : "wrong" : null },
        el("button", attributes, key, el("span", {}, text), verdict),
        told2 ? el("p", { class: "sv-answer", role: status }, explained(answer)) : null
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
    load(data, { next = null, ...wanted2 } = {}) {
      this.data = data;
      this.after = next;
      this.now = soundState(data.lesson, wanted2);
      this.paper.replaceChildren(printed(data));
      this.draw();
    }
    /** The same step with other pictures: another theme. @param {LessonData} data */
    repaint(data) {
      this.data = data;
      this.draw();
    }
  };

  // src/lesson/page.js
  var INTRO = "Each lesson asks first and then shows what really happened, at recorded steps of the two models that come with this page. Keys: 1 to 4 choose an answer, Enter shows it, the arrows step.";
  var shown = () => pageNow() === "lessons";
  function plain(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return false;
    event.preventDefault();
    return true;
  }
  function wanted() {
    const step = Number(get("step") || 1);
    return { step: Number.isInteger(step) ? step : 1, chosen: get("answer"), rule: get("rule") };
  }
  var LessonsPage = class {
    title = el("h1", { tabindex: -1 });
    back = el(
      "a",
      {
        class: "sv-back",
        href: "?view=lessons",
        "data-part": "lesson-bar",
        onclick: (event) => plain(event) && this.show(null)
      },
      "‹ All lessons"
    );
    keep = el(
      "button",
      { type: "button", class: "sv-chip", "data-part": "share save", onclick: () => this.save() },
      "Save this lesson as a file"
    );
    alert = el("div", { class: "sv-alert", role: "alert" });
    busy = el("p", { class: "sv-empty", role: "status", hidden: true }, "Opening the lesson …");
    intro = el("p", { class: "sv-intro", "data-part": "intro" }, INTRO);
    stage = el("div", { hidden: true });
    view = new LessonView(this.stage, {
      onmove: (state) => this.remember(state),
      onopen: (where, event) => this.openStep(where, event),
      onnext: () => this.next(),
      meter: (method) => meter(method)
    });
    /** @type {Map<string, LessonData>} */
    cache = /* @__PURE__ */ new Map();
    /** @type {string | null} */
    open = null;
    // the name of the lesson shown
    asked = 0;
    /** @param {HTMLElement} root @param {Island} island */
    constructor(root, { props, server }) {
      const { lessons } = JSON.parse(props.setup);
      this.lessons = lessons;
      this.server = server;
      this.list = el(
        "ol",
        { class: "sv-lessons" },
        lessons.map((one, at) => this.card(one, at + 1))
      );
      root.replaceChildren(this.build());
      this.listen();
    }
    build() {
      const empty = { class: "sv-empty", hidden: this.lessons.length > 0 };
      const none2 = el("p", empty, "No lesson could be read. The server’s log says why.");
      const top = el("div", { class: "sv-lesson-top" }, this.back, this.title, this.keep);
      const parts = [top, this.intro, none2, this.alert, this.busy, this.list, this.stage];
      return el("div", { class: "sv-page" }, parts);
    }
    /** @param {LessonCard} lesson @param {number} number */
    card({ name, title, asks, goal, minutes }, number) {
      const onclick = (event) => plain(event) && this.show(name);
      return el(
        "li",
        {},
        el(
          "a",
          { href: `?view=lessons&lesson=${name}`, "data-lesson": name, onclick },
          el("span", { class: "sv-count-of", "aria-hidden": "true" }, number),
          el("h2", {}, title),
          el("p", { class: "sv-asks" }, asks),
          el("p", { class: "sv-goal" }, el("b", {}, "Goal: "), goal),
          el("small", {}, `${minutes} minutes`)
        )
      );
    }
    listen() {
      document.addEventListener("keydown", (event) => {
        if (shown() && this.open && !this.stage.hidden) this.view.keys(event);
      });
      subscribe("dark", () => this.repaint());
      this.frame(null);
      subscribe("page", (page) => {
        if (page === "lessons") this.show(get("lesson"), wanted());
      });
    }
    async repaint() {
      if (!this.open || this.stage.hidden || !shown()) return;
      const turn = ++this.asked;
      const answer = await this.fetchLesson(this.open);
      if (turn === this.asked && !("error" in answer)) this.view.repaint(answer);
    }
    /** @param {LessonState} state */
    remember({ step, chosen, rule }) {
      set({ lesson: this.open, step: step > 1 ? step : null, answer: chosen, rule });
    }
    /**
     * @template T
     * @param {string} name
     * @param {unknown} request
     * @returns {Promise<T | Failure>}
     */
    ask(name, request) {
      return ask(this.server, name, request, { empty: "The server refused." });
    }
    /**
     * A lesson with its pictures in this theme; asked for once.
     * @param {string} name
     * @returns {Promise<LessonData | Failure>}
     */
    async fetchLesson(name) {
      const dark = isDark();
      const key = `${name} ${dark}`;
      const known3 = this.cache.get(key);
      if (known3) return known3;
      const answer = await this.ask("lesson", { name, dark });
      if (!("error" in answer)) this.cache.set(key, answer);
      return answer;
    }
    /** Show a lesson from a state, or the list. @param {string | null} name @param {Wanted} [state] */
    async show(name, state = {}) {
      const turn = ++this.asked;
      const known3 = this.lessons.find((one) => one.name === name) ?? null;
      const unknown = name && !known3 ? name.slice(0, 40) : "";
      this.alert.textContent = unknown && `There is no lesson called “${unknown}”. These are the ones there are.`;
      this.open = known3 && known3.name;
      if (shown() && !state.step) visit({ lesson: this.open, step: null, answer: null, rule: null });
      this.frame(known3);
      if (!known3) {
        if (shown()) this.title.focus({ preventScroll: true });
        return;
      }
      this.busy.hidden = false;
      const answer = await this.fetchLesson(known3.name);
      if (turn !== this.asked) return;
      this.busy.hidden = true;
      if ("error" in answer) {
        this.alert.textContent = answer.error;
        this.open = null;
        this.frame(null);
        return;
      }
      this.stage.hidden = false;
      this.view.load(answer, { ...state, next: this.lessons[this.lessons.indexOf(known3) + 1]?.title });
      if (state.step) return;
      this.title.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    /** What is around a lesson, or the list. @param {LessonCard | null} known */
    frame(known3) {
      this.title.textContent = known3 ? known3.title : "Lessons";
      for (const part of [this.back, this.keep]) part.hidden = !known3;
      for (const part of [this.list, this.intro]) part.hidden = Boolean(known3);
      this.stage.hidden = true;
      this.busy.hidden = true;
    }
    next() {
      const at = this.lessons.findIndex((one) => one.name === this.open);
      this.show(this.lessons[at + 1]?.name ?? null);
    }
    /** @param {Where} where @param {MouseEvent} event */
    async openStep(where, event) {
      if (!plain(event)) return;
      const race = await this.ask("lesson_race", where.run);
      if ("error" in race) {
        this.alert.textContent = race.error;
        return;
      }
      publish("show", race);
      go(where.at ? "microscope" : "race");
      const at = stepFromText(where.at);
      if (at) publish("open", { lane: at[0], iteration: at[1], scene: at[2] });
    }
    async save() {
      this.keep.disabled = true;
      const answer = await this.ask("lesson_file", { name: this.open });
      this.keep.disabled = false;
      this.alert.textContent = "error" in answer ? answer.error : "";
      if (!("error" in answer)) download(answer.name, answer.text ?? "", "text/html");
    }
  };
  function mountLessons(root, island) {
    new LessonsPage(root, island);
  }

  // src/parts/link-button.js
  function addressField() {
    const address = el("input", {
      class: "sv-address",
      readonly: true,
      "aria-label": "Address of this screen",
      value: window.location.href,
      onfocus: () => void address.select()
    });
    return address;
  }
  function linkButton(onsave) {
    const said = el("span", { class: "sv-copied", role: "status" });
    async function copy() {
      const { reason, useless } = shortcomings();
      said.replaceChildren(reason);
      if (reason)
        said.append(" ", el("button", { type: "button", class: "sv-chip", onclick: onsave }, "Save as a file instead"));
      if (useless) return;
      try {
        await navigator.clipboard.writeText(window.location.href);
        said.prepend("Link copied. ");
      } catch {
        said.prepend("Copy this: ", addressField());
      }
    }
    const button3 = el("button", { type: "button", class: "sv-chip", onclick: copy }, "Copy link");
    return el("span", { class: "sv-share", "data-part": "share" }, button3, said);
  }

  // src/library/figures.js
  var HINT = "Figures of single steps, and a step as a page that opens without a server, are saved in the Microscope.";
  var RaceFigures = class {
    /** @param {Call} call @param {(message: string) => void} refuse */
    constructor(call, refuse) {
      this.call = call;
      this.refuse = refuse;
      this.race = null;
      this.turn = 0;
      this.shown = null;
      this.which = el(
        "select",
        { "aria-label": "Figure", onchange: () => this.preview() },
        el("option", { value: "timeline" }, "Timeline of all lanes"),
        el("option", { value: "dials" }, "Numbers of all lanes")
      );
      this.sheet = el("img", { class: "sv-preview", alt: "", hidden: true });
      this.words = el("p", { class: "sv-words" });
      this.buttons = ["png", "svg", "pdf"].map((format) => {
        const attributes = { type: "button", class: "sv-do", disabled: true, onclick: () => this.save(format) };
        return el("button", attributes, `Save ${format.toUpperCase()}`);
      });
      this.element = el(
        "details",
        { class: "sv-box sv-figures", "data-part": "figures", ontoggle: () => this.preview() },
        el("summary", {}, "Figures of the race on screen"),
        el("div", { class: "sv-row" }, this.which, this.buttons),
        this.sheet,
        this.words,
        el("p", { class: "sv-hint" }, HINT)
      );
      subscribe("dark", () => this.preview());
    }
    /** @param {RaceMessage} race @param {object} [more] @returns {Promise<RaceFigure | Failure>} */
    ask(race, more = {}) {
      return this.call("figure", { run: race.run, key: this.which.value, dark: isDark(), ...more });
    }
    /** @param {boolean} on */
    enable(on) {
      for (const button3 of this.buttons) button3.disabled = !on;
    }
    async preview() {
      if (!this.race || !this.element.open) return;
      const mine = ++this.turn;
      this.enable(false);
      const answer = await this.ask(this.race);
      if (mine !== this.turn) return;
      if ("error" in answer) {
        this.refuse(answer.error);
        return;
      }
      this.shown = JSON.parse(answer.figure ?? "null");
      const picture = await this.draw("svg");
      if (mine !== this.turn) return;
      this.sheet.src = picture;
      this.sheet.hidden = false;
      this.sheet.alt = `${this.which.selectedOptions[0].textContent}, said in words below`;
      this.words.textContent = answer.text ?? "";
      this.enable(true);
    }
    /** @param {string} format */
    async draw(format) {
      if (!this.shown) return "";
      return Plotly.toImage(this.shown, { format, width: 900, height: this.shown.layout.height, scale: 2 });
    }
    /** @param {string} format */
    async save(format) {
      const name = `specviz-race-${this.which.value}.${format}`;
      if (format === "pdf") {
        await this.savePdf(name);
        return;
      }
      const image2 = await this.draw(format);
      const content = image2.slice(image2.indexOf(",") + 1);
      if (format === "svg") download(name, decodeURIComponent(content), "image/svg+xml");
      else download(name, bytesOf(content), "image/png");
    }
    /** @param {string} name */
    async savePdf(name) {
      if (!this.race) return;
      const answer = await this.ask(this.race, { format: "pdf" });
      if ("error" in answer) this.refuse(answer.error);
      else download(name, bytesOf(answer.file ?? ""), "application/pdf");
    }
    /** The race on screen. @param {RaceMessage} race */
    offer(race) {
      this.race = race;
      this.preview();
    }
  };

  // src/library/rows.js
  var COLUMNS2 = [
    ["title", "Method"],
    ["prompt", "Prompt"],
    ["tokens", "Tokens"],
    ["tokens_per_target_call", "Tokens per target call"],
    ["acceptance_rate", "Acceptance"],
    ["perplexity", "Perplexity"],
    ["tokens_per_second", "Tokens/s"],
    ["size", "Size"]
  ];
  var keyOf = ({ run, lane }) => `${run}.${lane}`;
  function orderFromText(text) {
    const [, down, column] = /^(-?)(.*)$/.exec(text || "") ?? ["", "", ""];
    const known3 = COLUMNS2.some(([name]) => name === column);
    return known3 ? { column, down: Boolean(down) } : { column: null, down: false };
  }
  function nextOrder(order, column) {
    const words = column === "title" || column === "prompt";
    return { column, down: order.column === column ? !order.down : !words };
  }
  function valueOf2(row, column) {
    if (column in row.numbers) return row.numbers[column][0];
    return (column === "title" ? row.title : row.prompt).toLowerCase();
  }
  function compareRows(a, b, { column, down }) {
    if (column === null) return 0;
    const [left, right] = [valueOf2(a, column), valueOf2(b, column)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return (left < right ? -1 : left > right ? 1 : 0) * (down ? -1 : 1);
  }
  var searchWords = (text) => text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  function fits(row, words) {
    const said = `${row.title} ${row.method} ${row.guarantee.name} ${row.set} ${row.prompt}`.toLowerCase();
    return words.every((word) => said.includes(word));
  }

  // src/library/shelves.js
  var SHELVES = [
    ["recorded", "Recorded runs", "None."],
    ["visit", "Runs of this visit", "Runs that you make on the Race page appear here until you reload the page."],
    ["file", "Opened files", "Files that you open appear here."]
  ];
  var cell2 = (name, ...content) => el("td", { role: "cell", "data-column": name }, ...content);
  var Shelves = class {
    /** @param {LibrarySetup} setup @param {(rows: ShelfRow[]) => void} onpick */
    constructor({ most, help }, onpick) {
      this.most = most;
      this.onpick = onpick;
      this.picked = /* @__PURE__ */ new Map();
      this.rows = { recorded: [], visit: [], file: [] };
      this.order = orderFromText(get("sort"));
      this.said = el("p", { class: "sv-said", role: "status" });
      this.filter = this.filterField();
      this.heads = COLUMNS2.map(([name, label]) => this.head(name, label, help[name] || null));
      this.groups = SHELVES.map(([shelf]) => el("tbody", { role: "rowgroup", "data-shelf": shelf }));
      const pick = el("th", { scope: "col", role: "columnheader" }, el("span", { class: "sv-hidden" }, "Pick"));
      const heads = el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, pick, this.heads));
      this.element = el(
        "div",
        { class: "sv-shelves", "data-part": "shelves" },
        el("div", { class: "sv-find" }, el("label", { for: "sv-library-filter" }, "Find"), this.filter, this.said),
        el("table", { role: "table", "aria-label": "Runs" }, heads, this.groups)
      );
    }
    filterField() {
      const filter = el("input", {
        type: "search",
        id: "sv-library-filter",
        placeholder: "mtad, fairy tale, tau 0.1 …",
        autocomplete: "off",
        value: (get("find") || "").slice(0, 200),
        oninput: () => {
          set({ find: filter.value || null });
          this.draw();
        }
      });
      return filter;
    }
    /** @param {string} name @param {string} label @param {string | null} help */
    head(name, label, help) {
      const button3 = { type: "button", "data-tip": help, onclick: () => this.sort(name) };
      const arrow = el("i", { "aria-hidden": "true" });
      return el("th", { scope: "col", role: "columnheader", "data-column": name }, el("button", button3, label, arrow));
    }
    /** @param {string} column */
    sort(column) {
      this.order = nextOrder(this.order, column);
      set({ sort: (this.order.down ? "-" : "") + column });
      this.draw();
    }
    /** @param {ShelfRow} row @param {HTMLInputElement} box */
    pick(row, box2) {
      if (box2.checked && this.picked.size >= this.most) {
        box2.checked = false;
        this.said.textContent = `${this.most} runs at most: put one back first.`;
        return;
      }
      if (box2.checked) this.picked.set(keyOf(row), row);
      else this.picked.delete(keyOf(row));
      this.said.textContent = "";
      box2.closest("tr")?.classList.toggle("picked", box2.checked);
      this.onpick([...this.picked.values()]);
    }
    /** @param {ShelfRow} row */
    line(row) {
      const checked = this.picked.has(keyOf(row));
      const label = `Pick ${row.title}: ${row.prompt.slice(0, 40)}`;
      const onchange = () => {
        this.pick(row, box2);
      };
      const box2 = el("input", { type: "checkbox", checked, "aria-label": label, onchange });
      const title = { dir: "auto", "data-tip": row.set || null, tabindex: row.set ? 0 : null };
      const about = meter(row.method, { options: row.options, guarantee: row.guarantee });
      const numbers = COLUMNS2.slice(2).map(
        ([name, text]) => cell2(name, el("span", { class: "sv-label", "aria-hidden": "true" }, `${text} `), row.numbers[name][1])
      );
      return el(
        "tr",
        { role: "row", class: checked ? "picked" : null },
        cell2("pick", box2),
        cell2("title", el("b", title, row.title), " ", about),
        cell2("prompt", el("span", { dir: "auto" }, row.prompt)),
        numbers
      );
    }
    draw() {
      const words = searchWords(this.filter.value);
      this.heads.forEach((head) => this.drawHead(head));
      const counts = SHELVES.map(([shelf, title, empty], at) => {
        const all = this.rows[shelf];
        const found = all.filter((row) => fits(row, words));
        found.sort((a, b) => compareRows(a, b, this.order));
        const note = all.length ? found.length ? "" : "Nothing here fits." : empty;
        const wide = { colspan: COLUMNS2.length + 1 };
        const heading = el("th", { ...wide, scope: "rowgroup", role: "rowheader", class: "sv-shelf" }, title);
        const none2 = note ? [el("tr", { role: "row" }, el("td", { ...wide, role: "cell", class: "sv-none" }, note))] : [];
        this.groups[at].replaceChildren(
          el("tr", { role: "row" }, heading),
          ...none2,
          ...found.map((row) => this.line(row))
        );
        return found.length;
      });
      this.said.textContent = words.length ? `${counts.reduce((sum, count) => sum + count, 0)} found` : "";
    }
    /** @param {HTMLElement} head */
    drawHead(head) {
      const { column, down } = this.order;
      const mine = head.dataset.column === column;
      if (mine) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
      const arrow = head.querySelector("i");
      if (arrow) arrow.textContent = mine ? down ? " ▼" : " ▲" : "";
    }
    /** The rows of each shelf. What is gone is no longer picked. @param {Rows} rows */
    fill(rows) {
      this.rows = rows;
      const there = new Set(Object.values(rows).flat().map(keyOf));
      for (const key of [...this.picked.keys()]) if (!there.has(key)) this.picked.delete(key);
      this.draw();
      this.onpick([...this.picked.values()]);
    }
  };

  // src/library/page.js
  var STEP = ["at", "pins", "replay"];
  var MOST_FILES = 8;
  var MOST_RUNS = 40;
  var SILENT = "The server did not answer, or refused the size of the request. Try again.";
  function screenNow(page) {
    const step = STEP.map((name) => [name, get(name)]).filter(([, value]) => value !== null);
    return Object.fromEntries([["view", page], ...step]);
  }
  function lanesOnScreen() {
    const race = latest("race");
    return race ? race.lanes.flatMap((lane, at) => lane ? [
      /** @type {LaneName} */
      [race.run, at]
    ] : []) : [];
  }
  var LibraryPage = class {
    /** @param {HTMLElement} root @param {Island} island */
    constructor(root, { props, server }) {
      this.setup = JSON.parse(props.setup);
      this.server = server;
      this.mine = { visit: [], file: [] };
      this.picked = [];
      this.page = "race";
      this.alert = el("div", { class: "sv-alert", role: "alert" });
      this.done = el("p", { class: "sv-done", role: "status" });
      this.onScreen = el("p", { class: "sv-on-screen", dir: "auto" });
      const save = () => this.save(lanesOnScreen(), screenNow(this.page));
      this.saveRace = el("button", { type: "button", class: "sv-do", onclick: save }, "Save this race and its screen");
      this.count = el("span", { class: "sv-picked" });
      this.actions = this.buildActions();
      this.shelves = new Shelves(this.setup, (rows) => this.pick(rows));
      this.figures = new RaceFigures(
        (name, request) => this.call(name, request),
        (message) => this.refuse(message)
      );
      root.replaceChildren(this.build());
      this.listen();
    }
    /**
     * @template T
     * @param {string} name
     * @param {unknown} request
     * @returns {Promise<T | Failure>}
     */
    call(name, request) {
      return ask(this.server, name, request, { silent: SILENT });
    }
    buildActions() {
      const lanes2 = () => this.picked.map(({ run, lane }) => (
        /** @type {LaneName} */
        [run, lane]
      ));
      const button3 = (label, onclick) => el("button", { type: "button", class: "sv-do", disabled: true, onclick }, label);
      return [
        button3("Show on the Race page", () => this.present("race")),
        button3("Open in the Microscope", () => this.present("microscope")),
        button3("Save as a file", () => this.save(lanes2(), null))
      ];
    }
    build() {
      const bar2 = { class: "sv-toolbar", role: "group", "aria-label": "With the picked runs", "data-part": "actions" };
      const share = linkButton(() => this.saveRace.click());
      const screen = { class: "sv-box", "aria-label": "On screen", "data-part": "screen" };
      const open = { class: "sv-box", "aria-label": "Open a file", "data-part": "open" };
      return el(
        "div",
        { class: "sv-page sv-library" },
        el("h1", { class: "sv-hidden" }, "Library"),
        el("p", { class: "sv-intro", "data-part": "intro" }, explained(this.setup.intro)),
        el(
          "div",
          { class: "sv-boxes" },
          el(
            "section",
            screen,
            el("h2", {}, "On screen now"),
            this.onScreen,
            el("div", { class: "sv-row" }, this.saveRace, share)
          ),
          el("section", open, el("h2", {}, "Open"), this.dropArea())
        ),
        this.alert,
        this.done,
        el("div", bar2, this.count, this.actions),
        this.shelves.element,
        this.figures.element
      );
    }
    dropArea() {
      const input = el("input", {
        type: "file",
        class: "sv-hidden",
        id: "sv-library-file",
        accept: ".json,application/json",
        multiple: true,
        onchange: () => {
          this.openFiles([...input.files ?? []]);
          input.value = "";
        }
      });
      const label = el("label", { for: "sv-library-file", class: "sv-do" }, "Open a saved trace or race");
      const size = megabytes(this.setup.largest);
      const hint = `or drop it here. JSON, up to ${size}; it is checked before anything of it is shown.`;
      const drop = el("div", { class: "sv-drop", "data-part": "open" }, input, label, el("span", {}, hint));
      drop.addEventListener("dragover", (event) => {
        event.preventDefault();
        drop.classList.add("over");
      });
      drop.addEventListener("dragleave", () => drop.classList.remove("over"));
      drop.addEventListener("drop", (event) => {
        event.preventDefault();
        drop.classList.remove("over");
        this.openFiles([...event.dataTransfer?.files ?? []]);
      });
      return drop;
    }
    listen() {
      subscribe("race", (race) => this.follow(race));
      subscribe("page", (page) => {
        if (page === "library") {
          this.accept();
          this.fill();
        } else if (page === "race" || page === "microscope") this.page = page;
      });
      const { shown: shown3 } = read();
      if (shown3) this.recall(shown3);
    }
    /** The race that the address names. @param {string} run */
    async recall(run) {
      const answer = await this.call("show", { run });
      if ("error" in answer) publish("show", { missing: answer.error });
      else {
        if (run.startsWith("file:")) this.mine.file.push(run);
        publish("show", answer.race);
      }
    }
    /** What is on screen elsewhere, and kept as a run of this visit. @param {RaceMessage} race */
    follow(race) {
      const names = race.lanes.flatMap((lane) => lane ? [lane.title] : []);
      const about = `${names.join(", ")}: “${(race.prompt || "").slice(0, 120)}”`;
      this.onScreen.textContent = names.length ? about : "Nothing yet: run a race.";
      this.saveRace.disabled = names.length === 0 || race.state === "running";
      if (race.state === "running") return;
      const { visit: visit2 } = this.mine;
      if (isMadeHere(race.run) && !visit2.includes(race.run)) visit2.unshift(race.run);
      if (visit2.length > MOST_RUNS) visit2.pop();
      this.figures.offer(race);
    }
    /** @param {ShelfRow[]} rows */
    pick(rows) {
      this.picked = rows;
      this.count.textContent = rows.length ? `${rows.length} picked` : `Pick up to ${this.setup.most} runs`;
      for (const button3 of this.actions) button3.disabled = rows.length < 1;
      this.actions[0].textContent = rows.length > 1 ? "Compare on the Race page" : "Show on the Race page";
    }
    /** @param {string} message */
    refuse(message) {
      this.alert.textContent = message;
      this.done.textContent = "";
    }
    accept(message = "") {
      this.alert.textContent = "";
      this.done.textContent = message;
    }
    /** @param {File[]} files */
    async openFiles(files) {
      this.accept();
      const opened = [];
      for (const file of files.slice(0, MOST_FILES)) {
        this.done.textContent = `Checking ${file.name} …`;
        const answer = await this.openFile(file);
        if ("error" in answer) {
          await this.fill();
          this.refuse(`${file.name}: ${answer.error}. Nothing was opened from it.`.replace("..", "."));
          return;
        }
        const { run } = answer.race;
        this.mine.file = [run, ...this.mine.file.filter((one) => one !== run)];
        opened.push(answer);
      }
      this.accept(`Opened ${opened.length === 1 ? files[0].name : `${opened.length} files`}.`);
      await this.fill();
      if (opened.length === 1) this.display(opened[0].race, opened[0].screen);
    }
    /** @param {File} file @returns {Promise<OpenedFile | Failure>} */
    async openFile(file) {
      const { largest } = this.setup;
      if (file.size === 0) return { error: "the file is empty" };
      if (file.size > largest) {
        return { error: `the file has ${megabytes(file.size)}; this page opens up to ${megabytes(largest)}` };
      }
      try {
        return await this.call("open", await file.text());
      } catch {
        return { error: "the file could not be read" };
      }
    }
    /** Put a race on screen, as it was seen when it was saved. @param {RaceMessage} race @param {Screen} screen */
    display(race, screen) {
      publish("show", race);
      set(Object.fromEntries(STEP.map((name) => [name, screen[name] ?? null])));
      const { at } = read();
      go(screen.view === "microscope" ? "microscope" : "race");
      if (!at) return;
      const [lane, iteration, scene] = at;
      const kept = { replay: screen.replay ?? null, pins: pinsFromText(screen.pins ?? null) };
      publish("open", { lane, iteration, scene, kept });
    }
    /** @param {string} where */
    async present(where) {
      this.accept();
      const answer = await this.call("show", { lanes: this.picked.map(({ run, lane }) => [run, lane]) });
      if ("error" in answer) {
        await this.fill();
        this.refuse(answer.error);
        return;
      }
      publish("show", answer.race);
      go(where);
      if (where === "microscope") publish("open", { lane: 0, iteration: 0, scene: null });
    }
    /** @param {LaneName[]} lanes @param {Screen | null} screen */
    async save(lanes2, screen) {
      this.accept();
      if (!lanes2.length) {
        this.refuse("There is no race on screen yet.");
        return;
      }
      const answer = await this.call("save", screen ? { lanes: lanes2, screen } : { lanes: lanes2 });
      if ("error" in answer) {
        await this.fill();
        this.refuse(answer.error);
        return;
      }
      download(answer.name, answer.text);
      this.accept(`Saved ${answer.name}. ${answer.note || ""}`);
    }
    async fill() {
      const { mine } = this;
      const answer = await this.call("shelf", { runs: [...mine.visit, ...mine.file] });
      if ("error" in answer) {
        this.refuse(answer.error);
        return;
      }
      const kept = (runs) => runs.filter((run) => !answer.gone.includes(run));
      const rows = (runs) => runs.flatMap((run) => answer.rows.filter((row) => row.run === run));
      this.mine = { visit: kept(mine.visit), file: kept(mine.file) };
      const recorded = answer.rows.filter(({ run }) => run.startsWith("gallery:"));
      this.shelves.fill({ recorded, visit: rows(this.mine.visit), file: rows(this.mine.file) });
    }
  };
  function mountLibrary(root, island) {
    new LibraryPage(root, island);
  }

  // src/microscope/chooser.js
  var Chooser = class {
    /** @param {(lane: number, iteration: number) => void} onchoose */
    constructor(onchoose) {
      this.onchoose = onchoose;
      this.lane = 0;
      this.iteration = 0;
      this.key = "";
      this.lanes = el("div", { class: "sv-lanes", role: "group", "aria-label": "Lane" });
      const pick = () => {
        onchoose(this.lane, Number(this.number.value));
      };
      this.number = el("select", { "aria-label": "Iteration", onchange: pick });
      this.earlier = this.stepButton("Previous iteration", "‹", -1);
      this.later = this.stepButton("Next iteration", "›", 1);
      this.of = el("span", {});
      this.element = el(
        "div",
        { class: "sv-choose", "data-part": "chooser" },
        this.lanes,
        el(
          "div",
          { class: "sv-iteration" },
          el("span", {}, "Iteration"),
          this.earlier,
          this.number,
          this.of,
          this.later
        )
      );
    }
    /** @param {string} label @param {string} sign @param {number} direction */
    stepButton(label, sign, direction) {
      const onclick = () => this.onchoose(this.lane, this.iteration + direction);
      return el("button", { type: "button", "aria-label": label, onclick }, sign);
    }
    /** One lane, with its guarantee meter. @param {LaneView | null} view @param {number} which */
    laneChoice(view, which) {
      const attributes = { type: "button", disabled: !view?.iterations, onclick: () => this.onchoose(which, 0) };
      const button3 = el("button", attributes, `${which + 1}  ${view ? view.title : "…"}`);
      const about = view && meter(view.method, { options: view.options, guarantee: view.guarantee });
      return el("span", { class: "sv-lane-choice" }, button3, about);
    }
    /** @param {RaceMessage} race @param {number} lane @param {number} iteration */
    show(race, lane, iteration) {
      this.lane = lane;
      this.iteration = iteration;
      const about = race.lanes.map((one) => one && [one.method, one.title, one.options, one.iterations > 0]);
      const key = JSON.stringify([race.run, about]);
      if (key !== this.key) this.lanes.replaceChildren(...race.lanes.map((one, at) => this.laneChoice(one, at)));
      this.key = key;
      [...this.lanes.children].forEach((choice, at) => {
        choice.firstElementChild?.setAttribute("aria-pressed", String(at === lane));
      });
      const view = race.lanes[lane];
      if (view) this.showIteration(view);
    }
    /** @param {LaneView} view */
    showIteration({ iterations }) {
      const option = (_, at) => el("option", { value: at }, at + 1);
      if (this.number.childElementCount !== iterations) {
        this.number.replaceChildren(...Array.from({ length: iterations }, option));
      }
      this.number.value = String(this.iteration);
      this.of.textContent = `of ${iterations}`;
      this.earlier.disabled = this.iteration === 0;
      this.later.disabled = this.iteration >= iterations - 1;
    }
  };

  // src/microscope/sheet.js
  var SHARP = 1400;
  var LINE3 = 18;
  function wrapped(text, most) {
    const lines = [""];
    for (const word of text.split(" ")) {
      const last = lines[lines.length - 1];
      if (last && last.length + word.length >= most) lines.push(word);
      else lines[lines.length - 1] += (last ? " " : "") + word;
    }
    return lines;
  }
  function sheet(gd, title) {
    const style = getComputedStyle(
      /** @type {Element} */
      document.querySelector(".sv-island")
    );
    const layout = structuredClone(gd.layout);
    const top = layout.margin?.t ?? 80;
    const lines = wrapped(title, layout.width / 8);
    const room = 16 + LINE3 * lines.length;
    layout.margin = { ...layout.margin, t: top + room };
    layout.height += room;
    layout.paper_bgcolor = style.getPropertyValue("--sv-paper").trim();
    const heading = {
      text: `<b>${lines.map(markup).join("<br>")}</b>`,
      showarrow: false,
      xref: "paper",
      yref: "paper",
      x: 0,
      y: 1,
      xanchor: "left",
      yanchor: "bottom",
      xshift: 10 - gd._fullLayout._size.l,
      yshift: top + 8,
      align: "left",
      font: { size: 14, color: style.getPropertyValue("--sv-ink").trim() }
    };
    layout.annotations = [...layout.annotations || [], heading];
    return { data: gd.data, layout };
  }
  async function image(gd, format, title) {
    const figure = sheet(gd, title);
    const { width, height } = figure.layout;
    const scale2 = format === "png" ? Math.max(2, SHARP / width) : 1;
    const url = await Plotly.toImage(figure, { format, width, height, scale: scale2 });
    const content = url.slice(url.indexOf(",") + 1);
    if (format === "svg") return new Blob([decodeURIComponent(content)], { type: "image/svg+xml" });
    return new Blob([bytesOf(content)], { type: "image/png" });
  }

  // src/microscope/save-menu.js
  var TYPES = { html: "text/html", json: "application/json", pdf: "application/pdf" };
  var NOTE = "The HTML file and the trace hold the recorded step, not the replayed one. Figures are saved as they are on screen.";
  var SaveMenu = class {
    /** @param {SaveOptions} options */
    constructor(options) {
      this.on = options;
      this.progress = el("p", { class: "sv-saving", role: "status" });
      this.pictures = el("div", { class: "sv-pictures" });
      this.note = el("p", { class: "sv-save-note", hidden: true }, NOTE);
      this.items = this.menuItems();
      const ontoggle = () => this.refresh();
      const summary = el("summary", { class: "sv-chip" }, "Save");
      const attributes = { class: "sv-save", "data-part": "save", ontoggle };
      this.element = el("details", attributes, summary, this.items);
      this.element.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !this.element.open) return;
        this.element.open = false;
        summary.focus();
      });
      document.addEventListener("pointerdown", ({ target }) => {
        if (target instanceof Node && !this.element.contains(target)) this.element.open = false;
      });
    }
    menuItems() {
      const writeStep = () => this.fromServer("step", { scene: this.on.step().scene });
      const writeTrace = () => this.fromServer("trace", {});
      const print = () => {
        this.element.open = false;
        window.print();
      };
      const item = (onclick, label, about = "") => el("button", { type: "button", class: "sv-item", onclick }, label, about ? el("small", {}, about) : null);
      return el(
        "div",
        { class: "sv-save-items" },
        item(
          (event) => this.busy(event, "Writing the HTML file, some megabytes …", writeStep),
          "This step as one HTML file",
          "Opens offline, with the same player"
        ),
        this.pictures,
        item(
          (event) => this.busy(event, "Writing the trace …", writeTrace),
          "The lane’s trace as JSON",
          "Opens again in the Library"
        ),
        item(print, "Print this step …"),
        linkButton(() => go("library")),
        this.note,
        this.progress
      );
    }
    /** @param {string} call @param {object} more */
    async fromServer(call, more) {
      const answer = JSON.parse(await this.on.server[call](this.on.request(more)));
      if ("error" in answer) throw new Error(answer.error);
      const content = answer.base64 === void 0 ? answer.text ?? "" : bytesOf(answer.base64);
      download(answer.name, content, TYPES[answer.name.split(".").pop() ?? ""]);
    }
    /** @param {Event} event @param {string} text @param {() => Promise<void>} work */
    async busy({ currentTarget }, text, work) {
      if (this.element.hasAttribute("aria-busy") || !(currentTarget instanceof Element)) return;
      this.element.setAttribute("aria-busy", "true");
      currentTarget.classList.add("busy");
      this.progress.textContent = text;
      this.on.tell("");
      try {
        await work();
        this.progress.textContent = "Saved.";
      } catch (error) {
        this.progress.textContent = "";
        const message = error instanceof Error ? error.message : "";
        this.on.tell(message || "The server did not answer. Try again.");
      }
      currentTarget.classList.remove("busy");
      this.element.removeAttribute("aria-busy");
    }
    /** @param {string} panel @param {string} key of its figure @param {'png' | 'svg'} format */
    async savePicture(panel, key, format) {
      const plot = this.on.plot(panel);
      if (!plot) return;
      const { stem, title, replayed } = this.on.step();
      const heading = `${PANELS[panel].heading[0]}. ${title}${replayed ? " (replayed)" : ""}`;
      download(`${stem}-${key}.${format}`, await image(plot, format, heading));
    }
    /** @param {string} key of a figure */
    savePdf(key) {
      const { scene, replayed } = this.on.step();
      return this.fromServer("figure", { figure: key, scene, format: "pdf", ...replayed });
    }
    /** The buttons of one panel's figure. @param {string} panel @param {string} key */
    picture(panel, key) {
      const [name] = PANELS[panel].heading;
      const button3 = (format, work) => {
        const label = format.toUpperCase();
        const onclick = (event) => this.busy(event, `Drawing the ${label} …`, work);
        return el("button", { type: "button", class: "sv-chip", "aria-label": `${name} as ${label}`, onclick }, label);
      };
      return el(
        "div",
        { role: "group", "aria-label": name },
        el("span", {}, name),
        button3("png", () => this.savePicture(panel, key, "png")),
        button3("svg", () => this.savePicture(panel, key, "svg")),
        button3("pdf", () => this.savePdf(key))
      );
    }
    /** What is on screen has changed. */
    refresh() {
      if (!this.element.open) return;
      const { replayed, figures } = this.on.step();
      this.progress.textContent = "";
      this.note.hidden = !replayed;
      const shown3 = Object.entries(figures).filter(([panel]) => this.on.plot(panel));
      this.pictures.replaceChildren(...shown3.map(([panel, key]) => this.picture(panel, key)));
    }
  };

  // src/microscope/dial.js
  var SLIDE = 2;
  function sliderEnd({ kind, low, high, whole: whole2 }) {
    if (whole2 || kind === "choice" || kind === "flag" || !Number.isFinite(low) || !Number.isFinite(high)) return null;
    return Math.min(
      /** @type {number} */
      high,
      SLIDE
    );
  }
  var Dial = class {
    /** @param {string} id @param {DialKind} about @param {(value: any) => void} onchange */
    constructor(id, about, onchange) {
      const { label, help } = about;
      this.about = about;
      this.onchange = onchange;
      this.listed = about.kind === "choice" || about.kind === "flag";
      const end = sliderEnd(about);
      this.range = end === null ? null : this.slider(end);
      this.field = this.listed ? this.choices(id) : this.number(id);
      const again = () => {
        this.put(about.recorded);
        this.field.focus();
      };
      const recorded = `as recorded: ${short(about.recorded)}`;
      this.back = el("button", { type: "button", class: "sv-chip", onclick: again }, recorded);
      this.element = el(
        "div",
        { class: "sv-knob", "data-name": id },
        el("label", { for: id, "data-tip": help || null, tabindex: help ? 0 : null }, label),
        this.range && el("span", { class: "sv-slide" }, this.range, this.mark(end)),
        this.field,
        this.back
      );
    }
    /** @param {number} end */
    slider(end) {
      const oninput = () => {
        this.put(Number(range.value));
      };
      const label = `${this.about.label}, as a slider`;
      const attributes = { type: "range", min: this.about.low, max: end, step: 0.01, "aria-label": label, oninput };
      const range = el("input", attributes);
      return range;
    }
    /** Where the recorded value stands on the slider. @param {number | null} end */
    mark(end) {
      const { recorded, low } = this.about;
      if (end === null || typeof low !== "number" || typeof recorded !== "number" || recorded > end) return null;
      const at = `${100 * (recorded - low) / (end - low)}%`;
      const title = `recorded: ${short(recorded)}`;
      return el("i", { class: "sv-mark-recorded", "aria-hidden": "true", title, style: { "--at": at } });
    }
    /** @param {string} id */
    choices(id) {
      const flag = this.about.kind === "flag";
      const choices = flag ? [true, false] : this.about.choices ?? [];
      const onchange = () => {
        this.put(flag ? field.value === "true" : field.value);
      };
      const options = choices.map((choice) => el("option", { value: String(choice) }, short(choice)));
      const field = el("select", { id, onchange }, options);
      return field;
    }
    /** @param {string} id */
    number(id) {
      const { low, high, whole: whole2, optional } = this.about;
      const oninput = () => {
        const text = field.value.trim();
        if (text === "" && !(optional && !field.validity.badInput)) return;
        this.put(text === "" ? null : Number(text), field);
      };
      const bounds = { min: low, max: high, step: whole2 ? 1 : "any", placeholder: optional ? "off" : null };
      const field = el("input", { id, type: "number", ...bounds, autocomplete: "off", oninput });
      return field;
    }
    /**
     * Show a value; `source` is where it was typed, which stays as it is.
     * @param {any} value
     * @param {HTMLElement} [source]
     */
    write(value, source) {
      const { recorded } = this.about;
      if (this.range && value !== null) this.range.value = String(value);
      const text = this.listed ? String(value) : short(value);
      if (this.field !== source) this.field.value = value === null ? "" : text;
      this.back.hidden = recorded === void 0 || sameValue(value, recorded);
    }
    /** @param {any} value @param {HTMLElement} [source] */
    put(value, source) {
      this.write(value, source);
      this.onchange(value);
    }
  };

  // src/microscope/what-if.js
  var WAIT = 120;
  var MANY = 4;
  var HELP = "What if a coin or a setting had been different? Change something: the same guesses are judged again, from the record alone.";
  var lineElement = (line) => el(
    "span",
    { class: "sv-line" },
    line.length === 0 ? el("i", { class: "sv-blank" }, "nothing yet") : null,
    line.map(([piece, origin]) => el("span", { class: `sv-token ${origin || "plain"}` }, marked(piece)))
  );
  var side = (title, lines) => el("div", {}, el("dt", {}, title), el("dd", {}, lines.map(lineElement)));
  var upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  var none = () => ({ coins: {}, options: {} });
  var WhatIf = class {
    /** @type {Changeable} */
    known = { coins: [], options: [], reason: null };
    wanted = none();
    /** @type {CoinSetup[]} */
    coins = [];
    // of the verdict on screen, recorded or replayed
    /** @type {Set<string>} */
    scenes = /* @__PURE__ */ new Set();
    at = "";
    turn = 0;
    // answers to older questions are dropped
    timer = 0;
    busy = false;
    again = false;
    shown = false;
    // whether a replay is on screen
    coin = el("div", { class: "sv-coins" });
    options = el("div", { class: "sv-dials-row" });
    reason = el("p", { class: "sv-whatif-reason" });
    refused = el("p", { class: "sv-alert", role: "alert" });
    panel = el(
      "section",
      { class: "sv-whatif", id: "sv-whatif", hidden: true, "aria-label": "What if?" },
      el("p", { class: "sv-whatif-help" }, HELP),
      [this.coin, this.options, this.reason, this.refused]
    );
    button = el(
      "button",
      {
        type: "button",
        class: "sv-chip",
        "data-part": "replay",
        "aria-expanded": "false",
        "aria-controls": "sv-whatif",
        onclick: () => this.open(Boolean(this.panel.hidden))
      },
      "What if?"
    );
    said = el("p", {});
    sides = el("dl", { class: "sv-sides" });
    banner = el(
      "section",
      { class: "sv-replayed", hidden: true, "aria-label": "Replayed" },
      el("div", { role: "status" }, this.said),
      this.sides,
      el("button", { type: "button", class: "sv-chip", onclick: () => this.leave() }, "Back to the record")
    );
    element = el("div", { "data-part": "replay" }, this.panel, this.banner);
    /** @param {WhatIfOptions} options */
    constructor(options) {
      this.on = options;
    }
    /** @param {boolean} on */
    open(on) {
      this.panel.hidden = !on;
      this.button.setAttribute("aria-expanded", String(on));
    }
    /** @param {'coins' | 'options'} kind @param {string | number} name @param {any} value @param {any} recorded */
    change(kind, name, value, recorded) {
      if (recorded !== void 0 && sameValue(value, recorded)) delete this.wanted[kind][name];
      else this.wanted[kind][name] = value;
      this.on.onaddress(changesToText(this.wanted));
      clearTimeout(this.timer);
      if (countChanges(this.wanted)) this.timer = setTimeout(() => this.send(), WAIT);
      else this.undo();
    }
    async send() {
      if (this.busy) {
        this.again = true;
        return;
      }
      this.busy = true;
      this.panel.setAttribute("aria-busy", "true");
      const mine = this.turn;
      let answer = { error: NO_ANSWER };
      try {
        answer = await this.on.ask(structuredClone(this.wanted));
      } catch {
      }
      this.busy = false;
      this.panel.removeAttribute("aria-busy");
      if (mine === this.turn) this.show(answer);
      if (!this.again) return;
      this.again = false;
      if (countChanges(this.wanted)) this.send();
    }
    /** @param {ReplayAnswer | Failure} answer */
    show(answer) {
      this.refused.textContent = "error" in answer ? answer.error : "";
      if ("error" in answer) {
        this.open(true);
        this.restore();
        return;
      }
      this.shown = true;
      this.coins = answer.coins;
      this.said.textContent = answer.said;
      this.sides.replaceChildren(side("Recorded", answer.recorded), side("Now", answer.now));
      this.banner.hidden = false;
      this.on.onreplay(answer);
    }
    /** The recorded step again; what was typed stays. */
    restore() {
      this.banner.hidden = true;
      this.coins = this.known.coins;
      if (!this.shown) return;
      this.shown = false;
      this.on.onrecord();
    }
    undo() {
      this.forget();
      this.on.onaddress(null);
      this.refused.textContent = "";
      this.restore();
    }
    /** Back to the record. */
    leave() {
      this.undo();
      this.drawOptions();
      this.drawCoin(true);
      this.button.focus();
    }
    forget() {
      this.turn++;
      clearTimeout(this.timer);
      this.wanted = none();
      this.again = false;
    }
    drawOptions() {
      const dials = this.known.options.map((option) => {
        const { name, value } = option;
        const changed = (now) => this.change("options", name, now, value);
        const about = { ...option, label: option.label ?? name, recorded: value };
        const dial2 = new Dial(`sv-whatif-${name}`, about, changed);
        dial2.write(name in this.wanted.options ? this.wanted.options[name] : value);
        return dial2.element;
      });
      this.options.replaceChildren(...dials);
    }
    /** The coins of the scene on screen; `anew`: even where they are drawn. @param {boolean} anew */
    drawCoin(anew) {
      const here2 = this.coins.filter((one) => one.scene === this.at);
      const key = [this.at, ...here2.map((one) => one.decision)].join();
      if (!anew && this.coin.dataset.key === key) return;
      this.coin.dataset.key = key;
      this.coin.replaceChildren(...here2.length ? here2.map((one) => this.coinDial(one)) : this.elsewhere());
    }
    /** @param {CoinSetup} coin */
    coinDial({ decision, label, help, uniform }) {
      const recorded = this.known.coins.find((other) => other.decision === decision)?.uniform;
      const about = { label: upper(label), help, low: 0, high: 1, recorded };
      const changed = (value) => this.change("coins", decision, value, recorded);
      const dial2 = new Dial(`sv-whatif-coin-${decision}`, about, changed);
      dial2.write(decision in this.wanted.coins ? this.wanted.coins[decision] : uniform);
      return dial2.element;
    }
    /** Where the coins are when none is here. @returns {(Node | string)[]} */
    elsewhere() {
      const found = this.coins.filter((one) => this.scenes.has(one.scene));
      if (!found.length) return this.known.reason || !this.known.options.length ? [] : ["No coin falls in this step."];
      return ["No coin falls on this screen.", ...this.links(found)];
    }
    /** @param {CoinSetup[]} found @returns {Node[]} */
    links(found) {
      if (found.length <= MANY) {
        return found.map(({ scene, label }) => {
          const go2 = { type: "button", class: "sv-chip", onclick: () => this.on.ongo(scene) };
          return el("button", go2, `Go to the ${label}`);
        });
      }
      const first = el("option", { value: this.at, disabled: true, selected: true }, "Go to …");
      const items = found.map(({ scene, label }) => el("option", { value: scene }, label));
      const list = el(
        "select",
        { "aria-label": "Go to a coin", onchange: () => void this.on.ongo(list.value) },
        first,
        items
      );
      return [list];
    }
    /**
     * A recorded step is on screen: what can be changed of it, and what the address (or null) wants changed. True if
     * that is asked for now.
     * @param {Changeable} changeable
     * @param {string | null} [wish]
     */
    load(changeable, wish = null) {
      this.forget();
      this.known = changeable;
      this.coins = changeable.coins;
      this.shown = false;
      this.banner.hidden = true;
      this.refused.textContent = "";
      this.reason.textContent = changeable.reason || "";
      this.reason.hidden = !changeable.reason;
      if (wish) this.wanted = changesFromText(wish);
      this.on.onaddress(changesToText(this.wanted));
      this.drawOptions();
      this.drawCoin(true);
      if (countChanges(this.wanted) === 0) return false;
      this.open(true);
      this.send();
      return true;
    }
    /** The scene on screen, of the scenes there are. @param {string} key @param {string[]} all */
    scene(key, all) {
      this.at = key;
      this.scenes = new Set(all);
      this.drawCoin(false);
    }
    /** What is changed on screen, or null. */
    changes() {
      return this.shown ? structuredClone(this.wanted) : null;
    }
  };

  // src/microscope/page.js
  var CACHED = 60;
  var TEXT = "The lane’s text; the tokens of this iteration are marked";
  var JUDGE = "The Same forest page: what each verifier keeps of these very guesses";
  var AIM = "One iteration, step by step: what the draft guessed, what the target made of it, and why each token was kept or not. Arrow keys step.";
  var shown2 = () => pageNow() === "microscope";
  var pinned = () => pinsFromText(get("pins"));
  var keepPins = (pins) => {
    if (shown2()) set({ pins: pins.length ? pins.join(",") : null });
  };
  var MicroscopePage = class {
    chooser = new Chooser((lane, iteration) => this.choose(lane, iteration));
    text = el("p", { class: "sv-context", "data-part": "text", role: "group", tabindex: 0, "aria-label": TEXT });
    alert = el("div", { class: "sv-alert", role: "alert" });
    stage = el("div", { class: "sv-step" });
    busy = el("p", { class: "sv-empty", role: "status", hidden: true }, "Opening the iteration …");
    empty = el("p", { class: "sv-empty" }, "No race to look into yet. Run one on the Race page.");
    paper = el("p", { class: "sv-paper", "aria-hidden": "true" });
    // what a printed sheet is about
    judge = el(
      "button",
      { type: "button", class: "sv-chip", "data-part": "judge", "data-tip": JUDGE, onclick: () => this.judgeForest() },
      "Judge this forest with every verifier"
    );
    /** @type {Map<string, Promise<MicroscopePayload | Failure>>} */
    cache = /* @__PURE__ */ new Map();
    /** @type {RaceMessage | null} */
    race = null;
    lane = 0;
    iteration = 0;
    asked = 0;
    /** @type {Spot | null} */
    wanted = 0;
    // the scene to show once the payload is here
    /** @type {MicroscopePayload | null} */
    record = null;
    // the payload of the recorded step on screen
    /** @type {IterationPayload | null} */
    onstage = null;
    // the payload on screen, recorded or replayed
    start = read();
    wish = this.start.form ? null : this.start.at;
    // where the address wants to be
    /** @type {Restore | null} */
    restore = this.start.at && {
      at: this.start.at.slice(0, 2).join("."),
      replay: get("replay"),
      pins: pinned()
    };
    /** @param {HTMLElement} root @param {Island} island */
    constructor(root, { server }) {
      this.server = server;
      this.player = this.newPlayer();
      this.whatIf = this.newWhatIf();
      this.save = this.newSaveMenu();
      const aim = el("p", { class: "sv-aim", "data-part": "chooser" }, explained(AIM));
      const tools = el("div", { class: "sv-steptools" }, this.whatIf.button, this.judge, this.save.element);
      this.top = el("div", { class: "sv-top" }, this.chooser.element, aim, tools);
      const heading = el("h1", { class: "sv-hidden" }, "Microscope");
      const parts = [this.top, this.text, this.alert, this.whatIf.element, this.busy, this.stage];
      root.replaceChildren(el("div", { class: "sv-page sv-microscope" }, heading, this.paper, this.empty, parts));
      for (const part of ["story", "panels"]) this.stage.querySelector(`.sv-${part}`)?.setAttribute("data-part", part);
      this.listen();
      this.frame();
    }
    judgeForest() {
      if (!this.race) return;
      publish("forest-from", { run: this.race.run, lane: this.lane, iteration: this.iteration });
      go("forest");
    }
    newPlayer() {
      return new Player(this.stage, {
        onscene: (scene) => this.sceneShown(scene),
        onpins: keepPins,
        onedge: (direction) => this.pastEdge(direction)
      });
    }
    /** @param {Scene} scene */
    sceneShown({ key }) {
      const keys2 = this.onstage ? this.onstage.scenes.map((one) => one.key) : [];
      this.whatIf.scene(key, keys2);
      this.save.refresh();
      if (shown2()) writeAt(this.lane, this.iteration, key);
    }
    /** To the iteration before or after this one. @param {number} direction */
    pastEdge(direction) {
      const next = this.iteration + direction;
      const view = this.view();
      if (!view || next < 0 || next >= view.iterations) return;
      this.restore = null;
      this.open(this.lane, next, direction > 0 ? 0 : -1);
    }
    newWhatIf() {
      return new WhatIf({
        ask: async (changes) => JSON.parse(await this.server.replay(this.request(changes))),
        onreplay: ({ payload }) => this.put(payload, this.wanted ?? this.sceneNow(), true),
        onrecord: () => this.record && this.put(this.record, this.sceneNow(), false),
        ongo: (key) => this.onstage && this.put(this.onstage, key),
        onaddress: (changes) => {
          if (shown2()) set({ replay: changes });
        }
      });
    }
    newSaveMenu() {
      return new SaveMenu({
        step: () => this.onScreen(),
        plot: (panel) => this.player.gd(panel),
        server: this.server,
        request: (more) => this.request(more),
        tell: (words) => {
          this.alert.textContent = words;
        }
      });
    }
    /** @returns {string | number} */
    sceneNow() {
      return this.player.scene()?.key ?? 0;
    }
    listen() {
      this.text.addEventListener("click", ({ target }) => {
        const at = closest(target, "[data-iteration]");
        if (at) this.choose(this.lane, Number(at.dataset.iteration));
      });
      subscribe("race", (race) => this.follow(race));
      subscribe("show", (race) => this.missing(race));
      subscribe("open", (asked) => this.openFor(asked));
      subscribe("page", (page) => {
        if (page === "microscope") this.reopen();
        else this.player.pause();
      });
      subscribe("dark", () => {
        if (this.player.scene() && this.race) this.reopen();
      });
    }
    /** @param {object} more */
    request(more) {
      const { lane, iteration } = this;
      return { run: this.race?.run, lane, iteration, dark: isDark(), ...more };
    }
    /** The reader's own choice. @param {number} lane @param {number} iteration */
    choose(lane, iteration) {
      this.restore = null;
      this.open(lane, iteration);
    }
    view() {
      return this.race?.lanes[this.lane] ?? null;
    }
    /** What the Save menu names and saves. */
    onScreen() {
      const scene = this.player.scene();
      const view = this.view();
      if (!scene || !view) throw new Error("No step is on screen.");
      const number = this.iteration + 1;
      return {
        stem: `specviz-${view.method}-iteration-${number}`,
        title: `${view.title}, iteration ${number}: ${scene.title}`,
        scene: scene.key,
        figures: scene.panels,
        replayed: this.whatIf.changes()
      };
    }
    /**
     * Show a payload from a scene; `replayed`: it is not the record.
     * @param {IterationPayload} next
     * @param {Spot} spot
     * @param {boolean} [replayed]
     */
    put(next, spot, replayed = Boolean(this.whatIf.changes())) {
      const at = typeof spot === "object" ? sceneOfToken(next, spot.token) : spot;
      const key = typeof at === "string" ? nearestScene(next.scenes, at, this.onstage?.scenes ?? []) : at;
      const pins = pinned().filter((node) => next.nodes.some((one) => one.node === node));
      this.onstage = next;
      this.wanted = null;
      this.stage.classList.toggle("replayed", replayed);
      this.player.load(next, key);
      this.player.pin(pins);
      keepPins(pins);
    }
    /**
     * A promise of the payload; asked once, refusals are not remembered.
     * @param {string} run
     * @param {number} lane
     * @param {number} iteration
     */
    fetchIteration(run, lane, iteration) {
      const dark = isDark();
      const key = [run, lane, iteration, dark].join();
      const known3 = this.cache.get(key);
      if (known3) return known3;
      const answer = ask(this.server, "iteration", { run, lane, iteration, dark });
      answer.then((payload) => "error" in payload && this.cache.delete(key));
      this.cache.set(key, answer);
      if (this.cache.size > CACHED) this.cache.delete(this.cache.keys().next().value ?? "");
      return answer;
    }
    /**
     * Look at an iteration from a scene on.
     * @param {number} lane
     * @param {number} iteration
     * @param {Spot} [spot]
     * @param {Kept | null} [kept] what is changed and pinned
     */
    async open(lane, iteration, spot = 0, kept = null) {
      const view = this.race?.lanes[lane];
      if (!this.race || !view) return;
      this.lane = lane;
      this.iteration = Math.max(0, Math.min(iteration, view.iterations - 1));
      this.wanted = spot;
      const turn = ++this.asked;
      this.frame();
      if (!shown2() || view.iterations === 0) return;
      this.stage.hidden ||= !this.player.scene();
      this.busy.hidden = !this.stage.hidden;
      const payload = await this.fetchIteration(this.race.run, lane, this.iteration);
      if (turn !== this.asked) return;
      this.busy.hidden = true;
      if ("error" in payload) this.refuse(payload);
      else this.arrived(payload, view, spot, kept);
    }
    /** @param {MicroscopePayload} payload @param {LaneView} view @param {Spot} spot @param {Kept | null} kept */
    arrived(payload, view, spot, kept) {
      const { lane, iteration, race, restore } = this;
      this.alert.replaceChildren();
      this.stage.hidden = false;
      const again = restore?.at === `${lane}.${iteration}` ? restore : kept;
      if (again === restore) this.restore = null;
      this.record = payload;
      this.judge.hidden = payload.nodes.length === 0;
      keepPins(again ? again.pins : []);
      const replaying = this.whatIf.load(payload.changeable, again && again.replay);
      this.put(payload, this.wanted ?? 0, false);
      if (replaying) this.wanted = spot;
      if (race && iteration + 1 < view.iterations) this.fetchIteration(race.run, lane, iteration + 1);
    }
    /** Why there is nothing to see, and the way on. @param {Failure} failure */
    refuse(failure) {
      this.stage.hidden = true;
      this.alert.replaceChildren(failure.error);
      if (!this.race || failure.code !== "gone") return;
      const recorded = this.race.lanes.flatMap((one) => one ? [one.method] : []).join(",");
      const query2 = new URLSearchParams({ view: "microscope", recorded });
      this.alert.append(" ", el("a", { href: `?${query2}` }, "Look into the recorded runs instead"));
      if (!get("prompt")) return;
      const reload = (event) => {
        event.preventDefault();
        window.location.reload();
      };
      this.alert.append(" or ", el("a", { href: window.location.href, onclick: reload }, "run this race again"));
    }
    /** Everything around the player, for the lane and the iteration chosen. */
    frame() {
      const { race, iteration } = this;
      const there = Boolean(race?.lanes.some((one) => one && one.iterations));
      this.empty.hidden = there;
      for (const part of [this.top, this.text]) part.hidden = !there;
      if (!there) this.stage.hidden = true;
      if (race) this.chooser.show(race, this.lane, iteration);
      const view = this.view();
      if (!race || !view) return;
      const about = `${view.title}, iteration ${iteration + 1} of ${view.iterations}`;
      this.paper.replaceChildren(el("b", {}, about), ` after “${race.prompt}”`);
      this.frameText(view);
    }
    /** The lane's text, with the tokens of the iteration in sight. @param {LaneView} view */
    frameText({ tokens }) {
      const { text } = this;
      const token = ([piece, origin, at]) => {
        const now2 = at === this.iteration ? " now" : "";
        return el("span", { class: `sv-token ${origin}${now2}`, "data-iteration": at }, marked(piece));
      };
      text.replaceChildren(...tokens.map(token));
      const now = text.querySelector(".now");
      if (!now) return;
      const down = now.getBoundingClientRect().top - text.getBoundingClientRect().top;
      text.scrollTop += down + 1;
    }
    /**
     * The step on screen once more, with all that is changed and pinned: in the other colours, or after another
     * page.
     */
    reopen() {
      const scene = this.player.scene();
      const kept = this.record && { replay: get("replay"), pins: pinned() };
      this.open(this.lane, this.iteration, this.wanted ?? (scene ? scene.key : 0), kept);
    }
    /** A race is on screen, perhaps another one. @param {RaceMessage} race */
    follow(race) {
      const other = this.race?.run !== race.run;
      this.race = race;
      if (other) {
        this.lane = Math.max(
          0,
          race.lanes.findIndex((one) => one && one.method !== "autoregressive")
        );
        Object.assign(this, { iteration: 0, wanted: 0, record: null });
      }
      const { shown: named } = this.start;
      if (this.wish && named && race.run !== named) this.wish = this.restore = null;
      if (this.wish) {
        const [lane, iteration, scene] = this.wish;
        this.wish = null;
        this.open(lane, iteration, scene || 0);
      } else if (other && shown2()) this.open(this.lane, this.iteration);
      else this.frame();
    }
    /** @param {RaceMessage | Missing} race */
    missing(race) {
      if ("missing" in race) this.alert.replaceChildren(race.missing, " ", "Recorded runs are shown below.");
    }
    /** @param {Opened} asked */
    openFor({ lane, iteration, scene, token = null, kept = null }) {
      this.open(lane, iteration, scene || (token === null ? 0 : { token }), kept);
    }
  };
  function mountMicroscope(root, island) {
    new MicroscopePage(root, island);
  }

  // src/parts/glossary.js
  var KEYS = [
    ["← →", "step back, step forward (in the player, in a lesson)"],
    ["Home End", "first step, last step"],
    ["Space", "play, pause"],
    ["Enter", "pin a token, or let it go; look into a token of a race"],
    ["Escape", "close, unpin"],
    ["Ctrl Enter", "run the race, while writing the prompt"],
    ["?", "this list"]
  ];
  var PARTS = "header, intro, form, legend, verdict, share, save, replay, judge, text, chooser";
  var IN_CLASS = [
    ["&present=1", "large type for a projector, as the Present button makes it"],
    ["&hide=form", `takes parts of the page away, several with commas; among them ${PARTS}`]
  ];
  var entry = (keys2, about) => el(
    "div",
    {},
    el(
      "dt",
      {},
      keys2.map((one) => el("kbd", {}, one))
    ),
    el("dd", {}, about)
  );
  function wordList(glossary) {
    const terms = Object.entries(glossary).sort(([a], [b]) => a.localeCompare(b, "en"));
    return el(
      "dl",
      {},
      terms.map(([term, about]) => el("div", {}, el("dt", {}, term), el("dd", {}, about)))
    );
  }
  function finder(list) {
    const find = el("input", {
      type: "text",
      role: "searchbox",
      placeholder: "Find a word",
      "aria-label": "Find a word",
      oninput: () => {
        const wanted2 = find.value.trim().toLowerCase();
        for (const one of list.querySelectorAll("div")) {
          one.hidden = !(one.textContent ?? "").toLowerCase().includes(wanted2);
        }
      }
    });
    return find;
  }
  function glossaryDialog(glossary) {
    const list = wordList(glossary);
    const find = finder(list);
    const keys2 = el(
      "dl",
      { class: "sv-keys" },
      KEYS.map(([key, about]) => entry(key.split(" "), about))
    );
    const inClass = el(
      "dl",
      { class: "sv-keys" },
      IN_CLASS.map(([key, about]) => entry([key], about))
    );
    const close = el(
      "button",
      { type: "button", class: "sv-quiet", "aria-label": "Close", onclick: () => void dialog.close() },
      "✕"
    );
    const body = el(
      "div",
      { class: "sv-glossary-body", tabindex: 0, role: "group", "aria-label": "Words and keys" },
      list,
      el("h2", {}, "Keys"),
      keys2,
      el("h2", {}, "In class: add to the address"),
      inClass
    );
    const head = el("div", { class: "sv-glossary-head" }, el("h2", { id: "sv-glossary-title" }, "Words"), find, close);
    const dialog = el("dialog", { class: "sv-glossary", "aria-labelledby": "sv-glossary-title" }, head, body);
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    return { dialog, find };
  }
  function glossaryButton(glossary) {
    const { dialog, find } = glossaryDialog(glossary);
    const open = () => {
      find.value = "";
      find.dispatchEvent(new Event("input"));
      dialog.showModal();
    };
    document.addEventListener("keydown", (event) => {
      const typing = closest(event.target, "input, textarea, select, [contenteditable]");
      if (event.key !== "?" || typing || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
      event.preventDefault();
      open();
    });
    const about = { "aria-haspopup": "dialog", "data-tip": "What the words mean, and the keys" };
    return [el("button", { type: "button", class: "sv-quiet", ...about, onclick: open }, "Words"), dialog];
  }

  // src/parts/header.js
  var ASKED_AGAIN = 600;
  var mark = () => svg(
    "svg",
    { viewBox: "0 0 32 24", class: "sv-mark", "aria-hidden": "true" },
    svg("path", { d: "M4 12 L15 5 M4 12 L15 19 M15 5 L27 5 M15 19 L27 19", class: "branch" }),
    svg("circle", { cx: 4, cy: 12, r: 3.2, class: "root" }),
    svg("circle", { cx: 15, cy: 5, r: 3.2, class: "kept" }),
    svg("circle", { cx: 27, cy: 5, r: 3.2, class: "kept" }),
    svg("rect", { x: 12, y: 16, width: 6, height: 6, class: "gone" }),
    svg("rect", { x: 24.5, y: 16.5, width: 5, height: 5, class: "ghost" })
  );
  var frame = () => svg(
    "svg",
    { viewBox: "0 0 16 16", class: "sv-icon", "aria-hidden": "true" },
    svg("path", { d: "M1 5 V1 H5 M11 1 H15 V5 M15 11 V15 H11 M5 15 H1 V11" })
  );
  function navigation(pages) {
    const follow = (event, name) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(name);
    };
    const links = pages.map(({ name, title }) => {
      const onclick = (event) => follow(event, name);
      return el("a", { href: `?view=${name}`, "data-name": name, onclick }, title);
    });
    subscribe("page", (page) => {
      for (const link of links) {
        if (link.dataset.name === page) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
    });
    return el("nav", { "aria-label": "Pages" }, links);
  }
  function presentButton() {
    const attributes = { type: "button", class: "sv-quiet", "data-tip": "Large type for a projector" };
    const button3 = el("button", { ...attributes, onclick: () => present(!isPresented()) }, frame(), "Present");
    const show = () => button3.setAttribute("aria-pressed", String(isPresented()));
    subscribe("present", show);
    show();
    return button3;
  }
  function modelStatus(server) {
    const element = el("p", { class: "sv-status", role: "status" });
    async function follow() {
      let answer = { state: "loading", text: "The server does not answer …", pair: null };
      try {
        answer = /** @type {any} */
        await server.status() || answer;
      } catch {
      }
      element.replaceChildren(el("span", {}, answer.text));
      element.dataset.tip = answer.text;
      element.dataset.state = answer.state;
      publish("models", answer);
      if (answer.state === "loading") setTimeout(follow, ASKED_AGAIN);
    }
    follow();
    return element;
  }
  function mountHeader(root, { props, server }) {
    const setup = JSON.parse(props.setup);
    publish("glossary", setup.glossary);
    publish("guarantees", setup.guarantees);
    const brand = el("a", { class: "sv-brand", href: "?" }, mark(), el("span", {}, "specviz"));
    const tools = el("div", { class: "sv-tools" }, glossaryButton(setup.glossary), presentButton(), themeButton());
    const header = { class: "sv-header", "data-part": "header" };
    root.replaceChildren(el("header", header, brand, navigation(setup.pages), modelStatus(server), tools));
    const wanted2 = get("view");
    const known3 = setup.pages.find(({ name }) => name === wanted2);
    go((known3 ?? setup.pages[0]).name);
  }

  // src/race/form.js
  function lengthWords(length, most) {
    if (length <= 0.8 * most) return "";
    return `${length.toLocaleString("en")} of ${most.toLocaleString("en")} characters`;
  }
  var RaceForm = class {
    /** @param {RaceSetup} setup @param {{onrun: () => void, onstop: () => void}} on */
    constructor(setup, { onrun, onstop }) {
      this.setup = setup;
      this.onrun = onrun;
      this.shared = setup.shared.map((option) => new OptionField(option, "shared"));
      this.plain = setup.numbers.map((option) => new OptionField(option, "form"));
      this.count = el("span", { class: "sv-count", "aria-live": "polite" });
      this.prompt = this.promptField();
      this.run = el("button", { type: "button", class: "sv-run", onclick: onrun }, "Run the race");
      this.stop = el("button", { type: "button", class: "sv-stop", hidden: true, onclick: onstop }, "Stop");
      this.element = this.layout();
    }
    promptField() {
      return el("textarea", {
        id: "sv-prompt",
        rows: 2,
        spellcheck: "false",
        dir: "auto",
        placeholder: "Type the beginning of a text …",
        "aria-describedby": "sv-alert",
        oninput: () => this.measure(),
        onkeydown: (event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          this.onrun();
        }
      });
    }
    layout() {
      const { setup, prompt, count, run, stop } = this;
      const examples = setup.examples.map(({ label: label2, prompt: text }) => {
        const take = () => {
          prompt.value = text;
          this.measure();
          prompt.focus();
        };
        return el("button", { type: "button", class: "sv-chip", onclick: take }, label2);
      });
      const label = el("label", { for: "sv-prompt", class: "sv-hidden" }, "Prompt");
      const fields = [...this.shared, ...this.plain].map((field) => field.element);
      return el(
        "form",
        { class: "sv-form", "data-part": "form", onsubmit: (event) => event.preventDefault() },
        el("div", { class: "sv-prompt", "data-field": "prompt" }, label, prompt, count),
        el("div", { class: "sv-actions" }, run, stop),
        el(
          "div",
          { class: "sv-settle" },
          el("div", { class: "sv-examples", role: "group", "aria-label": "Example prompts" }, examples),
          el("div", { class: "sv-shared", role: "group", "aria-label": "Options of all lanes" }, fields)
        )
      );
    }
    measure() {
      const { length } = this.prompt.value;
      const most = this.setup.limits.prompt;
      this.count.textContent = lengthWords(length, most);
      this.count.classList.toggle("over", length > most);
    }
    read() {
      return { prompt: this.prompt.value, shared: readAll(this.shared), ...readAll(this.plain) };
    }
    /**
     * What is missing stays as it is.
     * @param {{prompt?: unknown, shared?: Record<string, any>, [name: string]: any}} form
     */
    write(form) {
      if (typeof form.prompt === "string") this.prompt.value = form.prompt;
      for (const field of this.shared) {
        if (form.shared && field.name in form.shared) field.write(form.shared[field.name]);
      }
      for (const field of this.plain) if (form[field.name] !== void 0) field.write(form[field.name]);
      this.measure();
    }
    /** Run or Stop, one in place of the other: the focus stays there. @param {boolean} on */
    running(on) {
      const { run, stop } = this;
      const focused = document.activeElement === run || document.activeElement === stop;
      run.hidden = on;
      stop.hidden = !on;
      if (focused) (on ? stop : run).focus();
    }
  };

  // src/race/lane-result.js
  var HEIGHTS = { draft: [0.5, 0.5], target: [0, 1], verify: [0.75, 0.25] };
  var PENDING = "Not settled yet: the likeliest beam says this, and the beams still differ here.";
  var probabilityWords = (logprob) => logprob === null ? "the target gives it no probability" : `target probability ${Number(Math.exp(logprob).toPrecision(2))}`;
  function tokenElement([piece, origin, iteration, logprob], words, beams) {
    const when = `${beams ? "settled in " : ""}iteration ${iteration + 1}`;
    const name = piece.trim() === "" ? JSON.stringify(piece) : piece;
    const attributes = {
      class: `sv-token ${origin}`,
      role: "button",
      tabindex: -1,
      "data-iteration": iteration,
      dir: "auto",
      "aria-label": `${name}, ${words[origin]}`,
      "data-tip": `${words[origin]} · ${when} · ${probabilityWords(logprob)} · click to look inside`
    };
    return el("span", attributes, marked(piece));
  }
  function pendingElement(view) {
    const attributes = {
      class: "sv-token pending",
      role: "button",
      tabindex: -1,
      "data-iteration": view.iterations - 1,
      dir: "auto",
      "aria-label": `${view.pending.join("")}, not settled`,
      "data-tip": `${PENDING} Click to look inside the newest iteration.`
    };
    return el(
      "span",
      attributes,
      view.pending.map((piece) => marked(piece))
    );
  }
  function dialElement({ label, text, unit, help }) {
    const value = unit === "%" ? [`${text} %`] : [text, unit ? el("small", {}, unit) : null];
    return el("div", { class: "sv-dial", tabindex: 0, "data-tip": help }, el("dt", {}, label), el("dd", {}, value));
  }
  var LaneResult = class {
    /**
     * @param {number} number the lane's, from 1
     * @param {Record<string, string>} words of the origins
     * @param {(iteration: number, token: number | null) => void} onopen
     */
    constructor(number, words, onopen) {
      this.words = words;
      this.onopen = onopen;
      this.shown = "";
      this.tokens = 0;
      this.segments = 0;
      const label = `Text of lane ${number}: arrow keys walk its tokens, Enter looks inside`;
      this.text = el("p", { class: "sv-text", role: "group", "aria-label": label });
      this.note = el("p", { class: "sv-note" });
      this.dials = el("dl", { class: "sv-dials", "data-part": "dials" });
      const drawing = { class: "sv-track", viewBox: "0 0 1 1", preserveAspectRatio: "none", role: "img" };
      this.drawing = svg("svg", drawing);
      this.clock = el("span", { class: "sv-clock" });
      const time = el("div", { class: "sv-time", "data-part": "timeline" }, this.drawing, this.clock);
      this.element = el("div", { class: "sv-result" }, this.note, this.text, this.dials, time);
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
      if (at) this.onopen(Number(at.dataset.iteration), this.positionOf(at));
    }
    /** Arrow keys walk the tokens, Enter looks inside. @param {KeyboardEvent} event */
    walk(event) {
      const here2 = closest(event.target, ".sv-token");
      if (!here2) return;
      const ways = {
        ArrowRight: here2.nextElementSibling,
        ArrowLeft: here2.previousElementSibling,
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
        text.append(tokenElement(view.tokens[this.tokens], this.words, view.beams));
      }
      if (view.pending.length) text.append(pendingElement(view));
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
      this.clock.textContent = "";
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
      const clock = view.clock.toFixed(2);
      const label = `Timeline: ${view.iterations} iterations in ${clock} seconds of this lane's own clock`;
      this.note.textContent = stale ? `Result of ${view.title}: run the race to see the lane as it is set now.` : "";
      this.grow(view);
      this.dials.replaceChildren(...view.dials.map(dialElement));
      this.clock.textContent = `${clock} s`;
      this.drawing.setAttribute("aria-label", label);
      this.element.classList.toggle("finished", view.finished);
    }
    /** @param {number} seconds of the whole axis @param {LaneView | null} view */
    axis(seconds, view) {
      this.drawing.setAttribute("viewBox", `0 0 ${seconds} 1`);
      this.clock.style.left = `${100 * (view ? view.clock : 0) / seconds}%`;
    }
  };

  // src/race/ticks.js
  function ticksFor(clock) {
    if (!(clock > 0)) return [0, 0.5, 1];
    const unit = 10 ** Math.floor(Math.log10(clock / 5));
    const step = [1, 2, 2.5, 5, 10].map((k) => k * unit).find((size) => size >= clock / 5) ?? 10 * unit;
    return Array.from({ length: Math.ceil(clock * 1.01 / step) + 1 }, (_, k) => k * step);
  }
  function axis() {
    const element = el("div", { class: "sv-axis", "aria-hidden": "true", "data-part": "timeline" });
    const tick = (mark2, end) => el("span", { style: { left: `${100 * mark2 / end}%` } }, `${Number(mark2.toPrecision(3))} s`);
    return {
      element,
      /** @param {number[]} marks */
      draw(marks) {
        const end = marks[marks.length - 1];
        element.replaceChildren(...marks.map((mark2) => tick(mark2, end)));
      }
    };
  }

  // src/race/page.js
  var STATES = {
    recorded: "Recorded race",
    opened: "Opened runs",
    ready: "Ready to run",
    waiting: "Waiting for the device …",
    running: "Running …",
    finished: "Finished",
    stopped: "Stopped"
  };
  var PATIENCE = 6e3;
  var GONE2 = "The server does not answer any more, so this race is broken off. What you typed is still here: run again once the server is back.";
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
    const mark2 = el("b", { "aria-hidden": "true" }, PACE_MARKS[pace.kind]);
    element.replaceChildren(mark2, ...explained(pace.text));
  }
  var Summary = class {
    constructor() {
      this.verdict = el("ul", {});
      this.care = el("p", { class: "sv-care", hidden: true });
      this.element = el(
        "section",
        { class: "sv-verdict", hidden: true, "data-part": "verdict" },
        el("h2", {}, "What this race showed"),
        this.care,
        this.verdict
      );
    }
    /** @param {RaceMessage} race */
    show({ verdict, care }) {
      this.element.hidden = verdict.length === 0;
      this.care.hidden = !care;
      this.care.textContent = care || "";
      this.verdict.replaceChildren(...verdict.map((sentence) => el("li", {}, explained(sentence))));
    }
  };
  var RaceState = class {
    constructor() {
      this.element = el("span", { class: "sv-state", role: "status" }, STATES.ready);
      this.position = el("span", { class: "sv-queue-position", "aria-hidden": "true", hidden: true });
    }
    /** @param {string} text @param {string} which @param {number} [ahead] how many races are before this one */
    tell(text, which, ahead) {
      this.element.textContent = text;
      this.element.dataset.state = which;
      this.position.hidden = !ahead;
      this.position.textContent = ahead ? `${ahead} ahead` : "";
    }
  };
  var RacePage = class {
    alert = el("div", { id: "sv-alert", class: "sv-alert", role: "alert" });
    summary = new Summary();
    state = new RaceState();
    said = el("blockquote", { class: "sv-asked", dir: "auto" });
    deck = el("div", { class: "sv-deck" });
    scale = axis();
    add = el(
      "button",
      { type: "button", class: "sv-chip", "data-part": "form", onclick: () => this.addLane() },
      "+ Add a lane"
    );
    /** @type {LaneOnPage[]} */
    lanes = [];
    /** @type {(Form & {run: string}) | null} */
    sent = null;
    // the form of the run on its way
    left = "";
    // a run that was under way when another race was shown
    recalled = 0;
    heard = "";
    // the last message
    line = new Lifeline(() => this.lost());
    /** @param {HTMLElement} root @param {Island} island */
    constructor(root, { props, server, triggers }) {
      this.setup = JSON.parse(props.setup);
      this.root = root;
      this.props = props;
      this.server = server;
      this.triggers = triggers;
      this.words = Object.fromEntries(this.setup.legend.origins.map(({ name, word }) => [name, word]));
      const start = read();
      this.pending = start.form ? start.at : null;
      this.form = new RaceForm(this.setup, { onrun: () => this.run(), onstop: () => this.stop() });
      root.replaceChildren(this.build());
      this.begin(start);
    }
    build() {
      const { setup } = this;
      const intro = el("p", { class: "sv-intro", "data-part": "intro" }, explained(setup.intro));
      const share = linkButton(() => go("library"));
      const { position, element: state } = this.state;
      const results = el(
        "section",
        { class: "sv-results", "aria-label": "The race" },
        el("div", { class: "sv-headline" }, position, state, share, legendElement(setup.legend), this.said),
        this.deck,
        el("div", { class: "sv-foot" }, this.add, this.scale.element),
        this.summary.element
      );
      const heading = el("h1", { class: "sv-hidden" }, "Race");
      return el("div", { class: "sv-page" }, heading, intro, this.form.element, this.alert, results);
    }
    /** What the address asks for, or the race that the page comes with. @param {ReturnType<typeof link.read>} asked */
    begin(asked) {
      const { setup } = this;
      const recorded = !asked.form && !asked.shown && setup.recorded ? asked.recorded : null;
      const { lanes: lanes2, unknown, form } = startLanes(setup, asked.form, recorded);
      this.buildDeck(lanes2);
      this.form.write(form);
      if (unknown.length) {
        const names = unknown.map(({ method }) => `“${method.slice(0, 40)}”`).join(", ");
        this.alert.textContent = `The address asks for methods that this page does not have: ${names}.`;
      }
      subscribe("show", (race) => this.take(race));
      if (recorded) this.recall();
      else if (asked.shown) this.state.tell("Opening …", "waiting");
      else this.receive();
      if (asked.form && !unknown.length) this.run();
    }
    addLane() {
      this.buildDeck([...this.settings(), { method: this.setup.methods[0].name, options: {} }]);
      this.recall();
    }
    /** @param {number} index */
    removeLane(index) {
      this.buildDeck(this.settings().toSpliced(index, 1));
      this.recall();
    }
    settings() {
      return this.lanes.map(({ picker }) => picker.read());
    }
    /** While recorded lanes are on screen, they are those of the methods chosen. */
    async recall() {
      const names = this.lanes.map(({ picker }) => picker.method);
      const turn = ++this.recalled;
      const shown3 = latest("race");
      if (this.sent || !this.setup.recorded || shown3 && shown3.state !== "recorded") return;
      let answer = null;
      try {
        answer = JSON.parse(await this.server.recorded(names));
      } catch {
      }
      if (!answer || this.sent || turn !== this.recalled) return;
      writeRecorded(names);
      this.draw(answer);
      publish("race", answer);
    }
    /** Lanes with these settings. @param {Lane[]} chosen */
    buildDeck(chosen) {
      const { min_lanes: least, max_lanes: most } = this.setup.limits;
      this.lanes = chosen.map((lane, index) => {
        const picker = new LaneSettings(this.setup, index + 1, lane, {
          onremove: () => this.removeLane(index),
          onchange: () => {
            this.redraw();
            this.recall();
          }
        });
        picker.removable(chosen.length > least);
        const open = (iteration, token) => this.open(index, iteration, token);
        const result = new LaneResult(index + 1, this.words, open);
        return { picker, result, pace: el("p", { class: "sv-pace", "data-part": "verdict" }) };
      });
      this.deck.replaceChildren(
        ...this.lanes.map(({ picker, result, pace }, index) => {
          const outcome = el("div", { class: "sv-outcome" }, result.element, pace);
          return el("article", { class: "sv-lane", "aria-label": `Lane ${index + 1}` }, picker.element, outcome);
        })
      );
      this.add.hidden = this.lanes.length >= most;
      this.redraw();
    }
    /** @param {number} lane @param {number} iteration @param {number | null} token */
    open(lane, iteration, token) {
      go("microscope");
      publish("open", { lane, iteration, scene: null, token });
    }
    /** @returns {Form} */
    read() {
      return { ...this.form.read(), lanes: this.settings() };
    }
    /** @param {{field: string, message: string}} refusal */
    refuse({ field, message }) {
      this.accept();
      this.alert.textContent = message;
      const fields = [...this.root.querySelectorAll("[data-field]")].filter((one) => one instanceof HTMLElement);
      const holder = fields.find((element) => element.dataset.field === field);
      if (!holder) return;
      const options = holder.closest("details");
      if (options) options.open = true;
      const input = holder.querySelector("textarea, input, select");
      input?.setAttribute("aria-invalid", "true");
      if (field.startsWith("lane-")) {
        const wrong = el("small", { class: "sv-wrong", "aria-hidden": "true" }, message);
        holder.append(wrong);
      }
      if (input instanceof HTMLElement) input.focus();
    }
    accept() {
      this.alert.textContent = "";
      for (const marked2 of this.root.querySelectorAll("[aria-invalid]")) marked2.removeAttribute("aria-invalid");
      for (const said of this.root.querySelectorAll(".sv-wrong")) said.remove();
    }
    /** Why the form cannot be sent; null where it can. @param {Form} asked */
    refusal(asked) {
      const { prompt: most, min_lanes: least } = this.setup.limits;
      const size = asked.prompt.length;
      if (size > most) {
        const has = `The prompt has ${size.toLocaleString("en")} characters; this page takes up to `;
        const message = `${has}${most.toLocaleString("en")}. Nothing was lost: shorten it and run again.`;
        return { field: "prompt", message };
      }
      if (this.lanes.length >= least) return null;
      return { field: "lane-1-method", message: `A race has at least ${least} lanes: add one below, then run.` };
    }
    run() {
      if (this.sent) return;
      const asked = this.read();
      const refusal = this.refusal(asked);
      if (refusal) {
        this.refuse(refusal);
        return;
      }
      this.accept();
      this.sent = { ...asked, run: newRun() };
      this.form.running(true);
      this.state.tell(STATES.waiting, "waiting");
      this.triggers.run(this.sent);
      this.line.wait();
    }
    lost() {
      this.settle();
      this.state.tell("Broken off", "stopped");
      this.alert.textContent = GONE2;
    }
    stop() {
      if (!this.sent) return;
      const { run } = this.sent;
      this.state.tell("Stopping …", "waiting");
      this.server.stop(run).catch(() => {
      });
      setTimeout(() => {
        if (this.sent?.run !== run) return;
        this.settle();
        this.state.tell(STATES.stopped, "stopped");
      }, PATIENCE);
    }
    settle() {
      this.sent = null;
      this.line.rest();
      this.form.running(false);
    }
    /** @param {RaceMessage} race */
    draw(race) {
      const seconds = Math.max(0, ...race.lanes.map((lane) => lane ? lane.clock : 0));
      const marks = ticksFor(seconds);
      this.lanes.forEach((lane, index) => this.drawLane(lane, race, race.lanes[index] ?? null, marks));
      this.scale.draw(marks);
      const running = race.state === "running" && seconds ? ` ${seconds.toFixed(1)} s` : "";
      this.state.tell(race.note || STATES[race.state] + running, race.state);
      const asked = race.prompt || "";
      this.said.textContent = asked === this.form.read().prompt ? "" : asked;
      this.summary.show(race);
    }
    /** @param {LaneOnPage} lane @param {RaceMessage} race @param {LaneView | null} view @param {number[]} marks */
    drawLane({ picker, result, pace }, race, view, marks) {
      const same = Boolean(view && picker.method === view.method);
      if (view) result.update(race.run, view, !same);
      else result.clear();
      picker.showGuarantee(same ? view : null);
      result.axis(marks[marks.length - 1], view);
      showPace(pace, view && view.pace);
    }
    redraw() {
      const race = latest("race");
      if (race) this.draw(race);
    }
    receive() {
      const { value } = this.props;
      if (!value) return;
      const message = JSON.parse(value);
      if (this.sent && value !== this.heard) this.line.wait();
      this.heard = value;
      const other = this.sent && message.form !== this.sent.run;
      if (message.form && (message.form === this.left || other)) return;
      if (message.kind === "refused") {
        this.settle();
        this.state.tell(STATES.ready, "ready");
        this.refuse(message);
        this.redraw();
      } else if (message.kind === "waiting") this.state.tell(message.text, "waiting", message.queue_position);
      else this.show(message);
    }
    /** A race that came from the server. @param {RaceMessage} race */
    show(race) {
      const mine = this.sent !== null && race.run === this.sent.run;
      if (this.sent && mine && latest("race")?.run !== race.run) writeForm(this.sent);
      this.draw(race);
      publish("race", race);
      if (race.state === "finished" || race.state === "stopped") this.settle();
      if (!mine || !this.pending) return;
      const [lane, iteration, scene] = this.pending;
      const view = race.lanes[lane];
      if (!view || view.iterations <= iteration) return;
      this.pending = null;
      publish("open", { lane, iteration, scene });
    }
    /**
     * Take over a race from elsewhere: its lanes with their options, its prompt and its results.
     * @param {RaceMessage | Missing} race
     */
    take(race) {
      if (race === latest("race")) return;
      if ("missing" in race) {
        this.refuse({ field: "form", message: race.missing });
        this.state.tell(STATES.ready, "ready");
        this.receive();
        return;
      }
      if (this.sent) {
        this.left = this.sent.run;
        this.server.stop(this.left).catch(() => {
        });
        this.settle();
      }
      this.recalled++;
      this.pending = null;
      this.accept();
      this.form.write(optionsOf(race, this.form.read()));
      publish("race", race);
      const nothing2 = { method: this.setup.methods[0].name, options: {} };
      this.buildDeck(race.lanes.map((view) => view ? { method: view.method, options: view.options } : nothing2));
      this.remember(race);
    }
    /** How the address gives this race back. @param {RaceMessage} race */
    remember(race) {
      if (race.state === "recorded") {
        writeShown(null);
        writeRecorded(this.lanes.map(({ picker }) => picker.method));
      } else if (isMadeHere(race.run)) writeForm(this.read());
      else writeShown(race.run);
    }
  };
  function mountRace(root, island) {
    const page = new RacePage(root, island);
    island.watch("value", () => page.receive());
  }

  // src/page.js
  var mount = {
    header: mountHeader,
    race: mountRace,
    microscope: mountMicroscope,
    forest: mountForest,
    lessons: mountLessons,
    library: mountLibrary
  };
  document.querySelector("base")?.remove();
  subscribe("glossary", learn);
  installTooltip();
  installHistory();
  return __toCommonJS(page_exports);
})();
