import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { ClientError } from "../client-error.ts";

/** Where a tunnel should lead. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

/** Opens a byte stream to the target through an `http://`, `https://` or `socks5://` proxy. */
export async function openTunnel(proxy: URL, target: TunnelTarget, signal: AbortSignal): Promise<Socket> {
  const socket = await connectProxy(proxy, signal);
  const abandon = (): void => void socket.destroy();
  signal.addEventListener("abort", abandon, { once: true });
  try {
    if (proxy.protocol === "http:" || proxy.protocol === "https:") await httpConnect(socket, proxy, target);
    else await socks5Connect(socket, proxy, target);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", abandon);
  }
}

const defaultPorts: Record<string, number> = {
  "http:": 80,
  "https:": 443,
  "socks5:": 1080,
  "socks5h:": 1080,
};

async function connectProxy(proxy: URL, signal: AbortSignal): Promise<Socket> {
  const defaultPort = defaultPorts[proxy.protocol];
  if (defaultPort === undefined) {
    throw new ClientError(
      "CONFIG",
      `proxy ${proxyName(proxy)}: must start with http://, https:// or socks5://`,
    );
  }
  const host = bareHost(proxy.hostname);
  const port = proxy.port === "" ? defaultPort : Number(proxy.port);
  const secure = proxy.protocol === "https:";
  const socket = secure
    ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) })
    : connect({ host, port });
  try {
    await once(socket, secure ? "secureConnect" : "connect", { signal });
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw error;
    throw new ClientError("UNREACHABLE", `cannot reach the proxy ${proxyName(proxy)}: ${String(error)}`, {
      cause: error,
      hint: "check proxy-url, HTTPS_PROXY and NO_PROXY",
    });
  }
  return socket.setNoDelay(true);
}

async function httpConnect(socket: Socket, proxy: URL, target: TunnelTarget): Promise<void> {
  const authority = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization =
    proxy.username === ""
      ? ""
      : `proxy-authorization: Basic ${Buffer.from(credentials).toString("base64")}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${authorization}\r\n`);
  const head = await readUntil(socket, (bytes) => {
    const end = bytes.indexOf("\r\n\r\n");
    return end === -1 ? undefined : end + 4;
  });
  const [statusLine = ""] = head.toString("latin1").split("\r\n");
  if (!/^HTTP\/1\.[01] 2\d\d/.test(statusLine)) throw refusal(proxy, target, statusLine);
}

async function socks5Connect(socket: Socket, proxy: URL, target: TunnelTarget): Promise<void> {
  const password = proxy.username !== "";
  socket.write(Uint8Array.from(password ? [5, 2, 0, 2] : [5, 1, 0]));
  const method = (await readUntil(socket, exactly(2)))[1];
  if (method === 2) {
    const user = Buffer.from(decodeURIComponent(proxy.username));
    const pass = Buffer.from(decodeURIComponent(proxy.password));
    socket.write(Buffer.concat([Buffer.of(1, user.length), user, Buffer.of(pass.length), pass]));
    const verdict = await readUntil(socket, exactly(2));
    if (verdict[1] !== 0) throw refusal(proxy, target, "user name or password not accepted");
  } else if (method !== 0) {
    throw refusal(proxy, target, "no authentication method in common");
  }
  const host = Buffer.from(target.host);
  const port = Buffer.of(target.port >> 8, target.port & 0xff);
  // Always by name (type 3): a literal address is a valid name too, and the proxy resolves in its own network.
  socket.write(Buffer.concat([Buffer.of(5, 1, 0, 3, host.length), host, port]));
  const answer = await readUntil(socket, (bytes) => {
    const type = bytes[3];
    const length = bytes[4];
    if (type === undefined || length === undefined) return undefined;
    const need = 6 + (type === 1 ? 4 : type === 4 ? 16 : length + 1);
    return bytes.length >= need ? need : undefined;
  });
  if (answer[1] !== 0) throw refusal(proxy, target, `SOCKS reply ${answer[1]}`);
}

const exactly =
  (count: number) =>
  (bytes: Buffer): number | undefined =>
    bytes.length >= count ? count : undefined;

/** Reads until `end` finds the end of the proxy's message; what follows it is given back to the socket. */
async function readUntil(socket: Socket, end: (bytes: Buffer) => number | undefined): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const length = end(bytes);
    if (length !== undefined) {
      if (bytes.length > length) socket.unshift(bytes.subarray(length));
      return bytes.subarray(0, length);
    }
    if (bytes.length > 65_536) throw new ClientError("PROTOCOL", "the proxy's answer is longer than 64 KiB");
    const chunk: unknown = socket.read();
    if (chunk instanceof Buffer) bytes = Buffer.concat([bytes, chunk]);
    else if (socket.readableEnded || socket.destroyed) {
      throw new ClientError("UNREACHABLE", "the proxy closed the connection during its handshake");
    } else await Promise.race([once(socket, "readable"), once(socket, "end"), once(socket, "close")]);
  }
}

function refusal(proxy: URL, target: TunnelTarget, answer: string): ClientError {
  return new ClientError(
    "UNREACHABLE",
    `the proxy ${proxyName(proxy)} refused a connection to ${target.host}:${target.port}: ${answer}`,
    { hint: "check proxy-url, HTTPS_PROXY and NO_PROXY" },
  );
}

/** The proxy's URL without its user and password. */
function proxyName(proxy: URL): string {
  return `${proxy.protocol}//${proxy.host}`;
}

function bareHost(hostname: string): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}
