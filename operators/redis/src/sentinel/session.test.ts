import { resourceVersion, uid } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { podOf } from "../testing/builders.ts";
import { encodeAnswer } from "./answer.ts";
import { Masters, type SentinelMaster } from "./masters.ts";
import { SentinelSession } from "./session.ts";

const server = (pod: string, host: string, isUp = true) => ({ pod, host, port: 6379, isUp });
const master: SentinelMaster = {
  names: ["shop/cache", "cache"],
  primary: server("cache-0", "10.0.0.1"),
  replicas: [server("cache-1", "10.0.0.2"), server("cache-2", "10.0.0.3", false)],
  epoch: 4,
};
const sessionOf = (masters: readonly SentinelMaster[] = [master]): SentinelSession =>
  new SentinelSession(() => masters, 7);
const say = (session: SentinelSession, ...command: readonly string[]): string =>
  session
    .answer(command)
    .map((answer) => encodeAnswer(answer, session.protocol))
    .join("");

describe("what clients ask", () => {
  it.each([
    [["PING"], "+PONG\r\n"],
    [["ping", "hi"], "$2\r\nhi\r\n"],
    [["AUTH", "any"], "+OK\r\n"],
    [["CLIENT", "SETNAME", "x"], "+OK\r\n"],
    [["SENTINEL", "get-master-addr-by-name", "cache"], "*2\r\n$8\r\n10.0.0.1\r\n$4\r\n6379\r\n"],
    [["sentinel", "GET-MASTER-ADDR-BY-NAME", "shop/cache"], "*2\r\n$8\r\n10.0.0.1\r\n$4\r\n6379\r\n"],
    [["SENTINEL", "get-master-addr-by-name", "other"], "*-1\r\n"],
    [["SENTINEL", "master", "other"], "-ERR No such master with that name\r\n"],
    [["SENTINEL", "sentinels", "cache"], "*0\r\n"],
    [["SENTINEL", "failover", "cache"], "-ERR Unknown sentinel subcommand 'failover'\r\n"],
    [["SENTINEL"], "-ERR Unknown sentinel subcommand ''\r\n"],
    [["GET", "a\r\nb"], "-ERR unknown command 'GET', with args beginning with: \r\n"],
    [["a\r\n+OK"], "-ERR unknown command 'a??+OK', with args beginning with: \r\n"],
    [["ROLE"], "*2\r\n$8\r\nsentinel\r\n*1\r\n$10\r\nshop/cache\r\n"],
    [["HELLO", "4"], "-NOPROTO unsupported protocol version\r\n"],
    [["SUBSCRIBE"], "-ERR wrong number of arguments for 'subscribe' command\r\n"],
  ])("%j", (command, expected) => {
    expect(say(sessionOf(), ...command)).toBe(expected);
  });

  it("the master and its replicas, with what clients look at", () => {
    const masters = say(sessionOf(), "SENTINEL", "masters");
    expect(masters).toMatch(/^\*1\r\n\*\d+\r\n\$4\r\nname\r\n\$10\r\nshop\/cache\r\n/u);
    expect(masters).toContain("flags\r\n$6\r\nmaster\r\n");
    expect(masters).toContain("config-epoch\r\n$1\r\n4\r\n");
    for (const word of ["replicas", "slaves"]) {
      const replicas = say(sessionOf(), "SENTINEL", word, "cache");
      expect(replicas).toMatch(/^\*2\r\n/u);
      expect(replicas).toContain("flags\r\n$5\r\nslave\r\n");
      expect(replicas).toContain("s_down");
    }
    expect(say(sessionOf(), "INFO")).toContain(
      "master0:name=shop/cache,status=ok,address=10.0.0.1:6379,slaves=2,sentinels=1",
    );
  });

  it("a master without an address is down, and nowhere", () => {
    const session = sessionOf([{ ...master, primary: undefined }]);
    expect(say(session, "SENTINEL", "get-master-addr-by-name", "cache")).toBe("*-1\r\n");
    expect(say(session, "SENTINEL", "master", "cache")).toContain("master,s_down,o_down");
    expect(say(session, "SENTINEL", "ckquorum", "cache")).toMatch(/^-NOQUORUM/u);
  });

  it("in the version of the protocol that they choose", () => {
    const session = sessionOf();
    expect(say(session, "HELLO", "3", "AUTH", "u", "p")).toMatch(/^%6\r\n\$6\r\nserver\r\n/u);
    expect(say(session, "SENTINEL", "master", "cache")).toMatch(/^%/u);
    expect(say(session, "SENTINEL", "get-master-addr-by-name", "other")).toBe("_\r\n");
    expect(say(session, "SUBSCRIBE", "+switch-master")).toMatch(/^>3\r\n/u);
    expect(say(session, "PING")).toBe("+PONG\r\n");
    expect(say(session, "RESET")).toBe("+RESET\r\n");
    expect(say(session, "HELLO")).toMatch(/^\*12\r\n/u);
  });

  it("goes when it says so", () => {
    const session = sessionOf();
    expect([say(session, "QUIT"), session.isOver]).toEqual(["+OK\r\n", true]);
  });
});

describe("a new primary", () => {
  const change = { name: "cache", from: server("cache-0", "10.0.0.1"), to: server("cache-1", "10.0.0.2") };
  const told = (session: SentinelSession): string =>
    session
      .tell(change)
      .map((answer) => encodeAnswer(answer, session.protocol))
      .join("");

  it.each([
    [["SUBSCRIBE", "+switch-master"], true],
    [["SUBSCRIBE", "+sdown"], false],
    [["PSUBSCRIBE", "*"], true],
    [["PSUBSCRIBE", "+switch*"], true],
    [["PSUBSCRIBE", "?switch-master"], true],
    [["PSUBSCRIBE", "*down"], false],
  ])("is told to who said %j: %s", (command, isTold) => {
    const session = sessionOf();
    say(session, ...command);
    expect(told(session).includes("cache 10.0.0.1 6379 10.0.0.2 6379")).toBe(isTold);
  });

  it("is not told any more to who unsubscribed, and subscribers of RESP2 may do little else", () => {
    const session = sessionOf();
    say(session, "SUBSCRIBE", "+switch-master", "+sdown");
    expect(say(session, "SENTINEL", "masters")).toMatch(/^-ERR Can't execute/u);
    expect(say(session, "PING")).toBe("*2\r\n$4\r\npong\r\n$0\r\n\r\n");
    expect(say(session, "UNSUBSCRIBE", "+switch-master")).toBe(
      "*3\r\n$11\r\nunsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n",
    );
    expect(told(session)).toBe("");
    expect(say(session, "UNSUBSCRIBE")).toContain(":0\r\n");
    expect(say(session, "UNSUBSCRIBE")).toBe("*3\r\n$11\r\nunsubscribe\r\n*-1\r\n:0\r\n");
    expect(say(session, "SENTINEL", "sentinels", "cache")).toBe("*0\r\n");
  });

  it("of a stranger's pattern costs little", () => {
    const session = sessionOf();
    say(session, "PSUBSCRIBE", "*a".repeat(4000));
    expect(told(session)).toBe("");
    const many = Array.from({ length: 65 }, (_, index) => String(index));
    expect(say(session, "SUBSCRIBE", ...many)).toBe("-ERR too many subscriptions\r\n");
  });
});

describe("masters", () => {
  const instance = (namespace: string, primary?: string) => ({
    metadata: {
      namespace,
      name: "cache",
      uid: uid(namespace),
      resourceVersion: resourceVersion("1"),
      creationTimestamp: "2026-11-16T00:00:00Z",
    },
    ...(primary !== undefined && { status: { replication: { epoch: 2, primary } } }),
  });
  const ready = { conditions: [{ type: "Ready", status: "True" }] };
  const pods = [
    podOf("cache-0", { podIP: "10.0.0.1", ...ready }),
    podOf("cache-1", { podIP: "10.0.0.2" }),
    podOf("cache-2", {}),
  ];

  it.each([
    [undefined, "10.0.0.1", ["10.0.0.2"]],
    ["cache-1", "10.0.0.2", ["10.0.0.1"]],
    ["cache-2", undefined, ["10.0.0.1", "10.0.0.2"]],
  ])("have the primary that the status names: %s", (primary, host, replicas) => {
    const masters = new Masters();
    masters.set(instance("shop", primary), pods);
    const [found] = masters.list;
    expect([found?.primary?.host, found?.replicas.map((one) => one.host)]).toEqual([host, replicas]);
  });

  it("are called by their short name only while it is nobody else's", () => {
    const masters = new Masters();
    const called = (): readonly string[] => masters.list.flatMap(({ names }) => names);
    masters.set(instance("shop"), pods);
    expect(called()).toEqual(["shop/cache", "cache"]);
    masters.set(instance("a"), pods);
    expect(called()).toEqual(["a/cache", "shop/cache"]);
    masters.delete(instance("shop"));
    expect(called()).toEqual(["a/cache", "cache"]);
  });

  it("change when their address does, also over a time without one", () => {
    const masters = new Masters();
    const set = (primary: string, found = pods): readonly (readonly string[])[] =>
      masters.set(instance("shop", primary), found).map(({ name, from, to }) => [name, from.host, to.host]);
    expect(set("cache-2")).toEqual([]);
    expect(set("cache-0")).toEqual([]);
    expect(set("cache-0")).toEqual([]);
    expect(set("cache-0", [])).toEqual([]);
    expect(set("cache-1")).toEqual([
      ["shop/cache", "10.0.0.1", "10.0.0.2"],
      ["cache", "10.0.0.1", "10.0.0.2"],
    ]);
  });
});
