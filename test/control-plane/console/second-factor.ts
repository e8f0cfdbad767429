import { codeOf, stepAt } from "../../../src/control-plane/console/sign-in/totp.ts";
import type { ControlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { password } from "./people.ts";

export interface App {
  /** What it shows now, or `steps` later. */
  readonly code: (steps?: number) => string;
  readonly recoveryCodes: readonly string[];
}

/** Turns the second factor on, as a person does in the profile, and moves the clock on, so that the app shows a code that is good. */
export async function turnOn(plane: ControlPlaneUnderTest, here: Browser): Promise<App> {
  await here.get("/profile");
  const { text } = await here.post("/profile/second-factor/begin", { proof: password });
  const secret = bytesOf((/<code>([A-Z2-7 ]+)<\/code>/.exec(text)?.[1] ?? "").replaceAll(" ", ""));
  const code = (steps = 0): string => codeOf(secret, stepAt(plane.context.nowMs()) + steps);
  const done = await here.post("/profile/second-factor/confirm", { code: code(), asked: askedOf(text) });
  const recoveryCodes = [...done.text.matchAll(/<code>([a-z2-7]{5}-[a-z2-7]{5})<\/code>/g)].map(([, one]) => one ?? "");
  if (recoveryCodes.length !== 10) throw new Error(`the second factor is not on: ${done.status}`);
  plane.advance(30_000);
  return { code, recoveryCodes };
}

/** What the page of the new secret sends with the code. */
export function askedOf(page: string): string {
  return /name="asked" value="([^"]+)"/.exec(page)?.[1] ?? "";
}

function bytesOf(base32: string): Uint8Array {
  const bits = Array.from(base32, (letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
