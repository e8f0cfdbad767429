/** Rows of assertions come and go in the form, and values of a response that was tried become rows. */
export function editAssertions(form: HTMLFormElement): void {
  form.classList.add("with-script");
  const body = form.querySelector<HTMLTableSectionElement>(".assertions tbody");
  const fits: Fits = JSON.parse(body?.closest("table")?.dataset["fits"] ?? "{}");
  for (const row of body?.rows ?? []) fit(row, fits);
  form.addEventListener("input", ({ target }) => {
    const row = target instanceof HTMLSelectElement && target.name === "assertion.source" ? target.closest("tr") : null;
    if (row !== null) fit(row, fits);
  });
  form.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    if (body === null || button === null) return;
    if (button.name === "drop") drop(button.closest("tr"));
    else if (button.id === "add-assertion") fieldsOf(emptyRow(body)).source?.focus();
    else if (button.closest(".assertable") !== null) fill(emptyRow(body), button.dataset);
  });
}

/** Comparisons by the source that takes no others. */
type Fits = Readonly<Record<string, readonly string[]>>;

/** What was chosen before stays until another source is chosen that it does not fit. */
function fit(row: Element, fits: Fits): void {
  const { source, comparison } = fieldsOf(row);
  if (source === null || comparison === null) return;
  const allowed = fits[source.value];
  const isFitting = (one: string): boolean => allowed === undefined || allowed.includes(one);
  if (document.activeElement === source && !isFitting(comparison.value)) comparison.value = "EQUALS";
  for (const option of comparison.options) option.hidden = option.disabled = !isFitting(option.value) && !option.selected;
}

interface Fields {
  readonly source: HTMLSelectElement | null;
  readonly property: HTMLInputElement | null;
  readonly comparison: HTMLSelectElement | null;
  readonly target: HTMLInputElement | null;
}

function fieldsOf(row: Element): Fields {
  const named = <Field extends Element>(name: string): Field | null => row.querySelector<Field>(`[name="assertion.${name}"]`);
  return { source: named("source"), property: named("property"), comparison: named("comparison"), target: named("target") };
}

/** It stays, unseen and without a source: the server knows rows by their places. */
function drop(row: HTMLTableRowElement | null): void {
  const { source } = row === null ? { source: null } : fieldsOf(row);
  if (row === null || source === null) return;
  source.value = "";
  row.hidden = true;
  source.dispatchEvent(new Event("input", { bubbles: true }));
  row.closest("fieldset")?.querySelector<HTMLElement>("#add-assertion")?.focus();
}

/** The first that is free; one more where none is. */
function emptyRow(body: HTMLTableSectionElement): Element {
  const rows = [...body.rows];
  const free = rows.find((row) => !row.hidden && fieldsOf(row).source?.value === "");
  return free ?? added(body, rows);
}

function added(body: HTMLTableSectionElement, rows: readonly HTMLTableRowElement[]): Element {
  const fresh = document.importNode(rows[rows.length - 1] ?? document.createElement("tr"), true);
  fresh.hidden = false;
  for (const problem of fresh.querySelectorAll(".problem")) problem.remove();
  for (const field of fresh.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLButtonElement>("[aria-label]")) {
    field.setAttribute("aria-label", (field.getAttribute("aria-label") ?? "").replace(/\d+$/, String(rows.length + 1)));
    if (!(field instanceof HTMLButtonElement)) field.value = "";
    for (const name of ["aria-invalid", "aria-describedby"]) field.removeAttribute(name);
  }
  const { comparison } = fieldsOf(fresh);
  if (comparison !== null) comparison.value = "EQUALS";
  body.append(fresh);
  return fresh;
}

function fill(row: Element, wanted: DOMStringMap): void {
  for (const [name, field] of Object.entries(fieldsOf(row))) if (field !== null) field.value = wanted[name] ?? "";
  const { source, target } = fieldsOf(row);
  source?.dispatchEvent(new Event("input", { bubbles: true }));
  target?.focus();
  row.scrollIntoView({ block: "nearest" });
}
