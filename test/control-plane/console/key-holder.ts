import { withoutOurScripts } from "../../support/our-scripts.ts";
import type { ControlPlaneUnderTest } from "../control-plane-under-test.ts";
import { type Browser, browser } from "./browser.ts";

/** Somebody signed in with a key of this account. */
export async function keyHolder(plane: ControlPlaneUnderTest, key: string): Promise<Browser> {
  const here = browser(plane.base);
  await here.get("/sign-in");
  const { location } = await here.post("/sign-in", { key });
  if (location !== "/") throw new Error("the key does not sign in");
  return here;
}

/** Somebody with an OWNER's key of another account. */
export async function stranger(plane: ControlPlaneUnderTest): Promise<Browser> {
  const { storage, nowMs } = plane.context;
  const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
  return keyHolder(plane, await plane.keyFor("OWNER", other.id));
}

/** A name that would be markup. */
export const evil = `<img src=x onerror=alert(1)>"'`;

/** What of a page would run, load or style something that is not ours. */
export function activeParts(page: string): readonly string[] {
  const text = withoutOurScripts(page);
  const withoutValues = text.replaceAll(/="[^"]*"/g, "=");
  return [...(text.match(/<script|<img|href="javascript:/gi) ?? []), ...(withoutValues.match(/<[^>]+ (?:style|on\w+)=/gi) ?? [])];
}
