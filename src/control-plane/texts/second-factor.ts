/** Every English text of the second factor: the second page of signing in, and its part of the profile. */
export const secondFactorTexts = {
  stepTitle: "Enter your code",
  stepLead: "Enter the code from your authenticator app, or a recovery code.",
  password: "Current password",
  code: "Code",
  codeHint: "six digits, or a recovery code",
  noCode: "Enter a code",
  wrongCode: "This code is wrong, already used or expired. Wait for the next one",
  title: "Second factor",
  lead: "A second factor protects your account if someone learns your password: signing in also requires a code from your authenticator app.",
  ofProvider: "You sign in with SSO. Your provider manages second factors.",
  turnOn: "Turn on",
  setUpTitle: "Turn on the second factor",
  setUpLead: "Scan this QR code with your authenticator app, or enter the key by hand. Then enter the code shown in the app.",
  picture: "QR code for the authenticator app",
  secret: "Key for manual entry",
  confirm: "Turn on",
  notBegun: "This page has expired. Start again.",
  isOn: (left: number) => `On. ${left === 1 ? "1 recovery code is" : `${left} recovery codes are`} left.`,
  turnOff: "Turn off",
  newCodes: "Create new recovery codes",
  codesTitle: "Recovery codes",
  codesLead:
    "They are shown only once. Each code replaces the app's code for one sign-in. Keep them somewhere you can reach without your phone.",
  toProfile: "I have saved them",
} as const;

/** What an account asks of those who sign in to it. */
export const accountRuleTexts = {
  secondFactor: "This account requires a second factor. Turn it on in your profile",
  provider: "This account requires signing in with SSO",
  notByProvider: "Sign in with SSO yourself first, so that you do not lock yourself out",
  noSecondFactor: "Turn on your own second factor first, in your profile",
  title: "Sign-in rules",
  link: "Sign-in rules",
  lead: "Changes apply at once, including to members who are signed in. API keys are not affected.",
  secondFactorLabel: "Second factor",
  secondFactors: { optional: "Optional", required: "Required for password sign-in" },
  signInLabel: "Sign-in methods",
  signIns: { any: "Password or SSO", provider: "SSO only" },
  save: "Save",
  done: { saved: "Saved." },
} as const;

/** Signing in with a provider, as it stands in the profile. */
export const connectTexts = {
  title: (name: string) => `Sign in with ${name}`,
  isOn: "Connected. You sign in with it.",
  lead: "Connect it to sign in without your password.",
  connect: "Connect",
  disconnect: "Disconnect",
  goOnTitle: (name: string) => `Connect ${name}`,
  goOnLead: (name: string) => `Continue to ${name} and sign in there to connect it to your profile.`,
  goOn: (name: string) => `Continue to ${name}`,
  needsPassword: "This is your only way to sign in. Set a password first (Forgot your password?).",
  notYours: "This page belongs to someone else or has expired. Start again in your profile.",
  taken: "Another member already uses this SSO identity.",
  notConnected: (email: string) =>
    `${email} is not connected to this SSO provider. Sign in with your password and connect it in your profile.`,
  notInvited: (invited: string) => `The invitation is for ${invited}, but your SSO provider has not verified that address.`,
  joinWith: (name: string) => `Join with ${name}`,
} as const;
