import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { ContainerError } from "./container-error.ts";
import { markOf } from "./processes.ts";

/** What is needed to reach the input of a container. */
export interface AttachOptions {
  readonly id: string;
  /** The container's folder, in which conmon has its socket. */
  readonly bundle: string;
  readonly perl: string;
  /** The folder of the runtime. */
  readonly root: string;
}

/** The way to a container's standard input. */
export interface AttachedInput {
  /** Ending it ends the container's input, if that is for one attachment only. */
  readonly stdin: Writable;
  /** Lets go. */
  close(): void;
}

/**
 * Conmon takes input by a socket of packets, of which Node can make none: so a small helper does. One half of it sends,
 * the other one throws away what the container writes, which is read from its log; so neither waits for the other. It
 * begins with a sign that it is connected.
 */
const helperProgram = `
use Socket;
chdir $ARGV[0] or die "$ARGV[0]: $!\\n";
socket(my $conmon, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!\\n";
connect($conmon, sockaddr_un("attach")) or die "connect: $!\\n";
syswrite(STDOUT, "+");
$SIG{CHLD} = sub { exit };
defined(my $sender = fork) or die "fork: $!\\n";
if ($sender == 0) {
  while (sysread(STDIN, my $data, 8192)) { send($conmon, $data, 0) or exit }
  shutdown($conmon, 1);
  exit;
}
1 while sysread($conmon, my $data, 65536);
kill 9, $sender;
`;

/** Reaches the input of a container that has one. Rejects when its monitor does not answer. */
export async function attachInput({ id, bundle, perl, root }: AttachOptions): Promise<AttachedInput> {
  // A group of its own: it is two processes. And the path of a socket must be short, so it goes to its folder.
  const helper = spawn(perl, ["-e", helperProgram, bundle], {
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    env: { ...markOf(root) },
  });
  let complaint = "";
  helper.stderr.on("data", (text: Buffer) => {
    complaint = `${complaint}${text.toString("utf8")}`.slice(0, 2048);
  });
  helper.stdin.on("error", () => undefined);
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  helper.once("error", (error) => ended.reject(error));
  helper.once("close", () => {
    helper.stdin.destroy();
    ended.reject(
      new ContainerError("ATTACH_FAILED", `the input of ${id} cannot be reached: ${complaint.trim()}`),
    );
  });
  await Promise.race([once(helper.stdout, "data"), ended.promise]);
  return {
    stdin: helper.stdin,
    close: () => {
      helper.stdin.destroy();
      try {
        if (helper.pid !== undefined && helper.exitCode === null) process.kill(-helper.pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    },
  };
}
