import { secretMask } from "#contract/variables.ts";
import { checkFormTexts } from "../../texts/check-form.ts";
import { type Html, html } from "../../view/html.ts";
import { ofLine } from "./shown-text.ts";

const texts = checkFormTexts.variable;
const kinds = ["plain", "locked", "secret"] as const;

export const variablesId = "variables";

/** A variable of a check, as it is read. */
interface Variable {
  readonly key: string;
  readonly value: string | null;
  readonly locked: boolean;
  readonly secret: boolean;
}

/** Two rows are left for more. Asterisks stand for what is stored and not to be seen. */
export function variableTable(variables: unknown, stored: unknown): Html {
  const held = new Map(variablesOf(stored).map((one) => [one.key, one]));
  const rows = [...variablesOf(variables).map((one) => shown(one, held.get(one.key))), empty, empty];
  const row = ({ key, value, kind }: typeof empty, index: number): Html => {
    const number = index + 1;
    return html`<tr><td><input name="variable.key" value="${key}" autocomplete="off" spellcheck="false" aria-label="${texts.keyOf(number)}"></td>
<td><input name="variable.value" value="${value}" autocomplete="off" spellcheck="false" aria-label="${texts.valueOf(number)}"></td>
<td><select name="variable.kind" aria-label="${texts.kindOf(number)}">${kinds.map((one) => html`<option value="${one}"${one === kind && html` selected`}>${texts.kinds[one]}</option>`)}</select></td></tr>`;
  };
  return html`<p class="hint">${texts.hint}</p>
<div class="wide"><table class="variables"><thead><tr><th scope="col">${texts.key}</th><th scope="col">${texts.value}</th><th scope="col">${texts.kind}</th></tr></thead><tbody>${rows.map(row)}</tbody></table></div>`;
}

const empty: { readonly key: string; readonly value: string; readonly kind: (typeof kinds)[number] } = {
  key: "",
  value: "",
  kind: "plain",
};

function shown({ key, value, locked, secret }: Variable, held: Variable | undefined): typeof empty {
  const isHeld = held !== undefined && (held.locked || held.secret) && (value === null || value === held.value);
  return { key, value: isHeld ? secretMask : (value ?? ""), kind: secret ? "secret" : locked ? "locked" : "plain" };
}

/** Undefined where there are none and never were. A row without a name is none. */
export function variablesIn(form: URLSearchParams, stored: unknown): readonly Variable[] | undefined {
  const named = form.getAll("variable.key").some((key) => key.trim() !== "");
  if (!form.has("variable.key") || (!named && variablesOf(stored).length === 0)) return undefined;
  const before = variablesOf(stored);
  const held = new Map(before.map((one) => [one.key, one]));
  const [values, wanted] = [form.getAll("variable.value"), form.getAll("variable.kind")];
  return form.getAll("variable.key").flatMap((text, index) => {
    const [value, kind] = [values[index] ?? "", wanted[index]];
    const was = before[index];
    if (was !== undefined && isSentBack(shown(was, held.get(was.key)), { key: text, value, kind })) return [was];
    const key = text.trim();
    if (key === "") return [];
    // What is locked can be read, and so be sent back; what is secret stays by its asterisks.
    const kept = value === secretMask && held.get(key)?.secret === false ? (held.get(key)?.value ?? null) : value;
    return [{ key, value: kept, locked: kind === "locked", secret: kind === "secret" }];
  });
}

/** Then it is as it was: a value of several lines, or one that is both locked and secret, cannot be typed. */
function isSentBack(row: typeof empty, sent: { readonly key: string; readonly value: string; readonly kind: string | undefined }): boolean {
  return sent.key === ofLine(row.key) && sent.value === ofLine(row.value) && sent.kind === row.kind;
}

/** Of a check, or as `variablesIn` made them. */
function variablesOf(variables: unknown): readonly Variable[] {
  return Array.isArray(variables) ? (variables as readonly Variable[]) : [];
}
