import {
  apiVersionOf,
  badRequest,
  conflict,
  fieldInvalid,
  formatTime,
  invalid,
  notFound,
  parseApiVersion,
  statusFailure,
  type FieldError,
  type Kind,
} from "@kedge/machinery";
import type { BoundObjectReference, TokenRequestSpec } from "@kedge/machinery/kinds/authentication/v1";
import { Node, Pod, Secret, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import type { Claims } from "../../auth/tokens/claims.ts";
import type { ServiceAccountTokens } from "../../auth/tokens/service-account-tokens.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { lookUp } from "../../registry/lookup.ts";
import type { ActionSubresource, ApiObject, Objects, WriteContext } from "../../registry/types.ts";

/** `serviceaccounts/token`: gives a token of the account, bound to a pod, a secret or a node if it says so. */
export function tokenRequest(tokens: ServiceAccountTokens | undefined): ActionSubresource {
  const body = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
  return {
    type: "action",
    body,
    run: async ({ namespace = "", name }, object, context) => {
      await Promise.resolve();
      if (tokens === undefined) throw noKey();
      return { status: 201, object: answer(tokens, { namespace, name, object, context }) };
    },
  };
}

interface Asked {
  readonly namespace: string;
  readonly name: string;
  readonly object: ApiObject;
  readonly context: WriteContext;
}

/** Who asks for so many seconds is a node agent for a pod: old programs in it may go on with the token for a year. */
const warnOnlySeconds = 3607;
const extendedSeconds = 365 * 24 * 3600;

function answer(tokens: ServiceAccountTokens, { namespace, name, object, context }: Asked): ApiObject {
  const { metadata } = object;
  // The decoder refuses what does not fit the schema.
  const spec = (object["spec"] ?? {}) as Decoded<TokenRequestSpec>;
  const kind = { group: "authentication.k8s.io", kind: "TokenRequest" };
  const given = metadata.name ?? "";
  if (given !== "" && given !== name) {
    const why = "must match the service account name if specified";
    throw invalid(kind, name, [fieldInvalid("metadata.name", given, why)]);
  }
  const account = lookUp(context.objects, ServiceAccount, { namespace, name });
  if (account === undefined) throw notFound(ServiceAccount, name);
  const uid = account.metadata?.uid ?? "";
  const wanted = metadata.uid ?? "";
  if (wanted !== "" && wanted !== uid) {
    const why = `the UID in the token request (${wanted}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: kind.group, plural: kind.kind }, name, why);
  }
  const seconds = spec.expirationSeconds ?? 3600;
  const errors = expirationErrors(seconds);
  if (errors.length > 0) throw invalid(kind, "", errors);
  const audiences = (spec.audiences ?? []).length === 0 ? [tokens.issuer] : (spec.audiences ?? []);
  const bound = boundTo(context.objects, spec.boundObjectRef ?? undefined, { namespace, name });
  const isExtended =
    bound.pod !== undefined &&
    seconds === warnOnlySeconds &&
    audiences.every((audience) => audience === tokens.issuer);
  const now = context.clock.now();
  const warnAfter = isExtended ? Math.floor(now / 1000) + seconds : undefined;
  const token = tokens.issue(
    { audiences, namespace, account: { name, uid }, ...bound, warnAfter },
    isExtended ? extendedSeconds : seconds,
  );
  return {
    kind: kind.kind,
    apiVersion: apiVersionOf({ group: kind.group, version: "v1" }),
    metadata: {
      ...object.metadata,
      name,
      namespace,
      uid: account.metadata?.uid,
      creationTimestamp: formatTime(now),
    },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: formatTime(now + seconds * 1000) },
  };
}

function expirationErrors(seconds: number): FieldError[] {
  const path = "spec.expirationSeconds";
  if (seconds < 600) return [fieldInvalid(path, seconds, "may not specify a duration less than 10 minutes")];
  if (seconds <= 2 ** 32) return [];
  return [fieldInvalid(path, seconds, "may not specify a duration larger than 2^32 seconds")];
}

/** What a token is bound to, as it is now. Throws when it is not there, or is another of that name. */
function boundTo(
  objects: Objects,
  ref: Decoded<BoundObjectReference> | undefined,
  account: { readonly namespace: string; readonly name: string },
): Pick<Claims, "pod" | "secret" | "node"> {
  if (ref === undefined) return {};
  const { namespace } = account;
  const { name = "" } = ref;
  const { group, version } = parseApiVersion(ref.apiVersion ?? "");
  switch (group === "" ? ref.kind : "") {
    case "Pod": {
      const { object: pod, uid } = found(objects, Pod, { ref, namespace });
      if (pod.spec?.serviceAccountName !== account.name) {
        throw badRequest(
          `cannot bind token for serviceaccount ${JSON.stringify(account.name)} to pod running with different serviceaccount name.`,
        );
      }
      const nodeName = pod.spec.nodeName ?? "";
      if (nodeName === "") return { pod: { name, uid } };
      const node = lookUp(objects, Node, { name: nodeName });
      return { pod: { name, uid }, node: { name: nodeName, uid: node?.metadata?.uid ?? "" } };
    }
    case "Secret":
      return { secret: { name, uid: found(objects, Secret, { ref, namespace }).uid } };
    case "Node":
      return { node: { name, uid: found(objects, Node, { ref }).uid } };
    default:
      throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${ref.kind ?? ""}`);
  }
}

/** What a reference says, if it is the one that it means. */
function found<T>(
  objects: Objects,
  kind: Kind<T>,
  { ref, namespace }: { readonly ref: Decoded<BoundObjectReference>; readonly namespace?: string },
): { readonly object: Decoded<T>; readonly uid: string } {
  const { name = "", uid: wanted = "" } = ref;
  const resource = objects.registry.byKind(kind.group, kind.kind, kind.version);
  const stored = resource && objects.get(resource, { name, ...(namespace !== undefined && { namespace }) });
  if (stored === undefined) throw notFound(kind, name);
  const { uid = "" } = stored.metadata;
  if (wanted !== "" && wanted !== uid) {
    const why = `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: kind.group, plural: kind.kind }, name, why);
  }
  return { object: decodedAs(kind, stored), uid };
}

function noKey(): Error {
  return statusFailure({
    reason: "MethodNotAllowed",
    message: "this server has no key to sign service account tokens with: use a client certificate instead",
    code: 405,
  });
}
