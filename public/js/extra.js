// Loaded by load.js: help about keyboard shortcuts, older items for users who scroll, and what pages with passwords and
// secrets have.
// oxlint-disable import/no-unassigned-import -- these modules only add listeners
import "./older.js";
import "./passwords.js";
import "./secrets.js";

export { showHelp } from "./help.js";
