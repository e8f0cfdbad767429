import { completionAt } from "./script-words.ts";

/** Variables that every script has (docs/scripts.md); the form knows those of the check, its area those of the account. */
function variables(area: HTMLTextAreaElement): string[] {
  const typed = [...(area.form?.querySelectorAll<HTMLInputElement>('[name="variable.key"]') ?? [])].map(({ value }) => value.trim());
  return [...new Set([...typed, ...(area.dataset["variables"] ?? "").split(" ")])].filter((name) => name !== "").toSorted();
}

/**
 * Offers what may stand behind a dot, in a list below the caret: arrows choose, Enter and Tab take, Escape leaves. Ctrl and the space bar ask
 * for it again. The focus stays in the area.
 */
export function offerWords(area: HTMLTextAreaElement, box: HTMLElement): void {
  const offered = new OfferedWords(area, box);
  area.setAttribute("aria-autocomplete", "list");
  area.addEventListener("keydown", (event) => {
    const isAsked = event.ctrlKey && event.key === " ";
    if (isAsked) offered.open();
    if (isAsked || offered.act(event.key)) event.preventDefault();
  });
  area.addEventListener("input", (event) => {
    const isDot = event instanceof InputEvent && event.inputType === "insertText" && event.data === ".";
    if (isDot || offered.isOpen) offered.open();
  });
  for (const name of ["blur", "click", "scroll"]) area.addEventListener(name, () => offered.close());
}

/** What keys mean to the list; a number moves the choice by so many words. */
const meanings: Readonly<Record<string, "take" | "leave" | number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Enter: "take",
  Tab: "take",
  Escape: "leave",
};

class OfferedWords {
  readonly #area: HTMLTextAreaElement;
  readonly #list = document.createElement("ul");
  #from = 0;
  #chosen = 0;

  constructor(area: HTMLTextAreaElement, box: HTMLElement) {
    this.#area = area;
    const list = this.#list;
    list.id = `${area.id}-words`;
    list.className = "words";
    list.role = "listbox";
    list.ariaLabel = area.dataset["words"] ?? "";
    list.tabIndex = 0; // it may scroll
    list.hidden = true;
    list.addEventListener("mousedown", (event) => {
      event.preventDefault(); // the area keeps the focus
      if (event.target instanceof HTMLLIElement) this.#take(event.target.textContent);
    });
    box.append(list);
  }

  get isOpen(): boolean {
    return !this.#list.hidden;
  }

  open(): void {
    const { selectionStart: caret, selectionEnd, value } = this.#area;
    const found = caret === selectionEnd ? completionAt(value.slice(0, caret), variables(this.#area)) : null;
    if (found === null) return this.close();
    this.#from = found.from;
    this.#list.replaceChildren(...found.words.map((word, index) => option(`${this.#list.id}-${index}`, word)));
    place(this.#list, this.#area, value.slice(0, found.from));
    this.#list.hidden = false;
    this.#area.setAttribute("aria-controls", this.#list.id);
    this.#choose(0);
  }

  close(): void {
    this.#list.hidden = true;
    for (const name of ["aria-controls", "aria-activedescendant"]) this.#area.removeAttribute(name);
  }

  /** @returns whether the key meant the list */
  act(key: string): boolean {
    const meant = this.isOpen ? meanings[key] : undefined;
    if (meant === "take") this.#take(this.#list.children[this.#chosen]?.textContent ?? "");
    else if (meant === "leave") this.close();
    else if (meant !== undefined) this.#choose(this.#chosen + meant);
    return meant !== undefined;
  }

  #choose(index: number): void {
    const items = [...this.#list.children];
    this.#chosen = (index + items.length) % items.length;
    for (const [at, item] of items.entries()) item.ariaSelected = String(at === this.#chosen);
    const item = items[this.#chosen];
    item?.scrollIntoView({ block: "nearest" });
    this.#area.setAttribute("aria-activedescendant", item?.id ?? "");
  }

  #take(word: string): void {
    this.#area.setRangeText(word, this.#from, this.#area.selectionStart, "end");
    this.close();
    this.#area.dispatchEvent(new Event("input", { bubbles: true }));
    this.#area.focus();
  }
}

function option(id: string, word: string): HTMLElement {
  const made = document.createElement("li");
  made.id = id;
  made.role = "option";
  made.textContent = word;
  return made;
}

/** Below the word that begins after `before`; the list has the letters of the area, each as wide as any other. */
function place({ style }: HTMLElement, { scrollTop, scrollLeft }: HTMLTextAreaElement, before: string): void {
  const lines = before.split("\n");
  const column = lines.at(-1)?.replaceAll("\t", "  ").length ?? 0;
  style.top = `calc(${lines.length * 1.5}em + .5rem - ${scrollTop}px)`;
  style.left = `calc(${column}ch + 3.6rem - ${scrollLeft}px)`;
}
