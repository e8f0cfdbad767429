/** Every English text of the second factor: the second page of signing in, and its part of the profile. */
export const secondFactorTexts = {
  stepTitle: "Enter your code",
  stepLead: "Your password was right. Your authenticator app shows the code; a recovery code will do, too.",
  password: "Current password",
  code: "Code",
  codeHint: "six digits, or a recovery code",
  noCode: "Enter a code",
  wrongCode: "This code is wrong, was used before, or is too old. Wait for the next one",
  title: "Second factor",
  lead: "Whoever knows your password signs in with it. With a second factor a code of your authenticator app is asked for, too.",
  ofProvider: "You sign in without a password here; your provider asks for what it needs.",
  turnOn: "Turn it on",
  setUpTitle: "Turn on the second factor",
  setUpLead: "Scan this picture with your authenticator app, or type the key. Then enter the code that the app shows.",
  picture: "Picture for the authenticator app",
  secret: "Key, for typing it",
  confirm: "Turn it on",
  notBegun: "Begin again: this page is out of date.",
  isOn: (left: number) => `It is on. ${left === 1 ? "1 recovery code is" : `${left} recovery codes are`} left.`,
  turnOff: "Turn it off",
  newCodes: "Make new recovery codes",
  codesTitle: "Recovery codes",
  codesLead:
    "They are shown only now. Each signs you in once, in place of a code of the app: keep them where you find them without your phone.",
  toProfile: "I have kept them",
} as const;

/** What an account asks of those who sign in to it. */
export const accountRuleTexts = {
  secondFactor: "This account asks for a second factor. Turn it on in your profile",
  provider: "This account is open only to those who sign in with the provider",
  notByProvider: "Sign in with the provider yourself first, so that you do not lock yourself out",
  noSecondFactor: "Turn on your own second factor first, in your profile",
  title: "How members sign in",
  link: "How members sign in",
  lead: "It counts at once, also for whoever is signed in. API keys go on as they are.",
  secondFactorLabel: "Second factor",
  secondFactors: { optional: "Members choose", required: "Required of whoever signs in with a password" },
  signInLabel: "Ways in",
  signIns: { any: "With a password or with the provider", provider: "Only with the provider" },
  save: "Save",
  done: { saved: "It is saved, and counts from now on." },
} as const;

/** Signing in with a provider, as it stands in the profile. */
export const connectTexts = {
  title: (name: string) => `Sign in with ${name}`,
  isOn: "Connected: you sign in with it.",
  lead: "Connect it, and you sign in with it instead of your password.",
  connect: "Connect",
  disconnect: "Disconnect",
  goOnTitle: (name: string) => `Connect ${name}`,
  goOnLead: (name: string) => `Go on to ${name} and sign in there. It is connected to you when you come back.`,
  goOn: (name: string) => `Go on to ${name}`,
  needsPassword: "You have no password here, so this is your only way in. Set one first (Forgot your password?).",
  notYours: "This page was begun by somebody else, or is out of date. Begin again in your profile.",
  taken: "Somebody else here signs in with this identity of the provider.",
  notConnected: (email: string) =>
    `${email} is not connected to this provider here. Sign in with your password once, and connect the provider in your profile.`,
  notInvited: (invited: string) => `The invitation is for ${invited}, and the provider has not verified that this is your address.`,
  joinWith: (name: string) => `Join with ${name}`,
} as const;
