// Guarantees as data, told in words. Limits and costs are rounded up, what is left is rounded down.

const whole = new Intl.NumberFormat("en");
const up = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, roundingMode: "ceil" });
const down = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, roundingMode: "floor" });
const LARGE = 1e6;
const WORTH = 0.99;
const NAMED = 5;

export const shownCount = (count) => whole.format(count);
export const shownSpent = (epsilon) => up.format(tidy(epsilon));
export const shownLeft = (epsilon) => down.format(epsilon);

/** A sum that misses a short decimal by rounding alone, as that decimal: 0.30000000000000004. */
const tidy = (value) => (Math.abs(value - Number(value.toPrecision(12))) <= 1e-12 * Math.abs(value) ? Number(value.toPrecision(12)) : value);

/** "2 things", "1 thing". */
export const several = (count, one, more = `${one}s`) => `${shownCount(count)} ${count === 1 ? one : more}`;

/** "a, b and c". */
export const listed = (names) => new Intl.ListFormat("en").format(names);

/** How often at the most somebody is right who must tell two candidates apart, each as likely before. */
export function rightAtMost(epsilon, delta = 0) {
  return Math.min(1, (1 + delta * Math.exp(-epsilon)) / (1 + Math.exp(-epsilon)));
}

function rightShare(share) {
  for (const scale of [1, 10, 100, 1000, 10000]) {
    const percent = Math.ceil(share * 100 * scale - 1e-9) / scale;
    if (percent < 100) return `is right at most ${percent}\u00a0% of the time`;
  }
  return "may be right nearly always";
}

function factor(epsilon) {
  const ratio = Math.exp(epsilon);
  if (ratio < LARGE) return up.format(ratio);
  const power = Math.floor(epsilon / Math.LN10);
  return `${up.format(Math.exp(epsilon - power * Math.LN10))} × 10^${power}`;
}

/** ", but for a chance of 0.00001" where delta is not 0, also where it is too small for a number. */
function chance({ delta, log_delta: logDelta }) {
  if (delta) return `, but for a chance of ${up.format(delta)}`;
  return logDelta === null || logDelta === undefined ? "" : `, but for a chance of 10^${Math.ceil(logDelta / Math.LN10)}`;
}

/** What is promised least of the kinds that were drawn; of the whole policy where these cannot be told apart by a number. */
function weakest(guarantee, kinds) {
  const told = kinds.length && kinds.every((kind) => Number.isFinite(kind.epsilon) && !chance(kind));
  return told ? kinds.reduce((least, kind) => (kind.epsilon > least.epsilon ? kind : least)) : guarantee.per_value;
}

const NOTHING = { lead: "Nothing is promised under this policy.", odds: "", status: "" };

/** What one value or one word is promised: {lead, odds, status}. */
export function promiseOf(guarantee, findsSpans) {
  const kinds = findsSpans ? guarantee.by_kind.filter((kind) => kind.count) : [];
  const one = findsSpans ? weakest(guarantee, kinds) : guarantee.per_token;
  if (!one || one.epsilon === null || one.epsilon === undefined) return NOTHING;
  const status = `${one.text}, ${one.status}, for ${one.adjacency}${one.source ? `. The argument: ${one.source}` : ""}`;
  if (one.epsilon === 0 && !chance(one)) {
    const what = findsSpans ? "any one value that was found" : "any one word or number";
    return {
      lead: `Whoever reads the release learns nothing about ${what}: it would be exactly as likely had another of its format stood there.`,
      odds: "Someone who hesitates between two candidates is right half of the time after reading it, as before.",
      status,
    };
  }
  const what = findsSpans ? "one value in a place" : "one word or number in a place";
  const slip = chance(one);
  const free = kinds.filter((kind) => kind.epsilon === 0 && kind.delta === 0).map((kind) => kind.kind);
  const together = kinds.filter((kind) => kind.pays === "scope").map((kind) => kind.kind);
  const odds = [
    `Someone who hesitates between two candidates ${rightShare(rightAtMost(one.epsilon, one.delta))} after reading it.`,
    free.length ? `It says nothing at all about values of the kinds ${listed(free)}.` : "",
    together.length ? `Of the kind ${listed(together)} all values move together, and the promise is of all together.` : "",
  ];
  return {
    lead: `No release is more than ${factor(one.epsilon)} times as likely with ${what} as with any other ${findsSpans ? "that its kind allows" : "of its kind"}${slip}.`,
    odds: odds.filter(Boolean).join(" "),
    status,
  };
}

/** What a release cost in all: {figure, words}. */
export function costOf(document) {
  const { epsilon, delta, optimal, protected_tokens: draws } = document;
  if (epsilon === null || epsilon === undefined) return { figure: "no limit", words: "Nothing bounds what this release tells." };
  if (epsilon === 0) {
    return { figure: "ε 0", words: "Nothing of the budget: draws that say nothing about a value beyond its form are free, however many there are." };
  }
  const more = delta ? `, and delta ${up.format(delta)}` : "";
  const of = draws === 1 ? "One draw" : `The sum of ${several(draws, "draw")}`;
  const least = optimal && optimal.epsilon < WORTH * epsilon
    ? ` Composed best: ε ${shownSpent(optimal.epsilon)} at delta ${up.format(optimal.delta)}.` : "";
  return { figure: `ε ${shownSpent(epsilon)}`, words: `${of}${more}: what the whole release may tell of the whole text.${least}` };
}

/** ", about 2,300 words" of what is left, where words cost something; after a release, messages like it. */
export function wordsLeft({ words_left: words, messages_left: messages }) {
  if (messages) return `, about ${several(messages < 100 ? messages : twoDigits(messages), "message")} like this one`;
  if (words === null || words === undefined) return "";
  return `, about ${several(words < 100 ? words : twoDigits(words), "word")}`;
}

/** 2,300 for 2,345: rounded down. */
function twoDigits(count) {
  const step = 10 ** (String(count).length - 2);
  return Math.floor(count / step) * step;
}

/** What is left, in words. */
export function leftOf(budget) {
  if (!budget?.remaining) return "No budget is set for this caller: nothing is capped, and every release is in the ledger.";
  const renewed = budget.period_end ? ` A new one begins on ${new Date(budget.period_end).toLocaleString("en", { dateStyle: "long", timeStyle: "short" })}.` : "";
  return `Left: ε ${shownLeft(Math.max(0, budget.remaining.epsilon))} of ${shownLeft(budget.limit.epsilon)}${wordsLeft(budget)}.${renewed}`;
}

/** "; 2 numbers stay: 20 and 55" of texts that leave as they are. */
export function keptNumbers(texts) {
  const numbers = texts.flatMap((kept) => kept.match(/\p{Nd}+(?:[.,:/-]\p{Nd}+)*/gu) ?? []);
  if (!numbers.length) return "";
  const named = [...new Set(numbers)];
  const shown = listed(named.length > NAMED ? [...named.slice(0, NAMED), "others"] : named);
  return `; ${several(numbers.length, "number")} ${numbers.length === 1 ? "stays" : "stay"}: ${shown}`;
}

/** What a release changed, of its pieces. */
export function changedIn(pieces, released) {
  if (!pieces) return "This policy changes how many words there are, so no word is compared with another.";
  const drawn = pieces.filter((piece) => piece.kind);
  const changed = drawn.filter((piece) => piece.was !== piece.text).length;
  if (drawn.some((piece) => piece.kind === "word")) return `${shownCount(changed)} of ${several(released.match(/\S+/g).length, "word")} changed.`;
  const same = drawn.length - changed;
  return `${several(changed, "place")} changed${same ? `; ${shownCount(same)} drawn as before, by chance` : ""}${keptNumbers(pieces.filter((piece) => !piece.kind).map((piece) => piece.text))}.`;
}
