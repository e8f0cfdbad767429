/**
 * Checks are put into groups: dragged by their rows, or picked up by the handle of one and put down by a button of a group, with the mouse or by
 * keys. Either fills in the form that does it without a script, and sends it.
 */

const targets = [...document.querySelectorAll<HTMLElement>("[data-group]")];
const status = document.querySelector<HTMLElement>(".carried");

/** The row that is dragged or picked up. */
let row: HTMLElement | undefined;

function tickOf(of: HTMLElement): HTMLInputElement | null {
  return of.querySelector<HTMLInputElement>('input[name="check"]');
}

/** The rows that are ticked go together with a ticked one. */
function move(of: HTMLElement, group: string): void {
  const tick = tickOf(of);
  const form = tick?.form;
  const to = form?.elements.namedItem("to");
  if (!tick || !form || !(to instanceof HTMLSelectElement || to instanceof HTMLInputElement)) return;
  if (!tick.checked) {
    for (const one of form.elements) if (one instanceof HTMLInputElement && one.name === "check") one.checked = one === tick;
  }
  to.value = group;
  form.requestSubmit();
}

/** Where a row is already is no target for it. */
function takes(target: HTMLElement, of: HTMLElement): boolean {
  return !target.contains(of);
}

function dropOf(target: HTMLElement): HTMLButtonElement | null {
  return target.querySelector<HTMLButtonElement>(".drop");
}

/** Targets beyond the window come into it. */
function showTargets(are: boolean): void {
  document.body.classList.toggle("carrying", are);
}

function pickUp(of: HTMLElement, handle: HTMLElement): void {
  putBack();
  row = of;
  showTargets(true);
  handle.setAttribute("aria-pressed", "true");
  const open = targets.filter((target) => takes(target, of));
  for (const target of open) {
    const drop = dropOf(target);
    if (drop) drop.hidden = false;
  }
  if (status) status.textContent = status.dataset["carrying"] ?? "";
  const [first] = open;
  if (first) dropOf(first)?.focus();
}

/** @returns the handle that it was picked up by */
function putBack(): HTMLElement | undefined {
  const handle = row?.querySelector<HTMLElement>(".handle") ?? undefined;
  handle?.setAttribute("aria-pressed", "false");
  for (const target of targets) {
    target.classList.remove("over");
    const drop = dropOf(target);
    if (drop) drop.hidden = true;
  }
  showTargets(false);
  if (status) status.textContent = "";
  row = undefined;
  return handle;
}

function prepareRow(of: HTMLElement): void {
  const handle = of.querySelector<HTMLButtonElement>(".handle");
  if (handle === null) return;
  handle.hidden = false;
  handle.addEventListener("click", () => {
    if (row === of) putBack();
    else pickUp(of, handle);
  });
  of.draggable = true;
  of.addEventListener("dragstart", (event) => {
    putBack();
    row = of;
    event.dataTransfer?.setData("text/plain", of.dataset["id"] ?? "");
    setTimeout(() => showTargets(row === of)); // what moves while a drag begins ends it
  });
  of.addEventListener("dragend", () => putBack());
}

function prepareTarget(target: HTMLElement): void {
  const isOver = (is: boolean): void => {
    target.classList.toggle("over", is);
  };
  target.addEventListener("dragover", (event) => {
    if (row === undefined || !takes(target, row)) return;
    event.preventDefault();
    isOver(true);
  });
  target.addEventListener("dragleave", () => isOver(false));
  target.addEventListener("drop", (event) => {
    if (row === undefined || !takes(target, row)) return;
    event.preventDefault();
    move(row, target.dataset["group"] ?? "");
  });
  dropOf(target)?.addEventListener("click", () => {
    if (row !== undefined) move(row, target.dataset["group"] ?? "");
  });
}

for (const of of document.querySelectorAll<HTMLElement>("li[data-id]")) prepareRow(of);
for (const target of targets) prepareTarget(target);
const keys: Readonly<Record<string, () => void>> = { Escape: () => putBack()?.focus() };
document.addEventListener("keydown", (event) => keys[event.key]?.());
