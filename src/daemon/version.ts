import { readFileSync } from "node:fs";

/** The product's version, from package.json beside `src/` or `dist/`. */
export const version: string = readVersion();

function readVersion(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  if (typeof parsed === "object" && parsed !== null && "version" in parsed && typeof parsed.version === "string") return parsed.version;
  throw new Error("package.json has no version");
}
