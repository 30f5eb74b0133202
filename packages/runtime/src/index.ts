export { createLogger, logLevels, type LoggerOptions, type LogLevel } from "./logging/create-logger.ts";
export { createQueue, type QueueOptions } from "./queue/create-queue.ts";
export {
  silentQueueMetrics,
  type QueueMetrics,
  type QueueMetricsProvider,
  type RunningWork,
} from "./queue/queue-metrics.ts";
export type { BackoffOptions } from "./queue/rate-limiting-queue.ts";
export {
  priorities,
  type Cause,
  type DelayingQueue,
  type Priority,
  type Queue,
  type RateLimitingQueue,
  type Trigger,
  type WorkItem,
} from "./queue/types.ts";
export { defineIndex } from "./informer/define-index.ts";
export { metadataOf } from "./informer/only-metadata.ts";
export { createInformers, type InformersOptions } from "./informer/create-informers.ts";
export {
  byController,
  type AnyIndex,
  type AppliedFields,
  type Cached,
  type CacheSelection,
  type Index,
  type Informer,
  type InformerEvent,
  type InformerOptions,
  type Informers,
  type Reader,
} from "./informer/types.ts";
export { disownChild } from "./controller/disown-child.ts";
export type { ChildToDelete } from "./controller/delete-child.ts";
export { defineController } from "./controller/define-controller.ts";
export { adoptByAnnotation, isConsented } from "./controller/ownership.ts";
export { ensureFinalizer, removeFinalizer } from "./controller/finalizers.ts";
export { UnmetWishError } from "./controller/expectation.ts";
export { TerminalError } from "./controller/terminal-error.ts";
export type {
  ApplyChildOptions,
  Controller,
  ControllerHost,
  ControllerMetrics,
  ControllerOptions,
  Owns,
  ReconcileContext,
  ReconcileResult,
  Watches,
  WritingContext,
} from "./controller/types.ts";
export { optional } from "./controller/optional.ts";
export type { Enqueue, Source } from "./controller/run-source.ts";
export { managedByLabel, owns } from "./controller/owns.ts";
export { byLabel, watches, type WatchMap } from "./controller/watches.ts";
export { may, type Right, type Verb } from "./controller/rights.ts";
export { writeStatus, type StatusOf } from "./controller/write-status.ts";
export { createEventRecorder, type EventRecorderOptions } from "./events/create-event-recorder.ts";
export type { EventNote, EventRecorder, EventSubject } from "./events/types.ts";
export { LeadershipError } from "./leadership/leadership-error.ts";
export type { LeaderElection } from "./leadership/types.ts";
export { createManager } from "./manager/create-manager.ts";
export { defineOperator, type Operator } from "./manager/define-operator.ts";
export { rbacObjects, type RbacNames, type RbacObjects } from "./manager/rbac-objects.ts";
export { rulesOf } from "./manager/rules-of.ts";
export type { GaugeValue, ManagerGauge } from "./manager/gauge-metrics.ts";
export { stopSignal } from "./manager/stop-signal.ts";
export type { Listen, Manager, ManagerOptions } from "./manager/types.ts";
export { explainPods, type ExplainOptions, type PodTrouble } from "./report/explain-pods.ts";
export { lastWords } from "./report/last-words.ts";
export {
  actionText,
  appliedIn,
  applyChild,
  deleteChild,
  type ApplyChild,
  type ChildAction,
  type DeleteChild,
} from "./report/child-actions.ts";
export { failureOf, type Failure } from "./report/failure.ts";
export { headline, phaseEvents, type PhaseReport } from "./report/phase-report.ts";
export {
  reconcileByPlan,
  type Plan,
  type PlannedReconcile,
  type Report,
  type ReportFacts,
} from "./report/reconcile-by-plan.ts";
export { refusalText, type Refusal } from "./report/refusal.ts";
export {
  reportConditions,
  type ConditionFacts,
  type ConditionStatement,
} from "./report/report-conditions.ts";
