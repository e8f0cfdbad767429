import { distance } from "fastest-levenshtein";
import type { Env } from "./env.ts";
import type { Logger } from "./logger.ts";

/** Short names are close to many that others set: HOST and PORT, HOME and HOST. */
const shortest = 8;
/** From this length on two letters may be wrong. */
const long = 12;

export interface Misspelt {
  readonly given: string;
  readonly meant: string;
}

/**
 * Variables that are nearly one of ours, where that one is absent. @param known names of all variables that the process reads
 */
export function misspelt(env: Env, known: readonly string[]): readonly Misspelt[] {
  const isGiven = (name: string): boolean => env[name] !== undefined && env[name] !== "";
  const absent = known.filter((name) => !isGiven(name));
  const strangers = Object.keys(env).filter((name) => isGiven(name) && name.length >= shortest && !known.includes(name));
  return strangers.flatMap((given) => {
    const meant = absent.find((name) => distance(given.toUpperCase(), name) <= (name.length < long ? 1 : 2));
    return meant === undefined ? [] : [{ given, meant }];
  });
}

/** A variable that nothing reads is no error: others may read it. */
export function warnOfMisspelt(log: Logger, env: Env, known: readonly string[]): void {
  for (const { given, meant } of misspelt(env, known)) log.warn({ variable: given }, `${given} is not a setting; did you mean ${meant}?`);
}
