/** An archive that is not what it should be. */
export class TarError extends Error {
  override readonly name = "TarError";
}
