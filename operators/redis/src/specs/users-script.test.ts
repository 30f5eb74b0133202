import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { paths } from "../names.ts";
import { playPod, type PlayedPod } from "../testing/played-pod.ts";
import { usersScript } from "./users-script.ts";

let pod: PlayedPod;
beforeEach(async () => {
  pod = await playPod();
});
afterEach(() => pod[Symbol.asyncDispose]());

/** The lines of the ACL file that a server starts with. */
async function start(
  secret: readonly string[],
  volume?: readonly string[],
  aside = "",
): Promise<readonly string[]> {
  await pod.write(paths.systemUsers, `${secret.join("\n")}\n`);
  if (volume !== undefined) await pod.write(paths.users, `${volume.join("\n")}\n`);
  const { code, output } = await pod.run(
    `set -u\nis_aside=${aside}\n${usersScript}\nwrite_users ''\nwrite_replication`,
  );
  expect({ code, output }).toEqual({ code: 0, output: "" });
  return (await pod.read(paths.users)).trimEnd().split("\n");
}

const secret = [
  "user default on #new ~* &* +@all",
  "user kedge-start on #start",
  "user app on #app +@all",
  "user kedge-users-id-2 off ~app",
];
const record = ["user kedge-operator-3 on #op", "user kedge-replica-3 off"];

describe("the users of a server that starts", () => {
  it("are those of the Secret on a new volume, with what it follows a primary with", async () => {
    expect(await start(secret)).toEqual(secret);
    expect(await pod.read(paths.replication)).toBe('masterauth "replication-password"\n');
  });

  it("are those of the Secret when the volume has older ones, and what the volume says of epochs", async () => {
    const volume = [
      "user app on #old +@all",
      "user default on #old ~* &* +@all",
      "user former on #old +@all",
      "user by-hand on #hand +get",
      "user kedge-users-id-1 off sanitize-payload ~app ~former resetchannels -@all",
      "user kedge-start on #older",
      ...record,
    ];
    expect(await start(secret, volume)).toEqual([...secret, "user by-hand on #hand +get", ...record]);
  });

  it("are those of the volume when they are newer: the pod sees the Secret late", async () => {
    const volume = ["user default on #newest ~* &* +@all", "user kedge-users-id-3 off", ...record];
    expect(await start(secret, volume)).toEqual(["user kedge-start on #start", ...volume]);
  });

  it("are those of the Secret when the volume has another one's, however new", async () => {
    const volume = ["user default on #foreign ~* &* +@all", "user kedge-users-other-9 off"];
    expect(await start(secret, volume)).toEqual(secret);
  });

  it("are none that another Secret's instance has left on the volume, but those that were made by hand", async () => {
    const volume = [
      "user left on #left +@all",
      "user by-hand on #hand +get",
      "user left-alone on #alone +get",
      "user kedge-users-other-9 off sanitize-payload ~left resetchannels -@all",
    ];
    expect(await start(secret, volume)).toEqual([...secret, volume[1], volume[2]]);
  });

  it("let the script in with the password of the same Secret, also when another one comes in between", async () => {
    expect(await start(secret)).toEqual(secret);
    expect(await pod.read(paths.start)).toBe("start-password\n");
    // The Secret is another one as soon as its users have been read.
    await pod.program("mv", `/usr/bin/mv "$@"; printf 'next-password' > ${paths.system}/start`);
    expect((await start(secret)).toSorted()).toEqual(secret.toSorted());
    expect(await pod.read(paths.start)).toBe("next-password\n");
  });

  it("say nothing of data that was taken away", async () => {
    expect(await start(secret, record, "yes")).toEqual([...secret, record[0]]);
  });
});
