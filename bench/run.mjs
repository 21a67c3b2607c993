/**
 * Runs every bench beside it and writes docs/performance.md. Each compares with
 * a peer or a floor in the same run, so the figures are ratios; a name or part
 * of one as argument runs those benches alone and writes nothing.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const names = readdirSync(here)
  .filter((name) => name.endsWith(".mjs") && name !== "run.mjs")
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort();

const sections = [];
for (const name of names) {
  const bench = await import(pathToFileURL(join(here, name)).href);
  console.log(`\n${name}`);
  const rows = await bench.run().catch(notMeasured);
  for (const row of rows)
    console.log(`  ${row.what}: ${shown(row)}${row.goal === undefined ? "" : `   (goal ${row.goal})`}`);
  sections.push({ title: bench.title ?? name.replace(/\.mjs$/, ""), rows });
}

/** One that cannot run here (a missing program, say) leaves the others their figures, and says so in its place. */
function notMeasured(error) {
  process.exitCode = 1;
  return [{ what: "not measured", value: String(error.message).split("\n")[0] }];
}
if (wanted.length === 0) {
  writeFileSync(join(here, "..", "docs", "performance.md"), page(sections));
  console.log("\nwritten to docs/performance.md");
}

/** Numbers to three digits; a value may be words. */
function shown({ value, unit }) {
  const number = typeof value === "number" ? Number(value.toPrecision(3)).toLocaleString("en") : value;
  return unit === undefined || unit === "" ? number : `${number} ${unit}`;
}

function page(parts) {
  const load = loadavg()[0].toFixed(1);
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, load at the end ${load}`;
  const tables = parts.map(({ title, rows }) =>
    [
      `## ${title}`,
      "",
      "| what | measured | goal |",
      "|---|---|---|",
      ...rows.map((row) => `| ${row.what} | ${shown(row)} | ${row.goal ?? ""} |`),
    ].join("\n"),
  );
  return `# Performance

Written by \`npm run bench\`. Each figure compares with a peer or a floor in the same run, median of five unless it says otherwise.
Machine: ${machine}.

${tables.join("\n\n")}
`;
}
