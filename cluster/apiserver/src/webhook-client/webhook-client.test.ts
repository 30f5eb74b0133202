import { realClock, seededRandom } from "@kedge/machinery";
import { expect, test } from "vitest";
import { startServer } from "../testing/start-server.ts";
import { startHookTarget } from "./testing/hook-target.ts";
import { WebhookClient } from "./webhook-client.ts";

test("a webhook of a service is known by the name of the service, wherever it is", async () => {
  await using target = await startHookTarget(["web.default.svc"]);
  await using server = await startServer({ clock: realClock });
  target.behaviours.set("/hook", (response, _, request) => void response.end(request.headers.host));
  // The one kind of service that leads to this machine.
  await server.ask("POST", "/api/v1/namespaces/default/services", {
    metadata: { name: "web" },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  const client = new WebhookClient({
    objects: server.api.objects,
    clock: realClock,
    random: seededRandom(1),
  });
  const port = Number(new URL(target.url).port);
  const authority = Buffer.from(target.authority, "base64").toString("utf8");
  const post = (name: string): Promise<Buffer> =>
    client.post({
      endpoint: {
        url: `https://${name}.default.svc:443/hook`,
        service: { namespace: "default", name: "web", port },
        authority,
      },
      body: Buffer.from("{}"),
      patience: 5_000,
    });
  expect((await post("web")).toString("utf8")).toBe("web.default.svc:443");
  await expect(post("other")).rejects.toThrow(
    'Post "https://other.default.svc:443/hook?timeout=5s": tls: failed to verify certificate: x509: certificate is valid for web.default.svc, not other.default.svc',
  );
  client.close();
});
