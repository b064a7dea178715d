/*
 * Preloaded into a program (LD_PRELOAD), this writes down, in order, what the program asks of the file system below one
 * folder, which of it was made durable, and everything that it says to others (sockets, stdout). Every call still
 * does what it always does. power-loss-log.ts reads what is written here.
 *
 *   POWER_LOSS_ROOT  the folder that is watched, an absolute path without symbolic links
 *   POWER_LOSS_LOG   where to append; several programs, one after the other, may share a log
 *   POWER_LOSS_STOP  once this file exists, the program removes it and dies where it would next sync a write-ahead log
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SAID_MAX = 4096, KNOWN_MAX = 65536 };

struct entry {
  uint32_t kind;
  uint32_t length;
  uint64_t inode;
  uint64_t offset;
};

static const char *root, *stop;
static size_t root_length;
static dev_t device;
static int log_descriptor = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static ino_t known[KNOWN_MAX];
static size_t known_count;

/*
 * One call at a time, and its entry with it: the order of the log is the order in which things happened. Signals wait,
 * for their handlers write too.
 */
static void lock(sigset_t *before) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, before);
  pthread_mutex_lock(&turn);
}

static void unlock(const sigset_t *before) {
  int error = errno;
  pthread_mutex_unlock(&turn);
  pthread_sigmask(SIG_SETMASK, before, NULL);
  errno = error;
}

static void give_up(const char *why) {
  dprintf(2, "power-loss: %s: %s\n", why, strerror(errno));
  abort();
}

static void note(char kind, ino_t inode, off_t offset, const void *bytes, size_t length) {
  struct entry head = {(uint32_t)kind, (uint32_t)length, inode, (uint64_t)offset};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)bytes, length}};
  ssize_t written = syscall(SYS_writev, log_descriptor, parts, length > 0 ? 2 : 1);
  if (written != (ssize_t)(sizeof head + length)) give_up("the log cannot be written");
}

static int is_known(ino_t inode) {
  for (size_t i = known_count; i > 0; i--) {
    if (known[i - 1] == inode) return 1;
  }
  return 0;
}

static void know(ino_t inode) {
  if (is_known(inode)) return;
  if (known_count == KNOWN_MAX) give_up("too many files");
  known[known_count++] = inode;
}

__attribute__((constructor)) static void begin(void) {
  struct stat state;
  const char *log = getenv("POWER_LOSS_LOG");
  root = getenv("POWER_LOSS_ROOT");
  stop = getenv("POWER_LOSS_STOP");
  if (root == NULL || log == NULL) return;
  root_length = strlen(root);
  int opened = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  /* A high number, so that the program's own descriptors are what they would be without us. */
  log_descriptor = opened < 0 ? -1 : fcntl(opened, F_DUPFD_CLOEXEC, 512);
  if (log_descriptor < 0 || stat(root, &state) != 0) give_up("cannot begin");
  syscall(SYS_close, opened);
  device = state.st_dev;
  know(state.st_ino);
  note('S', state.st_ino, getpid(), root, root_length);
}

/* The absolute path in `out`, and whether it lies in the folder. */
static int inside(int folder, const char *path, char *out) {
  if (log_descriptor < 0 || path == NULL) return 0;
  int length = 0;
  if (path[0] == '/') {
    length = snprintf(out, PATH_MAX, "%s", path);
  } else {
    char link[64], base[PATH_MAX];
    if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t size = readlink(link, base, sizeof base - 1);
    if (size < 0) return 0;
    length = snprintf(out, PATH_MAX, "%.*s/%s", (int)size, base, path);
  }
  return length < PATH_MAX && strncmp(out, root, root_length) == 0 && (out[root_length] == '/' || out[root_length] == 0);
}

/* Whether the descriptor is a file or folder that is watched, and its state. */
static int watched(int descriptor, struct stat *state) {
  if (log_descriptor < 0 || fstat(descriptor, state) != 0) return 0;
  return (S_ISREG(state->st_mode) || S_ISDIR(state->st_mode)) && state->st_dev == device && is_known(state->st_ino);
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  char full[PATH_MAX];
  struct stat state;
  if (!inside(folder, path, full)) return syscall(SYS_openat, folder, path, flags, mode);
  sigset_t signals;
  lock(&signals);
  int fresh = (flags & O_CREAT) != 0 && lstat(full, &state) != 0;
  int opened = syscall(SYS_openat, folder, path, flags, mode);
  if (opened >= 0 && fstat(opened, &state) == 0) {
    know(state.st_ino);
    if (fresh) note('c', state.st_ino, 0, full, strlen(full));
    else if ((flags & O_TRUNC) != 0) note('t', state.st_ino, 0, NULL, 0);
  }
  unlock(&signals);
  return opened;
}

#define MODE_OF(flags, mode)                         \
  mode_t mode = 0;                                   \
  if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) {    \
    va_list more;                                    \
    va_start(more, flags);                           \
    mode = va_arg(more, mode_t);                     \
    va_end(more);                                    \
  }

int open64(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}
int open(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(folder, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(folder, path, flags, mode);
}

/* An answer counts from the moment it is handed over: what is promised in it must be durable by then. */
static void say(int descriptor, const struct iovec *parts, int count) {
  struct stat state;
  if (log_descriptor < 0 || fstat(descriptor, &state) != 0) return;
  if (!S_ISSOCK(state.st_mode) && !(descriptor == 1 && S_ISFIFO(state.st_mode))) return;
  char text[SAID_MAX];
  size_t length = 0;
  for (int i = 0; i < count && length < SAID_MAX; i++) {
    size_t more = parts[i].iov_len < SAID_MAX - length ? parts[i].iov_len : SAID_MAX - length;
    memcpy(text + length, parts[i].iov_base, more);
    length += more;
  }
  note('a', 0, descriptor, text, length);
}

/* `offset` is where the bytes go, or -1 for where the descriptor stands. */
static ssize_t put(int descriptor, const struct iovec *parts, int count, off_t offset) {
  struct stat state;
  sigset_t signals;
  lock(&signals);
  int ours = watched(descriptor, &state);
  if (!ours) say(descriptor, parts, count);
  off_t at = offset;
  if (ours && offset < 0) at = (fcntl(descriptor, F_GETFL) & O_APPEND) ? state.st_size : lseek(descriptor, 0, SEEK_CUR);
  ssize_t written = offset < 0 ? syscall(SYS_writev, descriptor, parts, count)
                               : syscall(SYS_pwritev, descriptor, parts, count, (long)offset, 0L);
  ssize_t left = ours ? written : 0;
  for (int i = 0; i < count && left > 0; i++) {
    size_t size = (ssize_t)parts[i].iov_len < left ? parts[i].iov_len : (size_t)left;
    note('w', state.st_ino, at, parts[i].iov_base, size);
    at += size;
    left -= size;
  }
  unlock(&signals);
  return written;
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  struct iovec part = {(void *)bytes, length};
  return put(descriptor, &part, 1, -1);
}
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  return put(descriptor, parts, count, -1);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  struct iovec part = {(void *)bytes, length};
  return put(descriptor, &part, 1, offset);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  return pwrite64(descriptor, bytes, length, offset);
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
  return put(descriptor, parts, count, offset);
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return put(descriptor, parts, count, offset);
}
ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
  sigset_t signals;
  lock(&signals);
  say(descriptor, message->msg_iov, (int)message->msg_iovlen);
  ssize_t sent = syscall(SYS_sendmsg, descriptor, message, flags);
  unlock(&signals);
  return sent;
}

int ftruncate64(int descriptor, off64_t size) {
  struct stat state;
  sigset_t signals;
  lock(&signals);
  int ours = watched(descriptor, &state);
  int result = syscall(SYS_ftruncate, descriptor, size);
  if (ours && result == 0) note('t', state.st_ino, size, NULL, 0);
  unlock(&signals);
  return result;
}
int ftruncate(int descriptor, off_t size) {
  return ftruncate64(descriptor, size);
}

/* Of several programs only the one that takes the file away dies. */
static void die_before_sync(int descriptor) {
  char link[64], path[PATH_MAX];
  if (stop == NULL || access(stop, F_OK) != 0) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t size = readlink(link, path, sizeof path);
  int is_log = size > 4 && memcmp(path + size - 4, "-wal", 4) == 0;
  if (is_log && syscall(SYS_unlinkat, AT_FDCWD, stop, 0) == 0) kill(getpid(), SIGKILL);
}

static int sync_with(long call, int descriptor) {
  struct stat state;
  sigset_t signals;
  lock(&signals);
  int ours = watched(descriptor, &state);
  if (ours) die_before_sync(descriptor);
  int result = syscall(call, descriptor);
  if (ours && result == 0) note('f', state.st_ino, 0, NULL, 0);
  unlock(&signals);
  return result;
}
int fsync(int descriptor) {
  return sync_with(SYS_fsync, descriptor);
}
int fdatasync(int descriptor) {
  return sync_with(SYS_fdatasync, descriptor);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  char full[PATH_MAX];
  struct stat state;
  int ours = inside(to_folder, to, full);
  sigset_t signals;
  lock(&signals);
  int result = syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
  if (ours && result == 0 && lstat(full, &state) == 0) note('l', state.st_ino, 0, full, strlen(full));
  unlock(&signals);
  return result;
}
int link(const char *from, const char *to) {
  return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int folder, const char *path, int flags) {
  char full[PATH_MAX];
  int ours = inside(folder, path, full);
  sigset_t signals;
  lock(&signals);
  int result = syscall(SYS_unlinkat, folder, path, flags);
  if (ours && result == 0) note('u', 0, 0, full, strlen(full));
  unlock(&signals);
  return result;
}
int unlink(const char *path) {
  return unlinkat(AT_FDCWD, path, 0);
}
int rmdir(const char *path) {
  return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char *path) {
  struct stat state;
  return lstat(path, &state) == 0 && S_ISDIR(state.st_mode) ? rmdir(path) : unlink(path);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  char both[2 * PATH_MAX];
  int ours = inside(from_folder, from, both);
  size_t length = ours ? strlen(both) + 1 : 0;
  ours = inside(to_folder, to, both + length) && ours;
  sigset_t signals;
  lock(&signals);
  int result = syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  if (ours && result == 0) note('r', 0, 0, both, length + strlen(both + length));
  unlock(&signals);
  return result;
}
int rename(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int mkdirat(int folder, const char *path, mode_t mode) {
  char full[PATH_MAX];
  struct stat state;
  int ours = inside(folder, path, full);
  sigset_t signals;
  lock(&signals);
  int result = syscall(SYS_mkdirat, folder, path, mode);
  if (ours && result == 0 && lstat(full, &state) == 0) {
    know(state.st_ino);
    note('d', state.st_ino, 0, full, strlen(full));
  }
  unlock(&signals);
  return result;
}
int mkdir(const char *path, mode_t mode) {
  return mkdirat(AT_FDCWD, path, mode);
}
