import type { GroupVersionKind } from "@kedge/machinery";
import { Reinvocation } from "../admission/reinvocation.ts";
import type { AdmissionContext, AdmissionRequest, Operation } from "../admission/types.ts";
import type { ApiObject, StoredApiObject } from "../registry/types.ts";
import type { WriteScope } from "./scope.ts";

/** How admission is asked of one write. Throws a `StatusError`. */
export interface WriteAdmission {
  /** Before the kind's own validation. May change the object in place. */
  admit(object: ApiObject | undefined, oldObject: StoredApiObject | undefined): Promise<void>;
  /** After it. */
  validate(object: StoredApiObject | undefined, oldObject: StoredApiObject | undefined): Promise<void>;
}

/** Asks admission of a write; `kind` is that of the objects, when it is not the resource's own. */
export function admissionOf(
  scope: WriteScope,
  operation: Operation,
  kind: GroupVersionKind = scope.resource,
): WriteAdmission {
  if (scope.isAdmitted) return noAdmission;
  const { core } = scope;
  const shared = {
    objects: core.objects,
    clock: core.clock,
    random: core.random,
    warn: scope.warn,
    annotate: scope.annotate,
    signal: scope.signal,
    deadline: core.clock.monotonic() + longestWrite,
  };
  const contextOf = (): AdmissionContext => ({ ...shared, reinvocation: new Reinvocation() });
  const attributes = attributesOf(scope, operation, kind);
  return {
    admit: (object, oldObject) =>
      core.admission.admit({ ...attributes, ...nameOf(scope, object), object, oldObject }, contextOf()),
    validate: (object, oldObject) =>
      core.admission.validate({ ...attributes, ...nameOf(scope, object), object, oldObject }, contextOf()),
  };
}

/** Milliseconds that a write may wait for others, however many they are: as long as on the real server. */
const longestWrite = 34_000;

/** Of writes that admission was asked of before. */
const noAdmission: WriteAdmission = {
  admit: () => Promise.resolve(),
  validate: () => Promise.resolve(),
};

function attributesOf(
  scope: WriteScope,
  operation: Operation,
  { group, version, kind }: GroupVersionKind,
): Omit<AdmissionRequest, "name" | "object" | "oldObject"> {
  const { resource, subresource, namespace, user, dryRun, options } = scope;
  return {
    operation,
    resource,
    subresource,
    kind: { group, version, kind },
    namespace,
    user,
    dryRun,
    options: operation === "CONNECT" ? {} : optionsOf(operation, dryRun, options),
  };
}

/** What is created is named by itself, if the path does not name it. */
function nameOf({ name }: WriteScope, object: StoredApiObject | undefined): { readonly name: string } {
  return { name: name === "" ? (object?.metadata.name ?? "") : name };
}

const optionsKinds = { CREATE: "CreateOptions", UPDATE: "UpdateOptions", DELETE: "DeleteOptions" } as const;

function optionsOf(
  operation: keyof typeof optionsKinds,
  dryRun: boolean,
  options: WriteScope["options"],
): AdmissionRequest["options"] {
  return {
    kind: optionsKinds[operation],
    apiVersion: "meta.k8s.io/v1",
    ...options,
    ...(dryRun && { dryRun: ["All"] }),
  };
}
