export { cachesOf, type HeldObject } from "./caches-of.ts";
export { startTestEnv } from "./start-test-env.ts";
export type { ClusterState } from "./cluster-state.ts";
export type { CrashMoment } from "./faulty-transport.ts";
export type { CrashPoint, TestProcess } from "./test-process.ts";
export type { WriteRecord } from "./trace.ts";
export type {
  OperatorLife,
  Snapshot,
  TestEnv,
  TestEnvOptions,
  TestOperator,
  TestPrograms,
  TestWorld,
  WaitOptions,
} from "./types.ts";
export { crashEverywhere, type CrashReport, type CrashScenario } from "./crash-everywhere.ts";
export { compareSchedules, type Schedule } from "./compare-schedules.ts";
export type { Scenario } from "./run-scenario.ts";
export { differences } from "./differences.ts";
