import type { ClusterFolder } from "./cluster-folder.ts";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "its file system is read-only",
  ENOSPC: "its file system is full",
  EDQUOT: "the quota of its file system is used up",
  ENOTDIR: "a part of its path is a file",
  EEXIST: "it is a file",
  ELOOP: "its path is a circle of symbolic links",
  ENAMETOOLONG: "its path is too long",
};

const waysOut: Readonly<Record<string, string>> = {
  ENOSPC: "Free some space, or give another --dir.",
  EDQUOT: "Free some space, or give another --dir.",
  EROFS: "Mount it writable, or give another --dir.",
};

/** The same error in words with a way out, when it says that the folder cannot be written to. */
export function folderProblem(error: unknown, folder: ClusterFolder): unknown {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return error;
  const reason = reasons[error.code];
  if (reason === undefined || ("syscall" in error && error.syscall === "spawn")) return error;
  const path = "path" in error && typeof error.path === "string" ? error.path : folder.path;
  const wayOut = waysOut[error.code] ?? "Give another --dir.";
  return new Error(`${path} cannot be written to: ${reason} (${error.code}). ${wayOut}`, { cause: error });
}
