import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Field } from "../support/chart-tools.ts";
import { ClusterSite } from "../support/kubernetes-node/cluster-site.ts";
import { type KubernetesNode, missingNode, sharedNode, version, versionBefore } from "../support/kubernetes-node/kubernetes-node.ts";

const before = { image: { registry: "registry.example.com", tag: versionBefore } };

describe.skipIf((await missingNode()) !== null)("helm upgrade from the version before", { timeout: 600_000 }, () => {
  let node: KubernetesNode;
  let site: ClusterSite;
  const folder = mkdtempSync(join(tmpdir(), "outpost-charts-"));

  beforeAll(async () => {
    node = await sharedNode();
    const charts = chartsBefore(folder);
    site = await ClusterSite.install(node, "upgrade", { values: before, charts });
    await site.agents("east", { values: before, charts });
  }, 600_000);
  afterAll(async () => {
    await site?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it("replaces every pod and keeps checks, results, keys and locations", async () => {
    const check = await site.check("url", "east", { url: await site.target() });
    const { id: first } = await site.run(check);
    expect(await tags()).toEqual([versionBefore, versionBefore, versionBefore]);
    for (const [release, chart] of [
      ["outpost", "control-plane"],
      ["east", "agent"],
    ] as const) {
      const words = ["upgrade", release, `charts/${chart}`, "-n", "upgrade", "--reset-then-reuse-values", "--set", "image.tag=", "--wait"];
      await node.helm([...words, "--timeout=5m"]);
    }
    await site.ready("outpost", 1);
    await site.ready("east", 2);
    expect(await tags()).toEqual([version, version, version]);
    const { id, ...result } = await site.run(check);
    expect(result).toMatchObject({ resultType: "FINAL", hasErrors: false, hasFailures: false });
    expect((await site.results(check)).map((it) => it.id)).toEqual(expect.arrayContaining([id, first]));
  });

  async function tags(): Promise<string[]> {
    const pods = [...(await site.pods("outpost")), ...(await site.pods("east"))];
    return pods.map(({ spec }: Field) => spec.containers[0].image.split(":").at(-1));
  }
});

/** The charts of the last release; while there is none, those before their last change. Where git does not tell, those of this tree. */
function chartsBefore(folder: string): string {
  const git = (...words: string[]): string => spawnSync("git", words, { encoding: "utf8" }).stdout?.trim() ?? "";
  const commit =
    git("describe", "--tags", "--abbrev=0", "--match=v*", "HEAD^") || git("log", "--max-count=1", "--format=%H^", "--", "charts");
  const archive = join(folder, "charts.tar");
  mkdirSync(folder, { recursive: true });
  if (commit === "" || spawnSync("git", ["archive", `--output=${archive}`, commit, "charts"]).status !== 0) return "charts";
  spawnSync("tar", ["-C", folder, "-xf", archive]);
  return join(folder, "charts");
}
