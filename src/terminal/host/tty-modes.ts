/** What a tty does with what is typed, asked of stty: node reads no termios. */
import { spawn } from "node:child_process";

const ANSWER_MS = 2000;

/** True for a password prompt: lines are read whole (ICANON) and not shown (no ECHO). False when it cannot be told. */
export async function hasSecretPrompt(slave: number): Promise<boolean> {
  const words = (await sttyWords(slave)).split(/[\s;]+/);
  return words.includes("icanon") && words.includes("-echo");
}

function sttyWords(slave: number): Promise<string> {
  return new Promise((resolve) => {
    const stty = spawn("stty", ["-a"], { stdio: [slave, "pipe", "ignore"], timeout: ANSWER_MS });
    let text = "";
    stty.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
    });
    stty.on("error", () => resolve(""));
    stty.on("close", () => resolve(text));
  });
}
