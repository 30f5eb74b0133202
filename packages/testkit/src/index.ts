export { startTestEnv } from "./start-test-env.ts";
export type { ClusterState } from "./cluster-state.ts";
export type { CrashMoment } from "./faulty-transport.ts";
export type { CrashPoint, TestProcess } from "./test-process.ts";
export type { WriteRecord } from "./trace.ts";
export type { OperatorLife, Snapshot, TestEnv, TestEnvOptions, TestOperator, WaitOptions } from "./types.ts";
export { crashEverywhere, type CrashReport, type CrashScenario } from "./crash-everywhere.ts";
export { differences } from "./differences.ts";
