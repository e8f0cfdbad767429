import type { Role } from "#domain/key.ts";

/** What people call the roles; the API and its documents have their names. */
export const roleTexts: Readonly<Record<Role, string>> = {
  OWNER: "Owner",
  ADMIN: "Admin",
  READ_WRITE: "Read and write",
  READ_RUN: "Read and run",
  READ_ONLY: "Read only",
};
