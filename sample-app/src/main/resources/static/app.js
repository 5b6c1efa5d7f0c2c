import {draw} from "./chart.js";
import {$, isBusy, say, setBusy} from "./dom.js";
import {readJson} from "./http.js";
import * as kill from "./kill.js";
import {deliver, newKey} from "./operation.js";

const RETRIES = 20;
const OPERATIONS = 100;
const AT_ONCE = 3;
const FAULTS = {lostResponses: 0.5, seconds: 30};
const MAX_SAMPLES = 2_000;

const session = restore() ?? begin();
let samples = [];
let faults = {lostResponses: 0, remainingSeconds: 0, lostSoFar: 0};
let underWay = 0;
let refusal = "";
let announced = 0;

function restore() {
  return JSON.parse(sessionStorage.getItem("session"));
}

function begin() {
  return {page: `visit-${newKey().slice(0, 8)}`, expected: 0};
}

function save() {
  sessionStorage.setItem("session", JSON.stringify(session));
  $("page").textContent = session.page;
}

/** One operation, sent to both counters; each request after the first is a retry. */
async function operate(requests) {
  const {page} = session;
  const key = newKey();
  session.expected++;
  underWay++;
  save();
  $("expected").textContent = session.expected;
  $("key").textContent = `Idempotency-Key: ${key}`;
  await Promise.all([`/pages/${page}/views`, `/unguarded/pages/${page}/views`].map(async path => {
    for (let i = 0; i < requests; i++) {
      refusal = await deliver(path, key) || refusal;
    }
  }));
  underWay--;
}

async function operateOften(button) {
  if (isBusy(button)) {
    return;
  }
  setBusy(button, true);
  let left = OPERATIONS;
  await Promise.all(Array.from({length: AT_ONCE}, async () => {
    while (left-- > 0) {
      await operate(1);
    }
  }));
  setBusy(button, false);
}

async function refresh() {
  try {
    const {page, expected} = session;
    const [views, state] = await Promise.all([readJson(`/pages/${page}`), readJson("/faults")]);
    faults = state;
    if (page === session.page) {
      show({time: Date.now(), expected, guarded: views.views, unguarded: views.unguardedViews});
    }
    showNetwork("");
  } catch {
    showNetwork("The server does not respond.");
  }
}

function show(sample) {
  samples = [...samples, sample].slice(-MAX_SAMPLES);
  for (const line of ["expected", "guarded", "unguarded"]) {
    $(line).textContent = sample[line];
  }
  draw($("chart"), samples);
  announce(sample);
}

/** Screen readers hear every change of the verdict, so it changes at most every two seconds while work is under way. */
function announce({expected, guarded, unguarded}) {
  const verdict = expected === 0
      ? "No operation sent yet."
      : `Of ${expected} expected, guarded ${compare(guarded, expected)}, unguarded ${compare(unguarded, expected)}.`;
  const due = underWay === 0 || Date.now() - announced > 2_000;
  if (due && $("verdict").textContent !== verdict) {
    announced = Date.now();
    $("verdict").textContent = verdict;
  }
}

function compare(views, expected) {
  const difference = views - expected;
  return difference === 0 ? "is exact" : `has ${Math.abs(difference)} ${difference > 0 ? "too many" : "to come"}`;
}

function showNetwork(trouble) {
  const on = faults.remainingSeconds > 0;
  $("lose").classList.toggle("on", on);
  $("lose").textContent = on ? `Stop losing responses (${faults.remainingSeconds} s)` : "Lose responses";
  $("lost").textContent = faults.lostSoFar > 0 ? `Responses lost so far: ${faults.lostSoFar}.` : "";
  const parts = [
    trouble,
    refusal,
    on ? `${Math.round(100 * faults.lostResponses)} % of the responses get lost: clicks are sent again until acknowledged.` : ""
  ];
  say("network", parts.filter(Boolean).join(" "));
}

async function toggleFaults() {
  const request = faults.remainingSeconds > 0
      ? {method: "DELETE"}
      : {method: "PUT", headers: {"Content-Type": "application/json"}, body: JSON.stringify(FAULTS)};
  faults = await readJson("/faults", request);
  showNetwork("");
}

function takeNewPage() {
  Object.assign(session, begin());
  samples = [];
  refusal = "";
  save();
  refresh();
}

/** While connections are killed, a read would meet one that was cut. */
async function keepFresh() {
  if (!document.hidden && !kill.isOn()) {
    await refresh();
  }
  setTimeout(keepFresh, underWay > 0 ? 200 : 1_000);
}

$("once").addEventListener("click", () => operate(1).then(refresh));
$("retry").addEventListener("click", () => operate(1 + RETRIES).then(refresh));
$("hundred").addEventListener("click", event => operateOften(event.currentTarget).then(refresh));
$("lose").addEventListener("click", () => toggleFaults().catch(() => showNetwork("The server does not respond.")));
$("anew").addEventListener("click", takeNewPage);
new ResizeObserver(() => draw($("chart"), samples)).observe($("chart"));
save();
keepFresh();
kill.begin();
