import { randomBytes } from "node:crypto";
import type { Headers } from "../../http/authenticate.ts";
import type { FormAnswer, FormRequest } from "../../http/form-routes.ts";
import type { HalfSignInStore, UserRow } from "../../storage/storage.ts";
import { redirect } from "../visit.ts";
import type { ConsoleCookies } from "./cookies.ts";
import type { KnownBrowsers } from "./known-browser.ts";
import type { SecondFactors } from "./second-factors.ts";
import type { SignIns } from "./signed-in.ts";

/** The last door for whoever showed a password, or set a new one. */
export interface Entering {
  /** Signs in, or leads to the page that asks for the second factor: until that is shown nobody is signed in. */
  enter(request: FormRequest, user: UserRow, accountId: number, to: string): Promise<FormAnswer & { readonly isIn: boolean }>;
  /** Who showed a password in this browser and is still to show a second factor. */
  halfIn(headers: Headers): Promise<UserRow | undefined>;
  /** Signs in whoever showed a second factor. Undefined where the same half was used up at this moment. */
  finish(request: FormRequest, user: UserRow, accountId: number, to: string): Promise<FormAnswer | undefined>;
}

export interface EnteringDeps {
  readonly halfSignIns: HalfSignInStore;
  readonly secondFactors: Pick<SecondFactors, "isOn">;
  readonly signIns: Pick<SignIns, "open">;
  readonly browsers: KnownBrowsers;
  readonly cookies: ConsoleCookies;
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
}

export const secondStepPath = "/sign-in/second-factor";

/** How long somebody may look for the app. */
const halfMs = 10 * 60_000;

export function createEntering({ halfSignIns, secondFactors, signIns, browsers, cookies, hashOf, nowMs }: EnteringDeps): Entering {
  const tokenHashIn = (headers: Headers): string | undefined => {
    const token = cookies.half.read(headers);
    return token && hashOf(`half-sign-in:${token}`);
  };
  return {
    async enter({ headers }, user, accountId, to) {
      if (!(await secondFactors.isOn(user))) {
        const opened = await signIns.open(headers, accountId, { userId: user.id, method: "password" });
        return { ...redirect(to, [...opened, browsers.remember(user.email)]), isIn: true };
      }
      const token = randomBytes(32).toString("base64url");
      const half = { tokenHash: hashOf(`half-sign-in:${token}`), userId: user.id, expiresAtMs: nowMs() + halfMs };
      await halfSignIns.create(half, nowMs());
      const way = to === "/" ? secondStepPath : `${secondStepPath}?to=${encodeURIComponent(to)}`;
      return { ...redirect(way, [cookies.half.set(token, halfMs / 1_000)]), isIn: false };
    },
    async halfIn(headers) {
      const tokenHash = tokenHashIn(headers);
      return tokenHash === undefined ? undefined : halfSignIns.byTokenHash(tokenHash, nowMs());
    },
    async finish({ headers }, user, accountId, to) {
      const tokenHash = tokenHashIn(headers);
      if (tokenHash === undefined || !(await halfSignIns.remove(tokenHash))) return undefined;
      const opened = await signIns.open(headers, accountId, { userId: user.id, method: "second-factor" });
      return redirect(to, [...opened, cookies.half.clear(), browsers.remember(user.email)]);
    },
  };
}
