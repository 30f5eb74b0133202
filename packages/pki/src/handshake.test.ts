import { once } from "node:events";
import { connect, createServer, type ConnectionOptions, type TLSSocket } from "node:tls";
import { realClock, seededRandom, VirtualClock, type Clock } from "@kedge/machinery";
import { expect, it, onTestFinished } from "vitest";
import { createAuthority } from "./authority.ts";
import { bundleOf } from "./bundle.ts";
import type { Authority, CertificateWithKey } from "./types.ts";

const hour = 3_600_000;
const authority = (clock: Clock = realClock) =>
  createAuthority({ name: "ca", clock, random: seededRandom(3) });
const serving = (by: Authority) =>
  by.issueServing({ name: "server", hosts: ["web.example.org", "127.0.0.1"] });

/** Shakes hands, and tells what each side saw of the other; fails with the first side's complaint. */
async function handshake(server: Side, client: Side, options: ConnectionOptions = {}) {
  const listener = createServer({
    cert: server.shows.certificate,
    key: server.shows.key,
    ca: server.trusts,
    requestCert: true,
    // Refusing is left to us: Node.js would close the connection and not say why.
    rejectUnauthorized: false,
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => void listener.close());
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("no port");

  const accepted = Promise.race([
    once(listener, "secureConnection").then(([socket]) => socket as TLSSocket),
    once(listener, "tlsClientError").then(([problem]) => Promise.reject(problem as Error)),
  ]);
  accepted.catch(() => undefined);
  const socket = connect({
    host: "127.0.0.1",
    port: address.port,
    servername: "web.example.org",
    cert: client.shows.certificate,
    key: client.shows.key,
    ca: client.trusts,
    ...options,
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  const peer = await accepted;
  onTestFinished(() => void peer.destroy());
  if (!peer.authorized) throw Object.assign(new Error("client refused"), { code: peer.authorizationError });
  return {
    user: peer.getPeerCertificate().subject,
    protocol: socket.getProtocol(),
    server: socket.getPeerCertificate(),
  };
}

interface Side {
  readonly shows: CertificateWithKey;
  readonly trusts: string;
}

async function sides(by: Authority): Promise<{ server: Side; client: Side }> {
  const trusts = by.certificate;
  return {
    server: { shows: await serving(by), trusts },
    client: { shows: await by.issueClient({ user: "jane", groups: ["dev", "ops"] }), trusts },
  };
}

it("both sides know each other", async () => {
  const { server, client } = await sides(await authority());
  const seen = await handshake(server, client);
  expect(seen.protocol).toBe("TLSv1.3");
  expect(seen.user).toEqual({ CN: "jane", O: ["dev", "ops"] });
  expect(seen.server.subject.CN).toBe("server");
});

it("a server is known by its address too", async () => {
  const { server, client } = await sides(await authority());
  await expect(handshake(server, client, { servername: "" })).resolves.toMatchObject({
    user: { CN: "jane" },
  });
});

it("a server under another name is refused", async () => {
  const { server, client } = await sides(await authority());
  await expect(handshake(server, client, { servername: "other.example.org" })).rejects.toMatchObject({
    code: "ERR_TLS_CERT_ALTNAME_INVALID",
  });
});

it("a server that has expired is refused", async () => {
  const { server, client } = await sides(await authority());
  const past = await authority(new VirtualClock({ epoch: realClock.now() - 20 * 365 * 24 * hour }));
  const expired = { ...server, shows: await serving(past) };
  await expect(handshake(expired, { ...client, trusts: past.certificate })).rejects.toMatchObject({
    code: "CERT_HAS_EXPIRED",
  });
});

it("a server that is not good yet is refused", async () => {
  const { server, client } = await sides(await authority());
  const future = await authority(new VirtualClock({ epoch: realClock.now() + hour }));
  await expect(
    handshake({ ...server, shows: await serving(future) }, { ...client, trusts: future.certificate }),
  ).rejects.toMatchObject({ code: "CERT_NOT_YET_VALID" });
});

it("a server of an unknown authority is refused", async () => {
  const { server, client } = await sides(await authority());
  const stranger = await createAuthority({ name: "stranger", clock: realClock, random: seededRandom(4) });
  await expect(handshake({ ...server, shows: await serving(stranger) }, client)).rejects.toMatchObject({
    code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  });
});

it("a client's certificate does not pass for a server's, nor the other way round", async () => {
  const { server, client } = await sides(await authority());
  await expect(
    handshake({ ...server, shows: client.shows }, client, { checkServerIdentity: () => undefined }),
  ).rejects.toMatchObject({
    code: "INVALID_PURPOSE",
  });
  await expect(handshake(server, { ...client, shows: server.shows })).rejects.toMatchObject({
    code: "INVALID_PURPOSE",
  });
});

it("while authorities of one name change, who trusts both accepts both, who trusts one refuses the other", async () => {
  const [old, next] = [await authority(), await authority()];
  const { server, client } = await sides(old);
  const both = bundleOf([next.certificate, old.certificate], realClock);
  const renewed = { shows: await serving(next), trusts: both };
  await expect(handshake(renewed, { ...client, trusts: both })).resolves.toBeDefined();
  await expect(handshake({ ...server, trusts: both }, { ...client, trusts: both })).resolves.toBeDefined();
  await expect(handshake(renewed, client)).rejects.toMatchObject({ code: "SELF_SIGNED_CERT_IN_CHAIN" });
});
