import { deepEqual, fieldForbidden, fieldPath, invalid, parseApiVersion } from "@kedge/machinery";
import {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type ParamKind,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import type { Authorizer } from "../../auth/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { lookUp } from "../../registry/lookup.ts";
import type { ObjectReader, StoredApiObject, User } from "../../registry/types.ts";
import { isAbout } from "../request.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../types.ts";
import { resourceOf } from "./params.ts";

/** Nobody learns from a policy what they may not read: who writes one needs to be allowed to read its parameters. */
export function paramAccess(authorizer: Authorizer): AdmissionPlugin {
  return {
    // Not one of Kubernetes' plug-ins: there the validation of these kinds does it.
    name: "PolicyParamAccess",
    operations: ["CREATE", "UPDATE"],
    validate: (request, { objects }) => {
      const { object, oldObject, user, kind } = request;
      if (kind.group !== ValidatingAdmissionPolicy.group || user.groups.includes("system:masters")) return;
      if (object === undefined) return;
      const before = oldObject ?? { spec: undefined };
      if (isAbout(request, ValidatingAdmissionPolicy) || isAbout(request, MutatingAdmissionPolicy))
        checkPolicy(request, object, { before, authorizer, objects });
      else if (
        isAbout(request, ValidatingAdmissionPolicyBinding) ||
        isAbout(request, MutatingAdmissionPolicyBinding)
      )
        checkBinding(request, object, { before, authorizer, objects });
    },
  };
}

interface Check {
  readonly before: Readonly<Record<string, unknown>>;
  readonly authorizer: Authorizer;
  readonly objects: ObjectReader;
}

function checkPolicy(
  request: AdmissionRequest<StoredApiObject>,
  object: StoredApiObject,
  { before, authorizer, objects }: Check,
): void {
  const { paramKind } = decodedAs(ValidatingAdmissionPolicy, object).spec ?? {};
  if (paramKind === undefined || deepEqual(paramKind, fieldIn(before["spec"], "paramKind"))) return;
  const { user } = request;
  const resource = { ...readable(paramKind, objects), namespace: "*", name: "*" };
  if (authorizer({ user, verb: "get", path: "", resource }).allowed) return;
  const { kind = "", apiVersion = "" } = paramKind;
  refuse(
    request,
    "paramKind",
    `user ${shown(user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`,
  );
}

function checkBinding(
  request: AdmissionRequest<StoredApiObject>,
  object: StoredApiObject,
  { before, authorizer, objects }: Check,
): void {
  const { paramRef, policyName = "" } = decodedAs(ValidatingAdmissionPolicyBinding, object).spec ?? {};
  if (paramRef === undefined) return;
  const isSame =
    deepEqual(paramRef, fieldIn(before["spec"], "paramRef")) &&
    policyName === fieldIn(before["spec"], "policyName");
  if (isSame) return;
  const policies = isAbout(request, ValidatingAdmissionPolicyBinding)
    ? ValidatingAdmissionPolicy
    : MutatingAdmissionPolicy;
  const policy = lookUp<Pick<ValidatingAdmissionPolicy, "spec">>(objects, policies, { name: policyName });
  const { name = "", namespace = "" } = paramRef;
  const verb = name === "" ? "list" : "get";
  const resource = { ...readable(policy?.spec?.paramKind, objects), namespace, name };
  const { user } = request;
  if (authorizer({ user, verb, path: "", resource }).allowed) return;
  refuse(
    request,
    "paramRef",
    policy === undefined
      ? `unable to get policy ${policyName} to determine minimum required permissions and user ${shown(user)} does not have "${verb}" permission for all groups, versions and resources`
      : `user ${shown(user)} does not have "${verb}" permission on the object referenced by paramRef`,
  );
}

/** What has to be readable: the kind of the parameters, or everything when it cannot be told. */
function readable(
  paramKind: Decoded<ParamKind> | undefined,
  objects: ObjectReader,
): {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly subresource: string;
} {
  if (paramKind === undefined) return { group: "*", version: "*", plural: "*", subresource: "" };
  const { group, version } = parseApiVersion(paramKind.apiVersion ?? "");
  return { group, version, plural: resourceOf(paramKind, objects)?.plural ?? "*", subresource: "" };
}

function refuse({ resource, object }: AdmissionRequest<StoredApiObject>, field: string, why: string): never {
  throw invalid(resource, object?.metadata.name ?? "", [fieldForbidden(fieldPath("spec", field), why)]);
}

function fieldIn(spec: unknown, field: string): unknown {
  return typeof spec === "object" && spec !== null ? Reflect.get(spec, field) : undefined;
}

/** A user as Go prints one. */
function shown({ name, uid = "", groups }: User): string {
  return `&{${name} ${uid} [${groups.join(" ")}] map[]}`;
}
