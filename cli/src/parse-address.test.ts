import { expect, it } from "vitest";
import { parseAddress } from "./parse-address.ts";

it.each([
  [":8080", { port: 8080 }],
  ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
  ["localhost:9090", { host: "localhost", port: 9090 }],
  ["[::1]:9090", { host: "::1", port: 9090 }],
])("takes %s", (text, address) => {
  expect(parseAddress(text)).toEqual(address);
});

it.each(["8080", "", "::1:80", "[x]:80", "a:b:80"])("refuses %j and says what is allowed", (text) => {
  expect(() => parseAddress(text)).toThrow("is no address: it must be host:port, [address]:port, or :port");
});

it.each([":80x", "127.0.0.1:65536"])("refuses the port of %s", (text) => {
  expect(() => parseAddress(text)).toThrow("is no port");
});
