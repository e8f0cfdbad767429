import { describe, expect, it } from "vitest";
import { isHarmless, looksSecret } from "../../src/suites-cli/secret-names.ts";

describe("what looks like a secret", () => {
  it.each([
    [".env", true],
    ["a/.env.local", true],
    ["certs/client.PEM", true],
    ["id_rsa", true],
    ["id_rsa.pub", false],
    ["playwright/.auth/user.json", true],
    ["service-account.json", true],
    ["serviceAccountKey.json", true],
    ["tests/keyboard.spec.ts", false],
    ["src/key.ts", false],
    ["environment.ts", false],
    [".auth", false],
    [".npmrc", true],
    [".yarnrc.yml", true],
  ])("%s by its name: %s", (path, secret) => {
    expect(looksSecret(path)).toBe(secret);
  });

  it.each([
    [".npmrc", "registry=https://npm.example.com/\n", true],
    [".npmrc", "//npm.example.com/:_authToken=${NPM_TOKEN}\n", true],
    ["e2e/.npmrc", "//npm.example.com/:_authToken=npm_d5f0\n", false],
    [".npmrc", "_auth = dXNlcjpwYXNz\n", false],
    [".yarnrc.yml", "nodeLinker: node-modules\n", true],
    [".yarnrc.yml", 'npmAuthToken: "${NPM_TOKEN}"\n', true],
    [".yarnrc.yml", 'npmAuthToken: "d5f0"\n', false],
    ["client.pem", "", false],
  ])("%s with %j is harmless: %s", (path, text, harmless) => {
    expect(isHarmless(path, text)).toBe(harmless);
  });
});
