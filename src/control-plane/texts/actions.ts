/** Words of buttons and links that many pages have. */
export const actionTexts = {
  save: "Save",
  cancel: "Cancel",
  add: "Add",
  edit: "Edit",
  change: "Change",
  remove: "Remove",
  delete: "Delete",
  /** Of a field. */
  optional: (label: string) => `${label} (optional)`,
} as const;
