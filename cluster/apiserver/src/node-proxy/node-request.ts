import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { ApiRequest, ApiResponse } from "@kedge/machinery";
import type { NodeAddress } from "./node-address.ts";
import { nodeRefusal, nodeUnreachable } from "./node-failure.ts";
import type { NodeProxyOptions } from "./types.ts";

/** A request to a node. */
export interface NodeRequest {
  readonly address: NodeAddress;
  /** With the query. */
  readonly path: string;
  readonly pod: string;
  readonly subresource: string;
  /** Whether the node's certificate is not verified. */
  readonly insecure: boolean;
  readonly signal: ApiRequest["signal"];
}

/** How long a node may take to take up a connection. */
const connectPatience = 10_000;

/** The longest refusal that is read. */
const longestRefusal = 10_000;

/** Gets a stream of text from a node. Throws a `StatusError` when the node cannot be reached or refuses. */
export async function streamFromNode(request: NodeRequest, options: NodeProxyOptions): Promise<ApiResponse> {
  const answer = await options.clock.track(ask(request, options));
  const status = answer.statusCode ?? 500;
  if (status < 200 || status > 206) {
    throw nodeRefusal(status, await options.clock.track(beginningOf(answer)), request);
  }
  return {
    status: 200,
    headers: { "cache-control": "no-cache, private", "content-type": "text/plain" },
    body: answer,
  };
}

async function ask(
  { address, path, insecure, signal }: NodeRequest,
  options: NodeProxyOptions,
): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const deadline = options.clock.deadline(connectPatience, signal);
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = httpsRequest({
      ...address,
      ...tlsOptions(options, insecure),
      path,
      agent: false,
      headers: { accept: "text/plain, */*" },
    });
    // The deadline is for the connection only: a followed log may be silent for long before its first line.
    const onDeadline = (): void => {
      sent.destroy(deadline.signal.reason instanceof Error ? deadline.signal.reason : undefined);
    };
    const onAbort = (): void => {
      sent.destroy();
    };
    deadline.signal.addEventListener("abort", onDeadline, { once: true });
    signal?.addEventListener("abort", onAbort, { once: true });
    sent.once("socket", (socket) => {
      socket.once("secureConnect", () => {
        deadline.signal.removeEventListener("abort", onDeadline);
        deadline[Symbol.dispose]();
      });
    });
    sent.once("response", resolve);
    sent.on("error", (error) => {
      reject(nodeUnreachable(address, error));
    });
    sent.once("close", () => {
      deadline[Symbol.dispose]();
      signal?.removeEventListener("abort", onAbort);
    });
    sent.end();
  });
}

/** How both ends of a connection to a node show and check who they are. */
export function tlsOptions({ clientCertificate, authority }: NodeProxyOptions, insecure: boolean) {
  const isVerified = authority !== undefined && !insecure;
  return {
    cert: clientCertificate.certificate,
    key: clientCertificate.key,
    ...(isVerified ? { ca: authority } : { rejectUnauthorized: false }),
  };
}

/** The beginning of a refusal. */
export async function beginningOf(answer: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer) {
    pieces.push(piece);
    length += piece.length;
    if (length >= longestRefusal) break;
  }
  return Buffer.concat(pieces).subarray(0, longestRefusal).toString("utf8");
}
