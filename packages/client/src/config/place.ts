import { ClientError, type ClientErrorCode } from "../client-error.ts";

/** A place in a document, for messages: `/home/me/.kube/config: users[0].user.exec`. */
export interface Place {
  /** The file, or what else the document is called. */
  readonly document: string;
  readonly path: string;
  /** The entry around it, because an index says little: `user "admin"`. */
  readonly entry?: string;
  readonly code: ClientErrorCode;
}

/** The place of a field inside another place. */
export function fieldOf(place: Place, name: string): Place {
  return { ...place, path: place.path === "" ? name : `${place.path}.${name}` };
}

/** An error about a place: which document, which field, which rule. Never put a secret into the rule. */
export function placeError(
  place: Place,
  rule: string,
  options: { detail?: string; hint?: string; cause?: unknown } = {},
): ClientError {
  const where = place.path === "" ? place.document : `${place.document}: ${place.path}`;
  const entry = place.entry === undefined ? "" : ` (${place.entry})`;
  const detail = options.detail === undefined ? "" : `: ${options.detail}`;
  return new ClientError(place.code, `${where}: ${rule}${entry}${detail}`, options);
}
