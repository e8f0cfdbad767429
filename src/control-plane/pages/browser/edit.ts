import { listenToRun } from "./run-now.ts";

/** The form of a check says while somebody types what is wrong, as the server sees it; and tells of a run that was started from it. */

const form = document.querySelector<HTMLFormElement>("form.edit");
const waitMs = 400;

/** Fields that somebody has touched: what nobody has filled in yet is not wrong yet. */
const touched = new Set<Element>();
let timer = 0;
let asking = new AbortController();

function onInput(event: Event): void {
  if (event.target instanceof Element) touched.add(event.target);
  clearTimeout(timer);
  timer = setTimeout(() => void validate(), waitMs);
}

async function validate(): Promise<void> {
  if (form === null) return;
  asking.abort();
  asking = new AbortController();
  const body = new URLSearchParams([...new FormData(form)].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
  const answer = await fetch(`${form.action}/validate`, { method: "POST", body, signal: asking.signal }).catch(() => undefined);
  // Without an answer the form says it when it is sent.
  if (answer?.ok !== true) return;
  const { problems } = (await answer.json()) as { readonly problems: Readonly<Record<string, string>> };
  for (const [path, fields] of places(form)) if (fields.some((field) => touched.has(field))) tell(path, fields, problems[path]);
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

/** Nothing moves the focus. */
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
  (isBox ? field.parentElement : field)?.before(problem);
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

form?.addEventListener("input", onInput);
form?.addEventListener("change", onInput);
listenToRun();
