import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const conditions = ["kedge-source"];

// Tests that ask a real control plane.
const real = ["e2e/real/**/*.test.ts", "e2e/**/*.real.test.ts"];

// Tests that look at what all clusters of the machine share: none other may come or go beside them.
const alone = [
  "e2e/network/**/*.test.ts",
  "e2e/nodes/killed-starts.test.ts",
  "e2e/cluster/lifecycle-races.test.ts",
];

// Tests that take as long as a break.
const long = ["e2e/**/*.long.test.ts"];

// In virtual time, within one process: no other processes, no ports.
const virtual = ["e2e/operators/**/*.test.ts"];

// Every crash of an operator, in virtual time, too.
const sim = ["e2e/**/*.sim.test.ts"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    restoreMocks: true,
    // Tests wait for conditions, on machines that may be busy: these only end what hangs.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    setupFiles: ["vitest.setup.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // Modules are loaded once for all files of a process: that is two thirds of the time.
          isolate: false,
          maxWorkers: "100%",
          include: [
            "packages/*/{src,tools}/**/*.test.ts",
            "cluster/*/src/**/*.test.ts",
            "operators/*/src/**/*.test.ts",
            "examples/*/src/**/*.test.ts",
            "cli/src/**/*.test.ts",
            "lint/**/*.test.ts",
          ],
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          exclude: [...real, ...long, ...sim, ...alone, ...virtual],
          // They wait for processes most of the time: one more than the machine has cores.
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "e2e-virtual",
          include: virtual,
          exclude: sim,
          // They take whole cores: as many as there are, before those that wait for processes.
          isolate: false,
          maxWorkers: "100%",
        },
      },
      {
        extends: true,
        test: {
          name: "e2e-alone",
          include: alone,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          env: { KEDGE_TEST_ALONE: "true" },
        },
      },
      {
        extends: true,
        test: {
          name: "real",
          include: real,
          exclude: long,
          // Each file starts control planes, and waits for them half of the time.
          maxWorkers: "100%",
        },
      },
      {
        extends: true,
        test: { name: "sim", include: sim },
      },
      {
        extends: true,
        // Some watch for ten minutes that nothing happens.
        test: { name: "long", include: long, fileParallelism: false, testTimeout: 1_800_000 },
      },
    ],
  },
});
