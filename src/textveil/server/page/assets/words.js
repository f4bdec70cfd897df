// Guarantees as data, told in words. Shares that are promised as a limit are rounded up.

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat("en");

export const shownEpsilon = (epsilon) => (epsilon === null ? "none" : number.format(epsilon));
export const shownCount = (count) => whole.format(count);

/** How often at the most somebody is right who must tell two candidates apart, each as likely before. */
export function rightAtMost(epsilon, delta = 0) {
  const most = (1 + delta * Math.exp(-epsilon)) / (1 + Math.exp(-epsilon));
  return Math.min(1, most);
}

function percentAtMost(share) {
  if (share >= 1) return "100 %";
  for (const digits of [0, 1, 2, 3, 4]) {
    const scale = 10 ** digits;
    const up = Math.ceil(share * 100 * scale - 1e-9) / scale;
    if (up < 100) return `${up.toFixed(digits)} %`;
  }
  return "nearly always";
}

/** What one value or one word is promised: {lead, odds, status}. */
export function promiseOf(guarantee, findsSpans) {
  const one = findsSpans ? guarantee.per_value : guarantee.per_token;
  if (!one) return { lead: "Nothing is promised of a single value under this policy.", odds: "", status: "" };
  const what = findsSpans ? "any one value that was found" : "any one word or number";
  const status = `${one.text}, ${one.status}${one.source ? `; the argument: ${one.source}` : ""}`;
  if (one.epsilon === 0 && one.delta === 0) {
    return {
      lead: `Whoever reads the release learns nothing about ${what}: it would be exactly as likely had another of its format stood there.`,
      odds: "Someone who hesitates between two candidates is right half of the time after reading it, as before.",
      status,
    };
  }
  if (one.epsilon === null || !Number.isFinite(one.epsilon)) {
    return { lead: `No limit is promised for ${what}.`, odds: "", status };
  }
  const ratio = Math.exp(one.epsilon);
  const factor = ratio < 1e6 ? number.format(ratio) : ratio.toExponential(1).replace("e+", " × 10^");
  const slip = one.delta ? `, but for a chance of ${number.format(one.delta)}` : "";
  return {
    lead: `No release is more than ${factor} times as likely under one value of ${what.replace("any one ", "a ")} as under another${slip}.`,
    odds: `Someone who hesitates between two candidates is right at most ${percentAtMost(rightAtMost(one.epsilon, one.delta))} of the time after reading it.`,
    status,
  };
}

/** What a release cost in all: {figure, words}. */
export function costOf(document) {
  if (!document) return { figure: "?", words: "" };
  const best = document.optimal && document.optimal.epsilon < document.epsilon ? document.optimal : document;
  const figure = best.epsilon === null ? "no limit" : `ε ${shownEpsilon(best.epsilon)}`;
  if (best.epsilon === 0) {
    return { figure, words: "Nothing of the budget: draws that say nothing about a value are free, however many there are." };
  }
  const draws = document.protected_tokens;
  const of = draws ? ` for ${whole.format(draws)} ${draws === 1 ? "draw" : "draws"} that cost, together` : "";
  const delta = best.delta ? `, delta ${number.format(best.delta)}` : "";
  return { figure, words: `in all${of}${delta}: what the whole release may tell of the whole text.` };
}
