import { join } from "node:path";
import { type RunProgress, toldLines, toldPictureCharacters } from "#contract/run-progress.ts";
import type { PlaywrightPair } from "./pair.ts";
import type { PlaywrightContext } from "./playwright-engine.ts";
import { readBytes } from "./run-files.ts";
import { isOfKind, nothingTold, type Report, readReport, readSeen } from "./told.ts";

const mostPictureBytes = (toldPictureCharacters / 4) * 3;
/** Of what was seen, for the last lines of the log. */
const lastSeenBytes = 65_536;

const everyMs = 1_000;

/** Tells how far a run is, where somebody looks on: once a second, as pages change while a step goes on. */
export function tellProgress(
  pair: Pick<PlaywrightPair, "soFar" | "folder">,
  onProgress: PlaywrightContext["onProgress"],
): Disposable & { readonly collect: () => void } {
  if (onProgress === undefined) return { collect: () => undefined, [Symbol.dispose]: () => undefined };
  let last: Promise<unknown> = Promise.resolve();
  const tell = (phase?: RunProgress["phase"]): void => {
    const report = readReport(pair.soFar) ?? nothingTold;
    last = last.then(async () => onProgress({ ...(await progressOf(report, pair.folder.run)), ...(phase !== undefined && { phase }) }));
  };
  tell();
  const timer = setInterval(() => tell(), everyMs).unref();
  const end = (): void => clearInterval(timer);
  const collect = (): void => {
    end();
    tell("collecting");
  };
  return { collect, [Symbol.dispose]: end };
}

/** How far a run is, by what its tree told last. @param runFolder where the tree leaves pictures of its page, if any */
async function progressOf({ tests, steps, output }: Report, runFolder: string): Promise<RunProgress> {
  const running = steps.filter(({ durationMs }) => durationMs === null);
  const test = tests[running.at(-1)?.test ?? tests.length - 1];
  const picture = await readBytes(join(runFolder, "live.jpg"), mostPictureBytes, "beginning").catch(() => Buffer.alloc(0));
  const seen = await readBytes(join(runFolder, "seen.ndjson"), lastSeenBytes, "end").catch(() => Buffer.alloc(0));
  const lines = [...output, ...readSeen(seen.toString()).filter(isOfKind("log"))].toSorted((one, other) => one.time - other.time);
  const log = lines.slice(-toldLines).map(({ time, level, msg }) => ({ time, level, msg: msg.slice(0, 2_000) }));
  return {
    phase: tests.length === 0 ? "starting" : "testing",
    testsDone: tests.filter(({ durationMs }) => durationMs !== null).length,
    step: test === undefined ? null : titles([test, ...running]),
    log,
    picture: isJpeg(picture) ? picture.toString("base64") : null,
  };
}

function titles(nested: readonly { readonly title: string }[]): string {
  return nested
    .map(({ title }) => title)
    .join(" › ")
    .slice(0, 2_000);
}

/** Whole: one that is longer than what is read has another end. */
function isJpeg(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  return text.startsWith("\u00ff\u00d8\u00ff") && text.endsWith("\u00ff\u00d9");
}
