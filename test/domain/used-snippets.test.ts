import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { maxSnippetBytes, maxSnippets, usedSnippets } from "#domain/used-snippets.ts";

const known = new Map([
  ["login", "export const login = 1;"],
  ["sign", 'const { key } = require("./key"); module.exports = key;'],
  ["key", "exports.key = 1;"],
  ["with space", "exports.a = 1;"],
  ["unused", "exports.b = 1;"],
]);
const namesOf = (...scripts: string[]): string[] => Object.keys(usedSnippets(scripts, known)).toSorted();

describe("the snippets that scripts read", () => {
  it.each([
    ["one that is only named as a file", "request.url += './login'.length", ["login"]],
    ["none", "console.log('snippets')", []],
    ["by import", 'import { login } from "./snippets/login.js";', ["login"]],
    ["by require, without the ending", "const a = require('./snippets/login')", ["login"]],
    ["by a dynamic import of a whole name", "await import(`./snippets/login.js`)", ["login"]],
    ["with a space in its name", 'require("./snippets/with space.js")', ["with space"]],
    ["one that reads another", 'require("./snippets/sign.js")', ["key", "sign"]],
    ["one that is not there", 'require("./snippets/nothing.js")', []],
    ["a name that is put together", 'require("./snippets/" + name + ".js")', ["key", "login", "sign", "unused", "with space"]],
    ["a name in a template", "require(`./snippets/${name}.js`)", ["key", "login", "sign", "unused", "with space"]],
    ["an address of something else", 'fetch("https://a.example/snippets/login.js")', []],
  ])("%s", (_what, script, names) => {
    expect(namesOf(script)).toEqual(names);
  });

  it("are those of all scripts together, each once", () => {
    expect(namesOf('require("./snippets/login.js")', 'require("./snippets/login"); require("./snippets/key.js")')).toEqual([
      "key",
      "login",
    ]);
  });

  it("may read each other in a circle", () => {
    const circle = new Map([
      ["a", 'require("./b.js")'],
      ["b", 'require("./a.js")'],
    ]);
    expect(Object.keys(usedSnippets(['require("./snippets/a.js")'], circle))).toEqual(["a", "b"]);
  });

  it("keep a name that objects have, as a name", () => {
    const odd = new Map([["__proto__", "1"]]);
    const used = usedSnippets(['require("./snippets/__proto__.js")'], odd);
    expect(JSON.stringify(used)).toBe('{"__proto__":"1"}');
  });

  it("past their bound are code that says so", () => {
    const large = `/* ${"x".repeat(maxSnippetBytes / 2)} */`;
    const used = usedSnippets(
      ['require("./snippets/a"); require("./snippets/b")'],
      new Map([
        ["a", large],
        ["b", large],
      ]),
    );
    expect(used["a"]).toBe(large);
    expect(() => runInNewContext(used["b"] ?? "")).toThrow(/^The snippet b was left out: the snippets of one run may have 1048576 bytes/);
  });

  it("are bounded in number, too", () => {
    const many = new Map(Array.from({ length: maxSnippets + 5 }, (_, index) => [`s${index}`, "1"]));
    expect(Object.keys(usedSnippets(["require(`./snippets/${process.env.NAME}`)"], many))).toHaveLength(maxSnippets);
  });
});
