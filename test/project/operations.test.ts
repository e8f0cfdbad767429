import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { AgentEnv } from "../../src/agent/config.ts";
import { ControlPlaneEnv } from "../../src/control-plane/config.ts";

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly command?: readonly string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly privileged?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly sysctls?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: object;
}

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const folder = "docs/operations";
const whole = readFileSync("compose.yaml", "utf8");
const agentAlone = readFileSync(join(folder, "compose/agent.yaml"), "utf8");
const targets = [...readFileSync("Dockerfile", "utf8").matchAll(/^FROM .* AS ([\w-]+)$/gm)].map(([, name]) => name);

/** Each may stand in a file instead. */
const secretVariables = [...Object.keys(AgentEnv.shape), ...Object.keys(ControlPlaneEnv.shape)].flatMap((name) =>
  name.endsWith("_FILE") ? [name.slice(0, -"_FILE".length)] : [],
);

/** What would make a service stronger than it needs to be, or leave it alone. */
const weaknessesOf: Readonly<Record<string, (service: Service) => boolean>> = {
  "runs as another user": ({ user }) => user !== "65532:65532",
  "has a writable root file system": (service) => service.read_only !== true,
  "has capabilities": (service) => service.cap_drop?.join() !== "ALL" || service.cap_add !== undefined,
  "may gain privileges": (service) => service.privileged !== undefined || !service.security_opt?.includes("no-new-privileges:true"),
  "has a loose tmpfs": ({ tmpfs }) => !tmpfs?.every((mount) => /noexec.*nosuid.*nodev.*size=/.test(mount)),
  "is published for everybody": ({ ports = [] }) => !ports.every((port) => port.startsWith("${OUTPOST_BIND:-127.0.0.1}:")),
  "sets a variable that nobody reads": ({ environment = {} }) => !Object.keys(environment).every(known),
  "has a secret in its variables": ({ environment = {} }) => secretVariables.some((secret) => secret in environment),
  "has no time to drain": (service) => isLasting(service) && service.stop_grace_period !== graceOf(service),
  "is not asked for its health": (service) =>
    isLasting(service) && !/^CMD outpost healthcheck( --ready)?$/.test(service.healthcheck?.test?.join(" ") ?? ""),
};

function weaknesses(text: string): string[] {
  return services(text).flatMap(([name, service]) =>
    Object.entries(weaknessesOf).flatMap(([weakness, has]) => (has(service) ? [`${name} ${weakness}`] : [])),
  );
}

function services(text: string): [string, Service][] {
  return Object.entries((parse(text, { merge: true }) as Compose).services);
}

/** SHUTDOWN_GRACE_SECONDS and 5 more. */
function graceOf({ environment = {} }: Service): string {
  return `${Number(environment["SHUTDOWN_GRACE_SECONDS"] ?? 25) + 5}s`;
}

function isLasting({ restart }: Service): boolean {
  return restart === "unless-stopped";
}

function known(variable: string): boolean {
  return variable in AgentEnv.shape || variable in ControlPlaneEnv.shape;
}

describe("the compose files", () => {
  it.each([
    ["compose.yaml", whole],
    ["compose/agent.yaml", agentAlone],
  ])("%s gives no service more than it needs, and looks after each", (_file, text) => {
    expect(weaknesses(text)).toEqual([]);
  });

  it.each([
    ["a writable root", "read_only: true", "read_only: false", "writable root"],
    ["a capability", "cap_drop: [ALL]", "cap_drop: [ALL]\n  cap_add: [NET_RAW]", "has capabilities"],
    ["root", '"65532:65532"', '"0:0"', "runs as another user"],
    ["a port for everybody", "${OUTPOST_BIND:-127.0.0.1}:", "", "is published for everybody"],
    ["a variable that nobody reads", "HOST: 0.0.0.0", "LISTEN: 0.0.0.0", "sets a variable that nobody reads"],
    ["a key for everybody who may inspect", "API_KEY_FILE: /run/secrets/outpost/api-key", "API_KEY: pl_x", "has a secret in its variables"],
    ["a short grace period", "stop_grace_period: 30s", "stop_grace_period: 10s", "has no time to drain"],
  ])("would be refused with %s", (_what, from, to, problem) => {
    expect(whole).toContain(from);
    expect(weaknesses(whole.replaceAll(from, to)).join("\n")).toContain(problem);
  });

  it("start one after the other: the control plane, the location's key, the agent that reads it", () => {
    const { "control-plane": controlPlane, "location-key": key, agent } = Object.fromEntries(services(whole));
    expect(controlPlane?.depends_on).toBeUndefined();
    expect(key?.depends_on).toEqual({ "control-plane": { condition: "service_healthy" } });
    expect(agent?.depends_on).toEqual({ "location-key": { condition: "service_completed_successfully" } });
    expect(key?.image).toBe(controlPlane?.image);
    expect(key?.volumes).toEqual(["control-plane-data:/control-plane", "location-key:/data"]);
    expect(key?.command).toEqual(["location-key", "--create", "local", "--output", "/data/api-key"]);
    expect(agent?.volumes).toContain("location-key:/run/secrets/outpost:ro");
    expect(agent?.environment).toMatchObject({ API_KEY_FILE: "/run/secrets/outpost/api-key", API_URL: "http://control-plane:3000" });
    expect(agent?.sysctls).toEqual({ "net.ipv4.ping_group_range": "65532 65532" });
  });

  it.each([
    ["compose.yaml", ".", whole],
    ["compose/agent.yaml", join(folder, "compose"), agentAlone],
  ])(
    "%s takes images of this version, never by a bare name that another owner may have, and builds them from targets that exist",
    (_file, from, text) => {
      for (const [, { image = "", build }] of services(text)) {
        expect(image).toMatch(new RegExp(`^\\$\\{OUTPOST_REGISTRY:-localhost\\}/outpost/[a-z-]+:${version.replaceAll(".", "\\.")}$`));
        if (build === undefined) continue;
        expect(existsSync(join(from, build.context, "Dockerfile"))).toBe(true);
        expect(targets).toContain(build.target);
      }
    },
  );

  it.each(["postgres.yaml", "mail.yaml"])(
    "%s changes only services that are there, by variables that are read, with secrets as files",
    (file) => {
      const over = services(readFileSync(join(folder, "compose", file), "utf8"));
      expect(services(whole).map(([name]) => name)).toEqual(expect.arrayContaining(over.map(([name]) => name)));
      const variables = over.flatMap(([, { environment = {} }]) => Object.keys(environment));
      expect(variables.filter((name) => !known(name) || secretVariables.includes(name))).toEqual([]);
    },
  );
});

const noAnalyze = spawnSync("systemd-analyze", ["--version"]).error === undefined ? null : "systemd-analyze is not installed";
if (noAnalyze !== null) process.stdout.write(`the check of the systemd units is skipped: ${noAnalyze}\n`);

describe("the systemd units", () => {
  const units = readdirSync(join(folder, "systemd")).filter((name) => name.endsWith(".service"));
  const text = (unit: string): string => readFileSync(join(folder, "systemd", unit), "utf8");

  /** In a folder of its own, with a program where the unit has one; `also` is appended like a drop-in. */
  function analyzed(
    unit: string,
    content: string,
    ...words: readonly string[]
  ): { readonly status: number | null; readonly output: string } {
    const place = mkdtempSync(join(tmpdir(), "outpost-unit-"));
    try {
      const program = join(place, "node");
      writeFileSync(program, "", { mode: 0o755 });
      writeFileSync(join(place, unit), content.replace("/opt/outpost/bin/node", program));
      const { status, stdout, stderr } = spawnSync("systemd-analyze", [...words, join(place, unit)], {
        encoding: "utf8",
        env: { ...process.env, SYSTEMD_LOG_LEVEL: "warning" },
      });
      return { status, output: stdout + stderr };
    } finally {
      rmSync(place, { recursive: true });
    }
  }

  it.skipIf(noAnalyze !== null).each(units)("%s is one that systemd reads without a word", (unit) => {
    expect(analyzed(unit, text(unit), "verify", "--recursive-errors=no")).toEqual({ status: 0, output: "" });
    expect(
      analyzed(unit, text(unit).replace("Restart=on-failure", "Restart=sometimes"), "verify", "--recursive-errors=no").output,
    ).toContain("sometimes");
  });

  it
    .skipIf(noAnalyze !== null)
    .each([...units.map((unit) => [unit, ""] as const), ["outpost-agent.service", text("outpost-agent-captures.conf")] as const])(
    "%s leaves little exposed",
    (unit, dropIn) => {
      const threshold = ["security", "--offline=true", "--threshold=20"];
      expect(analyzed(unit, `${text(unit)}\n${dropIn}`, ...threshold)).toMatchObject({ status: 0 });
      expect(
        analyzed(
          unit,
          text(unit)
            .replace("DynamicUser=yes", "")
            .replaceAll(/^SystemCallFilter=.*$/gm, ""),
          ...threshold,
        ).status,
      ).not.toBe(0);
    },
  );

  it.skipIf(noAnalyze !== null)("leave the agent the system calls that its sandbox for scripts makes", () => {
    const needed = ["execve", "prctl", "prlimit64", "capset", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"];
    const missing = (content: string): string[] => {
      const allowed = allowedCalls(content);
      return needed.filter((call) => !allowed.has(call));
    };
    expect(missing(text("outpost-agent.service"))).toEqual([]);
    expect(missing(text("outpost-agent.service").replace(/^SystemCallFilter=capset.*$/m, ""))).toContain("capset");
  });

  it.each(units)("%s gives the drain its time, and does not try again what cannot start", (unit) => {
    expect(text(unit)).toContain("\nTimeoutStopSec=30\n");
    expect(text(unit)).toMatch(/\nRestart=on-failure\n[^]*\nRestartPreventExitStatus=2( 3)?\n/);
  });

  it("start the program with the flags of the images: those that all share, and an agent's own", () => {
    const entries = [...readFileSync("Dockerfile", "utf8").matchAll(/^ENTRYPOINT (\[.*\])$/gm)].map(([, words = "[]"]) => {
      const flags = (JSON.parse(words) as string[]).filter((word) => word.startsWith("--") && word !== "--");
      return flags.join(" ");
    });
    const [shared = "", agents = ""] = entries;
    expect([entries.length, shared.includes("semi-space")]).toEqual([2, true]);
    for (const unit of units) {
      const flags = unit.includes("agent") ? agents : shared;
      expect(text(unit)).toContain(`ExecStart=/opt/outpost/bin/node ${flags} /opt/outpost/`);
    }
  });
});

/** What a unit's lines of `SystemCallFilter` leave, one after the other, by the groups of this systemd. */
function allowedCalls(unit: string): Set<string> {
  const { stdout } = spawnSync("systemd-analyze", ["syscall-filter", "--no-pager"], { encoding: "utf8" });
  const groups = new Map(stdout.split(/\n(?=@)/).map((group) => [group.split("\n", 1)[0] ?? "", group.match(/^ {4}[@a-z_0-9]+$/gm) ?? []]));
  const expanded = (name: string): string[] =>
    name.startsWith("@") ? (groups.get(name) ?? []).flatMap((member) => expanded(member.trim())) : [name];
  const allowed = new Set<string>();
  for (const [, isDenied, names = ""] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)) {
    for (const call of names.split(" ").flatMap(expanded)) {
      if (isDenied === "") allowed.add(call);
      else allowed.delete(call);
    }
  }
  return allowed;
}

describe("the pages for operators", () => {
  const pages = readdirSync(folder).filter((name) => name.endsWith(".md"));

  /** Links of a page to files that are not there. */
  function broken(page: string, content: string): string[] {
    const links = [...content.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^https?:/.test(link));
    return links.filter((link) => !existsSync(join(dirname(page), link)));
  }

  it.each(pages)("%s links to what is there, and names this version", (name) => {
    const page = join(folder, name);
    const content = readFileSync(page, "utf8");
    expect(broken(page, content)).toEqual([]);
    expect(broken(page, `${content}\n[gone](gone.md)`)).toEqual(["gone.md"]);
    const named = [...content.matchAll(/(?:outpost\/[a-z-]+:|outpost-[a-z-]+-)(\d+\.\d+\.\d+)/g)].map(([, found]) => found);
    expect(named.filter((found) => found !== version)).toEqual([]);
  });

  it("name settings that exist", () => {
    const text = pages.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
    const others = [
      "OUTPOST_REGISTRY",
      "SERVICE_SECRET_DB_PASSWORD",
      "NET_RAW",
      "DAC_OVERRIDE",
      "SHA256SUMS",
      "MISSED",
      "DATA_DIR",
      "ETIMEDOUT",
      "KEY",
      "PWD",
      ...["EVENT", "AGENT", "LOCATION", "SINCE", "TEXT"].map((name) => `OUTPOST_${name}`), // what CONTACT_ALARM_COMMAND gets
    ];
    const named = new Set([...text.matchAll(/`([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)(?:[=` ])/g)].map(([, name = ""]) => name));
    expect([...named].filter((name) => !known(name) && !others.includes(name))).toEqual([]);
    expect(named.size).toBeGreaterThan(5);
  });
});
