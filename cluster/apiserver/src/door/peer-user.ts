import { TLSSocket } from "node:tls";
import type { User } from "../registry/types.ts";

/** Whom a connection's client certificate names; `refused` when nobody we trust has signed it. */
export function peerUser(socket: unknown): User | "refused" | undefined {
  if (!isTls(socket)) return undefined;
  const known = users.get(socket);
  if (known !== undefined) return known.user;
  const user = readUser(socket);
  users.set(socket, { user });
  return user;
}

const users = new WeakMap<object, { readonly user: User | "refused" | undefined }>();

/** A socket of HTTP/2 comes as a proxy, which is no instance of its class. */
function isTls(socket: unknown): socket is TLSSocket {
  return (
    socket instanceof TLSSocket ||
    (typeof socket === "object" &&
      socket !== null &&
      "getPeerCertificate" in socket &&
      "authorized" in socket)
  );
}

function readUser(socket: TLSSocket): User | "refused" | undefined {
  const { subject } = socket.getPeerCertificate();
  if (subject === undefined) return undefined;
  if (!socket.authorized) return "refused";
  const organisations: unknown = subject.O;
  const groups = [organisations ?? []].flat().map(String);
  return { name: String(subject.CN), groups };
}
