import { StoreError } from "../store-error.ts";
import type { EtcdOptions } from "./etcd-store.ts";

/** What a URL says of an etcd. */
export type EtcdPlace = Pick<EtcdOptions, "endpoints" | "tls" | "prefix">;

/** Where keys are kept unless the URL says so: not where kube-apiserver has its own. */
const usualPrefix = "/kedge";
const usualPort = "2379";
const files = ["cafile", "certfile", "keyfile"] as const;

/**
 * Reads `etcd://host:port,host:port/prefix?cafile=…&certfile=…&keyfile=…`. The files, with kube-apiserver's names, turn
 * TLS on. Throws what is wrong with it.
 */
export function parseEtcdUrl(text: string): EtcdPlace {
  const wrong = (why: string): StoreError =>
    new StoreError("INVALID", `${text}: ${why}: it must be like etcd://host:2379,other:2379/kedge`);
  const [, hosts = "", path = "", query = ""] = /^etcd:\/\/([^/?]*)(\/[^?]*)?(?:\?(.*))?$/u.exec(text) ?? [];
  if (hosts === "") throw wrong("names no member");
  const endpoints = hosts.split(",").map((host) => endpointOf(host, wrong));
  const tls = tlsOf(new URLSearchParams(query), wrong);
  const prefix = path.replace(/\/+$/u, "");
  return { endpoints, prefix: prefix === "" ? usualPrefix : prefix, ...(tls !== undefined && { tls }) };
}

function endpointOf(host: string, wrong: (why: string) => StoreError): string {
  const [, name = "", port = usualPort] = /^(\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/u.exec(host) ?? [];
  if (name === "" || Number(port) < 1 || Number(port) > 65_535)
    throw wrong(`${JSON.stringify(host)} is no host with a port`);
  return `${name}:${port}`;
}

function tlsOf(query: URLSearchParams, wrong: (why: string) => StoreError): EtcdPlace["tls"] {
  for (const name of query.keys())
    if (!files.some((file) => file === name)) throw wrong(`${name} is none of ${files.join(", ")}`);
  const [cafile, certfile, keyfile] = files.map((name) => query.get(name) ?? undefined);
  if ((certfile === undefined) !== (keyfile === undefined))
    throw wrong("certfile and keyfile are only given together");
  return cafile === undefined && certfile === undefined ? undefined : { cafile, certfile, keyfile };
}
