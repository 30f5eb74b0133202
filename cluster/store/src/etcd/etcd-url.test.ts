import { expect, it } from "vitest";
import { parseEtcdUrl } from "./etcd-url.ts";

it.each([
  ["etcd://a", { endpoints: ["a:2379"], prefix: "/kedge" }],
  ["etcd://a:1,b.c-d:2,[::1]:3/", { endpoints: ["a:1", "b.c-d:2", "[::1]:3"], prefix: "/kedge" }],
  ["etcd://a/x/y/", { endpoints: ["a:2379"], prefix: "/x/y" }],
  [
    "etcd://a?cafile=/ca.crt&certfile=/c&keyfile=/k",
    { endpoints: ["a:2379"], prefix: "/kedge", tls: { cafile: "/ca.crt", certfile: "/c", keyfile: "/k" } },
  ],
  ["etcd://a?cafile=/ca.crt", { tls: { cafile: "/ca.crt" } }],
])("%s is understood", (text, expected) => {
  expect(parseEtcdUrl(text)).toMatchObject(expected);
});

it.each([
  ["etcd://", "names no member"],
  ["etcd:///x", "names no member"],
  ["http://a", "names no member"],
  ["etcd://a:99999", '"a:99999" is no host with a port'],
  ["etcd://a,,b", '"" is no host with a port'],
  ["etcd://user@a", '"user@a" is no host with a port'],
  ["etcd://a?certfile=/c", "certfile and keyfile are only given together"],
  ["etcd://a?password=x", "password is none of cafile, certfile, keyfile"],
])("%s is refused: %s", (text, why) => {
  expect(() => parseEtcdUrl(text)).toThrow(why);
});
