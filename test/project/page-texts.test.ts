import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { strayTexts } from "./page-texts.ts";

const root = "src/control-plane";
const modules = globSync([
  `${root}/{pages,console}/**/*.ts`,
  `${root}/subscribers/*-pages.ts`,
  `${root}/mail/{person,subscriber}-mail.ts`,
]).filter((file) => !file.endsWith("-style.ts"));

/** What machines read: commands for a shell, the environment, words that passwords are made of, what is hashed, examples of requests, names of an API. */
const notForPeople: readonly string[] = [
  "console/locations/agent-commands.ts",
  "console/sign-in/oidc-settings.ts",
  "console/sign-in/password-rules.ts",
  "pages/dashboards/access.ts",
  "pages/browser/script-words.ts",
  "pages/json-schema.ts",
];

const isForPeople = (file: string): boolean => !notForPeople.some((each) => file.startsWith(`${root}/${each}`));

describe("the texts of pages", () => {
  it("stand in one place", () => {
    expect(modules.length).toBeGreaterThan(100);
    const found = modules.filter(isForPeople).flatMap((file) => strayTexts(file, readFileSync(file, "utf8")));
    expect(found).toEqual([]);
  });

  it("are found in markup, in what is read aloud, and in plain strings", () => {
    const source = [
      'const a = html`<p class="box good">${count} of them <b>fail</b></p>`;',
      'const b = html`<input placeholder="Search" name="word" class="wide field">`;',
      'consolePage(visit, { title: "Channels", body });',
      "const c = `Delete ${name}?`;",
      'const d = { plural: "Too many of them." };',
    ].join("\n");
    expect(strayTexts("page.ts", source).map((each) => /:(\d+): move "([^"]*)"/.exec(each)?.slice(1))).toEqual([
      ["1", "of them"],
      ["1", "fail"],
      ["2", "Search"],
      ["3", "Channels"],
      ["5", "Too many of them."],
    ]);
  });

  it("are not seen in names, addresses, styles, errors and logs", () => {
    const source = [
      'import { page } from "Some Page";',
      'type Kind = "Two words";',
      'const a = html`<a href="/checks/${id}" class="two words">${texts.back}</a>${isOn && html` checked`}&nbsp;·`;',
      "const b = css`main { color: red } Some Words`;",
      "const formStyle = `main p { color: red; }`;",
      'const c = { "no data": 1 }; const d = list.querySelector("ol li"); const e = text.startsWith("traceroute to ");',
      'throw new Error("never reached here");',
      'logger.warn({ id }, "mail was refused");',
      'headers.set("content-type", "text/html; charset=utf-8");',
      'const headers = { scheme: "light dark", "cache-control": isOwn ? "private, no-store" : `public, max-age=${seconds}` };',
    ].join("\n");
    expect(strayTexts("page.ts", source)).toEqual([]);
  });
});
