/* Preloaded into an agent: a bug that strikes when the test says so, with everything in its message that must not get out. */

process.on("SIGUSR2", () => {
  const canaries = (process.env["TEST_CANARIES"] ?? "").split(" ");
  const forms = canaries.flatMap((canary) => [
    canary,
    Buffer.from(`..${canary}`).toString("base64"),
    encodeURIComponent(canary),
    JSON.stringify({ canary }),
    Buffer.from(canary).toString("hex"),
    `https://user:${canary}@shop.example/orders?key=${canary}`,
  ]);
  throw new Error(`nobody thought of this: ${forms.join(" ")}`);
});
