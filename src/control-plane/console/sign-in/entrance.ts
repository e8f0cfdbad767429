import type { Attempts } from "./attempts.ts";
import type { Entering } from "./enter.ts";
import type { KnownBrowsers } from "./known-browser.ts";
import type { Passwords } from "./password.ts";
import type { SignIns } from "./signed-in.ts";
import type { Visitors } from "./visitors.ts";

/** What each page needs by which somebody comes in: signing in, joining, setting up, a new password. */
export interface EntranceDeps {
  readonly hashOf: (secret: string) => string;
  readonly signIns: SignIns;
  readonly visitors: Visitors;
  readonly attempts: Attempts;
  /** Of second factors, counted apart: a right password takes no wrong code back. */
  readonly codeAttempts: Attempts;
  readonly entering: Entering;
  readonly browsers: KnownBrowsers;
  readonly passwords: Passwords;
}
