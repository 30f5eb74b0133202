import { badRequest, isJsonInteger, isJsonObject, StatusError, type JsonObject } from "@kedge/machinery";
import { DecodeError } from "../decode/decode-error.ts";
import { parseBody, type BodyReaders } from "../decode/parse-body.ts";
import { checkTyped } from "../decode/typed-value.ts";
import type { DeletePreferences } from "../registry/types.ts";
import { header, type ResourceRequest } from "../request/resource-request.ts";
import { checkDeleteOptions, deletePolicies, listOf } from "../request/check-delete-options.ts";
import { integer } from "../request/query.ts";

/** How a deletion is to go. */
export interface DeleteOptions {
  readonly preferences: DeletePreferences;
  readonly dryRun: boolean;
}

/** Reads the options of a deletion, from its body or else from its query. Throws a `StatusError`. */
export async function deleteOptions(readers: BodyReaders, request: ResourceRequest): Promise<DeleteOptions> {
  const sent = request.body.length > 0 ? await fromBody(readers, request) : fromQuery(request.query);
  checkDeleteOptions(sent);
  const { uid, resourceVersion } = isJsonObject(sent["preconditions"]) ? sent["preconditions"] : {};
  const grace = sent["gracePeriodSeconds"];
  const policy = policyOf(sent);
  return {
    dryRun: listOf(sent["dryRun"]).length > 0,
    preferences: {
      ...(isJsonInteger(grace) && { gracePeriodSeconds: grace < 0 ? 1 : grace }),
      ...(policy !== undefined && { propagationPolicy: policy }),
      ...(typeof uid === "string" && { uid }),
      ...(typeof resourceVersion === "string" && { resourceVersion }),
    },
  };
}

async function fromBody(readers: BodyReaders, request: ResourceRequest): Promise<JsonObject> {
  const { table } = readers;
  try {
    const { value } = await parseBody(request.body, header(request, "content-type"), readers);
    checkOptionsKind(value);
    const type = table.kind({ group: "", version: "v1", kind: "DeleteOptions" });
    if (type !== undefined) checkTyped(table, type, value);
    return { ...value, dryRun: [...listOf(value["dryRun"]), ...request.query.getAll("dryRun")] };
  } catch (error) {
    if (error instanceof StatusError) throw error;
    if (error instanceof DecodeError || error instanceof TypeError) throw badRequest(error.message);
    throw error;
  }
}

function checkOptionsKind(value: JsonObject): void {
  const { kind = "DeleteOptions", apiVersion = "v1" } = value;
  if (kind === "DeleteOptions" || kind === "") return;
  throw badRequest(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function fromQuery(query: URLSearchParams): JsonObject {
  const orphan = query.get("orphanDependents");
  return {
    dryRun: query.getAll("dryRun"),
    gracePeriodSeconds: integer(query, "gracePeriodSeconds"),
    propagationPolicy: query.get("propagationPolicy") ?? undefined,
    orphanDependents: orphan === null ? undefined : orphan !== "false" && orphan !== "0",
  };
}

function policyOf({
  propagationPolicy,
  orphanDependents,
}: JsonObject): DeletePreferences["propagationPolicy"] {
  if (typeof orphanDependents === "boolean") return orphanDependents ? "Orphan" : "Background";
  return deletePolicies.find((policy) => policy === propagationPolicy);
}
