import { peopleTexts as texts } from "../../texts/people.ts";
import { passwordTexts } from "../../texts/sign-in.ts";
import type { Html } from "../../view/html.ts";
import { type FormProblems, field } from "../form-view.ts";
import { minPasswordLength } from "../sign-in/password-rules.ts";

const maxName = 100;
const maxEmail = 254;

/** One line without surrounding blanks, as a form sent it. */
export function typed(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? "").trim();
}

/** What is wrong with an address, as a sentence. Whether mail arrives there is not asked. */
export function emailProblem(email: string): string | undefined {
  if (email === "") return texts.noEmail;
  const isAddress = email.length <= maxEmail && /^[^\s\p{C}@<>()",;:\\]+@[^\s\p{C}@<>()",;:\\]+$/u.test(email);
  return isAddress ? undefined : texts.badEmail;
}

export function nameProblem(name: string): string | undefined {
  if (name === "") return texts.noName;
  // oxlint-disable-next-line no-control-regex -- they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(name)) return texts.nameOfLines;
  return name.length > maxName ? texts.longName(maxName) : undefined;
}

export function newPasswordField(problems: FormProblems, label: string = texts.password): Html {
  return field({
    name: "password",
    label,
    type: "password",
    autocomplete: "new-password",
    hint: passwordTexts.hint(minPasswordLength),
    problems,
  });
}
