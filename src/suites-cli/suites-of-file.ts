import { resolve } from "node:path";
import type { Entry } from "#config-as-code/entry.ts";
import type { WantedFile } from "#config-as-code/file.ts";
import { suiteField } from "#config-as-code/kinds.ts";
import { ConfigError } from "#daemon/env.ts";
import { type BundleOptions, type SuiteBundle, suiteBundle } from "./suite-bundle.ts";
import { bundleFields } from "./suite-check.ts";
import { namesConfig } from "./suite-options.ts";

export interface FileWithSuites {
  /** The same with what each check says of its bundle. */
  readonly wanted: WantedFile;
  /** Each bundle once, with the folder that the file names. */
  readonly bundles: readonly { readonly folder: string; readonly bundle: SuiteBundle }[];
}

/** Bundles the Playwright projects that the checks of a file name. @param base the folder of the file @throws {ConfigError} naming the check */
export async function withSuites(wanted: WantedFile, base: string): Promise<FileWithSuites> {
  const suites = new Map<string, { readonly folder: string; readonly bundle: SuiteBundle }>();
  const entries = new Map(wanted.entries);
  for (const [section, ofSection] of wanted.entries) {
    const filled = new Map<string, Entry>();
    for (const [key, entry] of ofSection) {
      const folder = entry.folders?.[suiteField];
      filled.set(key, folder === undefined ? entry : await explained(`${section} "${key}"`, () => withBundle(entry, folder, base, suites)));
    }
    entries.set(section, filled);
  }
  const bundles = new Map([...suites.values()].map((one) => [one.bundle.key, one]));
  return { wanted: { ...wanted, entries }, bundles: [...bundles.values()] };
}

async function withBundle(
  entry: Entry,
  folder: string,
  base: string,
  suites: Map<string, { readonly folder: string; readonly bundle: SuiteBundle }>,
): Promise<Entry> {
  const made = ["codeBundlePath", "cacheHash", "playwrightVersion"];
  const also = made.find((name) => entry.given.has(name));
  if (also !== undefined) throw new ConfigError(`${also} comes from the folder in ${suiteField}; leave one of the two out`);
  const { workingDir, testCommand } = entry.body;
  const options: BundleOptions = {
    workingDir: typeof workingDir === "string" ? workingDir : null,
    include: [],
    namesConfig: typeof testCommand === "string" && namesConfig(testCommand),
  };
  const at = resolve(base, folder);
  const key = JSON.stringify([at, options]);
  const bundle = suites.get(key)?.bundle ?? (await suiteBundle(at, options));
  suites.set(key, { folder, bundle });
  const fields = bundleFields(bundle);
  return { ...entry, body: { ...entry.body, ...fields }, given: new Set([...entry.given, ...Object.keys(fields)]) };
}

async function explained<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ConfigError) throw new ConfigError(`${where}: ${cause.message}`, { cause, exitCode: cause.exitCode });
    throw cause;
  }
}
