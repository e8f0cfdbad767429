"use strict";
/*
 * Starts a package manager that is no program of Node.js: it asks the run's own proxy as any program asks a proxy. The kernel leaves it no other
 * way. Descriptor 3 has what is told, once.
 */
const { spawnSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { constants } = require("node:os");

const { proxy, folder, env } = JSON.parse(readFileSync(3, "utf8"));
const [scheme, credentials] = proxy.authorization.split(" ");
if (scheme !== "Basic") throw new Error("the proxy's password is not one that a URL can have");
const [name, password] = Buffer.from(credentials, "base64").toString().split(":").map(encodeURIComponent);
const way = `http://${name}:${password}@127.0.0.1:${proxy.port}`;
const [, , program, ...words] = process.argv;
const { error, status, signal } = spawnSync(program, words, {
  cwd: folder,
  env: { ...process.env, ...env, HTTPS_PROXY: way, HTTP_PROXY: way, https_proxy: way, http_proxy: way },
  stdio: ["ignore", "inherit", "inherit"],
});
if (error !== undefined) throw error;
process.exitCode = status ?? 128 + constants.signals[signal];
