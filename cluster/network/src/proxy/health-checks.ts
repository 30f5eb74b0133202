import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { DeepReadonly, Logger } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { readyOn } from "./service-endpoints.ts";
import { keyOf, slicesByService } from "./service-ports.ts";

/** A port of the node that says whether a load balancer may send connections of a service here. */
export interface HealthCheck {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** How many endpoints of the service are on this node, and ready. */
  readonly endpoints: number;
}

/** Serves health checks. */
export interface HealthChecks {
  /** These, and no others. */
  serve(checks: readonly HealthCheck[]): Promise<void>;
  close(): Promise<void>;
}

/** Those of the services whose load balancer has to know. */
export function healthChecksOf(
  services: readonly DeepReadonly<Service>[],
  slices: readonly DeepReadonly<EndpointSlice>[],
  nodeName: string,
): readonly HealthCheck[] {
  const slicesOf = slicesByService(slices);
  return services.flatMap((service) => {
    const { type, externalTrafficPolicy, healthCheckNodePort: port = 0 } = service.spec ?? {};
    if (type !== "LoadBalancer" || externalTrafficPolicy !== "Local" || port === 0) return [];
    const { namespace, name } = service.metadata;
    return [{ namespace, name, port, endpoints: readyOn(slicesOf.get(keyOf(service)) ?? [], nodeName) }];
  });
}

/** Connections at once; who asks is a load balancer or two. */
const mostConnections = 64;

/** Serves them on an address of the node. */
export function createHealthChecks({
  address,
  logger,
}: {
  readonly address: string;
  readonly logger: Logger;
}): HealthChecks {
  const current = new Map<number, HealthCheck>();
  const servers = new Map<number, Server>();

  const start = async (port: number): Promise<void> => {
    const server = createServer((request, response) => {
      const check = current.get(port);
      request.resume();
      if (check === undefined) response.writeHead(503).end();
      else {
        response.writeHead(check.endpoints > 0 ? 200 : 503, {
          "Content-Type": "application/json",
          "X-Content-Type-Options": "nosniff",
          "X-Load-Balancing-Endpoint-Weight": String(check.endpoints),
        });
        response.end(bodyOf(check));
      }
    });
    server.maxConnections = mostConnections;
    server.on("error", (error) => logger.warn("A health check port failed", { port, error }));
    servers.set(port, server);
    server.listen(port, address);
    await once(server, "listening");
  };
  const stop = async (port: number): Promise<void> => {
    const server = servers.get(port);
    servers.delete(port);
    if (server?.listening !== true) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };

  return {
    async serve(checks) {
      current.clear();
      for (const check of checks) current.set(check.port, check);
      for (const port of servers.keys()) if (!current.has(port)) await stop(port);
      for (const check of checks) {
        if (servers.get(check.port)?.listening === true) continue;
        try {
          await start(check.port);
        } catch (error) {
          // Another program has the port. The rules are more important; it is tried again with the next change.
          const service = `${check.namespace}/${check.name}`;
          logger.error("The health check port of a service cannot be opened", {
            service,
            port: check.port,
            error,
          });
        }
      }
    },
    async close() {
      for (const port of servers.keys()) await stop(port);
    },
  };
}

/** As kube-proxy has it. */
function bodyOf({ namespace, name, endpoints }: HealthCheck): string {
  const body = {
    service: { namespace, name },
    localEndpoints: endpoints,
    serviceProxyHealthy: true,
  };
  return JSON.stringify(body, undefined, "\t");
}
