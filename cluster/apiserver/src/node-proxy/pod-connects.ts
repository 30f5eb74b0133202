import {
  badRequest,
  StatusError,
  type ApiRequest,
  type ApiResponse,
  type JsonObject,
  type MessageStream,
  type UpgradeRequest,
} from "@kedge/machinery";
import { channelProtocol } from "@kedge/machinery/streams";
import type { ConnectSubresource, ConnectTarget } from "../registry/types.ts";
import { flag } from "../request/target.ts";
import { bytesResponse } from "../response/responses.ts";
import { agree, failureStream, inProtocol, upgradeRequired } from "./channels.ts";
import { logOptions } from "./log-options.ts";
import { logProtocolOf, logStream } from "./log-stream.ts";
import { nodeAddressOf, nodeNameOf, type NodeAddress } from "./node-address.ts";
import { openNodeBytes } from "./node-bytes.ts";
import { streamFromNode, type NodeRequest } from "./node-request.ts";
import { openNodeStream } from "./node-stream.ts";
import { containerOf } from "./pod-container.ts";
import type { NodeProxyOptions, PodConnects } from "./types.ts";

/** The subresources of pods that lead to the kubelet API of their node. They throw `StatusError`s. */
export function podConnects(options: NodeProxyOptions): PodConnects {
  return {
    log: {
      type: "connect",
      verbs: ["get"],
      optionsKind: "Pod",
      connect: (target, request) => readLog(target, request, options),
      upgrade: async (target, request) => {
        const protocol = logProtocolOf(request.protocols);
        return logStream(await readLog(target, request, options), protocol);
      },
    },
    exec: channelConnect("exec", "PodExecOptions", options),
    attach: channelConnect("attach", "PodAttachOptions", options),
    portforward: {
      type: "connect",
      verbs: ["create", "get"],
      optionsKind: "PodPortForwardOptions",
      options: (query) => ({ ports: query.getAll("ports").flatMap((text) => text.split(",").map(Number)) }),
      connect: async (target) => {
        nodeAddressOf(target);
        throw upgradeRequired([]);
      },
      upgrade: (target, request) => openPorts(target, request, options),
    },
  };
}

async function readLog(
  target: ConnectTarget,
  request: Pick<ApiRequest, "signal">,
  options: NodeProxyOptions,
): Promise<ApiResponse> {
  const pod = podOf(target);
  const log = logOptions(target.query, pod.name);
  const container = containerOf(target.object, log.container);
  // A pod that waits for a node has no log yet, which is no error.
  if (nodeNameOf(target) === undefined) return bytesResponse(204, "", {});
  return await streamFromNode(
    {
      address: nodeAddressOf(target),
      path: pathOf(["containerLogs", pod.namespace, pod.name, container], log.query),
      pod: pod.name,
      subresource: "log",
      insecure: log.insecure,
      signal: request.signal,
    },
    options,
  );
}

function channelConnect(
  action: "exec" | "attach",
  optionsKind: string,
  options: NodeProxyOptions,
): ConnectSubresource {
  return {
    type: "connect",
    verbs: ["create", "get"],
    optionsKind,
    options: channelOptions,
    connect: async (target) => {
      // kubectl comes here after a refused WebSocket, and shows only what we say now.
      containerOf(target.object, target.query.get("container"));
      nodeAddressOf(target);
      throw upgradeRequired([]);
    },
    upgrade: async (target, request) => {
      const { namespace, name } = podOf(target);
      const container = containerOf(target.object, target.query.get("container"));
      const path = pathOf([action, namespace, name, container], channelQuery(target.query));
      return await openChannels({ target, request, path, action, address: nodeAddressOf(target) }, options);
    },
  };
}

/** What a query says of a command or an attachment, in the words of PodExecOptions and PodAttachOptions. */
function channelOptions(query: URLSearchParams): JsonObject {
  const container = query.get("container") ?? "";
  const command = query.getAll("command");
  return {
    ...Object.fromEntries(
      ["stdin", "stdout", "stderr", "tty"].filter((name) => flag(query, name)).map((name) => [name, true]),
    ),
    ...(container !== "" && { container }),
    ...(command.length > 0 && { command }),
  };
}

/** The kubelet has names of its own for the parameters. */
function channelQuery(query: URLSearchParams): URLSearchParams {
  const sent = new URLSearchParams();
  const names = { stdin: "input", stdout: "output", stderr: "error", tty: "tty" };
  for (const [ours, theirs] of Object.entries(names)) if (flag(query, ours)) sent.append(theirs, "1");
  for (const word of query.getAll("command")) sent.append("command", word);
  return sent;
}

/** What kubectl calls SPDY in the messages of a WebSocket. */
const tunnelled = "SPDY/3.1+";
const forwardProtocol = "portforward.k8s.io";

async function openPorts(
  target: ConnectTarget,
  request: UpgradeRequest,
  options: NodeProxyOptions,
): Promise<MessageStream> {
  const { namespace, name } = podOf(target);
  const address = nodeAddressOf(target);
  const parts = ["portForward", namespace, name];
  const sent = nodeRequest(
    { target, request, path: pathOf(parts, new URLSearchParams()), address },
    "portforward",
  );
  if (request.wire === "spdy") return await openNodeBytes(sent, request.protocols, options);
  if (request.protocols.includes(tunnelled + forwardProtocol)) {
    const stream = await openNodeBytes(sent, [forwardProtocol], options);
    return { ...stream, protocol: tunnelled + forwardProtocol };
  }
  const protocols = request.protocols.filter((protocol) => protocol === channelProtocol.v4);
  if (protocols.length === 0) {
    const offered = request.protocols.length === 0 ? "none" : request.protocols.join(", ");
    throw badRequest(
      `port-forward: only the protocols ${tunnelled}${forwardProtocol} and ${channelProtocol.v4} are served; offered: ${offered}`,
    );
  }
  const ports = target.query.getAll("ports");
  if (ports.length === 0)
    throw badRequest("port-forward: at least one port is needed in the query: ports=6379");
  const path = pathOf(parts, new URLSearchParams({ port: ports.join(",") }));
  return await openChannels(
    { target, request: { ...request, protocols }, path, action: "portforward", address },
    options,
  );
}

async function openChannels(
  {
    target,
    request,
    path,
    action,
    address,
  }: {
    readonly target: ConnectTarget;
    readonly request: UpgradeRequest;
    readonly path: string;
    readonly action: string;
    readonly address: NodeAddress;
  },
  options: NodeProxyOptions,
): Promise<MessageStream> {
  const sent = nodeRequest({ target, request, path, address }, action);
  if (request.wire === "spdy") return await openNodeBytes(sent, request.protocols, options);
  const { offer, choose } = agree(request.protocols);
  try {
    const stream = await openNodeStream(sent, offer, options);
    return inProtocol(stream, choose(stream.protocol));
  } catch (error) {
    if (!(error instanceof StatusError) || action === "portforward") throw error;
    return failureStream(choose(""), error.status);
  }
}

function nodeRequest(
  {
    target,
    request,
    path,
    address,
  }: {
    readonly target: ConnectTarget;
    readonly request: UpgradeRequest;
    readonly path: string;
    readonly address: NodeAddress;
  },
  subresource: string,
): NodeRequest {
  const { name: pod } = podOf(target);
  return { address, path, pod, subresource, insecure: false, signal: request.signal };
}

function podOf({ object: { metadata } }: ConnectTarget): {
  readonly namespace: string;
  readonly name: string;
} {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

function pathOf(parts: readonly string[], query: URLSearchParams): string {
  const path = parts.map((part) => `/${encodeURIComponent(part)}`).join("");
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
