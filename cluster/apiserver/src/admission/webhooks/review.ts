import {
  isJsonList,
  isJsonObject,
  messageOf,
  StatusError,
  type GroupVersionKind,
  type JsonObject,
} from "@kedge/machinery";
import { noTypeMeta } from "../../decode/parse-body.ts";
import { parseJson } from "../../decode/parse-json.ts";
import type { Resource, StoredApiObject } from "../../registry/types.ts";
import { namespaceOf, type Asked } from "../matching/rules.ts";
import type { Versioned } from "../matching/versions.ts";
import type { AdmissionRequest } from "../types.ts";

/** What webhooks and expressions are told of a request, beside its objects. */
export function reviewRequest(
  request: AdmissionRequest<StoredApiObject>,
  { resource, kind }: Asked,
): JsonObject {
  const { subresource, operation, name, user, dryRun, options } = request;
  const namespace = namespaceOf(request);
  return {
    kind: kindIn(kind),
    resource: resourceIn(resource),
    ...(subresource !== "" && { subResource: subresource }),
    requestKind: kindIn(request.kind),
    requestResource: resourceIn(request.resource),
    ...(subresource !== "" && { requestSubResource: subresource }),
    ...(name !== "" && { name }),
    ...(namespace !== "" && { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid !== undefined && user.uid !== "" && { uid: user.uid }),
      ...(user.groups.length > 0 && { groups: user.groups }),
      ...(user.extra !== undefined && Object.keys(user.extra).length > 0 && { extra: user.extra }),
    },
    dryRun,
    options: operation === "CONNECT" ? null : options,
  };
}

function kindIn({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, version, kind };
}

function resourceIn({ group, version, plural }: Resource): JsonObject {
  return { group, version, resource: plural };
}

/** The text of an AdmissionReview. */
export function reviewText(
  version: "v1" | "v1beta1",
  { uid, request, versioned }: { uid: string; request: JsonObject; versioned: Versioned },
): string {
  const { object = null, oldObject = null } = versioned;
  const { options, ...rest } = request;
  return JSON.stringify({
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...rest, object, oldObject, options },
  });
}

/** What a webhook answered. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  /** The JSON of a patch; undefined for none. */
  readonly patch: string | undefined;
  readonly patchType: string;
  /** A Status, as it was sent. */
  readonly result: JsonObject | undefined;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** What the answer has to fit. */
export interface Expected {
  readonly version: "v1" | "v1beta1";
  readonly uid: string;
  readonly mutating: boolean;
}

/** Thrown for an answer that says nothing that could be used. */
export class InvalidAnswer extends Error {}

/** Reads an answer. Throws `InvalidAnswer`, or an `Error` when it is no JSON. */
export function readAnswer(body: Buffer, expected: Expected): ReviewAnswer {
  const review = parseReview(body);
  const { response, apiVersion } = review;
  if (expected.version === "v1" && apiVersion === "admission.k8s.io/v1beta1")
    throw new Error("converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion");
  if (!isJsonObject(response)) throw new InvalidAnswer("webhook response was absent");
  if (expected.version === "v1") checkType(review, response, expected);
  const patch = textOf(response["patch"], "response.patch");
  const { patchType } = response;
  if (expected.version === "v1") checkPatch({ patch, patchType, mutating: expected.mutating });
  const { status, warnings, auditAnnotations } = response;
  return {
    // Only v1 has to say it.
    patchType: expected.version === "v1" ? textOf(patchType, "response.patchType") : "JSONPatch",
    allowed: response["allowed"] === true,
    patch: patch === "" || !expected.mutating ? undefined : Buffer.from(patch, "base64").toString("utf8"),
    result: isJsonObject(status) ? status : undefined,
    warnings: isJsonList(warnings) ? warnings.filter((each) => typeof each === "string") : [],
    annotations: isJsonObject(auditAnnotations) ? textsIn(auditAnnotations) : {},
  };
}

function parseReview(body: Buffer): JsonObject {
  const value = parsed(body.toString("utf8"));
  if (isJsonObject(value)) return value;
  throw new Error(`couldn't get version/kind; json parse error: ${noTypeMeta(value)}`);
}

/** What is neither an object nor a list is a text: Kubernetes reads it as YAML. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/u.test(text)) return text;
  try {
    return parseJson(text).value;
  } catch (error) {
    if (error instanceof StatusError)
      throw new Error(`the answer cannot be read: ${error.message}`, { cause: error });
    throw new Error(`couldn't get version/kind; json parse error: ${messageOf(error)}`, { cause: error });
  }
}

function checkType({ apiVersion, kind }: JsonObject, response: JsonObject, { uid }: Expected): void {
  const sent = textOf(response["uid"], "response.uid");
  if (sent !== uid)
    throw new InvalidAnswer(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(sent)}`);
  if (apiVersion === "admission.k8s.io/v1" && kind === "AdmissionReview") return;
  const version = textOf(apiVersion, "apiVersion");
  const shown = `${version === "" ? "/" : version}, Kind=${textOf(kind, "kind")}`;
  throw new InvalidAnswer(
    `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${shown}`,
  );
}

function checkPatch({
  patch,
  patchType,
  mutating,
}: {
  readonly patch: string;
  readonly patchType: unknown;
  readonly mutating: boolean;
}): void {
  const isTyped = patchType !== undefined && patchType !== null;
  if (!mutating) {
    if (patch !== "") throw new InvalidAnswer("validating webhook may not return response.patch");
    if (isTyped) throw new InvalidAnswer("validating webhook may not return response.patchType");
    return;
  }
  if (patch !== "" && !isTyped)
    throw new InvalidAnswer("webhook returned response.patch but not response.patchType");
  if (patch === "" && isTyped)
    throw new InvalidAnswer("webhook returned response.patchType but not response.patch");
  if (isTyped && patchType === "")
    throw new InvalidAnswer('webhook returned invalid response.patchType of ""');
}

function textOf(value: unknown, field: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  throw new Error(`the answer has a ${field} that is no text`);
}

function textsIn(map: JsonObject): Record<string, string> {
  const texts = Object.entries(map).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}
