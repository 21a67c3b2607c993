/** The agents that this daemon can run, by the driver that a profile names. */
import type { AgentDriver, AgentProfile } from "../chat/driver.js";

/** undefined for a driver that is not there. */
export type Drivers = (profile: AgentProfile) => AgentDriver | undefined;

export const builtInDrivers: Drivers = () => undefined;
