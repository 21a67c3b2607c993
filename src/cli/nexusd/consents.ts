/** nexusd consents: what other devices' agents ask, and what the owner decided about them. */
import { type Command, Option } from "commander";
import type { OwnedConsent, OwnerParams, OwnerResult } from "../../protocol/owner.js";
import { jsonOption } from "../command.js";
import { type Session, withOwner } from "../connect.js";
import { usage } from "../exit.js";
import { createOutput, type Output, whenText } from "../output.js";
import { ask, canAsk, confirm } from "../prompt.js";
import { untilStopped } from "../until-stopped.js";

interface JsonOnly {
  readonly json?: boolean;
}

const ID = "its id, or a start of it that no other has";

export function registerConsents(program: Command): void {
  const group = program
    .command("consents")
    .description("list what agents of other devices ask and what was decided; --follow asks you")
    .option("--follow", "ask for each as it comes, until Ctrl-C")
    .addOption(jsonOption())
    .action(consents)
    .helpCommand(false);
  registerAnswers(group);
  group
    .command("set")
    .description("decide for good")
    .argument("<device>", "its name or id, or local for the tabs of this machine")
    .argument("<kind>", "message, steer, type, open or answer")
    .argument("<decision>", "allow, deny or ask")
    .option("--target <id>", "one tab or workspace; all without it")
    .addOption(jsonOption())
    .action(set);
  group
    .command("forget")
    .description("take a decision back")
    .argument("<id>", "as the list shows it")
    .addOption(jsonOption())
    .action(forget);
}

function registerAnswers(group: Command): void {
  group
    .command("show")
    .description("print one whole")
    .argument("<id>", ID)
    .addOption(jsonOption())
    .action(show);
  group
    .command("allow")
    .description("say yes")
    .argument("<id>", ID)
    .option("--remember", "from now on, for this device, target and kind of request")
    .addOption(jsonOption())
    .action((id: string, options: { remember?: boolean }, command: Command) =>
      answer(id, { decision: "allow", ...(options.remember === true && { remember: true }) }, command),
    );
  group
    .command("deny")
    .description("say no")
    .argument("<id>", ID)
    .addOption(new Option("--mute", "hear nothing more of this device for ten minutes"))
    .addOption(jsonOption())
    .action((id: string, options: { mute?: boolean }, command: Command) =>
      answer(id, { decision: "deny", ...(options.mute === true && { mute: true }) }, command),
    );
}

type Consents = OwnerResult<"owner.consents">;
type Answer = Omit<OwnerParams<"owner.consent.answer">, "id">;

async function consents(options: JsonOnly & { follow?: boolean }): Promise<void> {
  const output = createOutput(options);
  if (options.follow === true) return follow(output);
  await withOwner({}, async ({ client }) => {
    const all = await client.request("owner.consents", {});
    output.value(all);
    showAll(output, all);
  });
}

function showAll(output: Output, { waiting, rules }: Consents): void {
  for (const consent of waiting) showConsent(output, consent);
  if (waiting.length === 0) output.line("Nothing waits for your yes");
  output.table(
    ["DEVICE", "KIND", "TARGET", "DECISION", "BY", "WHEN", "ID"],
    rules.map(({ deviceId, class: kind, target, decision, by, at, id }) => [
      deviceId,
      kind,
      target ?? "all",
      decision,
      by,
      whenText(at),
      id,
    ]),
  );
}

/** Who asks for what, the text, and how to answer. */
function showConsent(output: Output, { id, title, text, long, bytes, expiresAt }: OwnedConsent): void {
  output.line(title);
  if (text !== "")
    output.text(
      text
        .split("\n")
        .map((line) => `  │ ${line}`)
        .join("\n"),
    );
  if (long) output.line(`  … ${bytes} bytes; nexusd consents show ${id} prints it whole`);
  const seconds = Math.max(0, Math.round((expiresAt - Date.now()) / 1000));
  output.line(`  ${id}, ${seconds} s left`);
}

async function find({ client }: Session, text: string): Promise<OwnedConsent> {
  const { waiting } = await client.request("owner.consents", {});
  const found = waiting.filter(({ id }) => id === text || id.startsWith(text));
  const [only] = found;
  if (only === undefined) throw usage("No such request waits; it may be over");
  if (found.length > 1) throw usage("Several requests begin so; give more of the id");
  return only;
}

async function show(id: string, _options: JsonOnly, command: Command): Promise<void> {
  const output = createOutput(command.optsWithGlobals());
  await withOwner({}, async (session) => {
    const whole = await session.client.request("owner.consent.read", { id: (await find(session, id)).id });
    output.value(whole);
    showConsent(output, { ...whole, long: false });
  });
}

async function answer(id: string, given: Answer, command: Command): Promise<void> {
  const output = createOutput(command.optsWithGlobals());
  await withOwner({}, async (session) => {
    const consent = await find(session, id);
    output.value(await session.client.request("owner.consent.answer", { id: consent.id, ...given }));
    output.line(given.decision === "allow" ? "Allowed" : "Denied");
  });
}

async function set(
  device: string,
  kind: string,
  decision: string,
  options: { target?: string },
  command: Command,
): Promise<void> {
  const output = createOutput(command.optsWithGlobals());
  const { target } = options;
  await withOwner({}, async ({ client }) => {
    const rule = await client.request("owner.consent.set", {
      device,
      class: oneOf(["message", "steer", "type", "open", "answer"] as const, kind, "A kind"),
      decision: oneOf(["allow", "deny", "ask"] as const, decision, "A decision"),
      ...(target !== undefined && { target }),
    });
    output.value(rule);
    output.line(`Decided: ${rule.id} is ${rule.decision}`);
  });
}

function oneOf<T extends string>(words: readonly T[], text: string, what: string): T {
  const word = words.find((known) => known === text);
  if (word === undefined) throw usage(`${what} is one of ${words.join(", ")}`);
  return word;
}

async function forget(id: string, _options: JsonOnly, command: Command): Promise<void> {
  const output = createOutput(command.optsWithGlobals());
  await withOwner({}, async ({ client }) => {
    output.value(await client.request("owner.consent.forget", { id }));
    output.line("Forgotten");
  });
}

async function follow(output: Output): Promise<void> {
  await withOwner({ retry: true }, async (session) => {
    const seen = new Set<string>();
    const ended = new AbortController();
    await untilStopped(undefined, (stop) => {
      followOn(session, output, { seen, signal: ended.signal }).then(() => stop(), stop);
      return () => ended.abort();
    });
  });
}

async function followOn(
  session: Session,
  output: Output,
  { seen, signal }: { seen: Set<string>; signal: AbortSignal },
): Promise<void> {
  let known: number | undefined;
  while (!signal.aborted) {
    const { version, waiting } = await session.client.request(
      "owner.consents",
      known === undefined ? {} : { known },
    );
    known = version;
    for (const consent of waiting.filter(({ id }) => !seen.has(id))) {
      seen.add(consent.id);
      output.value(consent);
      showConsent(output, consent);
      if (!output.json && canAsk()) await askAbout(session, output, consent);
    }
  }
}

async function askAbout({ client }: Session, output: Output, consent: OwnedConsent): Promise<void> {
  if (consent.long && (await confirm("It is longer than this. Print it whole?"))) {
    showConsent(output, { ...(await client.request("owner.consent.read", { id: consent.id })), long: false });
  }
  const word = await ask("Allow it? [y]es, [a]lways, [n]o, [m]ute: ");
  const answers: Record<string, Answer> = {
    y: { decision: "allow" },
    a: { decision: "allow", remember: true },
    m: { decision: "deny", mute: true },
  };
  const given = answers[word.slice(0, 1).toLowerCase()] ?? { decision: "deny" as const };
  try {
    await client.request("owner.consent.answer", { id: consent.id, ...given });
    output.line(given.decision === "allow" ? "Allowed" : "Denied");
  } catch (error) {
    output.note(error instanceof Error ? error.message : String(error));
  }
}
