import type { ScriptSuggestion } from "#contract/checks/playwright-run.ts";
import type { ScriptFacts } from "#domain/root-causes/script-facts.ts";
import { mask } from "#domain/scrub/scrub-stream.ts";
import { resultUuid } from "../kinds/ids.ts";
import type { CheckRow, ResultRow, ResultStore } from "../storage/storage.ts";

/** Playwright attaches the page to a test that failed, as text. */
const pageFile = /^error-context(?:-\d+)?\.md$/;
const mostPageBytes = 65_536;

/** As it is stored: it was read by the type's schema when it came. */
interface Detail {
  readonly errors?: readonly { readonly message: string; readonly location: { readonly file: string; readonly line: number } | null }[];
  readonly suggestions?: readonly ScriptSuggestion[];
}

/** Null for checks that are no script of one file. */
export async function readScript(results: Pick<ResultStore, "asset">, check: CheckRow, row: ResultRow): Promise<ScriptFacts | null> {
  const { script } = check.definition as { readonly script?: unknown };
  if (typeof script !== "string" || row.detailJson === null) return null;
  const { errors = [], suggestions = [] } = JSON.parse(row.detailJson.toString()) as Detail;
  const [first] = errors;
  const error = first?.location == null ? null : { message: first.message, file: first.location.file, line: first.location.line };
  const unmasked = suggestions.filter(({ before, after }) => !before.includes(mask) && !after.includes(mask));
  return { script, error, page: await pageOf(results, check, row), suggestions: unmasked };
}

async function pageOf(results: Pick<ResultStore, "asset">, check: CheckRow, row: ResultRow): Promise<string | null> {
  const name = row.assets.find((one) => pageFile.test(one.name))?.name;
  const file = name === undefined ? undefined : await results.asset(check.id, resultUuid(row), name);
  if (file === undefined || !("body" in file)) return null;
  return new TextDecoder().decode(file.body.subarray(0, mostPageBytes));
}
