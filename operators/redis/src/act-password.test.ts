import { Readable } from "node:stream";
import { Client, inProcessTransport } from "@kedge/client";
import {
  alreadyExists,
  controllerReference,
  notFound,
  seededRandom,
  statusOf,
  VirtualClock,
  type ApiRequest,
  type ApiResponse,
} from "@kedge/machinery";
import type { EventNote } from "@kedge/runtime";
import { describe, expect, it } from "vitest";
import type { Acting } from "./acting.ts";
import { adoptPassword, createPassword, restorePassword } from "./act-password.ts";
import { instanceOf } from "./testing/builders.ts";

const instance = instanceOf();
const ours = { ownerReferences: [controllerReference(instance)] };

interface StoredSecret {
  readonly metadata: { readonly name: string };
  readonly data: { readonly password: string };
}

/** A server that has Secrets of one namespace, and what was told. */
function world(there: Readonly<Record<string, { readonly password?: string; readonly metadata?: object }>>) {
  const secrets = new Map<string, object>(
    Object.entries(there).map(([name, { password, metadata }]) => [
      name,
      {
        metadata: { namespace: "shop", name, ...metadata },
        data: password === undefined ? {} : { password },
      },
    ]),
  );
  const answer = ({ method, path, body }: ApiRequest): object => {
    const resource = { group: "", plural: "secrets" };
    if (method === "POST") {
      const made = JSON.parse(Buffer.from(body ?? "").toString()) as StoredSecret;
      const { name } = made.metadata;
      if (secrets.has(name)) throw alreadyExists(resource, name);
      secrets.set(name, made);
      return made;
    }
    const name = path.split("?")[0]?.split("/").at(-1) ?? "";
    const found = secrets.get(name);
    if (found === undefined) throw notFound(resource, name);
    return found;
  };
  const told: EventNote[] = [];
  const transport = inProcessTransport((request) => Promise.resolve(respond(() => answer(request))));
  const acting: Acting = {
    instance,
    secretRandom: seededRandom(1),
    context: {
      client: new Client(transport, { clock: new VirtualClock(), random: seededRandom(2) }),
      signal: new AbortController().signal,
      events: { record: (_subject, note) => void told.push(note), flush: () => Promise.resolve() },
    },
  };
  const passwordOf = (name: string): string | undefined =>
    (secrets.get(name) as StoredSecret | undefined)?.data.password;
  return { acting, told, passwordOf };
}

function respond(answer: () => object): ApiResponse {
  const json = (value: object, status: number): ApiResponse => ({
    status,
    headers: { "content-type": "application/json" },
    body: Readable.from([Buffer.from(JSON.stringify(value))]),
  });
  try {
    return json(answer(), 200);
  } catch (error) {
    const status = statusOf(error);
    return json(status, status.code ?? 500);
  }
}

describe("a password", () => {
  it("is made and given to the servers", async () => {
    const { acting, passwordOf } = world({});
    await createPassword(acting);
    expect(passwordOf("cache-auth")).toMatch(/^.{40,}$/u);
    expect(passwordOf("cache.password-in-use")).toBe(passwordOf("cache-auth"));
  });

  it("that users bring is given to the servers byte by byte", async () => {
    const { acting, passwordOf } = world({ "cache-auth": { password: "/w==" } });
    await createPassword(acting);
    expect(passwordOf("cache.password-in-use")).toBe("/w==");
  });

  it("is not made for servers that may have one", async () => {
    const { acting, passwordOf } = world({});
    await adoptPassword(acting);
    await restorePassword(acting);
    expect([passwordOf("cache-auth"), passwordOf("cache.password-in-use")]).toEqual([undefined, undefined]);
  });

  it("comes back into the users' Secret, and that is told", async () => {
    const { acting, told, passwordOf } = world({
      "cache.password-in-use": { password: "cA==", metadata: ours },
    });
    await restorePassword(acting);
    expect(passwordOf("cache-auth")).toBe("cA==");
    expect(told).toMatchObject([{ type: "Warning", reason: "PasswordRestored" }]);
  });

  it("is never taken from a Secret that only has the name of ours", async () => {
    const { acting, passwordOf } = world({
      "cache-auth": { password: "cA==" },
      "cache.password-in-use": { password: "b3RoZXI=" },
    });
    await expect(adoptPassword(acting)).rejects.toThrow("is not this instance's");
    await expect(restorePassword(acting)).rejects.toThrow("is not this instance's");
    expect(passwordOf("cache.password-in-use")).toBe("b3RoZXI=");
  });

  it("that no server can take is refused without repeating it", async () => {
    const { acting } = world({ "cache-auth": { password: Buffer.from('se"cret').toString("base64") } });
    await expect(adoptPassword(acting)).rejects.toThrow(
      "The Secret cache-auth has a password with a quote, a backslash or a line break: choose another one.",
    );
  });
});
