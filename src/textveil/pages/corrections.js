// Corrections by hand: words that are chosen in a text, what is to be done with them, and the policy that says so.
// Words stand in lists, which act wherever a word stands, in any letter case. Nothing is kept but in this tab.

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

/** What two words share that a list takes for one. */
const keyOf = (token) => token.normalize("NFKD").replace(/[\p{Mn}\p{Cf}]/gu, "").toLowerCase();

const keysOf = (phrase) => tokensOf(phrase).filter((token) => token.text.trim()).map((token) => keyOf(token.text));

/** Text in TOML. */
const quoted = (text) => `"${text.replace(/["\\]/g, "\\$&").replace(/[\u0000-\u001f\u007f]/g,
  (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;

/**
 * Marks by hand, each {phrase, keys, kind}: kind "" is what stays.
 *
 * base: the policy that they extend: {extends, name, toml, hides, kinds, listed, beside, draws_words}; toml "" where lists
 * alone can be offered; hides: TOML that goes before lists of what is hidden; listed: phrases of the policy's own lists.
 */
export class Corrections {
  constructor(base) {
    this.base = base;
    this.marks = [];
    this.saved = true;
    this.listed = new Set((base.listed ?? []).map((phrase) => keysOf(phrase).join("\n")));
  }

  /** Mark a phrase, in place of any other mark of it; what speaks against it, or "". */
  add(phrase, kind) {
    const plain = phrase.toWellFormed().replace(/\s+/g, " ").trim();
    const keys = keysOf(plain);
    if (!keys.length) return "There is no word in it.";
    if (this.listed.has(keys.join("\n"))) return "A list of the policy holds it already. Change it in the policy's file.";
    this.marks = this.marks.filter((mark) => mark.keys.join("\n") !== keys.join("\n"));
    this.marks.push({ phrase: plain, keys, kind });
    this.saved = false;
    return "";
  }

  undo(mark) {
    this.marks = this.marks.filter((other) => other !== mark);
    this.saved = !this.marks.length;
  }

  /** Where marked phrases stand in a text, [{start, end, mark}]; the longest where several begin. */
  places(text) {
    if (!this.marks.length) return [];
    const tokens = tokensOf(text).filter((token) => token.text.trim());
    const keys = tokens.map((token) => keyOf(token.text));
    const byFirst = new Map();
    for (const mark of this.marks) byFirst.set(mark.keys[0], [...(byFirst.get(mark.keys[0]) ?? []), mark]);
    const places = [];
    for (let at = 0; at < keys.length; at++) {
      const fitting = (byFirst.get(keys[at]) ?? []).filter((mark) => mark.keys.every((key, n) => keys[at + n] === key));
      if (!fitting.length) continue;
      const mark = fitting.reduce((one, other) => (other.keys.length > one.keys.length ? other : one));
      const last = at + mark.keys.length - 1;
      places.push({ start: tokens[at].start, end: tokens[last].end, mark });
      at = last;
    }
    return places;
  }

  /** The marks as lists of a policy. */
  tables() {
    const kinds = [...new Set(this.marks.map((mark) => mark.kind))].sort();
    return kinds.map((kind) => {
      const words = this.marks.filter((mark) => mark.kind === kind).map((mark) => `  ${quoted(mark.phrase)},\n`).join("");
      return `\n[[list]]\n${kind ? `kind = ${quoted(kind)}` : "keep = true"}\nwords = [\n${words}]\n`;
    }).join("");
  }

  /** A policy's file with the marks; the lists alone where the policy's own text is not at hand. */
  toml() {
    const head = this.base.toml || `# Add these lists to the file of the policy ${quoted(this.base.extends)}.\n`;
    const hides = this.marks.some((mark) => mark.kind) ? this.base.hides ?? "" : "";
    return `# Private: these lists hold words of the texts.\n${head}${hides}${this.tables()}`;
  }
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
 * Pieces {text, was, drawn}: was is what stood in the text in place of a drawn one, which is then chosen as a whole.
 */
export class Sheet {
  /** chosen: called with {phrase, drawn}, or null. */
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
      whole.append(piece.drawn ? draw(content, piece) : content);
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

  /** What is chosen from start to end of the text that is shown: [from, to, {phrase, drawn} or null]. */
  choice(start, end) {
    const text = this.pieces.map((piece) => piece.text).join("");
    let [from, to] = wordsAt(text, start, end);
    const drawn = [];
    let at = 0;
    let phrase = "";
    const places = this.pieces.map((piece) => ({ piece, start: at, end: (at += piece.text.length) }));
    for (const { piece, start: first, end: last } of places) {
      const touched = from === to ? first <= start && start <= last && piece.drawn : first < to && from < last;
      if (touched && piece.drawn && (piece.was !== undefined || start === end)) [from, to] = [Math.min(from, first), Math.max(to, last)];
    }
    for (const { piece, start: first, end: last } of places) {
      if (first >= to || from >= last) continue;
      if (piece.drawn) drawn.push(piece);
      phrase += piece.was ?? piece.text.slice(Math.max(0, from - first), to - first);
    }
    return [from, to, /[\p{L}\p{N}]/u.test(phrase) ? { phrase: phrase.trim(), drawn: drawn.length > 0 } : null];
  }
}

const classOf = (mark) => (mark.kind ? "to-hide" : "to-keep");

const markedAs = (mark, text) => made("strong", { class: classOf(mark), title: mark.kind || "kept" }, text);

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
  const chosen = made("strong", {}, "nothing");
  const about = made("span", {});
  const told = made("p", { role: "status" }, "Click a word, or select several.");
  const marks = made("ul", { "aria-label": "Marks" });
  const toml = made("textarea", { rows: "12", readonly: "", spellcheck: "false" });
  const note = base.toml ? `It extends ${base.extends}: save it ${base.beside ? "beside that file" : "where you like"}, for you alone, and name it with --policy.`
    : `Add these lists to the file of the policy ${base.extends}, for you alone.`;
  const exported = made("div", { class: "exported" },
    made("h2", {}, base.toml ? "The policy with these corrections" : "The corrections as lists"),
    made("p", {}, `${note} Its lists act in every document, wherever a word stands.`), made("p", {}, download, " ", copy),
    made("label", {}, "TOML", toml));
  root.replaceChildren(made("div", { class: "picked" }, made("p", {}, "Chosen: ", chosen, " ", about),
    made("div", { class: "controls" }, made("label", {}, "kind", kind), hide, keep), told), marks, exported);
  let choice = null;

  function choose(next) {
    if (JSON.stringify(next) === JSON.stringify(choice)) return;
    choice = next;
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
    const against = corrections.add(phrase, as);
    told.textContent = against || `${phrase}: ${as ? `to be hidden as ${as}` : "to be kept"}`;
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
      return made("li", {}, made("strong", { class: classOf(each) }, each.phrase), ` ${each.kind || "kept"} `, undoing);
    }));
    exported.hidden = !corrections.marks.length;
    toml.value = corrections.marks.length ? corrections.toml() : "";
    toml.scrollTop = toml.scrollHeight;
    changed();
  }

  function save() {
    const link = made("a", { download: base.toml ? `${base.name.replace(/[^\w-]/g, "_")}.toml` : "lists.toml" });
    link.href = URL.createObjectURL(new Blob([toml.value], { type: "application/toml" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
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
  download.addEventListener("click", save);
  copy.addEventListener("click", copied);
  allow();
  show();
  return { choose, key };
}
