// What crosses the border between a client and an API server.
export type {
  ApiHandler,
  ApiHeaders,
  ApiRequest,
  ApiResponse,
  MessageStream,
  UpgradeHandler,
  UpgradeRequest,
} from "./exchange.ts";

// Objects and their kinds.
export {
  apiVersionOf,
  gvkOf,
  parseApiVersion,
  type GroupVersionKind,
  type KeyIn,
  type Kind,
  type ObjectOf,
  type Scope,
} from "./kind.ts";
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
} from "./metadata.ts";
export { keyOf, keyToString, parseKey, type ObjectKey } from "./object-key.ts";
export {
  controllerOf,
  controllerReference,
  isControlledBy,
  isOwnedBy,
  OwnershipError,
  withController,
  type OwnershipFailure,
} from "./owner-reference.ts";
export { compareResourceVersions, resourceVersion, uid } from "./resource-version.ts";
export { generateName } from "./generate-name.ts";
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
} from "./names.ts";

// Status of objects.
export {
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
  type Condition,
  type ConditionStatus,
  type ConditionUpdate,
} from "./conditions.ts";
export { kstatusOf } from "./kstatus.ts";
export type { Kstatus, KstatusName } from "./kstatus-result.ts";

// Values.
export { durationFromMs, durationToString, parseDuration, parseDurationMs } from "./duration.ts";
export {
  parseIntOrString,
  resolveIntOrPercent,
  validatePercent,
  type IntOrString,
  type Rounding,
} from "./int-or-string.ts";
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
} from "./quantity.ts";
export { parseQuantity, quantityToString } from "./quantity-text.ts";

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
} from "./field-selector.ts";
export {
  selectorFromLabels,
  selectorFromLabelSelector,
  validateLabelSelector,
  type LabelSelector,
  type LabelSelectorRequirement,
} from "./label-selector.ts";
export {
  everything,
  exactLabelOf,
  newRequirement,
  nothing,
  selectorMatches,
  selectorOf,
  selectorToString,
  type Labels,
  type Requirement,
  type Selector,
  type SelectorOperator,
} from "./selector.ts";
export { parseSelector } from "./selector-parse.ts";

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
} from "./field-error.ts";
export { FieldPath, fieldPath } from "./field-path.ts";
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
} from "./status-errors.ts";
export type { GroupResource } from "./status-failure.ts";
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
} from "./status-is.ts";
export { statusFromResponse, type ResponseContext } from "./status-response.ts";
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
} from "./status.ts";

// JSON: comparing, copying, patching.
export { clone, type DeepMutable } from "./clone.ts";
export { deepEqual } from "./deep-equal.ts";
export { deepFreeze, type DeepReadonly } from "./deep-freeze.ts";
export { applyMergePatch, createMergePatch } from "./json-merge-patch.ts";
export { diffJsonPatch } from "./json-patch-diff.ts";
export { JsonPatchError, type JsonPatchFailure } from "./json-patch-error.ts";
export {
  applyJsonPatch,
  readJsonPatch,
  type JsonPatchOperation,
  type JsonPatchOptions,
  type JsonPatchStep,
} from "./json-patch.ts";

// Time, chance and logs, all injected.
export { macrotask, realClock, realRandom } from "./ambient.ts";
export type { Clock, Deadline, Timer } from "./clock.ts";
export { DeadlineError } from "./deadline-error.ts";
export { silentLogger, type LogFields, type Logger } from "./logger.ts";
export { forkRandom, randomFrom, seededRandom, type Random } from "./random.ts";
export { VirtualClock, type RunOptions, type VirtualClockOptions } from "./virtual-clock.ts";
