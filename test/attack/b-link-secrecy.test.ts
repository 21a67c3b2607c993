/** The secret of a pairing link stays on the owner's terminal. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { onTerminal, run, start } from "../support/command.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { onLoopback } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.dispose());

const secretOf = (link: string): string => link.slice(link.lastIndexOf(".") + 1);

/** Every file below the daemon's HOME, sockets aside. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

/** What the system shows everyone of the processes that run. */
function allArguments(): string {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return ""; // it ended meanwhile
      }
    })
    .join("\n");
}

function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port: daemon.port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).once("error", reject);
  });
}

test("B10: the secret is in no file, no log and no argument while it is offered, nor after it was used", async () => {
  const pairing = start("nexusd", ["pair", "--yes", "--caps", "watch", "--print-link"], { env: daemon.env });
  const link = onLoopback(
    daemon,
    await waitFor("the link", () => /^(http\S+)\n/.exec(pairing.stdout())?.[1]),
  );
  const secret = secretOf(link);
  expect(secret).toHaveLength(22);
  const look = (): void => {
    expect(daemon.log()).not.toContain(secret);
    expect(allArguments()).not.toContain(secret);
    for (const path of filesOf(daemon.home)) expect(readFileSync(path, "latin1"), path).not.toContain(secret);
  };
  look();
  const paired = await run("nexus", ["pair", "--name", "b10"], { env: daemon.env, input: `${link}\n` });
  expect(paired.code, paired.stderr).toBe(0);
  expect(`${paired.stdout}${paired.stderr}`).not.toContain(secret);
  await pairing.ended;
  look();
});

test("B10: a link is taken from no argument and from no query", async () => {
  const { link } = await daemon.owner("owner.pair", {});
  const ran = await run("nexus", ["pair", link], { env: daemon.env });
  expect(ran.code).toBe(2);
  const { hash } = new URL(link);
  expect(await statusOf(`/?${hash.slice(1)}`)).toBe(await statusOf("/"));
  expect(daemon.log()).not.toContain(secretOf(link));
});

test("B10: a link that is pasted at the prompt does not show there", async () => {
  const { link } = await daemon.owner("owner.pair", {});
  const device = onTerminal("nexus", ["pair", "--name", "prompt"], { env: daemon.env });
  onTestFinished(() => device.kill());
  await device.shows("Paste the link");
  device.type(`${onLoopback(daemon, link)}\r`);
  await device.shows("at the workstation");
  expect(device.text()).not.toContain(secretOf(link));
  await daemon.owner("owner.deny", {});
  expect(await device.ended).toBe(4);
});

test("B10: open hands the browser a file that only the owner reads and that goes with the offer", async () => {
  const browser = join(daemon.home, "browser");
  const seen = join(daemon.home, "seen");
  const script = `#!/bin/sh\nfile="\${1#file://}"\n{ stat -c %a "$file"; echo "$file"; cat "$file"; } > ${seen}.new\nmv ${seen}.new ${seen}\n`;
  writeFileSync(browser, script, { mode: 0o755 });
  const opening = start("nexusd", ["open"], { env: { ...daemon.env, BROWSER: browser }, cwd: daemon.folder });
  onTestFinished(() => opening.kill("SIGKILL"));
  await waitFor("the browser", () => existsSync(seen));
  const [mode, file = "", ...page] = readFileSync(seen, "utf8").split("\n");
  const link = /location\.replace\("([^"]+)"\)/.exec(page.join("\n"))?.[1] ?? "";
  rmSync(seen);
  expect(mode).toBe("600");
  expect(new URL(link).host).toBe(`localhost:${daemon.port}`);
  expect(allArguments()).not.toContain(secretOf(link));
  expect(opening.stdout()).not.toContain(secretOf(link));
  opening.kill("SIGINT");
  expect((await opening.ended).code).toBe(130);
  expect(existsSync(file)).toBe(false);
});

test("B11: without a terminal neither pair nor serve prints a link or a code to scan", async () => {
  const refused = await run("nexusd", ["pair"], { env: daemon.env });
  expect(refused.code).toBe(2);
  const added = await run("nexusd", ["serve", daemon.folder], { env: daemon.env });
  expect(added.code).toBe(0);
  for (const { stdout, stderr } of [refused, added]) expect(stdout + stderr).not.toMatch(/#pair=|[▀▄█]/);
  // the daemon of this test was itself started without one
  expect(daemon.log()).not.toContain("#pair=");
});

test("B11: with --print-link the link comes alone, without a code to scan", async () => {
  const pairing = start("nexusd", ["pair", "--print-link"], { env: daemon.env });
  onTestFinished(() => pairing.kill("SIGKILL"));
  await waitFor("the link", () => pairing.stdout().includes("\n"));
  expect(pairing.stdout()).toMatch(/^http\S+#pair=1\.\S+\n$/);
  pairing.kill("SIGINT");
  expect((await pairing.ended).code).toBe(130);
});
