import { expect, it } from "vitest";
import { mountState, type MountRecord } from "./mount-record.ts";
import { parseMounts } from "./mount-table.ts";

const table = [
  "21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw",
  String.raw`30 21 0:40 / /mnt/my\040disk rw shared:2 - tmpfs tmpfs rw,size=1g`,
  String.raw`31 30 0:41 / /mnt/my\040disk/node/pods/1/volumes/token rw - tmpfs kedge-aa rw`,
  String.raw`32 30 254:0 /d /mnt/my\040disk/node/pods/1/subpaths/c/0 rw - ext4 /dev/vda rw`,
  "33 21 0:42 / /mnt/over rw - tmpfs kedge-bb rw",
  "34 33 0:43 / /mnt/over rw - tmpfs tmpfs rw",
  "35 21 0:44 / /mnt/other rw - overlay kedge-ff rw",
  "",
].join("\n");

const record = (name: string, path: string, type: MountRecord["type"]): MountRecord => ({ name, path, type });

it.each<[string, MountRecord, string]>([
  [
    "a tmpfs of ours, by its name",
    record("kedge-aa", "/mnt/my disk/node/pods/1/volumes/token", "tmpfs"),
    "/mnt/my disk/node/pods/1/volumes/token",
  ],
  [
    "a tmpfs of ours whose folder was moved",
    record("kedge-aa", "/before/node/pods/1/volumes/token", "tmpfs"),
    "/mnt/my disk/node/pods/1/volumes/token",
  ],
  [
    "not the user's, though it is where one of ours was",
    record("kedge-cc", "/mnt/my disk", "tmpfs"),
    "absent",
  ],
  ["not another kind of mount that has a name of ours", record("kedge-ff", "/mnt/one", "tmpfs"), "absent"],
  [
    "a place for a part of a volume",
    record("kedge-dd", "/mnt/my disk/node/pods/1/subpaths/c/0", "bind"),
    "/mnt/my disk/node/pods/1/subpaths/c/0",
  ],
  ["not what somebody mounted over one of ours", record("kedge-bb", "/mnt/over", "tmpfs"), "covered"],
  ["nothing where nothing is", record("kedge-ee", "/mnt/none", "bind"), "absent"],
])("finds %s", (_title, wanted, path) => {
  const found = mountState(wanted, parseMounts(table));
  expect(found.state === "mounted" ? found.path : found.state).toBe(path);
});
