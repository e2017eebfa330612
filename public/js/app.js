// The one script of the site: what is imported here is served. Every page works without it.
import { config } from "@hotwired/turbo";
import { hearNews } from "./live.js";

// Milliseconds. Most pages are here by then, and a bar would only flash.
config.drive.progressBarDelay = 1000;

hearNews();
