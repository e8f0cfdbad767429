import { defineConfig } from "checkly";

export default defineConfig({
  projectName: "Book shop",
  logicalId: "book-shop",
  repoUrl: "https://git.example.com/book-shop",
  checks: {
    locations: ["eu-central-1"],
    tags: ["shop"],
    checkMatch: "**/__checks__/**/*.check.js",
    runtimeId: "2026.04",
  },
  cli: { runLocation: "eu-central-1" },
});
