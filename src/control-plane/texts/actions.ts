/** What buttons and links of all areas say, where one word is enough. */
export const actionTexts = {
  add: "Add",
  cancel: "Cancel",
  change: "Edit",
  changedMeanwhile:
    "Someone changed this while you edited it. Nothing is saved yet. To replace their changes with yours, save once more; to see them, open this page in a new tab.",
  delete: "Delete",
  edit: "Edit",
  filter: "Filter",
  next: "Next",
  /** Of a field. */
  optional: (label: string) => `${label} (optional)`,
  previous: "Previous",
  remove: "Remove",
  revoke: "Revoke",
  save: "Save",
  show: "Show",
} as const;
