import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { attacked } from "./attacked-fences.ts";

/* Attacks the fences of whoever starts it; its argument is a folder that it may write. */
const folder = join(process.argv[2] ?? "", "of-child");
mkdirSync(folder);
process.stdout.write(JSON.stringify(await attacked(folder)));
