/**
 * Imported before all else: the page's policy forbids code from text, and even
 * zod's try of it would be reported as a violation.
 */
import { config } from "zod";

config({ jitless: true });
