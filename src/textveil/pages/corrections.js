// Corrections by hand: words that are chosen in a text, what is to be done with them, and the policy that says so.
// Words stand in lists: of one place, as they are written, or in any letter case. Nothing is kept but in this tab.

const SINGLE = String.raw`[\u3040-\u30ff\u3400-\u9fff]`;
const RUN = String.raw`(?:(?!${SINGLE})[\p{L}\p{M}\p{N}\p{Cf}_])+`;
const TOKEN = new RegExp(String.raw`${SINGLE}|${RUN}|\s+|[^]`, "gu");
const JOINED = new RegExp(String.raw`${SINGLE}|${RUN}(?:(?:://|[-.@/:'’](?!s\b))${RUN})*|\s+|[^]`, "giu");

/** Tokens {text, start, end, word} of a text, white space too; whole: "Smith-Jones" and 3/4/2024 are one, without 's. */
export function tokensOf(text, whole = false) {
  const tokens = [];
  for (const { 0: token, index } of text.matchAll(whole ? JOINED : TOKEN)) {
    tokens.push({ text: token, start: index, end: index + token.length, word: /[\p{L}\p{N}]/u.test(token) });
  }
  return tokens;
}

/** What two words share that a list takes for one; any: in any letter case. */
export function keyOf(token, any) {
  const plain = token.normalize("NFKD").replace(/[\p{Mn}\p{Cf}]/gu, "");
  return any ? plain.toLowerCase() : plain;
}

export const keysOf = (phrase, any) => tokensOf(phrase).filter((token) => token.text.trim()).map((token) => keyOf(token.text, any));

const [HERE, WRITTEN, ANY] = ["here only", "everywhere as written", "everywhere"];

/** Text in TOML. */
const quoted = (text) => `"${text.replace(/["\\]/g, "\\$&").replace(/[\u0000-\u001f\u007f]/g,
  (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;

/** What stands before and after a place of a text, so wide that the texts have it once; without what a list reads as its own. */
function around({ source, start, end }, texts) {
  let before, after;
  for (const width of [16, 32, 64, 128]) {
    before = source.slice(Math.max(0, start - width), start).replace(/^[\uDC00-\uDFFF]|^[^]*(?:\[\[|\]\])|^[^]*\[$/g, "");
    after = source.slice(end, end + width).replace(/[\uD800-\uDBFF]$|(?:\[\[|\]\])[^]*$/g, "");
    const whole = before + source.slice(start, end) + after;
    if (texts.reduce((times, text) => times + text.split(whole).length - 1, 0) < 2) break;
  }
  return [before, after];
}

/**
 * Marks by hand, each {phrase, keys, exact, kind, reach, place}: kind "" is what stays; place: {source, start, end}.
 *
 * base: the policy that they extend: {extends, name, toml, hides, kinds, listed, beside, draws_words}; toml "" where lists
 * alone can be offered; hides: TOML that goes before lists of what is hidden; listed: phrases of the policy's own lists.
 * texts: all of them, in which a place is told from others.
 */
export class Corrections {
  constructor(base, texts = null) {
    this.base = base;
    this.texts = texts;
    this.marks = [];
    this.saved = true;
    this.listed = new Set((base.listed ?? []).map((phrase) => keysOf(phrase, true).join("\n")));
  }

  /** Mark what was chosen, in place of the same mark with another kind; what speaks against it, or "". */
  add({ phrase, source, start, end }, kind, reach) {
    const plain = phrase.toWellFormed().replace(/\s+/g, " ").trim();
    const [keys, exact] = [true, false].map((any) => keysOf(plain, any).join("\n"));
    if (!keys) return "There is no word in it.";
    if (this.listed.has(keys)) return "A list of the policy holds it already. Change it in the policy's file.";
    const mark = { phrase: plain, keys, exact, kind, reach, place: { source, start, end } };
    const against = this.marks.find((other) => !same(mark, other) && (kind ? clash(mark, other) : clash(other, mark)));
    if (against) return `${against.phrase} is marked otherwise (${against.kind || "kept"}, ${against.reach}). Undo that first.`;
    this.marks = [...this.marks.filter((other) => !same(mark, other)), mark];
    this.saved = false;
    return "";
  }

  undo(mark) {
    this.marks = this.marks.filter((other) => other !== mark);
    this.saved = !this.marks.length;
  }

  /** Where marks act in a text, [{start, end, mark}]: places first, then the longest phrase where several begin. */
  places(text) {
    if (!this.marks.length) return [];
    const places = this.marks.filter((mark) => mark.reach === HERE && mark.place.source === text).map((mark) => ({ ...mark.place, mark }));
    const tokens = tokensOf(text).filter((token) => token.text.trim());
    const [any, written] = [true, false].map((all) => tokens.map((token) => keyOf(token.text, all)));
    const byFirst = new Map();
    for (const mark of this.marks.filter((each) => each.reach !== HERE)) {
      const keys = (mark.reach === ANY ? mark.keys : mark.exact).split("\n");
      byFirst.set(keys[0], [...(byFirst.get(keys[0]) ?? []), { mark, keys }]);
    }
    for (let [at, fixed] = [0, [...places]]; at < tokens.length; at++) {
      const begun = [...new Set([written[at], any[at]])].flatMap((key) => byFirst.get(key) ?? []);
      const fitting = begun.filter(({ mark, keys }) => keys.every((key, n) => (mark.reach === ANY ? any : written)[at + n] === key));
      if (!fitting.length) continue;
      const { mark, keys } = fitting.reduce((one, other) => (other.keys.length > one.keys.length ? other : one));
      const [start, end] = [tokens[at].start, tokens[at + keys.length - 1].end];
      if (!fixed.some((place) => place.start < end && start < place.end)) places.push({ start, end, mark });
      at += keys.length - 1;
    }
    return places.sort((one, other) => one.start - other.start);
  }

  /** The marks as lists of a policy. */
  tables() {
    const lists = new Map();
    for (const mark of this.marks) {
      const head = `${mark.kind ? `kind = ${quoted(mark.kind)}` : "keep = true"}\n${mark.reach === ANY ? "" : "match_case = true\n"}`;
      const [before, after] = mark.reach === HERE ? around(mark.place, this.texts ?? [mark.place.source]) : ["", ""];
      const word = mark.reach === HERE ? `${before}[[${mark.phrase}]]${after}` : mark.phrase;
      lists.set(head, `${lists.get(head) ?? ""}  ${quoted(word)},\n`);
    }
    return [...lists].sort().map(([head, words]) => `\n[[list]]\n${head}words = [\n${words}]\n`).join("");
  }

  /** A policy's file with the marks; the lists alone where the policy's own text is not at hand. */
  toml() {
    const head = this.base.toml || `# Add these lists to the file of the policy ${quoted(this.base.extends)}.\n`;
    const hides = this.marks.some((mark) => mark.kind) ? this.base.hides ?? "" : "";
    return `# Private: these lists hold words of the texts.\n${head}${hides}${this.tables()}`;
  }
}

const samePlace = (one, other) => one.place.source === other.place.source && one.place.start < other.place.end && other.place.start < one.place.end;

const same = (one, other) => one.reach === other.reach
  && (one.reach === HERE ? samePlace(one, other) : one.reach === ANY ? one.keys === other.keys : one.exact === other.exact);

/** Whether a mark that hides and one that keeps contradict each other: what a list hides is never kept. */
function clash(hides, keeps) {
  if (keeps.kind || hides.keys !== keeps.keys || !hides.kind) return false;
  if (hides.reach === HERE) return keeps.reach === HERE && samePlace(hides, keeps);
  return hides.reach === ANY || keeps.reach === ANY || hides.exact === keeps.exact;
}

/** Saves text as a file. */
export function save(name, text, type) {
  const link = made("a", { download: name });
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/* Text that is read and chosen from, and never edited */

/** Text of a range without what is shown as deleted. */
function lengthTo(root, node, offset) {
  const range = document.createRange();
  range.setStart(root, 0);
  range.setEnd(node, offset);
  const copy = range.cloneContents();
  for (const gone of copy.querySelectorAll("del")) gone.remove();
  return copy.textContent.length;
}

/** The place in the document of an offset into the text that is shown. */
function placeAt(root, offset) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let left = offset;
  let node = null;
  while (walker.nextNode()) {
    if (walker.currentNode.parentElement.closest("del")) continue;
    node = walker.currentNode;
    if (left <= node.length) return [node, left];
    left -= node.length;
  }
  return node ? [node, node.length] : [root, 0];
}

/** The words of a text from start to end; a click takes what is joined. */
function wordsAt(text, start, end) {
  const click = start === end;
  const touched = tokensOf(text, click).filter((token) => token.word && (click ? token.start <= start && start <= token.end : token.start < end && start < token.end));
  return touched.length ? [touched[0].start, touched.at(-1).end] : [start, start];
}

/**
 * A text in an element, from which words are chosen by mouse, touch and keyboard.
 *
 * Pieces {text, was, drawn, kind, guess}: was is what stood in the text in place of a drawn one, which is then chosen as
 * a whole; guess: a likely name that stays.
 */
export class Sheet {
  /** chosen: called with {phrase, drawn, kind, source, start, end}, or null. */
  constructor(element, chosen) {
    this.element = element;
    this.chosen = chosen;
    this.pieces = [];
    this.on = false;
    this.role = element.getAttribute("role") ?? "";
    element.addEventListener("beforeinput", (event) => event.preventDefault());
    for (const name of ["paste", "drop", "cut"]) element.addEventListener(name, (event) => event.preventDefault());
    element.addEventListener("compositionend", () => this.on && this.redraw());
    element.addEventListener("click", () => this.on && this.take(true));
    document.addEventListener("selectionchange", () => this.on && this.take(false));
  }

  /** Whether words can be chosen. */
  turn(on) {
    this.on = on;
    const attributes = { contenteditable: "true", "aria-readonly": "true", "aria-multiline": "true", inputmode: "none", spellcheck: "false" };
    for (const [name, value] of Object.entries(attributes)) {
      if (on) this.element.setAttribute(name, value);
      else this.element.removeAttribute(name);
    }
    this.element.setAttribute("role", on ? "textbox" : this.role);
  }

  /** Show pieces; draw: makes the element of a drawn one, from its text and its piece. */
  show(pieces, corrections, draw) {
    this.redraw = () => this.show(pieces, corrections, draw);
    this.pieces = pieces;
    const before = this.selected();
    const source = pieces.map((piece) => piece.was ?? piece.text).join("");
    const places = corrections.places(source);
    const whole = document.createDocumentFragment();
    let at = 0;
    for (const piece of pieces) {
      const length = (piece.was ?? piece.text).length;
      const inside = places.filter((place) => place.start < at + length && place.end > at);
      const content = document.createDocumentFragment();
      if (piece.was !== undefined) content.append(inside.length ? markedAs(inside[0].mark, piece.text) : piece.text);
      else {
        let done = 0;
        for (const { start, end, mark } of inside) {
          const [from, to] = [Math.max(start - at, 0), Math.min(end - at, length)];
          content.append(piece.text.slice(done, from), markedAs(mark, piece.text.slice(from, to)));
          done = to;
        }
        content.append(piece.text.slice(done));
      }
      whole.append(piece.drawn || piece.guess ? draw(content, piece) : content);
      at += length;
    }
    this.element.replaceChildren(whole);
    if (before) this.select(...before);
  }

  select(from, to) {
    getSelection().setBaseAndExtent(...placeAt(this.element, from), ...placeAt(this.element, to));
  }

  /** Start and end of what is selected in the text that is shown; null where nothing in it is. */
  selected() {
    const selection = getSelection();
    const range = selection.rangeCount ? selection.getRangeAt(0) : null;
    if (!range || !this.element.contains(range.startContainer) || !this.element.contains(range.endContainer)) return null;
    const start = lengthTo(this.element, range.startContainer, range.startOffset);
    return [start, range.collapsed ? start : lengthTo(this.element, range.endContainer, range.endOffset)];
  }

  take(whole) {
    const selected = this.selected();
    if (!selected) return;
    const [from, to, choice] = this.choice(...selected);
    if (whole && choice && selected[0] === selected[1]) this.select(from, to);
    this.chosen(choice);
  }

  /** What is chosen from start to end of the text that is shown: [from, to, choice or null]. */
  choice(start, end) {
    const text = this.pieces.map((piece) => piece.text).join("");
    const source = this.pieces.map((piece) => piece.was ?? piece.text).join("");
    let [from, to] = wordsAt(text, start, end);
    let [at, was] = [0, 0];
    const places = this.pieces.map((piece) => ({
      piece, start: at, end: (at += piece.text.length), was, until: (was += (piece.was ?? piece.text).length),
    }));
    for (const { piece, start: first, end: last } of places) {
      const special = piece.drawn || piece.guess;
      const touched = from === to ? first <= start && start <= last && special : first < to && from < last;
      if (touched && special && (piece.was !== undefined || start === end)) [from, to] = [Math.min(from, first), Math.max(to, last)];
    }
    const inside = places.filter((place) => place.start < to && from < place.end);
    if (!inside.length) return [from, to, null];
    const origin = (place, to, edge) => (place.piece.was === undefined ? place.was + to - place.start : edge);
    const [one, last] = [inside[0], inside.at(-1)];
    let [begin, stop] = [origin(one, Math.max(from, one.start), one.was), origin(last, Math.min(to, last.end), last.until)];
    while (begin < stop && !source[begin].trim()) begin++;
    while (stop > begin && !source[stop - 1].trim()) stop--;
    const phrase = source.slice(begin, stop);
    const kind = inside.find((place) => place.piece.drawn || place.piece.guess)?.piece.kind;
    const drawn = inside.some((place) => place.piece.drawn);
    return [from, to, /[\p{L}\p{N}]/u.test(phrase) ? { phrase, drawn, kind, source, start: begin, end: stop } : null];
  }
}

const classOf = (mark) => (mark.kind ? "to-hide" : "to-keep");

const markedAs = (mark, text) => made("strong", { class: classOf(mark), title: `${mark.kind || "kept"}, ${mark.reach}` }, text);

/* The panel: what is chosen, what is to be done with it, what was marked, and the policy */

/** An element with attributes and children; strings become text. */
export function made(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * Fills an element with the panel.
 *
 * corrections: to be filled. changed: called after a mark or an undo. more: what to tell of a phrase besides.
 * Returns {choose, key}: what is chosen, and the keys of a text that has the focus.
 */
export function panel(root, corrections, changed, more = () => "") {
  const { base } = corrections;
  const button = (label) => made("button", { type: "button" }, label);
  const [hide, keep, download, copy] = ["Hide this", base.draws_words ? "Keep this" : "Not a name", "Download", "Copy"].map(button);
  const kind = made("select", {}, ...base.kinds.map((name) => new Option(name)));
  const reach = made("select", {}, ...[WRITTEN, ANY, HERE].map((name) => new Option(name)));
  const chosen = made("strong", {}, "nothing");
  const about = made("span", {});
  const told = made("p", { role: "status" }, "Click a word, or select several. In the text, h hides it, x keeps it, u undoes the last mark.");
  const marks = made("ul", { "aria-label": "Marks" });
  const toml = made("textarea", { rows: "12", readonly: "", spellcheck: "false" });
  const note = base.toml ? `It extends ${base.extends}: save it ${base.beside ? "beside that file" : "where you like"}, for you alone, and name it with --policy.`
    : `Add these lists to the file of the policy ${base.extends}, for you alone.`;
  const exported = made("div", { class: "exported" },
    made("h2", {}, base.toml ? "The policy with these corrections" : "The corrections as lists"),
    made("p", {}, `${note} It acts in every document that it is used for.`), made("p", {}, download, " ", copy),
    made("label", {}, "TOML", toml));
  root.replaceChildren(made("div", { class: "picked" }, made("p", {}, "Chosen: ", chosen, " ", about),
    made("div", { class: "controls" }, made("label", {}, "kind", kind), made("label", {}, "where", reach), hide, keep), told), marks, exported);
  let choice = null;

  function choose(next) {
    if (next?.start === choice?.start && next?.end === choice?.end && next?.source === choice?.source) return;
    choice = next;
    if (base.kinds.includes(choice?.kind)) kind.value = choice.kind;
    chosen.textContent = choice ? choice.phrase : "nothing";
    about.textContent = choice ? `(${choice.drawn ? "replaced" : "released as it is"}${more(choice.phrase)})` : "";
    allow();
  }

  function allow() {
    for (const each of [hide, keep]) each.setAttribute("aria-disabled", String(!choice));
    hide.classList.toggle("main", Boolean(choice && !choice.drawn));
    keep.classList.toggle("main", Boolean(choice?.drawn));
  }

  function mark(as) {
    if (!choice) return;
    const { phrase } = choice;
    const against = corrections.add(choice, as, reach.value);
    told.textContent = against || `${phrase}: ${as ? `to be hidden as ${as}` : "to be kept"}, ${reach.value}`;
    if (!against) show();
  }

  function undo(gone) {
    corrections.undo(gone);
    told.textContent = `Undone: ${gone.phrase}`;
    show();
  }

  function show() {
    marks.replaceChildren(...corrections.marks.map((each) => {
      const undoing = made("button", { type: "button", "aria-label": `Undo ${each.phrase}` }, "Undo");
      undoing.addEventListener("click", () => undo(each));
      return made("li", {}, made("strong", { class: classOf(each) }, each.phrase), ` ${each.kind || "kept"}, ${each.reach} `, undoing);
    }));
    exported.hidden = !corrections.marks.length;
    toml.value = corrections.marks.length ? corrections.toml() : "";
    toml.scrollTop = toml.scrollHeight;
    changed();
  }

  function saved() {
    save(base.toml ? `${base.name.replace(/[^\w-]/g, "_")}.toml` : "lists.toml", toml.value, "application/toml");
    corrections.saved = true;
  }

  async function copied() {
    try {
      await navigator.clipboard.writeText(toml.value);
    } catch {  // there is none without a secure context: copy as a hand would
      toml.select();
      document.execCommand("copy");
    }
    corrections.saved = true;
    told.textContent = "Copied.";
  }

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && choice) mark(choice.drawn ? "" : kind.value);
    else if (event.key === "h") mark(kind.value);
    else if (event.key === "x") mark("");
    else if (event.key === "u" && corrections.marks.length) undo(corrections.marks.at(-1));
  }

  hide.addEventListener("click", () => mark(kind.value));
  keep.addEventListener("click", () => mark(""));
  download.addEventListener("click", saved);
  copy.addEventListener("click", copied);
  allow();
  show();
  return { choose, key };
}
