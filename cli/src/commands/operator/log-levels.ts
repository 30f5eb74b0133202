import type { LogLevel } from "@kedge/runtime";

/** The runtime's own list, named here so that `kedge --help` need not load the runtime. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const satisfies readonly LogLevel[];
