/** What the command line needs to know of grants: the sets by name, and the rights that want a typed yes. */
export { GRANT_SETS, nameGrant, resolveGrant, YES_OVER_HTTP } from "../policy/grants.js";
