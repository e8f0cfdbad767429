/** What open pages say of themselves. */
export const liveTexts = {
  live: "Live",
  waiting: "Reconnecting…",
  off: "Not live: reload the page for the latest data",
  counts: (failing: number, degraded: number) => `${failing} failing, ${degraded} degraded`,
  justNow: "just now",
  ago: (length: string) => `${length} ago`,
} as const;
