import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

interface Program {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
const { programsOf } = createRequire(import.meta.url)("../../../src/agent/playwright/inside/commands.cjs") as {
  readonly programsOf: (command: string, folder: string) => readonly Program[];
};

describe("the command of a server", () => {
  let root: string;
  let app: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "outpost-commands-"));
    app = join(root, "apps/shop");
    const write = (path: string, text: string): void => {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    const scripts = {
      start: "serve -p 3000",
      dev: "PORT=1 node dev.js",
      build: "node build.js",
      prebuild: "node clean.js",
      loop: "npm run loop",
    };
    write("apps/shop/package.json", JSON.stringify({ scripts }));
    write("node_modules/serve/cli.js", "#!/usr/bin/env node\n");
    write("node_modules/native/tool", "\u007fELF");
    write("node_modules/.bin/shim", '#!/bin/sh\nexec node  "$basedir/../serve/cli.js" "$@"\n');
    symlinkSync("../serve/cli.js", join(root, "node_modules/.bin/serve"));
    symlinkSync("../native/tool", join(root, "node_modules/.bin/native"));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const read = (command: string): string =>
    programsOf(command, app)
      .map(({ words, env }) => [...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...words].join(" "))
      .join(" ; ")
      .replaceAll(root, "");

  it.each([
    ["node server.js --port 3000", "server.js --port 3000"],
    ["PORT=3000 node 'my server.js'", "PORT=3000 my server.js"],
    ["npx serve -p 1", "/node_modules/serve/cli.js -p 1"],
    ["npx --no-install serve", "/node_modules/serve/cli.js"],
    ["pnpm exec serve", "/node_modules/serve/cli.js"],
    ["yarn serve", "/node_modules/serve/cli.js"],
    ["shim a", "/node_modules/serve/cli.js a"],
    ["npm start", "/node_modules/serve/cli.js -p 3000"],
    ["npm run start -- --cors 'a b'", "/node_modules/serve/cli.js -p 3000 --cors a b"],
    ["yarn dev", "PORT=1 dev.js"],
    ["npm run build && npm run start", "clean.js ; build.js ; /node_modules/serve/cli.js -p 3000"],
    ["pnpm build", "build.js"],
  ])("%s starts %s", (command, programs) => {
    expect(read(command)).toBe(programs);
  });

  it.each([
    ["node a.js | tee log", /no shell reads it/],
    ["node $FILE", /no shell reads it/],
    ["node a.js; node b.js", /no shell reads it/],
    ["node `a`", /no shell reads it/],
    ["sleep 1", /there is no sleep in the project's packages/],
    ["/bin/sh -c x", /agents have Node\.js and no other program/],
    ["native", /native is no program of Node\.js/],
    ["npm run missing", /no script "missing"/],
    ["npm run constructor", /no script "constructor"/],
    ["npm ci", /npm ci is not known here/],
    ["pnpm --filter shop dev", /options of pnpm are not known here/],
    ["npm run loop", /start each other/],
    ["", /the command is empty/],
  ])("%j is refused", (command, sentence) => {
    expect(() => read(command)).toThrow(sentence);
  });
});
