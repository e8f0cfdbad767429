/** Every English text of the search over everything. */
export const findTexts = {
  title: "Find",
  open: "Find",
  keys: "Ctrl K",
  label: "Find a check, group, location, channel or page",
  nothing: "Nothing found.",
  begin: "Type a part of a name, address or tag.",
  moreChecks: (count: number) => `Show all ${count.toLocaleString("en-US")} checks that match`,
  kinds: { page: "Page", check: "Check", group: "Group", location: "Location", channel: "Alert channel", act: "Action" },
  acts: {
    "/checks/new": "New check",
    "/groups/new": "New group",
    "/incidents/new": "New incident",
    "/maintenance/new": "New maintenance window",
  },
} as const;
