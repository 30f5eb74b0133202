import { withConnections } from "./connections.ts";
import { loadOf } from "./load.ts";
import type { Figures, Part } from "./part.ts";
import type { ServerProcess } from "../server-process.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const type = "application/apply-patch+yaml";

/** A Deployment of about 3 kB, as a chart makes it; `version` changes one value in it. */
function deployment(name: string, version: number): string {
  const container = (of: string) => ({
    name: of,
    image: `registry.example/team/${of}:1.2.3`,
    env: Array.from({ length: 14 }, (_, index) => ({ name: `SETTING_${index}`, value: `value of ${index}` })),
    ports: [{ name: "http", containerPort: 8080 }],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    readinessProbe: { httpGet: { path: "/ready", port: "http" }, periodSeconds: 5 },
  });
  const app = { "app.kubernetes.io/name": name };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels: app, annotations: { "example.com/version": String(version) } },
    spec: {
      replicas: 0,
      selector: { matchLabels: app },
      template: { metadata: { labels: app }, spec: { containers: ["main", "side"].map(container) } },
    },
  });
}

/** Server-side apply of objects that are there, each time with one change. */
export function applies(clients: number): Part["run"] {
  const count = clients === 1 ? 300 : 2000;
  const path = (index: number): string => `${deployments}/applied-${index}?fieldManager=bench&force=true`;
  return async (server: ServerProcess): Promise<Figures> => {
    await withConnections(server.access, 1, async ([connection]) => {
      for (let index = 0; index < clients; index++)
        await connection?.send("PATCH", path(index), deployment(`applied-${index}`, 0), type);
    });
    return await loadOf(server, {
      title: `apply of 3 kB, ${clients} ${clients === 1 ? "client" : "clients"}`,
      clients,
      count,
      send: (connection, index) =>
        connection.send(
          "PATCH",
          path(index % clients),
          deployment(`applied-${index % clients}`, index + 1),
          type,
        ),
    });
  };
}
