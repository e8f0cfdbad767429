import { Client } from "undici";

/** The plainest loop that sends requests on fresh connections: `node bare-undici.ts <url> <requests> <concurrency>`; prints CPU seconds. */
const [url = "", requests = "0", concurrency = "1"] = process.argv.slice(2);
const target = new URL(url);
let left = Number(requests);

async function worker(): Promise<void> {
  while (left-- > 0) {
    const client = new Client(target.origin, { pipelining: 1, allowH2: false });
    const answer = await client.request({ method: "GET", path: target.pathname, reset: true });
    await answer.body.text();
    await client.close();
  }
}
const before = process.cpuUsage();
await Promise.all(Array.from({ length: Number(concurrency) }, worker));
const used = process.cpuUsage(before);
process.stdout.write(`${(used.user + used.system) / 1e6}\n`);
