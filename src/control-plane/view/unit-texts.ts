/** What stands in dates and times. */
export const unitTexts = {
  utc: "UTC",
  /** As browsers write them in British English, which is what they show where scripts run. */
  months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"],
} as const;
