// What crosses the border between a client and an API server.
export type {
  ApiHandler,
  ApiHeaders,
  ApiRequest,
  ApiResponse,
  MessageStream,
  ServedStream,
  SwitchedStream,
  UpgradeHandler,
  UpgradeRequest,
} from "./exchange.ts";

// Objects and their kinds.
export {
  apiVersionOf,
  gvkOf,
  parseApiVersion,
  withTypeMeta,
  type GroupVersionKind,
  type KeyIn,
  type Kind,
  type ObjectOf,
  type Scope,
} from "./objects/kind.ts";
export type {
  Draft,
  KubeList,
  KubeObject,
  ListMeta,
  ManagedFieldsEntry,
  MicroTime,
  NamespacedMeta,
  ObjectMeta,
  OwnerReference,
  ResourceVersion,
  StoredMeta,
  StoredObject,
  Time,
  Uid,
} from "./objects/metadata.ts";
export { keyOf, keyToString, parseKey, type ObjectKey } from "./objects/object-key.ts";
export {
  controllerOf,
  controllerReference,
  isControlledBy,
  isOwnedBy,
  OwnershipError,
  withController,
  type Dependent,
  type Owner,
  type OwnershipFailure,
} from "./objects/owner-reference.ts";
export { compareResourceVersions, resourceVersion, uid } from "./objects/resource-version.ts";
export {
  bindCompletedAnnotation,
  boundByControllerAnnotation,
  provisionedByAnnotation,
  selectedNodeAnnotation,
  storageProvisionerAnnotation,
} from "./objects/volume-annotations.ts";
export { generateName } from "./objects/generate-name.ts";
export { tolerates } from "./objects/toleration.ts";
export {
  validateCIdentifier,
  validateConfigMapKey,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateEnvVarName,
  validateHttpHeaderName,
  validateLabelValue,
  validatePathSegmentName,
  validatePathSegmentPrefix,
  validatePortName,
  validatePortNumber,
  validateQualifiedName,
  validateRelaxedEnvVarName,
  validateWildcardDns1123Subdomain,
} from "./objects/names.ts";

// Status of objects.
export {
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
  type Condition,
  type ConditionStatus,
  type ConditionUpdate,
} from "./objects/conditions.ts";
export { kstatusOf } from "./kstatus/kstatus.ts";
export { conditionsOf, intAt, valueAt, type AnyCondition } from "./kstatus/kstatus-fields.ts";
export type { Kstatus, KstatusName } from "./kstatus/kstatus-result.ts";

// Values.
export { editDistance } from "./values/edit-distance.ts";
export { formatIpv4, parseIpv4 } from "./values/ipv4.ts";
export { formatMicroTime, formatTime, parseTime } from "./objects/time.ts";
export { durationFromMs, durationToString, parseDuration, parseDurationMs } from "./values/duration.ts";
export {
  parseIntOrString,
  resolveIntOrPercent,
  validatePercent,
  type IntOrString,
  type Rounding,
} from "./values/int-or-string.ts";
export {
  addQuantities,
  compareQuantities,
  negateQuantity,
  quantityIsZero,
  quantityMilliValue,
  quantityOf,
  quantitySign,
  quantityToNumber,
  quantityValue,
  subtractQuantities,
  type Quantity,
  type QuantityFormat,
  type QuantityOptions,
} from "./values/quantity.ts";
export { parseQuantity, quantityToString } from "./values/quantity-text.ts";
export { podTotal } from "./values/pod-total.ts";

// Schedules.
export { parseSchedule, type Schedule } from "./cron/schedule.ts";
export { ScheduleError } from "./cron/schedule-error.ts";
export { timeZone, utc, type TimeZone } from "./cron/time-zone.ts";

// Selectors.
export {
  exactFieldOf,
  fieldSelectorMatches,
  fieldSelectorOf,
  fieldSelectorToString,
  parseFieldSelector,
  type FieldLookup,
  type FieldRequirement,
  type FieldSelector,
} from "./selectors/field-selector.ts";
export {
  selectorFromLabels,
  selectorFromLabelSelector,
  validateLabelSelector,
  type LabelSelector,
  type LabelSelectorRequirement,
} from "./selectors/label-selector.ts";
export {
  everything,
  exactLabelOf,
  labelOf,
  newRequirement,
  nothing,
  selectorMatches,
  selectorOf,
  selectorToString,
  type Labels,
  type Requirement,
  type Selector,
  type SelectorOperator,
} from "./selectors/selector.ts";
export {
  matchesNodeTerm,
  matchesNodeTerms,
  selectsNode,
  type NodeTerm,
  type SelectableNode,
} from "./selectors/node-selector.ts";
export { parseSelector } from "./selectors/selector-parse.ts";

// Errors.
export {
  fieldDuplicate,
  fieldErrorBody,
  fieldErrorsText,
  fieldErrorText,
  fieldForbidden,
  fieldInternalError,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  fieldTooFew,
  fieldTooLong,
  fieldTooLongCharacters,
  fieldTooMany,
  fieldTooShort,
  fieldTypeInvalid,
  type FieldError,
  type FieldErrorType,
} from "./errors/field-error.ts";
export { FieldPath, fieldPath } from "./errors/field-path.ts";
export { goFormatV, goNumber, goType } from "./go/go-format.ts";
export { goJson } from "./go/go-json.ts";
export { goQuote } from "./go/go-quote.ts";
export { CodedError } from "./errors/coded-error.ts";
export { ifFound } from "./errors/if-found.ts";
export { messageOf } from "./errors/message-of.ts";
export {
  alreadyExists,
  applyConflict,
  badRequest,
  conflict,
  expired,
  forbidden,
  generateNameConflict,
  gone,
  internalError,
  invalid,
  methodNotSupported,
  notAcceptable,
  notFound,
  requestEntityTooLarge,
  serverTimeout,
  serviceUnavailable,
  timeout,
  tooManyRequests,
  unauthorized,
  unsupportedMediaType,
  type GroupKind,
} from "./errors/status-errors.ts";
export { statusFailure, type GroupResource } from "./errors/status-failure.ts";
export {
  findCause,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnexpectedServerError,
  isUnsupportedMediaType,
  suggestedDelaySeconds,
} from "./errors/status-is.ts";
export { statusFromResponse, type ResponseContext } from "./errors/status-response.ts";
export {
  findStatus,
  isStatus,
  statusOf,
  StatusError,
  statusReasons,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
} from "./errors/status.ts";
export { hasCode } from "./errors/system-error.ts";

// JSON: comparing, copying, patching.
export { clone, type DeepMutable } from "./json/clone.ts";
export { deepEqual } from "./json/deep-equal.ts";
export { exactInteger, isJsonInteger, parseJsonExactly } from "./json/large-integers.ts";
export type { NumberReader } from "./json/large-integers.ts";
export { getOwn, isJsonList, isJsonObject, setOwn, type JsonObject } from "./json-value.ts";
export { deepFreeze, type DeepReadonly } from "./json/deep-freeze.ts";
export { applyMergePatch, createMergePatch } from "./json/json-merge-patch.ts";
export { diffJsonPatch } from "./json/json-patch-diff.ts";
export { JsonPatchError, type JsonPatchFailure } from "./json/json-patch-error.ts";
export {
  applyJsonPatch,
  applyJsonPatchInSteps,
  readJsonPatch,
  type JsonPatchOperation,
  type JsonPatchOptions,
  type JsonPatchStep,
} from "./json/json-patch.ts";

// Large work that lets others in.
export { finish, type Steps } from "./steps.ts";

// Patching by schema; server-side apply is in @kedge/machinery/apply.
export { createStrategicPatch, createThreeWayPatch, type ThreeWay } from "./strategic-merge/create-patch.ts";
export { StrategicPatchError } from "./strategic-merge/patch-error.ts";
export { strategicMergePatch } from "./strategic-merge/strategic-merge-patch.ts";
export { deducedSchema } from "./type-schema/deduced-schema.ts";
export { structuralSchema, type StructuralSchemaOptions } from "./type-schema/structural-schema.ts";
export type { FieldSchema, ListSchema, MapSchema, TypeSchema } from "./type-schema/type-schema.ts";

// Time, chance and logs, all injected.
export { macrotask, realClock, realRandom } from "./ambient.ts";
export type { Clock, Deadline, Timer } from "./time/clock.ts";
export { DeadlineError } from "./time/deadline-error.ts";
export { inBackground } from "./in-background.ts";
export { silentLogger, type LogFields, type Logger } from "./logger.ts";
export { forkRandom, randomFrom, seededRandom, type Random } from "./random.ts";
export { Turns } from "./virtual-time/turns.ts";
export { VirtualClock, type RunOptions, type VirtualClockOptions } from "./virtual-time/virtual-clock.ts";
