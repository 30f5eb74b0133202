import { validateDns1123Label, validateDns1123Subdomain } from "@kedge/machinery";
import type { Overload } from "../values/environment.ts";
import { noSuchOverload } from "../values/equality.ts";
import { boolType, structType, stringType, type CelType } from "../values/types.ts";
import { CelError, type Opaque, type Value } from "../values/values.ts";
import { method } from "./declare.ts";

/** Whoever an expression asks about; undefined stands for the user of the request. */
export interface Asked {
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly verb: string;
  /** Set when it is asked of a path, and nothing else is then. */
  readonly path?: string;
  readonly resource?: AskedResource;
}

/** What an expression asks about. */
export interface AskedResource {
  readonly group: string;
  readonly plural: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** Answers `authorizer` of expressions: whether somebody may do something, and why. */
export type AuthorizationCheck = (asked: Asked) => {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string | undefined;
};

export const authorizerType = structType("kubernetes.authorization.Authorizer");
const pathCheckType = structType("kubernetes.authorization.PathCheck");
const groupCheckType = structType("kubernetes.authorization.GroupCheck");
export const resourceCheckType = structType("kubernetes.authorization.ResourceCheck");
const decisionType = structType("kubernetes.authorization.Decision");

/** The variable `authorizer`. */
export function authorizerValue(check: AuthorizationCheck): Value {
  return new Receiver(authorizerType, { check });
}

/** The variable `authorizer.requestResource`. */
export function requestResourceValue(check: AuthorizationCheck, resource: AskedResource): Value {
  return new Receiver(resourceCheckType, { check, resource });
}

interface Asking extends Omit<Asked, "verb"> {
  readonly check: AuthorizationCheck;
  readonly group?: string;
}

/** What functions are called on, and nothing else can be done with. */
class Receiver implements Opaque {
  readonly opaque: CelType;
  readonly asking: Asking;

  constructor(type: CelType, asking: Asking) {
    this.opaque = type;
    this.asking = asking;
  }

  equals(other: Value): boolean {
    return other === this;
  }
}

class Decision implements Opaque {
  readonly opaque = decisionType;
  readonly made: ReturnType<AuthorizationCheck>;

  constructor(made: ReturnType<AuthorizationCheck>) {
    this.made = made;
  }

  equals(other: Value): boolean {
    return other === this;
  }
}

/** Kubernetes' library of authorization checks. */
export function authorization(): Overload[] {
  return [
    step("path", "authorizer_path", [authorizerType, pathCheckType], (asking, path) =>
      path.trim() === "" ? new CelError("path must not be empty") : { ...asking, path },
    ),
    step("group", "authorizer_group", [authorizerType, groupCheckType], (asking, group) => ({
      ...asking,
      group,
    })),
    serviceAccount(),
    step("resource", "groupcheck_resource", [groupCheckType, resourceCheckType], resourceOf),
    part("subresource", "resourcecheck_subresource", (subresource) => ({ subresource })),
    part("namespace", "resourcecheck_namespace", (namespace) => ({ namespace })),
    part("name", "resourcecheck_name", (name) => ({ name })),
    part("fieldSelector", "authorizer_fieldselector", (fieldSelector) => ({ fieldSelector })),
    part("labelSelector", "authorizer_labelselector", (labelSelector) => ({ labelSelector })),
    checkOverload("pathcheck_check", pathCheckType),
    checkOverload("resourcecheck_check", resourceCheckType),
    getter("errored", boolType, ({ error }) => error !== undefined),
    getter("error", stringType, ({ error = "" }) => error),
    getter("allowed", boolType, ({ allowed }) => allowed),
    getter("reason", stringType, ({ reason }) => reason),
  ];
}

/** A function that makes of what is asked, and a text, what is asked. */
function step(
  name: string,
  id: string,
  [from, to]: readonly [CelType, CelType],
  next: (asking: Asking, text: string) => Asking | CelError,
): Overload {
  return method(name, id, [from, stringType, to], (receiver = null, text = null) => {
    if (!(receiver instanceof Receiver) || typeof text !== "string") return noSuchOverload;
    const found = next(receiver.asking, text);
    return found instanceof CelError ? found : new Receiver(to, found);
  });
}

function resourceOf(asking: Asking, plural: string): Asking | CelError {
  if (plural === "") return new CelError("resource must not be empty");
  const { group = "" } = asking;
  return {
    ...asking,
    resource: { group, plural, subresource: "", namespace: "", name: "" },
  };
}

function part(name: string, id: string, change: (text: string) => Partial<AskedResource>): Overload {
  return step(name, id, [resourceCheckType, resourceCheckType], (asking, text) =>
    asking.resource === undefined
      ? noSuchOverload
      : { ...asking, resource: { ...asking.resource, ...change(text) } },
  );
}

function serviceAccount(): Overload {
  const types = [authorizerType, stringType, stringType, authorizerType];
  return method("serviceAccount", "authorizer_serviceaccount", types, (receiver, namespace, name) => {
    if (!(receiver instanceof Receiver) || typeof namespace !== "string" || typeof name !== "string")
      return noSuchOverload;
    if (validateDns1123Subdomain(name).length > 0) return new CelError("Invalid service account name");
    if (validateDns1123Label(namespace).length > 0) return new CelError("Invalid service account namespace");
    return new Receiver(authorizerType, { ...receiver.asking, serviceAccount: { namespace, name } });
  });
}

function checkOverload(id: string, type: CelType): Overload {
  return method("check", id, [type, stringType, decisionType], (receiver = null, verb = null) => {
    if (!(receiver instanceof Receiver) || typeof verb !== "string") return noSuchOverload;
    const { check: ask, group: _, ...asked } = receiver.asking;
    return new Decision(ask({ ...asked, verb }));
  });
}

function getter(name: string, type: CelType, get: (made: Decision["made"]) => Value): Overload {
  return method(name, `decision_${name}`, [decisionType, type], (decision = null) =>
    decision instanceof Decision ? get(decision.made) : noSuchOverload,
  );
}
