/**
 * Tells times in the reader's zone, with the zone beside them; without this module they stand there in UTC, which stays as the title.
 * What an element shows of its time is in `data-shows`: `minute` (the default), `second`, `clock`, or `row` and
 * `row-second`, whose zone is in the head of their list.
 */
function tell(element: HTMLTimeElement): void {
  const at = new Date(element.dateTime);
  if (element.title !== "" || Number.isNaN(at.getTime())) return;
  if (element.dataset["shows"] === "ago") return void (element.title = minute.format(at)); // its text ticks (ago.ts)
  element.title = element.dataset["shows"]?.startsWith("row") ? (formats["second"]?.format(at) ?? "") : element.textContent;
  element.textContent = (formats[element.dataset["shows"] ?? "minute"] ?? minute).format(at);
}

const day = { day: "numeric", month: "short", year: "numeric" } as const;
const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" } as const;
// British English writes a day as the pages do: 22 Nov 2026.
const minute = new Intl.DateTimeFormat("en-GB", { ...day, ...clock });
const formats: Readonly<Record<string, Intl.DateTimeFormat>> = {
  second: new Intl.DateTimeFormat("en-GB", { ...day, ...clock, second: "2-digit" }),
  clock: new Intl.DateTimeFormat("en-GB", clock),
  row: new Intl.DateTimeFormat("en-GB", { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  "row-second": new Intl.DateTimeFormat("en-GB", { ...day, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }),
  // On axes of time.
  tick: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  day: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" }),
};

/** Of now: half a year away it may be an hour off, and each title says its own. */
const zone = minute.formatToParts(new Date()).find(({ type }) => type === "timeZoneName")?.value ?? "";

function tellAll(root: ParentNode): void {
  for (const element of root.querySelectorAll("time")) tell(element);
  for (const element of root.querySelectorAll("[data-zone]")) element.textContent = zone;
}

tellAll(document);
// Other modules put in rows that came later.
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) tellAll(node);
}).observe(document.body, { childList: true, subtree: true });
