import { messageOf, type Clock } from "@kedge/machinery";
import { NetworkError } from "./network-error.ts";
import { runProgram } from "./run-program.ts";

/** The programs that change the machine's network. */
export interface NetworkPrograms {
  /** Path or name of iproute2's `ip`. */
  readonly ip: string;
  /** Path or name of nftables' `nft`. */
  readonly nft: string;
  /** Path or name of Perl. */
  readonly perl: string;
}

/** Runs these programs, each call with a deadline. Rejects with a `NetworkError` that has what the program said. */
export interface NetworkCommands {
  ip(...args: readonly string[]): Promise<string>;
  /** Lines of `ip` as one process; stops at the first that fails. */
  ipBatch(lines: readonly string[], namespace?: string): Promise<void>;
  /** A ruleset, all of it or nothing. */
  nft(ruleset: string): Promise<void>;
  nftQuery(...args: readonly string[]): Promise<string>;
  /** A program in Perl, for what the others cannot do; gives what it printed. */
  perl(program: string, input: string): Promise<string>;
}

const timeoutMs = 15_000;

/** Commands by the machine's own programs. */
export function createCommands(programs: NetworkPrograms, clock: Clock): NetworkCommands {
  const run = async (program: string, args: readonly string[], input?: string): Promise<string> => {
    try {
      const { stdout } = await runProgram(program, args, { clock, input, timeoutMs });
      return stdout;
    } catch (error) {
      throw new NetworkError(messageOf(error), { cause: error });
    }
  };
  return {
    ip: (...args) => run(programs.ip, args),
    async ipBatch(lines, namespace) {
      const inside = namespace === undefined ? [] : ["-n", namespace];
      await run(programs.ip, [...inside, "-batch", "-"], `${lines.join("\n")}\n`);
    },
    async nft(ruleset) {
      await run(programs.nft, ["-f", "-"], ruleset);
    },
    nftQuery: (...args) => run(programs.nft, args),
    perl: (program, input) => run(programs.perl, ["-e", program], input),
  };
}
