import type { NextFunction, Request, Response } from "express";
import { TooMany } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { requireRight } from "../../domain/users/roles.ts";
import { networksOf } from "./address.ts";

const megabyte = 1024 * 1024;
/** Max bytes of bodies in memory, by kind: bodies of one kind leave the room of the others alone. */
const rooms = {
  /** Forms without files; strangers may send them. */
  forms: newRoom(16 * megabyte),
  /** Pictures of signed-in users. */
  pictures: newRoom(64 * megabyte),
  /** These are on the disk. */
  imports: newRoom(42 * megabyte),
};
/** Max milliseconds for a body without files or of a stranger, and for what is left of a body after its answer. */
export const bodyMilliseconds = 30_000;
/** Bytes that the parser and the connection of a body take while it arrives. */
const openBytes = 8 * 1024;

interface Room {
  most: number;
  held: number;
  /** Bodies that have not arrived completely. */
  open: Set<Body>;
}

interface Body {
  /** From the widest network to the account. */
  holders: string[];
  bytes: number;
  began: number;
  refuse: () => void;
}

export interface Holding {
  room: keyof typeof rooms;
  user?: UserId;
  /** Makes the room larger, where the host allows larger files. */
  roomBytes?: number;
  /** Max bytes that may arrive; a chunked body does not tell its length. */
  atMost?: number;
}

/**
 * Call before reading a body into memory; the result takes the place of `next` for the parser. Bytes count when they
 * arrive: a declared length costs its sender nothing. If the room is full, an incomplete body is refused (429): that of
 * the network and account whose incomplete bodies hold the most bytes for the longest time. So slow and silent clients
 * give way to all others. A body without files, or of a stranger, is refused after bodyMilliseconds in any case. When
 * the body has arrived, or is refused, the right of the viewer is checked again: it may be much later.
 * Throws TooMany if the room is full of complete bodies.
 */
export function holdBody(
  req: Request,
  res: Response,
  next: NextFunction,
  { room: name, user, atMost = Infinity, roomBytes = 0 }: Holding,
): (error?: unknown) => void {
  const room = rooms[name];
  room.most = Math.max(room.most, roomBytes);
  let isOver = false;
  const end = (error?: unknown) => {
    if (isOver) return;
    isOver = true;
    stopCounting();
    // A complete form is small, and waits in queues that have bounds of their own.
    if (error !== undefined || name === "forms") release();
    void passOn(next, error);
  };
  const refuse = (error: Error) => {
    req.unpipe();
    if (res.headersSent) req.destroy();
    else res.setHeader("Connection", "close");
    end(error);
  };
  const body: Body = {
    holders: [...networksOf(req), ...(user === undefined ? [] : [user])],
    bytes: 0,
    began: performance.now(),
    refuse: () => refuse(new TooMany("bodies", 10)),
  };
  let slow: NodeJS.Timeout | undefined;
  const stopCounting = () => {
    clearTimeout(slow);
    req.off("data", count);
    room.open.delete(body);
  };
  const release = () => {
    stopCounting();
    room.held -= body.bytes;
    body.bytes = 0;
  };
  const leave = () => {
    // What still arrives after the answer is not kept.
    if (!isOver) req.unpipe().resume();
    release();
  };
  const count = ({ length }: Buffer) => {
    grow(room, body, length);
    if (body.bytes - openBytes > atMost) refuse(tooLarge());
    else makeRoom(room);
  };
  if (res.closed) return end;
  grow(room, body, openBytes);
  if (!makeRoom(room)) {
    release();
    throw new TooMany("bodies", 10);
  }
  room.open.add(body);
  if (name === "forms" || user === undefined) slow = setTimeout(body.refuse, bodyMilliseconds);
  res.once("close", leave);
  req.on("data", count);
  return end;
}

/** A refusal shows a page, too: not to a viewer whose right has ended. */
async function passOn(next: NextFunction, refusal: unknown): Promise<void> {
  const right = requireRight().then(() => refusal);
  next(await right.catch((ended: unknown) => ended));
}

function newRoom(most: number): Room {
  return { most, held: 0, open: new Set() };
}

function grow(room: Room, body: Body, bytes: number): void {
  body.bytes += bytes;
  room.held += bytes;
}

/** Refuses incomplete bodies while the room is too full. False if it stays so. */
function makeRoom(room: Room): boolean {
  while (room.held > room.most) {
    const body = costliest([...room.open]);
    if (body === undefined) return false;
    body.refuse();
  }
  return true;
}

/** The body with the highest cost, of the holder with the highest cost, of the network with the highest cost. */
function costliest(bodies: Body[], level = 0): Body | undefined {
  const groups = new Map<string | Body, { cost: number; bodies: Body[] }>();
  const now = performance.now();
  let most: { cost: number; bodies: Body[] } = { cost: -1, bodies: [] };
  for (const body of bodies) {
    const holder = body.holders[level] ?? body;
    const group = groups.get(holder) ?? { cost: 0, bodies: [] };
    groups.set(holder, group);
    group.cost += body.bytes * (now - body.began);
    group.bodies.push(body);
    if (group.cost > most.cost) most = group;
  }
  return most.bodies.length < 2 ? most.bodies[0] : costliest(most.bodies, level + 1);
}

/** Max bytes of a form without files, in any format. */
export const formBytes = 100 * 1024;
/** Max texts in a composer's form. */
export const composerFields = 30;
/** Max bytes of these texts: each may be as long as a form. */
export const composerBytes = composerFields * formBytes;
/** Max bytes of a picture. */
export const pictureBytes = 5_000_000;
/** Max simultaneous uploads of pictures by one user. */
export const picturesAtOnce = 3;

/** An error as Express's body parser throws it. */
export function tooLarge(): Error {
  return Object.assign(new Error("too large"), { status: 413, type: "entity.too.large" });
}

/** Throws a 413 error if Content-Length exceeds `atMost`. */
export function refuseLonger(req: Request, atMost: number): void {
  if (Number(req.headers["content-length"] ?? 0) > atMost) throw tooLarge();
}

/**
 * Limits the requests of one kind that this process works on at a time for one user. The result counts a
 * request until it is answered; it is false if the client has disconnected. Throws TooMany.
 */
export function limitAtOnce(what: string, most: number) {
  const running: UserId[] = [];
  return (id: UserId, res: Response): boolean => {
    // A closed response would be counted for ever.
    if (res.closed) return false;
    if (running.filter((one) => one === id).length >= most) throw new TooMany(what, 10);
    running.push(id);
    res.once("close", () => void running.splice(running.indexOf(id), 1));
    return true;
  };
}
