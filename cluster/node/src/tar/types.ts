/** One thing in an archive. Names are bytes, one in each character (latin1): they need not be UTF-8. */
export interface TarEntry {
  readonly name: string;
  readonly type: TarType;
  /** Permission bits, with set-uid, set-gid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Bytes of content. */
  readonly size: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  /** Where a link leads. */
  readonly linkName: string;
  readonly xattrs: ReadonlyMap<string, Buffer>;
}

/** `other`: devices, pipes, and what only one program knows. */
export type TarType = "file" | "folder" | "symlink" | "hardlink" | "other";

/** Takes the content of a file while it is read. */
export interface TarSink {
  data(bytes: Buffer): void;
  end(): void;
}
