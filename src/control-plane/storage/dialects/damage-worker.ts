import { constants, setPriority } from "node:os";
import { DatabaseSync } from "node:sqlite";
import type { DamageLook } from "./sqlite-damage.ts";

/** A process of its own, for `sqliteDamage`: looks through the file of its first argument, and prints a `DamageLook`. */
beIdle();
process.stdout.write(JSON.stringify(look(process.argv[2] ?? "")));

/** Where that is allowed: the unit of systemd refuses it (`~@resources`), and the look matters more. */
function beIdle(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch (error) {
    process.emitWarning(error as Error);
  }
}

function look(path: string): DamageLook {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    db.exec("pragma busy_timeout = 5000");
    return { found: String(db.prepare("pragma quick_check(1)").get()?.["quick_check"] ?? "ok") };
  } catch (error) {
    return { message: (error as Error).message, errcode: (error as { errcode?: number }).errcode };
  }
}
