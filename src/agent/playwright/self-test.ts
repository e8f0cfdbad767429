import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { nodeHttp } from "#daemon/node-http.ts";
import { EgressProxy } from "../egress/egress-proxy.ts";
import { createEgressPolicy } from "../net/egress-policy.ts";
import { createStubResolver } from "../net/stub-resolver.ts";
import { createTrust } from "../net/tls.ts";
import { KeptTree } from "../sandbox/keep-tree.ts";
import { type LandlockPath, right } from "../sandbox/launcher-order.ts";
import type { Targets } from "../sandbox/self-test.ts";
import { browserWrapper } from "./browser-wrapper.ts";
import { insideFolder, outerFence, type TreeParts } from "./fence.ts";
import { defaultLimits } from "./limits.ts";
import { makeRunFolder, writeProgram } from "./run-folder.ts";

/** What a script in the fence must not be able to do, for people. */
const attacks = {
  file: "reads a file of the agent's user",
  folder: "reads a folder of the agent",
  write: "writes outside of its folder",
  environment: "reads the agent's environment",
  memory: "reads the agent's memory",
  signal: "sends signals to the agent",
  keeper: "sends signals to what keeps it",
  written: "starts a program that it wrote",
  program: "starts programs of the system",
  connect: "connects past its proxy",
  listen: "listens",
  udp: "sends datagrams",
  socket: "connects to a Unix socket",
} as const;
/** What whoever took over the browser must not be able to do. */
const attacksOfBrowsers = {
  environment: "reads the script's environment",
  memory: "reads the script's memory",
  maps: "sees the script's memory",
  files: "reaches the script's current folder",
  folder: "reads the script's folder",
  signal: "sends signals to the script",
  secret: "has the script's variables",
} as const;

const refusals = <T extends string>(names: Readonly<Record<T, string>>) =>
  z.object(Object.fromEntries(Object.keys(names).map((name) => [name, z.boolean()])) as Record<T, z.ZodBoolean>);
const Answer = z.object({
  refused: refusals(attacks),
  allowed: z.union([z.literal(true), z.string()]),
  fenced: z.union([refusals(attacksOfBrowsers), z.object({ problem: z.string() })]).nullable(),
  unfenced: z.union([refusals(attacksOfBrowsers), z.object({ problem: z.string() })]),
  page: z.object({ dom: z.string(), errors: z.string() }).nullable(),
});
export type AttackAnswer = z.infer<typeof Answer>;

export interface FenceTest {
  /** What a script could do, or why there was no test, for people; null: it withstood. */
  readonly problem: string | null;
  /** The same for the browser and its fence; null where it withstood, or there is no browser. */
  readonly browserProblem: string | null;
  /** Whether the kernel holds it to its proxy. */
  readonly holdsEgress: boolean;
  readonly answer: AttackAnswer | null;
}

/** What is tested. */
export type TestedParts = Pick<TreeParts, "runtimeFolder" | "node" | "user" | "ffmpeg" | "toolsFolder">;

const limitMs = 30_000;

/** Attacks the agent from inside of the fence, the script from the browser's place, and opens a page of our own in the browser. */
export async function testFences(tested: TestedParts, browser: string | null, targets: Targets, folder: string): Promise<FenceTest> {
  const made = await makeRunFolder(folder, tested.user);
  const egress = await EgressProxy.open({ trustedUser: tested.user ?? process.getuid?.() ?? null });
  await using page = await servePage();
  const attacker = join(made.program, "..", "attacker");
  const parts = { ...tested, runFolder: made.run, wrapper: made.program, browser, proxyPort: egress.port };
  const inPlace: LandlockPath[] = [
    [insideFolder, right.readFile + right.readFolder],
    [tested.node, right.readFile + right.execute],
  ];
  const [asBrowser, inItsPlace] = [browserWrapper(parts, browser ?? "", null), browserWrapper(parts, tested.node, null, inPlace)];
  await writeProgram(made.program, asBrowser);
  await writeProgram(attacker, inItsPlace);
  egress.serve(onlyLoopback);
  const aim = {
    agent: process.pid,
    file: targets.file,
    folder: join(targets.file, ".."),
    socket: targets.socket,
    port: targets.port,
    proxy: egress.port,
    fenced: [attacker, join(insideFolder, "attack.cjs")],
    browser: made.program,
    profile: join(made.run, "tmp/profile"),
    page: browser === null ? null : page.url,
  };
  const argv = [tested.node, join(insideFolder, "attack.cjs"), JSON.stringify(aim)];
  const fence = outerFence({ ...parts, programs: [attacker] }, argv, { PATH: "/usr/bin", HOME: made.run });
  const tree = new KeptTree(fence, defaultLimits, made.run);
  try {
    return judged(await answerOf(tree), page.secret);
  } finally {
    await tree.close();
    egress.close();
    await made.remove();
  }
}

async function answerOf(tree: KeptTree): Promise<AttackAnswer | string> {
  let text = "";
  tree.answers.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  const line = once(tree.answers, "data");
  await Promise.race([line.catch(() => {}), tree.exited, late]);
  clearTimeout(timer);
  try {
    return Answer.parse(JSON.parse(text));
  } catch {
    return tree.errors.trim().split("\n")[0]?.slice(0, 300) || "it ended without a word";
  }
}

function judged(answer: AttackAnswer | string, secret: string): FenceTest {
  if (typeof answer === "string")
    return { problem: `its test did not end (${answer})`, browserProblem: null, holdsEgress: false, answer: null };
  const { connect, udp, ...others } = answer.refused;
  const holdsEgress = connect && udp && answer.allowed === true;
  const problem = problemOf("a script in it", { ...others, ...(connect === udp ? {} : { connect, udp }) }, attacks);
  return { problem, browserProblem: browserProblemOf(answer, secret), holdsEgress, answer };
}

function browserProblemOf({ fenced, page }: AttackAnswer, secret: string): string | null {
  if (fenced === null || page === null) return null;
  if ("problem" in fenced) return `the fence of the browser does not start (${fenced.problem.trim().split("\n")[0]?.slice(0, 300)})`;
  if (page.dom.includes(withoutText(secret))) return "the browser draws no text, as there are no fonts: apt-get install fonts-dejavu-core";
  if (!page.dom.includes(secret)) return `the browser opened no page (${page.errors.trim().split("\n").at(-1)?.slice(0, 300)})`;
  return problemOf("what takes over the browser", fenced, attacksOfBrowsers);
}

function problemOf(who: string, refused: Readonly<Record<string, boolean>>, meanings: Readonly<Record<string, string>>): string | null {
  const succeeded = Object.entries(refused).filter(([, isRefused]) => !isRefused);
  return succeeded.length === 0 ? null : `${who} ${succeeded.map(([name]) => meanings[name]).join(", ")}`;
}

/** `chromium/156.0.8078.79`. @returns null where it does not start */
export async function browserVersion(browser: string): Promise<string | null> {
  const { stdout } = await promisify(execFile)(browser, ["--version"], { env: { HOME: "/nonexistent" }, timeout: limitMs }).catch(() => ({
    stdout: "",
  }));
  const version = /(\d+(?:\.\d+){3})/.exec(stdout)?.[1];
  return version === undefined ? null : `chromium/${version}`;
}

const onlyLoopback = {
  resolver: createStubResolver(),
  egress: createEgressPolicy({ allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [] }),
  proxyUrl: null,
  trust: () => createTrust([]),
};

/** Without fonts an element with text has no size, and counts as hidden. */
const withoutText = (secret: string): string => `no text ${secret}`;

async function servePage(): Promise<AsyncDisposable & { readonly url: string; readonly secret: string }> {
  const secret = randomBytes(12).toString("hex");
  const server = nodeHttp.createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end(`<b>text</b><script>document.title =
        (document.querySelector("b").offsetWidth > 0 ? "" : ${JSON.stringify(withoutText(""))}) + ${JSON.stringify(secret)}</script>`);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close").catch(() => {});
  };
  return { url: `http://127.0.0.1:${port}/`, secret, [Symbol.asyncDispose]: close };
}
