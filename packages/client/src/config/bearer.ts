import { placeError, type Place } from "./place.ts";

/** The `authorization` header of a bearer token. The message never shows the token. */
export function bearer(token: string, place: Place): string {
  if (!/^[\u0021-\u007E]+$/.test(token)) {
    throw placeError(place, "holds a token with spaces, line breaks or other characters that no token has");
  }
  return `Bearer ${token}`;
}
