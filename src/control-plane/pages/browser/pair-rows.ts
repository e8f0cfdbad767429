/**
 * Names and values as rows. The lines of text below them stay what the form sends, so that the page works without, and whoever pastes many headers goes
 * back to the text.
 */
export function editPairs(form: HTMLFormElement): void {
  for (const area of form.querySelectorAll<HTMLTextAreaElement>("textarea[data-between]")) new PairRows(area).show(true);
}

/** What the area says of its rows. */
interface Words {
  readonly between: string;
  readonly name: string;
  readonly value: string;
  readonly add: string;
  readonly remove: string;
  readonly asText: string;
  readonly asRows: string;
}

class PairRows {
  readonly #area: HTMLTextAreaElement;
  readonly #words: Words;
  readonly #label: HTMLLabelElement | undefined;
  /** Of the field, as people know it. */
  readonly #name: string;
  readonly #rows = document.createElement("div");
  /** Names of the columns; the inputs have labels of their own. */
  readonly #columns = document.createElement("div");
  /** How the lines of the text are written. */
  readonly #hint: HTMLElement | null;
  readonly #add: HTMLButtonElement;
  readonly #switch: HTMLButtonElement;

  constructor(area: HTMLTextAreaElement) {
    this.#area = area;
    this.#words = { ...(JSON.parse(area.dataset["words"] ?? "{}") as Omit<Words, "between">), between: area.dataset["between"] ?? ":" };
    [this.#label] = area.labels;
    this.#rows.className = "pair-rows";
    this.#rows.setAttribute("role", "group");
    this.#name = this.#label?.textContent ?? "";
    this.#rows.setAttribute("aria-label", this.#name);
    this.#columns.className = "columns";
    this.#columns.setAttribute("aria-hidden", "true");
    this.#columns.append(...[this.#words.name, this.#words.value].map(columnName));
    this.#hint = area.closest(".field")?.querySelector<HTMLElement>(".hint") ?? null;
    this.#add = button(this.#words.add, () => this.#append("").querySelector("input")?.focus());
    this.#switch = button(this.#words.asText, () => this.show(this.#rows.hidden === true));
    const buttons = document.createElement("p");
    buttons.className = "pair-acts";
    buttons.append(this.#add, this.#switch);
    area.after(this.#rows, buttons);
  }

  show(areRows: boolean): void {
    this.#area.hidden = areRows;
    this.#rows.hidden = !areRows;
    this.#add.hidden = !areRows;
    if (this.#hint !== null) this.#hint.hidden = areRows;
    this.#switch.textContent = areRows ? this.#words.asText : this.#words.asRows;
    if (areRows) this.#fill();
    if (this.#label !== undefined) this.#label.htmlFor = areRows ? `${this.#area.id}-name-1` : this.#area.id;
  }

  /** One more than there are lines, to begin with. */
  #fill(): void {
    this.#rows.replaceChildren(this.#columns);
    for (const line of this.#area.value.split("\n")) if (line.trim() !== "") this.#append(line);
    if (this.#rows.childElementCount === 1) this.#append("");
  }

  /** A line that nobody touches stays as it is: not everything that is stored can be typed. */
  #append(line: string): HTMLElement {
    const row = document.createElement("div");
    const number = this.#rows.childElementCount; // the names of the columns come first
    const at = line.indexOf(this.#words.between);
    const [name, value] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
    const inputs = [
      input(name.trim(), `${this.#name}: ${this.#words.name} ${number}`, `${this.#area.id}-name-${number}`),
      input(value.trim(), `${this.#name}: ${this.#words.value} ${number}`, `${this.#area.id}-value-${number}`),
    ] as const;
    row.dataset["line"] = line;
    for (const one of inputs) {
      one.addEventListener("input", () => {
        row.dataset["line"] = this.#lineOf(inputs[0].value, inputs[1].value);
        this.#send();
      });
    }
    const remove = button("×", () => this.#remove(row));
    remove.setAttribute("aria-label", `${this.#name}: ${this.#words.remove} ${number}`);
    row.append(...inputs, remove);
    this.#rows.append(row);
    return row;
  }

  #lineOf(name: string, value: string): string {
    if (name.trim() === "" && value.trim() === "") return "";
    const { between } = this.#words;
    return `${name.trim()}${between}${between === ":" ? " " : ""}${value.trim()}`;
  }

  #remove(row: HTMLElement): void {
    row.dataset["line"] = "";
    this.#send();
    this.#fill();
    this.#add.focus();
  }

  #send(): void {
    const lines = [...this.#rows.querySelectorAll<HTMLElement>("[data-line]")].map(({ dataset }) => dataset["line"] ?? "");
    this.#area.value = lines.filter((line) => line !== "").join("\n");
    this.#area.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

function columnName(text: string): HTMLSpanElement {
  const made = document.createElement("span");
  made.textContent = text;
  return made;
}

function input(value: string, label: string, id: string): HTMLInputElement {
  const made = document.createElement("input");
  Object.assign(made, { id, value, autocomplete: "off", spellcheck: false });
  made.setAttribute("aria-label", label);
  return made;
}

function button(text: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "quiet", textContent: text });
  made.addEventListener("click", act);
  return made;
}
