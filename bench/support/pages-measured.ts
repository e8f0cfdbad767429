import { type Browser, browser } from "../../test/control-plane/console/browser.ts";
import { type Rest, restOf } from "./rest.ts";
import { heavyChecks, seededLocations } from "./seeded-results.ts";

/** One document, as people ask for it. */
export interface PageToMeasure {
  readonly name: string;
  /** Of the so-manieth request: checks and places in lists vary, so that no page is asked for twice in a row. */
  readonly path: (no: number) => string;
  readonly cookie: string | null;
  /** What it shows is kept for a while: it is measured again when that is over. */
  readonly isRemembered: boolean;
}

/** All pages of the control plane that answers there. */
export async function pagesToMeasure(url: string, apiKey: string, checkIds: readonly string[]): Promise<readonly PageToMeasure[]> {
  const rest = restOf(url, apiKey);
  await placeHeavy(rest, checkIds);
  const person = browser(url);
  await person.get("/sign-in");
  await person.post("/sign-in", { key: apiKey });
  // A key is told only once, so each run has a private dashboard of its own.
  const privateUrl = `bench-private-${Date.now()}`;
  const body = { header: "Bench", customUrl: privateUrl, checksPerPage: 20, isPrivate: true };
  const { dashboardId } = (await rest("POST", "/v1/dashboards", body)) as { dashboardId: string };
  const { rawKey } = (await rest("POST", `/v1/dashboards/${dashboardId}/keys`, {})) as { rawKey: string };
  const reader = browser(url);
  await reader.get(`/dashboards/${privateUrl}?key=${rawKey}`);
  const group = firstId(await rest("GET", "/v1/check-groups"));
  return [
    ...(await consolePages(rest, checkIds, cookieOf(person), group)),
    ...publicPages(checkIds, { url: privateUrl, cookie: cookieOf(reader) }, group),
  ];
}

/** Checks with results of all locations run at all of them: what a page draws depends on how many there are. */
export async function placeHeavy(rest: Rest, checkIds: readonly string[]): Promise<void> {
  const known = ((await rest("GET", "/v1/private-locations")) as readonly { readonly slugName: string }[]).map(({ slugName }) => slugName);
  for (const slugName of seededLocations) {
    if (!known.includes(slugName)) await rest("POST", "/v1/private-locations", { name: slugName, slugName });
  }
  for (const id of checkIds.slice(0, heavyChecks)) {
    await rest("PUT", `/v1/checks/api/${id}`, { frequency: 1, locations: [], privateLocations: seededLocations });
  }
}

function cookieOf({ cookies }: Browser): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

async function consolePages(rest: Rest, checkIds: readonly string[], cookie: string, group: string): Promise<readonly PageToMeasure[]> {
  const console = (name: string, path: PageToMeasure["path"], isRemembered = false): PageToMeasure => ({
    name,
    path,
    cookie,
    isRemembered,
  });
  const check = (no: number): string => checkIds[(no * 37) % checkIds.length] ?? "";
  const heavy = (no: number): string => checkIds[no % 10] ?? "";
  const lastPage = Math.ceil(checkIds.length / 50);
  const results = await Promise.all(checkIds.slice(20, 30).map(async (id) => ({ id, resultId: await resultOf(rest, id) })));
  const idOf = async (path: string): Promise<string> => firstId(await rest("GET", path));
  const [location, channel, incident] = await Promise.all([
    idOf("/v1/private-locations"),
    idOf("/v1/alert-channels"),
    idOf("/v1/status-pages/incidents"),
  ]);
  return [
    console("overview", () => "/checks", true),
    console("overview, failing", () => "/checks?state=failing", true),
    console("overview, words, tag", (no) => `/checks?q=shop+${no % 10}&tag=team-4`, true),
    console("overview, last page", (no) => `/checks?page=${lastPage - (no % 8)}`, true),
    console("overview, heartbeats", () => "/checks?type=HEARTBEAT", true),
    console("overview, sorted by name", (no) => `/checks?sort=name&page=${1 + (no % 8)}`, true),
    console("overview, matrix", (no) => `/checks?view=matrix&page=${1 + (no % 8)}`, true),
    ...["group", "tag", "location", "type"].map((by) =>
      console(`overview, by ${by}`, (no) => `/checks?by=${by}&page=${1 + (no % 8)}`, true),
    ),
    console("overview, by tag, folded", () => "/checks?by=tag&fold=all", true),
    console("groups", () => "/groups"),
    console("group", () => `/groups/${group}`),
    ...["1h", "24h", "7d", "30d"].map((range) => console(`check, ${range}`, (no) => `/checks/${check(no)}?range=${range}`)),
    ...["24h", "30d"].map((range) => console(`check that runs each minute, ${range}`, (no) => `/checks/${heavy(no)}?range=${range}`)),
    console("result", (no) => `/checks/${results[no % 10]?.id}/results/${results[no % 10]?.resultId}`),
    console("new check", () => "/checks/new?type=API"),
    console("changed check", (no) => `/checks/${check(no)}/edit`),
    console("locations", () => "/locations"),
    console("location", () => `/locations/${location}`),
    console("alerts", (no) => `/alerts?page=${1 + (no % 5)}`),
    console("alerts of a check", (no) => `/alerts?check=${check(no)}`),
    console("alerts, last page", (no) => `/alerts?page=${2_000 - (no % 5)}`),
    console("sent", (no) => `/alerts/sent?page=${1 + (no % 5)}`, true),
    console("sent, last page", (no) => `/alerts/sent?page=${2_000 - (no % 5)}`, true),
    console("channels", () => "/channels"),
    console("channel", () => `/channels/${channel}`),
    console("incidents", () => "/incidents"),
    console("new incident", () => "/incidents/new"),
    console("incident", () => `/incidents/${incident}`),
    console("maintenance", () => "/maintenance"),
    console("new window", () => "/maintenance/new"),
    console("members", () => "/members"),
  ];
}

function publicPages(
  checkIds: readonly string[],
  locked: { readonly url: string; readonly cookie: string },
  group: string,
): readonly PageToMeasure[] {
  const open = (name: string, path: PageToMeasure["path"], isRemembered = true): PageToMeasure => ({
    name,
    path,
    cookie: null,
    isRemembered,
  });
  const turned = (name: string, pages: number) => (no: number) => `/dashboards/${name}?page=${1 + ((no * 7) % pages)}`;
  return [
    open("dashboard", () => "/dashboards/bench-plain"),
    open("dashboard with P95 and P99, each its page", turned("bench-figures", Math.ceil(checkIds.length / 20))),
    open("dashboard expanded, with incidents", turned("bench-expanded", Math.ceil(checkIds.length / 20))),
    open("dashboard of two tags", turned("bench-tagged", 5)),
    { ...open("dashboard, private", turned(locked.url, 250)), cookie: locked.cookie },
    open("runs of a check", (no) => `/dashboards/bench-plain/checks/${checkIds[no % 50]}`, false),
    open("status page", () => "/status/bench"),
    open("feed, RSS", () => "/status/bench/feed.rss"),
    open("feed, JSON", () => "/status/bench/feed.json"),
    open("badge of a check", (no) => `/v1/badges/checks/${checkIds[no]}?responseTime=true`, false),
    open("badge of a group", () => `/v1/badges/groups/${group}?responseTime=true`, false),
    open("/", () => "/", false),
    open("sign in", () => "/sign-in", false),
  ];
}

async function resultOf(rest: Rest, checkId: string): Promise<string> {
  const { entries } = (await rest("GET", `/v2/check-results/${checkId}?limit=1`)) as { entries: readonly { readonly id: string }[] };
  return entries[0]?.id ?? "";
}

function firstId(list: unknown): string {
  const entries = Array.isArray(list) ? list : (list as { readonly entries: readonly unknown[] }).entries;
  return String((entries[0] as { readonly id: string | number }).id);
}
