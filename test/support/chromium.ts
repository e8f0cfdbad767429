import { accessSync, constants } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, type ConsoleMessage, chromium, type Page } from "playwright-core";
import { rawServer } from "./http-servers/raw-server.ts";

/** Waiting ends when the thing is there; this is for a machine that does ten other things. */
const limitMs = 60_000;

const program = findProgram();

/** Why tests in a browser cannot run here, or null. */
export const noChromium: string | null =
  program === null ? "Chromium is not installed (apt-get install chromium, or its path in CHROMIUM)" : null;

if (noChromium !== null) process.stdout.write(`Tests in a browser are skipped: ${noChromium}\n`);

/** A browser whose every step is watched. Whatever address it is told that is not of this machine ends at a port of ours, and is remembered. */
export interface WatchedBrowser extends AsyncDisposable {
  /** A reader of his own, without cookies; in UTC unless told. */
  reader(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** What went wrong in any page since it was asked last: errors, refused content, requests that failed or got an error. */
  takeTroubles(): readonly string[];
  /** The first bytes of each connection to somewhere else. */
  readonly connectionsElsewhere: readonly string[];
}

/** @param hosts names that lead to this machine, with the port of their address */
export async function watchedBrowser(hosts: readonly string[] = []): Promise<WatchedBrowser> {
  const connectionsElsewhere: string[] = [];
  const caught = await rawServer((socket) => {
    socket.once("data", (bytes: Buffer) => {
      connectionsElsewhere.push(bytes.toString("latin1"));
      socket.destroy();
    });
  });
  const rules = [...hosts.map((host) => `MAP ${host} 127.0.0.1`), `MAP * 127.0.0.1:${caught.port}`, "EXCLUDE 127.0.0.1"];
  const browser = await startChromium([`--host-resolver-rules=${rules.join(", ")}`]);
  let troubles: string[] = [];
  return {
    connectionsElsewhere,
    reader: async (options = {}) => {
      const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC", ...options });
      context.setDefaultTimeout(limitMs);
      context.on("page", (page) => watch(page, (trouble) => troubles.push(trouble)));
      return context;
    },
    takeTroubles() {
      const taken = troubles;
      troubles = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await caught[Symbol.asyncDispose]();
    },
  };
}

/** @throws where there is no Chromium: ask `noChromium` before */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  if (program === null) throw new Error(noChromium ?? "");
  // It refuses to run in its sandbox as root, and a container has no shared memory worth its name.
  const own = ["--disable-dev-shm-usage", ...(userInfo().uid === 0 ? ["--no-sandbox"] : [])];
  return chromium.launch({ executablePath: program, args: [...own, ...args], timeout: limitMs });
}

function watch(page: Page, tell: (trouble: string) => void): void {
  const say = (what: string): void => tell(`${page.url()}: ${what}`);
  page.on("pageerror", (error) => say(`an error: ${error.message}`));
  page.on("dialog", (dialog) => {
    if (dialog.type() === "beforeunload") return void dialog.accept(); // a form with unsaved changes is left on purpose
    say(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !isAboutRequest(message)) say(`on its console: ${message.text()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400 && !response.request().isNavigationRequest()) say(`${response.url()}: ${response.status()}`);
  });
  page.on("requestfailed", (request) => {
    const { errorText = "" } = request.failure() ?? {};
    if (errorText !== left) say(`${request.method()} ${request.url()}: ${errorText}`);
  });
}

/** Requests tell of themselves; a page that says what went wrong (a wrong password, no such page) has its status, and is no trouble. */
function isAboutRequest(message: ConsoleMessage): boolean {
  return message.text().startsWith("Failed to load resource");
}

/** Who leaves a page ends what it still waits for: a stream, a question, a navigation, and on a slow machine its style and its scripts. */
const left = "net::ERR_ABORTED";

function findProgram(): string | null {
  const { CHROMIUM, PATH = "" } = process.env;
  const folders = [...PATH.split(delimiter), "/usr/bin"];
  const candidates =
    CHROMIUM === undefined ? folders.flatMap((folder) => ["chromium", "chromium-browser"].map((name) => join(folder, name))) : [CHROMIUM];
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
