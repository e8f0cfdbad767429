import { type Html, html } from "../view/html.ts";

/** Every English text of the page of accounts. */
export const accountTexts = {
  title: "Accounts",
  lead: "Accounts on this installation. Each account has its own members, keys, checks and pages, and cannot see the others.",
  link: "Accounts on this installation",
  operatorsOnly: "Only OWNERs of the first account can see the accounts on this installation.",
  first: "first account, operates the installation",
  made: (name: string) => `Account ${name} created.`,
  shownOnce: (signIn: Html): Html =>
    html`Give this API key of an owner to the person who will own the account. They use it to ${signIn} and to invite others. It is shown only once:`,
  signIn: "sign in",
  removed: "Account deleted. Its data is removed in the background.",
  makeHeading: "New account",
  makeIt: "Create account",
  name: "Name",
  removeHint: (name: string) =>
    `Type ${name} to delete the account with its checks, results, pages, members and keys. This cannot be undone.`,
  typeName: (name: string) => `Account name: ${name}`,
  wrongName: (name: string) => `Nothing was deleted: the name you typed is not ${name}.`,
} as const;
