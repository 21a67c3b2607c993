/** The page's first lines. */
import "./no-eval.js";
import { render } from "preact";
import { App } from "./app.js";
import { begin } from "./link/connection.js";
import { applyTheme } from "./settings/theme.js";

applyTheme();
begin();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
