import type { CheckEnvironmentVariable } from "#contract/checks/scripted.ts";
import { DataCenterLocation } from "#contract/locations.ts";
import type { Body } from "#domain/json-paths.ts";
import type { SuiteBundle } from "./suite-bundle.ts";
import type { SuiteOptions, SuiteVariable } from "./suite-options.ts";

/** What a check says of the bundle that it runs. */
export function bundleFields({ key, cacheHash, playwrightVersion, workingDir }: SuiteBundle): Body {
  return { codeBundlePath: key, cacheHash, playwrightVersion, workingDir: workingDir === "" ? null : workingDir };
}

/** What the check of a suite is to be, of fields that somebody said something of. */
export function wantedFields(options: SuiteOptions, bundle: SuiteBundle): Body {
  const { name, frequency, testCommand, installCommand, engine, locations } = options;
  const said = Object.entries({ name, frequency, testCommand, installCommand, engine }).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(said), ...(locations.length > 0 && placesOf(locations)), ...bundleFields(bundle) };
}

function placesOf(locations: readonly string[]): Body {
  const isOurs = (code: string): boolean => DataCenterLocation.safeParse(code).success;
  return { locations: locations.filter(isOurs), privateLocations: locations.filter((code) => !isOurs(code)) };
}

/** The variables of a check with those that are set; the others stay as they are, and null keeps a secret. */
export function withVariables(stored: readonly CheckEnvironmentVariable[], set: readonly SuiteVariable[]): CheckEnvironmentVariable[] {
  const kept = stored.filter(({ key }) => !set.some((one) => one.key === key));
  return [...kept, ...set.map((one) => ({ ...one, locked: false }))];
}

/** What the variables that are set change, told without a value. */
export function changedVariables(stored: readonly CheckEnvironmentVariable[], set: readonly SuiteVariable[]): readonly string[] {
  const before = new Map(stored.map((one) => [one.key, one]));
  return set.flatMap(({ key, value, secret }) => {
    const known = before.get(key);
    if (known === undefined) return [`${secret ? "secret" : "environment variable"} ${key}: new`];
    if (secret) return [`secret ${key}: set again`]; // nobody can read what it was
    return known.value === value && !known.secret ? [] : [`environment variable ${key}: changed`];
  });
}
