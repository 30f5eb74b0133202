import {
  apiVersionOf,
  clone,
  deepEqual,
  isJsonList,
  isJsonObject,
  messageOf,
  statusFailure,
  type JsonObject,
  type Random,
  type StatusError,
} from "@kedge/machinery";
import { parseJson } from "../../decode/parse-json.ts";
import type { ApiObject, Converter, StoredApiObject } from "../../registry/types.ts";
import { endpointOf } from "../../webhook-client/endpoint.ts";
import type { WebhookClient } from "../../webhook-client/webhook-client.ts";
import { storageVersionOf, type Definition } from "../definition/definition.ts";

/** What webhooks that convert are called with. */
export interface ConversionClient {
  readonly client: WebhookClient;
  readonly random: Random;
}

/** Milliseconds that a webhook may take to convert. */
const patience = 30_000;

/** How versions of a definition are made of each other by a webhook; undefined when none does. */
export function converterOf(
  definition: Definition,
  calling: ConversionClient | undefined,
): Converter | undefined {
  const { group = "", conversion } = definition.spec ?? {};
  const { clientConfig, conversionReviewVersions: versions = [] } = conversion?.webhook ?? {};
  if (conversion?.strategy !== "Webhook" || clientConfig === undefined || calling === undefined)
    return undefined;
  const endpoint = endpointOf(clientConfig);
  const version = versions.find((each) => each === "v1" || each === "v1beta1") ?? "v1";
  const stored = apiVersionOf({ group, version: storageVersionOf(definition) });
  return {
    stored,
    convert: async (objects, apiVersion) => {
      const first = objects.find((object) => object.apiVersion !== apiVersion);
      if (first === undefined) return objects.map((object) => clone(object));
      const fail = failureOf(first);
      const uid = calling.random.uuid();
      const review = { uid, version, objects, apiVersion };
      try {
        const body = Buffer.from(reviewText(review));
        const answer = await calling.client.post({ endpoint, body, patience });
        return convertedIn(answer, review, fail);
      } catch (error) {
        throw (error instanceof ConversionFailure ? error : fail(`failed: ${messageOf(error)}`)).status;
      }
    },
  };
}

interface Review {
  readonly uid: string;
  readonly version: "v1" | "v1beta1";
  readonly objects: readonly StoredApiObject[];
  readonly apiVersion: string;
}

class ConversionFailure extends Error {
  readonly status: StatusError;

  constructor(message: string) {
    super(message);
    this.status = statusFailure({ message, code: 500 });
  }
}

type Fail = (why: string) => ConversionFailure;

/** `conversion webhook for example.com/v1, Kind=Thing failed: …`. */
function failureOf({ apiVersion, kind }: StoredApiObject): Fail {
  return (why) => new ConversionFailure(`conversion webhook for ${apiVersion}, Kind=${kind} ${why}`);
}

function reviewText({ uid, version, objects, apiVersion }: Review): string {
  return JSON.stringify({
    kind: "ConversionReview",
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  });
}

function convertedIn(body: Buffer, review: Review, fail: Fail): readonly ApiObject[] {
  const answer = parsed(body, fail);
  const response = responseIn(answer, review, fail);
  const { convertedObjects } = response;
  const made = isJsonList(convertedObjects) ? convertedObjects : [];
  const { objects } = review;
  if (made.length !== objects.length)
    throw fail(`returned ${made.length} objects, expected ${objects.length}`);
  return objects.map((object, index) => checked(object, made[index], { index, review, fail }));
}

function parsed(body: Buffer, fail: Fail): JsonObject {
  try {
    const { value } = parseJson(body.toString("utf8"), manyObjects);
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw fail(`failed: couldn't get version/kind; json parse error: ${messageOf(error)}`);
  }
  throw fail("failed: couldn't get version/kind; json parse error: the answer is no object");
}

/** An answer has many objects, each of which may have as many values as any. */
const manyObjects = 2;

function responseIn({ apiVersion, kind, response }: JsonObject, review: Review, fail: Fail): JsonObject {
  const isTyped = apiVersion === "apiextensions.k8s.io/v1" && kind === "ConversionReview";
  if (typeof apiVersion === "string" && typeof kind === "string" && kind !== "ConversionReview")
    throw fail(
      `failed: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  if (review.version === "v1" && !isTyped)
    throw fail(
      `failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${typeof apiVersion === "string" ? apiVersion : "/"}, Kind=${typeof kind === "string" ? kind : ""}`,
    );
  if (!isJsonObject(response)) throw fail("failed: no response provided");
  const { uid, result } = response;
  if (review.version === "v1" && uid !== review.uid)
    throw fail(
      `failed: expected response.uid=${JSON.stringify(review.uid)}, got ${JSON.stringify(uid ?? "")}`,
    );
  const { status, message } = isJsonObject(result) ? result : {};
  if (status === "Success") return response;
  if (typeof message === "string" && message !== "") throw fail(`failed: ${message}`);
  throw fail(
    `failed: response.result.status was '${typeof status === "string" ? status : ""}', not 'Success'`,
  );
}

/** A converted object: of the right version, and still the same object. Only its labels and annotations may be others. */
function checked(
  original: StoredApiObject,
  made: unknown,
  { index, review, fail }: { readonly index: number; readonly review: Review; readonly fail: Fail },
): ApiObject {
  const refuse = (why: string): ConversionFailure => fail(`returned invalid object: ${why}`);
  if (!isJsonObject(made)) throw refuse(`it is no object at index ${index}`);
  const { apiVersion, kind, metadata, ...rest } = made;
  if (apiVersion !== review.apiVersion)
    throw fail(
      `returned invalid object at index ${index}: invalid groupVersion (expected ${review.apiVersion}, received ${String(apiVersion)})`,
    );
  if (kind !== original.kind)
    throw fail(
      `returned invalid object at index ${index}: invalid kind (expected ${original.kind}, received ${String(kind)})`,
    );
  if (!isJsonObject(metadata)) throw fail("returned invalid metadata: missing metadata in converted object");
  for (const [field, shown] of identity) {
    const [before, after] = [original.metadata[field], metadata[field]];
    if (!deepEqual(before ?? "", after ?? ""))
      throw refuse(
        `must have the same ${shown}: ${before ?? ""} != ${typeof after === "string" ? after : ""}`,
      );
  }
  const { labels: _, annotations: __, ...kept } = original.metadata;
  return {
    ...rest,
    apiVersion: review.apiVersion,
    kind: original.kind,
    metadata: { ...clone(kept), ...changed(metadata) },
  };
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

function changed({ labels, annotations }: JsonObject): Pick<ApiObject["metadata"], "labels" | "annotations"> {
  return {
    ...(isJsonObject(labels) && { labels: textsOf(labels) }),
    ...(isJsonObject(annotations) && { annotations: textsOf(annotations) }),
  };
}

function textsOf(map: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, String(value)]));
}
