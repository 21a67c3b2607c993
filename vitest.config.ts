import { defineConfig } from "vitest/config";

// core: what runs with Node, git and a C compiler alone. programs: what needs other programs
// (scripts/programs.mjs names and checks them). Ptys and signals want processes, not threads.
export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A shared machine may starve real processes of their time for once; what fails twice is broken.
    retry: process.env.CI === undefined ? 0 : 1,
    projects: [
      {
        extends: true,
        test: {
          name: "core",
          include: ["test/**/*.test.ts"],
          exclude: ["test/agents/**", "test/web/**", "test/programs/**"],
        },
      },
      {
        extends: true,
        test: {
          name: "programs",
          include: ["test/agents/**/*.test.ts", "test/web/**/*.test.ts", "test/programs/**/*.test.ts"],
          exclude: ["**/node_modules/**"],
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
    ],
  },
});
