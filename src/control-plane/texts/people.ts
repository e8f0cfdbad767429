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
  lead: "You become the first owner. You can then invite others.",
  token: "Set-up token",
  tokenHint: "printed by outpost set-up and, in the first hour, in the log; an API key of an owner also works",
  noToken: "Enter the token that outpost set-up prints",
  wrongToken: "This is not the set-up token or an API key of an owner",
  emailTaken: "This address is already in use. Sign in instead",
  create: "Create owner",
} as const;

export const joinTexts = {
  title: (account: string) => `Join ${account}`,
  lead: (role: string, email: string) => `You were invited with the role “${role}” and the address ${email}.`,
  join: "Join",
  yourPassword: "Your password",
  isKnown: "You already have an account here",
  noPassword: "Enter your password",
  wrongPassword: "The password is wrong",
  gone: "This invitation has been used, replaced or has expired. Ask for a new one.",
  isMember: "You are already a member. Sign in",
} as const;

export const memberTexts = {
  title: "Members",
  lead: (account: string) => `People who can sign in to ${account}.`,
  done: {
    changed: "Role changed.",
    removed: "Member removed and signed out.",
    withdrawn: "Invitation withdrawn. Its link no longer works.",
  },
  mailed: (email: string): Html => html`<strong>Invitation mailed to ${email}.</strong> If it does not arrive, send the link yourself.`,
  notMailed: (email: string): Html => html`The mail server rejected the mail. ${sendIt(email)}`,
  sendIt,
  tooManyMails: (wait: string) => `Too many invitations were mailed from this account in the last hour. Try again in ${wait}.`,
  tooManyMailsTo: (wait: string) => `Too many invitations were mailed to this address in the last day. Try again in ${wait}`,
  shownOnce: "It is shown only once and is valid for 7 days:",
  hasSecondFactor: "second factor",
  isConnected: "signs in with SSO",
  you: (name: string) => `${name} (you)`,
  roleOf: (name: string) => `Role of ${name}`,
  changeRole: "Save",
  changeRoleOf: (name: string) => `the role of ${name}`,
  leave: "Leave",
  askLeave: "Leave this account?",
  askRemove: (name: string) => `Remove ${name} from this account?`,
  invitations: "Invitations",
  invitedAs: (role: string, until: Html): Html => html`${role} · until ${until}`,
  withdraw: "Withdraw",
  askWithdraw: (email: string) => `Withdraw the invitation of ${email}?`,
  inviteHeading: "Invite a member",
  invite: "Invite",
  roles:
    "Read only: view everything except keys and the audit log. Read and run: also run checks. Read and write: also edit. Admin: also manage members and keys. Owner: also manage owners.",
  isMember: "This person is already a member",
  aboveYours: (yours: string, other: string) => `Your role “${yours}” cannot grant or remove the role “${other}”.`,
  lastOwner: "An account keeps at least one owner. Make another member an owner first.",
  noMember: "This member does not exist. It may have been removed.",
  noInvitation: "This invitation does not exist. It may have been withdrawn.",
} as const;

export const profileTexts = {
  title: "Profile",
  ofKey: "You are signed in with an API key. A key has no name or password to change.",
  saveName: "Save name",
  changePassword: "Change password",
  currentPassword: "Current password",
  newPassword: "New password",
  passwordHint: "Changing your password signs you out everywhere else.",
  noCurrent: "Enter your current password",
  wrongCurrent: "The current password is wrong",
  done: {
    name: "Name saved.",
    password: "Password changed. You were signed out everywhere else.",
    off: "Second factor turned off. You sign in with your password only.",
    connected: "SSO provider connected. You now sign in with it.",
    disconnected: "SSO provider disconnected.",
  },
} as const;

function sendIt(email: string): Html {
  return html`<strong>Send this link to ${email}.</strong>`;
}
