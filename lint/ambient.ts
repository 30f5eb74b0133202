/**
 * Lint rules that keep time and chance injected: they come from a Clock and a Random that are handed in, and only
 * packages/machinery/src/ambient.ts may touch the machine's own. What these rules cannot see, ambient-object.ts does.
 */
const message =
  "Time and chance are injected (docs/architecture.md): take a Clock or a Random from the constructor.";

const timerGlobals = ["setTimeout", "setInterval", "setImmediate", "performance", "global"];

const ambientProperties: Readonly<Record<string, readonly string[]>> = {
  Date: ["now"],
  performance: ["now", "timeOrigin"],
  AbortSignal: ["timeout"],
  Math: ["random"],
  crypto: ["randomUUID", "getRandomValues"],
  process: ["hrtime", "uptime", "getBuiltinModule"],
  globalThis: [...timerGlobals, "crypto", "Date", "Math", "AbortSignal", "process"],
};

const ambientModules = [
  "timers",
  "timers/promises",
  "perf_hooks",
  // The global `process` does, and the rules above know it by that name.
  "process",
];

const ambientNames: Readonly<Record<string, readonly string[]>> = {
  crypto: [
    "randomUUID",
    "randomBytes",
    "randomInt",
    "randomFill",
    "randomFillSync",
    "getRandomValues",
    "webcrypto",
    "default",
  ],
  // A module that is required at run time is one that no rule sees.
  module: ["createRequire", "default"],
};

/** For `no-restricted-globals`. */
export const ambientGlobals = timerGlobals.map((name) => ({ name, message }));

/** For `no-restricted-properties`. */
export const ambientMembers = Object.entries(ambientProperties).flatMap(([object, properties]) =>
  properties.map((property) => ({ object, property, message })),
);

/** For `no-restricted-imports`. */
export const ambientImports = [
  ...ambientModules.flatMap((module) => [`node:${module}`, module]).map((name) => ({ name, message })),
  ...Object.entries(ambientNames).flatMap(([module, importNames]) =>
    [`node:${module}`, module].map((name) => ({ name, importNames, message })),
  ),
];
