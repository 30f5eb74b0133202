import { expect, it } from "vitest";
import type { PodSecurityContext, SecurityContext } from "@kedge/machinery/kinds/core/v1";
import { containerNamed, podOf } from "../testing/pods.ts";
import { userOf, type ContainerUser } from "./user.ts";

const accounts = {
  passwd: "root:x:0:0:root:/root:/bin/sh\nredis:x:999:1000::/:/bin/false\n",
  group: "root:x:0:\nredis:x:1000:\nmedia:x:44:redis,other\n",
};

function user(image: string, pod: PodSecurityContext = {}, container: SecurityContext = {}): ContainerUser {
  const own = containerNamed("app", { securityContext: container });
  return userOf(podOf({ spec: { securityContext: pod, containers: [own] } }), own, {
    user: image,
    ...accounts,
  });
}

it.each<[string, ContainerUser, ContainerUser]>([
  ["none is root", user(""), { uid: 0, gid: 0, additionalGids: [] }],
  ["a name of the image", user("redis"), { uid: 999, gid: 1000, additionalGids: [44] }],
  ["a number of the image", user("999"), { uid: 999, gid: 1000, additionalGids: [44] }],
  ["a number that nobody knows", user("5"), { uid: 5, gid: 0, additionalGids: [] }],
  ["a name and a group", user("redis:media"), { uid: 999, gid: 44, additionalGids: [] }],
  [
    "the pod beats the image",
    user("redis", { runAsUser: 7, runAsGroup: 8 }),
    { uid: 7, gid: 8, additionalGids: [] },
  ],
  [
    "the container beats the pod",
    user("redis", { runAsUser: 7 }, { runAsUser: 9, runAsGroup: 3 }),
    { uid: 9, gid: 3, additionalGids: [] },
  ],
  [
    "the image's own groups stay away if so wished",
    user("redis", { supplementalGroupsPolicy: "Strict", supplementalGroups: [6] }),
    { uid: 999, gid: 1000, additionalGids: [6] },
  ],
  [
    "groups of the pod come along",
    user("", { fsGroup: 5, supplementalGroups: [6] }),
    { uid: 0, gid: 0, additionalGids: [6, 5] },
  ],
])("%s", (_title, made, expected) => {
  expect(made).toEqual(expected);
});

it.each([
  ["root although runAsNonRoot", () => user("", { runAsNonRoot: true }), "image will run as root"],
  [
    "runAsUser 0 although runAsNonRoot",
    () => user("redis", { runAsNonRoot: true, runAsUser: 0 }),
    "breaks non-root policy",
  ],
  ["a name that the image does not know", () => user("ghost"), 'user "ghost" is not in its /etc/passwd'],
])("refuses %s", (_title, make, message) => {
  expect(make).toThrow(message);
});
