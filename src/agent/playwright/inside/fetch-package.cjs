"use strict";
/* Fetches one package of npm's registry into a file. Only our own code runs here; what it fetched the agent holds against its digest. */
const { createWriteStream, readFileSync, writeFileSync } = require("node:fs");
const { pipeline } = require("node:stream/promises");

const mostBytes = 64 * 1024 * 1024;
const { holdEgress, reachBy } = require(process.env.OUTPOST_EGRESS);
holdEgress();
const { proxy, registry, name, version, to } = JSON.parse(readFileSync(3, "utf8"));
reachBy(proxy);

fetchPackage().catch((error) => {
  console.error(`Error: ${name}@${version} cannot be had from ${registry}: ${error.cause?.code ?? error.cause?.message ?? error.message}`);
  process.exit(1);
});

async function fetchPackage() {
  const about = await (await answerOf(new URL(`${name.replace("/", "%2f")}/${version}`, registry))).json();
  const { tarball, integrity } = about.dist;
  const { body } = await answerOf(new URL(tarball));
  let bytes = 0;
  const bounded = async function* (chunks) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
      yield chunk;
    }
  };
  await pipeline(body, bounded, createWriteStream(to));
  writeFileSync(`${to}.json`, JSON.stringify({ integrity, version: about.version }));
}

async function answerOf(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  if (!answer.ok) throw new Error(`the registry answers ${answer.status}`);
  return answer;
}
