import type { UpgradeHandler } from "@kedge/machinery";
import { channelProtocol } from "@kedge/machinery/streams";
import { withQuery } from "../transport/query.ts";
import { ClientError } from "../client-error.ts";
import { startCommandSession, type CommandSession } from "./command-session.ts";
import { openMessageStream, type StreamRequest } from "./open-message-stream.ts";

/** Which of a container's streams are wanted. */
export interface CommandStreams {
  /** The pod's only container, or its default one, unless named. */
  readonly container?: string | undefined;
  /** Default: false. */
  readonly stdin?: boolean | undefined;
  /** Default: true. */
  readonly stdout?: boolean | undefined;
  /** Default: true, without a terminal. With one there is no stderr. */
  readonly stderr?: boolean | undefined;
  /** Give the command a terminal. Default: false. */
  readonly tty?: boolean | undefined;
}

/** What to run, and which of its streams are wanted. */
export interface ExecOptions extends CommandStreams {
  /** Program and arguments. There is no shell unless you name one. */
  readonly command: readonly string[];
}

/** Runs a command in a container. `request.path` is the path of the pod's `exec`, without a query. */
export async function openExec(
  upgrade: UpgradeHandler,
  request: StreamRequest,
  options: ExecOptions,
): Promise<CommandSession> {
  if (options.command.length === 0)
    throw new ClientError("USAGE", "exec: command must have at least one element");
  return await openCommand(upgrade, request, { ...options, what: "exec" });
}

/**
 * Joins the streams of a container's main process. `request.path` is the path of the pod's `attach`, without a query.
 * `exit` resolves when the process has ended; its code is not told here, see the container's status.
 */
export async function openAttach(
  upgrade: UpgradeHandler,
  request: StreamRequest,
  options: CommandStreams = {},
): Promise<CommandSession> {
  return await openCommand(upgrade, request, { ...options, what: "attach" });
}

async function openCommand(
  upgrade: UpgradeHandler,
  request: StreamRequest,
  options: CommandStreams & { what: string; command?: readonly string[] },
): Promise<CommandSession> {
  const { what, container, command, stdin = false, stdout = true, tty = false } = options;
  const { stderr = !tty } = options;
  if (tty && stderr) throw new ClientError("USAGE", `${what}: tty and stderr cannot both be true`);
  const path = withQuery(request.path, { container, command, stdin, stdout, stderr, tty });
  const protocols = [channelProtocol.v5, channelProtocol.v4];
  const stream = await openMessageStream(upgrade, { ...request, path }, protocols);
  return startCommandSession(stream, { what, stdin, signal: request.signal });
}
