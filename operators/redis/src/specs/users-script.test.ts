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
  "user kedge-users-id-2 off",
  "gone former",
];
const record = ["user kedge-operator-3 on #op", "user kedge-replica-3 off"];

describe("the users of a server that starts", () => {
  it("are those of the Secret on a new volume, with what it follows a primary with", async () => {
    expect(await start(secret)).toEqual(secret.slice(0, 4));
    expect(await pod.read(paths.replication)).toBe('masterauth "replication-password"\n');
  });

  it("are those of the Secret when the volume has older ones, and what the volume says of epochs", async () => {
    const volume = [
      "user app on #old +@all",
      "user default on #old ~* &* +@all",
      "user former on #old +@all",
      "user by-hand on #hand +get",
      "user kedge-users-id-1 off",
      "user kedge-start on #older",
      ...record,
    ];
    expect(await start(secret, volume)).toEqual([
      ...secret.slice(0, 4),
      "user by-hand on #hand +get",
      ...record,
    ]);
  });

  it("are those of the volume when they are newer: the pod sees the Secret late", async () => {
    const volume = ["user default on #newest ~* &* +@all", "user kedge-users-id-3 off", ...record];
    expect(await start(secret, volume)).toEqual(["user kedge-start on #start", ...volume]);
  });

  it("are those of the Secret when the volume has another one's, however new", async () => {
    const volume = ["user default on #foreign ~* &* +@all", "user kedge-users-other-9 off"];
    expect(await start(secret, volume)).toEqual(secret.slice(0, 4));
  });

  it("say nothing of data that was taken away", async () => {
    expect(await start(secret, record, "yes")).toEqual([...secret.slice(0, 4), record[0]]);
  });
});
