import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { roomProblems } from "./rooms.ts";

const processes = ["agent", "control-plane"];
const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []));
const rooms = [
  ...foldersIn("src").filter((name) => !processes.includes(name)),
  ...processes.flatMap((process) => foldersIn(`src/${process}`).map((room) => `${process}/${room}`)),
];

const folder = "docs/architecture/rooms";
const pages = Object.fromEntries(globSync("*.md", { cwd: folder }).map((page) => [page, readFileSync(`${folder}/${page}`, "utf8")]));

describe("docs/architecture/rooms", () => {
  it("tells of every room, and names files that are there", () => {
    expect(roomProblems(pages, rooms, existsSync)).toEqual([]);
  });

  it("is found from docs/architecture/README.md, page by page", () => {
    const overview = readFileSync("docs/architecture/README.md", "utf8");
    expect(Object.keys(pages).filter((page) => !overview.includes(`(rooms/${page})`))).toEqual([]);
  });

  it.each([
    ["a room without a section", { rooms: [...rooms, "agent/attic"] }, "src/agent/attic has no section"],
    ["a section without a room", { added: "## `agent/attic`\n" }, "agent/attic is no room"],
    ["a second section", { added: "## `contract`\n" }, "contract has two sections"],
    ["a page without a way", { page: "## `agent/attic`\nIt is quiet there.\n" }, "new.md has no way"],
    ["a file that is gone", { added: "## The way of one thing\n\n1. `attic.ts` takes it.\n" }, "shared.md names attic.ts"],
    ["a file of another room", { added: "## `agent/net`\n`run-job.ts`" }, "shared.md names run-job.ts"],
    ["a folder that is gone", { added: "`contract/attic/`" }, "shared.md names contract/attic/"],
  ])("would notice %s", (_what, planted: { readonly rooms?: string[]; readonly added?: string; readonly page?: string }, problem) => {
    const changed = {
      ...pages,
      "shared.md": `${pages["shared.md"]}\n${planted.added ?? ""}`,
      ...(planted.page && { "new.md": planted.page }),
    };
    expect(roomProblems(changed, planted.rooms ?? rooms, existsSync).join("\n")).toContain(problem);
  });
});
