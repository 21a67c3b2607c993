/**
 * What is too large for a chat's pages: images, and the whole text of long tool
 * results, in files of the chat's folder. The oldest go when they are too many.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ImageData } from "./driver.js";
import { sniffImage } from "./images.js";
import { MAX_BLOB_BYTES } from "./limits.js";

export class Blobs {
  readonly #dir: string;
  #writing: Promise<unknown> = Promise.resolve();
  #bytes: number | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  putImage(owner: string, index: number, image: ImageData): Promise<void> {
    return this.#put(fileName("i", owner, index), image.data);
  }

  async image(owner: string, index: number): Promise<ImageData | undefined> {
    const data = await this.#get(fileName("i", owner, index));
    return data === undefined ? undefined : { mediaType: sniffImage(data) ?? "image/png", data };
  }

  putText(owner: string, text: string): Promise<void> {
    return this.#put(fileName("t", owner, 0), Buffer.from(text));
  }

  async text(owner: string): Promise<string | undefined> {
    return (await this.#get(fileName("t", owner, 0)))?.toString();
  }

  async clear(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await rm(this.#dir, { recursive: true, force: true });
  }

  /** Writes one after the other; a read waits for those before it. */
  #put(name: string, data: Buffer): Promise<void> {
    const write = this.#writing.then(() => this.#write(name, data));
    this.#writing = write.catch(() => undefined);
    return write;
  }

  async #get(name: string): Promise<Buffer | undefined> {
    await this.#writing;
    try {
      return await readFile(path.join(this.#dir, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async #write(name: string, data: Buffer): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    await writeFile(path.join(this.#dir, name), data, { mode: 0o600 });
    this.#bytes = (this.#bytes ?? (await this.#measure()).bytes) + data.length;
    if (this.#bytes > MAX_BLOB_BYTES) await this.#shrink();
  }

  async #measure() {
    const names = await readdir(this.#dir);
    const files = await Promise.all(
      names.map(async (name) => {
        const { size, mtimeMs } = await stat(path.join(this.#dir, name));
        return { name, size, mtimeMs };
      }),
    );
    return { files, bytes: files.reduce((sum, file) => sum + file.size, 0) };
  }

  /** Down to three quarters, so that it does not happen at every write. */
  async #shrink(): Promise<void> {
    const { files, bytes } = await this.#measure();
    let left = bytes;
    for (const file of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (left <= MAX_BLOB_BYTES * 0.75) break;
      await rm(path.join(this.#dir, file.name), { force: true });
      left -= file.size;
    }
    this.#bytes = left;
  }
}

/** Ids come from programs; a hash makes a name that no folder minds. */
const fileName = (kind: "i" | "t", owner: string, index: number): string =>
  `${kind}-${createHash("sha256").update(owner).digest("hex").slice(0, 32)}-${index}`;
