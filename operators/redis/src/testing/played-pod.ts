import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { paths } from "../names.ts";
import { clientScript, probeClientScript, startClientScript } from "../specs/client-script.ts";

/** How a script ended. */
export interface Ended {
  readonly code: number | null;
  /** Both streams. */
  readonly output: string;
}

/** A folder in which the scripts of a pod run with the machine's own shell, and with programs that a test plays. */
export interface PlayedPod extends AsyncDisposable {
  /** Writes a file below the pod's root, by its path in the container. */
  write(path: string, content: string): Promise<void>;
  /** What a file has; empty when there is none. */
  read(path: string): Promise<string>;
  /** Puts a program on the path of the scripts: its text, in sh. */
  program(name: string, body: string): Promise<void>;
  run(script: string): Promise<Ended>;
}

/** The pod `cache-<ordinal>` of an instance in the namespace shop. A second is a fifth of one in it. */
export async function playPod(ordinal = 0): Promise<PlayedPod> {
  const folder = await mkdtemp(join(tmpdir(), "kedge-pod-"));
  const at = (path: string): string => join(folder, path);
  const bin = at("bin");
  // Longer paths first: some are the beginning of others.
  const places = Object.values(paths).toSorted((a, b) => b.length - a.length);
  const here = (script: string): string => {
    const tokens = places.reduce((done, place, i) => done.replaceAll(place, `@${i}@`), script);
    return tokens.replaceAll(/@(\d+)@/gu, (_all, i: string) => at(places[Number(i)] ?? ""));
  };
  const program = async (name: string, body: string): Promise<void> => {
    // Never through a link: behind it is a program of this machine.
    await rm(join(bin, name), { force: true });
    await writeFile(join(bin, name), `#!/bin/sh\n${here(body)}\n`);
    await chmod(join(bin, name), 0o755);
  };
  for (const path of [
    bin,
    at(paths.config),
    at(paths.runtime),
    at(paths.peers),
    at(paths.state),
    at(paths.system),
    at("dev"),
  ]) {
    await mkdir(path, { recursive: true });
  }
  await mkdir(at(paths.data));
  await symlink("/bin/sh", join(bin, "sh"));
  for (const name of ["wc", "rm", "mv"]) await symlink(`/usr/bin/${name}`, join(bin, name));
  await program("sleep", "exec /bin/sleep 0.2");
  const clients = [
    [paths.client, clientScript],
    [paths.probeClient, probeClientScript],
    [paths.startClient, startClientScript],
  ] as const;
  for (const [path, script] of clients) await writeFile(at(path), here(script));
  for (const name of ["cli", "probe", "start", "replication"])
    await writeFile(join(at(paths.system), name), `${name}-password`);
  await writeFile(at(paths.start), "start-password\n");
  await writeFile(at(paths.pod), `pod=cache-${ordinal}\ndomain=cache-headless.shop.svc\nconfig=0123456789\n`);
  return {
    program,
    async write(path, content) {
      await mkdir(join(at(path), ".."), { recursive: true });
      await writeFile(at(path), content);
    },
    read: (path) => readFile(at(path), "utf8").catch(() => ""),
    async run(script) {
      const child = spawn("/bin/sh", ["-c", here(script)], { env: { PATH: bin }, timeout: 240_000 });
      const code = new Promise<number | null>((done, fail) => child.on("error", fail).on("close", done));
      const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { code: await code, output: out + errors };
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true });
    },
  };
}
