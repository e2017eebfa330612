// The script of every page; passkey-forms.js is that of pages with passkeys, push-forms.js that of pushes, renew.js that of imports. complete.js, extra.js and pictures.js are loaded when they are needed. Every page works without it.
// oxlint-disable import/no-unassigned-import -- these modules only add listeners
import { config } from "@hotwired/turbo";
import "./composer.js";
import "./drafts.js";
import "./failures.js";
import "./hotkeys.js";
import "./instant.js";
import { hearNews } from "./live.js";
import "./load.js";
import "./menus.js";
import "./reactions.js";
import "./tap.js";
import "./times.js";

// Milliseconds. Most pages load faster, and a bar would only flash.
config.drive.progressBarDelay = 1000;
// A disabled button would lose the focus.
config.forms.submitter = "aria-disabled";

hearNews();
