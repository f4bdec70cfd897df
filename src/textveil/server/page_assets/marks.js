// Pieces and spans as elements: text goes in as text nodes alone.

import { made } from "./corrections.js";

export { made };

const hues = { address: "place", word: "word" };

/** From now on kinds have the colors of their groups, as the server says at the start. */
export function learnHues(started) {
  Object.assign(hues, started.groups);
  return started;
}

export const hueOf = (kind) => hues[kind] ?? "own";

/** The text with its spans marked, as what lies under the field in which it is written. */
export function marked(text, spans) {
  const whole = document.createDocumentFragment();
  let at = 0;
  for (const span of spans) {
    whole.append(text.slice(at, span.start));
    whole.append(made("mark", { "data-hue": hueOf(span.kind) }, text.slice(span.start, span.end)));
    at = span.end;
  }
  whole.append(text.slice(at), "\n");
  return whole;
}

/** What was drawn, as inserted; what stood there, as deleted. */
export function change(content, piece) {
  const whole = document.createDocumentFragment();
  if (piece.was !== undefined) whole.append(made("del", {}, piece.was));
  const inserted = made("ins", { "data-hue": hueOf(piece.kind), title: piece.kind }, content);
  if (piece.was === piece.text) inserted.classList.add("same");
  whole.append(inserted);
  return whole;
}

/** A release, with what was drawn marked. */
export function changes(pieces) {
  const whole = document.createDocumentFragment();
  for (const piece of pieces) whole.append(piece.kind ? change(piece.text, piece) : piece.text);
  return whole;
}

/** "3 persons, 1 date" of kinds with their counts, and the list of them for eyes. */
export function counted(spans) {
  const counts = new Map();
  for (const { kind } of spans) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1]);
}

export function legend(counts) {
  return counts.map(([kind, count]) => made("li", { "data-hue": hueOf(kind) }, `${kind} ${count.toLocaleString("en")}`));
}

/** Copies and drags of a release hold what was released, even where what stood there is shown beside it. */
export function copyOnlyReleased(element) {
  const selected = () => {
    const selection = getSelection();
    if (!selection.rangeCount) return "";
    const copy = selection.getRangeAt(0).cloneContents();
    for (const gone of copy.querySelectorAll("del")) gone.remove();
    const start = selection.getRangeAt(0).commonAncestorContainer;
    const inside = start.nodeType === Node.TEXT_NODE ? start.parentElement : start;
    return inside.closest("del") ? "" : copy.textContent;
  };
  element.addEventListener("copy", (event) => {
    event.clipboardData.setData("text/plain", selected());
    event.preventDefault();
  });
  element.addEventListener("dragstart", (event) => event.preventDefault());
}
