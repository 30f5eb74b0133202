import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { realClock, silentLogger } from "@kedge/machinery";
import { createPackageCache, packageLists } from "@kedge/node";
import { cacheFolder } from "../node/laboratory.ts";

/** A server of Debian, without a container. */
export interface RealServer {
  readonly program: "redis" | "valkey";
  /** `7.0` */
  readonly version: string;
  /** What to run, and the arguments that come first. */
  readonly server: readonly string[];
  readonly client: readonly string[];
}

/** The versions that the operator's tables are made of. */
const sources = [
  { program: "redis", version: "7.0", suite: "bookworm", packages: packageLists.redis7 },
  { program: "redis", version: "8.0", suite: "trixie", packages: packageLists.redis8 },
  { program: "valkey", version: "8.1", suite: "trixie", packages: packageLists.valkey },
  { program: "valkey", version: "9.1", suite: "sid", packages: packageLists.valkey },
] as const;

/** Fetches what is not in the cache yet. */
export async function realServers(): Promise<readonly RealServer[]> {
  const cache = createPackageCache({
    folder: cacheFolder(),
    clock: realClock,
    logger: silentLogger,
    path: process.env["PATH"] ?? "",
  });
  const found: RealServer[] = [];
  for (const { program, version, suite, packages } of sources) {
    const folders = (await cache.unpack(packages, suite)).map(({ folder }) => folder);
    const run = await loaderOf(folders);
    const at = (name: string): string =>
      folders.map((folder) => join(folder, "usr/bin", name)).find((path) => existsSync(path)) ?? name;
    // In Debian the server is another name of this program.
    const server = [...run(`${program}-server`), at(`${program}-check-rdb`)];
    found.push({ program, version, server, client: [...run(`${program}-cli`), at(`${program}-cli`)] });
  }
  return found;
}

/** The loader of these packages with their libraries: those of the machine may be older. */
async function loaderOf(folders: readonly string[]): Promise<(name: string) => readonly string[]> {
  const libraries: string[] = [];
  let loader = "";
  for (const root of folders.flatMap((folder) => [join(folder, "lib"), join(folder, "usr/lib")])) {
    if (!existsSync(root)) continue;
    for (const entry of await readdir(root)) {
      if (!entry.includes("linux-gnu")) continue;
      libraries.push(join(root, entry));
      const files = await readdir(join(root, entry));
      const own = files.find((file) => file.startsWith("ld-linux-"));
      if (own !== undefined) loader = join(root, entry, own);
    }
  }
  return (name) => [loader, "--argv0", name, "--library-path", libraries.join(":")];
}

/** Runs a program to its end and gives all that it said. */
export async function say(command: readonly string[], input: string): Promise<string> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], timeout: 60_000 });
  const failed = new Promise<never>((_done, fail) => child.on("error", fail));
  child.stdin.on("error", () => undefined).end(input);
  const [out, errors] = await Promise.race([Promise.all([text(child.stdout), text(child.stderr)]), failed]);
  return out + errors;
}

/**
 * Why a server does not take a line of redis.conf; undefined when it does. The line after it is one that no server takes,
 * so that none ever starts.
 */
export async function whyNot({ server }: RealServer, line: string): Promise<string | undefined> {
  const said = await say([...server, "-"], `${line}\nport none\n`);
  const lines = said.trim().split("\n");
  if (said.includes(">>> 'port none'")) return undefined;
  return lines.at(-1) ?? "";
}
