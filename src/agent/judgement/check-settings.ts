import { type CheckType, checkTypes, type SettingsOf } from "#contract/checks/index.ts";
import { AppError } from "#domain/app-error.ts";
import { BoundedCache } from "#domain/bounded-cache.ts";
import { type ReportScrubber, reportScrubber } from "../scrub/scrub-report.ts";

/** A job's settings, understood, and what scrubs its reports. */
export interface PreparedCheck<T extends CheckType> {
  readonly settings: SettingsOf<T>;
  readonly scrub: ReportScrubber;
  /** Somewhere in it stands what may be a template. */
  readonly hasTemplates: boolean;
}

/** @throws {AppError} invalid_input for settings from another version that this agent does not understand */
export type PrepareCheck = <T extends CheckType>(type: T, settings: unknown, proxyUrl: string | null) => PreparedCheck<T>;

const rememberedChecks = 500;
/** Longer ones, with a body of their own, are not kept: what is remembered stays below a few MB. */
const rememberedLength = 8_192;

/**
 * Checks come again every few seconds with the same settings; reading them is a tenth of an agent's own work.
 *
 * @param secretsOfAgent scrubbed from every report; another array only where they changed
 */
export function createPrepareCheck(secretsOfAgent: () => readonly string[] = () => none): PrepareCheck {
  let secrets = secretsOfAgent();
  let remembered = rememberedWith(secrets);
  return <T extends CheckType>(type: T, settings: unknown, proxyUrl: string | null) => {
    const latest = secretsOfAgent();
    if (latest !== secrets) {
      secrets = latest;
      remembered = rememberedWith(secrets);
    }
    const key = JSON.stringify([type, settings, proxyUrl]);
    const check = key.length > rememberedLength ? prepared(key, secrets) : remembered.get(key);
    return check as PreparedCheck<T>; // the key names the type
  };
}

const none: readonly string[] = [];

function rememberedWith(secrets: readonly string[]): BoundedCache<PreparedCheck<CheckType>> {
  return new BoundedCache(rememberedChecks, (key) => prepared(key, secrets));
}

function prepared(key: string, secrets: readonly string[]): PreparedCheck<CheckType> {
  const [type, given, proxyUrl] = JSON.parse(key) as [CheckType, unknown, string | null]; // made above
  const parsed = checkTypes[type].settings.safeParse(given);
  if (parsed.success)
    return { settings: parsed.data, scrub: reportScrubber(parsed.data, proxyUrl, secrets), hasTemplates: key.includes("{{") };
  const fields = parsed.error.issues.map(({ path }) => path.join(".")).join(", ");
  throw new AppError("invalid_input", `this agent does not understand the check's settings: ${fields}`);
}
