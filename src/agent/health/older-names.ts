/**
 * Metrics of agents were called `agent_…` before 1.0, as other programs may call theirs. Dashboards and rules of users still ask for them: each is told
 * under both names until 1.1.
 */
export function withOlderNames(text: string): string {
  const older = text
    .split("\n")
    .filter((line) => /^(# (HELP|TYPE) )?outpost_agent_(?!build_info|telemetry_)/.test(line))
    .map((line) => line.replace("outpost_agent_", "agent_"));
  return older.length === 0 ? text : `${text.trimEnd()}\n${older.join("\n")}\n`;
}
