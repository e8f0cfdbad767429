import { describe, expect, it } from "vitest";
import { importCurl } from "../../src/importers/curl/curl.ts";
import { shellCommands } from "../../src/importers/curl/shell-words.ts";
import { parsed, secret, sound, told } from "./imported-support.ts";

describe("words of a shell", () => {
  it.each([
    [String.raw`a 'b c' "d \"e\" \f" g\ h`, ["a", "b c", String.raw`d "e" \f`, "g h"]],
    ["a \\\n  b", ["a", "b"]],
    ["a ^\r\n b", ["a", "b"]],
    [String.raw`a $'x\ty\'z\x41\u00e9\101'`, ["a", "x\ty'zAéA"]],
    ["a \"$TOKEN\" '$TOKEN' ${X}y", ["a", "{{{TOKEN}}}", "$TOKEN", "{{{X}}}y"]],
    ["a ''", ["a", ""]],
    ["a b#c # comment", ["a", "b#c"]],
    ["a 2>&1", ["a", "2>&1"]],
  ])("%j are %j", (script, words) => {
    expect(shellCommands(script)).toEqual([{ line: 1, words }]);
  });

  it("end at the end of a line, a semicolon, a pipe and an ampersand, and know their line", () => {
    expect(shellCommands("\n# first\na 'x\ny' | b; c && d &\n\ne")).toEqual([
      { line: 3, words: ["a", "x\ny"] },
      { line: 4, words: ["b"] },
      { line: 4, words: ["c"] },
      { line: 4, words: ["d"] },
      { line: 6, words: ["e"] },
    ]);
  });

  it.each([["a 'b"], ['a "b'], ["a $'b"], ["a $(cat b)"], ["a `cat b`"], ['a "${X:-y}"']])("tell what they cannot know: %j", (script) => {
    expect(shellCommands(script)[0]?.problem).toBeTypeOf("string");
  });
});

describe("curl commands", () => {
  const one = (command: string) => {
    const imported = sound(importCurl(command));
    expect(imported.warnings).toEqual([]);
    expect(imported.checks).toHaveLength(1);
    return parsed(imported.checks[0]);
  };

  it("become API checks, with what curl does by default", () => {
    expect(one("curl https://example.com/health?x=1")).toMatchObject({
      checkType: "API",
      name: "GET example.com/health",
      request: {
        method: "GET",
        url: "https://example.com/health?x=1",
        followRedirects: false,
        skipSSL: false,
        assertions: [],
        headers: [],
      },
    });
  });

  it.each([
    ["curl example.com", { url: "http://example.com" }],
    ["curl --url https://a.example -L -k", { url: "https://a.example", followRedirects: true, skipSSL: true }],
    ["curl -sSLk https://a.example", { followRedirects: true, skipSSL: true }],
    ["curl -I https://a.example", { method: "HEAD" }],
    ["curl -6 https://a.example", { ipFamily: "IPv6" }],
    ["curl -XDELETE https://a.example/1", { method: "DELETE" }],
    ["curl -X PATCH https://a.example -d a=1 -d b=2", { method: "PATCH", body: "a=1&b=2", bodyType: "FORM", headers: [] }],
    ["curl https://a.example -d ''", { method: "POST", body: "", bodyType: "FORM" }],
    ["curl https://a.example --data-raw '@x'", { method: "POST", body: "@x" }],
    ["curl https://a.example --data-urlencode 'q=a b&c' --data-urlencode '=d e'", { body: "q=a%20b%26c&d%20e" }],
    [
      "curl -G https://a.example?x=1#f -d q=1 --data-urlencode 'r=a b'",
      { method: "GET", url: "https://a.example?x=1&q=1&r=a%20b#f", body: "" },
    ],
    ["curl https://a.example --url-query 'q=a b'", { url: "https://a.example?q=a%20b" }],
    [
      `curl https://a.example --json '{"a":1}'`,
      { method: "POST", body: '{"a":1}', bodyType: "JSON", headers: [{ key: "Accept", value: "application/json", locked: false }] },
    ],
    [
      "curl https://a.example -H 'Content-Type: text/xml' --data-binary $'<a>\\n</a>'",
      { body: "<a>\n</a>", bodyType: "RAW", headers: [{ key: "Content-Type", value: "text/xml", locked: false }] },
    ],
    ["curl https://a.example -H 'content-type: application/json' -d '{}'", { bodyType: "JSON", headers: [] }],
    [
      "curl https://a.example -H 'X-Empty;' -A bot/1 -e https://b.example",
      {
        headers: [
          { key: "X-Empty", value: "", locked: false },
          { key: "User-Agent", value: "bot/1", locked: false },
          { key: "Referer", value: "https://b.example", locked: false },
        ],
      },
    ],
    [`curl https://a.example -u 'me:${secret}:x'`, { basicAuth: { username: "me", password: `${secret}:x` } }],
    [`curl https://me:${secret}%21@a.example/x`, { url: "https://a.example/x", basicAuth: { username: "me", password: `${secret}!` } }],
    [`curl -b 'sid=${secret}' https://a.example`, { headers: [{ key: "Cookie", value: `sid=${secret}`, locked: true }] }],
    [`curl --oauth2-bearer ${secret} https://a.example`, { headers: [{ key: "Authorization", value: `Bearer ${secret}`, locked: true }] }],
    ["curl -s -o /dev/null -w '%{http_code}' https://a.example 2>/dev/null", { url: "https://a.example" }],
    ["$ curl https://a.example > out.json", { url: "https://a.example" }],
    ["TOKEN=x sudo /usr/bin/curl https://a.example", { url: "https://a.example" }],
    ["curl 'https://a.example/[1-2]' -g", { url: "https://a.example/[1-2]" }],
  ])("%s", (command, request) => {
    expect(one(command).request).toMatchObject(request);
  });

  it("take their time limit as that of the check", () => {
    expect(one("curl -m 2.5 https://a.example")).toMatchObject({ maxResponseTime: 2500, degradedResponseTime: 2500 });
    const long = sound(importCurl("curl --max-time 90 https://a.example"));
    expect(parsed(long.checks[0]).maxResponseTime).toBe(30_000);
    expect(told(long)).toEqual(["line 1: the time-out is longer than a check of type API takes: it becomes 30 seconds"]);
  });

  it("make a check per address, and of each request after --next", () => {
    const { checks } = sound(importCurl("curl https://a.example https://a.example --next -I https://b.example"));
    expect(checks.map(({ name }) => name)).toEqual(["GET a.example", "GET a.example (2)", "HEAD b.example"]);
  });

  it("turn variables of the shell into templates and name them", () => {
    const imported = sound(importCurl('curl "$BASE/x" -H "Authorization: Bearer ${TOKEN}"'));
    expect(parsed(imported.checks[0]).request).toMatchObject({
      url: "{{{BASE}}}/x",
      headers: [{ key: "Authorization", value: "Bearer {{{TOKEN}}}", locked: true }],
    });
    expect(told(imported)).toEqual(["line 1: needs environment variables of these names: BASE, TOKEN"]);
  });

  it.each([
    [`curl --frobnicate=${secret} https://a.example`, ["--frobnicate: not known, so it is left out"], 1],
    [`curl --frobnicate ${secret} https://a.example`, ["--frobnicate: not known, so it is left out"], 1],
    [`curl -j https://a.example`, ["-j: not known, so it is left out"], 1],
    [`curl -x http://${secret}@proxy https://a.example`, ["--proxy: checks use the proxyUrl of their private location"], 1],
    ["curl --http2 https://a.example", ["--http2: the version is agreed with the server"], 1],
    ["curl -H 'Accept:' https://a.example", ["--header: Accept cannot be taken away"], 1],
    [`curl -u ${secret} https://a.example`, ["--user: it names no password, so the check sends an empty one"], 1],
    [`curl -F token=${secret} https://a.example`, ["left out: --form cannot be expressed: the check would need more than this text"], 0],
    ["curl -d @body.json https://a.example", ["left out: its data is read from a file, which is not here"], 0],
    ["curl --data-urlencode x@body.json https://a.example", ["left out: its data is read from a file, which is not here"], 0],
    ["curl -X BREW https://a.example", ["left out: a check's method is one of GET, POST, PUT, HEAD, DELETE, PATCH, OPTIONS"], 0],
    ["curl 'https://{a,b}.example'", ["left out: it names several addresses by a pattern"], 0],
    ["curl -s", ["left out: it has no address"], 0],
    [`curl "https://a.example/$(cat ${secret})"`, ["left out: it uses the output of another command"], 0],
    [`wget https://a.example/${secret}`, ["left out: it is no curl command"], 0],
    [`curl https://a.example -d '{{x}}'`, ["it sends {{, which begins a template in a check"], 1],
  ])("tell what is not in a check: %s", (command, warnings, checks) => {
    const imported = sound(importCurl(command));
    expect(told(imported)).toEqual(warnings.map((warning) => `line 1: ${warning}`));
    expect(imported.checks).toHaveLength(checks);
  });

  it("are left out, with the reason, where the check could not be created", () => {
    const imported = sound(importCurl(`curl https://a.example/${"x".repeat(2048)}`));
    expect(imported.checks).toEqual([]);
    expect(told(imported)).toEqual([
      'line 1: left out: "request.url" of the check must have at most 2048 characters, received 2066 characters',
    ]);
  });

  it("are read from a script of several lines, as people keep them", () => {
    const imported = sound(
      importCurl(`#!/bin/sh
set -e
# the shop
curl --request POST \\
  --url 'https://api.shop.example/v1/orders?dry=1' \\
  --header 'Content-Type: application/json' \\
  --header "X-Api-Key: ${secret}" \\
  --data '{
    "item": 7
  }' | jq .

curl -fsS --compressed --retry 3 https://shop.example/health
`),
    );
    expect(imported.checks).toHaveLength(2);
    expect(parsed(imported.checks[0]).request).toMatchObject({
      method: "POST",
      url: "https://api.shop.example/v1/orders?dry=1",
      bodyType: "JSON",
      body: '{\n    "item": 7\n  }',
      headers: [{ key: "X-Api-Key", value: secret, locked: true }],
    });
    expect(told(imported)).toEqual([
      "line 2: left out: it is no curl command",
      "line 10: left out: it is no curl command",
      "line 12: --retry: retries are the check's retryStrategy",
    ]);
  });
});
