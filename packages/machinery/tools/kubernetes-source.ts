import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { object, text } from "./json-value.ts";

const kubernetesModule = "k8s.io/kubernetes@v1.36.4";

/** The modules that the Go types of the API live in, of the same release, by the start of their types' names. */
const typeModules: ReadonlyMap<string, string> = new Map([
  ["io.k8s.api", "k8s.io/api@v0.36.4"],
  ["io.k8s.apiextensions-apiserver", "k8s.io/apiextensions-apiserver@v0.36.4"],
  ["io.k8s.apimachinery", "k8s.io/apimachinery@v0.36.4"],
  ["io.k8s.kube-aggregator", "k8s.io/kube-aggregator@v0.36.4"],
]);

/** Folders of Go modules by the start of the names that the API definition gives to their types. */
export type TypeSources = ReadonlyMap<string, string>;

/** The folder of the Kubernetes source that the kinds are generated from, fetched when it is not there. */
export async function downloadKubernetesSource(): Promise<string> {
  return downloadModule(kubernetesModule);
}

/** The folders of the Go types of the API, fetched when they are not there. */
export async function downloadTypeSources(): Promise<TypeSources> {
  return mapValues(typeModules, downloadModule);
}

/** The same folder if this machine has it; undefined when it, or Go, is not there. */
export async function findKubernetesSource(): Promise<string | undefined> {
  return findModule(kubernetesModule);
}

/** The same folders if this machine has them all; undefined when one, or Go, is not there. */
export async function findTypeSources(): Promise<TypeSources | undefined> {
  const found = await mapValues(typeModules, findModule);
  const complete = [...found].flatMap(([name, folder]) =>
    folder === undefined ? [] : [[name, folder] as const],
  );
  return complete.length === typeModules.size ? new Map(complete) : undefined;
}

async function downloadModule(module: string): Promise<string> {
  try {
    const answer: unknown = JSON.parse(await go("mod", "download", "-json", module));
    return text(object(answer, "go mod download")["Dir"], "go mod download: Dir");
  } catch (cause) {
    const hint = "install Go, or unpack the source and name it with --source DIR";
    throw new Error(`${module}: could not be downloaded with go: ${hint}`, { cause });
  }
}

async function findModule(module: string): Promise<string | undefined> {
  try {
    const directory = join((await go("env", "GOMODCACHE")).trim(), module);
    await access(directory);
    return directory;
  } catch {
    return undefined;
  }
}

async function mapValues<T>(
  map: ReadonlyMap<string, string>,
  change: (value: string) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  const entries = [...map].map(async ([key, value]) => [key, await change(value)] as const);
  return new Map(await Promise.all(entries));
}

async function go(...args: readonly string[]): Promise<string> {
  // Away from any go.mod or go.work, which would have a say in what is downloaded.
  const { stdout } = await promisify(execFile)("go", args, { cwd: tmpdir() });
  return stdout;
}
