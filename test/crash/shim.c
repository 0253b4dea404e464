/*
 * Kills a process at its n-th call that changes a file below a directory, and takes back what was
 * not synced: LD_PRELOAD=shim.so CRASH_DIR=<directory> CRASH_AT=<n> CRASH_LOSE=none|all|some
 * CRASH_SEED=<n> CRASH_COUNT=<file>. Children do not inherit it. With CRASH_AT=0 it only counts.
 * With CRASH_SYNCS=1 only syncs count: the moments before an event becomes durable.
 *
 * A call counts before it is made. "all" undoes every write since the last sync of its file, "some"
 * chooses by the seed which writes survive: pages reach a disk in any order. Names (rename, link,
 * unlink) count as points, and are durable at once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct change {
  dev_t dev;
  ino_t ino;
  char *path;
  off_t at, size_before;
  size_t length, old_length;
  char *old, *new; /* new is NULL for a truncation, which ends at `at` */
  struct change *earlier;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct change *changes;
static char directory[4096], count_file[4096];
static long crash_at, count;
static int only_syncs;
static unsigned long seed;
static enum { NONE, ALL, SOME } lose;

#define REAL(name) static __typeof__(name) *real_##name; \
  if (!real_##name) real_##name = dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
  const char *text = getenv("CRASH_DIR");
  if (text) snprintf(directory, sizeof directory, "%s/", text);
  if ((text = getenv("CRASH_COUNT"))) snprintf(count_file, sizeof count_file, "%s", text);
  crash_at = (text = getenv("CRASH_AT")) ? atol(text) : 0;
  only_syncs = getenv("CRASH_SYNCS") != NULL;
  seed = (text = getenv("CRASH_SEED")) ? strtoul(text, NULL, 10) : 1;
  text = getenv("CRASH_LOSE");
  lose = !text || !strcmp(text, "none") ? NONE : !strcmp(text, "all") ? ALL : SOME;
  unsetenv("LD_PRELOAD");
  unsetenv("CRASH_DIR");
}

static void save_count(void) {
  if (!count_file[0]) return;
  int fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd >= 0) dprintf(fd, "%ld\n", count), close(fd);
}

__attribute__((destructor)) static void end(void) { save_count(); }

static int is_below(const char *path) {
  return directory[0] && path && !strncmp(path, directory, strlen(directory));
}

/* The path of a regular file below the directory, else NULL. */
static char *tracked(int fd, struct stat *stat, char *buffer, size_t size) {
  if (!directory[0]) return NULL;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, buffer, size - 1);
  if (length <= 0) return NULL;
  buffer[length] = 0;
  if (!is_below(buffer) || fstat(fd, stat) || !S_ISREG(stat->st_mode)) return NULL;
  /* SQLite's index of the journal is rebuilt after a crash. */
  if (length > 4 && !strcmp(buffer + length - 4, "-shm")) return NULL;
  return buffer;
}

static unsigned long next_random(void) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return seed;
}

static void put(struct change *change, const char *bytes, size_t length, off_t size) {
  REAL(pwrite); REAL(ftruncate);
  struct stat stat;
  int fd = open(change->path, O_WRONLY);
  if (fd < 0) return;
  if (!fstat(fd, &stat) && stat.st_ino == change->ino && stat.st_dev == change->dev) {
    if (length) (void)!real_pwrite(fd, bytes, length, change->at);
    if (size >= 0) (void)!real_ftruncate(fd, size);
  }
  close(fd);
}

static void crash(void) {
  if (lose != NONE) {
    struct change *kept = NULL;
    for (struct change *one = changes, *earlier; one; one = earlier) {
      earlier = one->earlier;
      put(one, one->old, one->old_length, one->size_before);
      if (lose == SOME && next_random() % 2) one->earlier = kept, kept = one;
    }
    for (; kept; kept = kept->earlier)
      put(kept, kept->new, kept->new ? kept->length : 0, kept->new ? -1 : kept->at);
  }
  save_count();
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* With the lock held: other threads stop at it when the process dies here. */
static void point(int is_sync) {
  if (only_syncs && !is_sync) return;
  count++;
  if (crash_at && count == crash_at) crash();
}

static void remember(int fd, const char *path, struct stat *stat, off_t at, size_t length, const char *bytes) {
  struct change *change = calloc(1, sizeof *change);
  change->dev = stat->st_dev, change->ino = stat->st_ino, change->path = strdup(path);
  change->at = at, change->length = length, change->size_before = stat->st_size;
  off_t until = bytes ? at + (off_t)length : stat->st_size;
  if (until > stat->st_size) until = stat->st_size;
  if (until > at) {
    change->old = malloc(until - at);
    int reading = open(path, O_RDONLY);
    ssize_t got = reading < 0 ? 0 : pread(reading, change->old, until - at, at);
    change->old_length = got > 0 ? got : 0;
    if (reading >= 0) close(reading);
  }
  if (bytes) change->new = malloc(length), memcpy(change->new, bytes, length);
  change->earlier = changes;
  changes = change;
}

static void synced(struct stat *stat) {
  for (struct change **at = &changes; *at;) {
    struct change *one = *at;
    if (one->ino == stat->st_ino && one->dev == stat->st_dev) {
      *at = one->earlier;
      free(one->path), free(one->old), free(one->new), free(one);
    } else at = &one->earlier;
  }
}

static ssize_t changed(int fd, const char *bytes, size_t length, off_t at, ssize_t (*call)(void *), void *input) {
  char buffer[4096];
  struct stat stat;
  char *path = tracked(fd, &stat, buffer, sizeof buffer);
  if (!path) return call(input);
  pthread_mutex_lock(&lock);
  point(0);
  if (fstat(fd, &stat) == 0) {
    if (at < 0) at = fcntl(fd, F_GETFL) & O_APPEND ? stat.st_size : lseek(fd, 0, SEEK_CUR);
    remember(fd, path, &stat, at, length, bytes);
  }
  ssize_t result = call(input);
  pthread_mutex_unlock(&lock);
  return result;
}

struct input { int fd; const void *bytes; size_t length; off_t at; const struct iovec *parts; int count; };

static ssize_t call_write(void *given) { REAL(write); struct input *i = given; return real_write(i->fd, i->bytes, i->length); }
static ssize_t call_pwrite(void *given) { REAL(pwrite); struct input *i = given; return real_pwrite(i->fd, i->bytes, i->length, i->at); }
static ssize_t call_writev(void *given) { REAL(writev); struct input *i = given; return real_writev(i->fd, i->parts, i->count); }
static ssize_t call_pwritev(void *given) { REAL(pwritev); struct input *i = given; return real_pwritev(i->fd, i->parts, i->count, i->at); }
static ssize_t call_ftruncate(void *given) { REAL(ftruncate); struct input *i = given; return real_ftruncate(i->fd, i->at); }

ssize_t write(int fd, const void *bytes, size_t length) {
  struct input i = { fd, bytes, length, -1, NULL, 0 };
  return changed(fd, bytes, length, -1, call_write, &i);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  struct input i = { fd, bytes, length, at, NULL, 0 };
  return changed(fd, bytes, length, at, call_pwrite, &i);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) { return pwrite(fd, bytes, length, at); }

static ssize_t vector(int fd, const struct iovec *parts, int count, off_t at, ssize_t (*call)(void *)) {
  size_t length = 0, filled = 0;
  for (int n = 0; n < count; n++) length += parts[n].iov_len;
  char *bytes = malloc(length + 1);
  for (int n = 0; n < count; filled += parts[n].iov_len, n++) memcpy(bytes + filled, parts[n].iov_base, parts[n].iov_len);
  struct input i = { fd, NULL, 0, at, parts, count };
  ssize_t result = changed(fd, bytes, length, at, call, &i);
  free(bytes);
  return result;
}
ssize_t writev(int fd, const struct iovec *parts, int count) { return vector(fd, parts, count, -1, call_writev); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return vector(fd, parts, count, at, call_pwritev); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) { return pwritev(fd, parts, count, at); }

int ftruncate(int fd, off_t size) {
  struct input i = { fd, NULL, 0, size, NULL, 0 };
  return (int)changed(fd, NULL, 0, size, call_ftruncate, &i);
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }

static int sync_file(int fd, int (*call)(int)) {
  char buffer[4096];
  struct stat stat;
  if (!tracked(fd, &stat, buffer, sizeof buffer)) return call(fd);
  pthread_mutex_lock(&lock);
  point(1);
  int result = call(fd);
  if (result == 0) synced(&stat);
  pthread_mutex_unlock(&lock);
  return result;
}
int fsync(int fd) { REAL(fsync); return sync_file(fd, real_fsync); }
int fdatasync(int fd) { REAL(fdatasync); return sync_file(fd, real_fdatasync); }

static void name_changes(const char *path) {
  if (!is_below(path)) return;
  pthread_mutex_lock(&lock);
  point(0);
  pthread_mutex_unlock(&lock);
}
int rename(const char *from, const char *to) { REAL(rename); name_changes(to); return real_rename(from, to); }
int link(const char *from, const char *to) { REAL(link); name_changes(to); return real_link(from, to); }
int unlink(const char *path) { REAL(unlink); name_changes(path); return real_unlink(path); }
