/*
 * Loaded before a process (LD_PRELOAD), it makes the disk slow, notes what has reached it, and sets
 * the wall clock wrong. Each fault is on where its variable names a file:
 *   DRILL_FSYNC_FILE   milliseconds that each fsync and fdatasync takes longer
 *   DRILL_CLOCK_FILE   milliseconds by which the wall clock is ahead (or behind, below zero)
 *   DRILL_SYNCED_FILE  gets a line for each fsync that is done: SIZE INODE PATH
 * The first two hold one number in 17 bytes; they are mapped, so it may change while the process runs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char *fsync_number, *clock_number;
static int synced = -1;

static const char *map(const char *variable) {
  const char *path = getenv(variable);
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return NULL;
  void *text = mmap(NULL, 17, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return text == MAP_FAILED ? NULL : text;
}

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("DRILL_SYNCED_FILE");
  if (path) synced = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  fsync_number = map("DRILL_FSYNC_FILE");
  clock_number = map("DRILL_CLOCK_FILE");
}

/* What was written before the call is on the disk after it; what comes meanwhile may not be. */
static int slowly(int file, const char *name) {
  struct stat before;
  int known = fstat(file, &before) == 0;
  long wait = fsync_number ? strtol(fsync_number, NULL, 10) : 0;
  if (wait > 0) usleep(wait * 1000);
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int result = real(file);
  if (result != 0 || !known || synced < 0 || !S_ISREG(before.st_mode)) return result;
  char link[64], path[4096], line[4200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  int bytes = snprintf(line, sizeof line, "%lld %llu %s\n", (long long)before.st_size,
                       (unsigned long long)before.st_ino, path);
  if (write(synced, line, bytes) < 0) return result;
  return result;
}

int fsync(int file) { return slowly(file, "fsync"); }
int fdatasync(int file) { return slowly(file, "fdatasync"); }

static long long ahead(void) { return clock_number ? strtoll(clock_number, NULL, 10) : 0; }

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, now);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  long long nanoseconds = now->tv_nsec + ahead() % 1000 * 1000000;
  now->tv_sec += ahead() / 1000;
  if (nanoseconds < 0) now->tv_sec -= 1, nanoseconds += 1000000000;
  if (nanoseconds >= 1000000000) now->tv_sec += 1, nanoseconds -= 1000000000;
  now->tv_nsec = nanoseconds;
  return 0;
}

int gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *seconds) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (seconds) *seconds = precise.tv_sec;
  return precise.tv_sec;
}
