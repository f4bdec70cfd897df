// Texts cut into pieces: what stays, and what was drawn in place of what. No piece is ever made into markup.

/** Offsets of the server count Unicode characters; strings here count UTF-16 units. */
export function unitsOf(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (at) => at;
  const starts = [];
  for (let at = 0; at < text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) starts.push(at);
  starts.push(text.length);
  return (at) => starts[at];
}

/** Spans {start, end, kind} of the server, in units of this text. */
export function inUnits(text, spans) {
  const unit = unitsOf(text);
  return spans.map((span) => ({ ...span, start: unit(span.start), end: unit(span.end) }));
}

/** Pieces {text, was, kind} of a release, by the spans of what was drawn and what stood there; kind "" stays. */
export function bySpans(released, drawn) {
  const pieces = [];
  let at = 0;
  for (const span of drawn) {
    if (span.start > at) pieces.push({ text: released.slice(at, span.start), kind: "" });
    pieces.push({ text: released.slice(span.start, span.end), was: span.was, kind: span.kind });
    at = span.end;
  }
  if (at < released.length) pieces.push({ text: released.slice(at), kind: "" });
  return pieces;
}

/** The same where words were drawn: word by word, as both texts have equally many; null where they have not. */
export function byWords(original, released) {
  const before = original.match(/\S+/g) ?? [];
  const after = released.match(/\S+/g) ?? [];
  if (before.length !== after.length) return null;
  const pieces = [];
  let at = 0;
  let place = 0;
  for (const found of released.matchAll(/\S+/g)) {
    if (found.index > at) pieces.push({ text: released.slice(at, found.index), kind: "" });
    const was = before[place++];
    pieces.push(was === found[0] ? { text: was, kind: "" } : { text: found[0], was, kind: "word" });
    at = found.index + found[0].length;
  }
  if (at < released.length) pieces.push({ text: released.slice(at), kind: "" });
  return joined(pieces);
}

/** Neighbors that stay, as one piece. */
function joined(pieces) {
  const made = [];
  for (const piece of pieces) {
    const last = made.at(-1);
    if (last && !last.kind && !piece.kind) last.text += piece.text;
    else made.push(piece);
  }
  return made;
}

/** Spans that an edit leaves alone: those before it as they are, those behind it moved. */
export function afterEdit(before, after, spans) {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before[same] === after[same]) same++;
  let tail = 0;
  while (tail < shorter - same && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const shift = after.length - before.length;
  return spans.flatMap((span) => {
    if (span.end <= same) return [span];
    if (span.start >= before.length - tail) return [{ ...span, start: span.start + shift, end: span.end + shift }];
    return [];
  });
}
