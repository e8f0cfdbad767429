import { browserOfCode } from "#contract/agent-baselines.ts";
import type { PlaywrightError } from "#contract/checks/playwright-run.ts";
import { AppError } from "#domain/app-error.ts";
import type { PlaywrightRun, PlaywrightTask } from "../playwright/playwright-engine.ts";
import type { Baselines, RunContext } from "../runners/check-runner.ts";

/** Pictures to compare the screenshots of a run with. */
export interface GivenBaselines {
  readonly pictures: PlaywrightTask["baselines"];
  /** Major version of the browser that they were taken with, where it was another one. */
  readonly otherBrowser: number | null;
  /** They are named as code has them, and so is what the run takes. */
  readonly isCodeNamed: boolean;
}

const none: GivenBaselines = { pictures: [], otherBrowser: null, isCodeNamed: false };
const compares = /\btoHaveScreenshot\b|\btoMatchSnapshot\b/;

/**
 * Those that came with the code; beside them those of this browser's major version, and where it has none, those of the last one before it, which stay until somebody
 * updates them.
 *
 * @throws {AppError} unavailable: without them each comparison would pass
 */
export async function givenBaselines(
  { script, files }: Pick<PlaywrightTask, "script" | "files">,
  browser: number | null,
  { baselines, signal }: RunContext,
): Promise<GivenBaselines> {
  if (baselines === undefined || browser === null || ![script, ...files.map(({ content }) => content)].some((code) => compares.test(code)))
    return none;
  try {
    const { baselines: all, isCodeNamed } = await baselines.list(signal);
    const ofCode = all.filter((one) => one.browser === browserOfCode);
    const names = new Set(ofCode.map(({ name }) => name));
    const kept = all.filter((one) => one.browser !== browserOfCode && !names.has(one.name));
    const major = newest(kept.filter((one) => one.browser === browser)) ?? newest(kept);
    const wanted = [...ofCode, ...kept.filter((one) => one.browser === major)];
    const pictures = [];
    for (const name of wanted) pictures.push({ name: name.name, data: await baselines.read(name, signal) });
    return { pictures, otherBrowser: major === browser ? null : major, isCodeNamed };
  } catch (cause) {
    signal.throwIfAborted();
    throw new AppError("unavailable", "the pictures that screenshots are compared with could not be fetched from the control plane", {
      cause,
    });
  }
}

/** Keeps what a run took for the first time, if it passed: a page that is broken today is nothing to compare with. @returns why not all is kept */
export async function keepPictures(
  { outcome, pictures }: PlaywrightRun,
  browser: number | null,
  { baselines, signal }: { readonly baselines?: Baselines | undefined; readonly signal: AbortSignal },
): Promise<string | null> {
  if (outcome === "failed" || browser === null || baselines === undefined) return null;
  try {
    for (const picture of pictures) await baselines.keep({ ...picture, browser }, signal);
    return null;
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : "the control plane did not take it";
    return `a first picture could not be kept, the next run takes it anew: ${why}`;
  }
}

/** A comparison across browsers fails for pixels that nobody changed: its error says so. */
export function aboutBrowsers(
  errors: readonly PlaywrightError[],
  { otherBrowser }: GivenBaselines,
  browser: number | null,
): PlaywrightError[] {
  const since = `The browser changed from ${otherBrowser} to ${browser} since the picture was taken: update snapshots if the page is right.`;
  return errors.map((error) =>
    otherBrowser !== null && /toHaveScreenshot|toMatchSnapshot/.test(error.message)
      ? { ...error, message: `${since}\n${error.message}`.slice(0, 10_000) }
      : error,
  );
}

/** Of `chromium/156.0.8078.79`. */
export function majorOf(browser: string | null): number | null {
  const major = Number(/\/(\d+)\./.exec(browser ?? "")?.[1]);
  return Number.isInteger(major) && major > 0 ? major : null;
}

function newest(all: readonly { readonly browser: number }[]): number | null {
  return all.length === 0 ? null : Math.max(...all.map(({ browser }) => browser));
}
