import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { connect, loadKubeconfig, type Client } from "@kedge/client";
import { realClock } from "@kedge/machinery";
import { freePort } from "../../testing/free-port.ts";
import { keepLogs } from "../../testing/keep-logs.ts";
import { refusals } from "./refusals.ts";
import { runCli, type CliResult } from "./run-cli.ts";

/**
 * A cluster that the CLI started in a folder of its own. Disposing of it stops it, deletes
 * the folder, and fails when a part of the cluster was refused something.
 */
export interface TestCluster extends AsyncDisposable {
  readonly dir: string;
  /** Goes on working after the cluster was stopped and started again. */
  readonly client: Client;
  /** What the first `kedge up` printed. */
  readonly printed: string;
  /** Runs a command with `--dir`. */
  cli(...args: readonly string[]): Promise<CliResult>;
  /** `kedge up --detach`; gives what it printed, throws when it fails. */
  up(...flags: readonly string[]): Promise<string>;
  /** `kedge down`; the same. */
  down(...flags: readonly string[]): Promise<string>;
}

/** Starts one. */
export async function upCluster(options: { readonly flags?: readonly string[] } = {}): Promise<TestCluster> {
  const parent = await mkdtemp(join(tmpdir(), "kedge-cluster-"));
  const dir = join(parent, "state");
  const cli = (...args: readonly string[]): Promise<CliResult> => {
    const [words, rest] = atDashes(args);
    return runCli([...words, "--dir", dir, ...rest], parent);
  };
  const must = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cli(...args);
    if (code !== 0) throw new Error(`kedge ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  };
  const up = (...flags: readonly string[]): Promise<string> => must("up", "--detach", ...flags);
  const remove = async (): Promise<void> => {
    await keepLogs(dir, basename(parent));
    await cli("down", "--purge");
    await rm(parent, { recursive: true, force: true });
  };
  try {
    const printed = await up("--port", String(await freePort()), ...(options.flags ?? []));
    const config = await loadKubeconfig({ env: {}, clock: realClock, path: join(dir, "kubeconfig") });
    const client = connect(config, { clock: realClock, userAgent: "kedge-e2e" });
    return {
      dir,
      client,
      printed,
      cli,
      up,
      down: (...flags) => must("down", ...flags),
      async [Symbol.asyncDispose]() {
        await client.close();
        const refused = await refusals(dir);
        await remove();
        if (refused.length > 0) throw new Error(`parts of the cluster lack rights:\n${refused.join("\n")}`);
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** What comes behind `--` is not for us. */
function atDashes(args: readonly string[]): readonly [readonly string[], readonly string[]] {
  const at = args.indexOf("--");
  return at === -1 ? [args, []] : [args.slice(0, at), args.slice(at)];
}
