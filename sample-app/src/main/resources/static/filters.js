import {$, count, element, number, say} from "./dom.js";
import {readJson, sleep} from "./http.js";

const PAUSE_MS = 2_000;

/** Shows what the endpoint fbf knows, and how many increments were committed together. */
export async function begin() {
  while (true) {
    if (!document.hidden) {
      await refresh().catch(() => say("doubt", "The server does not respond."));
    }
    await sleep(PAUSE_MS);
  }
}

async function refresh() {
  const [{ready, inDoubt, scopes}, groups] = await Promise.all([readJson("/actuator/fbf"), readGroups()]);
  const reports = await Promise.all(scopes.map(({scope}) => readJson(`/actuator/fbf/${encodeURIComponent(scope)}`)));
  say("doubt", inDoubt.length > 0
      ? `In doubt: ${inDoubt.map(({transaction, since}) =>
          `${transaction} since ${new Date(since).toLocaleTimeString("en", {timeStyle: "medium"})}`).join(", ")}.`
      : ready ? "No operation is in doubt." : "Operations are refused until all is settled.");
  reports.forEach(report => show(report, groups.get(report.scope)));
}

/** How many groups of increments were committed, and of how many increments, by scope. */
async function readGroups() {
  const path = "/actuator/metrics/fbf.group.size";
  const {availableTags} = await readJson(path);
  const scopes = availableTags.find(({tag}) => tag === "scope")?.values ?? [];
  return new Map(await Promise.all(scopes.map(async scope => {
    const {measurements} = await readJson(`${path}?tag=scope:${encodeURIComponent(scope)}`);
    const value = statistic => measurements.find(measurement => measurement.statistic === statistic).value;
    return [scope, {groups: value("COUNT"), increments: value("TOTAL")}];
  })));
}

/** Shows a report; sections that the visitor has opened stay open. */
function show(report, groups) {
  const id = `scope-${report.scope}`;
  if (!$(id)) {
    $("scopes").append(element("details", {id}, element("summary"), element("div")));
  }
  const [summary, body] = $(id).children;
  const {filter} = report;
  summary.replaceChildren(element("code", {}, report.scope),
      filter ? ` ${count(filter.approximateOperations, "operation")}` : " ledger mode");
  body.replaceChildren(
      element("p", {}, facts(report, groups)),
      ...(filter?.arenas ?? []).map(arena => element("table", {},
          element("thead", {}, element("tr", {}, ...["Generation", "Fill", "Operations"].map(title =>
              element("th", {scope: "col"}, title)))),
          element("tbody", {}, ...arena.generations.map(generation)))));
}

function facts({filter, claims}, groups) {
  return [
    ...(filter ? [
      `False positive probability: ${probability(filter.estimatedFpp)} now, ${probability(filter.targetFpp)} stated.`,
      `${(filter.bytes / 1e6).toFixed(1)} MB.`
    ] : []),
    `Being applied: ${claims - (filter?.inDoubt ?? 0)}${filter ? `; in doubt: ${filter.inDoubt}` : ""}.`,
    groups?.groups > 0
        ? `${count(groups.groups, "group")} committed, of ${(groups.increments / groups.groups).toFixed(1)} increments on average.`
        : ""
  ].filter(Boolean).join(" ");
}

function generation({sealedFor, fill, approximateElementCount}, index) {
  return element("tr", {},
      element("th", {scope: "row"}, index === 0 ? "takes new ones" : `closed ${seconds(sealedFor)} ago`),
      element("td", {}, `${(100 * fill).toFixed(2)} %`, element("div", {class: "bar", style: `--part: ${fill}`})),
      element("td", {}, number(approximateElementCount)));
}

function probability(value) {
  return value === 0 ? "0" : value.toExponential(1);
}

/** An ISO 8601 duration in words. */
function seconds(duration) {
  const [, hours = 0, minutes = 0, rest = 0] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(duration) ?? [];
  const all = Math.round(3600 * hours + 60 * minutes + Number(rest));
  return all < 60 ? `${all} s` : `${Math.floor(all / 60)} min ${all % 60} s`;
}
