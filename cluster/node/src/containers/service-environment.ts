import type { DeepReadonly } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";

/**
 * The variables that tell a container where the services of its namespace are, in the names that Docker's links had.
 * `kubernetes` of the namespace `default` is always there: programs find the API server by it.
 */
export function serviceEnvironment(
  services: readonly DeepReadonly<Service>[],
  options: { readonly namespace: string; readonly links: boolean },
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const service of services) {
    const { namespace, name } = service.metadata;
    const isServer = namespace === "default" && name === "kubernetes";
    if (isServer || (options.links && namespace === options.namespace)) addService(environment, service);
  }
  return environment;
}

function addService(environment: Record<string, string>, service: DeepReadonly<Service>): void {
  const address = service.spec?.clusterIP ?? "";
  const ports = service.spec?.ports ?? [];
  const [first] = ports;
  if (address === "" || address === "None" || first === undefined) return;
  const prefix = variableName(service.metadata.name);
  environment[`${prefix}_SERVICE_HOST`] = address;
  environment[`${prefix}_SERVICE_PORT`] = String(first.port);
  environment[`${prefix}_PORT`] = url(address, first);
  for (const port of ports) {
    if (port.name !== undefined && port.name !== "") {
      environment[`${prefix}_SERVICE_PORT_${variableName(port.name)}`] = String(port.port);
    }
    const protocol = port.protocol ?? "TCP";
    const link = `${prefix}_PORT_${port.port}_${protocol.toUpperCase()}`;
    environment[link] = url(address, port);
    environment[`${link}_PROTO`] = protocol.toLowerCase();
    environment[`${link}_PORT`] = String(port.port);
    environment[`${link}_ADDR`] = address;
  }
}

function url(
  address: string,
  port: { readonly port: number; readonly protocol?: string | undefined },
): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return `${(port.protocol ?? "TCP").toLowerCase()}://${host}:${port.port}`;
}

function variableName(name: string): string {
  return name.replaceAll("-", "_").toUpperCase();
}
