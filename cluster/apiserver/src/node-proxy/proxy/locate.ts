import { BlockList, isIP } from "node:net";
import { badRequest, internalError, notFound, statusFailure, type StatusError } from "@kedge/machinery";
import { Endpoints, Node, Pod, Service, type EndpointAddress } from "@kedge/machinery/kinds/core/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { ConnectTarget } from "../../registry/types.ts";
import { addressOf } from "../node-address.ts";
import { tlsOptions } from "../node-request.ts";
import type { NodeProxyOptions } from "../types.ts";
import type { ProxyPlace } from "./forward.ts";
import type { ProxiedName } from "./proxied-name.ts";

/** Where what is named is reached. Throws a `StatusError`. */
export type Locate = (target: ConnectTarget, named: ProxiedName, options: NodeProxyOptions) => ProxyPlace;

/** A pod: its address, and the port that is named, or its first. */
export const locatePod: Locate = ({ object }, { scheme, port }) => {
  const { spec, status } = decodedAs(Pod, object);
  const host = status?.podIP ?? "";
  if (host === "") throw badRequest("address not allowed");
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  const named = ports.find(({ name }) => name === port)?.containerPort;
  const number = port === "" ? (ports[0]?.containerPort ?? 80) : (named ?? Number(port));
  return placeAt({ scheme: scheme === "" ? "http" : scheme, host, port: number });
};

/** A node: its agent, or another port of it. */
export const locateNode: Locate = ({ object }, { scheme, port }, options) => {
  const address = addressOf(decodedAs(Node, object).status);
  if (address === undefined)
    throw internalError(new Error("no preferred addresses found; known addresses: []"));
  const isAgent = port === "" || Number(port) === address.port;
  const place = placeAt({
    scheme: scheme === "" ? (isAgent ? "https" : "http") : scheme,
    host: address.host,
    port: port === "" ? address.port : Number(port),
    isNode: true,
  });
  return isAgent ? { ...place, tls: tlsOptions(options, false) } : place;
};

/** A service: one of its endpoints that are pods, by the port that is named. */
export const locateService: Locate = (target, { scheme, port }) => {
  const { name = "" } = target.object.metadata;
  const portName = servicePortName(target, port);
  const kind = target.objects.registry.byKind("", "Endpoints");
  const found = kind === undefined ? undefined : target.objects.get(kind, keyIn(target, name));
  if (found === undefined) throw notFound({ group: "", plural: "services" }, name);
  for (const { addresses = [], ports = [] } of decodedAs(Endpoints, found).subsets ?? []) {
    const number = ports.find((each) => (each.name ?? "") === portName)?.port;
    const address = addresses.find((each) => isOfPod(target, each));
    if (number === undefined || address?.ip === undefined) continue;
    return placeAt({ scheme: scheme === "" ? "http" : scheme, host: address.ip, port: number });
  }
  throw unavailable(`no endpoints available for service ${JSON.stringify(target.name)}`);
};

/** The name of a port that is named by its number. */
function servicePortName({ object }: ConnectTarget, port: string): string {
  if (!/^[+-]?\d+$/u.test(port)) return port;
  const found = (decodedAs(Service, object).spec?.ports ?? []).find((each) => each.port === Number(port));
  if (found !== undefined) return found.name ?? "";
  const { name = "" } = object.metadata;
  throw unavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
}

/** Whoever may write endpoints shall not reach through this server what is no pod. */
function isOfPod(target: ConnectTarget, { ip, targetRef }: Decoded<EndpointAddress>): boolean {
  const { namespace = "", name = "" } = targetRef ?? {};
  const pods = target.objects.registry.byKind("", "Pod");
  if (pods === undefined || namespace !== target.object.metadata.namespace) return false;
  const pod = target.objects.get(pods, { namespace, name });
  const { podIPs } = (pod === undefined ? undefined : decodedAs(Pod, pod).status) ?? {};
  return (podIPs ?? []).some((each) => each.ip === ip);
}

function keyIn(
  { object }: ConnectTarget,
  name: string,
): { readonly namespace: string; readonly name: string } {
  return { namespace: object.metadata.namespace ?? "", name };
}

function placeAt({
  isNode = false,
  ...place
}: Omit<ProxyPlace, "tls"> & { readonly isNode?: boolean }): ProxyPlace {
  const { host, port } = place;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw badRequest(`invalid port: ${String(port)}`);
  // A pod says itself which address it has: it shall not lead to what listens on this machine only.
  if (!isNode && isOwn(host)) throw badRequest("address not allowed");
  // What is behind it is known to nobody here: as of the real server, its certificate is not verified.
  return { ...place, tls: { rejectUnauthorized: false } };
}

function isOwn(host: string): boolean {
  const version = isIP(host);
  return version === 0 || own.check(host, version === 6 ? "ipv6" : "ipv4");
}

/** Of this machine, its link, or many. It knows addresses of version 4 within those of version 6 too, however they are spelled. */
const own = new BlockList();
own.addSubnet("0.0.0.0", 8, "ipv4");
own.addSubnet("127.0.0.0", 8, "ipv4");
own.addSubnet("169.254.0.0", 16, "ipv4");
own.addSubnet("224.0.0.0", 4, "ipv4");
own.addSubnet("::", 96, "ipv6");
own.addSubnet("fe80::", 10, "ipv6");
own.addSubnet("ff00::", 8, "ipv6");

function unavailable(message: string): StatusError {
  return statusFailure({ message, reason: "ServiceUnavailable", code: 503 });
}
