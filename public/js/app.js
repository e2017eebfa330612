// The one script of the site: what is imported here is served. Every page works without it.
// oxlint-disable import/no-unassigned-import -- what they do is to listen
import { config } from "@hotwired/turbo";
import "./composer.js";
import "./copy.js";
import "./drafts.js";
import "./hotkeys.js";
import { hearNews } from "./live.js";
import "./menus.js";
import "./older.js";
import "./reactions.js";
import "./times.js";

// Milliseconds. Most pages are here by then, and a bar would only flash.
config.drive.progressBarDelay = 1000;
// A disabled button would lose the focus.
config.forms.submitter = "aria-disabled";

hearNews();
