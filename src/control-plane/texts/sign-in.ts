/** Every English text of signing in: with a password, a key or a provider, and where the password is forgotten. */
export const signInTexts = {
  title: "Sign in",
  email: "E-mail address",
  password: "Password",
  signIn: "Sign in",
  forgotten: "Forgot your password?",
  key: "API key",
  byKey: "Sign in with an API key",
  signInByKey: "Sign in with the key",
  byProvider: (name: string) => `Sign in with ${name}`,
  nobodyYet:
    "Nobody has an account here yet. The command outpost set-up prints the address of the page that makes the first one, and the control plane's log has it for an hour; or sign in with an API key.",
  noPassword: "Enter your password",
  wrong: "The e-mail address or the password is wrong.",
  noKey: "Enter an API key",
  unknownKey: "There is no such API key",
  limitedKey: "This key is limited, so it works for programs only. Sign in with a key without limits",
  pause: (seconds: number) => `Too many attempts have failed. Try again in ${seconds === 1 ? "1 second" : `${seconds} seconds`}.`,
  tooMany: "Too many people sign in at this moment; try again in a minute.",
  forgottenLead: "A link to set a new one is sent to your address.",
  sendLink: "Send the link",
  back: "Back to signing in",
  mailbox: "Look into your mailbox",
  mailSent: (email: string) => `If somebody signs in with ${email} here, a mail with a link is on its way. The link is good for an hour.`,
  noMail: "Nothing there after some minutes? Look where your mail program keeps spam, or ask again after five minutes.",
  newPasswordTitle: "Set a new password",
  newPasswordOf: (email: string) => `For ${email}. You are signed out everywhere else then.`,
  newPassword: "New password",
  setPassword: "Set the password",
  linkGone: "This link was used, replaced by a newer one, or is older than an hour. Ask for another one where you sign in.",
  providerRefused: "The provider did not sign you in.",
  unverified: "The provider has verified no address of yours, so nobody knows who you are.",
  stranger: (email: string) => `Nobody here has the address ${email}. Ask for an invitation.`,
  outOfDate: "This sign-in is out of date. Begin again.",
} as const;

/** What is wrong with a new password. */
export const passwordTexts = {
  none: "Enter a password",
  tooShort: (least: number) => `The password must have at least ${least} characters`,
  tooLong: (most: number) => `The password must have at most ${most} characters`,
  tooAlike: (least: number) => `The password must have at least ${least} different characters`,
  own: "The password must not be your name or your e-mail address",
  common: "The password is one of those that are tried first; choose another one",
  hint: (least: number) => `${least} characters or more; a few random words are easy to remember`,
} as const;

/** What went wrong between us and the provider of a sign-in; reasons may be the provider's own. */
export const providerTexts = {
  badToken: (reason: string) => `The ID token cannot be taken: ${reason}`,
  ofFuture: "it is of the future",
  noToken: "The provider sent no ID token",
  away: (reason: string) => `The provider of the sign-in cannot be used: ${reason}`,
  silent: "it does not answer",
  brokenAnswer: "its answer broke off or is too large",
  refused: (error: string, status: number) => `it answered ${error} with status ${status}`,
} as const;
