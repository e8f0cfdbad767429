import type { Html } from "../../pages/html.ts";
import { type FormProblems, field } from "../form-view.ts";
import { passwordProblem } from "../sign-in/password-rules.ts";

const maxName = 100;
const maxEmail = 254;

/** One line without surrounding blanks, as a form sent it. */
export function typed(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? "").trim();
}

/** What is wrong with an address, as a sentence. Whether mail arrives there is not asked. */
export function emailProblem(email: string): string | undefined {
  if (email === "") return "Enter an e-mail address";
  const isAddress = email.length <= maxEmail && /^[^\s@<>()",;:\\]+@[^\s@<>()",;:\\]+$/.test(email);
  return isAddress ? undefined : "The e-mail address must look like name@example.com";
}

export function nameProblem(name: string): string | undefined {
  if (name === "") return "Enter a name";
  // oxlint-disable-next-line no-control-regex -- they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(name)) return "The name must be one line of text";
  return name.length > maxName ? `The name must have at most ${maxName} characters` : undefined;
}

/** What is wrong with a new password, as a sentence. */
export function newPasswordProblem(password: string, own: readonly string[]): string | undefined {
  if (password === "") return "Enter a password";
  const problem = passwordProblem(password, own);
  return problem === undefined ? undefined : `The password ${problem}`;
}

export function newPasswordField(problems: FormProblems, label = "Password"): Html {
  return field({
    name: "password",
    label,
    type: "password",
    autocomplete: "new-password",
    hint: "12 characters or more; a few random words are easy to remember",
    problems,
  });
}
