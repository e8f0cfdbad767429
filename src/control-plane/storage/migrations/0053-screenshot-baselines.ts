import type { Migration } from "./migration.ts";

/** Pictures that screenshots of browser checks are compared with, each of one version of the browser. They are small, and go with their check. */
export const screenshotBaselines: Migration = {
  version: 53,
  statements: (engine) => {
    const [number, bytes] = engine === "sqlite" ? ["integer", "blob"] : ["bigint", "bytea"];
    return [
      `create table screenshot_baselines (check_id ${number} not null references checks (id) on delete cascade, browser ${number} not null, name text not null,
         size ${number} not null, written_at ${number} not null, body ${bytes} not null, primary key (check_id, browser, name))`,
    ];
  },
};
