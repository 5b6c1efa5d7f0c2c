/** Returns the server's JSON, also that of a 409, which describes what is running; other refusals are errors. */
export async function readJson(path, options) {
  const response = await fetch(path, options);
  if (!response.ok && response.status !== 409) {
    throw new Error(`${path}: HTTP ${response.status}`);
  }
  return response.json();
}

export function sleep(ms) {
  return new Promise(resolve => setTimeout(resolve, ms));
}
