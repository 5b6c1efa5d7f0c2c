import {$, cell, count, element, isBusy, say, setBusy} from "./dom.js";
import {readJson, sleep} from "./http.js";

const CUTS = {REQUEST: "before it arrived", RESPONSE: "after it was done"};

let watching = false;

/** Shows the section, if the server offers it: it does with its own PostgreSQL. */
export async function begin() {
  const status = await readJson("/kill").catch(() => undefined);
  if (!status) {
    return;
  }
  $("kill").hidden = false;
  $("kill-connections").addEventListener("click", start);
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
    status = await readJson("/kill").catch(() => undefined);
    if (status) {
      show(status);
      say("kill-news", status.stage ? progress(status) : verdict(status));
    } else {
      say("kill-news", "The server does not respond.");
    }
  } while (!status || status.stage);
  watching = false;
  setBusy($("kill-connections"), false);
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

function settled({settledAsApplied}) {
  if (settledAsApplied === null) {
    return "–";
  }
  return settledAsApplied ? "applied: the retry changed nothing" : "not applied: the retry applied it";
}

function counted(value) {
  return value === null ? "–" : String(value);
}

function progress({stage, connections}) {
  return stage === "COMMITTING" ? "The transactions have begun." : `${count(connections, "connection")} cut.`;
}

function verdict({connections, outcomes}) {
  if (outcomes.length === 0 || outcomes.some(({counted}) => counted === null)) {
    return "Not every operation was acknowledged.";
  }
  const total = name => outcomes.reduce((sum, outcome) => sum + outcome[name], 0);
  return `${count(connections, "connection")} cut. Of ${count(outcomes.length, "operation")}, each sent again, the guarded counter `
      + `has ${total("counted")}, the unguarded one ${total("unguardedCounted")}.`;
}
