import { rm } from "node:fs/promises";
import { VirtualClock } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { fileCredentials } from "./file-credentials.ts";
import { pairs } from "./testing/certificates.ts";
import { failureOf, shown } from "./testing/failure-of.ts";
import { tempFolder, type TempFolder } from "./testing/temp-folder.ts";

const at = (path: string) => ({ document: "config", path, code: "CONFIG" }) as const;

async function writePair(folder: TempFolder, pair: typeof pairs.one): Promise<void> {
  await folder.write("tls.crt", pair.certificate);
  await folder.write("tls.key", pair.key);
}

function certificateFiles(folder: TempFolder) {
  return {
    certificate: { file: folder.path("tls.crt"), pem: undefined, place: at("client-certificate") },
    key: { file: folder.path("tls.key"), pem: undefined, place: at("client-key") },
  };
}

describe("a token file", () => {
  test("is read again after a minute, and not before", async () => {
    const folder = await tempFolder();
    const clock = new VirtualClock();
    const file = await folder.write("token", "one\n");
    const credentials = await fileCredentials({ tokenFile: { file, place: at("tokenFile") } }, clock);
    const first = await credentials.current();
    expect(first).toEqual({ authorization: "Bearer one" });
    await folder.write("token", "two\n");
    await clock.advance(59_999);
    expect(await credentials.current()).toBe(first);
    await clock.advance(1);
    expect(await credentials.current()).toEqual({ authorization: "Bearer two" });
  });

  test("is read again at once after a 401; one that is still the same is not tried again", async () => {
    const folder = await tempFolder();
    const clock = new VirtualClock();
    const file = await folder.write("token", "one");
    const credentials = await fileCredentials({ tokenFile: { file, place: at("tokenFile") } }, clock);
    const first = await credentials.current();
    await folder.write("token", "two");
    expect(credentials.refused(first)).toBe(true);
    const second = await credentials.current();
    expect(second).toEqual({ authorization: "Bearer two" });
    expect(credentials.refused(second)).toBe(true);
    expect(await credentials.current()).toBe(second);
    expect(credentials.refused(second)).toBe(false);
  });

  test("that is gone or empty for a while is covered by what was read before", async () => {
    const folder = await tempFolder();
    const clock = new VirtualClock();
    const file = await folder.write("token", "one");
    const parts = { tokenFile: { file, place: at("tokenFile") }, authorization: "Bearer beside" };
    const credentials = await fileCredentials(parts, clock);
    await rm(file);
    await clock.advance(60_000);
    expect(await credentials.current()).toEqual({ authorization: "Bearer one" });
    await folder.write("token", "");
    await clock.advance(60_000);
    expect(await credentials.current()).toEqual({ authorization: "Bearer one" });
    await folder.write("token", "two");
    await clock.advance(60_000);
    expect(await credentials.current()).toEqual({ authorization: "Bearer two" });
  });

  test("gives way to the token beside it only until it could be read", async () => {
    const folder = await tempFolder();
    const clock = new VirtualClock();
    const file = folder.path("token");
    const parts = { tokenFile: { file, place: at("tokenFile") }, authorization: "Bearer beside" };
    const credentials = await fileCredentials(parts, clock);
    expect(await credentials.current()).toEqual({ authorization: "Bearer beside" });
    await folder.write("token", "one");
    await clock.advance(60_000);
    expect(await credentials.current()).toEqual({ authorization: "Bearer one" });
  });

  test.each([
    [undefined, "tokenFile: cannot read FILE: no such file"],
    [" \n", "tokenFile: FILE is empty: it must hold a token"],
    ["s3cr3t s3cr3t", "tokenFile: holds a token with spaces, line breaks or other"],
    ["s3cr3t\nx-evil: 1", "tokenFile: holds a token with spaces, line breaks or other"],
  ])("with %j is refused when it is first read", async (content, message) => {
    const folder = await tempFolder();
    const file = folder.path("token");
    if (content !== undefined) await folder.write("token", content);
    const parts = { tokenFile: { file, place: at("tokenFile") } };
    const error = await failureOf(fileCredentials(parts, new VirtualClock()));
    expect(error.message).toContain(`config: ${message.replace("FILE", file)}`);
    expect(shown(error)).not.toContain("s3cr3t");
  });
});

describe("a client certificate in files", () => {
  test("is the same object until it changes on disk, and then is seen within ten seconds", async () => {
    const folder = await tempFolder();
    const clock = new VirtualClock();
    await writePair(folder, pairs.one);
    const credentials = await fileCredentials({ certificate: certificateFiles(folder) }, clock);
    const first = await credentials.current();
    expect(first.clientCertificate).toEqual(pairs.one);
    await clock.advance(10_000);
    expect(await credentials.current()).toBe(first);
    await writePair(folder, pairs.two);
    await clock.advance(10_000);
    expect((await credentials.current()).clientCertificate).toEqual(pairs.two);
  });

  test("is seen at once after a 401", async () => {
    const folder = await tempFolder();
    await writePair(folder, pairs.one);
    const credentials = await fileCredentials({ certificate: certificateFiles(folder) }, new VirtualClock());
    const first = await credentials.current();
    await writePair(folder, pairs.two);
    expect(credentials.refused(first)).toBe(true);
    expect((await credentials.current()).clientCertificate).toEqual(pairs.two);
  });

  test("is not taken while the rotation is half done", async () => {
    const folder = await tempFolder();
    const clock = new VirtualClock();
    await writePair(folder, pairs.one);
    const credentials = await fileCredentials({ certificate: certificateFiles(folder) }, clock);
    await folder.write("tls.crt", pairs.two.certificate);
    await clock.advance(10_000);
    expect((await credentials.current()).clientCertificate).toEqual(pairs.one);
    await folder.write("tls.key", pairs.two.key);
    await clock.advance(10_000);
    expect((await credentials.current()).clientCertificate).toEqual(pairs.two);
  });

  test.each([
    ["a key of another", pairs.two.key, "client-key: is not the key of client-certificate"],
    ["a key that is none", "s3cr3t", "client-key: FILE is not a PEM private key, or it needs a passphrase"],
  ])("with %s is refused", async (_what, key, message) => {
    const folder = await tempFolder();
    await writePair(folder, { ...pairs.one, key });
    const error = await failureOf(
      fileCredentials({ certificate: certificateFiles(folder) }, new VirtualClock()),
    );
    expect(error.message).toBe(`config: ${message.replace("FILE", folder.path("tls.key"))}`);
    expect(shown(error)).not.toContain("s3cr3t");
  });
});

test("what cannot change is not asked for again after a 401", async () => {
  const credentials = await fileCredentials({ authorization: "Bearer fixed" }, new VirtualClock());
  const identity = await credentials.current();
  expect(identity).toEqual({ authorization: "Bearer fixed" });
  expect(credentials.refused(identity)).toBe(false);
  expect(await credentials.current()).toBe(identity);
});
