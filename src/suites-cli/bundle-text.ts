import type { SuiteBundle } from "./suite-bundle.ts";

/** What is in a bundle, for people. */
export function bundleText(bundle: SuiteBundle, folder: string): string {
  const { files, size, unpackedBytes, largest, manager, playwrightVersion, workingDir } = bundle;
  const above = workingDir === "" ? "" : `, the folder ${workingDir} of ${bundle.root}`;
  const version = playwrightVersion === null ? "Playwright (version unknown)" : `Playwright ${playwrightVersion}`;
  const lines = [
    `Suite ${folder}${above}`,
    `  ${files} file${files === 1 ? "" : "s"}, ${sizeText(size)} packed, ${sizeText(unpackedBytes)} unpacked; ${manager}, ${version}`,
    `  largest: ${largest.map(({ path, bytes }) => `${JSON.stringify(path).slice(1, -1)} ${sizeText(bytes)}`).join(", ")}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** A warning for each file that looks like a secret. */
export function secretsText({ secrets }: Pick<SuiteBundle, "secrets">): string {
  return secrets
    .map(
      (path) =>
        `! ${JSON.stringify(path).slice(1, -1)} looks like a secret. Exclude it in .outpostignore and pass the value with --secret instead\n`,
    )
    .join("");
}

/** Of bytes. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
