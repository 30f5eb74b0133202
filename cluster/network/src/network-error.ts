/** The machine's network could not be read or changed. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
}
