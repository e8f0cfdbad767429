/** Keys of a list: `/` to its search, `j` and `k` through its rows, `?` shows them all. Enter opens a row's link by itself. */
export function listenToKeys(linksOf: () => readonly HTMLElement[]): void {
  const dialog = document.querySelector<HTMLDialogElement>("#keys");
  const button = document.querySelector<HTMLButtonElement>("#show-keys");
  // Not that of the dialog over all pages, which stands before the list.
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
  const keys: Readonly<Record<string, () => void>> = {
    "/": () => {
      search?.focus();
      search?.select();
    },
    j: () => step(linksOf(), 1),
    k: () => step(linksOf(), -1),
    "?": () => dialog?.showModal(),
  };
  button?.addEventListener("click", () => dialog?.showModal());
  if (button !== null) button.hidden = false;
  document.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || dialog?.open === true) return;
    event.preventDefault();
    act();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** From the row that has the focus anywhere in it; else to the first, or the last. */
function step(links: readonly HTMLElement[], by: 1 | -1): void {
  const at = links.findIndex((link) => link.closest("li")?.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + by));
  const link = links[next];
  link?.focus();
  link?.scrollIntoView({ block: "nearest" });
}
