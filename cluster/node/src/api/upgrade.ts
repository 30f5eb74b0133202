import { messageOf } from "@kedge/machinery";
import type { Duplex } from "node:stream";
import { accept, type UpgradeRequest } from "./accept.ts";
import { commandProtocols } from "./channels.ts";
import { serveCommand } from "./command-socket.ts";
import { attachCommand, execCommand } from "./container-commands.ts";
import { findPod, findRunning, RequestError } from "./find-container.ts";
import type { NodeApiContext } from "./context.ts";
import { forwardProtocols, servePortForward } from "./port-forward.ts";

/**
 * Serves exec, attach and port-forward. A command is started only once the WebSocket is there, and with a signal that
 * ends it when the client goes, at whatever moment. Never throws.
 */
export async function upgradeTo(context: NodeApiContext, upgrade: UpgradeRequest): Promise<void> {
  upgrade.socket.on("error", () => upgrade.socket.destroy());
  try {
    const url = new URL(upgrade.request.url ?? "/", "https://node");
    const [, root, ...path] = url.pathname.split("/").map(decodeURIComponent);
    if (upgrade.request.headers.upgrade?.toLowerCase() !== "websocket") {
      throw new RequestError(400, `this node speaks WebSocket (${commandProtocols.join(", ")}), not SPDY`);
    }
    switch (root) {
      case "exec":
      case "attach": {
        // The kubelet takes a uid between the names, too.
        const [namespace = "", name = ""] = path;
        const pod = findPod(context, namespace, name);
        const run = await findRunning(context, pod, path.at(-1) ?? "");
        const start =
          root === "exec"
            ? execCommand(context, run, url.searchParams)
            : attachCommand(context, { pod, run }, url.searchParams);
        await serveCommand(accept(upgrade, commandProtocols), start, context.clock);
        return;
      }
      case "portForward": {
        const [namespace = "", name = ""] = path;
        const pod = findPod(context, namespace, name);
        const ports = portsIn(url.searchParams);
        const namespacePath = await context.networkOf(pod);
        const target = { namespacePath, ports, clock: context.clock };
        await servePortForward(accept(upgrade, forwardProtocols), target);
        return;
      }
      default:
        throw new RequestError(404, "404 page not found");
    }
  } catch (error) {
    refuseUpgrade(upgrade.socket, error);
  }
}

/** So many connections one stream may have. */
const mostPorts = 32;

function portsIn(query: URLSearchParams): number[] {
  const ports = [...query.getAll("port"), ...query.getAll("ports")]
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
