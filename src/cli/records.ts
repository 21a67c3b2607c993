/** The daemons that this user is paired with: one file each, 0600, with the secret key in it. */
import { chmod, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type DeviceRecord, DeviceRecordSchema } from "../client/device-record.js";
import { CommandFailure, ExitCode, usage } from "./exit.js";
import { MAX_RECORD_BYTES } from "./limits.js";

export interface SavedDevice {
  /** What --device takes. */
  readonly name: string;
  readonly record: DeviceRecord;
}

const FILE_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u;
const SUFFIX = ".json";

/** A name that can stand as a file: what cannot becomes a dash. */
export function recordNameFor(text: string): string {
  const name = text
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .slice(0, 100);
  return name === "" ? "daemon" : name;
}

/** Throws a usage failure for a name that is no plain file name. */
export function checkRecordName(name: string): void {
  if (!FILE_NAME.test(name)) {
    throw usage(
      "A name has letters, digits, dots and dashes, begins with a letter or digit, and at most 100",
    );
  }
}

export async function listRecords(folder: string): Promise<SavedDevice[]> {
  const files = (await readdir(folder).catch(whenMissing([]))).filter((file) => file.endsWith(SUFFIX)).sort();
  const names = files.map((file) => file.slice(0, -SUFFIX.length)).filter((name) => FILE_NAME.test(name));
  return await Promise.all(names.map(async (name) => ({ name, record: await readRecord(folder, name) })));
}

/** By the record's name, else by the one daemon that calls itself so. */
export async function findRecord(folder: string, text: string): Promise<SavedDevice> {
  const all = await listRecords(folder);
  const exact = all.find(({ name }) => name === text);
  if (exact !== undefined) return exact;
  const near = all.filter(({ record }) => record.serverName === text);
  const [only] = near;
  if (only !== undefined && near.length === 1) return only;
  if (near.length > 1)
    throw usage(`Several pairings are called so: ${near.map(({ name }) => name).join(", ")}`);
  throw new CommandFailure(
    ExitCode.notFound,
    all.length === 0
      ? "This user is paired with no daemon; run nexus pair"
      : `No pairing is called ${text}; there is ${all.map(({ name }) => name).join(", ")}`,
  );
}

/** Replaces the file whole, readable by this user alone. */
export async function saveRecord(folder: string, name: string, record: DeviceRecord): Promise<string> {
  checkRecordName(name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const path = join(folder, `${name}${SUFFIX}`);
  const temp = join(folder, `.${name}.${process.pid}.new`);
  await rm(temp, { force: true });
  const handle = await open(temp, "wx", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(record, null, 1)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temp, path);
  return path;
}

async function readRecord(folder: string, name: string): Promise<DeviceRecord> {
  const path = join(folder, `${name}${SUFFIX}`);
  const damaged = (why: string): CommandFailure =>
    new CommandFailure(ExitCode.failed, `${path} is damaged (${why}); remove it and pair again`);
  const text = await readFile(path, "utf8");
  if (text.length > MAX_RECORD_BYTES) throw damaged("it is too long");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw damaged("it is no JSON");
  }
  const parsed = DeviceRecordSchema.safeParse(json);
  if (!parsed.success) throw damaged(parsed.error.issues[0]?.path.join(".") || "unexpected shape");
  return parsed.data;
}

function whenMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return value;
    throw error;
  };
}
