import type { Duplex } from "node:stream";
import { messageOf } from "@kedge/machinery";
import { channelProtocol } from "@kedge/machinery/streams";
import { CommandStreams } from "../spdy/command-channels.ts";
import { acceptSpdy, acceptWebSocket, wireOf, type UpgradeRequest } from "./accept.ts";
import { attachCommand, commandStreamsOf, execCommand } from "./container-commands.ts";
import type { NodeApiContext } from "./context.ts";
import type { ForwardTarget } from "./forward-connection.ts";
import { findPod, findRunning, refuseSimulated, RequestError } from "./find-container.ts";
import { podDialer } from "./pod-dialer.ts";
import {
  channelForwardProtocols,
  serveChannelForward,
  SpdyForward,
  spdyForwardProtocols,
} from "./port-forward.ts";
import { serveCommand, type StartCommand } from "./serve-command.ts";

/** The protocols of exec and attach, the best first. */
const commandProtocols: readonly string[] = [channelProtocol.v5, channelProtocol.v4];

/**
 * Serves exec, attach and port-forward. A command is started only once the client's stream is there, and with a signal
 * that ends it when the client goes, at whatever moment. Never throws.
 */
export async function upgradeTo(context: NodeApiContext, upgrade: UpgradeRequest): Promise<void> {
  upgrade.socket.on("error", () => upgrade.socket.destroy());
  try {
    const url = new URL(upgrade.request.url ?? "/", "https://node");
    const [, root, ...path] = url.pathname.split("/").map(decodeURIComponent);
    // The kubelet takes a uid between the names, too.
    const [namespace = "", name = ""] = path;
    switch (root) {
      case "exec":
      case "attach": {
        const pod = findPod(context, namespace, name);
        const run = await findRunning(context, pod, path.at(-1) ?? "");
        refuseSimulated(context, pod, "no command can be run in it and it has no terminal");
        const start =
          root === "exec"
            ? execCommand(context, run, url.searchParams)
            : attachCommand(context, { pod, run }, url.searchParams);
        await runCommand(context, upgrade, { start, query: url.searchParams });
        return;
      }
      case "portForward": {
        const pod = findPod(context, namespace, name);
        refuseSimulated(context, pod, "it has no ports");
        const dialer = podDialer(await context.networkOf(pod));
        const target = { dialer, podUid: pod.metadata.uid };
        await forwardPorts(context, upgrade, { target, query: url.searchParams });
        return;
      }
      default:
        throw new RequestError(404, "404 page not found");
    }
  } catch (error) {
    refuseUpgrade(upgrade.socket, error);
  }
}

async function runCommand(
  { clock }: NodeApiContext,
  upgrade: UpgradeRequest,
  { start, query }: { readonly start: StartCommand; readonly query: URLSearchParams },
): Promise<void> {
  if (wireOf(upgrade) === "websocket") {
    await serveCommand(acceptWebSocket(upgrade, commandProtocols, clock), start);
    return;
  }
  const streams = new CommandStreams(commandStreamsOf(query));
  const onStream = streams.add.bind(streams);
  const session = acceptSpdy(upgrade, commandProtocols, { clock, onStream });
  const joined = await streams.joined(session, clock).catch(() => undefined);
  if (joined === undefined) await session.close();
  else await serveCommand(joined, start);
}

async function forwardPorts(
  { clock }: NodeApiContext,
  upgrade: UpgradeRequest,
  { target, query }: { readonly target: ForwardTarget; readonly query: URLSearchParams },
): Promise<void> {
  if (wireOf(upgrade) === "websocket") {
    const ports = portsIn(query);
    await serveChannelForward(acceptWebSocket(upgrade, channelForwardProtocols, clock), ports, target);
    return;
  }
  // The ports come with the streams.
  const forward = new SpdyForward(target, (ms, callback) => clock.timer(ms, callback));
  const onStream = forward.add.bind(forward);
  await forward.until(acceptSpdy(upgrade, spdyForwardProtocols, { clock, onStream }));
}

/** So many connections one stream may have. */
const mostPorts = 32;

function portsIn(query: URLSearchParams): number[] {
  const ports = [...query.getAll("port"), ...query.getAll("it has no ports")]
    .flatMap((text) => text.split(","))
    .map(Number);
  if (ports.length > mostPorts) {
    throw new RequestError(
      400,
      `port: ${ports.length} are asked for, at most ${mostPorts} are served at once`,
    );
  }
  if (ports.length > 0 && ports.every(isPort)) return ports;
  throw new RequestError(400, "port: one or more whole numbers between 1 and 65535 are needed");
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port <= 65_535;
}

/** An answer in plain HTTP on a socket that wanted to be another. Nothing when somebody has ended it already. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  if (socket.writableEnded || socket.destroyed) return;
  const status = error instanceof RequestError ? error.status : 500;
  const text = messageOf(error);
  const body = Buffer.from(text);
  socket.end(
    `HTTP/1.1 ${status} ${status === 500 ? "Internal Server Error" : "Refused"}\r\n` +
      `content-type: text/plain\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${text}`,
    () => socket.destroy(),
  );
}
