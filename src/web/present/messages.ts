import type { Problem } from "../../domain/errors.ts";

/** What a person is told about each problem: what is wrong and what would be right. */
export const messages: Readonly<Record<Problem, string>> = {
  "name.format": "A name has 1 to 15 letters a–z, digits or underscores.",
  "name.reserved": "That name is reserved. Please choose another.",
  "name.taken": "That name is taken. Please choose another.",
  "fullname.empty": "Please enter your full name, or whatever you want to be called.",
  "fullname.long": "A full name has at most 50 characters.",
  "bio.long": "A bio has at most 160 characters.",
  "website.long": "A website has an address of at most 100 characters.",
  "website.format":
    "A website's address looks like https://example.org, without a space or a password in it.",
  "avatar.missing": "Please choose a picture first.",
  "avatar.large": "A picture has at most 5 MB. Please choose a smaller one.",
  "avatar.format": "That is not a JPEG, PNG, WebP, AVIF or GIF picture.",
  "avatar.pixels": "A picture has at most 32 million pixels. Please choose a smaller one.",
  "avatar.broken": "That picture is damaged. Please choose another.",
  "avatar.upload": "The picture did not arrive in one piece. Please try again.",
  "agreement.missing": "Whoever signs up has to agree to the terms of this site.",
  "password.short": "A password has at least 8 characters.",
  "password.long": "A password has at most 72 bytes (letters beyond a–z count more than one).",
  "password.common": "That password is among the first that guessers try. Please choose another.",
  "password.name": "The password must not be the name.",
  "password.nul": "A password cannot contain the NUL character.",
  "password.wrong": "That is not your present password.",
  "credentials.wrong": "Name and password do not match.",
  "confirmation.wrong": "That is not your name.",
  "file.missing": "Please choose a file first.",
  "file.malformed": "The file did not arrive whole. Please choose it and send it again.",
  "file.large": "That file is too large.",
  "import.foreign": "This is not a file that Suzume exported as JSON.",
  "import.version": "This file was exported by a newer Suzume than this one.",
  "import.large": "This file has more in it than can be imported at once.",
  "text.empty": "Please write something first.",
  "text.long": "A tweet has at most 280 characters.",
  "reply.gone": "The tweet that this answers is gone. What you wrote is still here.",
  "reply.blocked":
    "You cannot answer this: one of you has blocked the other. What you wrote is still here.",
  "field.missing": "Please fill this in.",
  "field.malformed": "This could not be understood.",
  "form.stale": "This form was out of date. Please submit it again.",
  "follow.self": "You cannot follow yourself.",
  "account.suspended": "This account is suspended. Nothing of it is deleted, but nobody sees it.",
  "account.admin":
    "An admin's account cannot be deleted. Let the name be taken out of ADMINS first, then delete it.",
  "comment.long": "This has at most 500 characters.",
  "name.unknown": "Nobody has that name.",
  "report.self": "You cannot report yourself.",
  "report.reason": "Please say what is wrong.",
  "report.many": "Twenty of your reports are open. Please wait until some of them are decided.",
  "mute.self": "You cannot mute yourself.",
  "mute.duration": "People are muted until they are unmuted.",
  "block.self": "You cannot block yourself.",
  "word.empty": "Please enter a word or a phrase.",
  "word.long": "A muted word or phrase has at most 50 characters.",
  "word.many":
    "You have muted 200 words, which is as many as there can be. Please remove one first.",
  "app.empty": "An app has a name.",
  "app.long": "An app's name has at most 60 characters.",
  "redirect.missing": "An app has at least one redirect URI.",
  "redirect.many": "An app has at most 20 redirect URIs.",
  "redirect.format":
    "A redirect URI is absolute, has no fragment and at most 2,000 characters of ASCII, and leads to an app or over http(s).",
  "scopes.unknown": "There is no such scope.",
};

/** In the place of that for 403, where a block is the reason. */
export const blockedPage = {
  heading: "That is not possible",
  message:
    "One of you has blocked the other. You cannot follow each other, nor see, like or answer what the other writes.",
};

export interface ErrorPage {
  heading: string;
  message: string;
}

/** In the place of somebody's pages. */
export const suspendedPage: ErrorPage = {
  heading: "This account is suspended",
  message: "Its tweets and lists are not shown.",
};

/** For each status. */
export const errorPages: Readonly<Record<number, ErrorPage>> = {
  400: { heading: "That did not make sense", message: "The request could not be understood." },
  403: {
    heading: "That is not allowed",
    message: "You may not do this, or the request came from another site.",
  },
  404: {
    heading: "Nothing here",
    message: "This page does not exist, or not any more. The bird has flown.",
  },
  413: { heading: "Too much", message: "What was sent is larger than this site accepts." },
  422: { heading: "That could not be accepted", message: "Please go back and check the form." },
  429: {
    heading: "Not so fast",
    message: "That was too often in too short a time. Please wait a little and try again.",
  },
  500: {
    heading: "Something broke",
    message: "That is our fault, not yours. Nothing that was saved is lost.",
  },
  503: {
    heading: "Back in a moment",
    message: "The site cannot reach its data just now. Nothing is lost; please try again shortly.",
  },
};
