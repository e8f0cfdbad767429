import { ask } from "./ask.ts";
import { elementOf } from "./morph.ts";

/** Ctrl K, or the button in the bar: one field that leads to every check and page. All markup comes from our server. */

const dialog = document.querySelector<HTMLDialogElement>("#palette");
const opener = document.querySelector<HTMLAnchorElement>("#find");
const input = dialog?.querySelector<HTMLInputElement>("input");
const place = dialog?.querySelector<HTMLElement>("#found");
const waitMs = 120;
let timer = 0;
let asking = new AbortController();

function open(event: Event): void {
  event.preventDefault();
  if (dialog?.open === true) return dialog.close();
  dialog?.showModal();
  input?.select();
}

async function look(): Promise<void> {
  if (!input) return;
  asking.abort();
  asking = new AbortController();
  const address = `/find?q=${encodeURIComponent(input.value)}`;
  const told = await ask<{ readonly html: string }>(address, { headers: { accept: "application/json" }, signal: asking.signal });
  const list = told === undefined ? null : elementOf(told.html);
  if (list !== null) place?.replaceChildren(list);
}

function links(): readonly HTMLAnchorElement[] {
  return [...(place?.querySelectorAll("a") ?? [])];
}

/** Down from the field into the list and through it, up again; Enter in the field opens the first. */
function move(event: KeyboardEvent): void {
  const all = links();
  const at = all.findIndex((link) => link === document.activeElement);
  const [first] = all;
  const acts: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowDown: () => all[Math.min(at + 1, all.length - 1)]?.focus(),
    ArrowUp: () => (all[at - 1] ?? input)?.focus(),
    Enter: event.target === input && first !== undefined ? () => first.click() : undefined,
  };
  const act = acts[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
}

opener?.addEventListener("click", open);
dialog?.addEventListener("keydown", move);
input?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => void look(), waitMs);
});
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) open(event);
});
