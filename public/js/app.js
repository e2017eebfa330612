// The script of every page; passkey-forms.js is that of pages with passkeys, renew.js that of imports, pictures.js and complete.js are loaded when they are needed. Every page works without it.
// oxlint-disable import/no-unassigned-import -- these modules only add listeners
import { config } from "@hotwired/turbo";
import "./composer.js";
import "./copy.js";
import "./drafts.js";
import "./hotkeys.js";
import { hearNews } from "./live.js";
import "./load-later.js";
import "./menus.js";
import "./older.js";
import "./passwords.js";
import "./reactions.js";
import "./secrets.js";
import "./tap.js";
import "./times.js";

// Milliseconds. Most pages load faster, and a bar would only flash.
config.drive.progressBarDelay = 1000;
// A disabled button would lose the focus.
config.forms.submitter = "aria-disabled";

hearNews();
