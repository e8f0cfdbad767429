/** Every English text of signing in: with a password, a key or a provider, and where the password is forgotten. */
export const signInTexts = {
  title: "Sign in",
  email: "E-mail address",
  password: "Password",
  signIn: "Sign in",
  forgotten: "Forgot your password?",
  key: "API key",
  byKey: "Sign in with an API key",
  signInByKey: "Sign in with key",
  byProvider: (name: string) => `Sign in with ${name}`,
  nobodyYet:
    "There are no accounts here yet. Run outpost set-up to get the link for the first one (also in the control plane's log for an hour), or sign in with an API key.",
  formLost: "You were signed out. Sign in to continue. What you typed was not saved.",
  noPassword: "Enter your password",
  wrong: "The e-mail address or the password is wrong.",
  noKey: "Enter an API key",
  unknownKey: "This API key does not exist",
  limitedKey: "This key has limits, so it works for programs only. Sign in with a key without limits",
  pause: (seconds: number) => `Too many failed attempts. Try again in ${seconds === 1 ? "1 second" : `${seconds} seconds`}.`,
  tooMany: "Too many people are signing in right now. Try again in a minute.",
  forgottenLead: "We send you a link to set a new password.",
  sendLink: "Send link",
  back: "Back to sign-in",
  mailbox: "Check your mail",
  mailSent: (email: string) => `If ${email} has an account here, a mail with a link is on its way. The link is valid for one hour.`,
  noMail: "No mail after a few minutes? Check your spam folder, or request another one after five minutes.",
  newPasswordTitle: "Set a new password",
  newPasswordOf: (email: string) => `For ${email}. You will be signed out everywhere else.`,
  newPassword: "New password",
  setPassword: "Set password",
  linkGone: "This link has been used, replaced or has expired. Request a new one on the sign-in page.",
  providerRefused: "The SSO provider did not sign you in.",
  unverified: "The SSO provider has not verified an e-mail address for you.",
  stranger: (email: string) => `There is no account for ${email} here. Ask for an invitation.`,
  outOfDate: "This sign-in has expired. Start again.",
} as const;

/** What is wrong with a new password. */
export const passwordTexts = {
  none: "Enter a password",
  tooShort: (least: number) => `The password must have at least ${least} characters`,
  tooLong: (most: number) => `The password must have at most ${most} characters`,
  tooAlike: (least: number) => `The password must have at least ${least} different characters`,
  own: "The password must not be your name or your e-mail address",
  common: "This password is too common; choose another one",
  hint: (least: number) => `${least} characters or more; a few random words are easy to remember`,
} as const;

/** What went wrong between us and the provider of a sign-in; reasons may be the provider's own. */
export const providerTexts = {
  badToken: (reason: string) => `The ID token is not valid: ${reason}`,
  ofFuture: "it was issued in the future",
  noToken: "The provider sent no ID token",
  away: (reason: string) => `The SSO provider is not available: ${reason}`,
  silent: "it does not answer",
  brokenAnswer: "its answer broke off or is too large",
  refused: (error: string, status: number) => `it answered ${error} with status ${status}`,
} as const;
