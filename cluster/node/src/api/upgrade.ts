import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { readLog } from "../logs/read-log.ts";
import { podFolder } from "../pod/pod-folder.ts";
import type { ApiPod, Instance } from "../pod/types.ts";
import { commandProtocols } from "./channels.ts";
import { serveCommand, type SocketCommand } from "./command-socket.ts";
import { findPod, findRunning, RequestError } from "./find-container.ts";
import type { NodeApiContext } from "./node-api.ts";
import { forwardProtocols, servePortForward } from "./port-forward.ts";

/** A request that wants to become a WebSocket. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Serves exec, attach and port-forward. Never throws. */
export async function upgradeTo(context: NodeApiContext, upgrade: UpgradeRequest): Promise<void> {
  upgrade.socket.on("error", () => upgrade.socket.destroy());
  try {
    const url = new URL(upgrade.request.url ?? "/", "https://node");
    const [, root, ...path] = url.pathname.split("/").map(decodeURIComponent);
    if (upgrade.request.headers.upgrade?.toLowerCase() !== "websocket") {
      throw new RequestError(
        400,
        "this node speaks WebSocket (v5.channel.k8s.io, v4.channel.k8s.io), not SPDY",
      );
    }
    switch (root) {
      case "exec":
      case "attach": {
        // The kubelet takes a uid between the names, too.
        const [namespace = "", name = ""] = path;
        const pod = findPod(context, namespace, name);
        const run = await findRunning(context, pod, path.at(-1) ?? "");
        const command =
          root === "exec"
            ? await execCommand(context, run, url.searchParams)
            : attachCommand(context, pod, run, url.searchParams);
        await serveCommand(await accept(upgrade, commandProtocols), command);
        return;
      }
      case "portForward": {
        const [namespace = "", name = ""] = path;
        const pod = findPod(context, namespace, name);
        const ports = portsIn(url.searchParams);
        const namespacePath = await context.networkOf(pod);
        await servePortForward(await accept(upgrade, forwardProtocols), { namespacePath, ports });
        return;
      }
      default:
        throw new RequestError(404, "404 page not found");
    }
  } catch (error) {
    refuse(upgrade.socket, error);
  }
}

async function execCommand(
  { runtime }: NodeApiContext,
  run: Instance,
  query: URLSearchParams,
): Promise<SocketCommand> {
  const command = query.getAll("command");
  if (command.length === 0) throw new RequestError(400, "you must specify at least one command");
  const tty = isTrue(query, "tty");
  const process = await runtime.exec(run.id, { command, tty });
  const wantsStdin = isTrue(query, "input", "stdin");
  if (!wantsStdin) process.stdin.end();
  process.stdin.on("error", () => undefined); // A command may end without reading what it was given.
  if (!isTrue(query, "output", "stdout")) process.stdout.resume();
  if (!isTrue(query, "error", "stderr") || tty) process.stderr.resume();
  return {
    stdin: wantsStdin ? process.stdin : undefined,
    stdout: isTrue(query, "output", "stdout") ? process.stdout : undefined,
    stderr: isTrue(query, "error", "stderr") && !tty ? process.stderr : undefined,
    exit: process.exit,
    resize: (size) => process.resize(size),
    cancel: () => process.kill(),
  };
}

/** What the container writes from now on, taken from its log. Its stdin is not connected. */
function attachCommand(
  context: NodeApiContext,
  pod: ApiPod,
  run: Instance,
  query: URLSearchParams,
): SocketCommand {
  if (isTrue(query, "input", "stdin")) {
    throw new RequestError(
      400,
      `container ${run.name}: stdin of a running container cannot be attached on this node; use exec`,
    );
  }
  const gone = new AbortController();
  const ended = Promise.withResolvers<undefined>();
  const isRunning = async (): Promise<boolean> =>
    (await context.runtime.inspect(run.id))?.state === "running";
  const follow = async function* (stream: "stdout" | "stderr"): AsyncGenerator<Buffer, void, undefined> {
    const path = podFolder(context.folder, pod.metadata.uid).logOf(run.name, run.attempt);
    const source = { path, isRunning, clock: context.clock, signal: gone.signal };
    const now = { follow: true, tailLines: 0, stream } as const;
    const rest = { previous: false, timestamps: false, limitBytes: undefined, since: undefined };
    yield* readLog(source, { ...now, ...rest });
    ended.resolve(undefined);
  };
  return {
    stdin: undefined,
    stdout: follow("stdout"),
    stderr: isTrue(query, "tty") ? undefined : follow("stderr"),
    exit: ended.promise,
    resize: () => Promise.resolve(),
    cancel: () => {
      gone.abort();
    },
  };
}

async function accept(
  { request, socket, head }: UpgradeRequest,
  protocols: readonly string[],
): Promise<WebSocket> {
  const header = request.headers["sec-websocket-protocol"] ?? "";
  const offered = new Set(header.split(",").map((name) => name.trim()));
  const chosen = protocols.find((name) => offered.has(name));
  if (chosen === undefined) {
    throw new RequestError(400, `no common protocol: this node speaks ${protocols.join(" and ")}`);
  }
  const server = new WebSocketServer({ noServer: true, handleProtocols: () => chosen });
  const { promise, resolve } = Promise.withResolvers<WebSocket>();
  server.handleUpgrade(request, socket, head, (accepted) => {
    // Whoever serves it resumes it, once somebody listens: no message is lost on the way.
    accepted.pause();
    resolve(accepted);
  });
  return await promise;
}

function portsIn(query: URLSearchParams): number[] {
  const ports = [...query.getAll("port"), ...query.getAll("ports")]
    .flatMap((text) => text.split(","))
    .map(Number);
  if (ports.length > 0 && ports.every(isPort)) return ports;
  throw new RequestError(400, "port: one or more whole numbers between 1 and 65535 are needed");
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port <= 65_535;
}

function isTrue(query: URLSearchParams, ...names: readonly string[]): boolean {
  return names.some((name) => ["1", "true"].includes(query.get(name) ?? ""));
}

function refuse(socket: Duplex, error: unknown): void {
  const status = error instanceof RequestError ? error.status : 500;
  const text = error instanceof Error ? error.message : String(error);
  const body = Buffer.from(text);
  socket.end(
    `HTTP/1.1 ${status} ${status === 500 ? "Internal Server Error" : "Refused"}\r\n` +
      `content-type: text/plain\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${text}`,
  );
}
