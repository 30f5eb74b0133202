/** What came is not SPDY/3.1, or more of it than is allowed: the connection cannot go on. */
export class SpdyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SpdyError";
  }
}
