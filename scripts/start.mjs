// `npm start`: makes the checkout ready, then serves the folder that it was called from, or `-- DIR`.
// With a daemon running already the folder is added to it.
import { fileURLToPath, pathToFileURL } from "node:url";
import { ready } from "./ready.mjs";

await ready();
// npm runs scripts in the package's folder and says here where the person was
process.chdir(process.env.INIT_CWD ?? process.cwd());
const nexusd = fileURLToPath(new URL("../dist/cli/nexusd.js", import.meta.url));
// the program reads its arguments and its place from here, as if it had been called by its name
process.argv = [process.argv[0], nexusd, "serve", ...process.argv.slice(2)];
await import(pathToFileURL(nexusd));
