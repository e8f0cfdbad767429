/** An attack as a script that writes into the request's body what it could do; `withstood` is what must stand there, or in the failure. */
export interface Attack {
  readonly id: string;
  readonly title: string;
  readonly code: string;
  readonly withstood: RegExp;
  /** What Node.js alone refuses, because it is the script's own process that is attacked. */
  readonly isWithin?: true;
}

/**
 * What the scripts aim at comes in process.env: PID and PORT of a process of the agent's user with a canary in its environment, FILE,
 * SOCKET, ABSTRACT, FOLDER.
 */
const tried = (act: string): string =>
  `const tried = async (act) => { try { return "DONE " + (await act()); } catch (error) { return "refused " + (error && (error.code || error.name || error.message)); } };
   request.body = await tried(async () => { ${act} });`;

const all = (acts: readonly string[]): string =>
  `const refused = [];
   for (const act of [${acts.map((act) => `async () => { ${act} }`).join(", ")}]) {
     try { refused.push("DONE " + (await act())); } catch (error) { refused.push("refused " + (error && (error.code || error.name || error.message))); }
   }
   request.body = refused.some((one) => one.startsWith("DONE")) ? refused.join("; ") : "all refused";`;

const refused = /^refused|^all refused$/;

export const attacks: readonly Attack[] = [
  {
    id: "B-01",
    title: "reads the environment of every process",
    code: `const fs = require("fs"); const found = [];
      for (const pid of ["self", process.ppid, process.env.PID, ...Array.from({ length: 3000 }, (_, n) => n + 1)]) {
        for (const file of ["environ", "task/" + pid + "/environ", "mem", "cmdline"]) {
          try { if (fs.readFileSync("/proc/" + pid + "/" + file, "latin1").includes("outpost-canary")) found.push(pid + "/" + file); } catch {}
        }
      }
      request.body = found.length ? "DONE " + found : "refused";`,
    withstood: refused,
  },
  {
    id: "B-02",
    title: "reads a key file, a folder of the agent and /etc/passwd",
    code: all([
      `return require("fs").readFileSync(process.env.FILE, "utf8").length`,
      `return require("fs").readdirSync(process.env.FOLDER)`,
      `return require("fs").readFileSync("/etc/passwd", "utf8").length`,
      `return require("fs").readFileSync("/proc/self/root/etc/passwd", "utf8").length`,
      `return (await import("node:fs/promises")).readFile("/etc/shadow", "utf8")`,
      `return process.loadEnvFile(process.env.FILE) ?? "loaded"`,
      `return require("fs").createReadStream(process.env.FILE).on("error", () => {}).read() ?? (await require("fs").promises.readFile(process.env.FILE)).length`,
      `return require("fs").readFileSync(new URL("file://" + process.env.FILE)).length`,
      `return require("fs").readFileSync(Buffer.from(process.env.FILE)).length`,
      `return require(process.env.FILE) && "loaded"`,
      `return (await import("file://" + process.env.FILE)) && "loaded"`,
    ]),
    withstood: refused,
  },
  {
    id: "B-02",
    title: "reaches into other processes by /proc",
    code: all([
      `return require("fs").readdirSync("/proc/" + process.env.PID + "/fd").length`,
      `return require("fs").readlinkSync("/proc/" + process.env.PID + "/exe")`,
      `return require("fs").openSync("/proc/" + process.env.PID + "/mem", "r+")`,
      `return require("fs").readFileSync("/proc/" + process.env.PID + "/root" + process.env.FILE).length`,
      `return require("fs").openSync("/proc/self/mem", "r+")`,
      `require("fs").writeFileSync("/proc/self/oom_score_adj", "-1000"); return "never ended first"`,
    ]),
    withstood: refused,
  },
  {
    id: "B-03",
    title: "ends other processes",
    code: all([
      `return process.kill(Number(process.env.PID), "SIGTERM")`,
      `return process.kill(process.ppid, 0)`,
      `return process.kill(-1, 0)`,
      `return process.kill(0, 0)`,
      `if (process._kill(Number(process.env.PID), 9) !== 0) throw new Error("EPERM")`,
    ]),
    withstood: refused,
  },
  {
    id: "B-03",
    title: "takes the processor away from the agent",
    code: all([`require("os").setPriority(Number(process.env.PID), 19)`, `require("os").setPriority(process.ppid, 19)`]),
    withstood: refused,
  },
  {
    id: "B-04",
    title: "opens the agent's inspector",
    code: all([
      `return process.kill(Number(process.env.PID), "SIGUSR1")`,
      `return process._debugProcess(Number(process.env.PID))`,
      `await new Promise((resolve, reject) => require("net").connect(Number(process.env.PORT), "127.0.0.1", resolve).on("error", reject))`,
    ]),
    withstood: refused,
  },
  {
    id: "B-05",
    title: "writes by a database",
    code: tried(`const { DatabaseSync } = process.getBuiltinModule("node:sqlite"); const database = new DatabaseSync(":memory:");
      database.exec("ATTACH DATABASE '" + process.env.FOLDER + "/evil.db' AS evil; CREATE TABLE evil.t (x)"); return "wrote"`),
    withstood: refused,
  },
  {
    id: "B-06",
    title: "connects to Unix sockets, by path and abstract, and makes one",
    code: all([
      ...["process.env.SOCKET", '"\\0" + process.env.ABSTRACT'].map(
        (path) =>
          `return await new Promise((resolve, reject) => require("net").connect({ path: ${path} }, () => resolve("connected")).on("error", reject))`,
      ),
      `return await new Promise((resolve, reject) => require("http").get({ socketPath: process.env.SOCKET }, () => resolve("answered")).on("error", reject))`,
      `return await new Promise((resolve, reject) => require("net").createServer().listen("/tmp/evil.sock", () => resolve("listens")).on("error", reject))`,
    ]),
    withstood: refused,
  },
  {
    id: "B-07",
    title: "starts programs",
    code: all([
      `return require("child_process").execSync("id").toString()`,
      `return require("child_process").execFileSync(process.execPath, ["--version"]).toString()`,
      `return await new Promise((resolve, reject) => require("child_process").spawn("/bin/sh", ["-c", "true"]).on("spawn", () => resolve("spawned")).on("error", reject))`,
      `return Object.keys(process.binding("spawn_sync"))`,
      `return process.execve(process.execPath, [process.execPath, "--version"], {})`,
      `return require("cluster").fork().process.pid`,
    ]),
    withstood: refused,
  },
  {
    id: "B-07",
    title: "calls the system's library, or code that is not JavaScript",
    code: all([
      `return require("node:ffi").dlopen(null, { getpid: { arguments: [], return: "i32" } }).functions.getpid()`,
      `return new (require("wasi").WASI)({ version: "preview1", preopens: { "/": "/" } }) && "wasi"`,
      `return Object.keys(process.binding("fs"))`,
      `return process._linkedBinding("fs")`,
      `process.dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libc.so.6"); return "loaded"`,
    ]),
    withstood: refused,
    isWithin: true,
  },
  {
    id: "B-07",
    title: "looks into its own process",
    code: all([
      `const inspector = require("inspector"); inspector.open(0); return inspector.url()`,
      `const { Session } = require("inspector"); const session = new Session(); session.connect(); return await new Promise((resolve, reject) => session.post("Runtime.evaluate", { expression: "1" }, (error) => (error ? reject(error) : resolve("evaluated"))))`,
      `require("v8").setFlagsFromString("--allow-natives-syntax"); return "changed V8"`,
      `return require("trace_events").createTracing({ categories: ["v8"] }).enable() ?? "traces"`,
    ]),
    withstood: refused,
    isWithin: true,
  },
  {
    id: "B-08",
    title: "writes files",
    code: all([
      `require("fs").writeFileSync("evil", "x")`,
      `require("fs").writeFileSync("/tmp/outpost-evil", "x")`,
      `require("fs").writeFileSync(process.env.FOLDER + "/evil", "x")`,
      `require("fs").chmodSync(process.env.FILE, 0o777)`,
      `require("fs").symlinkSync("/etc/passwd", process.env.FOLDER + "/evil")`,
      `return process.report.writeReport("/tmp/outpost-evil.json")`,
      `return require("v8").writeHeapSnapshot("/tmp/outpost-evil.heapsnapshot")`,
      `require("fs").mkdirSync("/dev/shm/outpost-evil")`,
      `require("fs").truncateSync(process.env.FILE, 2 ** 30)`,
    ]),
    withstood: refused,
  },
  {
    id: "B-08",
    title: "has V8 write files",
    code: `const v8 = require("v8");
      try { for (const flag of ["--trace-turbo", "--trace-turbo-path=" + process.env.FOLDER]) v8.setFlagsFromString(flag); } catch {}
      const add = (a) => a * 2 + 1; let sum = 0;
      for (let n = 0; n < 2e6; n++) sum += add(n);
      request.body = "refused";`, // the folder shows it
    withstood: refused,
    isWithin: true,
  },
  {
    id: "B-09",
    title: "fills the machine with processes and threads",
    code: `const { spawn } = require("child_process"); const { Worker } = require("worker_threads"); let started = 0;
      for (let n = 0; n < 300; n++) { try { const child = spawn("/bin/sleep", ["5"]); child.on("error", () => {}); if (child.pid) started++; } catch {} }
      for (let n = 0; n < 50; n++) { try { const worker = new Worker("setInterval(() => {}, 1000)", { eval: true }); worker.on("error", () => {}); started++; } catch {} }
      request.body = started === 0 ? "refused" : "DONE " + started;`,
    withstood: refused,
    isWithin: true,
  },
  {
    id: "B-03",
    title: "lowers what was put up against it",
    code: all([
      `process.kill = null; if (typeof process.kill === "function") throw new Error("locked")`,
      `Object.defineProperty(process, "_kill", { value: () => 0 })`,
      `delete process.binding; if (process.binding) throw new Error("locked")`,
      `return process.dlopen({ exports: {} }, "/tmp/evil.node")`,
      `const { ChildProcess } = require("child_process"); const handle = new ChildProcess()._handle; if (handle.spawn({ file: process.execPath, args: [process.execPath, "--version"] }) !== 0) throw new Error("EPERM")`,
    ]),
    withstood: refused,
    isWithin: true,
  },
];
