import { isIPv6 } from "node:net";
import { parsePort } from "./parse-port.ts";

/** Where to listen. Without a host: on all addresses. */
export interface Address {
  readonly host?: string;
  readonly port: number;
}

/** Reads `:8080` (all addresses), `127.0.0.1:8080`, `[::1]:8080`; port 0 is any free one. */
export function parseAddress(text: string): Address {
  const match = /^(?:\[(?<six>[^\]]+)\]|(?<host>[^:[\]]*)):(?<port>[^:]*)$/u.exec(text);
  const { six, host, port } = match?.groups ?? {};
  if (port === undefined || (six !== undefined && !isIPv6(six))) {
    throw new Error(
      `${text} is no address: it must be host:port, [address]:port, or :port for all addresses`,
    );
  }
  const at = six ?? host ?? "";
  return { ...(at !== "" && { host: at }), port: parsePort(port, true) };
}
