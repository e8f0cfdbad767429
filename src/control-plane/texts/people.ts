import { type Html, html } from "../view/html.ts";

/** Every English text of people: the first owner, invitations, members, one's own profile. */
export const peopleTexts = {
  name: "Name",
  yourName: "Your name",
  email: "E-mail address",
  password: "Password",
  role: "Role",
  noEmail: "Enter an e-mail address",
  badEmail: "The e-mail address must look like name@example.com",
  noName: "Enter a name",
  nameOfLines: "The name must be one line of text",
  longName: (most: number) => `The name must have at most ${most} characters`,
} as const;

export const setUpTexts = {
  title: "Set up",
  heading: "Set up Outpost",
  lead: "You become the first owner, and can invite others then.",
  token: "Set-up token",
  tokenHint: "as the command outpost set-up prints it, and the log of the first hour has it; an OWNER's API key will do, too",
  noToken: "Enter the token that outpost set-up prints",
  wrongToken: "This is neither the token that outpost set-up prints nor an OWNER's API key",
  emailTaken: "This address is taken; sign in instead",
  create: "Create the owner",
} as const;

export const joinTexts = {
  title: (account: string) => `Join ${account}`,
  lead: (role: string, email: string) => `You were invited as ${role}, with the address ${email}.`,
  join: "Join",
  yourPassword: "Your password",
  isKnown: "You have an account here already",
  noPassword: "Enter your password",
  wrongPassword: "The password is wrong",
  gone: "This invitation was used, replaced or has expired. Ask for another one.",
  isMember: "You are a member already: sign in",
} as const;

export const memberTexts = {
  title: "Members",
  lead: (account: string) => `People who can sign in to ${account}.`,
  done: {
    changed: "The role is changed; it counts from now on.",
    removed: "The member is removed and signed out.",
    withdrawn: "The invitation is withdrawn; its link leads nowhere.",
  },
  mailed: (email: string): Html =>
    html`<strong>A mail with a link was handed over for ${email}.</strong> Should it not arrive, send the link yourself.`,
  notMailed: (email: string): Html => html`The mail server did not take the mail. ${sendIt(email)}`,
  sendIt,
  tooManyMails: (wait: string) => `Many invitations were mailed from this account within an hour. Try again in ${wait}.`,
  tooManyMailsTo: (wait: string) => `Many invitations were mailed to this address within a day. Try again in ${wait}`,
  shownOnce: "It is shown only now, and is good for 7 days:",
  hasSecondFactor: "second factor",
  isConnected: "signs in with the provider",
  you: (name: string) => `${name} (you)`,
  roleOf: (name: string) => `Role of ${name}`,
  changeRole: "Change",
  changeRoleOf: (name: string) => `the role of ${name}`,
  leave: "Leave",
  askLeave: "Leave this account?",
  askRemove: (name: string) => `Remove ${name} from this account?`,
  invitations: "Invitations",
  invitedAs: (role: string, until: Html): Html => html`${role} · until ${until}`,
  withdraw: "Withdraw",
  askWithdraw: (email: string) => `Withdraw the invitation of ${email}?`,
  inviteHeading: "Invite somebody",
  invite: "Invite",
  roles:
    "READ_ONLY sees everything but keys and the audit log. READ_RUN also runs checks, READ_WRITE changes what is monitored, ADMIN manages members and keys, OWNER also other owners.",
  isMember: "This person is a member already",
  aboveYours: (yours: string, other: string) => `Your role ${yours} may not give or take the role ${other}.`,
  noMember: "There is no such member; it may have been removed meanwhile.",
  noInvitation: "There is no such invitation; it may have been removed meanwhile.",
} as const;

export const profileTexts = {
  title: "Profile",
  ofKey: "An API key is signed in here. A key has no name or password to change.",
  saveName: "Save the name",
  changePassword: "Change the password",
  currentPassword: "Current password",
  newPassword: "New password",
  passwordHint: "A new password signs you out everywhere else.",
  noCurrent: "Enter your current password",
  wrongCurrent: "This is not your current password",
  done: {
    name: "Your name is changed.",
    password: "Your password is changed. You were signed out everywhere else.",
    off: "The second factor is off. Your password alone signs you in.",
    connected: "The provider is connected. You sign in with it from now on.",
    disconnected: "The provider is disconnected. It signs you in no more.",
  },
} as const;

function sendIt(email: string): Html {
  return html`<strong>Send this link to ${email}.</strong>`;
}
