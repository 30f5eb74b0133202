import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { TLSSocket } from "node:tls";
import type { User } from "../registry/types.ts";

/** Whom the client certificate of a request's connection names; `refused` when nobody we trust has signed it. */
export function peerUser(incoming: ServerHttp2Stream | IncomingMessage): User | "refused" | undefined {
  const connection = connectionOf(incoming);
  if (connection === undefined) return undefined;
  const known = users.get(connection);
  if (known !== undefined) return known.user;
  const user = readUser("socket" in connection ? connection.socket : connection);
  users.set(connection, { user });
  return user;
}

/** By connection: to read a certificate takes longer than to answer a GET. */
const users = new WeakMap<object, { readonly user: User | "refused" | undefined }>();

/** What all requests of a connection have in common. The socket that a request of HTTP/2 shows is its own alone. */
function connectionOf(incoming: ServerHttp2Stream | IncomingMessage) {
  return "session" in incoming ? incoming.session : incoming.socket;
}

function readUser(socket: object): User | "refused" | undefined {
  if (!isTls(socket)) return undefined;
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  if (subject === undefined) return undefined;
  if (!socket.authorized) return "refused";
  const organisations: unknown = subject.O;
  const groups = [organisations ?? []].flat().map(String);
  const credential = `X509SHA256=${fingerprint256.replaceAll(":", "").toLowerCase()}`;
  return {
    name: String(subject.CN),
    groups,
    extra: { "authentication.kubernetes.io/credential-id": [credential] },
  };
}

/** A socket of HTTP/2 comes as a proxy, which is no instance of its class. */
function isTls(socket: object): socket is TLSSocket {
  return socket instanceof TLSSocket || ("getPeerCertificate" in socket && "authorized" in socket);
}
