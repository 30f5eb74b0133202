import { forbidden, VirtualClock } from "@kedge/machinery";
import { podConnects } from "../../node-proxy/index.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { startServer, type TestServer } from "../../testing/start-server.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../types.ts";

/** Where the objects of tests are. */
export const maps = "/api/v1/namespaces/default/configmaps";
/** Where its pods are. */
export const pods = "/api/v1/namespaces/default/pods";
/** Where its deployments are. */
export const deployments = "/apis/apps/v1/namespaces/default/deployments";

/** Writes down what it is asked, refuses when it is told to, and marks what it admits. */
export class Recorder implements AdmissionPlugin {
  readonly name = "Recorder";
  readonly operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"] as const;
  readonly asked: string[] = [];
  readonly requests: AdmissionRequest<StoredApiObject>[] = [];
  refuses: "admit" | "validate" | undefined;
  /** Only what this user does is written down, not what the server does when it starts. */
  readonly user = "admin";

  readonly admit = async (request: AdmissionRequest): Promise<void> => {
    await this.#record("admit", request);
    if (request.user.name === this.user && request.object !== undefined)
      request.object.metadata.labels = { ...request.object.metadata.labels, admitted: "yes" };
  };

  readonly validate = (request: AdmissionRequest<StoredApiObject>): Promise<void> =>
    this.#record("validate", request);

  async #record(half: "admit" | "validate", request: AdmissionRequest<StoredApiObject>): Promise<void> {
    // Plug-ins may take their time.
    await Promise.resolve();
    if (request.user.name !== this.user) return;
    this.requests.push(request);
    this.asked.push(`${half} ${textOf(request)}`);
    if (this.refuses === half) throw forbidden(request.resource, request.name, `told so in ${half}`);
  }
}

function textOf(request: AdmissionRequest<StoredApiObject>): string {
  const { operation, resource, subresource, kind, name, dryRun, object, oldObject } = request;
  const path = subresource === "" ? resource.plural : `${resource.plural}/${subresource}`;
  const has = [object === undefined ? "" : "new", oldObject === undefined ? "" : "old"];
  const words = [operation, path, kind.kind, JSON.stringify(name), ...has, dryRun ? "dry" : ""];
  return words.filter((word) => word !== "").join(" ");
}

/** A server with a recorder, and with objects that nobody wrote down. */
export async function startRecorded(): Promise<TestServer & { readonly recorder: Recorder }> {
  const recorder = new Recorder();
  const clock = new VirtualClock();
  const connects = podConnects({
    clientCertificate: { certificate: "", key: "" },
    authority: undefined,
    clock,
  });
  const server = await startServer({ clock, admission: [recorder], podConnects: connects });
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await server.ask("POST", accounts, { metadata: { name: "default" } });
  await server.ask("POST", maps, { metadata: { name: "a" } });
  await server.ask("POST", pods, { metadata: { name: "p" }, spec: podSpec });
  await server.ask("POST", deployments, { metadata: { name: "d" }, spec: deploymentSpec });
  recorder.asked.length = 0;
  recorder.requests.length = 0;
  return Object.assign(server, { recorder });
}

/** Of a small pod. */
export const podSpec = { containers: [{ name: "c", image: "c:1" }] };

/** Of one such pod. */
export const deploymentSpec = {
  replicas: 1,
  selector: { matchLabels: { app: "d" } },
  template: { metadata: { labels: { app: "d" } }, spec: podSpec },
};
