import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Says why in plain HTTP/1.1 on a socket that has no request, and closes it. */
export function refuseSocket(socket: Duplex, status: number): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
  // What still comes is thrown away: to close on it would take the answer from the client.
  socket.end(head);
  socket.resume();
}

/** What a parser's error is answered with. */
export function statusOfParseError(error: Error): number {
  const code = "code" in error ? error.code : undefined;
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}
