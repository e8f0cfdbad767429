import { expect, it } from "vitest";
import { changedLines } from "./changed-lines.ts";

it("names the lines that a diff leaves, file by file", () => {
  const diff = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -3 +3,2 @@ function one() {
-old
+new
+newer
@@ -9,2 +10,0 @@
-gone
-gone
@@ -20,0 +20 @@
+added
diff --git a/src/b.ts b/src/b.ts
new file mode 100644
--- /dev/null
+++ b/src/b.ts
@@ -0,0 +1,5 @@
+++ x;
`;
  expect(changedLines(diff)).toEqual([
    { file: "src/a.ts", from: 3, to: 4 },
    { file: "src/a.ts", from: 20, to: 20 },
    { file: "src/b.ts", from: 1, to: 5 },
  ]);
});
