import { forbidden, invalid, internalError, deepEqual } from "@kedge/machinery";
import { CronJob, Job } from "@kedge/machinery/kinds/batch/v1";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Namespace, Pod, PodTemplate, ReplicationController } from "@kedge/machinery/kinds/core/v1";
import type { Kind } from "@kedge/machinery";
import { decodedAs } from "../../registry/decoded.ts";
import { lookUp } from "../../registry/lookup.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import type { AdmissionContext, AdmissionPlugin, AdmissionRequest } from "../types.ts";
import { detailsText, evaluate } from "./evaluate.ts";
import { warnOfExistingPods } from "./existing-pods.ts";
import { isSignificantUpdate } from "./significant-update.ts";
import { compareLevels, isSameLevel, levelText, policyOf, type Policy } from "./policy.ts";

type Request = AdmissionRequest<StoredApiObject>;

/** Holds pods to the level that the labels of their namespace say, and warns of templates of others. */
export const podSecurity: AdmissionPlugin = {
  name: "PodSecurity",
  operations: ["CREATE", "UPDATE"],
  validate: (request, context) => {
    const { resource, object } = request;
    if (object === undefined) return;
    const validate = validators.get(`${resource.group}/${resource.plural}`);
    validate?.({ ...request, object }, context);
  },
};

interface Known extends Request {
  readonly object: StoredApiObject;
}

type Template = Parameters<typeof evaluate>[1];

/** A kind whose objects have a template of pods. */
function withTemplate<T>(
  kind: Kind<T>,
  templateOf: (object: ReturnType<typeof decodedAs<T>>) => Template | undefined,
): readonly [string, (request: Known, context: AdmissionContext) => void] {
  const validate = (request: Known, context: AdmissionContext): void => {
    const template = request.subresource === "" ? templateOf(decodedAs(kind, request.object)) : undefined;
    if (template !== undefined) validateTemplate(request, template, context);
  };
  return [`${kind.group}/${kind.plural}`, validate];
}

const validators: ReadonlyMap<string, (request: Known, context: AdmissionContext) => void> = new Map([
  ["/namespaces", validateNamespace],
  ["/pods", validatePod],
  withTemplate(PodTemplate, ({ template }) => template),
  withTemplate(ReplicationController, ({ spec }) => spec?.template),
  withTemplate(ReplicaSet, ({ spec }) => spec?.template),
  withTemplate(Deployment, ({ spec }) => spec?.template),
  withTemplate(StatefulSet, ({ spec }) => spec?.template),
  withTemplate(DaemonSet, ({ spec }) => spec?.template),
  withTemplate(Job, ({ spec }) => spec?.template),
  withTemplate(CronJob, ({ spec }) => spec?.jobTemplate?.spec?.template),
]);

function validateNamespace(request: Known, context: AdmissionContext): void {
  const { operation, subresource, object, oldObject, name } = request;
  if (subresource !== "") return;
  const { policy, errors } = policyOf(object.metadata.labels);
  const before = operation === "UPDATE" ? policyOf(oldObject?.metadata.labels) : undefined;
  // What was wrong before may stay so: else nobody could change anything else.
  if (errors.length > 0 && (before === undefined || !deepEqual(errors, before.errors)))
    throw invalid({ group: "", kind: Namespace.kind }, name, [...errors]);
  if (before === undefined) return;
  const [now, previous] = [policy.enforce, before.policy.enforce];
  if (isSameLevel(now, previous) || now.level === "privileged") return;
  if (now.version === previous.version && compareLevels(now.level, previous.level) <= 0) return;
  warnOfExistingPods(object.metadata.name ?? "", now, context);
}

/** Parts of pods that change nothing about what they may do. */
const harmless: ReadonlySet<string> = new Set([
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
]);

function validatePod(request: Known, context: AdmissionContext): void {
  const { operation, subresource, object, oldObject, resource, name } = request;
  if (harmless.has(subresource)) return;
  const policy = policyFor(request, context);
  if (policy === undefined)
    throw internalError(new Error(`failed to lookup namespace ${JSON.stringify(request.namespace)}`));
  if (isPrivileged(policy)) {
    context.annotate?.(`${prefix}enforce-policy`, "privileged:latest");
    return;
  }
  const pod = decodedAs(Pod, object);
  if (
    operation === "UPDATE" &&
    oldObject !== undefined &&
    !isSignificantUpdate(pod, decodedAs(Pod, oldObject))
  )
    return;
  context.annotate?.(`${prefix}enforce-policy`, levelText(policy.enforce));
  audit(policy, pod, context);
  const violations = evaluate(policy.enforce, pod);
  if (violations.length > 0) {
    const why = `violates PodSecurity ${JSON.stringify(levelText(policy.enforce))}: ${detailsText(violations)}`;
    throw forbidden(resource, name, why);
  }
  warn(policy, pod, context);
}

function validateTemplate(request: Known, template: Template, context: AdmissionContext): void {
  const policy = policyFor(request, context);
  if (policy === undefined) return;
  audit(policy, template, context);
  warn(policy, template, context);
}

const prefix = "pod-security.kubernetes.io/";

/** Has the audit log say what a pod would break of the level that is only looked for. */
function audit(policy: Policy, pod: Template, { annotate }: AdmissionContext): void {
  if (annotate === undefined) return;
  const violations = evaluate(policy.audit, pod);
  if (violations.length === 0) return;
  const level = JSON.stringify(levelText(policy.audit));
  annotate(`${prefix}audit-violations`, `would violate PodSecurity ${level}: ${detailsText(violations)}`);
}

function warn(policy: Policy, pod: Template, context: AdmissionContext): void {
  const violations = evaluate(policy.warn, pod);
  if (violations.length === 0) return;
  context.warn(
    `would violate PodSecurity ${JSON.stringify(levelText(policy.warn))}: ${detailsText(violations)}`,
  );
}

function policyFor({ namespace }: Known, { objects }: AdmissionContext): Policy | undefined {
  const found = lookUp(objects, Namespace, { name: namespace });
  return found === undefined ? undefined : policyOf(found.metadata?.labels).policy;
}

function isPrivileged({ enforce, audit: audited, warn: warned }: Policy): boolean {
  return [enforce, audited, warned].every(({ level }) => level === "privileged");
}
