import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { roleAllows } from "#domain/key.ts";
import type { Headers } from "../../http/authenticate.ts";
import type { Viewer } from "../../http/live-routes.ts";
import type { SignedIn, SignIns } from "../sign-in/signed-in.ts";

export interface LiveSignIns extends Service {
  /** Ends the viewer with the sign-in. @returns what forgets it */
  bind(viewer: Viewer, signedIn: SignedIn, headers: Headers): () => void;
}

interface Bound {
  readonly headers: Headers;
  readonly accountId: number;
  readonly viewers: Set<Viewer>;
}

/** How long somebody may go on hearing who was removed, whose key was revoked, or who signed out at another process. */
const defaultLookMs = 10_000;

export function createLiveSignIns(signIns: Pick<SignIns, "look" | "onEnd">, log: Logger, lookMs = defaultLookMs): LiveSignIns {
  const byToken = new Map<string, Bound>();
  const end = (tokenHash: string): void => {
    for (const viewer of byToken.get(tokenHash)?.viewers ?? []) viewer.end();
  };
  signIns.onEnd(end);

  async function look(): Promise<number> {
    for (const [tokenHash, { headers, accountId }] of byToken) {
      const now = await signIns.look(headers);
      if (now?.account.id !== accountId || !roleAllows(now.role, "read") || now.barred !== null) end(tokenHash);
    }
    return lookMs;
  }

  return {
    ...loop("sign-ins of live pages", look, (error) => {
      log.warn({ err: error }, "could not check who is still signed in");
      return lookMs;
    }),
    bind(viewer, { tokenHash, account }, headers) {
      const known = byToken.get(tokenHash);
      // Somebody who went to another account begins anew there.
      const bound = known?.accountId === account.id ? known : { headers, accountId: account.id, viewers: new Set<Viewer>() };
      if (bound !== known) end(tokenHash);
      byToken.set(tokenHash, bound);
      bound.viewers.add(viewer);
      return () => {
        bound.viewers.delete(viewer);
        if (bound.viewers.size === 0 && byToken.get(tokenHash) === bound) byToken.delete(tokenHash);
      };
    },
  };
}
