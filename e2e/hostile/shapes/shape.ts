/** A request as somebody hostile sends it. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A request that grows: one that careless code takes far too long for. */
export interface Shape {
  readonly name: string;
  /** As many pieces as fit into a body, or as the server takes. */
  readonly most: number;
  /** What must be there before it is sent. */
  readonly before?: (pieces: number) => readonly HostileRequest[];
  readonly request: (pieces: number) => HostileRequest;
}

/** Text of each piece, one after the other. */
export function repeat(pieces: number, text: (index: number) => string, separator = ","): string {
  return Array.from({ length: pieces }, (_, index) => text(index)).join(separator);
}

/** A POST of JSON. */
export function post(path: string, body: string, type = "application/json"): HostileRequest {
  return { method: "POST", path, headers: { "content-type": type }, body };
}

/** A PUT of JSON. */
export function put(path: string, body: string): HostileRequest {
  return { method: "PUT", path, headers: { "content-type": "application/json" }, body };
}

/** A PATCH of a type. */
export function patch(path: string, type: keyof typeof patchTypes, body: string): HostileRequest {
  return { method: "PATCH", path, headers: { "content-type": patchTypes[type] }, body };
}

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;
