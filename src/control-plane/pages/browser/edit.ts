import { ask } from "./ask.ts";
import { editAssertions } from "./assertion-rows.ts";
import { elementOf, morph } from "./morph.ts";
import { editPairs } from "./pair-rows.ts";
import { listenToRun } from "./run-now.ts";

/**
 * The form of a check says while somebody types what is wrong, as the server sees it; tells of a run that was started from it; and tries what
 * stands in it without leaving the page.
 */

const form = document.querySelector<HTMLFormElement>("form.edit");
const waitMs = 400;

/** Fields that somebody has touched: what nobody has filled in yet is not wrong yet. */
const touched = new Set<Element>();
let timer = 0;
let asking = new AbortController();

function onInput(event: Event): void {
  if (event.target instanceof Element) touched.add(event.target);
  markUnsaved();
  clearTimeout(timer);
  timer = setTimeout(() => void validate(), waitMs);
}

async function validate(): Promise<void> {
  if (form === null) return;
  asking.abort();
  asking = new AbortController();
  const answer = await ask<Pick<Tried, "problems"> & Marked>(`${form.action}/validate`, {
    method: "POST",
    body: sent(form),
    signal: asking.signal,
  });
  // Without an answer the form says it when it is sent.
  if (answer === undefined) return;
  for (const [path, fields] of places(form)) if (fields.some((field) => touched.has(field))) tell(path, fields, answer.problems[path]);
  mark(answer.line);
}

interface Marked {
  /** Of the script, where it is wrong. */
  readonly line: number | null;
}

/** For the editor of the script. */
function mark(line: number | null): void {
  form?.querySelector("textarea.code")?.dispatchEvent(new CustomEvent("outpost-mark", { detail: line }));
}

function sent(of: HTMLFormElement): URLSearchParams {
  return new URLSearchParams([...new FormData(of)].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}

/** Fields by the paths under which their problems come. An assertion without a source is none. */
function places(of: HTMLFormElement): readonly (readonly [path: string, fields: readonly Element[]])[] {
  const named = [...of.querySelectorAll("[name]")].filter(({ tagName }) => tagName !== "BUTTON");
  const single = Map.groupBy(
    named.filter((field) => !nameOf(field).startsWith("assertion.")),
    nameOf,
  );
  const assertions = [...of.querySelectorAll(".assertions tbody tr")]
    .filter((row) => row.querySelector<HTMLSelectElement>('[name="assertion.source"]')?.value !== "")
    .map((row, index) => [`request.assertions[${index}]`, [...row.querySelectorAll("[name]")].toReversed()] as const);
  return [...single, ...assertions];
}

function nameOf(field: Element): string {
  return field.getAttribute("name") ?? "";
}

/** Nothing moves the focus: somebody types there. */
function tell(path: string, [field]: readonly Element[], text: string | undefined): void {
  const place = field?.closest(".field, td");
  if (!field || !place) return;
  const old = place.querySelector(".problem");
  if (old?.textContent === text) return;
  old?.remove();
  for (const name of ["aria-invalid", "aria-describedby"]) field.removeAttribute(name);
  if (text !== undefined) before(field, problemOf(`${path}-problem`, text));
}

function before(field: Element, problem: Element): void {
  const isBox = field instanceof HTMLInputElement && field.type === "checkbox";
  // Above the whole editor of a script, not between its layers.
  (isBox ? field.parentElement : (field.closest(".editor") ?? field))?.before(problem);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", problem.id);
}

function problemOf(id: string, text: string): Element {
  const problem = document.createElement("p");
  problem.id = id;
  problem.className = "problem";
  problem.textContent = text;
  return problem;
}

interface Tried {
  readonly problems: Readonly<Record<string, string>>;
  readonly sessions: readonly string[];
  readonly html: string;
}

const tried = document.querySelector<HTMLElement>("#tried");

/** What goes wrong here is told by the page that the form leads to. */
async function tryIt(of: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  const body = sent(of);
  body.set("next", button.value);
  button.disabled = true;
  const answer = await ask<Tried>(of.action, { method: "POST", body, headers: { accept: "application/json" } });
  button.disabled = false;
  if (answer === undefined) {
    isLeaving = true;
    return of.requestSubmit(button);
  }
  const { problems, sessions, html } = answer;
  for (const [path, fields] of places(of)) tell(path, fields, problems[path]);
  place(html);
  if (sessions.length > 0) await follow(sessions);
}

interface Followed extends Marked {
  readonly html: string;
  readonly ended: number;
  readonly isOver: boolean;
}

/** The runs that the page tells of; others take their place. */
let followed: readonly string[] = [];

async function follow(sessions: readonly string[]): Promise<void> {
  followed = sessions;
  const address = `/test-sessions?${sessions.map((id) => `id=${encodeURIComponent(id)}`).join("&")}`;
  for (let [ended, isOver] = [0, false]; !isOver; ) {
    const told = await ask<Followed>(`${address}&ended=${ended}`, { headers: { accept: "application/json" } });
    if (told === undefined || followed !== sessions) return;
    place(told.html);
    if (told.line !== null) mark(told.line);
    ({ ended, isOver } = told);
  }
}

function place(html: string): void {
  const [box, fresh] = [tried?.firstElementChild ?? null, elementOf(html)];
  if (fresh === null) return;
  if (box === null) tried?.append(fresh);
  else morph(box, fresh);
}

let isLeaving = false;

/** Said in the bar that saves, and asked by the browser before the page is left. */
function markUnsaved(): void {
  const note = form?.querySelector<HTMLElement>(".unsaved");
  if (note && note.textContent === "") note.textContent = note.dataset["text"] ?? "";
}

window.addEventListener("beforeunload", (event) => {
  if (!isLeaving && touched.size > 0) event.preventDefault();
});

form?.addEventListener("submit", (event) => {
  const { submitter } = event;
  if (isLeaving || !(submitter instanceof HTMLButtonElement) || submitter.value !== "try") {
    isLeaving = true;
    return;
  }
  event.preventDefault();
  void tryIt(form, submitter);
});
form?.addEventListener("input", onInput);
form?.addEventListener("change", onInput);
if (form !== null) {
  editAssertions(form);
  editPairs(form);
}
listenToRun();
const begun = tried?.dataset["sessions"];
if (begun !== undefined) void follow(begun.split(" "));
