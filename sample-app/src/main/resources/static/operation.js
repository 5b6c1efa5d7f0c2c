/**
 * Sends one operation until the server acknowledges it, each time with the same key: a client without a response cannot know
 * whether the operation was applied. A refusal is final. Returns its reason, which is empty if there was none.
 */
export async function deliver(path, key) {
  for (let pause = 50; ; pause = Math.min(2 * pause, 2_000)) {
    const response = await send(path, key);
    if (response === undefined) {
      await sleep(pause);
    } else if (response.status === 409 || response.status === 503) {
      await sleep(retryAfter(response));
    } else {
      return response.ok ? "" : `${path} was refused: ${await reason(response)}`;
    }
  }
}

export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, "0")).join("");
}

/** The response, or nothing where the connection ended without one. */
async function send(path, key) {
  try {
    return await fetch(path, {method: "POST", headers: {"Idempotency-Key": `"${key}"`}});
  } catch {
    return undefined;
  }
}

function retryAfter(response) {
  const seconds = Number(response.headers.get("Retry-After"));
  return 1000 * (seconds > 0 ? Math.min(seconds, 30) : 1);
}

async function reason(response) {
  const problem = await response.json().catch(() => ({}));
  return problem.detail ?? problem.title ?? `HTTP ${response.status}`;
}

function sleep(ms) {
  return new Promise(resolve => setTimeout(resolve, ms));
}
