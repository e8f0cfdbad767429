import type { UserRow } from "../../storage/storage.ts";
import { profileTexts } from "../../texts/people.ts";
import { secondFactorTexts } from "../../texts/second-factor.ts";
import { signInTexts } from "../../texts/sign-in.ts";
import { type FormProblems, hasProblem } from "../form-view.ts";
import type { Attempts } from "../sign-in/attempts.ts";
import type { Passwords } from "../sign-in/password.ts";
import type { SecondFactors } from "../sign-in/second-factors.ts";
import type { Visit } from "../visit.ts";
import { typed } from "./person-fields.ts";

export interface Proving {
  readonly attempts: Attempts;
  readonly codeAttempts: Attempts;
  readonly passwords: Passwords;
}

/**
 * Asks somebody who is signed in once more who he is, before a way in of his changes: by his password, and a code where there is a second factor to ask.
 *
 * @returns null where it is right
 */
export async function proven(
  { attempts, codeAttempts, passwords }: Proving,
  visit: Visit,
  user: UserRow,
  secondFactors: Pick<SecondFactors, "prove"> | null,
): Promise<{ readonly problems: FormProblems; readonly status: number } | null> {
  const { form, ip } = visit.request;
  const [password, code] = [form.get("proof") ?? "", typed(form, "code")];
  const problems = {
    proof: password === "" ? profileTexts.noCurrent : undefined,
    code: secondFactors !== null && code === "" ? secondFactorTexts.noCode : undefined,
  };
  if (hasProblem(problems)) return { problems, status: 400 };
  // Where one is signed in nobody else's guesses count.
  const begun = attempts.begin(ip, user.email, visit.tokenHash);
  if ("pauseSeconds" in begun) return { problems: { "": signInTexts.pause(begun.pauseSeconds) }, status: 429 };
  if (!(await passwords.verify(password, user.passwordHash))) return { problems: { proof: profileTexts.wrongCurrent }, status: 401 };
  begun.takeBack();
  if (secondFactors === null) return null;
  const begunCode = codeAttempts.begin(ip, user.uuid, visit.tokenHash);
  if ("pauseSeconds" in begunCode) return { problems: { "": signInTexts.pause(begunCode.pauseSeconds) }, status: 429 };
  if ((await secondFactors.prove(user, code)) === null) return { problems: { code: secondFactorTexts.wrongCode }, status: 401 };
  begunCode.takeBack();
  return null;
}
