/** What a certificate could not be made of, or what it is not. The message names the way out. */
export class PkiError extends Error {
  override readonly name = "PkiError";
}
