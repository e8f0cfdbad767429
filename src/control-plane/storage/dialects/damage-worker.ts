import { setPriority } from "node:os";
import { DatabaseSync } from "node:sqlite";
import type { DamageLook } from "./sqlite-damage.ts";

/** A process of its own, for `sqliteDamage`: looks through the file of its first argument, and prints a `DamageLook`. */
const idle = 19;
setPriority(idle);
process.stdout.write(JSON.stringify(look(process.argv[2] ?? "")));

function look(path: string): DamageLook {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    db.exec("pragma busy_timeout = 5000");
    return { found: String(db.prepare("pragma quick_check(1)").get()?.["quick_check"] ?? "ok") };
  } catch (error) {
    return { message: (error as Error).message, errcode: (error as { errcode?: number }).errcode };
  }
}
