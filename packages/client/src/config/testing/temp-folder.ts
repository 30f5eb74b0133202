import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of real files that goes away with the test. */
export interface TempFolder {
  /** The full path of a name in it. */
  path(name: string): string;
  /** Writes a file, or writes it anew, and gives its path. */
  write(name: string, content: string | object): Promise<string>;
  /** Writes an executable `sh` script and gives its path. */
  script(name: string, body: string): Promise<string>;
  /** Lines of a file; none when it is not there. */
  lines(name: string): Promise<readonly string[]>;
}

/** Makes a folder for the running test. */
export async function tempFolder(): Promise<TempFolder> {
  const root = await mkdtemp(join(tmpdir(), "kedge-config-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const path = (name: string): string => join(root, name);
  const write = async (name: string, content: string | object): Promise<string> => {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), typeof content === "string" ? content : JSON.stringify(content));
    return path(name);
  };
  const script = async (name: string, body: string): Promise<string> => {
    const file = await write(name, `#!/bin/sh\n${body}\n`);
    await chmod(file, 0o755);
    return file;
  };
  const lines = async (name: string): Promise<readonly string[]> => {
    const text = await readFile(path(name), "utf8").catch(() => "");
    return text.split("\n").filter((line) => line !== "");
  };
  return { path, write, script, lines };
}
