/** owner.*: the owner's own verbs, at the workstation and, where marked remote, from a device with that right. */
import { type Capability, isCapability } from "../protocol/capabilities.js";
import { forbidden, notFound, unavailable } from "../protocol/errors.js";
import type { DaemonStatus, DoctorCheck, OwnedDevice, OwnedWorkspace } from "../protocol/owner.js";
import type { Audit } from "../policy/audit.js";
import type { Device, Devices } from "../policy/devices.js";
import type { Pairing } from "../policy/pairing.js";
import type { Sessions } from "../sessions/sessions.js";
import type { Tabs } from "../sessions/tabs.js";
import type { Workspace, Workspaces } from "../sessions/workspaces.js";
import type { Terminals } from "../terminal/client.js";
import type { OwnerHandlers } from "./context.js";
