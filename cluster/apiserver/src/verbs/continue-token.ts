import { posix } from "node:path";
import { badRequest, isJsonObject } from "@kedge/machinery";
import { quoteByte } from "../decode/scan-json.ts";

/** Where the next page of a list begins. */
export interface ContinueToken {
  /** The revision of all pages; -1: the newest, since the old one is forgotten. */
  readonly revision: number;
  /** The first key of the page, below the prefix of the list. */
  readonly start: string;
}

/** The token of the same form as Kubernetes'. */
export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
}

/** Reads a token. Throws a 400. */
export function decodeContinue(token: string): ContinueToken {
  const illegal = illegalByte(token);
  if (illegal !== undefined) throw unusable(`illegal base64 data at input byte ${illegal}`);
  const bytes = Buffer.from(token, "base64url");
  const parsed = parse(bytes);
  if (!isJsonObject(parsed)) throw unusable("not an object");
  const { v: version, rv: revision, start } = parsed;
  if (version !== "meta.k8s.io/v1")
    throw unusable(
      `server does not recognize this encoded version ${typeof version === "string" ? version : ""}`,
    );
  // Go reads it into an int64, which no fraction fits into; beyond 2^53 no revision of ours can be.
  if (typeof revision === "number" && !Number.isSafeInteger(revision))
    throw unusable(
      `json: cannot unmarshal number ${revision} into Go struct field continueToken.rv of type int64`,
    );
  if (typeof revision !== "number" || revision === 0 || typeof start !== "string" || start === "") {
    throw unusable("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  const key = start.startsWith("/") ? start : `/${start}`;
  if (posix.normalize(key) !== key || key.endsWith("/")) throw unusable(start);
  return { revision, start: key.slice(1) };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    const [first] = bytes;
    const why =
      first === undefined
        ? "unexpected end of JSON input"
        : `invalid character ${quoteByte(first)} looking for beginning of value`;
    throw unusable(why);
  }
}

function unusable(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}

/** Where a text is no base64, as Go counts; it takes the alphabet of URLs without padding. */
function illegalByte(token: string): number | undefined {
  const at = token.search(/[^\w-]/u);
  if (at >= 0) return Buffer.byteLength(token.slice(0, at));
  return token.length % 4 === 1 ? token.length - 1 : undefined;
}
