import express, { type RequestHandler } from "express";

/** Stylesheets, scripts and pictures. Only what has a file's name costs a look at the disk. */
export function assets(folder: string): RequestHandler {
  // Redirects of folders would bring a policy of their own.
  const files = express.static(folder, { index: false, redirect: false, maxAge: "1h" });
  return (req, res, next) => {
    if (/\.[a-z0-9]+$/.test(req.path)) files(req, res, next);
    else next();
  };
}
