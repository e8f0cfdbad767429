import { type Html, html } from "../view/html.ts";

/** Every English text of runs that are shared by a link. */
export const shareTexts = {
  share: "Share",
  about:
    "Makes a public link to this run: its request, response, log and files, as you see them. Anyone with the link can open it, without signing in.",
  lasts: "Link expires after",
  times: { "1d": "1 day", "7d": "7 days", "30d": "30 days" },
  make: "Create link",
  made: "Link created",
  link: "Public link",
  until: (time: Html) => html`Anyone with this link can see the run until ${time}. It cannot be withdrawn before then.`,
  back: "Back to the run",
  shared: (time: Html) => html`Shared run · this link expires ${time}`,
  /** Whom operations know it as. */
  guest: "shared link",
  dead: "This link has expired",
  aboutDead: "The run is no longer shared, or it was deleted. Ask the person who sent you the link for a new one.",
} as const;
