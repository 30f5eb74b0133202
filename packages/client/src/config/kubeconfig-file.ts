import { dirname, resolve, sep } from "node:path";
import {
  booleanField,
  listField,
  mappingField,
  mappingFrom,
  stringField,
  stringsField,
  type Item,
  type Mapping,
} from "./mapping.ts";
import { parseYaml } from "./parse-yaml.ts";
import { fieldOf, placeError, type Place } from "./place.ts";
import type {
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigExec,
  KubeconfigUser,
} from "./kubeconfig-types.ts";

/**
 * Parses the text of one kubeconfig. Types are checked here; rules between fields are checked for the entries that
 * are used, so that a broken entry does not spoil the others. Unknown fields are ignored.
 */
export function parseKubeconfig(text: string, file: string): Kubeconfig {
  const place: Place = { document: file, path: "", code: "CONFIG" };
  const root = mappingFrom(parseYaml(text, place), place);
  expectValue(root, "kind", "Config");
  expectValue(root, "apiVersion", "v1");
  const read: Reader = { root, folder: dirname(resolve(file)) };
  return {
    files: [file],
    currentContext: stringField(root, "current-context"),
    clusters: readEntries(read, { list: "clusters", entry: "cluster" }, readCluster),
    users: readEntries(read, { list: "users", entry: "user" }, readUser),
    contexts: readEntries(read, { list: "contexts", entry: "context" }, readContext),
  };
}

interface Reader {
  readonly root: Mapping;
  /** Relative paths are meant from here. */
  readonly folder: string;
}

function expectValue(root: Mapping, name: string, expected: string): void {
  const value = stringField(root, name);
  if (value === undefined || value === expected) return;
  throw placeError(fieldOf(root.place, name), `must be "${expected}", got "${value}"`, {
    hint: "this file is not a kubeconfig",
  });
}

function readEntries<T>(
  reader: Reader,
  names: { readonly list: string; readonly entry: string },
  readEntry: (mapping: Mapping, reader: Reader) => T,
): ReadonlyMap<string, T> {
  const entries = new Map<string, T>();
  for (const item of listField(reader.root, names.list)) {
    const { name, place, value } = readNamed(item, names.entry);
    if (entries.has(name)) {
      throw placeError(fieldOf(item.place, "name"), `duplicate name "${name}"; rename or remove one of them`);
    }
    const entryPlace = { ...place, entry: `${names.entry} "${name}"` };
    entries.set(name, readEntry(mappingFrom(value, entryPlace), reader));
  }
  return entries;
}

function readNamed(item: Item, field: string): Item & { readonly name: string } {
  const named = mappingFrom(item.value, item.place);
  return {
    name: stringField(named, "name") ?? "",
    value: named.fields.get(field),
    place: fieldOf(item.place, field),
  };
}

function readCluster(cluster: Mapping, { folder }: Reader): KubeconfigCluster {
  return {
    place: cluster.place,
    server: stringField(cluster, "server"),
    tlsServerName: stringField(cluster, "tls-server-name"),
    insecureSkipTlsVerify: booleanField(cluster, "insecure-skip-tls-verify"),
    certificateAuthority: pathField(cluster, "certificate-authority", folder),
    certificateAuthorityData: base64Field(cluster, "certificate-authority-data"),
    proxyUrl: stringField(cluster, "proxy-url"),
    disableCompression: booleanField(cluster, "disable-compression"),
    execConfig: readExtension(cluster, "client.authentication.k8s.io/exec"),
  };
}

function readUser(user: Mapping, reader: Reader): KubeconfigUser {
  const exec = mappingField(user, "exec");
  const extra = mappingField(user, "as-user-extra");
  const provider = mappingField(user, "auth-provider");
  return {
    place: user.place,
    clientCertificate: pathField(user, "client-certificate", reader.folder),
    clientCertificateData: base64Field(user, "client-certificate-data"),
    clientKey: pathField(user, "client-key", reader.folder),
    clientKeyData: base64Field(user, "client-key-data"),
    token: stringField(user, "token"),
    tokenFile: pathField(user, "tokenFile", reader.folder),
    username: stringField(user, "username"),
    password: stringField(user, "password"),
    as: stringField(user, "as"),
    asUid: stringField(user, "as-uid"),
    asGroups: stringsField(user, "as-groups"),
    asUserExtra: extra === undefined ? {} : stringLists(extra),
    exec: exec === undefined ? undefined : readExec(exec, reader),
    authProvider: provider === undefined ? undefined : (stringField(provider, "name") ?? ""),
  };
}

function stringLists(mapping: Mapping): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries([...mapping.fields.keys()].map((key) => [key, stringsField(mapping, key)]));
}

function readExec(exec: Mapping, { folder }: Reader): KubeconfigExec {
  const command = stringField(exec, "command");
  return {
    place: exec.place,
    // A bare name is looked up in PATH; with a separator it is a path, and meant from the file it stands in.
    command: command?.includes(sep) === true ? resolve(folder, command) : command,
    args: stringsField(exec, "args"),
    env: listField(exec, "env").map(readVariable),
    apiVersion: stringField(exec, "apiVersion"),
    installHint: stringField(exec, "installHint"),
    provideClusterInfo: booleanField(exec, "provideClusterInfo"),
    interactiveMode: stringField(exec, "interactiveMode"),
  };
}

function readVariable(item: Item): { readonly name: string; readonly value: string } {
  const variable = mappingFrom(item.value, item.place);
  const name = stringField(variable, "name");
  if (name === undefined) throw placeError(fieldOf(item.place, "name"), "must be set");
  return { name, value: stringField(variable, "value") ?? "" };
}

function readContext(context: Mapping): KubeconfigContext {
  return {
    place: context.place,
    cluster: stringField(context, "cluster"),
    user: stringField(context, "user"),
    namespace: stringField(context, "namespace"),
  };
}

function readExtension(mapping: Mapping, name: string): unknown {
  return listField(mapping, "extensions")
    .map((item) => readNamed(item, "extension"))
    .find((extension) => extension.name === name)?.value;
}

function pathField(mapping: Mapping, name: string, folder: string): string | undefined {
  const path = stringField(mapping, name);
  return path === undefined ? undefined : resolve(folder, path);
}

function base64Field(mapping: Mapping, name: string): string | undefined {
  const text = stringField(mapping, name)?.replaceAll(/[\r\n]/g, "");
  if (text === undefined || text === "") return undefined;
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (!isBase64) throw placeError(fieldOf(mapping.place, name), "must be base64");
  return Buffer.from(text, "base64").toString("utf8");
}
