/** The audit log on the disk, for who looks at it while no daemon runs. */
import { join } from "node:path";
import { type AuditCheck, verifyAudit } from "../policy/audit.js";

export const AUDIT_FILE = "audit.jsonl";

export async function checkAuditLog(stateDir: string): Promise<AuditCheck> {
  const check = await verifyAudit(join(stateDir, AUDIT_FILE));
  return check.ok ? { ok: true, lines: check.lines } : check;
}
