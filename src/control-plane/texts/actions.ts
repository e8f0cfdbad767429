/** What buttons and links of all areas say, where one word is enough. */
export const actionTexts = {
  add: "Add",
  cancel: "Cancel",
  change: "Edit",
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
