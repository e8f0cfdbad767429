import { z } from "zod";
import { Secret } from "./secret.ts";

/** Key of an endpoint of models. */
export const ModelKey = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,4096}$/, "must be 1 to 4096 characters without blanks")
  .transform((text) => new Secret(text));

/** Base URL of an endpoint of models. @param keyVariable where its key goes instead */
export function modelUrl(keyVariable: string) {
  return z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine(
      (text) => !/[?#]/.test(text) && URL.parse(text)?.username === "",
      `must have neither a query nor credentials; the key goes into ${keyVariable}`,
    );
}

/** What only shows in several variables together: an endpoint and a model's name belong together, and there is one key. */
export function pairProblems(
  names: { readonly url: string; readonly model: string; readonly key: string },
  e: Readonly<Record<string, unknown>>,
): readonly { readonly name: string; readonly message: string }[] {
  const problems: { name: string; message: string }[] = [];
  const hasUrl = e[names.url] !== undefined;
  if (hasUrl !== (e[names.model] !== undefined)) {
    const [missing, present] = hasUrl ? [names.model, names.url] : [names.url, names.model];
    problems.push({ name: missing, message: `must be set, too, as ${present} is` });
  }
  const file = `${names.key}_FILE`;
  if (e[names.key] !== undefined && e[file] !== undefined)
    problems.push({ name: file, message: `and ${names.key} are both set; keep one of the two` });
  return problems;
}
