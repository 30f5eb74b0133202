import { notAcceptable, statusFailure, type StatusError } from "@kedge/machinery";
import { parseAccept, type MediaType } from "./accept.ts";

/** In which form an answer is wanted. */
export interface Form {
  readonly encoding: "json" | "yaml";
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
  /** Whether the answer can be a Table: that of a review cannot. */
  readonly tables: boolean;
  readonly pretty: boolean;
}

/** The form that a client accepts best. Throws a 406. */
export function negotiate({ accept, streams, watch, tables, pretty }: Negotiation): Form {
  const wanted = accept.trim() === "" ? [] : parseAccept(accept);
  if (wanted.length === 0) return { encoding: "json", as: undefined, pretty };
  if (!wanted.some(({ type }) => encodings.has(type) || type === protobuf)) throw nothingServed(streams);
  for (const media of wanted) {
    const form = formOf(media, { watch, tables, pretty });
    if (form !== undefined) return form;
  }
  // Clients that prefer protobuf accept JSON too; those that accept nothing else are told.
  throw notAcceptable(watch ? streamTypes : plainTypes);
}

const protobuf = "application/vnd.kubernetes.protobuf";
/** What objects are served as. */
export const plainTypes = ["application/json", "application/yaml", protobuf];
const streamTypes = ["application/json;stream=watch", `${protobuf};stream=watch`];

const encodings: ReadonlyMap<string, "json" | "yaml"> = new Map([
  ["*/*", "json"],
  ["application/json", "json"],
  ["application/yaml", "yaml"],
]);

function formOf(
  media: MediaType,
  { watch, tables, pretty }: Pick<Negotiation, "watch" | "tables" | "pretty">,
): Form | undefined {
  const encoding = encodings.get(media.type);
  if (encoding === undefined || (watch && encoding === "yaml")) return undefined;
  const kind = media.parameters.get("as");
  if (kind === undefined) return { encoding, as: undefined, pretty };
  const as = transformOf(kind, media.parameters);
  return as === undefined || (as.kind === "Table" && !tables) ? undefined : { encoding, as, pretty };
}

function transformOf(kind: string, parameters: ReadonlyMap<string, string>): Transform | undefined {
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
