// The page of `textveil review`: one document at a time, its original and its release, with what differs marked.

const DATA = JSON.parse(document.getElementById("data").textContent);
const count = DATA.documents.length;
const element = (id) => document.getElementById(id);
const WORDS = /[\p{L}\p{N}]/u;
const documents = DATA.documents.map(([number, stretches]) => ({ number, pieces: stretches.map(read) }));
const originals = documents.map(({ pieces }) => pieces.map((piece) => piece.was).join(""));
const corrections = new Corrections(DATA.policy, originals);
const seen = new Set();
let current = 0;

/** A stretch of the data: text that is equal in both, a likely name with its kind, or what became what. */
function read(stretch) {
  if (typeof stretch === "string") return { was: stretch, now: stretch };
  const [was, now, kinds] = stretch;
  if (!kinds) return { was, now: was, guess: true, kind: now };
  return { was, now, kinds, kind: kinds[0]?.[2] ?? "", drawn: kinds.length > 0 || WORDS.test(was + now) };
}

function drawnAs(content, { kind, guess }) {
  const mark = document.createElement("mark");
  mark.append(content);
  if (kind) mark.dataset.kind = guess ? `${kind}?` : kind;
  if (guess) mark.classList.add("guess");
  mark.style.setProperty("--c", `var(--${DATA.colors[kind] ?? "own"})`);
  return mark;
}

const folded = { true: [], false: [] };

/** In how many originals a phrase stands, about as a list finds it. */
function standsIn(phrase) {
  const [any, written] = [true, false].map((all) => {
    const words = keysOf(phrase, all).map((key) => key.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])${words.join("\\s*")}(?![\\p{L}\\p{N}_])`, "u");
    return originals.filter((original, n) => pattern.test(folded[all][n] ??= keyOf(original, all))).length;
  });
  if (any < 2) return "; in this document alone";
  const whole = `; in ${any.toLocaleString("en")} documents`;
  return any === written ? whole : `${whole}, as written in ${written.toLocaleString("en")}`;
}

/** The labels of a document: what was found and not unmarked, and what was marked. */
function labelled(n) {
  const places = corrections.places(originals[n]);
  const length = (text) => [...text].length;
  const marked = places.map(({ start, end, mark }) => {
    const first = length(originals[n].slice(0, start));
    return { start: first, end: first + length(originals[n].slice(start, end)), kind: mark.kind };
  });
  const spans = marked.filter(({ kind }) => kind);
  let at = 0;
  for (const { was, kinds } of documents[n].pieces) {
    for (const [start, end, kind] of kinds ?? []) {
      const apart = marked.every((mark) => mark.end <= at + start || at + end <= mark.start);
      if (apart) spans.push({ start: at + start, end: at + end, kind });
    }
    at += length(was);
  }
  return { text: originals[n], spans: spans.sort((one, other) => one.start - other.start) };
}

const sheets = [];
const { choose, key } = panel(element("corrections"), corrections, () => sheets.length && render(), standsIn);
sheets.push(new Sheet(element("original"), choose), new Sheet(element("released"), choose));

function render() {
  const { pieces } = documents[current];
  sheets[0].show(pieces.map(({ was, ...more }) => ({ ...more, text: was })), corrections, drawnAs);
  sheets[1].show(pieces.map(({ was, now, ...more }) => ({ ...more, text: now, was: was === now && !more.drawn ? undefined : was })), corrections, drawnAs);
}

function go(to) {
  current = Math.min(Math.max(to, 0), count - 1);
  seen.add(current);
  choose(null);
  getSelection().removeAllRanges();
  render();
  const { number, pieces } = documents[current];
  const [changes, guesses] = ["drawn", "guess"].map((what) => pieces.filter((piece) => piece[what]).length);
  const likely = guesses ? `, ${guesses.toLocaleString("en")} likely ${guesses === 1 ? "name stays" : "names stay"}` : "";
  element("changes").textContent = `Record ${number.toLocaleString("en")}: ${changes.toLocaleString("en")} ${changes === 1 ? "place" : "places"} changed${likely}.`;
  element("number").value = current + 1;
  element("seen").value = seen.size;
  element("seen-words").textContent = `${seen.size.toLocaleString("en")} of ${count.toLocaleString("en")} seen`;
  element("previous").setAttribute("aria-disabled", String(current === 0));
  element("next").setAttribute("aria-disabled", String(current === count - 1));
  for (const sheet of sheets) {
    sheet.element.scrollTop = 0;
    if (sheet.element === document.activeElement) sheet.select(0, 0);
  }
}

for (const sheet of sheets) {
  sheet.turn(true);
  sheet.element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n") go(current + 1);
    else if (event.key === "p") go(current - 1);
    else key(event);
  });
}
element("next").addEventListener("click", () => go(current + 1));
element("previous").addEventListener("click", () => go(current - 1));
element("number").addEventListener("change", (event) => go(Math.round(Number(event.target.value) || current + 1) - 1));
element("guess")?.addEventListener("click", () => {
  const likely = [...documents.keys()].filter((n) => documents[n].pieces.some((piece) => piece.guess));
  go(likely.find((n) => n > current) ?? likely[0]);
  document.querySelector("#original .guess").scrollIntoView({ block: "center" });
});
element("labels")?.addEventListener("click", () => {
  const lines = [...seen].sort((one, other) => one - other).map((n) => `${JSON.stringify(labelled(n))}\n`);
  save("labels.jsonl", lines.join(""), "application/jsonl");
  corrections.saved = true;
});
element("side").addEventListener("change", (event) => element("sheets").classList.toggle("alone", !event.target.checked));
addEventListener("beforeunload", (event) => { if (!corrections.saved) event.preventDefault(); });
go(0);
element("original").focus({ preventScroll: true });
