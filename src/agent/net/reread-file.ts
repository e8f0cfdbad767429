import { readFileSync, statSync } from "node:fs";

/** How long a file is taken as unchanged without a look at it (ms). */
const trustedForMs = 5_000;

/**
 * A small file, parsed, and parsed again when it changed. A file that is not there or cannot be read is empty:
 * the system's resolver takes it so too.
 */
export function rereadFile<T>(path: string, parse: (text: string) => T): () => T {
  let value: T | undefined;
  let version = "";
  let lookAgainAtMs = 0;
  return () => {
    const nowMs = performance.now();
    if (value !== undefined && nowMs < lookAgainAtMs) return value;
    lookAgainAtMs = nowMs + trustedForMs;
    const found = versionOf(path);
    if (value === undefined || found !== version) {
      version = found;
      value = parse(found === "" ? "" : textOf(path));
    }
    return value;
  };
}

function versionOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? "" : `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
