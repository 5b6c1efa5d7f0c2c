import {$, cell, element, isBusy, number, say, setBusy} from "./dom.js";
import {readJson, sleep} from "./http.js";

const NAMES = {
  unguarded: "Unguarded UPDATE",
  guarded: "UPDATE in a guarded method",
  grouped: "SqlCounters"
};

let watching = false;

/** Shows a race that another visitor has started, too. */
export async function begin() {
  $("start-race").addEventListener("click", start);
  const status = await readJson("/race");
  $("start-race").textContent = `Race for ${status.seconds} seconds`;
  $("race-clients").textContent = status.clients;
  $("race-twice").textContent = status.sentTwice;
  show(status);
  if (status.counting) {
    await watch();
  }
}

async function start() {
  if (isBusy($("start-race"))) {
    return;
  }
  setBusy($("start-race"), true);
  try {
    show(await readJson("/race", {method: "POST"}));
    await watch();
  } catch {
    setBusy($("start-race"), false);
    say("race-news", "The server does not respond.");
  }
}

async function watch() {
  if (watching) {
    return;
  }
  watching = true;
  setBusy($("start-race"), true);
  say("race-news", "The race is on.");
  let status = {};
  do {
    await sleep(status ? 250 : 1_000);
    status = await readJson("/race").catch(() => undefined);
    if (status) {
      show(status);
    }
  } while (!status || status.counting);
  watching = false;
  setBusy($("start-race"), false);
  say("race-news", verdict(status.standings));
}

function show({counting, secondsLeft, standings}) {
  const fastest = Math.max(1, ...standings.map(standing => standing.perSecond));
  $("race-rows").replaceChildren(...Object.keys(NAMES).map(name =>
      row(name, standings.find(standing => standing.contender === name), counting, fastest)));
  $("race-left").textContent = counting ? `${secondsLeft} s left` : "";
}

function row(name, standing, counting, fastest) {
  const timed = standing?.perSecond > 0;
  return element("tr", {class: name, ...(name === counting ? {"data-counting": ""} : {})},
      element("th", {scope: "row"}, NAMES[name],
          element("div", {class: "bar", style: `--part: ${timed ? standing.perSecond / fastest : 0}`})),
      cell("Operations/s", timed ? number(standing.perSecond) : "–"),
      cell("Median", timed ? millis(standing.p50Millis) : "–"),
      cell("99 % within", timed ? millis(standing.p99Millis) : "–"),
      cell("Error", standing ? error(standing) : "–"));
}

function millis(value) {
  const digits = value < 100 ? 2 : 3;
  return `${value.toLocaleString("en", {minimumSignificantDigits: digits, maximumSignificantDigits: digits})} ms`;
}

function error({counted, operations}) {
  const wrong = counted - operations;
  return wrong === 0 ? "none" : `${wrong > 0 ? "+" : "−"}${number(Math.abs(wrong))}`;
}

function verdict(standings) {
  const [unguarded, guarded, grouped] = Object.keys(NAMES).map(name =>
      standings.find(standing => standing.contender === name));
  if (!unguarded?.perSecond || !guarded?.perSecond || !grouped?.perSecond) {
    return "The race has ended early.";
  }
  const rate = other => (other.perSecond / unguarded.perSecond).toFixed(1);
  const wrong = standing => standing.counted - standing.operations;
  const exact = wrong(guarded) === 0 && wrong(grouped) === 0;
  const part = (100 * wrong(unguarded) / unguarded.operations).toFixed(1);
  return `SqlCounters was ${rate(grouped)} times as fast as the unguarded UPDATE, the guarded method ${rate(guarded)} times as fast; `
      + `${exact ? "both counted exactly" : "they did not count exactly"}. The unguarded counter is ${part} % wrong.`;
}
