import { connect, constants, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import type { ProbeResult } from "./types.ts";

/** The longest answer that is read: a health check says one number. */
const longestAnswer = 4096;

/** What a server says of a service, by number. Only the first one is good news. */
const servingStatus = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"] as const;

/** Status codes of gRPC that have their own words in the kubelet's events. */
const unimplemented = 12;

/**
 * Asks by the health protocol of gRPC (`grpc.health.v1.Health/Check`) without TLS, and succeeds when the service, or
 * the server as a whole when none is named, is serving.
 */
export async function grpcProbe(
  host: string,
  { port, service }: { readonly port: number; readonly service?: string | undefined },
  signal: AbortSignal,
): Promise<ProbeResult> {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const session = connect(`http://${address}`);
  const cut = (): void => session.destroy();
  signal.addEventListener("abort", cut, { once: true });
  if (signal.aborted) cut();
  try {
    return resultOf(await check(session, { address, service: service ?? "" }));
  } catch (error) {
    const why = signal.aborted
      ? "context deadline exceeded"
      : String(error instanceof Error ? error.message : error);
    return {
      outcome: "failure",
      output: `timeout: failed to connect service ${JSON.stringify(address)} within the time: ${why}`,
    };
  } finally {
    signal.removeEventListener("abort", cut);
    session.destroy();
  }
}

interface Answer {
  /** The code of gRPC; 0 is success. */
  readonly code: number;
  readonly message: string;
  readonly body: Buffer;
}

async function check(
  session: ClientHttp2Session,
  { address, service }: { readonly address: string; readonly service: string },
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  session.on("error", reject);
  session.once("close", () => reject(new Error("the connection was closed")));
  const stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: "POST",
    [constants.HTTP2_HEADER_PATH]: "/grpc.health.v1.Health/Check",
    [constants.HTTP2_HEADER_AUTHORITY]: address,
    [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
    [constants.HTTP2_HEADER_TE]: "trailers",
    [constants.HTTP2_HEADER_USER_AGENT]: "kube-probe/kedge",
  });
  let head: IncomingHttpHeaders & { readonly ":status"?: number } = {};
  let body = Buffer.alloc(0);
  const take = (headers: typeof head): void => {
    head = { ...head, ...headers };
  };
  stream.on("response", take);
  stream.on("trailers", take);
  stream.on("data", (piece: Buffer) => {
    body = Buffer.concat([body, piece]);
    if (body.length > longestAnswer) reject(new Error("the answer is too long"));
  });
  stream.on("error", reject);
  stream.on("end", () => {
    // A connection that is cut ends its streams, too.
    if (head[":status"] === undefined) return;
    const code = Number(head["grpc-status"] ?? (head[":status"] === 200 ? 0 : 2));
    const message = [head["grpc-message"] ?? `HTTP ${head[":status"]}`].flat().join(" ");
    resolve({ code, message, body });
  });
  stream.end(messageOf(service));
  return await promise;
}

/** A HealthCheckRequest, whose only field is the service's name, after a byte and a length as gRPC frames it. */
function messageOf(service: string): Buffer {
  const name = Buffer.from(service);
  const field = name.length === 0 ? [] : [Buffer.from([0x0a, ...varint(name.length)]), name];
  const message = Buffer.concat(field);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(message.length, 1);
  return Buffer.concat([frame, message]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

function resultOf({ code, message, body }: Answer): ProbeResult {
  if (code === unimplemented) {
    return {
      outcome: "failure",
      output: `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${message}`,
    };
  }
  if (code !== 0) {
    return { outcome: "failure", output: `error: health rpc probe failed: code = ${code} desc = ${message}` };
  }
  const status = statusIn(body.subarray(5));
  return status === "SERVING"
    ? { outcome: "success", output: "" }
    : { outcome: "failure", output: `service unhealthy (responded with ${JSON.stringify(status)})` };
}

/** A HealthCheckResponse has one field, a number; left out it is 0. */
function statusIn(message: Buffer): string {
  const number = message[0] === 0x08 ? (message[1] ?? 0) : 0;
  return servingStatus[number] ?? String(number);
}
