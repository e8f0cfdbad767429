/** The sentence with which an agent's traceroute ends; empty for what is not written as agents write it. */
export function traceConclusion(text: string): string {
  const blocks = text.trim().split(/\n{2,}/);
  return blocks.findLast((block) => !/^(?:traceroute to |packet capture)/.test(block))?.split("\n")[0] ?? "";
}
