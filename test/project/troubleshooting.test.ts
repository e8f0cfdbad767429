import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exitCodes } from "#daemon/exit-code.ts";
import { subjects } from "../../src/agent/doctor/finding.ts";
import { subjects as subjectsOfControlPlane } from "../../src/control-plane/doctor/finding.ts";

const page = readFileSync("docs/troubleshooting.md", "utf8");

/** What is written of the doctor, of exit codes, of states and of metrics. */
function told(text: string): { findings: string[]; ofControlPlane: string[]; codes: string[]; states: string[]; metrics: string[] } {
  const section = (title: string): string => text.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? "";
  const firstCells = (title: string): string[] => [...section(title).matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell]) => cell ?? "");
  const headings = (title: string): string[] => [...section(title).matchAll(/^### (.+)$/gm)].map(([, name]) => name ?? "");
  const words = (cells: string[]): string[] => cells.flatMap((cell) => [...cell.matchAll(/`([^`]*)`/g)].map(([, word]) => word ?? ""));
  return {
    findings: headings("What the doctor finds"),
    ofControlPlane: headings("What the doctor of the control plane finds"),
    codes: words(firstCells("Exit codes")),
    states: words(firstCells("An agent that is not ready")),
    metrics: words(firstCells("Metrics to look at")),
  };
}

describe("docs/troubleshooting.md", () => {
  it("has a section for each finding of the doctor, in its order, and for nothing else", () => {
    expect(told(page).findings).toEqual([...subjects]);
    expect(told(page).ofControlPlane).toEqual([...subjectsOfControlPlane]);
  });

  it("says for each finding what to do with Docker, in Kubernetes and with systemd, where that differs", () => {
    const differs = page.split(/^### /m).filter((part) => part.includes("| Docker | Kubernetes | systemd |"));
    expect(differs.length).toBeGreaterThan(8);
    const anywhere = ["TLS", "session"]; // the same wherever the agent runs
    const missing = subjects.filter((name) => !anywhere.includes(name) && !differs.some((part) => part.startsWith(`${name}\n`)));
    expect(missing).toEqual([]);
  });

  it("has every exit code, and no other", () => {
    expect(told(page).codes).toEqual(Object.keys(exitCodes));
  });

  it("has every state of an agent", () => {
    const union = /type ContactState = ([^;]+);/.exec(readFileSync("src/agent/contact/contact.ts", "utf8"))?.[1] ?? "";
    expect(told(page).states.toSorted()).toEqual([...union.matchAll(/"(\w+)"/g)].map(([, name]) => name ?? "").toSorted());
  });

  it("names metrics that there are", () => {
    const sources = [
      "src/agent/health/metrics.ts",
      "src/control-plane/metrics/metrics.ts",
      "src/control-plane/metrics/live-metrics.ts",
      "src/control-plane/alerting/alert-metrics.ts",
      "src/control-plane/audit/audit-metrics.ts",
    ]
      .map((path) => readFileSync(path, "utf8"))
      .join("");
    expect(told(page).metrics.length).toBeGreaterThan(10);
    expect(told(page).metrics.filter((name) => !sources.includes(`"${name}"`))).toEqual([]);
  });

  it.each([
    ["a finding without a section", page.replace("### CA bundle", "### bundle"), "findings"],
    ["a finding of the control plane without a section", page.replace("### OpenID", "### sign-in"), "ofControlPlane"],
    ["an exit code too many", page.replace("| `4` |", "| `5` |"), "codes"],
    ["a state that is gone", page.replace("| `refused` |", "| `rejected` |"), "states"],
  ] as const)("would notice %s", (_title, changed, what) => {
    expect(told(changed)[what]).not.toEqual(told(page)[what]);
  });
});
