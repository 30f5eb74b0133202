import { notAcceptable, statusFailure, type StatusError } from "@kedge/machinery";
import { parseAccept, type MediaType } from "./accept.ts";

/** How an answer is written. */
export type Encoding = "json" | "yaml" | "protobuf";

/** In which form an answer is wanted. */
export interface Form {
  readonly encoding: Encoding;
  /** What to make of the object; undefined: leave it as it is. */
  readonly as: Transform | undefined;
  readonly pretty: boolean;
}

/** What a client wants to see of objects. `version` is that of meta.k8s.io. */
export interface Transform {
  readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  readonly version: "v1" | "v1beta1";
}

/** How an answer can be negotiated. */
export interface Negotiation {
  readonly accept: string;
  /** Whether the path can be watched: the 406 of such paths names streams too. */
  readonly streams: boolean;
  /** Whether the answer is a stream of events. */
  readonly watch: boolean;
  /** What the answer can be made: a review is no Table, a Status is nothing but itself. */
  readonly transforms: "all" | "no tables" | "none";
  /** Whether it is a custom kind: those have no protobuf, but what is made of them has. */
  readonly custom: boolean;
  readonly pretty: boolean;
}

/** The form that a client accepts best. Throws a 406. */
export function negotiate(negotiation: Negotiation): Form {
  const { accept, streams, watch, custom, pretty } = negotiation;
  const wanted = accept.trim() === "" ? [] : parseAccept(accept);
  if (wanted.length === 0) return { encoding: "json", as: undefined, pretty };
  if (!custom && !wanted.some(({ type }) => type === "*/*" || encodings.has(type)))
    throw nothingServed(streams);
  const form = firstOf(wanted, negotiation);
  // Of a watch it is not asked again what else would do.
  if (form === undefined || (watch && form.encoding === "yaml"))
    throw notAcceptable(watch ? streamTypes : plainTypes);
  return form;
}

/** The media type of each encoding, in the order of the server's own choice. */
export const mediaTypes = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
} as const;

/** What objects are served as. */
export const plainTypes: readonly string[] = Object.values(mediaTypes);
const streamTypes = [`${mediaTypes.json};stream=watch`, `${mediaTypes.protobuf};stream=watch`];

const encodings: ReadonlyMap<string, Encoding> = new Map([
  [mediaTypes.json, "json"],
  [mediaTypes.yaml, "yaml"],
  [mediaTypes.protobuf, "protobuf"],
]);

function firstOf(wanted: readonly MediaType[], negotiation: Negotiation): Form | undefined {
  for (const media of wanted) {
    for (const encoding of encodingsOf(media)) {
      const form = formOf(media, encoding, negotiation);
      if (form !== undefined) return form;
    }
  }
  return undefined;
}

function encodingsOf({ type }: MediaType): readonly Encoding[] {
  if (type === "*/*" || type === "application/*") return [...encodings.values()];
  const encoding = encodings.get(type);
  return encoding === undefined ? [] : [encoding];
}

function formOf(
  { parameters }: MediaType,
  encoding: Encoding,
  { transforms, custom, pretty: asked }: Negotiation,
): Form | undefined {
  const stream = parameters.get("stream") ?? "";
  if (stream !== "" && (stream !== "watch" || encoding === "yaml")) return undefined;
  const pretty = asked || parameters.get("pretty") === "1";
  if (!["as", "g", "v"].some((name) => parameters.has(name)))
    return custom && encoding === "protobuf" ? undefined : { encoding, as: undefined, pretty };
  const as = transformOf(parameters);
  if (as === undefined || transforms === "none") return undefined;
  const isTable = as.kind === "Table";
  return isTable && (transforms === "no tables" || encoding === "protobuf")
    ? undefined
    : { encoding, as, pretty };
}

function transformOf(parameters: ReadonlyMap<string, string>): Transform | undefined {
  const kind = parameters.get("as");
  const version = parameters.get("v");
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  if (kind === "Table" || kind === "PartialObjectMetadata" || kind === "PartialObjectMetadataList")
    return { kind, version };
  return undefined;
}

/** The router in front of Kubernetes' own negotiation speaks its own words. */
function nothingServed(streams: boolean): StatusError {
  const types = streams ? [...plainTypes, ...streamTypes] : plainTypes;
  return statusFailure({
    message: `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`,
    reason: "NotAcceptable",
    details: {},
    code: 406,
  });
}
