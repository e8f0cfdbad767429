import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const folders = (process.env["PATH"] ?? "").split(delimiter);

/**
 * Why tests that need these programs cannot run here, or null. Says it on standard output, too.
 *
 * @param tests what is skipped, in a few words
 */
export function missingPrograms(tests: string, ...names: readonly string[]): string | null {
  const missing = names.filter((name) => !folders.some((folder) => isProgram(join(folder, name))));
  if (missing.length === 0) return null;
  const reason = `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not installed`;
  process.stdout.write(`${tests} skipped: ${reason}\n`);
  return reason;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
