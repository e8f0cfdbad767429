import { describe, expect, it } from "vitest";
import { hostsIn, mayBeAllowedHost, openableHosts } from "../../../src/domain/agentic/allowed-hosts.ts";
import { promptProblems } from "../../../src/domain/prompt-problems.ts";

describe("the hosts of a prompt", () => {
  it.each([
    ["Open https://shop.example.com/cart, then sign in.", ["shop.example.com"]],
    ["Open https://SHOP.example.com:8443.", ["shop.example.com"]],
    ["Open (http://127.0.0.1:8080/a?b=c) and http://[::1]:3000/", ["127.0.0.1", "[::1]"]],
    ["Go to shop.example.com and look at login.example.com!", ["shop.example.com", "login.example.com"]],
    ["Write to ann@example.com, and open /cart", []],
    ["Buy a book.", []],
  ])("are read from %j", (prompt, hosts) => {
    expect([...hostsIn(prompt)].toSorted()).toEqual(hosts.toSorted());
  });

  it("and those that the check allows are all that may be opened", () => {
    expect(openableHosts("Open https://a.example/", ["*.B.example", "a.example"])).toEqual(["a.example", "*.b.example"]);
  });

  it.each([
    ["login.example.com", true],
    ["*.example.com", true],
    ["localhost", true],
    ["127.0.0.1", true],
    ["[::1]", true],
    ["https://example.com", false],
    ["example.com:443", false],
    ["*", false],
    ["a.*.example.com", false],
    ["example.com/path", false],
    ["a..b", false],
    ["", false],
  ])("%j may be allowed: %s", (text, may) => {
    expect(mayBeAllowedHost(text)).toBe(may);
  });

  it("that are none are told with their place", () => {
    const check = { prompt: " ", allowedHosts: ["a.example", "https://b.example"], environmentVariables: [{ key: "1A" }] };
    expect(promptProblems(check).map(({ path }) => path)).toEqual(["prompt", "allowedHosts[1]", "environmentVariables[0].key"]);
    expect(promptProblems({ prompt: null })).toEqual([]);
  });
});
