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
  const bytes = Buffer.from(token, "base64url");
  const parsed = parse(bytes);
  if (!isJsonObject(parsed)) throw unusable("continue key is not valid: not an object");
  const { v: version, rv: revision, start } = parsed;
  if (version !== "meta.k8s.io/v1")
    throw unusable(`server does not recognize this encoded version ${JSON.stringify(version ?? "")}`);
  // Go reads it into an int64, which no fraction fits into; beyond 2^53 no revision of ours can be.
  if (typeof revision === "number" && !Number.isSafeInteger(revision))
    throw unusable(
      `continue key is not valid: json: cannot unmarshal number ${revision} into Go struct field continueToken.rv of type int64`,
    );
  if (typeof revision !== "number" || revision === 0 || typeof start !== "string" || start === "") {
    throw unusable("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (start.startsWith("/") || start.split("/").includes(".."))
    throw unusable(`continue key is not valid: ${start}`);
  return { revision, start };
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
    throw unusable(`continue key is not valid: ${why}`);
  }
}

function unusable(why: string): Error {
  return badRequest(`invalid continue token: ${why}`);
}
