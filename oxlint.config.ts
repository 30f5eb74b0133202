import { defineConfig } from "oxlint";
import { ambientGlobals, ambientImports, ambientMembers } from "./lint/ambient.ts";

export default defineConfig({
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  jsPlugins: ["./lint/plugin.ts"],
  options: { typeAware: true },
  ignorePatterns: ["**/dist/**", "packages/machinery/src/kinds/**"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  rules: {
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    // `void` would only hide it: who does not wait says who hears of a failure (`inBackground`).
    "typescript/no-floating-promises": ["error", { ignoreVoid: false }],
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    // The compiler's noImplicitReturns says it better: it understands exhaustive switches.
    "typescript/consistent-return": "off",
    "typescript/no-unsafe-assignment": "error",
    "typescript/no-unsafe-call": "error",
    "typescript/no-unsafe-member-access": "error",
    "typescript/no-unsafe-return": "error",
    "typescript/no-unsafe-argument": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/only-throw-error": "error",
    "typescript/prefer-promise-reject-errors": "error",
    "import/no-cycle": "error",
    "unicorn/filename-case": "error",
    "unicorn/no-process-exit": "error",
    "node/no-process-env": "error",
    "eslint/max-params": ["error", { max: 4 }],
    "eslint/no-console": "error",
    "eslint/eqeqeq": "error",
    "eslint/no-var": "error",
    // One after the other is what most loops here mean.
    "eslint/no-await-in-loop": "off",
    // Names of what is not used begin with it.
    "eslint/no-underscore-dangle": "off",
    // fast-check is written with its default export everywhere.
    "import/no-named-as-default-member": "off",
    "oxc/no-map-spread": "off",
    // Node's own interfaces take callbacks.
    "promise/no-callback-in-promise": "off",
    "eslint/prefer-const": "error",
    "no-restricted-globals": ["error", ...ambientGlobals],
    "no-restricted-properties": ["error", ...ambientMembers],
    "no-restricted-imports": ["error", { paths: ambientImports }],
    "kedge/ambient-object": "error",
    "kedge/held-promise": "error",
    "kedge/import-direction": "error",
  },
  overrides: [
    {
      files: ["packages/machinery/src/ambient.ts"],
      rules: {
        "no-restricted-globals": "off",
        "no-restricted-properties": "off",
        "kedge/ambient-object": "off",
      },
    },
    {
      // Programs and tests do one thing after the other, and may look at their environment.
      files: ["cli/**", "examples/**", "e2e/**", "bench/**", "lint/**", "**/*.test.ts", "vitest.setup.ts"],
      rules: { "node/no-process-env": "off" },
    },
    {
      // Tests state what their own fixtures are.
      files: ["**/*.test.ts", "**/testing/**", "e2e/**", "bench/**"],
      rules: {
        "typescript/no-unsafe-type-assertion": "off",
        // A promise that fails while nobody waits for it fails the run.
        "typescript/no-floating-promises": "error",
        "kedge/held-promise": "off",
        "kedge/skip-reason": "error",
        "unicorn/consistent-function-scoping": "off",
        "eslint/max-params": "off",
      },
    },
    { files: ["bench/**"], rules: { "eslint/no-console": "off", "unicorn/no-process-exit": "off" } },
  ],
});
