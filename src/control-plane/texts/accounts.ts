import { type Html, html } from "../view/html.ts";

/** Every English text of the page of accounts. */
export const accountTexts = {
  title: "Accounts",
  lead: "All accounts of this installation. Each has members, keys, checks and pages of its own, and sees nothing of the others.",
  link: "All accounts of this installation",
  operatorsOnly: "Only OWNERs of the first account see the accounts of this installation.",
  first: "the first one, which runs the installation",
  made: (name: string) => `The account ${name} is made.`,
  shownOnce: (signIn: Html): Html =>
    html`Give whoever owns it this key of an OWNER, to ${signIn} with and invite the others. It is shown only now:`,
  signIn: "sign in",
  removed: "The account is deleted. What was its goes in the background.",
  makeHeading: "Make an account",
  makeIt: "Make the account",
  name: "Name",
  removeHint: (name: string) =>
    `Type ${name} to delete the account with its checks, results, pages, members and keys. There is no way back.`,
  typeName: (name: string) => `Name of the account: ${name}`,
  wrongName: (name: string) => `Nothing was deleted: what was typed is not ${name}.`,
} as const;
