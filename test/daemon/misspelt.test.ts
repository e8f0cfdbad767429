import { describe, expect, it } from "vitest";
import { AgentEnv } from "../../src/agent/config.ts";
import { ControlPlaneEnv } from "../../src/control-plane/config.ts";
import { misspelt } from "../../src/daemon/misspelt.ts";

const ofAgent = Object.keys(AgentEnv.shape);
const ofControlPlane = Object.keys(ControlPlaneEnv.shape);

describe("a variable that is nearly one of ours", () => {
  it.each([
    ["JOB_CONCURENCY", "JOB_CONCURRENCY", ofAgent],
    ["LOGLEVEL", "LOG_LEVEL", ofAgent],
    ["EXTERNAL_OBSERVABILTY", "EXTERNAL_OBSERVABILITY", ofAgent],
    ["http_Proxi", "HTTP_PROXY", ofAgent],
    ["DATABASE_URI", "DATABASE_URL", ofControlPlane],
    ["RESULT_KEEP_DAYS", "RESULTS_KEEP_DAYS", ofControlPlane],
  ])("%s is taken for %s", (given, meant, known) => {
    expect(misspelt({ [given]: "secret" }, known)).toEqual([{ given, meant }]);
  });

  it("is not told where the right one is there too, or the wrong one is empty", () => {
    expect(misspelt({ JOB_CONCURENCY: "7", JOB_CONCURRENCY: "7" }, ofAgent)).toEqual([]);
    expect(misspelt({ JOB_CONCURENCY: "" }, ofAgent)).toEqual([]);
  });

  it("is none of those that other programs use", () => {
    const others = [
      "HOME",
      "HOSTNAME",
      "LOGNAME",
      "PATH",
      "NODE_ENV",
      "NODE_OPTIONS",
      "TZ",
      "LANG",
      "KUBERNETES_PORT",
      "KUBERNETES_SERVICE_HOST",
    ];
    const env = Object.fromEntries(
      [...others, "PROXY_URL", "ALL_PROXY", "FTP_PROXY", "SMTP_PROXY", "SSL_CERT_FILE"].map((name) => [name, "x"]),
    );
    expect([misspelt(env, ofAgent), misspelt(env, ofControlPlane)]).toEqual([[], []]);
  });
});
