import type { Request } from "express";
import type { Grant } from "../domain/apps/tokens.ts";
import type { Problem, Problems } from "../domain/errors.ts";
import type { Recording } from "../domain/scope.ts";
import type { SiteSettings } from "../domain/site/settings.ts";
import type { Theme, User } from "../domain/users/store.ts";
import type { Languages, Translator } from "./languages/translator.ts";
import type { Branding, OpenGraphTags, presentAnnouncement } from "./layout/branding.ts";
import type { presentNavigation } from "./layout/navigation.ts";
import type { NameView } from "./layout/people.ts";
import type { Content } from "./server/page-cache.ts";

/** Counts a later sending of a kept answer. Resolves to the headers that tell the count; undefined: refused. */
type CountRepeat = (again: Request) => Promise<Map<string, string> | undefined>;

declare global {
  namespace Express {
    /** All that middleware puts on an answer. Templates get it too. */
    interface Locals {
      /** Language of the answer: set by request/reader.ts before all routes. */
      words: Translator;
      t: Translator["t"];
      scriptWords: string;
      /** By Accept-Language only, for answers that caches may share: cookies must not change these. */
      publicWords: Translator;
      /** All languages of the site. */
      languages: Languages["named"];

      /** What the admins decided: set by request/site.ts before all routes but health and assets. */
      site: SiteSettings;
      /** What pages show of it; before it is read, `app.locals` has it for templates. */
      branding?: Branding;
      /** The outage that hides them, see requireSite. */
      siteError?: unknown;

      /** The admins have shut out the address of the client; see request/address.ts. */
      isIpBlocked?: boolean;

      /** The signed-in user, by a session or a token. */
      user?: User | undefined;
      /** What the app may do, by its token. */
      token?: Grant | undefined;
      badToken?: boolean;

      /** What is wrong with a small form of the composer, see request/pictures.ts. */
      badUpload?: Problem;

      /** Around the content of every page, see request/site.ts. */
      nav?: ReturnType<typeof presentNavigation>;
      /** Sets `nav`, `ogSite` and `announcement`. After a form it is called only where a page is shown. */
      addFrame?: () => Promise<void>;
      /** What an admin or moderator has just done. */
      outcome?: string | undefined;
      viewer?: NameView | undefined;
      theme?: Theme;
      og?: OpenGraphTags;
      /** Tags of the site itself, which follow those of the page. */
      ogSite?: OpenGraphTags;
      announcement?: ReturnType<typeof presentAnnouncement>;
      canonical?: string;
      here?: string;
      /** Whether the page has the second stylesheet. */
      secondary?: boolean;

      /** Shows the page of a refused form again, see request/refusals.ts. */
      showAgain?: (problems: Problems) => Promise<void>;

      /** What the page depends on, if it may be kept; see server/cached-answers.ts. */
      recording?: Recording;
      /** Arrival of the request, by performance.now(). */
      began?: number;
      /** Set if the finished page may be kept. */
      kept?: true;
      countRepeat?: CountRepeat;
      /** Whether making the page was counted against a limit: it must not be made anew without counting. */
      isCounted?: boolean;
      /** The part of it that can be made anew alone. */
      content?: Content;
    }
  }
}

declare module "express-session" {
  interface SessionData {
    user: string;
    /** Generation of the user at log-in, see User.generation; absent for the first. */
    generation: string;
    /** Milliseconds. Updated now and then, which also renews the idle time of the session. */
    seenAt: number;
    /** Milliseconds: when the user last proved their identity, by the log-in or when asked again. */
    confirmedAt: number;
    /** Whether that was when asked again. */
    confirmedAgain: boolean;
    /** User-Agent of the browser, for the list of sessions. */
    device: string;
  }
}
