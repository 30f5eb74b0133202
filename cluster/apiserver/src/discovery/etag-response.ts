import { createHash } from "node:crypto";
import type { ApiHeaders, ApiRequest, ApiResponse } from "@kedge/machinery";
import { headerOf } from "../request/header.ts";
import { bytesResponse } from "../response/responses.ts";

/** A document that was encoded once, with the hash that clients know it by. */
export interface HashedDocument {
  readonly bytes: Uint8Array;
  /** Upper-case hexadecimal. */
  readonly hash: string;
}

/** Encodes a document as JSON and hashes it. */
export function hashedDocument(document: unknown): HashedDocument {
  return hashedBytes(new TextEncoder().encode(JSON.stringify(document)));
}

/** Hashes a document that is encoded already. */
export function hashedBytes(bytes: Uint8Array): HashedDocument {
  return { bytes, hash: createHash("sha512").update(bytes).digest("hex").toUpperCase() };
}

/** Answers with a document, or with 304 to those who have it. */
export function etagResponse(
  request: ApiRequest,
  { bytes, hash }: HashedDocument,
  headers: ApiHeaders & { readonly "content-type": string },
): ApiResponse {
  const etag = `"${hash}"`;
  if (headerOf(request.headers, "if-none-match") !== etag) {
    return bytesResponse(200, bytes, { ...headers, etag });
  }
  const answer = bytesResponse(304, "", { ...headers, etag });
  const aboutTheBody = new Set(["content-type", "content-length", "last-modified"]);
  const kept = Object.entries(answer.headers).filter(([name]) => !aboutTheBody.has(name));
  return { ...answer, headers: Object.fromEntries(kept) };
}
