import { once } from "node:events";
import { connect as connectSocket, createServer, type AddressInfo, type Socket } from "node:net";
import { realClock } from "@kedge/machinery";
import { afterEach, describe, expect, it } from "vitest";
import { jsonAnswer, textOf } from "../testing/bodies.ts";
import { testConfig } from "../testing/config.ts";
import { serveHttps } from "../testing/https-server.ts";
import { NetworkTransport } from "./network-transport.ts";

type Handshake = (client: Socket) => Promise<{ host: string; port: number } | undefined>;

/** A proxy on a free port: `handshake` reads what the client wants; undefined refuses. */
async function startProxy(handshake: Handshake) {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client.on("error", () => undefined));
    void handshake(client).then((target) => {
      if (target === undefined) return client.end();
      seen.push(`${target.host}:${target.port}`);
      const upstream = connectSocket(target.port, target.host).on("error", () => client.destroy());
      sockets.add(upstream);
      client.pipe(upstream).pipe(client);
      return undefined;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function bytes(client: Socket, count?: number): Promise<Buffer> {
  for (;;) {
    const chunk = client.read(count) as Buffer | null;
    if (chunk !== null) return chunk;
    await once(client, "readable");
  }
}

const httpProxy =
  (expected?: string): Handshake =>
  async (client) => {
    const request = (await bytes(client)).toString();
    const [, host = "", port = ""] = /^CONNECT ([^:]+):(\d+) HTTP\/1\.1\r\n/.exec(request) ?? [];
    const allowed =
      expected === undefined || request.includes(`proxy-authorization: Basic ${btoa(expected)}\r\n`);
    client.write(
      allowed
        ? "HTTP/1.1 200 Connection established\r\n\r\n"
        : "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
    );
    return allowed ? { host, port: Number(port) } : undefined;
  };

const socksProxy =
  (expected?: string): Handshake =>
  async (client) => {
    const [, count = 0] = await bytes(client, 2);
    const methods = await bytes(client, count);
    if (expected !== undefined) {
      client.write(Buffer.of(5, methods.includes(2) ? 2 : 255));
      const [, length = 0] = await bytes(client, 2);
      const user = (await bytes(client, length)).toString();
      const password = (await bytes(client, (await bytes(client, 1))[0] ?? 0)).toString();
      const right = `${user}:${password}` === expected;
      client.write(Buffer.of(1, right ? 0 : 1));
      if (!right) return undefined;
    } else client.write(Buffer.of(5, 0));
    const head = await bytes(client, 5);
    const host = (await bytes(client, head[4] ?? 0)).toString();
    const port = (await bytes(client, 2)).readUInt16BE();
    client.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
    return { host, port };
  };

describe("proxies", () => {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  async function request(proxyUrl: (port: number) => string, handshake: Handshake) {
    const server = await serveHttps(async () => jsonAnswer({ ok: true }), { protocol: "h2" });
    const proxy = await startProxy(handshake);
    const transport = new NetworkTransport(testConfig(server.url, { proxy: proxyUrl(proxy.port) }), {
      clock: realClock,
    });
    closers.push(
      () => transport.close(),
      () => proxy.close(),
      async () => server[Symbol.asyncDispose](),
    );
    const answer = transport
      .request({ method: "GET", path: "/", headers: {} })
      .then(({ body }) => textOf(body));
    return { answer, proxy, server };
  }

  it.each<[string, (port: number) => string, Handshake]>([
    ["http", (port) => `http://127.0.0.1:${port}`, httpProxy()],
    ["http with a password", (port) => `http://me:s%40cret@127.0.0.1:${port}`, httpProxy("me:s@cret")],
    ["socks5", (port) => `socks5://127.0.0.1:${port}`, socksProxy()],
    ["socks5 with a password", (port) => `socks5://me:s%40cret@127.0.0.1:${port}`, socksProxy("me:s@cret")],
  ])("reaches the server through %s", async (_what, url, handshake) => {
    const { answer, proxy, server } = await request(url, handshake);
    expect(await answer).toBe('{"ok":true}');
    expect(proxy.seen).toEqual([`127.0.0.1:${server.port}`]);
  });

  it.each<[string, (port: number) => string, Handshake, RegExp]>([
    [
      "an http proxy that wants another password",
      (port) => `http://me:wrong@127.0.0.1:${port}`,
      httpProxy("me:right"),
      /407/,
    ],
    [
      "a socks proxy that wants another password",
      (port) => `socks5://me:wrong@127.0.0.1:${port}`,
      socksProxy("me:right"),
      /password not accepted/,
    ],
    [
      "a proxy that hangs up",
      (port) => `http://127.0.0.1:${port}`,
      () => Promise.resolve(undefined),
      /proxy closed/,
    ],
    [
      "a proxy that is not there",
      () => "http://127.0.0.1:1",
      httpProxy(),
      /cannot reach the proxy http:\/\/127.0.0.1:1/,
    ],
  ])("gives UNREACHABLE for %s, without the password", async (_what, url, handshake, text) => {
    const { answer } = await request(url, handshake);
    const failure = (await answer.catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject({ code: "UNREACHABLE", message: expect.stringMatching(text) as string });
    expect(failure.message).not.toContain("wrong");
  });

  it("refuses a kind of proxy that it does not know", async () => {
    const { answer } = await request(() => "ftp://127.0.0.1:1", httpProxy());
    await expect(answer).rejects.toMatchObject({ code: "CONFIG" });
  });
});
