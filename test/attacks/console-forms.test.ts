import { afterAll, beforeAll, describe, expect } from "vitest";
import { type Browser, browser } from "../control-plane/console/browser.ts";
import { ada } from "../control-plane/console/people.ts";
import { Site } from "../support/site.ts";
import { attack } from "./attack.ts";
import { asUsualMs, cpuMs } from "./cpu-of.ts";
import { unfinished } from "./unfinished.ts";

/** As for every request with a key. */
const limitMs = 250;
const largest = 1_048_576;
const mostFields = 9_900;
/** A hash takes a quarter of a second on purpose, in another thread; pauses bound how many there are. */
const provesPassword = /^\/profile\/(password|second-factor)/;
/** Each character of half a megabyte as `&quot;`, and what is around it. */
const longestPage = 4_000_000;

/** A form as a page shows it: where it goes, and the first value of each of its fields. */
interface Form {
  readonly action: string;
  readonly fields: ReadonlyMap<string, string>;
  /** Those that somebody types in, or chooses. */
  readonly open: readonly string[];
}

function formsIn(page: string, path: string): readonly Form[] {
  return [...page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(([, attributes = "", content = ""]) => {
    if (!/method="post"/i.test(attributes)) return [];
    const action = /action="([^"]*)"/.exec(attributes)?.[1] ?? path;
    const fields = new Map<string, string>();
    for (const [tag, name = ""] of content.matchAll(/<(?:input|select|textarea|button)\b[^>]*\bname="([^"]+)"[^>]*>/g))
      if (!fields.has(name)) fields.set(name, /\bvalue="([^"]*)"/.exec(tag)?.[1] ?? "");
    return [{ action, fields, open: [...fields.keys()].filter((name) => name !== "csrf") }];
  });
}

const linksIn = (page: string): readonly string[] =>
  [...page.matchAll(/href="(\/[^"#]*)"/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&"));
/** Pages alike but for what they are about are looked at once for each kind of form. */
const kindOf = (path: string): string => path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, "#");

/** What stands in one field, as long as a form may be. */
const meanValues: Readonly<Record<string, string>> = {
  text: "x".repeat(largest / 2),
  quotes: '"'.repeat(largest / 4),
  lines: "a\n".repeat(largest / 5),
  "lines of pairs": "a:b\n".repeat(largest / 9),
  commas: "a,".repeat(largest / 5),
  digits: "1".repeat(largest / 2),
};

/** Encoded once: thousands of bodies have them. */
const encodedValues = Object.entries(meanValues).map(
  ([kind, value]) => [kind, new URLSearchParams({ v: value }).toString().slice("v=".length)] as const,
);

/** Of names that differ by a number alone (`cards[7].services`): one code reads them all. */
function firstAndLast(names: readonly string[]): readonly string[] {
  return [...Map.groupBy(names, (name) => name.replaceAll(/\d+/g, "#")).values()].flatMap((alike) => [
    ...new Set([alike[0] ?? "", alike.at(-1) ?? ""]),
  ]);
}

/** Each is written when it is wanted: most are like those of other forms. */
function meanBodies({ fields, open }: Form, csrf: string): readonly (readonly [kind: string, body: () => string])[] {
  const bodyOf = (pairs: Iterable<readonly string[]>) =>
    new URLSearchParams([...pairs].map(([name = "", value = ""]) => [name, value])).toString();
  const rest = (name: string) => [...fields].filter(([other]) => other !== name && other !== "csrf");
  const token = ["csrf", csrf];
  const many = (names: readonly string[], value: (index: number) => string) =>
    Array.from({ length: mostFields - fields.size }, (_, index) => [names[index % names.length] ?? "", value(index)]);
  const often = (name: string) => many([name], (index) => (fields.get(name) || "x") + (index % 2 === 0 ? "" : index));
  return [
    [
      "fields of their own",
      () => bodyOf([token, ...rest(""), ...many(["x"], String).map(([name = ""], index) => [`${name}${index}`, "1"])]),
    ],
    ...(open.length === 0 ? [] : [["all fields often", () => bodyOf([token, ...many(open, String)])] as const]),
    ...firstAndLast(open).flatMap((name) => [
      [`${name} often`, () => bodyOf([token, ...rest(name), ...often(name)])] as const,
      ...encodedValues.map(
        ([kind, value]) => [`${name} of ${kind}`, () => `${bodyOf([token, ...rest(name), [name, ""]])}${value}`] as const,
      ),
    ]),
  ];
}

/** As many cards and services as fields fit in, which no page shows at first. */
const cards: Form = {
  action: "/pages/status",
  fields: new Map(Array.from({ length: 200 }, (_, card) => [`cards[${card}].name`, "x"] as const)),
  open: Array.from({ length: 200 }, (_, card) => `cards[${card}].services`),
};

describe("forms of somebody who is signed in", { timeout: 1_800_000 }, () => {
  let site: Site;
  let owner: Browser;
  beforeAll(async () => {
    site = await Site.start();
    owner = browser(site.base);
    const address = (await site.run("set-up")).stdout.trim();
    await owner.get(new URL(address).pathname + new URL(address).search);
    await owner.post("/set-up", { ...ada, token: new URL(address).searchParams.get("token") ?? "" });
    await site.location("berlin");
    await site.check("http://127.0.0.1:1", ["berlin"]);
    await site.api("POST", "/v1/alert-channels", { type: "WEBHOOK", config: { name: "hook", url: "http://127.0.0.1:1/" } });
    await site.api("POST", "/v1/variables", { key: "ONE", value: "1" });
    await site.api("POST", "/v1/snippets", { name: "one", script: "1" });
  }, 120_000);
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
  });

  /** The forms of all pages that lead on from the start. */
  async function allForms(): Promise<readonly Form[]> {
    const found = new Map<string, Form>();
    const waiting = ["/checks", "/profile"];
    const seen = new Set(waiting.map(kindOf));
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const { status, text } = await owner.get(path);
      if (status !== 200) continue;
      for (const form of formsIn(text, path)) {
        const kind = `${kindOf(form.action)} ${[...form.fields.keys()].join()}`;
        if (!found.has(kind)) found.set(kind, form);
      }
      for (const link of linksIn(text)) {
        if (seen.has(kindOf(link))) continue;
        seen.add(kindOf(link));
        waiting.push(link);
      }
    }
    return [...found.values()].filter(({ action, open }) => open.length > 0 && !provesPassword.test(action));
  }

  attack("A5", "the largest and the meanest bodies to every form, by somebody who is signed in", async (held) => {
    const forms = await allForms();
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      cookie: [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    };
    const post = async (action: string, body: string) => {
      const answer = await fetch(site.base + action, { method: "POST", body, headers, redirect: "manual" });
      const { length } = await answer.text();
      return { status: answer.status, length };
    };
    const tried = new Set<string>();
    const over: string[] = [];
    let most = { name: "", ms: 0 };
    for (const form of [...forms, cards]) {
      for (const [kind, body] of meanBodies(form, owner.csrf())) {
        const type = kind.endsWith("often") ? ` ${form.fields.get("type") ?? ""}` : ""; // long texts are alike in the forms of all types
        const name = `${kindOf(form.action)}${type}, ${kind}`;
        if (tried.has(name)) continue;
        tried.add(name);
        const written = body();
        let least = Number.POSITIVE_INFINITY;
        let last = { status: 599, length: 0 };
        for (let attempt = 0; attempt < 3 && least >= limitMs; attempt += 1) {
          const before = cpuMs(site.controlPlane.pid);
          last = await post(form.action, written).catch(() => last); // such as headers that are too long
          least = Math.min(least, asUsualMs(cpuMs(site.controlPlane.pid) - before, limitMs));
        }
        if (last.status >= 500 || least >= limitMs || last.length >= longestPage)
          over.push(`${name}: ${least} ms, ${last.status}, ${last.length} bytes`);
        if (least > most.ms) most = { name, ms: least };
      }
    }
    expect(over).toEqual([]);
    held(
      "fields are counted by name before anything is drawn",
      `${tried.size} bodies to ${forms.length} forms; the dearest ${most.ms} ms of CPU (limit ${limitMs}): ${most.name}`,
    );
  });
});

describe("somebody who is signed in and asks on and on", () => {
  attack(
    "A5",
    "pages and forms beyond what a person may ask for in a minute",
    async (held) => {
      await using site = await Site.start({ env: { RATE_LIMIT_PAGES: "5/60", RATE_LIMIT_STANDARD: "5/60" } });
      const [here, there] = [browser(site.base), browser(site.base)];
      for (const one of [here, there]) {
        await one.get("/sign-in");
        await one.post("/sign-in", { key: site.ownerKey });
      }
      const pages: number[] = [];
      for (const one of [here, there, here, there, here, there]) pages.push((await one.get("/checks")).status);
      expect(pages).toEqual([200, 200, 200, 200, 200, 429]);
      const forms: number[] = [];
      for (let n = 0; n < 6; n += 1) forms.push((await here.post("/variables", { key: "" })).status);
      expect(forms).toEqual([400, 400, 400, 400, 400, 429]);
      const refused = await here.get("/checks");
      const seconds = Number(refused.headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(0);
      expect(refused.text).toContain(`Try again in ${seconds} seconds.`);
      expect((await here.get("/live/checks")).status).toBe(429);
      const unfinishedForm = await unfinished(`${site.base}/checks/new`, "a=1&", {
        "content-type": "application/x-www-form-urlencoded",
        cookie: [...here.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      });
      expect(unfinishedForm).toBe(429);
      held("a limit per person (429), before a form is read", "5 pages and 5 forms (RATE_LIMIT_PAGES, RATE_LIMIT_STANDARD=5/60)");
    },
    60_000,
  );
});
