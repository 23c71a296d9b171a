// SPDX-License-Identifier: Apache-2.0
// The only place that talks to the front (lens/API.md). A failure is an ApiError with a sentence and what to do about it.

export class ApiError extends Error {
  constructor(message, todo, status) {
    super(message);
    this.todo = todo;
    this.status = status;
  }
}

function query(params) {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") q.set(name, value);
  }
  const text = q.toString();
  return text ? `?${text}` : "";
}

export const address = (path, params = {}) => `/api/${path}${query(params)}`;

async function call(url, options) {
  let reply;
  try {
    reply = await fetch(url, { credentials: "same-origin", ...options });
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new ApiError("Lens does not answer.", "The front program has ended or this machine is very busy. Start `lens` again and open the address that it prints.", 0);
  }
  const body = await reply.json().catch((e) => {
    if (e.name === "AbortError") throw e;
    return null;
  });
  if (!reply.ok) throw new ApiError(body?.error ?? `Lens answered ${reply.status}.`, body?.do ?? "", reply.status);
  if (body === null) throw new ApiError("The answer could not be read.", "Is this page as old as the program `lens`? Reload it.", reply.status);
  return body;
}

// The page as one file (export "html") carries the answers with it: {"GET /api/flame?data=cpu": {...}, ...}.
const kept = document.getElementById("lens-data");
const answers = kept && JSON.parse(kept.textContent);
export const isOneFile = Boolean(answers);

function keptAnswer(path, params) {
  const narrowed = new Set(["from", "to", "points", "threads", "limit"]);
  const wide = Object.fromEntries(Object.entries(params ?? {}).filter(([name]) => !narrowed.has(name)));
  const answer = answers[`GET ${address(path, params)}`] ?? answers[`GET ${address(path, wide)}`];
  if (answer) return answer;
  throw new ApiError("This is not in the file.", "Open the recording with `lens open` to see all of it.", 404);
}

export async function get(path, params, signal) {
  return answers ? keptAnswer(path, params) : call(address(path, params), { signal });
}
export const post = (path, body = {}) =>
  call(address(path), { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** A getter of which only the newest call counts: the ones before are aborted and answer null. */
export function newest() {
  let running = null;
  return async (path, params) => {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    try {
      const answer = await get(path, params, mine.signal);
      return running === mine ? answer : null;
    } catch (e) {
      if (e.name === "AbortError") return null;
      throw e;
    }
  };
}

/** The one stream of the page. handlers: {session, order, metrics, watch, data, lost, found}. */
export function listen(handlers) {
  if (answers) return null;
  const stream = new EventSource("/api/events");
  for (const name of ["session", "order", "metrics", "watch", "data"]) {
    stream.addEventListener(name, (e) => handlers[name](JSON.parse(e.data)));
  }
  stream.onerror = () => handlers.lost();
  stream.onopen = () => handlers.found();
  return stream;
}

/** Lets the browser keep an answer as a file. */
export function download(path, params) {
  const a = document.createElement("a");
  a.href = address(path, params);
  a.download = "";
  document.body.append(a);
  a.click();
  a.remove();
}

export function downloadText(name, text) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}
