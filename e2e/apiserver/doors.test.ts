import { createApiServer, listen } from "@kedge/apiserver";
import { Client, inProcessTransport, NetworkTransport } from "@kedge/client";
import { isConflict, isNotFound, realClock, realRandom } from "@kedge/machinery";
import { ConfigMap, Namespace } from "@kedge/machinery/kinds/core/v1";
import { createAuthority } from "@kedge/pki";
import { createMemoryStore } from "@kedge/store";
import { describe, expect, it } from "vitest";

const options = { clock: realClock, random: realRandom };
const user = { name: "jane", groups: ["system:masters"] };

/** One server, with a transport through each of its doors. */
async function openDoors() {
  const store = createMemoryStore(options);
  const api = createApiServer({ store, ...options });
  await api.start();
  const ca = await createAuthority({ name: "kedge-ca", ...options });
  const serving = await ca.issueServing({ name: "api", hosts: ["127.0.0.1"] });
  const client = await ca.issueClient({ user: user.name, groups: user.groups });
  const place = { host: "127.0.0.1", port: 0, serving, clientAuthority: ca.certificate };
  const door = await listen(api, { ...place, clock: realClock });
  const { handle, upgrade } = api.doorFor(user);
  const credentials = {
    current: () => Promise.resolve({ clientCertificate: client }),
    refused: () => false,
  };
  const config = {
    server: `https://127.0.0.1:${door.port}`,
    trust: { ca: ca.certificate },
    credentials,
    namespace: "default",
    source: "a test",
  };
  const network = new NetworkTransport(config, options);
  const inProcess = inProcessTransport(handle, upgrade);
  return {
    transports: { "in process": inProcess, "over HTTPS": network },
    [Symbol.asyncDispose]: async () => {
      await network.close();
      await inProcess.close();
      await door.close();
      await api.close();
      await store.close();
    },
  };
}

describe.each(["in process", "over HTTPS"] as const)("a client %s", (which) => {
  it("creates, reads, applies, watches and deletes", async () => {
    await using doors = await openDoors();
    const client = new Client(doors.transports[which], options);
    const maps = client.of(ConfigMap);
    const key = { namespace: "default", name: "a" };
    const created = await maps.create({ metadata: key, data: { x: "1" } });
    expect(await maps.get(key)).toEqual(created);

    const applied = await maps.apply({ metadata: key, data: { y: "2" } }, { fieldManager: "tester" });
    expect(applied.data).toEqual({ x: "1", y: "2" });
    const late = maps.replace({ ...created, data: { x: "3" } });
    await expect(late).rejects.toSatisfy(isConflict);

    const seen: string[] = [];
    for await (const event of maps.watch({ namespace: "default", sendInitialEvents: true })) {
      seen.push(event.type);
      if (event.type === "BOOKMARK") await maps.delete(key);
      if (event.type === "DELETED") break;
    }
    expect(seen).toEqual(["ADDED", "BOOKMARK", "DELETED"]);
    await expect(maps.get(key)).rejects.toSatisfy(isNotFound);
    const names = [];
    for await (const { metadata } of client.of(Namespace).list()) names.push(metadata.name);
    expect(names).toContain("kube-system");
  });
});

it.each([
  "/api/v1/namespaces/default",
  "/api/v1/namespaces",
  "/api",
  "/apis/apps/v1",
  "/version",
  "/api/v1/namespaces/default/configmaps/missing",
  "/nosuchpath",
  "/readyz?verbose",
])("both doors answer %s byte for byte the same", async (path) => {
  await using doors = await openDoors();
  const answers = await Promise.all(
    Object.values(doors.transports).map(async (transport) => {
      const headers = { accept: "application/json", host: "127.0.0.1" };
      const { status, headers: answered, body } = await transport.request({ method: "GET", path, headers });
      const bytes = Buffer.concat(await Array.fromAsync(body)).toString("utf8");
      return { status, type: answered["content-type"], length: answered["content-length"], bytes };
    }),
  );
  // Where the server is differs by the door, and the document says it.
  const [one, other] = answers.map((answer) => ({
    ...answer,
    bytes: answer.bytes.replaceAll(/127\.0\.0\.1(:\d+)?/gu, ""),
  }));
  expect({ ...other, length: "" }).toEqual({ ...one, length: "" });
});
