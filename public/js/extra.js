// Loaded by load.js: help about keyboard shortcuts, older items for users who scroll, new messages,
// links in menus, deletions, what moderators see, and what pages with passwords and secrets have.
// oxlint-disable import/no-unassigned-import -- these modules only add listeners
import "./copy.js";
import "./deletions.js";
import "./older.js";
import "./passwords.js";
import "./secrets.js";

export { showHelp } from "./help.js";
export { showMessages } from "./messages.js";
export { showReports } from "./reports.js";
