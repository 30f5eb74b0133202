import { arch } from "node:os";
import type { Clock, Logger } from "@kedge/machinery";
import { runProgram } from "@kedge/network/run-program";
import type { FileAttribute } from "./unpack-layer.ts";

/** The kernel's number for lsetxattr. */
const calls: Readonly<Record<string, number>> = { x64: 189, arm64: 6 };

/** Goes into the root first, so that no link leads out of it. Lines: path, name and value in hexadecimal digits. */
const script = `
my ($root, $call) = @ARGV;
chroot $root or die "chroot: $!"; chdir "/";
my $failed = 0;
while (my $line = <STDIN>) {
  chomp $line;
  my ($path, $name, $value) = map { pack "H*", $_ } split / /, $line, 3;
  $failed++ if syscall(0 + $call, "/$path", $name, $value, length $value, 0) != 0;
}
print $failed;
`;

/**
 * Gives files their extended attributes, file capabilities above all. Node.js has no call for it; Perl is on every Debian
 * machine. Where the file system has none, the image runs without them, and the log says so.
 */
export async function setAttributes(
  root: string,
  attributes: readonly FileAttribute[],
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<void> {
  const call = calls[arch()];
  if (attributes.length === 0 || call === undefined) return;
  const lines = attributes.map(({ path, name, value }) =>
    [hex(Buffer.from(path, "latin1")), hex(Buffer.from(name)), hex(value)].join(" "),
  );
  try {
    const input = `${lines.join("\n")}\n`;
    const { stdout } = await runProgram("perl", ["-e", script, root, String(call)], { clock, input });
    if (stdout !== "0")
      logger.warn("Files of an image are without their attributes", { failed: Number(stdout) });
  } catch (error) {
    logger.warn("Files of an image are without their attributes: file capabilities are lost", { error });
  }
}

function hex(bytes: Buffer): string {
  return bytes.toString("hex");
}
