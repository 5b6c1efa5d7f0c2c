import {$, cell, count, element, isBusy, say, setBusy} from "./dom.js";
import {readJson, sleep} from "./http.js";

const CUTS = {REQUEST: "before it arrived", RESPONSE: "after it was done"};

/** When each operation was first and last seen in doubt, by its id. */
const doubts = new Map();
let watching = false;

export async function begin() {
  $("kill-connections").addEventListener("click", start);
  const status = await readJson("/kill");
  show(status);
  if (status.stage) {
    await watch();
  }
}

/** Whether connections are being killed. */
export function isOn() {
  return isBusy($("kill-connections"));
}

async function start() {
  if (isOn()) {
    return;
  }
  setBusy($("kill-connections"), true);
  try {
    doubts.clear();
    show(await readJson("/kill", {method: "POST"}));
    await watch();
  } catch {
    setBusy($("kill-connections"), false);
    say("kill-news", "The server does not respond.");
  }
}

async function watch() {
  if (watching) {
    return;
  }
  watching = true;
  setBusy($("kill-connections"), true);
  let status = {};
  do {
    await sleep(status ? 100 : 1_000);
    const [fbf, now] = await Promise.all([readJson("/actuator/fbf"), readJson("/kill")]).catch(() => []);
    status = now;
    if (status) {
      note(fbf.inDoubt);
      show(status);
      say("kill-news", status.stage ? progress(status, fbf.inDoubt) : verdict(status));
    } else {
      say("kill-news", "The server does not respond.");
    }
  } while (!status || status.stage);
  watching = false;
  setBusy($("kill-connections"), false);
}

function note(inDoubt) {
  const now = Date.now();
  inDoubt.flatMap(transaction => transaction.operations).forEach(id =>
      doubts.set(id, {first: doubts.get(id)?.first ?? now, last: now}));
}

function show({outcomes}) {
  $("kill-results").hidden = outcomes.length === 0;
  $("kill-rows").replaceChildren(...outcomes.map(outcome => element("tr", {},
      element("th", {scope: "row"}, element("code", {}, outcome.id.slice(0, 8))),
      cell("COMMIT cut", CUTS[outcome.cut], "long"),
      cell("Settled", settled(outcome), "long"),
      cell("Guarded", counted(outcome.counted), "guarded"),
      cell("Unguarded", counted(outcome.unguardedCounted), "unguarded"))));
}

function settled({id, settledAsApplied}) {
  const doubt = doubts.get(id);
  const time = doubt ? ` after ${((doubt.last - doubt.first) / 1000).toFixed(1)} s` : "";
  if (settledAsApplied === null) {
    return doubt ? `in doubt for ${((doubt.last - doubt.first) / 1000).toFixed(1)} s` : "–";
  }
  return settledAsApplied ? `applied${time}: the retry changed nothing` : `not applied${time}: the retry applied it`;
}

function counted(value) {
  return value === null ? "–" : String(value);
}

function progress({stage, connections}, inDoubt) {
  if (stage === "COMMITTING") {
    return "The transactions have begun.";
  }
  const doubt = inDoubt.length > 0 ? `${count(inDoubt.length, "transaction")} in doubt.` : "";
  return `${count(connections, "connection")} cut. ${doubt}`;
}

function verdict({connections, outcomes}) {
  if (outcomes.length === 0 || outcomes.some(({counted}) => counted === null)) {
    return "Not every operation was acknowledged.";
  }
  const total = name => outcomes.reduce((sum, outcome) => sum + outcome[name], 0);
  return `${count(connections, "connection")} cut. Of ${count(outcomes.length, "operation")}, each sent again, the guarded counter `
      + `has ${total("counted")}, the unguarded one ${total("unguardedCounted")}.`;
}
