// The page of `textveil review`: one document at a time, its original and its release, with what differs marked.

const DATA = JSON.parse(document.getElementById("data").textContent);
const count = DATA.documents.length;
const element = (id) => document.getElementById(id);
const corrections = new Corrections(DATA.policy);
const seen = new Set();
let current = 0;

/** What may stand between two changes of one value. */
const BETWEEN = /^(?:[^\S\n]+|[-.@_/:'’])$/u;

/** Pairs of equal tokens of two texts, in order: what stands once in both first, then what lies between (patience). */
function pairs(one, other) {
  const found = [];
  const waiting = [[0, one.length, 0, other.length]];
  while (waiting.length) {
    let [a, b, c, d] = waiting.pop();
    while (a < b && c < d && one[a] === other[c]) found.push([a++, c++]);
    while (a < b && c < d && one[b - 1] === other[d - 1]) found.push([--b, --d]);
    if (a === b || c === d) continue;
    const anchors = increasing(onceIn(one, a, b, other, c, d));
    const between = anchors.length ? anchors : (b - a) * (d - c) <= 250000 ? common(one, a, b, other, c, d) : [];
    if (!anchors.length) {
      found.push(...between);
      continue;
    }
    for (const [x, y] of [...anchors, [b, d]]) {
      waiting.push([a, x, c, y]);
      if (x < b) found.push([x, y]);
      [a, c] = [x + 1, y + 1];
    }
  }
  return found.sort((first, second) => first[0] - second[0]);
}

function onceIn(one, a, b, other, c, d) {
  const places = (tokens, from, to) => {
    const found = new Map();
    for (let at = from; at < to; at++) found.set(tokens[at], found.has(tokens[at]) ? -1 : at);
    return found;
  };
  const there = places(other, c, d);
  return [...places(one, a, b)].filter(([token, at]) => at >= 0 && (there.get(token) ?? -1) >= 0).map(([token, at]) => [at, there.get(token)]);
}

/** The longest row of pairs that increases in both. */
function increasing(found) {
  const ends = [];
  const before = found.map(() => -1);
  found.forEach(([, y], n) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (found[ends[middle]][1] < y) low = middle + 1;
      else high = middle;
    }
    if (low) before[n] = ends[low - 1];
    ends[low] = n;
  });
  const row = [];
  for (let at = ends.length ? ends.at(-1) : -1; at >= 0; at = before[at]) row.push(found[at]);
  return row.reverse();
}

/** The longest common tokens of two short stretches. */
function common(one, a, b, other, c, d) {
  const [rows, width] = [b - a, d - c + 1];
  const best = new Uint32Array((rows + 1) * width);
  for (let x = rows - 1; x >= 0; x--) {
    for (let y = d - c - 1; y >= 0; y--) {
      best[x * width + y] = one[a + x] === other[c + y] ? best[(x + 1) * width + y + 1] + 1 : Math.max(best[(x + 1) * width + y], best[x * width + y + 1]);
    }
  }
  const found = [];
  for (let [x, y] = [0, 0]; x < rows && y < d - c;) {
    if (one[a + x] === other[c + y]) found.push([a + x++, c + y++]);
    else if (best[(x + 1) * width + y] >= best[x * width + y + 1]) x++;
    else y++;
  }
  return found;
}

/** Pieces of original and release; where spans are replaced, neighbors that changed are one piece ("Maria Gonzalez"). */
function compared(original, released) {
  const [before, after] = [tokensOf(original, true), tokensOf(released, true)];
  const same = (tokens) => tokens.map((token) => (token.text.trim() ? token.text : " "));
  const kept = pairs(same(before), same(after));
  const text = (tokens, from, to) => tokens.slice(from, to).map((token) => token.text).join("");
  const rows = [];
  let [x, y] = [0, 0];
  for (const [a, b] of [...kept, [before.length, after.length]]) {
    const last = rows.at(-1);
    if (a > x || b > y) {
      if (last && !DATA.policy.draws_words && BETWEEN.test(text(before, last.a, x))) [last.a, last.b] = [a, b];
      else rows.push({ x, y, a, b });
    }
    [x, y] = [a + 1, b + 1];
  }
  const [left, right] = [[], []];
  [x, y] = [0, 0];
  for (const row of [...rows, { x: before.length, y: after.length, a: before.length, b: after.length }]) {
    left.push({ text: text(before, x, row.x), drawn: false });
    right.push({ text: text(after, y, row.y), drawn: false });
    const drawn = [...before.slice(row.x, row.a), ...after.slice(row.y, row.b)].some((token) => token.word);
    const [was, is] = [text(before, row.x, row.a), text(after, row.y, row.b)];
    left.push({ text: was, drawn });
    right.push(drawn ? { text: is, was, drawn } : { text: is, drawn });
    [x, y] = [row.a, row.b];
  }
  return [left, right].map((pieces) => pieces.filter((piece) => piece.text));
}

function drawnAs(content) {
  const mark = document.createElement("mark");
  mark.append(content);
  return mark;
}

const folded = [];

/** In how many originals a phrase stands, about as a list finds it. */
function standsIn(phrase) {
  const words = keysOf(phrase).map((key) => key.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])${words.join("\\s*")}(?![\\p{L}\\p{N}_])`, "u");
  const documents = DATA.documents.filter(([original], n) => pattern.test(folded[n] ??= keyOf(original))).length;
  return documents > 1 ? `; in ${documents.toLocaleString("en")} documents` : "; in this document alone";
}

const sheets = [];
const { choose, key } = panel(element("corrections"), corrections, () => sheets.length && render(), standsIn);
sheets.push(new Sheet(element("original"), choose), new Sheet(element("released"), choose));
let pieces = null;

function render() {
  sheets[0].show(pieces[0], corrections, drawnAs);
  sheets[1].show(pieces[1], corrections, drawnAs);
}

function go(to) {
  current = Math.min(Math.max(to, 0), count - 1);
  seen.add(current);
  pieces = compared(...DATA.documents[current]);
  choose(null);
  getSelection().removeAllRanges();
  render();
  const changes = pieces[0].filter((piece) => piece.drawn).length;
  element("changes").textContent = `${changes.toLocaleString("en")} ${changes === 1 ? "place" : "places"} changed in this document.`;
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
element("side").addEventListener("change", (event) => element("sheets").classList.toggle("alone", !event.target.checked));
addEventListener("beforeunload", (event) => { if (!corrections.saved) event.preventDefault(); });
go(0);
element("original").focus({ preventScroll: true });
