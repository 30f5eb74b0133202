import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { realClock } from "@kedge/machinery";

/** What a call of kubectl said. */
export interface KubectlResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A call that goes on until it is stopped: `get -w`, `logs -f`. */
export interface FollowedKubectl extends AsyncDisposable {
  /** Resolves when the output so far is as wanted, with that output. */
  until(isSo: (output: string) => boolean): Promise<string>;
  /** Types something. */
  write(text: string): void;
}

/** The real kubectl, for one cluster. */
export interface Kubectl {
  /** Runs it to its end. Arguments are separated by spaces; a list keeps those that hold some. */
  run(args: string | readonly string[], input?: string): Promise<KubectlResult>;
  /** The same, and its standard output; throws when it fails. */
  ok(args: string | readonly string[], input?: string): Promise<string>;
  /** The same, and its standard error; throws when it does not fail. */
  refused(args: string | readonly string[], input?: string): Promise<string>;
  follow(args: string): FollowedKubectl;
  /** The same on a terminal of 24 lines of 80 characters. */
  onTerminal(args: string): TerminalKubectl;
}

/** A call that goes on, on a terminal. */
export interface TerminalKubectl extends FollowedKubectl {
  /** Gives the terminal another size, as if its window was pulled. */
  resize(size: { readonly rows: number; readonly columns: number }): Promise<void>;
}

/** How kubectl is called. */
export interface KubectlOptions {
  readonly program: string;
  readonly kubeconfig: string;
  /** Its own home, so that what it remembers of other servers on the same port does not count. */
  readonly home: string;
  /** More of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const patience = 240_000;
let terminals = 0;

/** Makes calls of kubectl short. */
export function kubectlFor({ program, kubeconfig, home, env: more = {} }: KubectlOptions): Kubectl {
  const env = {
    ...more,
    PATH: process.env["PATH"],
    KUBECONFIG: kubeconfig,
    HOME: home,
  };
  const start = (args: string | readonly string[], signal?: AbortSignal) =>
    spawn(program, wordsOf(args), { env, stdio: "pipe", ...(signal && { signal }) });

  const run: Kubectl["run"] = async (args, input = "") => {
    using limit = realClock.deadline(patience);
    const child = start(args, limit.signal);
    const closed = once(child, "close");
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = (await closed) as [number | null];
    return { code, stdout, stderr };
  };
  return {
    run,
    async ok(args, input) {
      const { code, stdout, stderr } = await run(args, input);
      if (code === 0) return stdout;
      throw new Error(`kubectl ${wordsOf(args).join(" ")}: ended with ${code}\n${stdout}${stderr}`);
    },
    async refused(args, input) {
      const { code, stdout, stderr } = await run(args, input);
      if (code !== 0) return stderr;
      throw new Error(`kubectl ${wordsOf(args).join(" ")}: should have been refused\n${stdout}`);
    },
    follow: (args) => followed(start(args), args),
    onTerminal(args) {
      const name = join(home, `terminal-${(terminals += 1)}`);
      const line = `tty >${name}; stty rows 24 cols 80; exec ${program} ${args}`;
      const words = ["--quiet", "--return", "--flush", "--command", line, "/dev/null"];
      const terminal = followed(
        spawn("script", words, { env: { ...env, SHELL: "/bin/sh" }, stdio: "pipe" }),
        args,
      );
      return {
        ...terminal,
        async resize({ rows, columns }) {
          const device = (await readFile(name, "utf8")).trim();
          const stty = spawn("stty", ["-F", device, "rows", String(rows), "cols", String(columns)]);
          await once(stty, "close");
        },
      };
    },
  };
}

function wordsOf(args: string | readonly string[]): readonly string[] {
  return typeof args === "string" ? args.split(" ") : args;
}

function followed(child: ChildProcessByStdio<Writable, Readable, Readable>, args: string): FollowedKubectl {
  let output = "";
  let look: () => void = () => undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      look();
    });
  }
  const ended = once(child, "close");
  return {
    async until(isSo) {
      using limit = realClock.deadline(patience);
      const seen = Promise.withResolvers<string>();
      look = () => {
        if (isSo(output)) seen.resolve(output);
      };
      limit.signal.addEventListener("abort", () =>
        seen.reject(new Error(`kubectl ${args}: not as wanted after ${patience / 1000} s:\n${output}`)),
      );
      look();
      return await seen.promise;
    },
    write: (typed) => void child.stdin.write(typed),
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
