// The server's routes. The key is kept in this module's memory and goes into one header; neither it nor
// a name goes into an address.

let key = "";
let unit = null;

/** From now on requests are of this key, for the texts of this person. */
export function setCaller(given, person) {
  key = given;
  unit = person || null;
}

export const keyInUse = () => key;
export const person = () => unit;

/** An answer that is an error: what the server said, with its code. */
export class ServerError extends Error {
  constructor(status, told) {
    super(told.message);
    this.status = status;
    this.code = told.code;
  }
}

/** Ask the server; `body` makes it a POST. */
async function asked(path, { body, signal } = {}) {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError(0, { message: "The server cannot be reached. Nothing is known to have left.", code: "unreachable" });
  }
  const data = await answer.json().catch(() => null);
  if (answer.ok && data !== null) return data;
  throw new ServerError(answer.status, data?.error ?? { message: `The server answered ${answer.status}.`, code: "unknown" });
}

export const start = () => asked("page/start");
export const account = (policy, epsilon) => asked("page/account", { body: { policy, epsilon, unit } });
export const detect = (text, policy, signal) => asked("v1/detect", { body: { text, policy }, signal });
export const release = (text, policy, epsilon) => asked("page/release", { body: { text, policy, epsilon, unit } });
export const restore = (answer, maps) => asked("page/restore", { body: { answer, maps } });
export const inspected = () => asked("page/inspected");
export const examples = (epsilon, signal) => asked(`page/examples?epsilon=${encodeURIComponent(epsilon)}`, { signal });
